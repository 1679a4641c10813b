//! Measures how long it takes to compute the state, for `cargo xtask bench state`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use chronicle::{Chronicle, INTERVAL};
use serde::Serialize;
use trace::Reader;

/// What was measured. Times are processor time in seconds.
#[derive(Serialize)]
pub struct Timings {
    calls: u64,
    open: f64,
    decode: f64,
    interval: u64,
    snapshots: usize,
    snapshot_bytes: u64,
    walk: f64,
    memory: u64,
    median: f64,
    most: f64,
}

/// Measures opening the trace, going through it with a snapshot every `interval` calls, and going to `samples` random
/// commands. Memory can be measured only once in a process, because freed memory is not returned to the system.
pub fn measure(trace: &Path, samples: usize, interval: Option<u64>) -> anyhow::Result<Timings> {
    let interval = interval.unwrap_or(INTERVAL);
    let (reader, open) = timed(|| Reader::open(trace, api::COMMANDS));
    let reader = Arc::new(reader?);
    let (read, decode) = timed(|| read_all(&reader));
    read?;
    let before = resident()?;
    let chronicle = Chronicle::with_limits(Arc::clone(&reader), interval, chronicle::BUDGET);
    let (end, walk) = timed(|| chronicle.before(reader.len()));
    end?;
    let memory = resident()?.saturating_sub(before);
    let mut times: Vec<Duration> = Vec::new();
    for sample in 1..=samples as u64 {
        // A hash of its number: all over the trace, in no order, and the same in every run.
        let number = sample.wrapping_mul(0x9E37_79B9_7F4A_7C15) % reader.len().max(1);
        let (model, time) = timed(|| chronicle.before(number));
        model?;
        times.push(time);
    }
    times.sort_unstable();
    let at = |place: usize| times.get(place.min(times.len().saturating_sub(1))).map_or(0.0, Duration::as_secs_f64);
    let (snapshots, snapshot_bytes) = chronicle.snapshots();
    Ok(Timings {
        calls: reader.len(),
        open: open.as_secs_f64(),
        decode: decode.as_secs_f64(),
        interval,
        snapshots,
        snapshot_bytes,
        walk: walk.as_secs_f64(),
        memory,
        median: at(times.len() / 2),
        most: at(times.len()),
    })
}

/// Reads all calls, and returns how many there are.
fn read_all(reader: &Reader) -> anyhow::Result<u64> {
    let (mut calls, mut count) = (reader.calls(), 0);
    while calls.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, Duration) {
    let start = driver::cpu_time();
    let result = work();
    (result, driver::cpu_time() - start)
}

/// Returns how many bytes of this process are in memory.
fn resident() -> anyhow::Result<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").context("/proc/self/statm cannot be read")?;
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    Ok(pages.context("/proc/self/statm has an unexpected form")? * 4096)
}
