//! WebGL's conformance pages in a browser: every shader that they compile, every program that they link.
//!
//! The pages make most of their shaders by scripts, so the texts are taken where they reach the browser.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Value, json};
use shader::version::Stage;

use super::super::browser::{HOOK, Site};
use super::super::case::{Answer, Verdict};
use super::chromium::{glsl_name, limits};
use crate::{files, process};

const HARNESS: &str = include_str!("suite/harness.html");
/// How long the browser may say nothing: a page may take 15 seconds.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A shader that a page compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The page.
    pub page: String,
    /// WebGL 1 or 2.
    pub context: u8,
    /// Vertex or fragment.
    pub stage: Stage,
    /// Its text.
    pub text: String,
    /// The extensions that were enabled, as GLSL calls them.
    pub extensions: Vec<String>,
    /// The browser's limits.
    pub limits: Vec<(String, i32)>,
    /// The browser's verdict.
    pub theirs: Verdict,
}

/// A program that a page linked.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its shaders: indices of [`Found::shaders`].
    pub shaders: [usize; 2],
    /// The browser's verdict.
    pub theirs: Verdict,
}

/// What all pages did.
#[derive(Default)]
pub struct Found {
    /// Their shaders.
    pub shaders: Vec<Compiled>,
    /// Their programs.
    pub programs: Vec<Program>,
    /// Pages that compiled nothing.
    pub silent: usize,
}

/// Opens all pages of the suite whose path contains `filter`, or reads what an earlier run found.
pub fn collect(folder: &Path, filter: &str, again: bool) -> anyhow::Result<Found> {
    let cache = process::corpus_dir().join("webgl").join("suite.json");
    let reports: Vec<Value> = if again {
        let text = std::fs::read_to_string(&cache).with_context(|| format!("cannot read {}", cache.display()))?;
        serde_json::from_str(&text)?
    } else {
        let reports = browse(folder, filter)?;
        std::fs::create_dir_all(cache.parent().unwrap_or(folder))?;
        std::fs::write(&cache, serde_json::to_string(&reports)?)?;
        reports
    };
    let mut found = Found::default();
    for report in reports.iter().filter(|report| report["page"].as_str().is_some_and(|page| page.contains(filter))) {
        read(report, &mut found)?;
    }
    Ok(found)
}

fn browse(folder: &Path, filter: &str) -> anyhow::Result<Vec<Value>> {
    let mut pages: Vec<String> = files::below(folder)?
        .iter()
        .filter(|path| files::extension(path) == "html")
        .filter_map(|path| Some(path.strip_prefix(folder).ok()?.to_str()?.to_owned()))
        .filter(|page| page.starts_with("conformance") && page.contains(filter))
        .filter(|page| ["/glsl/", "/glsl3/", "/ogles/"].iter().any(|part| page.contains(part)))
        .collect();
    pages.sort_unstable();
    if pages.is_empty() {
        bail!("{} has no pages of WebGL's conformance suite; name its folder sdk/tests", folder.display());
    }
    println!("{} pages", pages.len());
    let harness = HARNESS.replace("$PAGES", &json!(pages).to_string());
    let site = Site {
        script: format!("const LIMITS = {};\n{HOOK}", limits()),
        made: [("harness".to_owned(), harness)].into(),
        folders: vec![("", folder.to_owned())],
    };
    site.open("harness", TIMEOUT)
}

/// Adds what a page did.
fn read(report: &Value, found: &mut Found) -> anyhow::Result<()> {
    let page = report["page"].as_str().context("a report has no page")?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let first = found.shaders.len();
    let answered = |value: &Value, refused: Answer| {
        let ok = value["ok"] == true;
        let log = value["log"].as_str().unwrap_or_default().trim_matches(['-', '\n', '\0']).to_owned();
        Verdict { answer: if ok { Answer::Accepted } else { refused }, log: if ok { String::new() } else { log } }
    };
    for shader in list(&report["found"]["shaders"]) {
        let context = if shader["context"] == 2 { 2 } else { 1 };
        let limits = report["found"]["limits"][context.to_string()].as_object();
        let limit = |(name, value): (&String, &Value)| Some((name.clone(), i32::try_from(value.as_i64()?).ok()?));
        let extensions: BTreeSet<String> =
            list(&shader["extensions"]).iter().filter_map(|name| name.as_str().map(glsl_name)).collect();
        let mut limits: Vec<(String, i32)> = limits.into_iter().flatten().filter_map(limit).collect();
        if context == 1 && !extensions.contains("GL_EXT_draw_buffers") {
            limits.push(("gl_MaxDrawBuffers".to_owned(), 1));
        }
        found.shaders.push(Compiled {
            page: page.to_owned(),
            context,
            stage: if shader["vertex"] == true { Stage::Vertex } else { Stage::Fragment },
            text: shader["text"].as_str().unwrap_or_default().to_owned(),
            extensions: extensions.into_iter().collect(),
            limits,
            theirs: answered(&shader, Answer::CompileError),
        });
    }
    for program in list(&report["found"]["programs"]) {
        // A link that locations or captured variables decide says nothing of the shaders alone.
        if program["bound"] == true {
            continue;
        }
        let index = |at: usize| Some(first + usize::try_from(program["shaders"][at].as_u64()?).ok()?);
        let (Some(a), Some(b)) = (index(0), index(1)) else { continue };
        if a.max(b) < found.shaders.len() {
            found.programs.push(Program { shaders: [a, b], theirs: answered(&program, Answer::LinkError) });
        }
    }
    found.silent += usize::from(found.shaders.len() == first);
    Ok(())
}
