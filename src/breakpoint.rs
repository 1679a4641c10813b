//! `afterimage break`: where in a shader a condition holds, over draws, frames or a whole trace.

mod site;

use std::fmt::Write as _;
use std::io::Write;

use anyhow::bail;
use instrument::inspect::Identity;
use instrument::{Question, Scope, first_hit, hits};
use moment::Moment;
use serde_json::{Value as Json, json};

use crate::cli::Outcome;
use crate::dump::Range;
use crate::info::survey;
use crate::inspect::asking::{Asker, Asking};
use crate::inspect::counted::{self, Counted};
use crate::inspect::place;
use crate::progress::Progress;
use site::{Place, Where};

const HELP: &str = "\
Examples:
  afterimage break game.aftr --site 7:31 --if 'isnan(light.x)'         shader 7, line 31, in all frames
  afterimage break game.aftr --site 3:fragment:31 --if 'n.y < 0.0' --frame 2   the fragment shader of program 3
  afterimage break game.aftr --site 7:31 --at 1200                     whether a draw comes to the line at all

Shaders are numbered as `afterimage info` names them. Every fragment that runs is counted, where the device has storage
blocks for fragment shaders; elsewhere the one that stays at each pixel is.

Exit status: 0 the condition held somewhere, 1 it never did, 2 the request could not be served.";

/// Find where in a shader a condition holds, over draws, frames or a whole trace.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// A line of a shader: the shader's number as `info` has it, or its program's and a stage.
    #[arg(long, value_name = "SHADER:LINE", value_parser = site::parse)]
    site: Place,
    /// A condition in the scope of the line, tested before it; being there is enough without one.
    #[arg(long = "if", value_name = "GLSL")]
    condition: Option<String>,
    /// Only draws of this frame, counted from 0.
    #[arg(long, value_name = "N", conflicts_with_all = ["range", "at"])]
    frame: Option<usize>,
    /// Only these commands.
    #[arg(long, value_name = "A..B", conflicts_with = "at")]
    range: Option<Range>,
    /// Only this draw.
    #[arg(long, value_name = "CMD")]
    at: Option<u64>,
    /// How many invocations to name.
    #[arg(long, value_name = "N", default_value_t = 10)]
    first: usize,
    #[command(flatten)]
    asking: Asking,
}

/// What was found in one draw.
struct Draw {
    command: u64,
    frame: usize,
    name: &'static str,
    invocations: usize,
    times: u64,
}

/// An invocation in which the condition held.
struct Hit {
    command: u64,
    stage: &'static str,
    who: Identity,
    times: u32,
    moment: Option<Moment>,
}

/// Everything that was found.
#[derive(Default)]
struct Found {
    asked: usize,
    draws: Vec<Draw>,
    hits: Vec<Hit>,
    line: String,
    counted: Option<Counted>,
    missed: u64,
    problems: Vec<String>,
}

/// Asks all draws, and prints what was found.
///
/// # Errors
/// When nothing could be asked.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut asker = args.asking.open()?;
    let survey = survey::survey(asker.inquiry.reader())?;
    let place = args.site.resolve(&survey)?;
    let length = asker.inquiry.reader().len();
    let wanted = |draw: &&survey::Draw| {
        let here = match (args.frame, args.range, args.at) {
            (Some(frame), _, _) => draw.frame == frame,
            (_, Some(range), _) => range.within(length).contains(&draw.command),
            (_, _, Some(at)) => draw.command == at,
            _ => true,
        };
        // Programs of pipelines are found out when the draw is looked at.
        here && draw.program.is_none_or(|program| place.programs.contains(&survey.programs[program].name))
    };
    if args.frame.is_some_and(|frame| frame >= survey.frames.len()) {
        bail!("there is no such frame; the trace has {}, from 0", survey.frames.len());
    }
    let draws: Vec<&survey::Draw> = survey.draws.iter().filter(wanted).collect();
    let mut progress = Progress::new(draws.len() as u64, "draws asked");
    let mut found = Found::default();
    for (number, draw) in draws.iter().enumerate() {
        progress.step(number as u64);
        ask(args, &mut asker, &place, draw, &mut found)?;
    }
    progress.clear();
    if found.asked == 0 {
        let why = found.problems.first().map_or(String::new(), |problem| format!(": {problem}"));
        bail!("none of the {} draws looked at could be asked about shader {}{why}", draws.len(), args.site);
    }
    let document = if args.asking.json { format!("{:#}\n", json(args, &found)) } else { text(args, &found) };
    std::io::stdout().lock().write_all(document.as_bytes())?;
    Ok(if found.draws.is_empty() { Outcome::No } else { Outcome::Done })
}

/// Asks one draw.
fn ask(
    args: &Args,
    asker: &mut Asker<'_>,
    place: &Where,
    draw: &survey::Draw,
    found: &mut Found,
) -> anyhow::Result<()> {
    let work = match asker.inquiry.work(draw.command) {
        Ok(work) => work,
        // Draws without shaders, or of programs in pipelines, are no draws of this one.
        Err(_) if draw.program.is_none() => return Ok(()),
        Err(error) => {
            found.problems.push(format!("command {}: {error}", draw.command));
            return Ok(());
        }
    };
    let stage = place.stage;
    let Ok(facts) = work.facts(stage) else { return Ok(()) };
    if !place.programs.contains(&facts.program) {
        return Ok(());
    }
    let shader = &facts.shader;
    let site = place::site(shader, args.site.line, None)?;
    found.line = place::excerpt_line(shader, args.site.line).to_owned();
    let condition = match &args.condition {
        Some(text) => Some(instrument::nan::spelled(shader, &facts.options, site, text).map_err(anyhow::Error::msg)?),
        None => None,
    };
    let question = Question::Condition { site, condition };
    let measured = match asker.measure(&work, stage, &question, (Scope::At, [-1; 4])) {
        Ok(measured) => measured,
        // A wrong condition is wrong everywhere.
        Err(error) if found.asked == 0 => return Err(error),
        Err(error) => {
            found.problems.push(format!("command {}: {error:#}", draw.command));
            return Ok(());
        }
    };
    found.asked += 1;
    found.counted = found.counted.max(Counted::of(&work, stage, &measured));
    found.missed += u64::from(measured.result.missed);
    let (mut invocations, mut total) = (0, 0);
    for (who, reading) in counted::sorted(stage, &measured) {
        let times = hits(site, reading);
        if times == 0 {
            continue;
        }
        invocations += 1;
        total += u64::from(times);
        if found.hits.len() < args.first {
            let moment = first_hit(shader, site, reading);
            found.hits.push(Hit { command: draw.command, stage: stage.name(), who: *who, times, moment });
        }
    }
    if invocations > 0 {
        let (command, frame, name) = (draw.command, draw.frame, draw.name);
        found.draws.push(Draw { command, frame, name, invocations, times: total });
    }
    Ok(())
}

fn text(args: &Args, found: &Found) -> String {
    let condition = args.condition.as_deref().unwrap_or("being there");
    let mut text = format!("line {}: {}\n", args.site.line, found.line);
    let invocations: usize = found.draws.iter().map(|draw| draw.invocations).sum();
    // Writing to memory does not fail.
    let _ = if found.draws.is_empty() {
        writeln!(text, "never: {condition}, in {} draws", found.asked)
    } else {
        writeln!(text, "{condition}: in {} of {} draws, {invocations} invocations", found.draws.len(), found.asked)
    };
    for draw in &found.draws {
        let _ = writeln!(
            text,
            "  command {} of frame {}, {}: {} invocations, {} times",
            draw.command, draw.frame, draw.name, draw.invocations, draw.times
        );
    }
    for hit in &found.hits {
        let [a, b, c, _] = hit.who;
        let who = match hit.stage {
            "fragment" => format!("pixel {a},{b}, primitive {c}"),
            "vertex" => format!("vertex {a} of instance {b}"),
            "compute" => format!("invocation {a},{b},{c}"),
            _ => format!("primitive {a}, invocation {b}"),
        };
        let moment = hit.moment.as_ref().map_or(String::new(), |moment| format!(", first at {moment}"));
        let _ =
            writeln!(text, "    command {}, line {}: {who}, {} times{moment}", hit.command, args.site.line, hit.times);
    }
    if invocations > found.hits.len() {
        let _ = writeln!(text, "    {} more; --first N names more of them", invocations - found.hits.len());
    }
    text += found.counted.map_or("", Counted::text);
    text += &counted::missed(found.missed);
    for problem in &found.problems {
        let _ = writeln!(text, "could not be asked: {problem}");
    }
    text
}

fn json(args: &Args, found: &Found) -> Json {
    json!({
        "site": { "shader": args.site.to_string(), "line": args.site.line, "text": found.line },
        "condition": args.condition,
        "asked": found.asked,
        "draws": found.draws.iter().map(|draw| json!({
            "command": draw.command, "frame": draw.frame, "name": draw.name, "invocations": draw.invocations,
            "times": draw.times,
        })).collect::<Vec<_>>(),
        "invocations": found.draws.iter().map(|draw| draw.invocations).sum::<usize>(),
        "first": found.hits.iter().map(|hit| json!({
            "command": hit.command, "stage": hit.stage, "id": hit.who, "times": hit.times,
            "moment": hit.moment.as_ref().map(ToString::to_string), "line": args.site.line,
        })).collect::<Vec<_>>(),
        "counted": found.counted.map(Counted::word),
        "missed": found.missed,
        "problems": found.problems,
    })
}
