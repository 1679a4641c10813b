//! Judges one trace, replayed by a worker; the result of each test in it.
//!
//! A worker that takes too long is killed, and the trace tried again with variants of half of its shaders, and of the
//! other half, until the slow one is isolated or the maximum number of attempts is reached. That one is reported, and
//! everything else in the trace is judged.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;
use testing::random::SplitMix;

use super::super::record::child;
use super::recorded;

/// The results of a trace, or of all.
#[derive(Default)]
pub struct Outcome {
    /// Programs or tests that drew.
    pub drew: BTreeSet<String>,
    /// Those with a difference.
    pub different: Vec<String>,
    /// Those whose differences disappear when everything in them is `precise`.
    pub inexact: Vec<String>,
    /// Those that are not deterministic.
    pub unsteady: Vec<String>,
    /// Those with a shader whose variant takes too long.
    pub slow: Vec<String>,
    /// Those with a shader whose variant crashes the driver.
    pub crashed: Vec<String>,
    /// Number of compared draws.
    pub draws: u64,
    /// Number of compared readbacks.
    pub readbacks: u64,
    pub shaders: u64,
    pub woven: u64,
    /// Why shaders are not instrumented.
    pub left: BTreeMap<String, u64>,
    /// The driver's errors for variants.
    pub rejected: Vec<String>,
    /// Descriptions of differences.
    pub details: Vec<String>,
}

impl Outcome {
    /// Returns the number of those that are bitwise equal: not different, deterministic, and not left out.
    pub fn same(&self) -> usize {
        let lists = [&self.different, &self.inexact, &self.unsteady, &self.slow, &self.crashed];
        let others: BTreeSet<&String> = lists.into_iter().flatten().collect();
        self.drew.iter().filter(|name| !others.contains(name)).count()
    }

    /// Returns those that could not be judged together with the others of their trace.
    pub fn unjudged(&self) -> Vec<&String> {
        self.slow.iter().chain(&self.crashed).collect()
    }

    /// Adds the result of one of those, judged alone.
    pub fn add_alone(&mut self, name: &String, alone: Outcome) {
        self.slow.retain(|slow| slow != name);
        self.crashed.retain(|crashed| crashed != name);
        // What a whole trace that never ended would have drawn was not known.
        self.drew.remove(name);
        self.drew.extend(alone.drew.iter().cloned());
        self.add_findings(alone);
    }

    /// Adds the results of another trace.
    pub fn add(&mut self, other: Outcome) {
        self.drew.extend(other.drew.iter().cloned());
        self.draws += other.draws;
        self.readbacks += other.readbacks;
        self.shaders += other.shaders;
        self.add_findings(other);
    }

    /// Adds the results of another run of the same trace.
    fn add_findings(&mut self, other: Outcome) {
        self.woven += other.woven;
        self.different.extend(other.different);
        self.inexact.extend(other.inexact);
        self.unsteady.extend(other.unsteady);
        self.slow.extend(other.slow);
        self.crashed.extend(other.crashed);
        self.rejected.extend(other.rejected);
        self.details.extend(other.details);
        for (reason, count) in other.left {
            *self.left.entry(reason).or_default() += count;
        }
        let lists = [&mut self.different, &mut self.inexact, &mut self.unsteady, &mut self.slow, &mut self.crashed];
        for list in lists {
            list.sort();
            list.dedup();
        }
        let (different, unsteady) = (&self.different, &self.unsteady);
        self.inexact.retain(|name| !different.contains(name) && !unsteady.contains(name));
    }
}

/// A worker's reply, after the sources of the trace's shaders.
struct Reply {
    sources: Vec<String>,
    end: End,
}

enum End {
    /// The complete reply.
    Complete(Value),
    /// It was killed.
    Killed,
    /// It ended itself, with the reason.
    Crashed(String),
}

/// Limits after which to give up.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Timeout of one replay.
    pub replay: Duration,
    /// Maximum number of attempts for a trace.
    pub tries: usize,
}

/// Replays a trace, with and without variants.
pub fn judge(trace: &recorded::Trace, seed: u64, limits: Limits) -> anyhow::Result<Outcome> {
    in_parts(trace, limits.tries, |shaders| attempt(trace, seed, limits.replay, shaders))
}

/// Judges a trace as a whole, or in parts if that takes too long. `attempt` replays it with variants of all shaders or
/// of some.
fn in_parts(
    trace: &recorded::Trace,
    most_tries: usize,
    mut attempt: impl FnMut(Option<&Range<usize>>) -> anyhow::Result<Reply>,
) -> anyhow::Result<Outcome> {
    let Reply { sources, end } = attempt(None)?;
    if let End::Complete(said) = end {
        return Ok(read(trace, &sources, &said));
    }
    // Without any variants: if that fails too, variants are not to blame.
    let mut outcome = match attempt(Some(&(0..0)))?.end {
        End::Complete(said) => read(trace, &sources, &said),
        End::Crashed(why) => return Ok(lost(trace, why)),
        End::Killed => {
            let drew = trace.tests.iter().cloned().collect();
            return Ok(Outcome { drew, slow: trace.tests.clone(), ..Outcome::default() });
        }
    };
    let owners = trace.owners(&sources);
    let mut waiting = vec![(0..sources.len(), end)];
    let mut tries = 2;
    while let Some((range, end)) = waiting.pop() {
        if range.len() < 2 || tries >= most_tries {
            let tests = owners.get(range).map_or(Vec::new(), <[String]>::to_vec);
            outcome.add_findings(match end {
                End::Crashed(why) => Outcome {
                    details: vec![format!("{}: {why}", tests.join(", "))],
                    crashed: tests,
                    ..Outcome::default()
                },
                _ => Outcome { slow: tests, ..Outcome::default() },
            });
            continue;
        }
        let middle = range.start + range.len() / 2;
        for half in [range.start..middle, middle..range.end] {
            tries += 1;
            match attempt(Some(&half))?.end {
                End::Complete(said) => outcome.add_findings(read(trace, &sources, &said)),
                end => waiting.push((half, end)),
            }
        }
    }
    Ok(outcome)
}

/// Returns the result of a trace that cannot be judged, which counts as a difference.
fn lost(trace: &recorded::Trace, why: String) -> Outcome {
    let different = trace.tests.clone();
    Outcome { drew: different.iter().cloned().collect(), different, details: vec![why], ..Outcome::default() }
}

fn attempt(
    trace: &recorded::Trace,
    seed: u64,
    limits: Duration,
    shaders: Option<&Range<usize>>,
) -> anyhow::Result<Reply> {
    let mut random = SplitMix::named(&trace.path.to_string_lossy());
    let folder: PathBuf = std::env::temp_dir().join(format!("afterimage-neutral-{:016x}", random.number()));
    let mut command = std::process::Command::new(crate::process::this_program());
    command.arg("neutral-worker").arg(&trace.path).arg(seed.to_string());
    if let Some(range) = shaders {
        command.args(["--shaders", &format!("{}..{}", range.start, range.end)]);
    }
    command.env("DISPLAY", "");
    let finished = child::finish(&mut command, &folder, limits, None)?;
    std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    let mut lines = finished.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let sources = lines.next().map_or(Vec::new(), |first| list(&first["sources"]));
    let end = match (finished.status, lines.next_back()) {
        (Some(0), Some(said)) => End::Complete(said),
        (None, _) => End::Killed,
        (Some(status), _) => {
            let why = finished.stderr.lines().last().unwrap_or("no message");
            End::Crashed(format!("{}: status {status}: {why}", trace.path.display()))
        }
    };
    Ok(Reply { sources, end })
}

fn list(value: &Value) -> Vec<String> {
    let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
}

/// Reads a worker's reply, test by test.
fn read(trace: &recorded::Trace, sources: &[String], reply: &Value) -> Outcome {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    let mut outcome = Outcome {
        draws: number(&reply["draws"]),
        readbacks: number(&reply["readbacks"]),
        shaders: number(&reply["shaders"]),
        woven: number(&reply["woven"]),
        rejected: list(&reply["rejected"]),
        ..Outcome::default()
    };
    for (reason, count) in reply["left"].as_object().into_iter().flatten() {
        outcome.left.insert(reason.clone(), number(count));
    }
    let owners = trace.owners(sources);
    let tests = |key: &str| {
        let places = reply[key].as_array().map(Vec::as_slice).unwrap_or_default();
        let owner = |place: &Value| owners.get(usize::try_from(place.as_u64()?).ok()?).cloned();
        let mut names: Vec<String> = places.iter().filter_map(owner).collect();
        names.sort();
        names.dedup();
        names
    };
    outcome.drew = tests("drawn").into_iter().collect();
    outcome.unsteady = tests("unsteady");
    outcome.different = tests("different");
    outcome.inexact = tests("inexact");
    let Outcome { different, unsteady, inexact, .. } = &mut outcome;
    different.retain(|name| !unsteady.contains(name));
    inexact.retain(|name| !unsteady.contains(name) && !different.contains(name));
    let words = |key: &str| reply[key].as_str().map(str::to_owned);
    if let Some(first) = words("first") {
        let names = [outcome.different.as_slice(), &outcome.inexact, &outcome.unsteady].concat().join(", ");
        let control = words("control").map_or(String::new(), |control| format!("; {control}"));
        outcome.details.push(format!("{names}: {first}{control}"));
    }
    if let Some(log) = words("refusal") {
        outcome.details.push(format!("{}: a program does not link with variants: {log}", trace.path.display()));
    }
    outcome
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const MAX_TRIES: usize = 14;

    /// Judges ten tests with a shader each, of which these end early as given; returns the ranges that were tried.
    fn judged(bad: &[usize], end: fn() -> End) -> (Outcome, Vec<Option<Range<usize>>>) {
        let text = |number: usize| format!("shader {number}");
        let trace = recorded::Trace {
            path: PathBuf::from("trace"),
            tests: (0..10).map(|number| format!("test {number}")).collect(),
            texts: (0..10).map(text).collect(),
        };
        let texts: Vec<String> = (0..10).map(text).collect();
        let mut tried = Vec::new();
        let outcome = in_parts(&trace, MAX_TRIES, |range| {
            tried.push(range.cloned());
            let with = range.cloned().unwrap_or(0..10);
            if bad.iter().any(|shader| with.contains(shader)) {
                return Ok(Reply { sources: texts.clone(), end: end() });
            }
            let different: Vec<usize> = (0..10).filter(|at| with.contains(at) && *at == 5).collect();
            let said = json!({
                "draws": 10, "shaders": 10, "woven": with.len(), "drawn": (0..10).collect::<Vec<_>>(),
                "different": different,
            });
            Ok(Reply { sources: texts.clone(), end: End::Complete(said) })
        });
        (outcome.expect("nothing fails"), tried)
    }

    #[test]
    fn slow_shaders_are_found_by_bisection() {
        let (outcome, tried) = judged(&[3, 7], || End::Killed);
        assert_eq!(outcome.slow, ["test 3", "test 7"]);
        assert_eq!(outcome.different, ["test 5"]);
        assert_eq!((outcome.drew.len(), outcome.draws, outcome.shaders, outcome.woven), (10, 10, 10, 8));
        assert_eq!(outcome.same(), 7);
        assert_eq!(tried[..4], [None, Some(0..0), Some(0..5), Some(5..10)]);
        assert!(tried.len() <= MAX_TRIES + 1, "{tried:?}");
    }

    #[test]
    fn crashing_shaders_are_found_by_bisection() {
        let (outcome, _) = judged(&[3], || End::Crashed("it dies".to_owned()));
        assert_eq!((outcome.crashed.as_slice(), outcome.slow.len()), (&["test 3".to_owned()][..], 0));
        assert_eq!((outcome.different.as_slice(), outcome.same()), (&["test 5".to_owned()][..], 8));
    }

    #[test]
    fn traces_are_not_split_without_need() {
        let (outcome, tried) = judged(&[], || End::Killed);
        assert_eq!((outcome.same(), outcome.woven, tried.len()), (9, 10, 1));
    }

    #[test]
    fn the_number_of_attempts_is_limited() {
        let (outcome, tried) = judged(&(0..10).collect::<Vec<_>>(), || End::Killed);
        assert!(tried.len() <= MAX_TRIES + 1, "{tried:?}");
        assert_eq!((outcome.slow.len(), outcome.same()), (10, 0));
    }

    #[test]
    fn tests_that_are_too_slow_together_are_judged_alone() {
        let (mut outcome, _) = judged(&(0..10).collect::<Vec<_>>(), || End::Killed);
        let name = |number: usize| format!("test {number}");
        let drawn = |number| Outcome { drew: BTreeSet::from([name(number)]), ..Outcome::default() };
        outcome.add_alone(&name(1), drawn(1));
        outcome.add_alone(&name(2), Outcome { different: vec![name(2)], ..drawn(2) });
        outcome.add_alone(&name(3), Outcome::default());
        assert_eq!((outcome.drew.len(), outcome.same(), outcome.slow.len()), (9, 1, 7));
        assert_eq!(outcome.different, [name(2)]);
    }
}
