//! The model against the driver.

use std::path::Path;

use anyhow::{Context, bail};
use device::report::Findings;
use device::{ReplayRequest, Until};
use replay::random::Random;
use trace::Reader;

use crate::progress::Progress;
use crate::replay::On;

/// So many commands of a trace, in order, chosen at random among those after the first context is current.
pub fn places(reader: &Reader, count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mut places: Vec<u64> = (0..count).map(|_| random.below(reader.len())).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Has a worker compare after these commands.
pub fn examine(trace: &Path, on: &On, mut places: Vec<u64>) -> anyhow::Result<Findings> {
    places.sort_unstable();
    let Some(last) = places.last().copied() else { bail!("the trace is empty, so there is nothing to compare") };
    let request = ReplayRequest { until: Until::Command(last), examine: places, ..ReplayRequest::default() };
    let mut progress = Progress::new(last, "commands replayed and compared");
    let report = on.replay(trace, request, &mut |now| progress.step(now.command));
    progress.clear();
    report?.findings.context("the worker did not compare anything")
}
