//! `afterimage history`: who made a pixel, through every pass.

mod dot;
mod images;
pub mod nan;
mod sequence;
mod tree;

use std::path::PathBuf;
use std::time::Instant;

use session::{History, HistoryRequest, Isolation, Plane, Session, Verdict, When};
use trace::Reader;

use crate::amount::count;
use crate::cli::{Color, Outcome, complain};
use crate::json;
use crate::json::history::{Document, Seconds};
use crate::out;
use crate::progress::asked;
use crate::replay::{On, on_what_is_left};
use crate::state::place::CommandRef;

const HELP: &str = "\
Examples:
  afterimage history game.aftr --pixel 400,300               the last frame, as it is shown
  afterimage history game.aftr --pixel 400,300 --frame 12
  afterimage history game.aftr --pixel 10,20 --at 1200       what command 1200 draws to, after it
  afterimage history game.aftr --pixel 10,20 --at 1200 --target depth
  afterimage history game.aftr --pixel 10,20 --rows          only the writers of the pixel itself
  afterimage history game.aftr --pixel 10,20 --depth 3 --min-weight 0.01
  afterimage history game.aftr --pixel 10,20 --lines 1000    print more of the tree
  afterimage history game.aftr --pixel 10,20 --dot | dot -Tsvg > history.svg
  afterimage history game.aftr --pixel 10,20 --sequence      all passes as one program, computed from the leaves
  afterimage history game.aftr --pixel 10,20 --images around a picture of what lies around each node
  afterimage history game.aftr --nan --frame 3               the first NaN of a frame, and what it spread to

Pixels are counted from the lower left. Every fragment is looked up on the device with all that went into it, run again
on the emulator, taken through blending and rounding, and compared with what is really there.

What a history explains is compared with what the picture shows at the pixel; if that is not the same, it says so first.

Exit status: 0 done (--nan: there is none), 1 something that was emulated is not what is there, or the history does not
explain the picture (--nan: there is one), 2 the request could not be served (--nan: none was found, but not every draw could
be searched).";

/// Show what made a pixel.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The pixel, from the lower left.
    #[arg(long, value_name = "X,Y", value_parser = session::parse::pixel, allow_hyphen_values = true)]
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
    /// Replace pictures that are there already.
    #[arg(long, requires = "images")]
    force: bool,
    /// Write at most N pictures.
    #[arg(long, value_name = "N", default_value_t = 32, requires = "images")]
    max_images: usize,
    /// Look at the pixel after this command (a number, -1 for the last one, or frame:N); without it, when the frame is
    /// shown, or after the last draw if no frame is.
    #[arg(long, value_name = "CMD", conflicts_with = "frame", allow_hyphen_values = true)]
    at: Option<CommandRef>,
    /// Choose a frame, from 0; the last without it.
    #[arg(long, value_name = "N")]
    frame: Option<usize>,
    /// Choose a plane of the framebuffer: colour, colour:N for draw buffer N, depth or stencil.
    #[arg(long, value_name = "PLANE", default_value = "colour")]
    target: Plane,
    /// Choose a sample, if pixels have several.
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: u32,
    /// List only what wrote to the pixel, not what that was made of.
    #[arg(long)]
    rows: bool,
    /// Leave out what has less influence on the pixel than this.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    min_weight: f64,
    /// Follow at most N passes back.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Find at most N nodes.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_nodes: usize,
    /// Follow texels only: no vertices, buffers or uniforms.
    #[arg(long)]
    no_vertices: bool,
    /// Print at most N lines of what the pixel was made of; --json has all.
    #[arg(long, value_name = "N", default_value_t = 50, conflicts_with_all = ["json", "dot", "rows", "sequence"])]
    lines: usize,
    /// Choose how the primitives of fragments are found: listed by the shader, by halves of the draw, or as the device allows.
    #[arg(long, value_enum, default_value = "auto")]
    isolate: Isolate,
    /// Find out first which blocks of its target each draw touches, and skip those that cannot matter. --nan does so
    /// anyway.
    #[arg(long)]
    maps: bool,
    /// Look at every draw, even for --nan.
    #[arg(long, conflicts_with = "maps")]
    no_maps: bool,
    /// Ask N more times, to measure how long it takes when programs are built and the trace is open; for --json.
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
    if args.pixel.is_none() && !args.nan && !args.nonfinite {
        anyhow::bail!(
            "say which pixel: `--pixel X,Y`, from the lower left; or `--nan` finds the first NaN of a frame (--help has examples)"
        );
    }
    let start = Instant::now();
    let mut session = args.on.session(&args.trace)?;
    session.isolate_by(args.isolate.into());
    if args.nan || args.nonfinite {
        let outcome = nan::run(args, &mut session)?;
        return Ok(on_what_is_left(session.trace().damage(), outcome));
    }
    asked(&mut session, Session::index_writes)?;
    let open = start.elapsed().as_secs_f64();
    let request = args.request(session.trace().reader())?;
    let start = Instant::now();
    let history = asked(&mut session, |session| session.history(&request))?;
    let mut seconds = Seconds { open, history: start.elapsed().as_secs_f64(), again: Vec::new() };
    // How long a history takes is measured without what is done with it.
    let plain = HistoryRequest { sequence: false, surroundings: 0, ..request };
    for _ in 0..args.bench {
        let start = Instant::now();
        asked(&mut session, |session| session.history(&plain))?;
        seconds.again.push(start.elapsed().as_secs_f64());
    }
    if let Some(folder) = &args.images {
        let written = images::write(&history, folder, args.force)?;
        let are = if written == 1 { "is" } else { "are" };
        complain(&format!("{} {are} in {}", count(written as u64, "picture"), folder.display()));
    }
    if args.json {
        json::print_items(&Document { history: &history, seconds: &seconds })?;
    } else if args.dot {
        out::print(&dot::graph(&history))?;
    } else {
        let names = |command| session.call_title(command);
        let frame = history.before_command.checked_sub(1).and_then(|last| session.trace().reader().frame_of(last));
        let colour = args.color.on_stdout();
        let writer = tree::Writer {
            history: &history,
            names: &names,
            frame,
            colour,
            lines: args.lines,
            max_nodes: args.max_nodes,
        };
        let text = match &history.sequence {
            Some(sequence) => sequence::text(&writer, sequence),
            None => writer.text(),
        };
        out::print(&(writer.picture() + &text))?;
    }
    Ok(on_what_is_left(session.trace().damage(), outcome(&history)))
}

/// Returns whether everything is as the history says.
fn outcome(history: &History) -> Outcome {
    let differs = history.nodes.iter().any(|node| matches!(node.verdict, Verdict::Differs(_)));
    if differs || history.picture.is_wrong() { Outcome::No } else { Outcome::Done }
}

impl Args {
    fn request(&self, reader: &Reader) -> anyhow::Result<HistoryRequest> {
        let when = match self.at {
            Some(at) => When::After(at.number(reader)?),
            None => When::Shown(self.frame),
        };
        Ok(HistoryRequest {
            plane: self.target,
            sample: self.sample,
            rows: true,
            nodes: !self.rows,
            min_weight: self.min_weight,
            depth: self.depth,
            max_nodes: self.max_nodes,
            vertices: !self.no_vertices,
            sequence: self.sequence,
            surroundings: if self.images.is_some() { self.max_images } else { 0 },
            maps: self.maps(),
            ..HistoryRequest::new(self.pixel.unwrap_or_default(), when)
        })
    }
}

#[cfg(test)]
mod tests {
    use session::{LeftOut, PictureCheck, TexelValue};

    use super::*;

    fn explaining(verdict: Verdict) -> History {
        let value = |level: f32| Some(TexelValue::Float([level; 4]));
        History {
            picture: PictureCheck { explained: value(0.0), shown: value(0.25), verdict },
            target: "surface 1".to_owned(),
            pixel: [3, 4],
            before_command: 9,
            value: value(0.0),
            rows: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            left_out: LeftOut::default(),
            notes: Vec::new(),
            sequence: None,
            surroundings: Vec::new(),
        }
    }

    #[track_caller]
    fn check(verdict: Verdict, expected: Outcome, first: &str) {
        let history = explaining(verdict);
        assert_eq!(outcome(&history), expected);
        let writer = tree::Writer {
            history: &history,
            names: &|_| String::new(),
            frame: None,
            colour: false,
            lines: 50,
            max_nodes: 100,
        };
        let text = writer.picture() + &writer.text();
        assert_eq!(text.lines().next(), Some(first));
        let graph = dot::graph(&history);
        assert_eq!(graph.contains("label ="), !first.starts_with("pixel"), "{graph}");
        let document = serde_json::to_string(&history).unwrap();
        assert!(document.starts_with(r#"{"picture":{"#), "{document}");
    }

    #[test]
    fn a_history_that_does_not_explain_the_picture_says_so_first_and_is_a_no() {
        let title = "pixel 3, 4 of surface 1 before command 9: 0.0000 0.0000 0.0000 0.0000";
        check(Verdict::Equal, Outcome::Done, title);
        let wrong = "this history does not explain the picture: it leads to 0.0000, 0.0000, 0.0000, 0.0000, and the picture \
                     shows 0.2500, 0.2500, 0.2500, 0.2500";
        check(Verdict::Differs(64), Outcome::No, wrong);
        let missing = "the history was not compared with the picture: it cannot be read back";
        check(Verdict::Unchecked("it cannot be read back".to_owned()), Outcome::Done, missing);
    }
}
