//! `afterimage inspect`: what happens in an invocation of a shader, measured on the device.

pub mod asking;
pub mod counted;
pub mod export;
pub mod field;
mod invocation;
mod table;

use anyhow::bail;
use session::{
    Choice, ExpressionPlace, ExpressionRequest, FieldRequest, InspectRequest, Moment, Session, Stage, TableRequest,
    ValuePlace, parse,
};
use trace::Reader;

use crate::breakpoint;
use crate::cli::Outcome;
use crate::json;
use crate::json::inspect::FieldDocument;
use crate::progress::asked;
use crate::replay::on_what_is_left;
use asking::{Asking, Which};
use field::Files;

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

With --verify values are compared with the emulator's. Where one is farther off than rounding, the invocation is recorded
whole, and each of its operations is judged by what was measured of its operands: if all give what the specification allows
them, the difference is what they are allowed together. Values of one invocation that differ because an earlier line diverges
are carried over from that line. For all fragments this is done one by one. In NAME.difference.png, beside the picture,
equal is black, within rounding green, allowed amber, divergent grey to white, a value that only one has red.

Pixels are counted from the lower left corner, even if a shader counts them otherwise (origin_upper_left). In pictures NaN
is magenta, infinity yellow, its negative cyan; pixels without a value are chequered: grey untouched, blue not reached, red
discarded.

Exit status: 0 done, 1 the place was not reached, or --verify found a divergence (of all invocations: in more than
one in a thousand), 2 the request could not be served, or there is a divergence and the emulator lacks contents.";

/// Show the values in a shader while it ran, measured on the device.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// Inspect the fragment at a pixel, and its sample if the shader runs for each.
    #[arg(long, value_name = "X,Y[,SAMPLE]", value_parser = parse::pixel_and_sample, allow_hyphen_values = true)]
    pixel: Option<([u32; 2], Option<u32>)>,
    /// Choose the layer of the pixel, if the framebuffer has several.
    #[arg(long, value_name = "N", requires = "pixel")]
    layer: Option<u32>,
    /// Inspect a vertex by its number.
    #[arg(long, value_name = "N", conflicts_with = "pixel")]
    vertex: Option<u32>,
    /// Choose the instance of the vertex.
    #[arg(long, value_name = "N", requires = "vertex")]
    instance: Option<u32>,
    /// Inspect a primitive by its number, or choose the primitive of a pixel.
    #[arg(long, value_name = "N")]
    primitive: Option<u32>,
    /// Inspect a compute invocation by its global number.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse::invocation, conflicts_with_all = ["pixel", "vertex"])]
    thread: Option<[u32; 3]>,
    /// Inspect an invocation of --stage by its number, as `debug` does: --vertex, --primitive or --thread.
    #[arg(long, value_name = "N", value_parser = parse::invocation, conflicts_with_all = ["pixel", "vertex", "primitive", "thread"])]
    index: Option<[u32; 3]>,
    /// Show only this line of the shader.
    #[arg(long, value_name = "LINE")]
    line: Option<u32>,
    /// Show only the expression at this column of the line.
    #[arg(long, value_name = "COLUMN", requires = "line")]
    column: Option<u32>,
    /// Evaluate an expression of your own before the line.
    #[arg(long, value_name = "GLSL", conflicts_with = "column")]
    expr: Option<String>,
    /// Choose one time that the line is reached, as it is printed: s12:loop@5#3
    #[arg(long, value_name = "MOMENT", value_parser = moment)]
    moment: Option<Moment>,
    /// Choose the iteration of the innermost loop, for all fragments.
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "moment")]
    iteration: u32,
    #[command(flatten)]
    files: Files,
    /// Print a row for every fragment that runs, not a value for every pixel.
    #[arg(long, conflicts_with_all = ["pixel", "vertex", "thread", "emulated", "image"])]
    every: bool,
    /// Run the invocations on the emulator too, and compare.
    #[arg(long)]
    verify: bool,
    /// Examine at most N fragments that diverge, operation by operation.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "verify")]
    settle: usize,
    /// Take files and numbers from the emulator.
    #[arg(long, conflicts_with = "pixel")]
    emulated: bool,
    #[command(flatten)]
    asking: Asking,
}

/// Asks, and prints the answer.
///
/// # Errors
/// When there is no such place, or the device gives no answer.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    args.files.refuse()?;
    let mut session = args.asking.open()?;
    let (document, outcome) = match args.choice(session.trace().reader())? {
        Some(choice) if args.expr.is_some() => expression(args, &mut session, choice)?,
        Some(choice) => one(args, &mut session, choice)?,
        None => all(args, &mut session)?,
    };
    crate::out::document(&document, args.asking.json)?;
    Ok(on_what_is_left(session.trace().damage(), outcome))
}

/// The run of one invocation.
fn one(args: &Args, session: &mut Session, choice: Choice) -> anyhow::Result<(String, Outcome)> {
    let request = InspectRequest {
        choice,
        line: args.line,
        column: args.column,
        moment: args.moment.clone(),
        verify: args.verify,
        options: args.asking.options()?,
    };
    let inspection = asked(session, |session| session.inspect(&request))?;
    let is_line = args.line.is_some();
    let outcome = invocation::outcome(&inspection, is_line);
    let document = match args.asking.json {
        true => json::pretty(&inspection)?,
        false => slid(args.line, inspection.line) + &invocation::text(&inspection, is_line),
    };
    Ok((document, outcome))
}

/// The user's own expression in one invocation.
fn expression(args: &Args, session: &mut Session, choice: Choice) -> anyhow::Result<(String, Outcome)> {
    let at = match (&args.moment, args.line) {
        (Some(moment), _) => ExpressionPlace::Moment(moment.clone()),
        (None, Some(line)) => ExpressionPlace::Line(line),
        (None, None) => bail!("--expr is evaluated before a line: say which with --line"),
    };
    let (expression, options) = (args.expr.clone().unwrap_or_default(), args.asking.options()?);
    let request = ExpressionRequest { choice, expression, at, verify: args.verify, options };
    let inspection = asked(session, |session| session.inspect_expression(&request))?;
    let outcome = invocation::expression_outcome(&inspection);
    let document = match args.asking.json {
        true => json::pretty(&inspection)?,
        false => {
            slid(args.line, Some(inspection.line)) + &invocation::expression_text(&request.expression, &inspection)
        }
    };
    Ok((document, outcome))
}

/// Says that another line was taken than the one that was asked for, as `afterimage break` does.
fn slid(asked: Option<u32>, taken: Option<u32>) -> String {
    match (asked, taken) {
        (Some(asked), Some(taken)) if asked != taken => breakpoint::slid(asked),
        _ => String::new(),
    }
}

/// One value of all invocations.
fn all(args: &Args, session: &mut Session) -> anyhow::Result<(String, Outcome)> {
    let command = args.which.at.draw(session.trace().reader())?;
    let stage = args.which.stage.unwrap_or(Stage::Fragment);
    let (value, verify, options) = (args.value()?, args.verify, args.asking.options()?);
    if stage != Stage::Fragment || args.every {
        if args.emulated {
            bail!("--emulated is for a value of all fragments; elsewhere --verify shows what the emulator says");
        }
        let is_value = value.is_some();
        let request = TableRequest { command, stage, value, verify, options };
        let table = asked(session, |session| session.inspect_table(&request))?;
        table::write(&table, &args.files, is_value)?;
        let document = if args.asking.json { json::pretty(&table)? } else { table::text(&table) };
        return Ok((document, table::outcome(&table, is_value)));
    }
    let Some(value) = value else {
        bail!(
            "say whose values are wanted, with --pixel X,Y, --vertex N or --thread X,Y,Z, or of all fragments which value, \
             with --line LINE"
        )
    };
    let (emulated, settle) = (args.emulated, args.settle);
    let request = FieldRequest { command, value, emulated, verify, settle, options };
    let inspection = asked(session, |session| session.inspect_field(&request))?;
    if let (Some(path), Some(verify)) = (&args.files.image, &inspection.verify) {
        export::difference(&verify.pixels, inspection.size, &path.with_extension("difference.png"))?;
    }
    let range = args.files.write(&inspection.field)?;
    let document = match args.asking.json {
        true => json::pretty(&FieldDocument { inspection: &inspection, range })?,
        false => field::text(&inspection, &args.files, range),
    };
    Ok((document, field::outcome(&inspection)))
}

impl Args {
    /// Returns the value that all invocations are asked for; `None` for all that they have.
    fn value(&self) -> anyhow::Result<Option<ValuePlace>> {
        if self.line.is_none() && self.moment.is_none() {
            if self.expr.is_some() {
                bail!("--expr is evaluated before a line: say which with --line");
            }
            return Ok(None);
        }
        Ok(Some(ValuePlace {
            line: self.line,
            column: self.column,
            expression: self.expr.clone(),
            moment: self.moment.clone(),
            iteration: self.iteration,
        }))
    }

    /// Returns the invocation whose values are wanted; `None` if all are.
    fn choice(&self, reader: &Reader) -> anyhow::Result<Option<Choice>> {
        let (command, stage) = (self.which.at.draw(reader)?, self.which.stage);
        let only = |wanted: Stage, option: &str| match stage {
            Some(other) if other != wanted => {
                bail!("{option} is for {} shaders, and --stage says {}", wanted.name(), other.name())
            }
            _ => Ok(()),
        };
        let choice = match (self.pixel, self.vertex, self.thread) {
            (Some(([x, y], sample)), _, _) => {
                only(Stage::Fragment, "--pixel")?;
                Choice::Fragment { command, x, y, primitive: self.primitive, sample, layer: self.layer }
            }
            (_, Some(vertex), _) => {
                only(Stage::Vertex, "--vertex")?;
                Choice::Vertex { command, vertex, instance: self.instance }
            }
            (_, _, Some(id)) => {
                only(Stage::Compute, "--thread")?;
                Choice::Thread { command, id }
            }
            (None, None, None) => match (self.primitive, self.index) {
                (_, Some(id)) => crate::debug::place::of_stage(command, stage.unwrap_or(Stage::Vertex), id),
                (Some(primitive), None) => {
                    let stage = stage.unwrap_or(Stage::Geometry).name().to_owned();
                    Choice::Primitive { command, stage, primitive, invocation: None }
                }
                (None, None) => return Ok(None),
            },
        };
        if self.files.any() {
            bail!(
                "--image, --csv and --npy have all invocations: leave out --pixel, --vertex, --primitive and --thread"
            );
        }
        Ok(Some(choice))
    }
}

/// A moment as it is printed.
fn moment(text: &str) -> Result<Moment, String> {
    text.parse().map_err(|error: <Moment as std::str::FromStr>::Err| error.to_string())
}
