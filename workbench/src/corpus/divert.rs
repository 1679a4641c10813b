//! `cargo xtask corpus divert`: runs random draws of real traces again in a diversion. Afterwards all state that a
//! driver can be queried for, and all contents of objects and surfaces, must be unchanged, and the rest of the trace
//! must replay as without the diversion.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use device::Tests;
use device::report::Tally;
use instrument::inspect::{Ask, Raw, Run};
use instrument::{
    Controls, Detail, InspectContext, InspectError, Layout, ProgramInspector, Question, Scope, Transport, Variant,
};
use open_trace::OpenTrace;
use replay::Timeline;
use replay::inspect::{DivertError, Draw};
use replay::oracle::Oracle;
use serde_json::{Value, json};
use shader::version::Stage;
use testing::random::SplitMix;

use super::{pool, record, state};

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Use only programs whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Number of draws of each trace.
    #[arg(long, value_name = "N", default_value_t = 10)]
    draws: usize,
    /// Seed of the random choice of draws.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Check only this trace, in this process, and print the result as JSON.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

/// Number of draws to try for one that can be inspected.
const TRIES: usize = 4;

/// The result of one trace.
#[derive(Default)]
struct Outcome {
    diversions: u64,
    runs: u64,
    answers: u64,
    contents: [u64; 2],
    differences: Vec<String>,
    refused: BTreeMap<String, u64>,
    failed: BTreeMap<String, u64>,
    /// By transport, how often its answer equals that of the first one.
    agreed: BTreeMap<String, u64>,
    same_rest: bool,
    spent: [f64; 2],
}

/// Checks all traces; any difference is a failure.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(trace) = &args.trace {
        println!("{}", try_trace(trace, args)?.json());
        return Ok(());
    }
    let wanted = state::programs(args.filter.as_deref());
    let (_, traces) = record::traces(&wanted, &|_| false, false)?;
    let myself = crate::process::this_program();
    let results = pool::each(&traces, 2, || (), |(), kept| in_process(&myself, &kept.trace, args))?;
    let mut total = [0u64; 4];
    let (mut reasons, mut bad, mut used) = (BTreeMap::new(), 0, 0);
    for (kept, result) in traces.iter().zip(&results) {
        let number = |key: &str| result[key].as_u64().unwrap_or(0);
        let differences = result["differences"].as_array().map_or(0, Vec::len);
        let same = result["same_rest"] == json!(true);
        println!(
            "{:60} {:3} diversions {:4} runs {:7} answers {:4} contents {:3} differences, rest {}",
            kept.name.chars().take(60).collect::<String>(),
            number("diversions"),
            number("runs"),
            number("answers"),
            number("contents"),
            differences,
            if same { "the same" } else { "DIFFERENT" },
        );
        for difference in result["differences"].as_array().into_iter().flatten().take(5) {
            println!("    {}", difference.as_str().unwrap_or_default());
        }
        for key in ["refused", "failed"] {
            for (reason, count) in result[key].as_object().into_iter().flatten() {
                *reasons.entry(format!("{key}: {reason}")).or_insert(0) += count.as_u64().unwrap_or(0);
            }
        }
        used += u64::from(number("diversions") > 0);
        bad += u64::from(differences > 0 || !same);
        for (sum, key) in total.iter_mut().zip(["diversions", "runs", "answers", "contents"]) {
            *sum += number(key);
        }
    }
    let [diversions, runs, answers, contents] = total;
    println!(
        "{diversions} diversions of {used} traces, {runs} runs; {answers} answers and {contents} contents compared"
    );
    for (reason, count) in &reasons {
        println!("  {count:4} {reason}");
    }
    if diversions == 0 {
        bail!("no draw could be inspected");
    }
    if bad > 0 {
        bail!("{bad} traces have changed after diversions");
    }
    Ok(())
}

/// Checks one trace in a separate process, because the driver may crash.
fn in_process(myself: &Path, trace: &Path, args: &Args) -> anyhow::Result<Value> {
    let numbers = [args.draws.to_string(), args.seed.to_string()];
    let output = Command::new(myself)
        .args(["corpus", "divert", "--draws", &numbers[0], "--seed", &numbers[1], "--trace"])
        .arg(trace)
        .output()
        .context("cannot start another workbench")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).with_context(|| {
        format!("{}: {} {}", trace.display(), output.status, String::from_utf8_lossy(&output.stderr).trim())
    })
}

fn try_trace(trace: &Path, args: &Args) -> anyhow::Result<Outcome> {
    let device = driver::DeviceChoice::default();
    let plain = || -> anyhow::Result<Timeline> {
        let mut timeline = Timeline::open(OpenTrace::open(trace)?, worker::open_egl(&device), true)?;
        timeline.run_all()?;
        timeline.finish();
        Ok(timeline)
    };
    let mut works = works(&plain()?)?;
    // Some programs show undefined contents, which depend on previous memory contents.
    let expected = [plain()?.tally().clone(), plain()?.tally().clone()];
    let mut random = SplitMix::new(args.seed);
    let mut outcome = Outcome::default();
    let mut chosen = Vec::new();
    for _ in 0..args.draws * TRIES {
        if works.is_empty() {
            break;
        }
        chosen.push(works.swap_remove(random.below(works.len() as u32) as usize));
    }
    chosen.sort_unstable();
    let mut timeline = Timeline::open(OpenTrace::open(trace)?, worker::open_egl(&device), true)?;
    let mut oracle = Oracle::default();
    for command in chosen {
        if outcome.diversions >= args.draws as u64 {
            break;
        }
        match timeline.divert(command) {
            Ok(mut draw) => try_draw(&mut draw, command, &mut oracle, &mut random, &mut outcome)?,
            Err(DivertError::Replay(error)) => return Err(error.into()),
            Err(error) => *outcome.refused.entry(error.to_string()).or_default() += 1,
        }
    }
    timeline.run_all()?;
    timeline.finish();
    let tally: &Tally = timeline.tally();
    outcome.same_rest = expected.contains(tally);
    if expected[0] != expected[1] {
        outcome.note("a trace does not replay deterministically, so its rest was not compared".to_owned());
        outcome.same_rest = true;
    }
    if !outcome.same_rest {
        outcome.differences.push(format!("the rest: {:?} without, {tally:?} with", expected[0]));
    }
    Ok(outcome)
}

/// Returns all calls that draw or dispatch.
fn works(timeline: &Timeline) -> anyhow::Result<Vec<u64>> {
    let mut calls = timeline.reader().calls();
    let mut list = Vec::new();
    while let Some(call) = calls.next()? {
        let role = call.command.map(|id| api::command(id).role);
        if matches!(role, Some(api::Role::Draw | api::Role::Dispatch)) {
            list.push(call.number);
        }
    }
    Ok(list)
}

fn try_draw(
    draw: &mut Draw<'_>,
    command: u64,
    oracle: &mut Oracle,
    random: &mut SplitMix,
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let before = draw.survey(oracle)?;
    let facts = &draw.stage_facts()[random.below(draw.stage_facts().len() as u32) as usize];
    let (stage, text) = (facts.stage, String::from_utf8_lossy(&facts.text).into_owned());
    for tests in [Tests::Recorded, Tests::Off, Tests::Against { depth: 0.5, stencil: 1 }] {
        draw.changes.tests = tests;
        for transport in transports(stage) {
            let run = Run { on: true, pick: [-1; 4], base: 0, room: [16, 64] };
            outcome.runs += 1;
            match draw.run(&unchanged(&text, transport), stage, Scope::All, run) {
                Ok(Raw::List(words)) if words.is_empty() => {
                    *outcome.failed.entry("nothing was captured".to_owned()).or_default() += 1;
                }
                Ok(_) => outcome.spent[0] += draw.cost.total().as_secs_f64(),
                Err(InspectError::Rejected { log, .. }) => {
                    *outcome.failed.entry(format!("{}: {log}", stage.name())).or_default() += 1;
                }
                Err(error) => *outcome.failed.entry(format!("{}: {error}", stage.name())).or_default() += 1,
            }
        }
    }
    compare_ways(draw, stage, random, outcome);
    match draw.alone() {
        Ok(time) => outcome.spent[1] += time.as_secs_f64(),
        Err(error) => *outcome.failed.entry(format!("alone: {error}")).or_default() += 1,
    }
    draw.release();
    let after = draw.survey(oracle)?;
    let (read, unread) = after.contents();
    outcome.diversions += 1;
    outcome.answers += after.answers() as u64;
    outcome.contents[0] += read as u64;
    outcome.contents[1] += unread as u64;
    let name = draw.calls.name();
    outcome.differences.extend(
        before
            .differences(&after)
            .into_iter()
            .take(20)
            .map(|found| format!("command {command} {name} ({}): {}: {}", stage.name(), found.what, found.text)),
    );
    Ok(())
}

/// Makes the same query by every transport; the answers must be the same.
fn compare_ways(draw: &mut Draw<'_>, stage: Stage, random: &mut SplitMix, outcome: &mut Outcome) {
    draw.changes.tests = Tests::Recorded;
    let question = Question::Recording { detail: Detail::Statements };
    let all = Ask { scope: Scope::All, pick: [-1; 4], transport: None };
    let all_invocations = match draw.inspect(stage, &Question::LiveIns, &all) {
        Ok(result) => result,
        Err(error) => return outcome.fail(stage, "live-ins", &error),
    };
    let Some(place) = all_invocations.readings.len().checked_sub(1).map(|last| random.below(last as u32 + 1)) else {
        return;
    };
    let who = all_invocations.readings[place as usize].0;
    // With colour targets, the answer is that of the last fragment at the pixel.
    let pick = if stage == Stage::Fragment { [who[0], who[1], -1, -1] } else { who };
    let ways: &[Transport] = match stage {
        Stage::Fragment => {
            &[Transport::IntegerTargets(4), Transport::FloatTargets(4), Transport::Bytes, Transport::Storage]
        }
        Stage::Vertex => &[Transport::Feedback(16), Transport::Storage, Transport::PointGrid],
        Stage::TessEvaluation | Stage::Geometry => &[Transport::Feedback(16), Transport::Storage],
        Stage::TessControl | Stage::Compute => &[Transport::Storage],
    };
    let mut first: Option<(Transport, instrument::variant::Reading)> = None;
    for way in ways {
        let ask = Ask { scope: Scope::One, pick, transport: Some(*way) };
        outcome.runs += 1;
        let result = match draw.inspect(stage, &question, &ask) {
            Ok(result) => result,
            Err(error) => {
                outcome.fail(stage, &format!("{way:?}"), &error);
                continue;
            }
        };
        let readings: Vec<_> = result.readings.iter().map(|(_, reading)| reading.clone()).collect();
        match &first {
            _ if readings.is_empty() => {
                outcome.note(format!("{way:?} in a {} shader: no invocation answers", stage.name()))
            }
            None => first = Some((*way, readings[0].clone())),
            Some((_, reading)) if readings.contains(reading) => {
                *outcome.agreed.entry(format!("{way:?}")).or_default() += 1
            }
            Some((other, reading)) => {
                let at = reading.records.iter().zip(&readings[0].records).position(|(one, two)| one != two);
                outcome.note(format!("{way:?} and {other:?} differ in a {} shader at {at:?}", stage.name()));
                if std::env::var_os("DIVERT_SHOW").is_some() {
                    eprintln!("{other:?}: {reading:#?}\n{way:?}: {readings:#?}");
                }
            }
        }
    }
}

fn transports(stage: Stage) -> Vec<Transport> {
    match stage {
        Stage::Fragment => vec![Transport::Storage, Transport::Bytes, Transport::FloatTargets(2)],
        Stage::Vertex | Stage::Geometry | Stage::TessEvaluation => vec![Transport::Storage, Transport::Feedback(0)],
        Stage::TessControl | Stage::Compute => vec![Transport::Storage],
    }
}

/// Returns the unchanged source in the place of a variant: its output is the answer.
fn unchanged(text: &str, transport: Transport) -> Variant {
    let outputs = if let Transport::Feedback(_) = transport { vec!["gl_Position".to_owned()] } else { Vec::new() };
    let none = String::new;
    let controls = Controls {
        on: none(),
        pick: none(),
        base: none(),
        block: "ai_none".to_owned(),
        regions: none(),
        binding: None,
        late: false,
        upper_left: false,
        vertex: None,
        grid: none(),
        outputs,
    };
    Variant {
        strings: vec![text.to_owned()],
        fragment: None,
        transport,
        layout: Layout { sites: Vec::new(), types: shader::types::TypeTable::default(), moment: None, slots: None },
        controls,
    }
}

impl Outcome {
    fn fail(&mut self, stage: Stage, what: &str, error: &InspectError) {
        self.note(format!("{what} of a {} shader: {error}", stage.name()));
        if std::env::var_os("DIVERT_SHOW").is_some()
            && let InspectError::Rejected { source_text, .. } = error
        {
            eprintln!("{source_text}");
        }
    }

    fn note(&mut self, text: String) {
        *self.failed.entry(text).or_default() += 1;
    }

    fn json(&self) -> Value {
        json!({
            "diversions": self.diversions,
            "runs": self.runs,
            "answers": self.answers,
            "contents": self.contents[0],
            "unread": self.contents[1],
            "differences": self.differences,
            "refused": self.refused,
            "failed": self.failed,
            "agreed": self.agreed,
            "same_rest": self.same_rest,
            "seconds": self.spent[0],
            "seconds_alone": self.spent[1],
        })
    }
}
