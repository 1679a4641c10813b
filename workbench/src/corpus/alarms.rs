//! `cargo xtask corpus alarms`: random fragments of healthy programs, judged as `afterimage inspect --pixel --verify`
//! judges them. The driver is right there, so each divergence is a false alarm. They are grouped by cause.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::bail;
use host::{Host, OpenOptions};
use session::{Choice, InspectRequest, Inspection, MeasureOptions, Picture, Session};
use testing::random::Random;

use super::ratchet::{Ratchet, Share};
use super::{glmark2, pool, record};

/// Programs besides all scenes of glmark2.
const PROGRAMS: &[&str] = &[
    "gears/glxgears",
    "gears/es2gears_x11",
    "glmark2-es2/terrain",
    "glmark2-es2/shadow",
    "glmark2-es2/refract",
    "demos/deferred",
    "demos/pingpong",
    "demos/particles",
    "demos/particles --compute",
    "demos/gles2",
    "demos/legacy",
    "demos/samples",
    "demos/overdraw",
    "demos/uploader",
    "demos/streamer",
    "demos/chain",
];

/// A scene that draws nothing.
const EMPTY: &str = "glmark2/clear";

/// Fragments of each program.
const PIXELS: usize = 20;

/// Draws and pixels to try for one fragment.
const TRIES: usize = 20;

/// Fragments of one draw.
const OF_A_DRAW: usize = 4;

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Use only programs whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Number of fragments of each program.
    #[arg(long, value_name = "N", default_value_t = PIXELS)]
    pixels: usize,
    /// Seed of the random choice of draws and pixels.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Number of traces to process in parallel.
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Use only these traces, which need no program.
    #[arg(long, value_name = "FILE")]
    trace: Vec<PathBuf>,
    /// Print each false alarm.
    #[arg(long)]
    show: bool,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// The results of one trace.
#[derive(Default)]
struct Outcome {
    /// Fragments without a divergence.
    quiet: Share,
    /// Fragments in which a comparison of values alone finds no divergence.
    within: Share,
    /// Values that are not called divergent.
    values: Share,
    /// Why fragments are said to diverge: how often, and an example.
    alarms: BTreeMap<String, (usize, String)>,
    /// Why fragments cannot be examined: how often.
    refused: BTreeMap<String, usize>,
}

/// Examines the fragments, and prints the false alarms.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let (afterimage, traces) = traces(args)?;
    let outcomes = pool::each(
        &traces,
        args.threads.max(1),
        || (),
        |(), kept| {
            let mut outcome = Outcome::default();
            if let Err(error) = examine(&afterimage, &kept.trace, args, &mut outcome) {
                *outcome.refused.entry(format!("{}: {error:#}", kept.name)).or_default() += 1;
            }
            println!("{:60} {:>7} fragments without a divergence", kept.name, outcome.quiet.to_string());
            Ok(outcome)
        },
    )?;
    let mut sum = Outcome::default();
    for (kept, outcome) in traces.iter().zip(outcomes) {
        sum.add(&kept.name, outcome);
    }
    let Outcome { quiet, within, values, alarms, refused } = sum;
    println!(
        "{quiet} fragments of {} programs without a divergence, {within} by comparing values alone; {values} values",
        traces.len()
    );
    let mut sorted: Vec<_> = alarms.into_iter().collect();
    sorted.sort_by_key(|(_, (times, _))| std::cmp::Reverse(*times));
    for (cause, (times, example)) in sorted {
        println!("{times:5}  {cause}\n       {example}");
    }
    for (why, times) in refused {
        println!("{times:5}  not examined: {why}");
    }
    if quiet.total == 0 {
        bail!("no fragment could be examined");
    }
    if args.trace.is_empty() && args.filter.is_none() && args.pixels == PIXELS {
        Ratchet::read()?.settle("alarms", &[("quiet", quiet)], args.update_ratchet)?;
    }
    Ok(())
}

fn traces(args: &Args) -> anyhow::Result<(PathBuf, Vec<record::RecordedTrace>)> {
    let scenes: Vec<String> = glmark2::SCENES.iter().map(|scene| format!("glmark2/{scene}")).collect();
    let all = PROGRAMS.iter().copied().chain(scenes.iter().map(String::as_str));
    let chosen = |name: &&str| {
        args.trace.is_empty() && *name != EMPTY && args.filter.as_ref().is_none_or(|part| name.contains(part))
    };
    let wanted: Vec<&str> = all.filter(chosen).collect();
    let (afterimage, mut traces) = record::traces(&wanted, &|_| false, false)?;
    let given = args.trace.iter();
    traces.extend(given.map(|trace| record::RecordedTrace { name: trace.display().to_string(), trace: trace.clone() }));
    Ok((afterimage, traces))
}

/// Examines random fragments of random draws of a trace.
fn examine(afterimage: &Path, trace: &Path, args: &Args, outcome: &mut Outcome) -> anyhow::Result<()> {
    let mut session = Host::with_program(afterimage).session(&OpenOptions::new(trace))?;
    let mut random = Random::xorshift(args.seed);
    let mut draws = Vec::new();
    for frame in 0..session.frames().len() {
        draws.extend(session.draws(frame)?.into_iter().map(|draw| draw.command));
    }
    if draws.is_empty() {
        return Ok(());
    }
    for _ in 0..args.pixels.div_ceil(OF_A_DRAW) + TRIES {
        let draw = random.pick(&draws);
        let pixels = touched(&mut session, draw)?;
        for _ in 0..OF_A_DRAW {
            if outcome.quiet.total >= args.pixels || pixels.is_empty() {
                break;
            }
            let [x, y] = random.pick(&pixels);
            outcome.fragment(&mut session, draw, [x, y], args.show.then_some(trace));
        }
    }
    Ok(())
}

/// Returns the pixels that a draw changes in the picture; those of a coarse grid if it changes none.
pub fn touched(session: &mut Session, draw: u64) -> anyhow::Result<Vec<[u32; 2]>> {
    let before = if draw == 0 { None } else { session.picture(draw - 1)? };
    let Some(after) = session.picture(draw)? else { return Ok(Vec::new()) };
    let Picture { width, height, rgba } = &after;
    let same_size = before.filter(|before| (before.width, before.height) == (*width, *height));
    let place = |at: usize| [at as u32 % width, at as u32 / width];
    let mut changed = Vec::new();
    if let Some(before) = same_size {
        let pairs = before.rgba.chunks_exact(4).zip(rgba.chunks_exact(4)).enumerate();
        changed.extend(pairs.filter(|(_, (one, other))| one != other).map(|(at, _)| place(at)));
    }
    if changed.is_empty() {
        let points = |side: u32| (0..8).map(move |part| (side * (2 * part + 1)) / 16);
        changed = points(*height).flat_map(|y| points(*width).map(move |x| [x, y])).collect();
    }
    Ok(changed)
}

impl Outcome {
    fn fragment(&mut self, session: &mut Session, command: u64, [x, y]: [u32; 2], show: Option<&Path>) {
        let request = InspectRequest {
            choice: Choice::Fragment { command, x, y, primitive: None, sample: None, layer: None },
            line: None,
            column: None,
            moment: None,
            verify: true,
            options: MeasureOptions::default(),
        };
        let inspection = match session.inspect(&request) {
            Ok(inspection) => inspection,
            // Nothing is drawn there, or the draw has no fragment shader.
            Err(session::SessionError::NoSuchInvocation { .. } | session::SessionError::NoStage { .. }) => return,
            Err(error) => {
                *self.refused.entry(error.to_string()).or_default() += 1;
                return;
            }
        };
        let Some(agreement) = inspection.agreement else { return };
        self.quiet.add(!agreement.diverges);
        self.within.add(!agreement.diverges && agreement.allowed == 0);
        let values = agreement.equal + agreement.within + agreement.allowed;
        self.values.right += values;
        self.values.total += values + agreement.carried + agreement.divergent;
        if agreement.diverges {
            let (cause, example) = cause(&inspection);
            let example = format!("--at {command} --pixel {x},{y}: {example}");
            if let Some(trace) = show {
                println!("{} {example}: {cause}", trace.display());
            }
            self.alarms.entry(cause).or_insert((0, example)).0 += 1;
        }
    }

    fn add(&mut self, name: &str, other: Outcome) {
        for (sum, one) in
            [(&mut self.quiet, other.quiet), (&mut self.within, other.within), (&mut self.values, other.values)]
        {
            sum.right += one.right;
            sum.total += one.total;
        }
        for (cause, (times, example)) in other.alarms {
            self.alarms.entry(cause).or_insert_with(|| (0, format!("{name} {example}"))).0 += times;
        }
        for (why, times) in other.refused {
            *self.refused.entry(why).or_default() += times;
        }
    }
}

/// Returns why a fragment is said to diverge, and what is there.
fn cause(inspection: &Inspection) -> (String, String) {
    let Some(first) = &inspection.first_divergence else {
        return ("the emulator went on where the device ended".to_owned(), String::new());
    };
    let [measured, emulated] = [&first.measured, &first.emulated]
        .map(|value| value.as_ref().map_or("nothing".to_owned(), |value| value.text()));
    let why = first.why.as_ref().map(|why| why.split(": ").next().unwrap_or_default()).unwrap_or("no reason is known");
    let line = inspection.source.text.lines().nth(first.line as usize - 1).unwrap_or_default().trim();
    let why_in_full = first.why.as_deref().unwrap_or_default();
    (format!("{why}: {line}"), format!("line {}, measured {measured}, emulated {emulated}; {why_in_full}", first.line))
}
