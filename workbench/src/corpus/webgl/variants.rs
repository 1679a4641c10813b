//! Variants of shaders for WebGL, compiled in a browser: inserted code must be valid in the language, too.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{anyhow, bail};
use driver::Api;
use instrument::{Detail, Device, Question, Scope, Subject, Transport};
use lab::ReachableMoments;
use shader::version::{Options, Profile, Stage, Version};
use testing::filetest;
use testing::random::SplitMix;

use super::super::case::Answer;
use super::super::{piglit, ratchet};
use super::{Shader, chromium};
use crate::{files, process, setup};

/// Number of piglit's ES shaders to instrument.
const SAMPLE: usize = 250;

/// Creates variants of the filetests and of a sample of piglit's ES shaders, and compiles them all.
pub fn run(list: bool, update_ratchet: bool) -> anyhow::Result<()> {
    let mut originals = filetests(&process::root().join("filetests"))?;
    originals.extend(sample()?);
    let verdicts = chromium::compile(&originals)?;
    println!("{}", verdicts.version);
    let accepted: Vec<&Shader> = originals
        .iter()
        .zip(&verdicts.verdicts)
        .filter(|(_, verdict)| verdict.answer == Answer::Accepted)
        .map(|(shader, _)| shader)
        .collect();
    println!("{} shaders, {} of them accepted unchanged", originals.len(), accepted.len());
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut variants = Vec::new();
    for shader in &accepted {
        let limits = &verdicts.limits[usize::from(shader.context) - 1];
        weave(shader, limits, &mut variants, &mut refused);
    }
    for (why, count) in &refused {
        println!("  {count:6} not instrumented: {why}");
    }
    let judged = chromium::compile(&variants)?;
    let mut share = ratchet::Share::default();
    for (variant, verdict) in variants.iter().zip(&judged.verdicts) {
        share.add(verdict.answer == Answer::Accepted);
        if verdict.answer != Answer::Accepted {
            println!("refused: {}: {}", variant.name, verdict.log.lines().next().unwrap_or_default());
            if list {
                println!("{}\n{}", verdict.log, variant.text);
            }
        }
    }
    println!("{share} variants compile");
    ratchet::Ratchet::read()?.settle("webgl-variants", &[("compile", share)], update_ratchet)?;
    if share.right < share.total {
        bail!("{} variants do not compile", share.total - share.right);
    }
    Ok(())
}

/// Returns the filetests that run instrumented and are for WebGL.
fn filetests(folder: &Path) -> anyhow::Result<Vec<Shader>> {
    let mut found = Vec::new();
    for path in files::below(folder)? {
        let text = std::fs::read_to_string(&path)?;
        if !text.lines().next().is_some_and(|line| line.starts_with("// run:") && line.contains("instrument")) {
            continue;
        }
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        for shader in filetest::read(&text).map_err(|error| anyhow!("{name}: {error}"))? {
            // `#version` must come first of all in WebGL.
            let body = shader.text.find("#version").map_or(shader.text.as_str(), |at| &shader.text[at..]);
            let context = match (body.starts_with("#version 300 es"), shader.options.webgl) {
                (true, _) => 2,
                (false, true) => 1,
                (false, false) => continue,
            };
            found.push(Shader {
                name: format!("{name} {}", shader.version.unwrap_or_default()).trim_end().to_owned(),
                group: "filetests".to_owned(),
                context,
                stage: shader.options.stage,
                text: body.to_owned(),
                expect: None,
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn sample() -> anyhow::Result<Vec<Shader>> {
    setup::ensure_piglit()?;
    let mut found = Vec::new();
    for case in piglit::read(&setup::piglit_dir())?.cases {
        if case.api != Api::Es || !case.expect.passes() || !case.includes.strings.is_empty() {
            continue;
        }
        for source in &case.shaders {
            let text = source.strings.concat();
            let context = match text.split_once("#version ").map(|(_, rest)| rest.get(..6).unwrap_or_default()) {
                Some("300 es") => 2,
                Some(version) if !version.starts_with("100") => continue,
                _ => 1,
            };
            let text = text.find("#version").map_or(text.clone(), |at| text[at..].to_owned());
            if !matches!(source.stage, Stage::Vertex | Stage::Fragment) {
                continue;
            }
            let name = format!("{}.{}", case.name, source.stage.extension());
            found.push(Shader { name, group: "piglit".to_owned(), context, stage: source.stage, text, expect: None });
        }
    }
    found.sort_by_cached_key(|shader| *blake3::hash(shader.name.as_bytes()).as_bytes());
    found.truncate(SAMPLE);
    Ok(found)
}

/// Returns the capabilities of a WebGL context.
fn device(context: u8, targets: u32) -> Device {
    let two = context == 2;
    Device {
        newest: Version { number: if two { 300 } else { 100 }, profile: Profile::Es },
        storage_blocks: [0; 6],
        storage_bindings: 0,
        integer_targets: two,
        float_targets: true,
        targets: if two { targets } else { 1 },
        feedback_words: if two { 64 } else { 0 },
        extensions: instrument::Extensions::default(),
        style: instrument::CompilerWorkarounds::default(),
    }
}

/// Adds variants for several queries, each with every transport of the device.
fn weave(shader: &Shader, limits: &[(String, i32)], variants: &mut Vec<Shader>, refused: &mut BTreeMap<String, usize>) {
    let stage = shader.stage;
    let mut options = Options::new(stage);
    options.webgl = true;
    options.default_version = Version { number: 100, profile: Profile::Es };
    options.limits = limits.to_vec();
    let read = shader::analyze(&[shader.text.as_str()], &options);
    let Some(places) = ReachableMoments::new(&read).filter(|_| !read.has_errors()) else {
        *refused.entry("it has errors".to_owned()).or_default() += 1;
        return;
    };
    let mut random = SplitMix::named(&shader.name);
    let mut below = |bound: u32| random.below(bound);
    let mut questions = vec![Question::Recording { detail: Detail::Expressions }, Question::LiveIns, Question::Ends];
    questions.extend(places.value(&mut below).map(|moment| Question::Value { moment, expression: None }));
    questions.extend(places.value(&mut below).map(|moment| Question::Value { moment, expression: None }));
    questions
        .extend(places.statement(&mut below).map(|m| Question::Condition { site: m.site.into(), condition: None }));
    // Browsers differ in the number of targets; WebGL 2 guarantees four.
    let targets = limits.iter().find(|(name, _)| name == "gl_MaxDrawBuffers").map_or(4, |(_, limit)| *limit);
    let device = device(shader.context, u32::try_from(targets).unwrap_or(4).min(8));
    let subject = Subject { shader: &read, options: &options, written: None };
    for question in &questions {
        for transport in device.transports(stage, Scope::One) {
            let woven = instrument::weave(subject, question, Scope::One, &device, transport);
            let variant = match woven {
                Ok(variant) => variant,
                Err(refusal) => {
                    *refused.entry(refusal.to_string()).or_default() += 1;
                    continue;
                }
            };
            let mut add = |stage: Stage, strings: &[String]| {
                let word = kind(question);
                variants.push(Shader {
                    name: format!("{}, {word} by {transport:?}, {}", shader.name, stage.extension()),
                    text: strings.concat(),
                    stage,
                    ..shader.clone()
                });
            };
            add(shader.stage, &variant.strings);
            if let (Transport::PointGrid, Some(fragment)) = (transport, &variant.fragment) {
                add(Stage::Fragment, fragment);
            }
        }
    }
}

fn kind(question: &Question) -> &'static str {
    match question {
        Question::Value { .. } => "value",
        Question::Recording { .. } => "recording",
        Question::Part { .. } => "part of a recording",
        Question::Recomputation { .. } => "recomputation",
        Question::Condition { .. } => "condition",
        Question::LiveIns => "inputs",
        Question::Ends => "ends",
        Question::Outputs => "outputs",
        Question::Profile { .. } => "profile",
    }
}
