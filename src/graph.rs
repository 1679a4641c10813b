//! `afterimage graph`: passes and the resources that go between them.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use chronicle::passes::{Pass, Resource, edges, passes};
use chronicle::{Annotations, Chronicle, Graph};
use state::Model;
use state::annotation::path_text;
use trace::Reader;

use crate::cli::Outcome;
use crate::json::{self, graph};
use crate::progress::Progress;

/// The debug groups that are open at a call, the outermost first.
type Groups = Vec<Arc<str>>;

const HELP: &str = "\
Examples:
  afterimage graph game.aftr --frame 3                   one line for each pass of frame 3, counted from 0
  afterimage graph game.aftr --frame 3 --dot | dot -Tsvg > frame.svg
  afterimage graph game.aftr --json                      passes, resources and edges of the whole trace

A pass is a run of calls that work on the same targets. It depends on another when it reads what that wrote last.

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
    let chronicle = Chronicle::open(&args.trace)?;
    let reader = chronicle.reader();
    let (length, frames) = (reader.len(), reader.frame_count());
    let range = match args.frame {
        None => 0..length,
        Some(number) => match reader.frame(number) {
            Some(range) => range,
            None => bail!("the trace has {frames} frames, from 0, so there is no frame {number}"),
        },
    };
    let mut progress = Progress::new(range.end, "commands looked at");
    let graph = Graph::build(reader, range.end, &mut |number| progress.step(number));
    progress.clear();
    let passes = passes(&graph?, range.start, range.end);
    let groups = groups(reader, &passes)?;
    let model = chronicle.before(range.end)?;
    let page = if args.json {
        json::pretty(&document(&passes, &groups, &model))?
    } else if args.dot {
        as_dot(&passes, &groups, &model)
    } else {
        as_text(&passes, &groups, &model)
    };
    std::io::stdout().lock().write_all(page.as_bytes())?;
    Ok(Outcome::Done)
}

fn names(resources: &[Resource], model: &Model) -> String {
    let names: Vec<String> = resources.iter().map(|resource| resource.name(model)).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// The debug groups that are open at the first call of each pass.
fn groups(reader: &Reader, passes: &[Pass]) -> anyhow::Result<Vec<Groups>> {
    let annotations = Annotations::read(reader)?;
    let of = |pass: &Pass| {
        let thread = reader.call_at(pass.first).map_or(0, |held| held.call().thread);
        annotations.groups(thread, pass.first)
    };
    Ok(passes.iter().map(of).collect())
}

fn as_text(passes: &[Pass], groups: &[Groups], model: &Model) -> String {
    let mut page = String::new();
    let mut open: &[Arc<str>] = &[];
    for (at, pass) in passes.iter().enumerate() {
        if *groups[at] != *open {
            open = &groups[at];
            let _ = match open {
                [] => writeln!(page, "in no group"),
                open => writeln!(page, "in {}", path_text(open)),
            };
        }
        // Writing to a string does not fail.
        let _ = writeln!(
            page,
            "{:4}  {:8}  {}..{}  {} {}\n        reads {}\n        writes {}",
            at + 1,
            pass.kind.word(),
            pass.first,
            pass.last,
            pass.calls,
            if pass.calls == 1 { "call" } else { "calls" },
            names(&pass.reads, model),
            names(&pass.writes, model),
        );
    }
    if passes.is_empty() {
        page.push_str("No call touches the contents of a buffer, an image or a surface.\n");
    }
    page
}

fn as_dot(passes: &[Pass], groups: &[Groups], model: &Model) -> String {
    let mut page = String::from("digraph passes {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=11];\n");
    let mut node = |text: String| {
        page.push_str(&text);
        page.push('\n');
    };
    // Passes in the same groups are in a box with their text, and boxes are in boxes.
    let mut open: &[Arc<str>] = &[];
    let mut boxes = 0;
    for (at, pass) in passes.iter().enumerate() {
        let same = open.iter().zip(&groups[at]).take_while(|(one, other)| one == other).count();
        (same..open.len()).for_each(|_| node("  }".to_owned()));
        for text in &groups[at][same..] {
            boxes += 1;
            node(format!("  subgraph cluster{boxes} {{ label=\"{}\"; color=\"#9aa5ce\";", escaped(text)));
        }
        open = &groups[at];
        let label = format!("{} {}\\n{}..{}", pass.kind.word(), at + 1, pass.first, pass.last);
        node(format!("  pass{at} [shape=box, style=filled, fillcolor=\"#e8eef7\", label=\"{label}\"];"));
    }
    open.iter().for_each(|_| node("  }".to_owned()));
    for (from, to, resource) in edges(passes) {
        let name = escaped(&resource.name(model));
        node(format!("  pass{from} -> pass{to} [label=\"{name}\", fontsize=9];"));
    }
    page.push_str("}\n");
    page
}

/// A text inside of the quotation marks of Graphviz.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn document(passes: &[Pass], groups: &[Groups], model: &Model) -> graph::Document {
    let list =
        |resources: &[Resource]| -> Vec<String> { resources.iter().map(|resource| resource.name(model)).collect() };
    let edge = |(from, to, resource): (usize, usize, Resource)| graph::Edge {
        from: from + 1,
        to: to + 1,
        resource: resource.name(model),
    };
    let pass = |(at, pass): (usize, &Pass)| graph::Pass {
        pass: at + 1,
        groups: groups[at].iter().map(ToString::to_string).collect(),
        kind: pass.kind.word(),
        first: pass.first,
        last: pass.last,
        calls: pass.calls,
        reads: list(&pass.reads),
        writes: list(&pass.writes),
    };
    let edges = edges(passes).into_iter().map(edge).collect();
    graph::Document { passes: passes.iter().enumerate().map(pass).collect(), edges }
}
