//! `afterimage inspect`: what happens in an invocation of a shader, measured on the device.

mod page;
mod place;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail};
use instrument::inspect::Ask;
use instrument::{Detail, Question, Scope};
use replay::inspect::Changes;
use session::verdict;
use session::{Session, Work};
use shader::version::Stage;

use crate::cli::Outcome;
use crate::replay::On;
use page::Page;

const HELP: &str = "\
Examples:
  afterimage inspect game.aftr --at 1200 --pixel 320,200             everything the fragment shader did there
  afterimage inspect game.aftr --at 1200 --pixel 320,200 --line 17   the values of line 17, each time it was reached
  afterimage inspect game.aftr --at 1200 --pixel 320,200 --line 17 --column 24   of the expression under the cursor
  afterimage inspect game.aftr --at 1200 --pixel 320,200 --verify    beside what the emulator computes
  afterimage inspect game.aftr --at 1200 --stage vertex --vertex 7   a vertex

Pixels are counted from the lower left corner, as gl_FragCoord does.

Exit status: 0 done, 1 the place was not reached, or --verify found a divergence, 2 the request could not be served.";

/// Show the values in a shader while it ran, measured on the device.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The draw or dispatch: the number of its command.
    #[arg(long, value_name = "CMD")]
    at: u64,
    /// The stage: vertex, tesscontrol, tessevaluation, geometry, fragment or compute.
    #[arg(long, value_name = "STAGE", value_parser = place::stage)]
    stage: Option<Stage>,
    /// The pixel of a fragment.
    #[arg(long, value_name = "X,Y", value_parser = place::pair)]
    pixel: Option<[i32; 2]>,
    /// The number of a vertex.
    #[arg(long, value_name = "N", conflicts_with = "pixel")]
    vertex: Option<i32>,
    /// The number of an instance.
    #[arg(long, value_name = "N", requires = "vertex")]
    instance: Option<i32>,
    /// The number of a primitive.
    #[arg(long, value_name = "N")]
    primitive: Option<i32>,
    /// The global number of a compute invocation.
    #[arg(long, value_name = "X,Y,Z", value_parser = place::triple, conflicts_with_all = ["pixel", "vertex"])]
    thread: Option<[i32; 3]>,
    /// Only this line of the shader.
    #[arg(long, value_name = "LINE")]
    line: Option<u32>,
    /// The expression at this column of the line.
    #[arg(long, value_name = "COLUMN", requires = "line")]
    column: Option<u32>,
    /// Run the invocation on the emulator too, and compare.
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    on: On,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
}

/// Asks, and prints the answer.
///
/// # Errors
/// When there is none.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let program = std::env::current_exe().context("cannot find this program's own file, to start a worker")?;
    let mut session = Session::open(&program, &args.trace, args.on.choice(), args.on.patience())?;
    let work = session.work(args.at)?;
    let (stage, pick) = invocation(args, &work)?;
    let shader = &work.facts(stage)?.shader;
    let site = args.line.map(|line| place::site(shader, line, args.column)).transpose()?;
    let detail = if args.column.is_some() { Detail::Expressions } else { Detail::Statements };
    let question = Question::Recording { detail };
    let ask = Ask { scope: Scope::One, pick, transport: None };
    let changes = Changes::default();
    let measured = session.measure(&work, stage, &question, &ask, &changes)?;
    let Some((who, reading)) = measured.result.readings.last() else {
        bail!("no {} invocation of command {} is there; nothing was drawn at that place", stage.name(), args.at);
    };
    let mut missing = Vec::new();
    let comparison = if args.verify {
        let pick = *who;
        let inputs = session.inputs(&work, stage, pick, &changes)?;
        let mut emulated = session.emulated(&work, stage, inputs)?;
        let result = session.emulate(&work, &mut emulated, &question)?;
        missing = emulated.missing().to_vec();
        let (_, theirs) = result.readings.last().context("the emulator did not come to an end")?;
        Some(verdict::compare(&shader.typed.types, reading, theirs))
    } else {
        None
    };
    let page = Page { work: &work, stage, who: *who, reading, comparison, site, measured: &measured, missing };
    let document = if args.json { format!("{:#}\n", page.json()) } else { page.text() };
    std::io::stdout().lock().write_all(document.as_bytes())?;
    Ok(page.outcome())
}

/// Whose values are wanted.
fn invocation(args: &Args, work: &Work) -> anyhow::Result<(Stage, [i32; 4])> {
    let any = -1;
    let primitive = args.primitive.unwrap_or(any);
    let (stage, pick) = match (args.pixel, args.vertex, args.thread) {
        (Some([x, y]), _, _) => (Stage::Fragment, [x, y, primitive, any]),
        (_, Some(vertex), _) => (Stage::Vertex, [vertex, args.instance.unwrap_or(any), any, any]),
        (_, _, Some([x, y, z])) => (Stage::Compute, [x, y, z, any]),
        (None, None, None) if args.primitive.is_some() => (Stage::Geometry, [primitive, any, any, any]),
        (None, None, None) => {
            bail!("say whose values are wanted: --pixel X,Y, --vertex N, --primitive N or --thread X,Y,Z")
        }
    };
    let stage = args.stage.unwrap_or(stage);
    if let ([x, y], Stage::Fragment) = ([pick[0], pick[1]], stage) {
        let [width, height] = work.target.size.map(u32::cast_signed);
        if !(0..width).contains(&x) || !(0..height).contains(&y) {
            bail!("pixel {x},{y} is outside of what command {} draws to, which has {width} x {height} pixels", args.at);
        }
    }
    Ok((stage, pick))
}
