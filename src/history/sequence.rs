//! A history as one program: every node in the order of execution.

use std::fmt::Write as _;

use recall::{Kind, Sequence};
use serde_json::{Value as Json, json};

use super::json;
use super::tree::Writer;

/// So many lines there are at most; --json has all.
const LINES: usize = 400;

/// For people: one line a node, a heading where another call begins.
pub fn text(writer: &Writer<'_>, sequence: &Sequence) -> String {
    let (history, mut out) = (writer.history, String::new());
    let mut last = None;
    let left = sequence.order.len().saturating_sub(LINES);
    if left > 0 {
        // The pixel comes last, and what is near to it says most.
        let _ = writeln!(out, "… {left} nodes before these: --json has all of them");
    }
    for id in &sequence.order[left..] {
        let node = &history.nodes[id.0 as usize];
        if last != Some(node.call) {
            let count = history.nodes.iter().filter(|other| other.call == node.call).count();
            let name = (writer.names)(node.call);
            let nodes = if count == 1 { "node" } else { "nodes" };
            let _ = writeln!(out, "{} {name}, frame {}: {count} {nodes}", node.call, node.frame);
            last = Some(node.call);
        }
        let [x, y] = node.place.at;
        let what = if node.kind == Kind::Draw { "fragment" } else { node.kind.word() };
        let _ = write!(out, "  {what} at {x}, {y} of {}", node.place.name(writer.model));
        if let Some(value) = &sequence.values[id.0 as usize] {
            let _ = write!(out, "  {}", writer.value(value));
        }
        let _ = writeln!(out);
    }
    for note in &sequence.notes {
        let _ = writeln!(out, "note: {note}");
    }
    let shown =
        |value: &Option<recall::Value>| value.as_ref().map_or("nothing".to_owned(), |value| writer.value(value));
    let _ = writeln!(
        out,
        "\ncomputed from the leaves: {}; really there: {}; {}",
        shown(&sequence.value),
        shown(&history.value),
        writer.verdict(&sequence.verdict)
    );
    out
}

/// The part of a document that tells of it.
pub fn document(sequence: &Sequence) -> Json {
    let (verdict, detail) = json::verdict(&sequence.verdict);
    let steps = sequence
        .order
        .iter()
        .map(|id| json!({ "node": id.0, "computed": sequence.values[id.0 as usize].as_ref().map(json::value) }));
    json!({
        "steps": steps.collect::<Vec<_>>(),
        "value": sequence.value.as_ref().map(json::value),
        "verdict": verdict,
        "detail": detail,
        "notes": sequence.notes,
    })
}
