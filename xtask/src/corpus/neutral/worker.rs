//! `xtask neutral-worker`: replays one trace as it was recorded and with variants, in a process that may die of it.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

use driver::{Api, Context, DeviceChoice};
use instrument::{Detail, Device, Question, Scope, Subject, Transport};
use lab::Places;
use replay::{Rewriter, Source, Timeline};
use serde_json::json;
use shader::version::{Options, Profile, Stage, Version};

use super::super::differ::Random;

/// What a run showed.
#[derive(Default)]
struct Shown {
    /// After each draw: its call, the picture's name, and how many shaders had been given texts by then.
    draws: Vec<(u64, Option<blake3::Hash>, usize)>,
    /// How many things that the program read back were compared with the recording, and how many were equal.
    readbacks: (u64, u64),
    /// Calls that read back something else, the first of them.
    differences: Vec<u64>,
}

/// Replays and prints what came of it.
pub fn serve(trace: &Path, seed: u64) -> anyhow::Result<()> {
    driver::be_a_worker();
    let sources = Rc::new(RefCell::new(Vec::new()));
    let plain = replay(trace, Changed { seen: Rc::clone(&sources), texts: HashMap::new() })?;
    let recorded = sources.borrow().clone();
    let mut weaving = Weaving::new(seed)?;
    for source in &recorded {
        weaving.weave(source)?;
    }
    let texts = std::mem::take(&mut weaving.texts);
    sources.borrow_mut().clear();
    let changed = replay(trace, Changed { seen: Rc::clone(&sources), texts })?;
    let text_at = |at: usize| recorded.get(at.wrapping_sub(1)).map_or(String::new(), |s: &Source| s.strings.concat());
    let mut different = parted(&plain, &changed);
    let mut unsteady = Vec::new();
    if !different.is_empty() {
        sources.borrow_mut().clear();
        let again = replay(trace, Changed { seen: sources, texts: HashMap::new() })?;
        unsteady = parted(&plain, &again);
        different.retain(|at| !unsteady.contains(at));
    }
    let mut drawn: Vec<usize> = plain.draws.iter().map(|(_, _, at)| *at).collect();
    drawn.dedup();
    let named = |list: &[usize]| list.iter().map(|at| text_at(*at)).collect::<Vec<String>>();
    let reply = json!({
        "draws": plain.draws.len(),
        "readbacks": plain.readbacks.0,
        "shaders": recorded.len(),
        "woven": weaving.woven,
        "left": weaving.left,
        "rejected": weaving.rejected,
        "different": named(&different),
        "unsteady": named(&unsteady),
        "drawn_sources": named(&drawn),
    });
    println!("{reply}");
    Ok(())
}

/// The draws after which pictures differ, by the number of shaders that had texts; what is read back counts for the draw
/// before it.
fn parted(a: &Shown, b: &Shown) -> Vec<usize> {
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

fn replay(trace: &Path, rewriter: Changed) -> anyhow::Result<Shown> {
    let seen = Rc::clone(&rewriter.seen);
    let mut timeline = Timeline::open(trace, &DeviceChoice::First, true)?;
    timeline.set_rewriter(Box::new(rewriter));
    let mut shown = Shown::default();
    timeline.run_showing(&mut |number, picture| {
        let name = picture.map(|picture| blake3::hash(&picture.rgba));
        shown.draws.push((number, name, seen.borrow().len()));
    })?;
    let tally = timeline.tally();
    shown.readbacks = (
        tally.readbacks.compared + tally.frames.compared + tally.last.compared,
        tally.readbacks.equal + tally.frames.equal + tally.last.equal,
    );
    shown.differences = tally.differences.iter().map(|difference| difference.command).collect();
    Ok(shown)
}

/// Gives shaders the texts that were made for them, and keeps a list of all.
struct Changed {
    seen: Rc<RefCell<Vec<Source>>>,
    texts: HashMap<Source, Vec<String>>,
}

impl Rewriter for Changed {
    fn rewrite(&mut self, source: &Source) -> Option<Vec<String>> {
        self.seen.borrow_mut().push(source.clone());
        self.texts.get(source).cloned()
    }
}

/// Makes variants.
struct Weaving {
    random: Random,
    /// Those for ES are marked.
    contexts: Vec<(bool, Context, Device)>,
    texts: HashMap<Source, Vec<String>>,
    woven: u64,
    left: BTreeMap<String, u64>,
    rejected: Vec<String>,
}

impl Weaving {
    fn new(seed: u64) -> anyhow::Result<Weaving> {
        let mut contexts = Vec::new();
        for (es, api) in [(false, Api::DesktopCompatibility), (false, Api::DesktopCore), (true, Api::Es)] {
            let context = Context::new(api)?;
            let device = lab::capabilities(&context)?;
            contexts.push((es, context, device));
        }
        let (texts, left, rejected) = (HashMap::new(), BTreeMap::new(), Vec::new());
        Ok(Weaving { random: Random::new(seed), contexts, texts, woven: 0, left, rejected })
    }

    fn weave(&mut self, source: &Source) -> anyhow::Result<()> {
        if self.texts.contains_key(source) {
            self.woven += 1;
            return Ok(());
        }
        match self.variant(source)? {
            Ok(strings) => {
                self.woven += 1;
                self.texts.insert(source.clone(), strings);
            }
            Err(reason) => *self.left.entry(reason).or_default() += 1,
        }
        Ok(())
    }

    /// A variant of a shader that asks a random question, or why there is none.
    fn variant(&mut self, source: &Source) -> anyhow::Result<Result<Vec<String>, String>> {
        let Some(stage) = stage(source.stage) else { return Ok(Err("a stage without a name".to_owned())) };
        let mut options = Options::new(stage);
        if source.es {
            options.default_version = Version { number: 100, profile: Profile::Es };
        }
        options.vendor = shader::version::Vendor::Mesa;
        let shader = shader::analyze(&source.strings, &options);
        if shader.has_errors() {
            return Ok(Err("it has errors".to_owned()));
        }
        // Some extensions are there in core contexts only, some shaders can be read in others only. Mesa takes a text it
        // has in its cache without looking whether this context could; so where the variant is refused another is asked.
        let original: Vec<&str> = source.strings.iter().map(String::as_str).collect();
        let mut usable = Vec::new();
        for (_, context, device) in self.contexts.iter().filter(|(es, ..)| *es == source.es) {
            if context.compile(driver_stage(stage), &original)?.ok {
                usable.push((context, device));
            }
        }
        if usable.is_empty() {
            return Ok(Err("the driver refuses the shader itself".to_owned()));
        }
        let Some(places) = Places::new(&shader) else { return Ok(Err("it has no main".to_owned())) };
        let subject = Subject { shader: &shader, options: &options };
        let random = &mut self.random;
        let mut below = |bound: u32| random.below(bound);
        let mut reason = "nothing is computed in it".to_owned();
        // Some moments cannot be asked about; another can, perhaps.
        for _ in 0..4 {
            let question = match below(3) {
                0 => places.value(&mut below).map(|moment| Question::Value { moment, expression: None }),
                1 => Some(Question::Recording { detail: Detail::Expressions }),
                _ => places.statement(&mut below).map(|m| Question::Condition { site: m.site, condition: None }),
            };
            let Some(question) = question else { continue };
            let mut refused = None;
            for (context, device) in &usable {
                match instrument::weave(subject, &question, Scope::One, device, Transport::Storage) {
                    Ok(variant) => {
                        let strings: Vec<&str> = variant.strings.iter().map(String::as_str).collect();
                        let compiled = context.compile(driver_stage(stage), &strings)?;
                        if compiled.ok {
                            return Ok(Ok(variant.strings));
                        }
                        refused = Some(format!("{question:?}\n{}\n{}", compiled.log, variant.strings.concat()));
                        reason = "the driver refuses the variant".to_owned();
                    }
                    Err(refusal) => reason = refusal.to_string(),
                }
            }
            self.rejected.extend(refused);
        }
        Ok(Err(reason))
    }
}

/// A stage by its name in GL.
fn stage(name: u32) -> Option<Stage> {
    Some(match name {
        0x8B31 => Stage::Vertex,
        0x8E88 => Stage::TessControl,
        0x8E87 => Stage::TessEvaluation,
        0x8DD9 => Stage::Geometry,
        0x8B30 => Stage::Fragment,
        0x91B9 => Stage::Compute,
        _ => return None,
    })
}

fn driver_stage(stage: Stage) -> driver::Stage {
    match stage {
        Stage::Vertex => driver::Stage::Vertex,
        Stage::TessControl => driver::Stage::TessControl,
        Stage::TessEvaluation => driver::Stage::TessEvaluation,
        Stage::Geometry => driver::Stage::Geometry,
        Stage::Fragment => driver::Stage::Fragment,
        Stage::Compute => driver::Stage::Compute,
    }
}
