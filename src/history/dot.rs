//! A history as a graph for Graphviz.

use std::fmt::Write as _;

use session::{History, Verdict, Why};

/// Returns the text of a graph; edges lead from readers to what they read.
pub fn graph(history: &History) -> String {
    let mut out = String::from("digraph history {\n  rankdir = RL;\n  node [shape = box, fontname = \"monospace\"];\n");
    if let Some(sentence) = history.picture.sentence() {
        let _ = writeln!(out, "  label = \"{}\";", sentence.replace(['"', '\\'], "'"));
    }
    for node in &history.nodes {
        let label = format!("{} {}\\n{}", node.command, node.kind, node.subject_text());
        let colour = match node.verdict {
            Verdict::Equal | Verdict::Within(_) => "darkgreen",
            Verdict::Differs(_) => "red",
            Verdict::Unchecked(_) => "grey40",
        };
        let _ = writeln!(out, "  n{} [label = \"{label}\", color = {colour}];", node.id);
    }
    for edge in &history.edges {
        let why = match &edge.why {
            Why::Texel { line: Some(line), .. } => format!("line {line} "),
            Why::Texel { .. } => String::new(),
            Why::Blended => "blended ".to_owned(),
            Why::BlendedAlpha => "blended, alpha only ".to_owned(),
            Why::Copied => "copied ".to_owned(),
            Why::Filtered => "filtered ".to_owned(),
            Why::Interpolated { .. } => String::new(),
            Why::Assembled { vertex } => format!("vertex {vertex} "),
            Why::Attribute { name } | Why::Uniform { name } | Why::State { name } => format!("{name} "),
            Why::Bytes { block } => format!("{block} "),
        };
        let _ = writeln!(out, "  n{} -> n{} [label = \"{why}{:.3}\"];", edge.from, edge.to, edge.weight);
    }
    out.push_str("}\n");
    out
}
