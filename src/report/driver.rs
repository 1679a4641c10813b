//! The model against the driver.

use std::path::Path;

use anyhow::{Context, bail};
use device::report::Findings;
use device::{ReplayRequest, Until};

use crate::progress::Progress;
use crate::replay::On;

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
