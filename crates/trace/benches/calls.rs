//! Measures what writing and reading a call costs, and its size on disk, for a program that mostly sets uniforms.
//!
//! `cargo bench -p trace`

#[path = "../tests/laws/sample.rs"]
mod sample;

use std::hint::black_box;

use api::CommandId;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sample::COMMANDS;
use trace::{Content, Reader, Writer};

const FRAMES: u64 = 200;
const UNIFORMS: u64 = 1000;
const CALLS: u64 = FRAMES * (UNIFORMS + 1);

/// Writes frames of uniforms, most of them the same in each frame, some changing.
fn write_uniforms() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), COMMANDS, &sample::origin()).expect("writing to memory does not fail");
    let mut call = |command, args: &[u64]| {
        let number = writer.enter(0, CommandId(command), false, args, &[]).expect("writing to memory does not fail");
        writer.leave(0, 0, &[], number + 1).expect("writing to memory does not fail");
    };
    for frame in 0..FRAMES {
        for uniform in 0..UNIFORMS {
            let moving = if uniform % 4 == 0 { ((frame * 17 + uniform) as f32).sin() } else { uniform as f32 };
            let args =
                [uniform % 40, 1f32.to_bits().into(), moving.to_bits().into(), 0, (uniform as f32).to_bits().into()];
            call(1, &args);
        }
        call(5, &[1]);
    }
    writer.finish().expect("writing to memory does not fail").1
}

/// Writes frames in which a grid of vertices moves up and down.
fn write_grids() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), COMMANDS, &sample::origin()).expect("writing to memory does not fail");
    for frame in 0..60 {
        let bytes = grid(frame);
        let content = [Content { param: 2, bytes: &bytes, digest_only: false }];
        let number = writer.enter(0, CommandId(2), false, &[0x8892, bytes.len() as u64, 0, 0x88e8], &content);
        writer
            .leave(0, 0, &[], number.expect("writing to memory does not fail") + 1)
            .expect("writing to memory does not fail");
    }
    writer.finish().expect("writing to memory does not fail").1
}

/// Vertices with three floats each.
fn grid(frame: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in 0..40 {
        for column in 0..200 {
            let (x, y) = (column as f32 * 0.05 - 5.0, row as f32 * 0.1 - 2.0);
            let z = 0.5 * (x + 0.1 * frame as f32).sin() * (y * 0.7).cos();
            for value in [x, y, z] {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
    bytes
}

fn bench(criterion: &mut Criterion) {
    let file = write_uniforms();
    eprintln!("uniforms: {:.2} bytes per call", file.len() as f64 / CALLS as f64);
    let grids = write_grids();
    eprintln!("grid: {} of {} bytes per frame", grids.len() / 60, grid(0).len());
    let mut group = criterion.benchmark_group("trace");
    group.sample_size(20);
    group.throughput(Throughput::Elements(CALLS));
    group.bench_function("write a uniform", |bench| bench.iter(write_uniforms));
    group.bench_function("read a uniform", |bench| {
        bench.iter(|| {
            let reader = Reader::new(Box::new(file.clone()), COMMANDS).expect("the file is intact");
            let mut calls = reader.calls();
            let mut sum = 0;
            while let Some(call) = calls.next().expect("the file is intact") {
                sum += call.args.len();
            }
            black_box(sum)
        });
    });
    group.throughput(Throughput::Bytes(60 * grid(0).len() as u64));
    group.bench_function("write a grid", |bench| bench.iter(write_grids));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
