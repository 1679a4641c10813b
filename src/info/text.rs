//! What `info` prints for people.

use std::io::Write;
use std::path::Path;

use api::constant;
use state::annotation::{path_text, quoted};

use crate::amount::{count, digits, size};
use crate::out::one_line;
use afterimage::survey::{Amount, Context, Draw, Program, Survey};

/// Where commands are that belong to no frame.
const BEFORE: &str = "before the first frame";
const AFTER: &str = "after the last frame";

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
        for draw in survey.draws.iter().filter(|draw| draw.listed) {
            let program = draw.program.map(|at| {
                let program = &survey.programs[at];
                format!(", program {}{}", program.name, quoted(program.label.as_deref()))
            });
            let program = program.unwrap_or_default();
            let place = match draw.frame {
                Some(frame) => format!("in frame {frame}"),
                None if survey.is_before(draw.command) => BEFORE.to_owned(),
                None => AFTER.to_owned(),
            };
            let groups =
                if draw.groups.is_empty() { String::new() } else { format!(", in {}", path_text(&draw.groups)) };
            let (amount, target) = (amount(&draw.amount), target(draw));
            let changed = match draw.changed.as_slice() {
                [] => String::new(),
                changed => format!("; new: {}", changed.join(", ")),
            };
            writeln!(
                out,
                "draw      {} {place}: {}{amount}{program}{target}{groups}{changed}",
                draw.command, draw.name
            )?;
        }
    }
    for program in &survey.programs {
        writeln!(out, "program   {}", one_line(&program_line(program)))?;
    }
    let without: Vec<&Program> = survey.programs.iter().filter(|program| program.lacks_text()).collect();
    if !without.is_empty() {
        writeln!(out, "no text   {}", without_text(&without))?;
    }
    for problem in &survey.problems {
        writeln!(out, "problem   {}", one_line(problem))?;
    }
    Ok(())
}

fn write_frames(out: &mut impl Write, survey: &Survey, each: bool) -> std::io::Result<()> {
    let draws = survey.frames.iter().map(|frame| frame.draws);
    let (least, most) = (draws.clone().min().unwrap_or(0), draws.clone().max().unwrap_or(0));
    let total = count(survey.draw_count, "draw");
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
    if let (Some((first, last)), false) = (survey.before, each) {
        let draws = count(survey.draws_before, "draw");
        writeln!(out, "setup     commands {first} to {last}, {draws}: what the first frame needs from before it")?;
    }
    if each {
        if let Some((first, last)) = survey.before {
            let draws = count(survey.draws_before, "draw");
            writeln!(out, "          {BEFORE}: commands {first} to {last}, {draws}")?;
        }
        for (index, frame) in survey.frames.iter().enumerate() {
            let draws = count(frame.draws, "draw");
            writeln!(out, "frame     {index}: commands {} to {}, {draws}", frame.first, frame.last)?;
        }
        if let Some((first, last)) = survey.after {
            let draws = count(survey.draws_after, "draw");
            writeln!(out, "          {AFTER}: commands {first} to {last}, {draws}")?;
        }
    }
    Ok(())
}

/// Says which programs have no text, and what to do about it.
fn without_text(programs: &[&Program]) -> String {
    /// A line with more numbers is read by nobody; the list of programs above says it of each.
    const MOST: usize = 10;
    let names: Vec<String> = programs.iter().take(MOST).map(|program| program.name.to_string()).collect();
    let more = if programs.len() > MOST { ", ..." } else { "" };
    let (of, names) = (count(programs.len() as u64, "program"), names.join(", "));
    let mut line = format!("{of} cannot be shown, measured or stepped through ({names}{more})");
    if programs.iter().any(|program| program.loaded.is_some()) {
        line += "; record without --keep-binaries to get texts in place of binaries";
    }
    line
}

/// How much a draw draws.
fn amount(amount: &Amount) -> String {
    let mut text = amount.mode.map_or(String::new(), |mode| format!(" {mode}"));
    if let Some(number) = amount.count {
        let (one, many) = if amount.indexed { ("index", "indices") } else { ("vertex", "vertices") };
        text += &format!(", {} {}", digits(number), if number == 1 { one } else { many });
    }
    if let Some(number) = amount.instances {
        text += &format!(", {}", count(number, "instance"));
    }
    if let Some([x, y, z]) = amount.groups {
        text += &format!(", {x}x{y}x{z} groups");
    }
    text
}

/// The framebuffer object that a draw draws to.
fn target(draw: &Draw) -> String {
    match &draw.framebuffer {
        (0, _) => String::new(),
        (name, label) => format!(", to framebuffer {name}{}", quoted(label.as_deref())),
    }
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
            let name = shader.name.map(|name| format!(" {name}")).unwrap_or_default();
            let name = name + &quoted(shader.label.as_deref());
            match shader.source {
                Some(call) => format!("{}{name} ({} at {call})", shader.stage, count(shader.lines as u64, "line")),
                None => format!("{}{name} (no text)", shader.stage),
            }
        })
        .collect();
    let linked = match (program.loaded, program.links.last()) {
        (Some(loaded), _) => format!("loaded at {loaded}"),
        (None, Some(link)) => format!("linked at {link}"),
        (None, None) => "never linked".to_owned(),
    };
    let shaders = match program.loaded {
        Some(_) => "a binary, without text".to_owned(),
        None if shaders.is_empty() => "no shaders".to_owned(),
        None => shaders.join(", "),
    };
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
