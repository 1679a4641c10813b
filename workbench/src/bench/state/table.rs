//! The part of `docs/benchmarks.md` about the state at a command.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Args, Measured};

/// Returns the whole part.
pub fn text(measured: &[Measured], args: &Args) -> String {
    let mut text =
        "# The state at a command in numbers\n\nMade by `cargo xtask bench state`, with Mesa's llvmpipe on a \
                    shared machine. CPU time, not wall-clock time.\n"
            .to_owned();
    walk(&mut text, measured, args);
    intervals(&mut text, measured);
    dumps(&mut text, measured, args);
    text
}

fn walk(text: &mut String, measured: &[Measured], args: &Args) {
    let _ = write!(
        text,
        "\n\
         ## From a trace to the state\n\n\
         \"Open\" opens the file, walks through all of it and takes snapshots; \"of that\" is the share of opening the file and of\n\
         decoding the calls. \"State\" then finds the state after one of {} random commands.\n\n\
         | Trace | calls | open, s | target | of that: open, s | of that: decode, s | applied, million calls per second | target | \
         state: median, ms | max, ms | target | snapshots | memory, MB | target |\n\
         |---|--:|--:|---|--:|--:|--:|---|--:|--:|---|--:|--:|---|\n",
        args.samples
    );
    for one in measured {
        let usual = |key: &str| one.usual[key].as_f64().unwrap_or(f64::NAN);
        let (calls, open, decode) = (usual("calls"), usual("open"), usual("decode"));
        let whole = open + usual("walk");
        let applied = calls / (usual("walk") - decode).max(1e-9) / 1e6;
        let (most, memory) = (usual("most") * 1e3, usual("memory") / 1e6);
        let _ = writeln!(
            text,
            "| {} | {calls} | {whole:.3} | 1: {} | {open:.3} | {decode:.3} | {applied:.1} | 5: {} | {:.2} | {most:.2} | 20: {} | {} | {memory:.1} | 200: {} |",
            one.name,
            met(whole <= 1.0),
            met(applied >= 5.0),
            usual("median") * 1e3,
            met(most < 20.0),
            usual("snapshots"),
            met(memory < 200.0),
        );
    }
}

/// Adds the table that justifies the snapshot interval.
fn intervals(text: &mut String, measured: &[Measured]) {
    text.push_str(
        "\n## Snapshot interval\n\nCalls between two snapshots, and the cost.\n\n\
         | Trace | calls between | walk through all, s | state: median, ms | max, ms | memory, MB |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for one in measured {
        let mut rows: Vec<&Value> = one.intervals.iter().chain([&one.usual]).collect();
        rows.sort_by_key(|row| row["interval"].as_u64());
        for row in rows {
            let number = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
            let _ = writeln!(
                text,
                "| {} | {} | {:.3} | {:.2} | {:.2} | {:.1} |",
                one.name,
                number("interval"),
                number("walk"),
                number("median") * 1e3,
                number("most") * 1e3,
                number("memory") / 1e6
            );
        }
    }
}

fn dumps(text: &mut String, measured: &[Measured], args: &Args) {
    let _ = write!(
        text,
        "\n\
         ## Against apitrace's state dump\n\n\
         Seconds of CPU time of `apitrace replay --dump-state` and of `afterimage state --json`, the whole process each, alternately,\n\
         minimum of {} runs. apitrace executes all calls up to that point on a driver and reads back the contents of images; we\n\
         apply them to the model without a driver, and name the calls that wrote the contents.\n\n\
         | Trace | after | apitrace | ours | apitrace / ours |\n|---|--:|--:|--:|--:|\n",
        args.rounds
    );
    for one in measured {
        for (place, theirs, ours) in &one.dumps {
            let _ = writeln!(
                text,
                "| {} | {place} % | {theirs:.2} | {ours:.2} | {:.1} |",
                one.name,
                theirs / ours.max(1e-3)
            );
        }
    }
}

fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "**not met**" }
}
