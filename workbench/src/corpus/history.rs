//! `cargo xtask corpus history`: histories of random pixels of real programs. The emulator's result for the fragment
//! that wrote last, after blending and rounding, must be the actual pixel; and everything else must be unchanged after
//! histories. Wrong pixels are classified by what can be measured.

mod evidence;
mod isolated;
mod law;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use host::{Host, OpenOptions};
use inquiry::Inquiry;
use open_trace::Replaced;
use raster::Color;
use recall::{Bounds, EventKind, Recall, TexelRef, Value, Verdict};
use reenact::fragment_ops::Role;
use testing::random::Random;

use super::ratchet::{Ratchet, Share};
use super::{pool, record};

/// The programs whose pixels are examined, besides piglit's.
const PROGRAMS: &[&str] = &[
    "gears/glxgears",
    "gears/es2gears_x11",
    "glmark2/terrain",
    "glmark2/shadow",
    "glmark2/refract",
    "glmark2/desktop:effect=shadow:windows=4",
    "glmark2/bump:bump-render=normals",
    "glmark2/ideas:speed=duration",
    "glmark2-es2/terrain",
    "glmark2-es2/bump:bump-render=normals",
    "demos/deferred",
    "demos/pingpong",
    "demos/particles",
    "demos/particles --compute",
    "demos/gles2",
    "demos/legacy",
];

/// Those that `cargo xtask test` examines.
const CI_FILTER: &str = "demos/";

/// Number of pixels that `cargo xtask test` examines.
const CI_PIXELS: usize = 4;

/// Number of pixels to try for one whose last writer is a draw.
const TRIES: usize = 2;

/// Number of last draws among which to search for one that wrote colours.
const LATER: usize = 200;

/// Number of pixels of a trace whose fragments are isolated in both ways.
const PEELED: usize = 3;

/// Timeout of the driver.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Use only programs whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Number of piglit's programs; some draw nothing.
    #[arg(long, value_name = "N", default_value_t = 150)]
    piglit: usize,
    /// Number of pixels of each.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pixels: usize,
    /// Seed of the random choice of pixels.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Number of traces to process in parallel.
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
    /// Use only these traces, which need no program.
    #[arg(long, value_name = "FILE")]
    trace: Vec<PathBuf>,
    /// Check only the pixels, not whether everything else is unchanged after histories.
    #[arg(long)]
    no_laws: bool,
    /// Print each wrong pixel.
    #[arg(long)]
    show: bool,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// The results of one trace.
#[derive(Default)]
struct Outcome {
    right: Share,
    /// Pixels whose last writer is fixed functions, and an assembly program, among all.
    stand_ins: [u64; 2],
    /// Pixels last written by a clear, a copy or an upload rather than a draw: whether they are as computed.
    others: Share,
    /// Whether state and the rest of the trace are unchanged after histories in the middle.
    rest: Share,
    /// Queries about state, and items compared of the rest.
    compared: [u64; 2],
    /// Why pixels are wrong: how often, and an example.
    wrong: BTreeMap<String, (u64, String)>,
    /// Images that are unchanged after all histories.
    same: Share,
    /// Pixels of a draw whose fragments are the same when isolated as in a list.
    peeled: Share,
}

/// Computes histories, and counts.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let (afterimage, traces) = traces(args)?;
    let outcomes = pool::each(
        &traces,
        args.threads.max(1),
        || (),
        |(), kept| {
            let outcome = examine(&afterimage, &kept.trace, args).unwrap_or_else(|error| {
                let mut outcome = Outcome::default();
                outcome.fail("the trace cannot be examined", format!("{error:#}"));
                outcome
            });
            println!("{}", outcome.line(&kept.name));
            Ok(outcome)
        },
    )?;
    let [mut right, mut same, mut peeled, mut rest, mut others] = [Share::default(); 5];
    let (mut used, mut compared, mut stand_ins) = (0, [0; 2], [0; 2]);
    let mut wrong: BTreeMap<String, (u64, usize, String)> = BTreeMap::new();
    for (kept, outcome) in traces.iter().zip(&outcomes) {
        let shares = [
            (&mut right, outcome.right),
            (&mut same, outcome.same),
            (&mut peeled, outcome.peeled),
            (&mut rest, outcome.rest),
            (&mut others, outcome.others),
        ];
        for (sum, one) in shares {
            sum.right += one.right;
            sum.total += one.total;
        }
        used += usize::from(outcome.right.total > 0);
        (0..2).for_each(|which| compared[which] += outcome.compared[which]);
        (0..2).for_each(|which| stand_ins[which] += outcome.stand_ins[which]);
        for (class, (times, example)) in &outcome.wrong {
            let sum = wrong.entry(class.clone()).or_insert_with(|| (0, 0, format!("{}: {example}", kept.name)));
            sum.0 += times;
            sum.1 += 1;
        }
    }
    println!(
        "{right} pixels of {used} programs are as emulated, {:.2} %; {} of them by fixed functions, {} by assembly \
         programs; {same} images unchanged, {peeled} pixels with the same fragments isolated as in a list",
        100.0 * right.right as f64 / right.total.max(1) as f64,
        stand_ins[0],
        stand_ins[1]
    );
    println!("{others} pixels that clears, copies and uploads wrote last are as computed");
    println!(
        "{rest} workers are unaffected by histories: {} state queries, {} images and results of the rest",
        compared[0], compared[1]
    );
    let mut sorted: Vec<_> = wrong.into_iter().collect();
    sorted.sort_by_key(|(_, (times, ..))| std::cmp::Reverse(*times));
    for (class, (times, programs, example)) in sorted {
        println!("{times:5} in {programs:2} programs  {class}\n        {example}");
    }
    if right.total == 0 {
        bail!("no pixel could be examined");
    }
    let sample = args.filter.as_deref() == Some(CI_FILTER) && args.pixels == CI_PIXELS;
    if args.trace.is_empty() && !args.no_laws && (args.filter.is_none() || sample) {
        let section = if sample { "history-sample" } else { "history" };
        Ratchet::read()?.settle(
            section,
            &[("right", right), ("same", same), ("peeled", peeled), ("rest", rest)],
            args.update_ratchet,
        )?;
    }
    Ok(())
}

/// Runs a few pixels of the demos, for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    let filter = Some(CI_FILTER.to_owned());
    run(&Args { filter, pixels: CI_PIXELS, seed: 1, threads: 2, ..Args::default() })
}

fn traces(args: &Args) -> anyhow::Result<(PathBuf, Vec<record::RecordedTrace>)> {
    let filter = |name: &str| args.filter.as_deref().is_none_or(|part| name.contains(part));
    let mut wanted: Vec<&str> = PROGRAMS.iter().copied().filter(|name| filter(name)).collect();
    if !args.trace.is_empty() {
        wanted.clear();
    }
    let left = Cell::new(if args.trace.is_empty() { args.piglit } else { 0 });
    let piglit = |program: &record::Program| {
        let taken = left.get() > 0 && filter(&program.name);
        left.set(left.get() - usize::from(taken));
        taken
    };
    let (afterimage, mut traces) = record::traces(&wanted, &piglit, false)?;
    let given = args
        .trace
        .iter()
        .map(|trace| record::RecordedTrace { name: trace.display().to_string(), trace: trace.clone() });
    traces.extend(given);
    Ok((afterimage, traces))
}

/// Examines random pixels after the last draw of a trace.
fn examine(afterimage: &Path, trace: &Path, args: &Args) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut inquiry = open(afterimage, trace)?;
    let draws = draws(&inquiry)?;
    let Some(&draw) = draws.last() else { return Ok(outcome) };
    let mut random = Random::xorshift(args.seed);
    if !args.no_laws {
        outcome.law(law::check(afterimage, trace, &draws, &mut Random::xorshift(args.seed))?, trace);
    }
    let shown = last_command(&inquiry, draw);
    let Some((last, corner, [width, height])) = colour_target(&inquiry, &draws)? else { return Ok(outcome) };
    let mut recall = Recall::new(&mut inquiry, &mut |_| ())?;
    let values = recall.neighbourhood(&corner, last + 1, [0, 0, width, height])?;
    let values = values.context("the render target cannot be read back")?;
    let pixels = foreground(&values, width);
    for _ in 0..args.pixels * TRIES {
        if outcome.right.total >= args.pixels || pixels.is_empty() {
            break;
        }
        let at = pixels[(random.number() % pixels.len() as u64) as usize];
        judge_pixel(&mut recall, TexelRef { at, ..corner }, last, (trace, args.show), &mut outcome)?;
    }
    if args.no_laws {
        return Ok(outcome);
    }
    let until = inquiry.reader().len();
    let mut fresh = open(afterimage, trace)?;
    for command in moments(until, shown) {
        outcome.same.add(inquiry.picture(command)? == fresh.picture(command)?);
    }
    Ok(outcome)
}

/// Returns the last command that belongs to a draw.
fn last_command(inquiry: &Inquiry, draw: u64) -> u64 {
    inquiry.trace().draw_calls(draw).map_or(draw, |calls| *calls.range.end())
}

/// Returns the last draw that writes a colour (the last draws of some programs write only depth), with the first pixel
/// of its target and the target's size.
fn colour_target(inquiry: &Inquiry, draws: &[u64]) -> anyhow::Result<Option<(u64, TexelRef, [u32; 2])>> {
    for &draw in draws.iter().rev().take(LATER) {
        let last = last_command(inquiry, draw);
        let model = inquiry.state_after(last)?;
        let thread = inquiry.reader().call_at(last)?.call().thread;
        let view = model.view(thread).context("a draw has no current context")?;
        if let Ok(place) = TexelRef::drawn(&view, Role::Colour(0), [0, 0], 0)
            && let Some(size) = place.size(&model)
        {
            return Ok(Some((last, place, size)));
        }
    }
    Ok(None)
}

/// Compares a pixel after command `last` with what the emulator computes for its last writer.
fn judge_pixel(
    recall: &mut Recall<'_>,
    place: TexelRef,
    last: u64,
    (trace, show): (&Path, bool),
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    // Only the last writer is needed.
    let bounds = Bounds { depth: 0, max_nodes: 1, vertices: false, ..Bounds::default() };
    let at = place.at;
    let history = recall.history(place, last + 1, bounds, &mut |_, _| ())?;
    let Some(node) = history.nodes.first() else {
        outcome.fail("no writer is found", format!("pixel {},{}", at[0], at[1]));
        return Ok(());
    };
    // A source that is named but not computed counts as wrong.
    if !matches!(node.kind, EventKind::Draw | EventKind::Other) {
        // There is nothing to compare where nothing was ever written.
        if node.kind != EventKind::Undefined {
            outcome.others.add(node.verdict.holds());
        }
        return Ok(());
    }
    let example = format!("pixel {},{} command {}", at[0], at[1], node.call);
    if outcome.peeled.total < PEELED
        && let Some(same) = isolated::as_listed(recall.inquiry(), node.call, at)
    {
        outcome.peeled.add(same.is_ok());
        if let Err(why) = same {
            println!("{}: {example}: isolated fragments differ from the list: {why}", trace.display());
        }
    }
    match node.fragment.as_ref().and_then(|fragment| fragment.stand_in) {
        Some(Replaced::FixedFunctions) => outcome.stand_ins[0] += 1,
        Some(Replaced::Assembly) => outcome.stand_ins[1] += 1,
        None => {}
    }
    let (class, details) = match &node.verdict {
        Verdict::Equal | Verdict::Within(_) => {
            outcome.right.add(true);
            return Ok(());
        }
        Verdict::Differs(units) => {
            // The device's own shader outputs, with probes, through the same fixed functions.
            let rows = recall.rows(place, (node.call, last + 1), None, &mut |_, _| ())?.list;
            let measured = rows.iter().rev().find(|row| row.call == node.call);
            if measured.is_some_and(|row| row.verdict.holds()) {
                let found = evidence::gather(recall.inquiry(), node.call, at);
                (format!("emulator: {} ({})", found.class, decade(*units)), found.details)
            } else {
                let class = format!("the device's shader output does not give the actual pixel ({})", decade(*units));
                (class, String::new())
            }
        }
        Verdict::Unchecked(why) => (format!("not compared: {why}"), String::new()),
    };
    let fragment = node.fragment.as_ref().map(|fragment| (fragment.measured, fragment.emulated, fragment.order));
    let seen = format!(
        "{example}: {details} there {:?}, emulated {:?}, fragment {fragment:?}; {}",
        node.after,
        node.emulated,
        history.notes.join("; ")
    );
    if show {
        println!("{}: {class}: {seen}", trace.display());
    }
    outcome.fail(&class, seen);
    Ok(())
}

/// Returns commands after which the image must be that of a replay without queries.
fn moments(length: u64, last: u64) -> Vec<u64> {
    let mut all = vec![length / 4, length / 2, last, length.saturating_sub(1)];
    all.dedup();
    all
}

fn open(afterimage: &Path, trace: &Path) -> anyhow::Result<Inquiry> {
    let options = OpenOptions { timeout: TIMEOUT, ..OpenOptions::new(trace) };
    Ok(Host::with_program(afterimage).inquiry(&options)?)
}

/// Returns all draws.
fn draws(inquiry: &Inquiry) -> anyhow::Result<Vec<u64>> {
    let mut calls = inquiry.reader().calls();
    let mut list = Vec::new();
    while let Some(call) = calls.next()? {
        if call.command.is_some_and(|id| api::command(id).role == api::Role::Draw) {
            list.push(call.number);
        }
    }
    Ok(list)
}

/// Returns the pixels whose value is not the most frequent one, the background; all, if there is no other value.
fn foreground(values: &[Option<Value>], width: u32) -> Vec<[u32; 2]> {
    let bits: Vec<Option<[u32; 4]>> = values
        .iter()
        .map(|value| match value {
            Some(Value::Colour(Color::Float(channels))) => Some(channels.map(f32::to_bits)),
            Some(Value::Colour(Color::Int(channels))) => Some(channels.map(i32::cast_unsigned)),
            Some(Value::Colour(Color::Uint(channels))) => Some(*channels),
            _ => None,
        })
        .collect();
    let mut times: BTreeMap<[u32; 4], usize> = BTreeMap::new();
    bits.iter().flatten().for_each(|value| *times.entry(*value).or_default() += 1);
    let most = times.iter().max_by_key(|(_, count)| **count).map(|(value, _)| *value);
    let single = times.len() < 2;
    let place = |index: usize| [index as u32 % width, index as u32 / width];
    let wanted = |value: &Option<[u32; 4]>| value.is_some() && (single || *value != most);
    bits.iter().enumerate().filter(|(_, value)| wanted(value)).map(|(index, _)| place(index)).collect()
}

fn decade(units: u64) -> &'static str {
    match units {
        0..=4 => "up to 4 units",
        5..=16 => "up to 16 units",
        _ => "more than 16 units",
    }
}

impl Outcome {
    fn fail(&mut self, class: &str, example: String) {
        self.right.add(false);
        self.wrong.entry(class.to_owned()).or_insert((0, example)).0 += 1;
    }

    fn law(&mut self, kept: Option<law::LawCheck>, trace: &Path) {
        let Some(kept) = kept else { return };
        self.compared = [kept.after.asked, kept.after.compared];
        match kept.same {
            Some(same) => self.rest.add(same),
            None => {
                println!(
                    "{}: the trace does not replay deterministically, so its rest is not compared",
                    trace.display()
                )
            }
        }
        if !kept.why.is_empty() {
            println!("{}: after histories: {}", trace.display(), kept.why);
        }
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{:60} {:>7} as emulated, {:3} by fixed functions, {:3} by assembly, {:>5} not drawn, {:>4} images unchanged, rest {:>3}",
            name.chars().take(60).collect::<String>(),
            self.right.to_string(),
            self.stand_ins[0],
            self.stand_ins[1],
            self.others.to_string(),
            self.same.to_string(),
            self.rest.to_string()
        )
    }
}
