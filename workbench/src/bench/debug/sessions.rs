//! Memory and time that a second session on the same trace costs.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use api::Role;
use host::{Host, OpenOptions};
use session::{Choice, Session, Step};
use trace::Reader;

use crate::bench::record::measure::Tools;

/// Calls of the program whose trace is opened twice.
const CALLS: &str = "1000000";

/// The cost of one session: opening it, entering an invocation in the middle of the trace and stepping to its end.
pub struct Cost {
    /// Bytes by which this process grew.
    bytes: u64,
    /// Seconds.
    seconds: f64,
}

/// Measures two sessions on one trace in this process, one after the other while the first stays open.
///
/// # Errors
/// When the program cannot be recorded or a session cannot be opened.
pub fn measure(tools: &Tools) -> anyhow::Result<[Cost; 2]> {
    let trace = tools.folder.join("million.aftr");
    let mut record = Command::new(tools.built.join("afterimage"));
    record.args(["record", "--quiet", "--force", "--output"]).arg(&trace).arg("--").arg(tools.built.join("overhead"));
    tools.run(record.args(["mixed", CALLS]))?;
    // Which draw is for the caller to know; a list of all is not part of what a session keeps.
    let draw = middle_draw(&trace)?;
    let host = Host::with_program(tools.built.join("afterimage"));
    let options = OpenOptions::new(&trace);
    let (_first, first) = cost(&host, &options, draw)?;
    let (_second, second) = cost(&host, &options, draw)?;
    Ok([first, second])
}

/// Returns the number of the draw that has as many before it as after it.
fn middle_draw(trace: &Path) -> anyhow::Result<u64> {
    let reader = Reader::open(trace, api::COMMANDS)?;
    let mut draws = Vec::new();
    let mut calls = reader.calls();
    while let Some(call) = calls.next()? {
        if call.command.is_some_and(|command| api::command(command).role == Role::Draw) {
            draws.push(call.number);
        }
    }
    draws.get(draws.len() / 2).copied().context("the trace has no draw")
}

/// Returns a sentence about the two sessions.
pub fn text([first, second]: &[Cost; 2]) -> String {
    let share = second.bytes as f64 / first.bytes.max(1) as f64;
    format!(
        "\n\
         A session on a trace of a million calls that enters a vertex of a draw in its middle and steps to the end takes\n\
         {:.1} MB and {:.0} ms. A second session on the same trace that does the same takes {:.2} MB and {:.0} ms: {:.1} % of the\n\
         memory (target 10 %: {}).\n",
        first.bytes as f64 / 1e6,
        first.seconds * 1e3,
        second.bytes as f64 / 1e6,
        second.seconds * 1e3,
        share * 1e2,
        if share <= 0.1 { "met" } else { "missed" },
    )
}

fn cost(host: &Host, options: &OpenOptions, draw: u64) -> anyhow::Result<(Session, Cost)> {
    let (before, start) = (resident()?, Instant::now());
    let mut session = host.session(options)?;
    let mut stop = session.enter(&Choice::vertex(draw, 0))?;
    while !stop.ended {
        stop = session.step(Step::Over)?;
    }
    session.trace().chronicle().before(session.trace().reader().len())?;
    let seconds = start.elapsed().as_secs_f64();
    Ok((session, Cost { bytes: resident()?.saturating_sub(before), seconds }))
}

/// Returns the resident memory of this process in bytes.
fn resident() -> anyhow::Result<u64> {
    let text = std::fs::read_to_string("/proc/self/status").context("cannot read /proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("/proc/self/status has no VmRSS")?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().context("VmRSS is not a number")?;
    Ok(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_session_is_compared_with_the_first() {
        let cost = |bytes| Cost { bytes, seconds: 0.0 };
        assert!(text(&[cost(1000), cost(100)]).contains("10.0 % of the\nmemory (target 10 %: met)"));
        assert!(text(&[cost(1000), cost(101)]).contains("missed"));
    }
}
