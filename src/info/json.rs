//! The document of `info --json`; its keys are described in docs/json.md.

use serde_json::{Value, json};

use super::programs::Program;
use super::survey::{Context, Survey};

/// The whole document, with a newline at its end.
pub fn document(survey: &Survey) -> Vec<u8> {
    let frames = survey.frames.iter().enumerate().map(|(index, frame)| {
        json!({ "index": index, "first_command": frame.first, "last_command": frame.last, "draws": frame.draws })
    });
    let frames: Vec<Value> = frames.collect();
    let draws = survey.draws.iter().map(
        |draw| json!({ "command": draw.command, "frame": draw.frame, "name": draw.name, "program": draw.program }),
    );
    let draws: Vec<Value> = draws.collect();
    let process = survey.process.as_ref().map(|process| {
        json!({
            "pid": process.pid,
            "program": process.program,
            "arguments": process.arguments,
            "directory": process.directory,
        })
    });
    let document = json!({
        "product": survey.product,
        "bytes": survey.bytes,
        "calls": survey.calls,
        "threads": survey.threads,
        "process": process,
        "frames": frames,
        "draws": draws,
        "contexts": survey.contexts.iter().map(context).collect::<Vec<_>>(),
        "programs": survey.programs.iter().enumerate().map(program).collect::<Vec<_>>(),
        "problems": survey.problems,
    });
    let mut text = format!("{document:#}").into_bytes();
    text.push(b'\n');
    text
}

fn context(context: &Context) -> Value {
    json!({
        "number": context.number,
        "share": (context.share != 0).then_some(context.share),
        "api": super::text::api_name(context.api),
        "major": context.version.0,
        "minor": context.version.1,
        "profile": super::text::profile_name(context.profile),
        "vendor": context.vendor,
        "renderer": context.renderer,
        "version": context.version_text,
    })
}

fn program((index, program): (usize, &Program)) -> Value {
    let shaders = program.shaders.iter().map(
        |shader| json!({ "name": shader.name, "stage": shader.stage, "source": shader.source, "lines": shader.lines }),
    );
    let shaders: Vec<Value> = shaders.collect();
    json!({
        "index": index,
        "name": program.name,
        "context": program.context,
        "created": program.created,
        "links": program.links,
        "shaders": shaders,
    })
}
