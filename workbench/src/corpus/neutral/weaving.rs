//! Variants of shaders, each with a random query whose probes stay disabled.

use std::collections::{BTreeMap, HashMap};

use anyhow::Context as _;
use driver::{Api, Context};
use instrument::{Detail, Device, Question, Scope, Subject, Transport};
use lab::ReachableMoments;
use replay::Source;
use shader::version::{Options, Profile, Stage, Version};
use testing::random::SplitMix;

use super::exact;

/// Creates variants.
pub(super) struct Weaving {
    random: SplitMix,
    /// One context of each kind.
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

    /// Makes a geometry shader without a variant pass the primitive id to fragments.
    pub(super) fn pass_primitive(&mut self, source: &Source) {
        if !self.texts.contains_key(source)
            && let Some(strings) = passing_primitive(source)
        {
            self.texts.insert(source.clone(), strings);
        }
    }

    /// Returns the source of a shader with everything in it `precise`, or why there is none.
    pub(super) fn exact(&self, source: &Source, texts: &[String]) -> anyhow::Result<Result<Vec<String>, String>> {
        let exact = options(source).and_then(|options| Some((options.stage, exact::exact(texts, &options)?)));
        let Some((stage, strings)) = exact else {
            return Ok(Err("the shader's language has no `precise` qualifier".to_owned()));
        };
        let texts: Vec<&str> = strings.iter().map(String::as_str).collect();
        let (context, _) = context_for(&self.contexts, source)?;
        let compiled = context.compile(stage, &texts)?;
        if compiled.ok {
            return Ok(Ok(strings));
        }
        let log = compiled.log;
        Ok(Err(format!("the driver rejects a shader in which everything is precise: {log}")))
    }

    /// Returns a variant of a shader for a random query, or why there is none.
    fn variant(&mut self, source: &Source) -> anyhow::Result<Result<Vec<String>, String>> {
        let Some(options) = options(source) else { return Ok(Err("an unknown stage".to_owned())) };
        let stage = options.stage;
        let strings = passing_primitive(source).unwrap_or_else(|| source.strings.clone());
        let shader = shader::analyze(&strings, &options);
        if shader.has_errors() {
            return Ok(Err("it has errors".to_owned()));
        }
        let original: Vec<&str> = source.strings.iter().map(String::as_str).collect();
        let (context, device) = context_for(&self.contexts, source)?;
        if !context.compile(stage, &original)?.ok {
            return Ok(Err("the driver rejects the shader itself".to_owned()));
        }
        let Some(places) = ReachableMoments::new(&shader) else { return Ok(Err("it has no main".to_owned())) };
        let subject = Subject { shader: &shader, options: &options, written: None };
        let random = &mut self.random;
        let mut below = |bound: u32| random.below(bound);
        let mut reason = "it computes nothing".to_owned();
        // Some moments cannot be queried; another one may be.
        for _ in 0..4 {
            let question = match below(3) {
                0 => places.value(&mut below).map(|moment| Question::Value { moment, expression: None }),
                1 => Some(Question::Recording { detail: Detail::Expressions }),
                _ => places.statement(&mut below).map(|m| Question::Condition { site: m.site.into(), condition: None }),
            };
            let Some(question) = question else { continue };
            match instrument::weave(subject, &question, Scope::One, device, Transport::Storage) {
                Ok(variant) => {
                    let strings: Vec<&str> = variant.strings.iter().map(String::as_str).collect();
                    let compiled = context.compile(stage, &strings)?;
                    if compiled.ok {
                        return Ok(Ok(variant.strings));
                    }
                    self.rejected.push(format!("{question:?}\n{}\n{}", compiled.log, variant.strings.concat()));
                    reason = "the driver rejects the variant".to_owned();
                }
                Err(refusal) => reason = refusal.to_string(),
            }
        }
        Ok(Err(reason))
    }
}

/// Returns a geometry shader that passes the primitive id to fragments that read it: otherwise such a program need not
/// link. `None` if it already does, or is of another stage.
fn passing_primitive(source: &Source) -> Option<Vec<String>> {
    let options = options(source).filter(|options| options.stage == Stage::Geometry)?;
    let shader = shader::analyze(&source.strings, &options);
    if shader.has_errors() {
        return None;
    }
    instrument::pass_primitive(Subject { shader: &shader, options: &options, written: None }).ok().flatten()
}

/// Returns a context like the one that a shader was compiled in, and its capabilities.
fn context_for<'a>(contexts: &'a [(Context, Device)], source: &Source) -> anyhow::Result<&'a (Context, Device)> {
    let found = contexts.iter().find(|(_, device)| device.newest.profile == source.profile);
    found.context("the driver has no such context")
}

/// Returns the options for a shader.
fn options(source: &Source) -> Option<Options> {
    let mut options = Options::new(stage(source.stage)?);
    if source.profile == Profile::Es {
        options.default_version = Version { number: 100, profile: Profile::Es };
    }
    options.vendor = shader::version::Vendor::Mesa;
    Some(options)
}

/// Returns a stage by its name in GL.
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
