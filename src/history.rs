//! `afterimage history`: who made a pixel, through every pass.

mod dot;
mod images;
mod json;
pub mod poison;
mod sequence;
mod tree;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};
use chronicle::graph::Cell;
use host::Host;
use inquiry::{Inquiry, Isolation};
use recall::{Bounds, History, Node, Place, Recall, Spot, Subject};
use reenact::fragment_ops::Role;
use state::Model;

use crate::cli::{Color, Outcome};
use crate::progress::{Line, PATIENCE};
use crate::replay::On;

const HELP: &str = "\
Examples:
  afterimage history game.aftr --pixel 400,300               the last frame, as it is shown
  afterimage history game.aftr --pixel 400,300 --frame 12
  afterimage history game.aftr --pixel 10,20 --at 1200       what command 1200 draws to, after it
  afterimage history game.aftr --pixel 10,20 --at 1200 --target depth
  afterimage history game.aftr --pixel 10,20 --rows          only who wrote to the pixel itself
  afterimage history game.aftr --pixel 10,20 --depth 3 --min-weight 0.01
  afterimage history game.aftr --pixel 10,20 --dot | dot -Tsvg > history.svg
  afterimage history game.aftr --pixel 10,20 --sequence      all passes as one program, computed from the leaves
  afterimage history game.aftr --pixel 10,20 --images around a picture of what lies around each node
  afterimage history game.aftr --nan --frame 3               the first NaN of a frame, and what it poisoned

Pixels are counted from the lower left. Every fragment is looked up on the device with all that went into it, run again
on the emulator, taken through blending and rounding, and compared with what is really there.

Exit status: 0 done, 1 something that was emulated is not what is there, 2 the request could not be served.";

/// Show who made a pixel.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The pixel, from the lower left.
    #[arg(long, value_name = "X,Y", value_parser = pixel, required_unless_present_any = ["nan", "nonfinite"])]
    pixel: Option<[u32; 2]>,
    /// Find the first NaN of the frame that reaches an image, and everything that was written with one.
    #[arg(long, conflicts_with_all = ["pixel", "at", "dot", "rows", "sequence", "images"])]
    nan: bool,
    /// The same for NaN and infinities.
    #[arg(long, conflicts_with_all = ["nan", "pixel", "at", "dot", "rows", "sequence", "images"])]
    nonfinite: bool,
    /// Compute all nodes from the leaves to the pixel, each from what was computed for those before, and list them so.
    #[arg(long, conflicts_with_all = ["rows", "dot"])]
    sequence: bool,
    /// Write a picture of what lies around each of the first nodes into this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "rows")]
    images: Option<PathBuf>,
    /// So many pictures at most.
    #[arg(long, value_name = "N", default_value_t = 32, requires = "images")]
    max_images: usize,
    /// After this command; otherwise when the frame is shown, or after the last draw where nothing is.
    #[arg(long, value_name = "CMD", conflicts_with = "frame")]
    at: Option<u64>,
    /// The frame, from 0; otherwise the last.
    #[arg(long, value_name = "N")]
    frame: Option<usize>,
    /// Of what is drawn to there: colour, colour:N for draw buffer N, depth or stencil.
    #[arg(long, value_name = "PLANE", default_value = "colour", value_parser = role)]
    target: Role,
    /// The sample, where pixels have several.
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: u32,
    /// Only who wrote to the pixel, not what that was made of.
    #[arg(long)]
    rows: bool,
    /// Leave out what has less influence on the pixel than this.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    min_weight: f64,
    /// Follow so many passes back.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Find so many nodes at most.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_nodes: usize,
    /// Follow texels only: no vertices, buffers or uniforms.
    #[arg(long)]
    no_vertices: bool,
    /// How the primitives of fragments are found: listed by the shader, by halves of the draw, or as the device allows.
    #[arg(long, value_enum, default_value = "auto")]
    isolate: Isolate,
    /// Find out first which blocks of its target each draw touches, and pass those by that cannot matter. For --nan this is
    /// done anyway.
    #[arg(long)]
    maps: bool,
    /// Look at every draw, even for --nan.
    #[arg(long, conflicts_with = "maps")]
    no_maps: bool,
    /// Ask so many times more, to see what it takes when programs are built and the trace is open; for --json.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "json")]
    bench: usize,
    /// Print one JSON document (docs/json.md).
    #[arg(long, conflicts_with = "dot")]
    json: bool,
    /// Print a graph for Graphviz.
    #[arg(long)]
    dot: bool,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
    #[command(flatten)]
    on: On,
}

impl Args {
    /// Whether maps of draws are to be used, if that was said.
    fn maps(&self) -> Option<bool> {
        match (self.maps, self.no_maps) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// How the primitives of fragments are found.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Isolate {
    /// By a list where the device has storage blocks, else by halves.
    Auto,
    /// All fragments list themselves in a storage block.
    List,
    /// The draw is halved, with occlusion queries, until one primitive is left.
    Bisect,
    /// The same, by reading pixels instead of queries.
    #[value(name = "bisect-by-reading")]
    BisectByReading,
}

impl From<Isolate> for Isolation {
    fn from(isolate: Isolate) -> Isolation {
        match isolate {
            Isolate::Auto => Isolation::Auto,
            Isolate::List => Isolation::List,
            Isolate::Bisect => Isolation::Bisect,
            Isolate::BisectByReading => Isolation::BisectByReading,
        }
    }
}

/// Prints a history.
///
/// # Errors
/// When the trace cannot be read, or there is no such pixel.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let start = Instant::now();
    let mut inquiry = Host::new().inquiry(&args.on.options(&args.trace))?;
    inquiry.isolate_by(args.isolate.into());
    if args.nan || args.nonfinite {
        return poison::run(args, &mut inquiry);
    }
    let until = until(args, &inquiry)?;
    let (model, place) = place(args, &mut inquiry, until)?;
    let mut line = Line::after(PATIENCE);
    let mut recall = Recall::new(&mut inquiry, &mut |call| line.show(|| format!("{call} commands read")))?;
    recall.use_maps(args.maps());
    let opened = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let found = history(args, &mut recall, (place, until), &mut line);
    let mut seconds = Seconds { open: opened, history: start.elapsed().as_secs_f64(), again: Vec::new() };
    line.clear();
    let history = found?;
    for _ in 0..args.bench {
        let start = Instant::now();
        self::history(args, &mut recall, (place, until), &mut line)?;
        seconds.again.push(start.elapsed().as_secs_f64());
        line.clear();
    }
    let sequence = match args.sequence {
        true => {
            let step = &mut |done, all| line.show(|| format!("{done} of {all} nodes computed"));
            Some(recall.sequence(&history, step)?)
        }
        false => None,
    };
    line.clear();
    if let Some(folder) = &args.images {
        let written = images::write(&mut recall, &history, folder, args.max_images)?;
        eprintln!("{written} pictures are in {}", folder.display());
    }
    let reader = recall.inquiry().reader();
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut document = json::document(&history, &model, &seconds);
        if let Some(sequence) = &sequence {
            document["sequence"] = sequence::document(sequence);
        }
        // A document of thousands of nodes is written in one go.
        writeln!(out, "{}", serde_json::to_string_pretty(&document)?)?;
    } else if args.dot {
        write!(out, "{}", dot::graph(&history, &model))?;
    } else {
        let names = |call| reader.call_at(call).map_or(String::new(), |held| held.call().name().to_owned());
        let colour = args.color.on_stdout();
        let writer = tree::Writer { history: &history, model: &model, names: &names, colour };
        match &sequence {
            Some(sequence) => write!(out, "{}", sequence::text(&writer, sequence))?,
            None => write!(out, "{}", writer.text())?,
        }
    }
    let wrong = history.nodes.iter().any(|node| matches!(node.verdict, recall::Verdict::Differs(_)));
    Ok(if wrong { Outcome::No } else { Outcome::Done })
}

/// How long it took.
struct Seconds {
    /// To open the trace.
    open: f64,
    /// To answer the question for the first time.
    history: f64,
    /// To answer it again, each time.
    again: Vec<f64>,
}

/// What a node is about, in a few words.
fn subject(node: &Node, model: &Model) -> String {
    let list = |values: &[(String, Vec<f64>)]| {
        let one = |(name, numbers): &(String, Vec<f64>)| {
            let numbers: Vec<String> = numbers.iter().map(|number| format!("{number:.4}")).collect();
            format!("{name} {}", numbers.join(" "))
        };
        values.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    match &node.subject {
        Subject::Texel => {
            let [x, y] = node.place.at;
            format!("at {x}, {y} of {}", node.place.name(model))
        }
        Subject::Vertex(vertex) => {
            let instance =
                if vertex.instance > 0 { format!(" of instance {}", vertex.instance) } else { String::new() };
            let part = if vertex.part > 0 { format!(" of part {}", vertex.part) } else { String::new() };
            format!("{}{instance}{part}: {}", vertex.number, list(&vertex.inputs))
        }
        Subject::Run(run) => {
            let which = match (run.invocation, run.coords) {
                (_, Some([x, y])) => format!(" at {x:.4} {y:.4}"),
                (Some(invocation), _) if invocation > 0 => format!(" invocation {invocation}"),
                _ => String::new(),
            };
            format!("of primitive {}{which}: {}", run.primitive, list(&run.outputs))
        }
        Subject::Bytes(range) => format!("bytes {}..{} of {}", range.from, range.to, image(range.cell, model)),
        Subject::Uniform { program, name } => format!("of {name} of program {program}"),
        Subject::Attribute { name } => format!("of {name}"),
        Subject::Invocation([x, y, z]) => format!("by invocation {x}, {y}, {z}"),
    }
}

/// The name of an image or buffer.
fn image(cell: Cell, model: &Model) -> String {
    Place { cell, spot: Spot::Colour, at: [0, 0], sample: 0 }.name(model)
}

fn history(
    args: &Args,
    recall: &mut Recall<'_>,
    (place, until): (Place, u64),
    line: &mut Line,
) -> anyhow::Result<History> {
    let reader = recall.inquiry().reader();
    let first = reader.frame(reader.frame_of(until.saturating_sub(1))).map_or(0, |frame| frame.start);
    let rows = recall.rows(place, (first, until), &mut |done, all| {
        line.show(|| format!("{done} of {all} writes to the pixel looked at"));
    })?;
    let bounds = Bounds {
        min_weight: args.min_weight,
        depth: args.depth.unwrap_or(u32::MAX),
        max_nodes: if args.rows { 0 } else { args.max_nodes },
        vertices: !args.no_vertices,
        verify: true,
    };
    let mut history = recall.history(place, until, bounds, &mut |nodes, left| {
        line.show(|| format!("{nodes} nodes, {left} texels left to follow"));
    })?;
    if args.rows {
        history.cut = recall::Cut::default();
        history.value = rows.last().and_then(|row| row.after);
    }
    history.rows = rows;
    Ok(history)
}

/// The call before which the pixel is looked at.
fn until(args: &Args, inquiry: &Inquiry) -> anyhow::Result<u64> {
    let reader = inquiry.reader();
    Ok(match (args.at, args.frame) {
        (Some(at), _) if at >= reader.len() => bail!("the trace has {} commands, so there is no {at}", reader.len()),
        (Some(at), _) => at + 1,
        (None, frame) => inquiry.trace().shown_before(frame)?,
    })
}

/// The state there, and the place that is meant.
fn place(args: &Args, inquiry: &mut Inquiry, until: u64) -> anyhow::Result<(Model, Place)> {
    let last = until.saturating_sub(1);
    let model = inquiry.state_after(last)?;
    let thread = inquiry.reader().call_at(last)?.call().thread;
    let view = model.view(thread).with_context(|| format!("there is no context at command {last}"))?;
    let place = Place::drawn(&view, args.target, args.pixel.unwrap_or_default(), args.sample)?;
    Ok((model, place))
}

fn pixel(text: &str) -> Result<[u32; 2], String> {
    let (x, y) = text.split_once(',').ok_or("a pixel is two numbers: X,Y")?;
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| format!("{text} is no number of a pixel"));
    Ok([number(x)?, number(y)?])
}

fn role(text: &str) -> Result<Role, String> {
    match text.split_once(':') {
        None if text == "colour" || text == "color" => Ok(Role::Colour(0)),
        None if text == "depth" => Ok(Role::Depth),
        None if text == "stencil" => Ok(Role::Stencil),
        Some(("colour" | "color", number)) => {
            number.parse().map(Role::Colour).map_err(|_| format!("{number} is no number of a draw buffer"))
        }
        _ => Err("a plane is colour, colour:N, depth or stencil".to_owned()),
    }
}
