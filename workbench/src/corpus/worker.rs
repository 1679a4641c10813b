//! `workbench mesa-worker`: queries the driver, in a process that may crash.
//!
//! Both directions carry frames: a length of four bytes, little-endian, and that much JSON. The worker sends first,
//! what the driver supports; then each job is answered by one frame. The end of input ends the worker.

use std::io::{self, Read, Write};

use anyhow::Context as _;
use driver::{Api, Context, DriverError, Includes, LinkOptions, Linked};
use serde_json::{Value, json};
use shader::version::Stage;

use super::case::{Answer, Case, Linking, Verdict};
use super::{assembly, differ, equal};

/// Serves jobs until stdin ends.
pub fn serve() -> anyhow::Result<()> {
    let contexts: Vec<Context> = Api::ALL.into_iter().map(Context::new).collect::<Result<_, _>>()?;
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut offers = serde_json::Map::new();
    for context in &contexts {
        let offer = json!({
            "version": format!("{}; {}", context.version()?, context.renderer()?),
            "glsl": context.glsl_version()?,
            "extensions": context.extensions()?,
            "limits": context.limits()?,
        });
        offers.insert(context.api().name().to_owned(), offer);
    }
    write_frame(&mut output, &Value::Object(offers))?;
    while let Some(job) = read_frame(&mut input)? {
        write_frame(&mut output, &reply(&contexts, &job)?)?;
    }
    Ok(())
}

/// Returns a case as a job.
pub fn job(case: &Case) -> Value {
    let shaders: Vec<Value> =
        case.shaders.iter().map(|s| json!({ "stage": s.stage.extension(), "strings": s.strings })).collect();
    let linking = match case.linking {
        Linking::No => "no",
        Linking::Program => "program",
        Linking::Separable => "separable",
        Linking::EachStage | Linking::Pipeline => "each-stage",
    };
    json!({
        "api": case.api.name(),
        "linking": linking,
        "shaders": shaders,
        "include_strings": case.includes.strings,
        "include_paths": case.includes.paths,
    })
}

/// Writes one frame.
pub fn write_frame(output: &mut impl Write, value: &Value) -> anyhow::Result<()> {
    let bytes = serde_json::to_vec(value)?;
    output.write_all(&u32::try_from(bytes.len())?.to_le_bytes())?;
    output.write_all(&bytes)?;
    output.flush()?;
    Ok(())
}

/// Reads one frame; `None` at the end of input.
pub fn read_frame(input: &mut impl Read) -> anyhow::Result<Option<Value>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    input.read_exact(&mut bytes)?;
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// Returns a case with other sources for some of its shaders, several times over.
///
/// Each variant is a list of pairs, a shader's index and its strings. With `draw` the programs are drawn too, and each
/// reply gives the hash of the image, or that there is none.
pub fn variants_job(case: &Case, variants: &[Vec<(usize, Vec<String>)>], draw: bool) -> Value {
    let mut job = job(case);
    job["variants"] = json!(variants);
    job["draw"] = json!(draw);
    job
}

fn reply(contexts: &[Context], job: &Value) -> anyhow::Result<Value> {
    let api = Api::from_name(text(&job["api"])).context("a job has no valid API")?;
    let context = contexts.iter().find(|c| c.api() == api).context("a job names an API without a context")?;
    if job["equal"].is_object() {
        return equal::measure::reply(api, &job["equal"]);
    }
    if job["render"].is_object() {
        return differ::draw::reply(context, &job["render"]);
    }
    if job["assembly"].is_object() {
        return assembly::reply(context, &job["assembly"]);
    }
    let mut shaders: Vec<(Stage, Vec<&str>)> = Vec::new();
    for shader in list(&job["shaders"]) {
        let stage = Stage::from_extension(text(&shader["stage"])).context("a job has no valid stage")?;
        shaders.push((stage, list(&shader["strings"]).iter().map(text).collect()));
    }
    let Some(variants) = job["variants"].as_array() else {
        let verdict = answer(context, job, &shaders)?;
        return Ok(json!({ "answer": verdict.answer.name(), "log": verdict.log }));
    };
    let mut replies = Vec::with_capacity(variants.len());
    for variant in variants {
        let mut shaders = shaders.clone();
        for change in list(variant) {
            let index = change[0].as_u64().and_then(|i| usize::try_from(i).ok()).unwrap_or(usize::MAX);
            let shader = shaders.get_mut(index).context("a variant changes a shader that its case does not have")?;
            shader.1 = list(&change[1]).iter().map(text).collect();
        }
        let picture = if job["draw"] == true { draw(context, &shaders)? } else { None };
        // A program that was drawn has been linked.
        let verdict = match picture {
            Some(_) => Verdict { answer: Answer::Accepted, log: String::new() },
            None => answer(context, job, &shaders)?,
        };
        replies.push(json!({ "answer": verdict.answer.name(), "log": verdict.log, "picture": picture }));
    }
    Ok(Value::Array(replies))
}

/// Returns the hash of what a program draws, or `blank`; `None` if it cannot be drawn.
fn draw(context: &Context, shaders: &[(Stage, Vec<&str>)]) -> anyhow::Result<Option<String>> {
    const SIDE: u16 = 16;
    let borrowed: Vec<(Stage, &[&str])> = shaders.iter().map(|(stage, strings)| (*stage, strings.as_slice())).collect();
    match context.draw_quad(&borrowed, SIDE, SIDE) {
        Ok(pixels) if pixels.rgba.iter().all(|byte| *byte == 0) => Ok(Some("blank".to_owned())),
        Ok(pixels) => Ok(Some(blake3::hash(&pixels.rgba).to_hex()[..16].to_owned())),
        Err(DriverError::NotLinked { .. } | DriverError::Gl { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn answer(context: &Context, job: &Value, shaders: &[(Stage, Vec<&str>)]) -> anyhow::Result<Verdict> {
    let includes = Includes {
        strings: list(&job["include_strings"])
            .iter()
            .map(|s| (text(&s[0]).to_owned(), text(&s[1]).to_owned()))
            .collect(),
        paths: list(&job["include_paths"]).iter().map(|s| text(s).to_owned()).collect(),
    };
    let borrowed: Vec<(Stage, &[&str])> = shaders.iter().map(|(stage, strings)| (*stage, strings.as_slice())).collect();
    let programs: Vec<Vec<(Stage, &[&str])>> = match text(&job["linking"]) {
        "no" => {
            for (stage, strings) in &borrowed {
                let compiled = context.compile_with(*stage, strings, &includes)?;
                if !compiled.ok {
                    return Ok(Verdict { answer: Answer::CompileError, log: relevant_line(&compiled.log) });
                }
            }
            Vec::new()
        }
        "each-stage" => Stage::ALL
            .into_iter()
            .map(|stage| borrowed.iter().copied().filter(|(s, _)| *s == stage).collect())
            .filter(|program: &Vec<_>| !program.is_empty())
            .collect(),
        _ => vec![borrowed],
    };
    let options = LinkOptions { separable: text(&job["linking"]) != "program" };
    for program in programs {
        let linked = context.link_with(&program, options, &includes)?;
        if !linked.ok {
            return Ok(refused(&linked));
        }
    }
    Ok(Verdict { answer: Answer::Accepted, log: String::new() })
}

fn refused(linked: &Linked) -> Verdict {
    match linked.compiled.iter().find(|c| !c.ok) {
        Some(compiled) => Verdict { answer: Answer::CompileError, log: relevant_line(&compiled.log) },
        None => Verdict { answer: Answer::LinkError, log: relevant_line(&linked.log) },
    }
}

/// Returns the first line that mentions an error, else the first line.
fn relevant_line(log: &str) -> String {
    log.lines().find(|l| l.contains("error")).or_else(|| log.lines().next()).unwrap_or_default().trim().to_owned()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
