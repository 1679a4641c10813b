//! `afterimage graph`: passes and the resources that go between them.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use chronicle::passes::{Names, Pass, Resource, edges, passes};
use chronicle::{Annotations, Graph};
use host::Host;
use state::annotation::path_text;
use trace::Reader;

use crate::amount::count;
use crate::cli::Outcome;
use crate::json::{self, Stream, graph};
use crate::out;
use crate::progress::Progress;
use crate::replay::mention_damage;

/// The debug groups that are open at a call, the outermost first.
type Groups = Vec<Arc<str>>;

const HELP: &str = "\
Examples:
  afterimage graph game.aftr --frame 3                   one line for each pass of frame 3, counted from 0
  afterimage graph game.aftr --frame 3 --dot | dot -Tsvg > frame.svg
  afterimage graph game.aftr --json                      passes, resources and edges of the whole trace

A pass is a run of calls that work on the same targets. It depends on another when it reads what that wrote last, or when its
depth or stencil tests compare with that. Colours that are in its targets already, and that it blends with, are not listed as
read; `history` follows them for a pixel.

Exit status: 0 done, 2 the request could not be served.";

/// Show passes and the resources that go between them.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The trace.
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Show only this frame, counted from 0.
    #[arg(long, value_name = "N")]
    frame: Option<usize>,
    /// Print a graph for Graphviz.
    #[arg(long, conflicts_with = "json")]
    dot: bool,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
}

/// Reads a trace and prints its graph.
///
/// # Errors
/// When the trace cannot be read, or has no such frame.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let open = Host::new().trace(&args.trace)?;
    let (chronicle, reader) = (open.chronicle(), open.reader());
    mention_damage(&args.trace, reader, open.damage());
    let (length, frames) = (reader.len(), reader.frame_count());
    let range = match args.frame {
        None => 0..length,
        Some(number) => match reader.frame(number) {
            Some(range) => range,
            None => bail!("{}", trace::no_such_frame(number as u64, frames as u64)),
        },
    };
    let mut progress = Progress::new(range.end, "commands looked at");
    let built = Graph::build_with_state(reader, range.end, &mut |number| progress.step(number));
    progress.clear();
    let (graph, model) = built?;
    let passes = || passes(&graph, range.start, range.end);
    let mut names = Names::new(&model);
    names.add_of_passes(chronicle, passes())?;
    let labels = Labels { names, annotations: Annotations::read(reader)?, reader };
    if args.json {
        json::print(&document(&passes, &labels))?;
    } else {
        let mut out = out::text();
        match args.dot {
            true => write_dot(&mut out, &passes, &labels)?,
            false => write_text(&mut out, passes(), &labels)?,
        }
        out.flush()?;
    }
    Ok(Outcome::Done)
}

/// What the program calls its objects and its passes.
struct Labels<'a> {
    names: Names,
    annotations: Annotations,
    reader: &'a Reader,
}

impl Labels<'_> {
    /// Returns the debug groups that are open at the first call of a pass.
    fn groups(&self, pass: &Pass) -> Groups {
        let thread = self.reader.call_at(pass.first).map_or(0, |held| held.call().thread);
        self.annotations.groups(thread, pass.first)
    }
}

fn list(resources: &[Resource], names: &Names) -> String {
    let names: Vec<String> = resources.iter().map(|resource| names.of(resource)).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

fn write_text(out: &mut impl Write, passes: impl Iterator<Item = Pass>, labels: &Labels<'_>) -> std::io::Result<()> {
    let mut empty = true;
    let mut open = Groups::new();
    for (at, pass) in passes.enumerate() {
        empty = false;
        let groups = labels.groups(&pass);
        if groups != open {
            match &groups[..] {
                [] => writeln!(out, "in no group")?,
                groups => writeln!(out, "in {}", path_text(groups))?,
            }
            open = groups;
        }
        let tests = match &pass.tests[..] {
            [] => String::new(),
            tests => format!("\n        tests against {}", list(tests, &labels.names)),
        };
        writeln!(
            out,
            "{:4}  {:8}  {}..={}  {}\n        reads {}{}\n        writes {}",
            at + 1,
            pass.kind.word(),
            pass.first,
            pass.last,
            count(pass.calls, "call"),
            list(&pass.reads, &labels.names),
            tests,
            list(&pass.writes, &labels.names),
        )?;
    }
    if empty {
        writeln!(out, "No call touches the contents of a buffer, an image or a surface.")?;
    }
    Ok(())
}

fn write_dot<I: Iterator<Item = Pass>>(
    out: &mut impl Write,
    passes: &impl Fn() -> I,
    labels: &Labels<'_>,
) -> std::io::Result<()> {
    writeln!(out, "digraph passes {{\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=11];")?;
    // Passes in the same groups are in a box with their text, and boxes are in boxes.
    let mut open = Groups::new();
    let mut boxes = 0;
    for (at, pass) in passes().enumerate() {
        let groups = labels.groups(&pass);
        let same = open.iter().zip(&groups).take_while(|(one, other)| one == other).count();
        (same..open.len()).try_for_each(|_| writeln!(out, "  }}"))?;
        for text in &groups[same..] {
            boxes += 1;
            writeln!(out, "  subgraph cluster{boxes} {{ label=\"{}\"; color=\"#9aa5ce\";", escaped(text))?;
        }
        open = groups;
        let label = format!("{} {}\\n{}..={}", pass.kind.word(), at + 1, pass.first, pass.last);
        writeln!(out, "  pass{at} [shape=box, style=filled, fillcolor=\"#e8eef7\", label=\"{label}\"];")?;
    }
    open.iter().try_for_each(|_| writeln!(out, "  }}"))?;
    for (from, to, resource) in edges(passes()) {
        let name = escaped(&labels.names.of(&resource));
        writeln!(out, "  pass{from} -> pass{to} [label=\"{name}\", fontsize=9];")?;
    }
    writeln!(out, "}}")
}

/// A text inside of the quotation marks of Graphviz.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn document<'a, I: Iterator<Item = Pass> + 'a>(
    passes: &'a impl Fn() -> I,
    labels: &'a Labels<'_>,
) -> graph::Document<'a> {
    let names = &labels.names;
    let list = |resources: &[Resource]| -> Vec<String> { resources.iter().map(|one| names.of(one)).collect() };
    let edge = |(from, to, resource): (usize, usize, Resource)| graph::Edge {
        from: from + 1,
        to: to + 1,
        resource: names.of(&resource),
    };
    let pass = move |(at, pass): (usize, Pass)| graph::Pass {
        pass: at + 1,
        groups: labels.groups(&pass).iter().map(ToString::to_string).collect(),
        kind: pass.kind.word(),
        first: pass.first,
        last: pass.last,
        calls: pass.calls,
        reads: list(&pass.reads),
        tests: list(&pass.tests),
        writes: list(&pass.writes),
    };
    graph::Document {
        passes: Stream::new(move || passes().enumerate().map(pass)),
        edges: Stream::new(move || edges(passes()).map(edge)),
    }
}
