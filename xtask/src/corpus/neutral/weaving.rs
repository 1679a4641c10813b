//! Variants of shaders, each with a random question that nobody asks.

use std::collections::{BTreeMap, HashMap};

use anyhow::Context as _;
use driver::{Api, Context};
use instrument::{Detail, Device, Question, Scope, Subject, Transport};
use lab::{Places, driver_stage};
use replay::Source;
use shader::version::{Options, Profile, Stage, Version};
use testing::random::SplitMix;

use super::exact;

/// Makes variants.
pub(super) struct Weaving {
    random: SplitMix,
    /// One of each kind.
    contexts: Vec<(Context, Device)>,
    pub(super) texts: HashMap<Source, Vec<String>>,
    pub(super) woven: u64,
    pub(super) left: BTreeMap<String, u64>,
    pub(super) rejected: Vec<String>,
}

impl Weaving {
    pub(super) fn new(seed: u64, unnumbered: bool) -> anyhow::Result<Weaving> {
        let mut contexts = Vec::new();
        for api in [Api::DesktopCompatibility, Api::DesktopCore, Api::Es] {
            let context = Context::new(api)?;
            let mut device = lab::capabilities(&context)?;
            device.style.unnumbered = unnumbered;
            contexts.push((context, device));
        }
        let (texts, left, rejected) = (HashMap::new(), BTreeMap::new(), Vec::new());
        Ok(Weaving { random: SplitMix::new(seed), contexts, texts, woven: 0, left, rejected })
    }

    pub(super) fn weave(&mut self, source: &Source) -> anyhow::Result<()> {
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

    /// Lets fragments have their primitive from a geometry shader that itself has no variant.
    pub(super) fn pass_primitive(&mut self, source: &Source) {
        if !self.texts.contains_key(source)
            && let Some(strings) = passing_primitive(source)
        {
            self.texts.insert(source.clone(), strings);
        }
    }

    /// Texts for a shader, with everything in them `precise`, or why there are none.
    pub(super) fn exact(&self, source: &Source, texts: &[String]) -> anyhow::Result<Result<Vec<String>, String>> {
        let exact = options(source).and_then(|options| Some((options.stage, exact::exact(texts, &options)?)));
        let Some((stage, strings)) = exact else {
            return Ok(Err("a shader's language has nothing to make it precise".to_owned()));
        };
        let texts: Vec<&str> = strings.iter().map(String::as_str).collect();
        let (context, _) = context_for(&self.contexts, source)?;
        let compiled = context.compile(driver_stage(stage), &texts)?;
        if compiled.ok {
            return Ok(Ok(strings));
        }
        let log = compiled.log;
        Ok(Err(format!("the driver refuses a shader in which everything is precise: {log}")))
    }

    /// A variant of a shader that asks a random question, or why there is none.
    fn variant(&mut self, source: &Source) -> anyhow::Result<Result<Vec<String>, String>> {
        let Some(options) = options(source) else { return Ok(Err("a stage without a name".to_owned())) };
        let stage = options.stage;
        let strings = passing_primitive(source).unwrap_or_else(|| source.strings.clone());
        let shader = shader::analyze(&strings, &options);
        if shader.has_errors() {
            return Ok(Err("it has errors".to_owned()));
        }
        let original: Vec<&str> = source.strings.iter().map(String::as_str).collect();
        let (context, device) = context_for(&self.contexts, source)?;
        if !context.compile(driver_stage(stage), &original)?.ok {
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
            match instrument::weave(subject, &question, Scope::One, device, Transport::Storage) {
                Ok(variant) => {
                    let strings: Vec<&str> = variant.strings.iter().map(String::as_str).collect();
                    let compiled = context.compile(driver_stage(stage), &strings)?;
                    if compiled.ok {
                        return Ok(Ok(variant.strings));
                    }
                    self.rejected.push(format!("{question:?}\n{}\n{}", compiled.log, variant.strings.concat()));
                    reason = "the driver refuses the variant".to_owned();
                }
                Err(refusal) => reason = refusal.to_string(),
            }
        }
        Ok(Err(reason))
    }
}

/// A geometry shader that gives fragments the number of their primitive, as they are asked for it: programs whose fragments
/// ask and whose geometry shader does not answer need not link. Nothing if it does, or is of another stage.
fn passing_primitive(source: &Source) -> Option<Vec<String>> {
    let options = options(source).filter(|options| options.stage == Stage::Geometry)?;
    let shader = shader::analyze(&source.strings, &options);
    if shader.has_errors() {
        return None;
    }
    instrument::pass_primitive(Subject { shader: &shader, options: &options }).ok().flatten()
}

/// A context like the one that a shader was handed to, and what it can.
fn context_for<'a>(contexts: &'a [(Context, Device)], source: &Source) -> anyhow::Result<&'a (Context, Device)> {
    let found = contexts.iter().find(|(_, device)| device.newest.profile == source.profile);
    found.context("there is no such context")
}

/// How a shader is to be read.
fn options(source: &Source) -> Option<Options> {
    let mut options = Options::new(stage(source.stage)?);
    if source.profile == Profile::Es {
        options.default_version = Version { number: 100, profile: Profile::Es };
    }
    options.vendor = shader::version::Vendor::Mesa;
    Some(options)
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
