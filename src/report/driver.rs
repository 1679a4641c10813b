//! The model against the driver.

use std::path::Path;

use anyhow::{Context, bail};
use replay::Until;
use replay::oracle::Findings;
use replay::random::Random;
use replay::worker::Request;
use trace::Reader;

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
    let request =
        Request { device: on.choice(), until: Until::Command(last), examine: places, ..Request::new(trace.to_owned()) };
    on.have_done(&request, "commands replayed and compared")?.findings.context("the worker did not compare anything")
}
