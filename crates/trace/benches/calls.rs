//! Measures what writing and reading a call costs, and its size on disk, for a program that mostly sets uniforms.
//!
//! `cargo bench -p trace`

#[path = "../tests/laws/sample.rs"]
mod sample;

use std::hint::black_box;

use api::CommandId;
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
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

fn main() {
    eprintln!("uniforms: {:.2} bytes per call", write_uniforms().len() as f64 / CALLS as f64);
    eprintln!("grid: {} of {} bytes per frame", write_grids().len() / 60, grid(0).len());
    divan::main();
}

#[divan::bench(sample_count = 20)]
fn write_a_uniform(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(CALLS)).bench(write_uniforms);
}

#[divan::bench(sample_count = 20)]
fn read_a_uniform(bencher: Bencher<'_, '_>) {
    let file = write_uniforms();
    bencher.counter(ItemsCount::new(CALLS)).bench(|| {
        let reader = Reader::new(Box::new(file.clone()), COMMANDS).expect("the file is intact");
        let mut calls = reader.calls();
        let mut sum = 0;
        while let Some(call) = calls.next().expect("the file is intact") {
            sum += call.args.len();
        }
        black_box(sum)
    });
}

#[divan::bench(sample_count = 20)]
fn write_a_grid(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(60 * grid(0).len())).bench(write_grids);
}
