//! `workbench neutral-worker`: replays one trace unchanged and with variants, in a process that may crash.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use device::Picture;
use driver::DeviceChoice;
use open_trace::OpenTrace;
use replay::{Rewriter, Source, Timeline};
use serde_json::json;
use trace::Reader;

use super::weaving::Weaving;

/// The results of a run.
#[derive(Default)]
struct RunResults {
    /// After each draw: its call, the hash of the image, and how many shaders had been compiled by then.
    draws: Vec<(u64, Option<blake3::Hash>, usize)>,
    /// Number of readbacks compared with the recording, and number of equal ones.
    readbacks: (u64, u64),
    /// Calls with different readbacks, the first of them.
    differences: Vec<u64>,
    /// The image to keep, and after which draw it was taken.
    kept: Option<(usize, Picture)>,
    /// The link results of programs, in order: the driver's error, if any.
    refusals: Vec<Option<String>>,
}

/// Which image of a run to keep.
#[derive(Clone, Copy)]
enum Keep<'a> {
    Nothing,
    /// The first that differs from another run.
    FirstUnlike(&'a RunResults),
    At(usize),
}

/// Replays and prints the results.
///
/// With a folder, the sources of shaders and of their variants are written there; a variant that exists already is used
/// instead of a new one, so that variants can be edited by hand.
///
/// The first line has the sources of all shaders, in case the parent stops waiting. With a range, only shaders with
/// these indices in that list have variants.
pub fn serve(trace: &Path, seed: u64, shaders: Option<&Range<usize>>, folder: Option<&Path>) -> anyhow::Result<()> {
    driver::be_a_worker();
    let (plain, recorded) = replay(trace, HashMap::new(), Keep::Nothing)?;
    println!("{}", json!({ "sources": recorded.iter().map(|source| source.strings.concat()).collect::<Vec<_>>() }));
    let mut weaving = Weaving::new(seed, is_unnumbered(trace)?)?;
    for (number, source) in recorded.iter().enumerate() {
        if shaders.is_none_or(|range| range.contains(&number)) {
            weaving.weave(source)?;
        }
    }
    for source in &recorded {
        weaving.pass_primitive(source);
    }
    let mut texts = std::mem::take(&mut weaving.texts);
    if let Some(folder) = folder {
        exchange(&recorded, &mut texts, folder)?;
    }
    let (changed, _) = replay(trace, texts.clone(), Keep::FirstUnlike(&plain))?;
    let mut different = parted(&plain, &changed);
    let (mut unsteady, mut inexact) = (Vec::new(), Vec::new());
    let (mut first, mut control) = (None, None);
    if !different.is_empty() {
        let keep = changed.kept.as_ref().map_or(Keep::Nothing, |(place, _)| Keep::At(*place));
        let (again, _) = replay(trace, HashMap::new(), keep)?;
        first = first_difference(&plain, &again, &changed);
        unsteady = parted(&plain, &again);
        different.retain(|at| !unsteady.contains(at));
    }
    if !different.is_empty() {
        match exactly(trace, &weaving, &texts)? {
            Err(reason) => control = Some(reason),
            Ok((original, variant)) if !link_alike(&original, &plain) || !link_alike(&variant, &plain) => {
                control = Some("not all programs link when everything is precise".to_owned());
            }
            Ok((original, variant)) => {
                let still = parted(&original, &variant);
                inexact = different.iter().copied().filter(|at| !still.contains(at)).collect();
                different = still;
                let moved = parted(&plain, &original).len();
                control = Some(format!("with everything precise, {moved} shaders draw something else without probes"));
            }
        }
    }
    let mut drawn: Vec<usize> = plain.draws.iter().map(|(_, _, at)| *at).collect();
    drawn.dedup();
    // A draw is identified by the shader that was compiled last before it.
    let named = |list: &[usize]| list.iter().map(|at| at.saturating_sub(1)).collect::<Vec<usize>>();
    let reply = json!({
        "draws": plain.draws.len(),
        "readbacks": plain.readbacks.0,
        "shaders": recorded.len(),
        "woven": weaving.woven,
        "left": weaving.left,
        "rejected": weaving.rejected,
        "refusal": refusal(&plain, &changed),
        "first": first,
        "control": control,
        "different": named(&different),
        "inexact": named(&inexact),
        "unsteady": named(&unsteady),
        "drawn": named(&drawn),
    });
    println!("{reply}");
    Ok(())
}

/// `FROM..TO`.
pub fn range(text: &str) -> Result<Range<usize>, String> {
    let ends = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.ok_or_else(|| format!("`{text}` is not FROM..TO"))
}

/// Runs the control experiment: shaders as recorded and their variants, with everything in both `precise`; or returns
/// why it cannot be done.
fn exactly(
    trace: &Path,
    weaving: &Weaving,
    variants: &HashMap<Source, Vec<String>>,
) -> anyhow::Result<Result<(RunResults, RunResults), String>> {
    let (mut originals, mut changed) = (HashMap::new(), HashMap::new());
    for (source, strings) in variants {
        for (texts, from) in [(&mut originals, &source.strings), (&mut changed, strings)] {
            match weaving.exact(source, from)? {
                Ok(strings) => texts.insert(source.clone(), strings),
                Err(reason) => return Ok(Err(reason)),
            };
        }
    }
    let (original, _) = replay(trace, originals, Keep::Nothing)?;
    let (variant, _) = replay(trace, changed, Keep::Nothing)?;
    Ok(Ok((original, variant)))
}

/// Returns the draws after which images differ, by the number of compiled shaders; readbacks count for the draw before
/// them.
fn parted(a: &RunResults, b: &RunResults) -> Vec<usize> {
    let mut found = Vec::new();
    for (one, other) in a.draws.iter().zip(&b.draws) {
        if one.1 != other.1 {
            found.push(one.2);
        }
    }
    if a.draws.len() != b.draws.len() {
        found.push(a.draws.last().map_or(0, |draw| draw.2));
    }
    for call in b.differences.iter().filter(|call| !a.differences.contains(call)) {
        let before = a.draws.iter().rev().find(|draw| draw.0 < *call);
        found.push(before.map_or(1, |draw| draw.2));
    }
    if a.readbacks.1 > b.readbacks.1 && found.is_empty() {
        found.push(a.draws.last().map_or(0, |draw| draw.2));
    }
    found.dedup();
    found
}

/// Returns the driver's error for the first program that links as recorded and not with variants.
fn refusal<'a>(plain: &RunResults, changed: &'a RunResults) -> Option<&'a str> {
    let mut each = plain.refusals.iter().zip(&changed.refusals);
    each.find_map(|(was, is)| if was.is_none() { is.as_deref() } else { None })
}

/// Returns whether the same programs link.
fn link_alike(a: &RunResults, b: &RunResults) -> bool {
    a.refusals.iter().map(Option::is_some).eq(b.refusals.iter().map(Option::is_some))
}

/// Describes the first difference between two images.
fn first_difference(plain: &RunResults, again: &RunResults, changed: &RunResults) -> Option<String> {
    let (place, is) = changed.kept.as_ref()?;
    let (_, was) = again.kept.as_ref()?;
    let command = plain.draws.get(*place)?.0;
    let pixels = was.rgba.chunks_exact(4).zip(is.rgba.chunks_exact(4)).enumerate();
    let unlike: Vec<_> = pixels.filter(|(_, (was, is))| was != is).collect();
    let most = unlike.iter().flat_map(|(_, (was, is))| was.iter().zip(*is)).map(|(a, b)| a.abs_diff(*b)).max()?;
    let (number, (was_here, is_here)) = unlike.first()?;
    let (x, y) = (number % was.width as usize, number / was.width as usize);
    Some(format!(
        "draw {place}, command {command}: {} of {} pixels differ, by {most} at most; at {x},{y} {was_here:?} becomes {is_here:?}",
        unlike.len(),
        was.rgba.len() / 4
    ))
}

/// Writes sources to a folder, and reads the variants that are there.
fn exchange(recorded: &[Source], texts: &mut HashMap<Source, Vec<String>>, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (number, source) in recorded.iter().enumerate() {
        let Some(strings) = texts.get_mut(source) else { continue };
        let variant = folder.join(format!("{number:03}.variant.glsl"));
        std::fs::write(folder.join(format!("{number:03}.glsl")), source.strings.concat())?;
        if variant.exists() {
            *strings = vec![std::fs::read_to_string(&variant)?];
        } else {
            std::fs::write(&variant, strings.concat())?;
        }
    }
    Ok(())
}

/// Runs a trace with replaced sources; returns its results and its shaders.
fn replay(
    trace: &Path,
    texts: HashMap<Source, Vec<String>>,
    keep: Keep<'_>,
) -> anyhow::Result<(RunResults, Vec<Source>)> {
    let (shaders, refusals) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::new(Vec::new())));
    let rewriter = Changed { shaders: Rc::clone(&shaders), refusals: Rc::clone(&refusals), texts };
    let mut timeline = Timeline::open(OpenTrace::open(trace)?, worker::open_egl(&DeviceChoice::First), true)?;
    timeline.set_rewriter(Box::new(rewriter));
    let mut shown = RunResults::default();
    timeline.run_showing(&mut |number, picture| {
        let name = picture.as_ref().map(|picture| blake3::hash(&picture.rgba));
        let place = shown.draws.len();
        let wanted = match &keep {
            Keep::Nothing => false,
            Keep::FirstUnlike(other) => {
                shown.kept.is_none() && other.draws.get(place).is_some_and(|draw| draw.1 != name)
            }
            Keep::At(at) => *at == place,
        };
        if wanted {
            shown.kept = picture.map(|picture| (place, picture));
        }
        shown.draws.push((number, name, shaders.borrow().len()));
    })?;
    let tally = timeline.tally();
    shown.readbacks = (
        tally.readbacks.compared + tally.frames.compared + tally.last.compared,
        tally.readbacks.equal + tally.frames.equal + tally.last.equal,
    );
    shown.differences = tally.differences.iter().map(|difference| difference.command).collect();
    drop(timeline);
    shown.refusals = refusals.take();
    Ok((shown, shaders.take()))
}

/// Replaces the sources of shaders, and keeps a list of all.
struct Changed {
    shaders: Rc<RefCell<Vec<Source>>>,
    refusals: Rc<RefCell<Vec<Option<String>>>>,
    texts: HashMap<Source, Vec<String>>,
}

impl Rewriter for Changed {
    fn rewrite(&mut self, source: &Source) -> Option<Vec<String>> {
        self.shaders.borrow_mut().push(source.clone());
        self.texts.get(source).cloned()
    }

    fn linked(&mut self, refusal: Option<String>) {
        self.refusals.borrow_mut().push(refusal);
    }
}

/// Returns whether a trace has draws whose primitives must not be queried for their ids.
fn is_unnumbered(trace: &Path) -> anyhow::Result<bool> {
    let reader = Reader::open(trace, api::COMMANDS)?;
    let mut calls = reader.calls();
    while let Some(call) = calls.next()? {
        if replay::inspect::is_unnumbered(&call) {
            return Ok(true);
        }
    }
    Ok(false)
}
