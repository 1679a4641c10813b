//! The model against the driver.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use replay::Until;
use replay::oracle::Findings;
use replay::supervise::{self, Ended};
use replay::worker::Request;
use trace::Reader;

use crate::progress::Progress;
use crate::replay::device;

/// So many commands of a trace, in order, chosen at random among those after the first context is current.
pub fn places(reader: &Reader, count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut places: Vec<u64> = (0..count).map(|_| random() % reader.len().max(1)).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Has a worker compare after these commands.
pub fn examine(trace: &Path, on: Option<&str>, mut places: Vec<u64>, timeout: Duration) -> anyhow::Result<Findings> {
    places.sort_unstable();
    let Some(last) = places.last().copied() else { bail!("the trace is empty, so there is nothing to compare") };
    let request = Request {
        trace: trace.to_owned(),
        device: on.map(device).unwrap_or_default(),
        until: Until::Command(last),
        images: None,
        per_draw: false,
        verify: false,
        looks: Vec::new(),
        everything: false,
        from_start: false,
        compare_state: false,
        examine: places,
        contents: None,
    };
    let program = std::env::current_exe().context("cannot find this program's own file, to start a worker")?;
    let mut progress = Progress::new(last, "commands replayed and compared");
    let ended = supervise::run(&program, &request, timeout, &mut |now| progress.step(now.command));
    progress.clear();
    match ended.context("cannot start a worker")? {
        Ended::Done(report) => report.findings.context("the worker did not compare anything"),
        Ended::Unserved(sentence) => bail!("{sentence}"),
        Ended::Crashed { command, how } => bail!("the driver ended with {how} at command {}", command.unwrap_or(0)),
        Ended::Hung { command, seconds } => {
            bail!("the driver did nothing for {seconds} s at command {}", command.unwrap_or(0))
        }
    }
}
