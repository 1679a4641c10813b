//! Lane-operations per second, each with a masked write into a register file, as an interpreter does them.
#![allow(missing_docs, reason = "criterion's macros make public items")]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use lanes::{Mask, Numerics, Op1, Op2, Op3, Test2, Word, assign, op1, op2, op3, select, test2};

/// The number of instructions in a straight-line block.
const BLOCK: usize = 64;

fn widths(criterion: &mut Criterion) {
    width::<4>(criterion);
    width::<16>(criterion);
    width::<64>(criterion);
}

fn width<const W: usize>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(format!("{W} lanes"));
    group.throughput(Throughput::Elements((W * BLOCK) as u64));
    let n = &Numerics::IEEE;
    for (name, op) in
        [("add", Op2::FAdd), ("mul", Op2::FMul), ("min", Op2::FMin), ("iadd", Op2::IAdd), ("pow", Op2::FPow)]
    {
        bench::<u32, W>(&mut group, name, |a, b, _| op2(black_box(op), a, b, n));
    }
    for (name, op) in [("floor", Op1::FFloor), ("sin", Op1::FSin), ("exp2", Op1::FExp2), ("log2", Op1::FLog2)] {
        bench::<u32, W>(&mut group, name, |a, _, _| op1(black_box(op), a, n));
    }
    bench::<u32, W>(&mut group, "fma", |a, b, c| op3(black_box(Op3::FFma), a, b, c, n));
    bench::<u32, W>(&mut group, "compare", |a, b, _| test2(black_box(Test2::FLt), a, b, n));
    bench::<u32, W>(&mut group, "select", select);
    bench::<u64, W>(&mut group, "add f64", |a, b, _| op2(black_box(Op2::FAdd), a, b, n));
    group.finish();
}

/// Register numbers are opaque to the compiler, and some lanes are off.
fn bench<T: Word + From<u32>, const W: usize>(
    group: &mut BenchmarkGroup<WallTime>,
    name: &str,
    compute: impl Fn(&[T; W], &[T; W], &[T; W]) -> [T; W],
) {
    let value = |r: usize, lane: usize| T::from((1.0 + (r * W + lane) as f32 * 0.01).to_bits());
    let start: Vec<[T; W]> = (0..8).map(|r| std::array::from_fn(|lane| value(r, lane))).collect();
    let code: Vec<[usize; 4]> = (0..BLOCK).map(|i| [4 + i % 4, i % 4, (i + 1) % 4, (i + 2) % 4]).collect();
    let mask = Mask::<W>::from_bits(0xfbfe_7fff_ffef_fff7);
    let mut file = start;
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for [out, a, b, c] in black_box(&code) {
                let result = compute(&file[*a], &file[*b], &file[*c]);
                assign(&mut file[*out], &result, black_box(&mask));
            }
        });
    });
}

criterion_group!(benches, widths);
criterion_main!(benches);
