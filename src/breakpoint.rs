//! `afterimage break`: where in a shader a condition holds, over draws, frames or a whole trace.

mod site;

use std::fmt::Write as _;

use afterimage::survey;
use anyhow::bail;
use session::{BreakpointHits, BreakpointSearch, DrawSelection, PathStep};
use state::annotation::path_text;

use crate::amount::plural;
use crate::cli::Outcome;
use crate::dump::Range;
use crate::info;
use crate::inspect::asking::Asking;
use crate::inspect::counted;
use crate::json;
use crate::json::breakpoint::Document;
use crate::progress::asked;
use crate::replay::on_what_is_left;
use crate::state::place::CommandRef;
use site::Site;

const HELP: &str = "\
Examples:
  afterimage break game.aftr --site 7:31 --if 'isnan(light.x)'         shader 7, line 31, in all frames
  afterimage break game.aftr --site 3:fragment:31 --if 'n.y < 0.0' --frame 2   the fragment shader of program 3
  afterimage break game.aftr --site 7:31 --at 1200                     whether a draw comes to the line at all

Shaders are numbered as `afterimage info` names them. On devices with storage blocks in
fragment shaders, every fragment is counted; on others, only the last one at each pixel.

Exit status: 0 the condition held somewhere, 1 it never did, 2 the request could not be served.";

/// Find where in a shader a condition holds, over draws, frames or a whole trace.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Choose a line of a shader, by the shader's number as `info` has it, or by its program and a stage.
    #[arg(long, value_name = "SHADER:LINE", value_parser = site::parse)]
    site: Site,
    /// Choose the context whose shader or program is meant, where several contexts that share no objects have one of the
    /// same number.
    #[arg(long, value_name = "N")]
    context: Option<u32>,
    /// Test a condition in the scope of the line before it; without one, reaching the line is enough.
    #[arg(long = "if", value_name = "GLSL")]
    condition: Option<String>,
    /// Search only draws of this frame, counted from 0.
    #[arg(long, value_name = "N", conflicts_with_all = ["range", "at"])]
    frame: Option<usize>,
    /// Search only these commands: A..B from A up to but not B, A..=B, A.., ..B, or just one number.
    #[arg(long, value_name = "A..B", conflicts_with = "at")]
    range: Option<Range>,
    /// Search only this draw: the number of its command; frame:N for the last one of a frame.
    #[arg(long, value_name = "CMD", allow_hyphen_values = true)]
    at: Option<CommandRef>,
    /// Name N invocations, of several draws if they are in several.
    #[arg(long, value_name = "N", default_value_t = 10)]
    first: usize,
    #[command(flatten)]
    asking: Asking,
}

/// Asks all draws, and prints what was found.
///
/// # Errors
/// When there is no such shader, frame or line, the condition is wrong, or nothing could be asked.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut session = args.asking.open()?;
    let reader = session.trace().reader();
    let survey = info::survey(reader, survey::Draws::Listed)?;
    let (shader, programs) = args.site.resolve(&survey, args.context)?;
    let length = reader.len();
    let at = args.at.map(|at| at.draw(reader)).transpose()?;
    let wanted = |draw: &&survey::Draw| {
        let here = match (args.frame, args.range, at) {
            (Some(frame), _, _) => draw.frame == Some(frame),
            (_, Some(range), _) => range.within(length).contains(&draw.command),
            (_, _, Some(at)) => draw.command == at,
            _ => true,
        };
        // Programs of pipelines are found out when the draw is looked at.
        here && draw.program.is_none_or(|program| programs.contains(&program))
    };
    if args.frame.is_some_and(|frame| frame >= survey.frames.len()) {
        bail!("there is no such frame; the trace has {}, from 0", plural(survey.frames.len() as u64, "frame"));
    }
    let search = BreakpointSearch {
        shader,
        line: args.site.line,
        exact_line: false,
        condition: args.condition.clone(),
        draws: DrawSelection::Commands(survey.draws.iter().filter(wanted).map(|draw| draw.command).collect()),
        most: args.first,
        options: args.asking.options()?,
    };
    let found = asked(&mut session, |session| session.search_breakpoint(&search))?;
    let document = match args.asking.json {
        true => json::pretty(&Document::new(&args.site.to_string(), &search, &found))?,
        false => text(args, &found),
    };
    crate::out::document(&document, args.asking.json)?;
    let outcome = if found.draws.is_empty() { Outcome::No } else { Outcome::Done };
    Ok(on_what_is_left(session.trace().damage(), outcome))
}

/// Says that no statement begins in a line that was asked for.
pub fn slid(asked: u32) -> String {
    format!("no statement begins in line {asked}; the next one is taken\n")
}

fn text(args: &Args, found: &BreakpointHits) -> String {
    let mut text = format!("line {}: {}\n", found.line, found.line_text);
    if found.line != args.site.line {
        text.insert_str(0, &slid(args.site.line));
    }
    let invocations = found.invocations();
    // Writing to memory does not fail.
    let _ = if found.draws.is_empty() {
        let all = plural(found.asked as u64, "draw");
        match &args.condition {
            Some(condition) => writeln!(text, "never: {condition}, in {all}"),
            None => writeln!(text, "never reached, in {all}"),
        }
    } else {
        let (draws, all) = (found.draws.len(), plural(found.asked as u64, "draw"));
        let holds = args.condition.as_ref().map_or("reached".to_owned(), |condition| format!("{condition}:"));
        writeln!(text, "{holds} in {draws} of {all}, {}", plural(invocations, "invocation"))
    };
    for draw in &found.draws {
        let _ = writeln!(
            text,
            "  command {}, {}, {}: {}, {}",
            draw.command,
            session::frame_name(draw.frame),
            if draw.groups.is_empty() {
                draw.call.clone()
            } else {
                format!("{} in {}", draw.call, path_text(&draw.groups))
            },
            plural(draw.invocations, "invocation"),
            plural(draw.times, "time")
        );
    }
    for hit in &found.first {
        let [a, b, c, _] = hit.id;
        let who = match hit.stage.as_str() {
            // A shader of OpenGL ES 2 cannot name its primitive.
            "fragment" if c < 0 => format!("pixel {a},{b}"),
            "fragment" => format!("pixel {a},{b}, primitive {c}"),
            "vertex" => format!("vertex {a} of instance {b}"),
            "compute" => format!("invocation {a},{b},{c}"),
            _ => format!("primitive {a}, invocation {b}"),
        };
        let (command, line, times) = (hit.command(), found.line, plural(hit.times, "time"));
        let first = match PathStep::text(&hit.path).as_str() {
            "" => String::new(),
            way if hit.times > 1 => format!(", first {way}"),
            way => format!(", {way}"),
        };
        let _ = writeln!(text, "    command {command}, line {line}: {who}, {times}{first}");
    }
    let left = invocations.saturating_sub(found.first.len() as u64);
    if left > 0 {
        let _ = writeln!(text, "    {left} more; --first N names more of them");
    }
    text += counted::text(found.counted);
    text += &counted::missed(found.missed);
    for problem in &found.problems {
        let _ = writeln!(text, "could not be asked: {problem}");
    }
    text
}
