//! `afterimage inspect`: what happens in an invocation of a shader, measured on the device.

pub mod asking;
mod beside;
mod compared;
pub mod counted;
pub mod export;
mod expression;
pub mod field;
mod page;
pub mod place;
mod table;
pub mod whole;

use std::io::Write;

use anyhow::{Context, bail};
use inquiry::Work;
use inquiry::verdict;
use instrument::stream::LAYER;
use instrument::{Detail, Question};
use moment::Moment;
use shader::Shader;
use shader::version::Stage;

use crate::cli::Outcome;
use asking::{Asker, Asking, Which};
use expression::Expression;
use page::Page;
use place::Pixel;
use table::Table;
use whole::{Files, Whole};

const HELP: &str = "\
Examples:
  afterimage inspect game.aftr --at 1200 --pixel 320,200             everything the fragment shader did there
  afterimage inspect game.aftr --at 1200 --pixel 320,200 --line 17   the values of line 17, each time it was reached
  afterimage inspect game.aftr --at 1200 --pixel 320,200 --line 17 --column 24   of the expression under the cursor
  afterimage inspect game.aftr --at 1200 --pixel 320,200 --line 17 --expr 'length(n)'   of any expression there
  afterimage inspect game.aftr --at 1200 --pixel 320,200 --verify    beside what the emulator computes
  afterimage inspect game.aftr --at 1200 --pixel 320,200,2           in sample 2, of a shader that names gl_SampleID
  afterimage inspect game.aftr --at 1200 --pixel 320,200 --layer 5   in layer 5 of a layered target
  afterimage inspect game.aftr --at 1200 --line 17 --image n.png     what line 17 comes to in all fragments
  afterimage inspect game.aftr --at 1200 --line 17 --npy n.npy --emulated   the same by the emulator, for NumPy
  afterimage inspect game.aftr --at 1200 --line 17 --every           in every fragment, also those that others cover
  afterimage inspect game.aftr --at 1200 --stage vertex --vertex 7   a vertex
  afterimage inspect game.aftr --at 1200 --stage vertex --csv v.csv  what all vertices are given
  afterimage inspect game.aftr --at 1200 --stage vertex --verify     what all vertices come to, beside the emulator's
  afterimage inspect game.aftr --at 1200 --stage geometry            what is emitted for each primitive
  afterimage inspect game.aftr --at 1200 --pixel 3,4 --set tint=1,0,0 --texture grain=oak.png

With --verify a value of all fragments is compared with the emulator's, one by one. Fragments that are farther off than
rounding are recorded whole, and each of their operations is judged by what was measured of its operands: if all give what
the specification allows them, the difference is what they are allowed together. In NAME.difference.png, beside the picture,
equal is black, within rounding green, allowed amber, divergent grey to white, a value that only one has red.

Pixels are counted from the lower left corner, as gl_FragCoord does. In pictures NaN is magenta, infinity yellow, its
negative cyan; pixels without a value are chequered: grey untouched, blue not reached, red discarded.

Exit status: 0 done, 1 the place was not reached, or --verify found a divergence (of all invocations: in more than
one in a thousand), 2 the request could not be served.";

/// Show the values in a shader while it ran, measured on the device.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// The pixel of a fragment, and its sample where the shader runs for each.
    #[arg(long, value_name = "X,Y[,SAMPLE]", value_parser = place::pixel)]
    pixel: Option<Pixel>,
    /// The layer of the pixel, where the target has several.
    #[arg(long, value_name = "N", requires = "pixel")]
    layer: Option<u32>,
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
    /// An expression of your own, evaluated before the line.
    #[arg(long, value_name = "GLSL", conflicts_with = "column")]
    expr: Option<String>,
    /// One time that the line is reached, as it is printed: s12:loop@5#3
    #[arg(long, value_name = "MOMENT", value_parser = place::moment)]
    moment: Option<Moment>,
    /// Of all fragments: the iteration of the innermost loop.
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "moment")]
    iteration: u32,
    #[command(flatten)]
    files: Files,
    /// A row for every fragment that runs, not a value for every pixel.
    #[arg(long, conflicts_with_all = ["pixel", "vertex", "thread", "emulated", "image"])]
    every: bool,
    /// Run the invocations on the emulator too, and compare.
    #[arg(long)]
    verify: bool,
    /// Of all fragments: settle at most so many that diverge, operation by operation.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "verify")]
    settle: usize,
    /// Files and numbers are the emulator's.
    #[arg(long, conflicts_with = "pixel")]
    emulated: bool,
    #[command(flatten)]
    asking: Asking,
}

/// Asks, and prints the answer.
///
/// # Errors
/// When there is none.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut asker = args.asking.open()?;
    let work = asker.inquiry.work(args.which.at)?;
    let (document, outcome) = match invocation(args, &work)? {
        Some((stage, pick)) if args.expr.is_some() => expression(args, &mut asker, &work, stage, pick)?,
        Some((stage, pick)) => one(args, &mut asker, &work, stage, pick)?,
        None => all(args, &mut asker, &work)?,
    };
    std::io::stdout().lock().write_all(document.as_bytes())?;
    Ok(outcome)
}

/// The run of one invocation.
fn one(
    args: &Args,
    asker: &mut Asker<'_>,
    work: &Work,
    stage: Stage,
    pick: [i32; 4],
) -> anyhow::Result<(String, Outcome)> {
    let shader = &work.facts(stage)?.shader;
    let site = args.line.map(|line| place::site(shader, line, args.column)).transpose()?;
    let detail = if args.column.is_some() { Detail::Expressions } else { Detail::Statements };
    let question = Question::Recording { detail };
    let whose = (work.scope_of_one(stage), pick);
    let measured = asker.measure(work, stage, &question, whose)?;
    let times = asker.times(work, stage, &question, whose, &measured)?;
    let Some((who, reading)) = measured.result.readings.last() else {
        bail!("no {} invocation of command {} is there; nothing was drawn at that place", stage.name(), work.command);
    };
    let mut missing = Vec::new();
    let comparison = if args.verify {
        let changes = asker.changes(work)?;
        let inputs = asker.inquiry.inputs(work, stage, *who, &changes)?;
        let mut emulated = asker.inquiry.emulated(work, stage, inputs, &changes)?;
        let result = asker.inquiry.emulate(work, &mut emulated, &question)?;
        missing = emulated.missing().to_vec();
        let (_, theirs) = result.readings.last().context("the emulator did not come to an end")?;
        Some(verdict::compare(&shader.typed.types, reading, theirs))
    } else {
        None
    };
    let moment = args.moment.clone();
    let page = Page { work, stage, who: *who, reading, comparison, site, moment, measured: &measured, times, missing };
    let document = if args.asking.json { format!("{:#}\n", page.json()) } else { page.text() };
    Ok((document, page.outcome()))
}

/// The user's own expression in one invocation.
fn expression(
    args: &Args,
    asker: &mut Asker<'_>,
    work: &Work,
    stage: Stage,
    pick: [i32; 4],
) -> anyhow::Result<(String, Outcome)> {
    let shader = &work.facts(stage)?.shader;
    let site = match (&args.moment, args.line) {
        (Some(moment), _) => moment.site.into(),
        (None, Some(line)) => place::site(shader, line, None)?,
        (None, None) => bail!("--expr is evaluated before a line: say which with --line"),
    };
    let (text, moment) = (args.expr.as_deref().unwrap_or_default(), args.moment.clone());
    Expression { work, stage, pick, site, text, moment, verify: args.verify, json: args.asking.json }.run(asker)
}

/// One value of all invocations.
fn all(args: &Args, asker: &mut Asker<'_>, work: &Work) -> anyhow::Result<(String, Outcome)> {
    let stage = args.which.stage.unwrap_or(Stage::Fragment);
    let shader = &work.facts(stage)?.shader;
    let value = value(args, shader)?;
    let json = args.asking.json;
    if stage != Stage::Fragment || args.every {
        if args.emulated {
            bail!("--emulated is for a value of all fragments; elsewhere --verify shows what the emulator says");
        }
        return Table { work, stage, value, files: &args.files, verify: args.verify, json }.run(asker);
    }
    let Some((moment, expression)) = value else {
        bail!("say whose values are wanted, with --pixel X,Y, or of all fragments which value, with --line LINE")
    };
    let (emulated, verify, settle) = (args.emulated, args.verify, args.settle);
    Whole { work, moment, expression, files: &args.files, emulated, verify, settle, json }.run(asker)
}

/// The value that all are asked for.
fn value(args: &Args, shader: &Shader) -> anyhow::Result<Option<(Moment, Option<String>)>> {
    let site = match (&args.moment, args.line) {
        (Some(moment), None) => moment.site.into(),
        (_, Some(line)) => place::site(shader, line, args.column)?,
        (None, None) if args.expr.is_some() => bail!("--expr is evaluated before a line: say which with --line"),
        (None, None) => return Ok(None),
    };
    let site = match args.expr {
        Some(_) => site,
        None => match place::value_of(shader, site) {
            Some(site) => site,
            None => {
                bail!("`{}` has no value; name an expression with --column or --expr", place::excerpt(shader, site))
            }
        },
    };
    let moment = match &args.moment {
        // The way in is the same for all that is in a statement.
        Some(moment) => Moment { site: site.into(), path: moment.path.clone() },
        None => match instrument::first_way(shader, site, args.iteration) {
            Some(moment) => moment,
            None => bail!("no run of the shader comes to `{}`", place::excerpt(shader, site)),
        },
    };
    Ok(Some((moment, args.expr.clone())))
}

/// The sample and the layer that are wanted, as identities have them.
fn sample(args: &Args, work: &Work, pixel: Pixel) -> anyhow::Result<i32> {
    let shader = &work.facts(Stage::Fragment)?.shader;
    let symbol = shader.preprocessed.symbols.find("gl_SampleID");
    let each = symbol.is_some_and(|symbol| shader.preprocessed.tokens.iter().any(|token| token.symbol == symbol));
    if pixel.sample.is_some() && !each {
        bail!(
            "this shader does not tell samples apart: it has the same values in all that a fragment covers; leave out the sample"
        );
    }
    let layers = work.target.layers.max(1);
    if let Some(layer) = args.layer.filter(|layer| *layer >= layers) {
        bail!("there is no layer {layer}: command {} draws to {layers}", work.command);
    }
    Ok(match (pixel.sample, args.layer) {
        (None, None) => -1,
        (sample, layer) => sample.unwrap_or(0) + (layer.unwrap_or(0) * LAYER).cast_signed(),
    })
}

/// Whose values are wanted; nothing if all are.
fn invocation(args: &Args, work: &Work) -> anyhow::Result<Option<(Stage, [i32; 4])>> {
    let any = -1;
    let primitive = args.primitive.unwrap_or(any);
    let (stage, pick) = match (args.pixel, args.vertex, args.thread) {
        (Some(pixel), _, _) => (Stage::Fragment, [pixel.x, pixel.y, primitive, sample(args, work, pixel)?]),
        (_, Some(vertex), _) => (Stage::Vertex, [vertex, args.instance.unwrap_or(any), any, any]),
        (_, _, Some([x, y, z])) => (Stage::Compute, [x, y, z, any]),
        (None, None, None) if args.primitive.is_some() => (Stage::Geometry, [primitive, any, any, any]),
        (None, None, None) => return Ok(None),
    };
    if args.files.any() {
        bail!("--image, --csv and --npy have all invocations: leave out --pixel, --vertex, --primitive and --thread");
    }
    let stage = args.which.stage.unwrap_or(stage);
    if let ([x, y], Stage::Fragment) = ([pick[0], pick[1]], stage) {
        let [width, height] = work.target.size.map(u32::cast_signed);
        if !(0..width).contains(&x) || !(0..height).contains(&y) {
            let at = work.command;
            bail!("pixel {x},{y} is outside of what command {at} draws to, which has {width} x {height} pixels");
        }
    }
    Ok(Some((stage, pick)))
}
