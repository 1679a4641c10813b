//! `afterimage graph`: passes and the resources that go between them.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use chronicle::passes::{Pass, Resource, edges, passes};
use chronicle::{Chronicle, Graph};
use state::Model;

use crate::cli::Outcome;
use crate::json::{self, graph};
use crate::progress::Progress;

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
    let model = chronicle.before(range.end)?;
    let page = if args.json {
        json::pretty(&document(&passes, &model))?
    } else if args.dot {
        as_dot(&passes, &model)
    } else {
        as_text(&passes, &model)
    };
    std::io::stdout().lock().write_all(page.as_bytes())?;
    Ok(Outcome::Done)
}

fn names(resources: &[Resource], model: &Model) -> String {
    let names: Vec<String> = resources.iter().map(|resource| resource.name(model)).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

fn as_text(passes: &[Pass], model: &Model) -> String {
    let mut page = String::new();
    for (at, pass) in passes.iter().enumerate() {
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

fn as_dot(passes: &[Pass], model: &Model) -> String {
    let mut page = String::from("digraph passes {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=11];\n");
    let mut node = |text: String| {
        page.push_str(&text);
        page.push('\n');
    };
    for (at, pass) in passes.iter().enumerate() {
        let label = format!("{} {}\\n{}..{}", pass.kind.word(), at + 1, pass.first, pass.last);
        node(format!("  pass{at} [shape=box, style=filled, fillcolor=\"#e8eef7\", label=\"{label}\"];"));
    }
    for (from, to, resource) in edges(passes) {
        node(format!("  pass{from} -> pass{to} [label=\"{}\", fontsize=9];", resource.name(model)));
    }
    page.push_str("}\n");
    page
}

fn document(passes: &[Pass], model: &Model) -> graph::Document {
    let list =
        |resources: &[Resource]| -> Vec<String> { resources.iter().map(|resource| resource.name(model)).collect() };
    let edge = |(from, to, resource): (usize, usize, Resource)| graph::Edge {
        from: from + 1,
        to: to + 1,
        resource: resource.name(model),
    };
    let pass = |(at, pass): (usize, &Pass)| graph::Pass {
        pass: at + 1,
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
