//! A history as one program: every node in the order of execution.

use std::fmt::Write as _;

use session::{NodeKind, Sequence, TexelValue, frame_name};

use super::tree::Writer;
use crate::amount::plural;

/// How many lines are printed; --json has all.
const LINES: usize = 400;

/// Writes one line for each node, and a heading for each command.
pub fn text(writer: &Writer<'_>, sequence: &Sequence) -> String {
    let (history, mut out) = (writer.history, String::new());
    let mut last = None;
    let left = sequence.steps.len().saturating_sub(LINES);
    if left > 0 {
        // The pixel comes last, and what is near to it says most.
        let _ = writeln!(out, "… {} before these: --json has all of them", plural(left as u64, "node"));
    }
    for step in &sequence.steps[left..] {
        let Some(node) = history.node(step.node) else { continue };
        if last != Some(node.command) {
            let count = history.nodes.iter().filter(|other| other.command == node.command).count();
            let name = (writer.names)(node.command);
            let nodes = if count == 1 { "node" } else { "nodes" };
            let _ = writeln!(
                out,
                "{} {name}, {}: {count} {nodes}",
                node.command,
                frame_name(node.frame.map(|frame| frame as usize))
            );
            last = Some(node.command);
        }
        let what = if node.kind == NodeKind::Draw { "fragment" } else { node.kind.name() };
        let _ = write!(out, "  {what} {}", node.subject_text());
        if let Some(value) = &step.computed {
            let _ = write!(out, "  {}", writer.value(value));
        }
        let _ = writeln!(out);
    }
    for note in &sequence.notes {
        let _ = writeln!(out, "note: {note}");
    }
    let shown = |value: &Option<TexelValue>| value.as_ref().map_or("nothing".to_owned(), |value| writer.value(value));
    let _ = writeln!(
        out,
        "\ncomputed from the leaves: {}; really there: {}; {}",
        shown(&sequence.value),
        shown(&history.value),
        writer.verdict(&sequence.verdict)
    );
    out
}
