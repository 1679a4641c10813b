//! `cargo xtask corpus assembly`: assembly programs of piglit's tests. We must accept what Mesa accepts and reject what
//! Mesa rejects, and Mesa must compile the translations.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::assembly::{Limits, Target, Translation, translate};
use anyhow::Context as _;
use driver::{Api, Context};
use serde_json::{Value, json};
use shader::version::Stage;

use super::mesa::{self, Worker};
use super::pool;
use super::ratchet::{Ratchet, Share};
use crate::{files, setup};

/// Folders with assembly tests.
const FOLDERS: [&str; 4] =
    ["arb_fragment_coord_conventions", "arb_fragment_program", "arb_fragment_program_shadow", "arb_vertex_program"];

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Check only programs whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Print each disagreement, and with a filter the other translations.
    #[arg(long)]
    show: bool,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// A program.
struct Text {
    name: String,
    target: Target,
    text: String,
}

/// The result of a program.
struct Outcome {
    /// The driver's error message, if it rejects the program.
    refused: Option<String>,
    ours: Result<Translation, ::assembly::Fault>,
    /// The driver's error message for the translation, if it does not compile.
    uncompiled: Option<String>,
}

/// Runs the driver, and compares.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure_piglit()?;
    let mut texts = texts(&setup::piglit_dir())?;
    texts.retain(|text| args.filter.as_ref().is_none_or(|part| text.name.contains(part)));
    let outcomes = pool::each(&texts, pool::cores(), || None, judge)?;
    let [mut agreed, mut compiled, mut placed] = [Share::default(); 3];
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    for (text, outcome) in texts.iter().zip(&outcomes) {
        let same = outcome.refused.is_some() == outcome.ours.is_err();
        agreed.add(same);
        if let (Some(why), Err(fault)) = (&outcome.refused, &outcome.ours) {
            // The byte offset is that after the token, and each line end before it counts twice.
            placed.add(why.starts_with(&format!("line {},", fault.line)));
        }
        if outcome.refused.is_none() && outcome.ours.is_ok() {
            compiled.add(outcome.uncompiled.is_none());
        }
        let told = match (&outcome.refused, &outcome.ours) {
            (Some(why), Ok(_)) => Some(format!("Mesa rejects it: {}", why.trim())),
            (None, Err(fault)) => Some(format!("Mesa accepts it: {fault}")),
            _ => outcome.uncompiled.as_ref().map(|log| format!("the translation does not compile: {log}")),
        };
        match (told, &outcome.ours) {
            (Some(told), _) => {
                if args.show {
                    println!("{}: {told}", text.name);
                }
                *others.entry(told).or_default() += 1;
            }
            (None, Ok(translation)) if args.show && args.filter.is_some() => {
                println!("{}:\n{}", text.name, translation.text)
            }
            (None, _) => {}
        }
    }
    println!("{agreed} programs accepted or rejected as by Mesa, {placed} of the rejected ones on the same line");
    println!("{compiled} translations that Mesa compiles");
    for (told, times) in others {
        println!("{times:5} {told}");
    }
    if args.filter.is_none() {
        let shares = [("agreed", agreed), ("compiled", compiled), ("placed", placed)];
        Ratchet::read()?.settle("assembly", &shares, args.update_ratchet)?;
    }
    Ok(())
}

/// Returns a worker's reply about a program and its translation.
pub fn reply(context: &Context, job: &Value) -> anyhow::Result<Value> {
    let text = |name: &str| job[name].as_str().unwrap_or_default();
    let (target, stage) = match text("target") {
        "vertex" => (api::constant::GL_VERTEX_PROGRAM_ARB, Stage::Vertex),
        _ => (api::constant::GL_FRAGMENT_PROGRAM_ARB, Stage::Fragment),
    };
    let refused = context.program_string(target, text("program"))?;
    let compiled = match job["shader"].as_str() {
        Some(shader) => Some(context.link(&[(stage, &[shader])])?),
        None => None,
    };
    let log = compiled.filter(|linked| !linked.ok).map(|linked| {
        let logs = linked.compiled.iter().map(|compiled| compiled.log.as_str()).chain([linked.log.as_str()]);
        logs.collect::<Vec<&str>>().join(" ").trim().to_owned()
    });
    Ok(json!({ "refused": refused, "uncompiled": log }))
}

fn judge(worker: &mut Option<Worker>, text: &Text) -> anyhow::Result<Outcome> {
    let ours = translate(&text.text, text.target, Limits::default());
    let target = if text.target == Target::Vertex { "vertex" } else { "fragment" };
    let shader = ours.as_ref().ok().map(|translation| translation.text.as_str());
    let job = json!({ "target": target, "program": text.text, "shader": shader });
    let job = json!({ "api": Api::DesktopCompatibility.name(), "assembly": job });
    Ok(match mesa::ask_frame(worker, &job, None, mesa::TIMEOUT)? {
        Ok(frame) => {
            let refused = frame["refused"].as_str().map(str::to_owned);
            let uncompiled = frame["uncompiled"].as_str().map(str::to_owned);
            Outcome { refused, ours, uncompiled }
        }
        Err(why) => Outcome { refused: Some(why.to_owned()), ours, uncompiled: None },
    })
}

/// Returns the programs for piglit's `asmparsertest`, and those in files for its `shader_runner`.
fn texts(piglit: &Path) -> anyhow::Result<Vec<Text>> {
    let named = |file: &Path| file.strip_prefix(piglit).unwrap_or(file).display().to_string();
    let mut list = Vec::new();
    for folder in ["tests/asmparsertest", "generated_tests/asmparsertest"] {
        for file in files::below(&piglit.join(folder))? {
            let (name, text) = (named(&file), read(&file)?);
            let target = if name.contains("ARBvp1.0") { Target::Vertex } else { Target::Fragment };
            list.push(Text { name, target, text });
        }
    }
    list.extend(tests(piglit)?.into_iter().map(|(file, (target, text))| Text { name: named(&file), target, text }));
    Ok(list)
}

/// Returns the programs in files for `shader_runner`: sections `[vertex program]` and `[fragment program]`.
pub fn tests(piglit: &Path) -> anyhow::Result<Vec<(PathBuf, (Target, String))>> {
    let mut list = Vec::new();
    for folder in FOLDERS {
        for file in files::below(&piglit.join("tests/spec").join(folder))? {
            if files::extension(&file) == "shader_test" {
                let text = read(&file)?;
                list.extend(programs(&text).into_iter().map(|program| (file.clone(), program)));
            }
        }
    }
    Ok(list)
}

fn programs(text: &str) -> Vec<(Target, String)> {
    let headers = [("[vertex program]\n", Target::Vertex), ("[fragment program]\n", Target::Fragment)];
    let found = headers.into_iter().filter_map(|(header, target)| {
        let (_, rest) = text.split_once(header)?;
        let end = rest.find("\n[").map_or(rest.len(), |at| at + 1);
        Some((target, rest[..end].to_owned()))
    });
    found.collect()
}

fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
