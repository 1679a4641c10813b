//! Inspects one draw after the other, from the end of a trace backwards.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use driver::DeviceChoice;
use open_trace::OpenTrace;
use replay::Timeline;
use trace::Reader;

use super::Measured as Subject;

/// Number of draws to inspect.
const STEPS: usize = 6;

/// How long it takes to get from a draw to the previous one.
pub struct Measured {
    steps: usize,
    /// Milliseconds per step with checkpoints and without.
    with: f64,
    without: f64,
    by_checkpoint: u64,
}

/// Goes from draw to draw, backwards, once with checkpoints and once without, because the latter is slow.
pub fn measure(trace: &Path) -> anyhow::Result<Measured> {
    let draws = last_draws(trace)?;
    let walk = |keep: bool| -> anyhow::Result<(f64, usize, u64)> {
        let mut timeline = Timeline::open(OpenTrace::open(trace)?, worker::open_egl(&DeviceChoice::First), false)?;
        timeline.keep_checkpoints(keep);
        let (mut spent, mut steps) = (0.0, 0);
        for (place, draw) in draws.iter().enumerate() {
            let start = Instant::now();
            // Draws without shaders cannot be inspected; the timeline does not move for them.
            if timeline.divert(*draw).is_ok() && place > 0 {
                spent += start.elapsed().as_secs_f64() * 1e3;
                steps += 1;
            }
        }
        Ok((spent / steps.max(1) as f64, steps, timeline.returns().by_checkpoint))
    };
    let (with, steps, by_checkpoint) = walk(true)?;
    let (without, ..) = walk(false)?;
    Ok(Measured { steps, with, without, by_checkpoint })
}

/// Returns the table.
pub fn table(measured: &[Subject]) -> String {
    let mut text =
        "\n\
         ## Backwards\n\n\
         From a draw to the previous one, starting at the end of the trace, until questions can be asked there: milliseconds per step,\n\
         with checkpoints and with a restart each time. The first step back always restarts, and counts; checkpoints are kept from then\n\
         on.\n\n\
         | Trace | steps | with checkpoints | restart | ratio | from a checkpoint |\n|---|--:|--:|--:|--:|--:|\n"
            .to_owned();
    for Subject { name, back, .. } in measured.iter().filter(|one| one.back.steps > 0) {
        // Writing to memory does not fail.
        let _ = writeln!(
            text,
            "| {name} | {} | {:.1} | {:.1} | {:.1} | {} |",
            back.steps,
            back.with,
            back.without,
            back.without / back.with.max(1e-9),
            back.by_checkpoint
        );
    }
    text
}

/// Returns the last draws of a trace, the last one first.
fn last_draws(trace: &Path) -> anyhow::Result<Vec<u64>> {
    let reader = Reader::open(trace, api::COMMANDS)?;
    let mut draws = Vec::new();
    let mut calls = reader.calls();
    while let Some(call) = calls.next()? {
        if call.command.is_some_and(|id| api::command(id).role == api::Role::Draw) {
            draws.push(call.number);
        }
    }
    draws.reverse();
    draws.truncate(STEPS + 1);
    Ok(draws)
}
