//! Lane-operations per second, each with a masked write into a register file, as an interpreter does them.
//!
//! `cargo bench -p lanes`

use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use lanes::{Mask, Numerics, Op1, Op2, Op3, Test2, Word, assign, op1, op2, op3, select, test2};

/// The number of instructions in a straight-line block.
const BLOCK: usize = 64;

fn main() {
    divan::main();
}

#[divan::bench(args = [Op1::FFloor, Op1::FSin, Op1::FExp2, Op1::FLog2], consts = [4, 16, 64])]
fn unary<const W: usize>(bencher: Bencher<'_, '_>, op: Op1) {
    block::<u32, W>(bencher, |a, _, _| op1(black_box(op), a, &Numerics::IEEE));
}

#[divan::bench(args = [Op2::FAdd, Op2::FMul, Op2::FMin, Op2::IAdd, Op2::FPow], consts = [4, 16, 64])]
fn binary<const W: usize>(bencher: Bencher<'_, '_>, op: Op2) {
    block::<u32, W>(bencher, |a, b, _| op2(black_box(op), a, b, &Numerics::IEEE));
}

#[divan::bench(consts = [4, 16, 64])]
fn add_of_doubles<const W: usize>(bencher: Bencher<'_, '_>) {
    block::<u64, W>(bencher, |a, b, _| op2(black_box(Op2::FAdd), a, b, &Numerics::IEEE));
}

#[divan::bench(consts = [4, 16, 64])]
fn fma<const W: usize>(bencher: Bencher<'_, '_>) {
    block::<u32, W>(bencher, |a, b, c| op3(black_box(Op3::FFma), a, b, c, &Numerics::IEEE));
}

#[divan::bench(consts = [4, 16, 64])]
fn compare<const W: usize>(bencher: Bencher<'_, '_>) {
    block::<u32, W>(bencher, |a, b, _| test2(black_box(Test2::FLt), a, b, &Numerics::IEEE));
}

#[divan::bench(name = "select", consts = [4, 16, 64])]
fn selection<const W: usize>(bencher: Bencher<'_, '_>) {
    block::<u32, W>(bencher, select);
}

/// Register numbers are opaque to the compiler, and some lanes are off.
fn block<T: Word + From<u32>, const W: usize>(
    bencher: Bencher<'_, '_>,
    compute: impl Fn(&[T; W], &[T; W], &[T; W]) -> [T; W],
) {
    let value = |r: usize, lane: usize| T::from((1.0 + (r * W + lane) as f32 * 0.01).to_bits());
    let start: Vec<[T; W]> = (0..8).map(|r| std::array::from_fn(|lane| value(r, lane))).collect();
    let code: Vec<[usize; 4]> = (0..BLOCK).map(|i| [4 + i % 4, i % 4, (i + 1) % 4, (i + 2) % 4]).collect();
    let mask = Mask::<W>::from_bits(0xfbfe_7fff_ffef_fff7);
    let mut file = start;
    bencher.counter(ItemsCount::new(W * BLOCK)).bench_local(|| {
        for [out, a, b, c] in black_box(&code) {
            let result = compute(&file[*a], &file[*b], &file[*c]);
            assign(&mut file[*out], &result, black_box(&mask));
        }
    });
}
