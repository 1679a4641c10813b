//! `docs/benchmarks.md`.

use std::fmt::Write as _;

use super::Measured;

/// Returns the whole part.
pub fn text(measured: &[Measured], rounds: usize) -> String {
    let mut text = format!(
        "# Recording and replay in numbers\n\n\
         Made by `cargo xtask bench record`: the same programs alone, under apitrace and under `afterimage record`, alternately,\n\
         {rounds} times each; the minimum of nanoseconds per call counts, and the median of CPU seconds of whole programs. CPU time, not\n\
         wall-clock time, with Mesa's llvmpipe on a shared machine. Ratios are meaningful, absolute numbers less so. \"Met\" refers to the target beside it. A cost below zero means that the\n\
         machine was busier while the program ran alone: the row is within noise.\n"
    );
    per_call(&mut text, measured);
    whole(&mut text, measured);
    sizes(&mut text, measured);
    replay(&mut text, measured);
    text
}

/// Adds the cost per call.
fn per_call(text: &mut String, measured: &[Measured]) {
    text.push_str(
        "\n\
         ## Added to each call\n\n\
         Nanoseconds of CPU time. \"In the thread\" is the cost in the calling thread; \"together\" is the cost in the whole program and\n\
         in the recorder, which hashes, compresses and writes at the same time.\n\n\
         | Calls | alone | apitrace | ours, in the thread | apitrace / ours | target | ours, together | apitrace / together | target |\n\
         |---|--:|--:|--:|--:|---|--:|--:|---|\n",
    );
    for Measured { subject, plain, apitrace, ours, .. } in measured {
        let (Some(calls), Some(native), Some(theirs), Some(our)) =
            (subject.calls, plain.per_call, apitrace.per_call, ours.per_call)
        else {
            continue;
        };
        let together = |program: f64| (program - plain.program).max(0.0) / calls as f64 * 1e9;
        let (their_all, our_all) = (together(apitrace.program), together(ours.program + ours.recorder));
        let (added, our_added) = (theirs - native, our - native);
        let _ = writeln!(
            text,
            "| {} | {native:.1} | +{added:.1} | +{our_added:.1} | {} | {} | +{our_all:.1} | {} | {} |",
            subject.name,
            ratio(added, our_added),
            target(added, our_added, subject.less),
            ratio(their_all, our_all),
            target(their_all, our_all, subject.less_together),
        );
    }
}

/// Adds the cost for whole programs.
fn whole(text: &mut String, measured: &[Measured]) {
    text.push_str(
        "\n## Added to programs\n\nSeconds of CPU time, including start and end of the program.\n\n\
         | Program | alone | apitrace | ours, in the program | ours, recorder | apitrace / ours in the program | target | apitrace / ours together | target |\n\
         |---|--:|--:|--:|--:|--:|---|--:|---|\n",
    );
    for Measured { subject, plain, apitrace, ours, .. } in measured {
        if subject.calls.is_some() {
            continue;
        }
        let theirs = apitrace.program - plain.program;
        let program = ours.program - plain.program;
        let together = program + ours.recorder;
        let _ = writeln!(
            text,
            "| {} | {:.2} | {theirs:+.2} | {program:+.2} | {:+.2} | {} | {} | {} | {} |",
            subject.name,
            plain.program,
            ours.recorder,
            ratio(theirs, program),
            target(theirs, program, subject.less),
            ratio(theirs, together),
            target(theirs, together, subject.less),
        );
    }
}

fn sizes(text: &mut String, measured: &[Measured]) {
    text.push_str("\n## Size of traces\n\nIn kB.\n\n| Program | apitrace | ours | apitrace / ours | target |\n|---|--:|--:|--:|---|\n");
    for Measured { subject, apitrace, ours, .. } in measured {
        let (theirs, our) = (apitrace.bytes as f64 / 1e3, ours.bytes as f64 / 1e3);
        let _ = writeln!(
            text,
            "| {} | {theirs:.1} | {our:.1} | {} | {} |",
            subject.name,
            ratio(theirs, our),
            target(theirs, our, subject.smaller)
        );
    }
}

fn replay(text: &mut String, measured: &[Measured]) {
    text.push_str(
        "\n## Replay\n\nSeconds of CPU time of `apitrace replay --benchmark` and `afterimage replay --bench`, including start and end.\n\n\
         | Program | apitrace | ours | apitrace / ours | target |\n|---|--:|--:|--:|---|\n",
    );
    for Measured { subject, replay, .. } in measured {
        if let Some((theirs, ours)) = replay {
            let (ratio, target) = (ratio(*theirs, *ours), target(*theirs, *ours, Some(1.0)));
            let _ = writeln!(text, "| {} | {theirs:.2} | {ours:.2} | {ratio} | {target} |", subject.name);
        }
    }
}

/// Returns the ratio of theirs to ours; `-` or a remark when either is not above zero.
fn ratio(theirs: f64, ours: f64) -> String {
    if theirs <= 0.0 {
        "-".to_owned()
    } else if ours <= 0.0 {
        "within noise".to_owned()
    } else {
        format!("{:.1}", theirs / ours)
    }
}

/// Returns the minimum ratio, and whether it was reached.
fn target(theirs: f64, ours: f64, at_least: Option<f64>) -> String {
    let Some(at_least) = at_least else { return "-".to_owned() };
    let word = if ours <= 0.0 || theirs <= 0.0 {
        "within noise"
    } else if ours * at_least <= theirs {
        "met"
    } else {
        "**not met**"
    };
    format!("{at_least:.0}: {word}")
}
