//! What `info` prints for people.

use std::io::Write;
use std::path::Path;

use api::constant;
use state::annotation::{path_text, quoted};

use super::programs::Program;
use super::survey::{Context, Survey};
use crate::amount::{count, size};
use crate::out::one_line;

/// Writes the whole answer.
///
/// # Errors
/// When it cannot be written.
pub fn write_page(
    out: &mut impl Write,
    path: &Path,
    survey: &Survey,
    frames: bool,
    draws: bool,
) -> std::io::Result<()> {
    let threads = count(u64::from(survey.threads), "thread");
    let calls = count(survey.calls, "call");
    let product = one_line(&survey.product);
    writeln!(out, "{}: {calls} of {threads}, {}, by {product}", path.display(), size(survey.bytes))?;
    if let Some(process) = &survey.process {
        writeln!(out, "recorded  {} ({})", one_line(&process.program), one_line(&process.arguments))?;
    }
    for context in &survey.contexts {
        writeln!(out, "context   {}", one_line(&context_line(context)))?;
    }
    write_frames(out, survey, frames)?;
    if draws {
        for draw in &survey.draws {
            let program = draw.program.map(|at| {
                let program = &survey.programs[at];
                format!(", program {}{}", program.name, quoted(program.label.as_deref()))
            });
            let program = program.unwrap_or_default();
            let place = draw.frame.map_or_else(|| trace::frame_name(None), |frame| format!("in frame {frame}"));
            let groups =
                if draw.groups.is_empty() { String::new() } else { format!(", in {}", path_text(&draw.groups)) };
            writeln!(out, "draw      {} {place}: {}{program}{groups}", draw.command, draw.name)?;
        }
    }
    for program in &survey.programs {
        writeln!(out, "program   {}", one_line(&program_line(program)))?;
    }
    for problem in &survey.problems {
        writeln!(out, "problem   {}", one_line(problem))?;
    }
    Ok(())
}

fn write_frames(out: &mut impl Write, survey: &Survey, each: bool) -> std::io::Result<()> {
    let draws = survey.frames.iter().map(|frame| frame.draws);
    let (least, most) = (draws.clone().min().unwrap_or(0), draws.clone().max().unwrap_or(0));
    let total = count(survey.draws.len() as u64, "draw");
    // What there is of a frame is no frame yet.
    let frames = match (survey.truncated, survey.presented) {
        (true, false) => "no whole frame".to_owned(),
        _ => count(survey.frames.len() as u64, "frame"),
    };
    match survey.frames.len() {
        0 | 1 => writeln!(out, "frames    {frames}, {total}")?,
        _ if least == most => writeln!(out, "frames    {frames}, {total}: {most} in each")?,
        _ => writeln!(out, "frames    {frames}, {total}: {least} to {most} in each")?,
    }
    if each {
        for (index, frame) in survey.frames.iter().enumerate() {
            let draws = count(frame.draws, "draw");
            writeln!(out, "frame     {index}: commands {} to {}, {draws}", frame.first, frame.last)?;
        }
        if let Some((first, last)) = survey.after {
            let draws = count(survey.draws.iter().filter(|draw| draw.frame.is_none()).count() as u64, "draw");
            writeln!(out, "          {}: commands {first} to {last}, {draws}", trace::frame_name(None))?;
        }
    }
    Ok(())
}

fn context_line(context: &Context) -> String {
    let api = api_name(context.api);
    // The driver's own words say more than what was asked for; those of OpenGL ES name it (ES 3.2, 20.2).
    let version = match context.version_text.as_str() {
        "" => format!("{api} {}.{}", context.version.0, context.version.1),
        text if text.starts_with("OpenGL") => text.to_owned(),
        text => format!("{api} {text}"),
    };
    let mut line = format!("{}: {version}", context.number);
    if let Some(profile) = profile_name(context.profile) {
        line += &format!(", {profile}");
    }
    if !context.renderer.is_empty() {
        line += &format!(", {} ({})", context.renderer, context.vendor);
    }
    if context.share != 0 {
        line += &format!(", shares with {}", context.share);
    }
    line
}

fn program_line(program: &Program) -> String {
    let shaders: Vec<String> = program
        .shaders
        .iter()
        .map(|shader| {
            let source = shader.source.map(|call| format!(" at {call}")).unwrap_or_default();
            let name = shader.name.map(|name| format!(" {name}")).unwrap_or_default();
            let name = name + &quoted(shader.label.as_deref());
            format!("{}{name} ({}{source})", shader.stage, count(shader.lines as u64, "line"))
        })
        .collect();
    let linked = match program.links.last() {
        Some(link) => format!("linked at {link}"),
        None => "never linked".to_owned(),
    };
    let shaders = if shaders.is_empty() { "no shaders".to_owned() } else { shaders.join(", ") };
    let label = quoted(program.label.as_deref());
    format!("{}{label} of context {}, {linked}: {shaders}", program.name, program.context)
}

/// What an API is called that a context was made for.
pub fn api_name(api: u64) -> &'static str {
    match api as u32 {
        constant::EGL_OPENGL_ES_API => "OpenGL ES",
        _ => "OpenGL",
    }
}

/// What a profile is called, if one was asked for.
pub fn profile_name(profile: u64) -> Option<&'static str> {
    match profile as u32 {
        constant::GL_CONTEXT_CORE_PROFILE_BIT => Some("core"),
        constant::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT => Some("compatibility"),
        _ => None,
    }
}
