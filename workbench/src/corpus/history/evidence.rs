//! Finds out why a pixel is not as emulated, by measurements.

use std::sync::Arc;

use device::Changes;
use inquiry::{DrawSnapshot, Inquiry, InquiryError};
use instrument::inspect::Ask;
use instrument::variant::What;
use instrument::{Detail, Question};
use shader::ast::NodeId;
use shader::version::Stage;
use verdict::{Comparison, compare};

/// A finding: a class for counting, and the details.
pub struct Evidence {
    pub class: String,
    pub details: String,
}

/// Runs the last fragment at a pixel on the device and on the emulator, with the value of every expression, and finds
/// where they diverge.
pub fn gather(inquiry: &mut Inquiry, call: u64, at: [u32; 2]) -> Evidence {
    match recorded(inquiry, call, at) {
        Ok((work, comparison)) => part(&work, &comparison),
        Err(error) => Evidence { class: "cannot record both".to_owned(), details: error.to_string() },
    }
}

fn recorded(
    inquiry: &mut Inquiry,
    call: u64,
    [x, y]: [u32; 2],
) -> Result<(Arc<DrawSnapshot>, Comparison), InquiryError> {
    let work = inquiry.work(call)?;
    let (stage, changes) = (Stage::Fragment, Changes::default());
    let pick = [x.cast_signed(), y.cast_signed(), -1, -1];
    let question = Question::Recording { detail: Detail::Expressions };
    let ask = Ask { scope: work.scope_of_one(stage), pick, transport: None };
    let measured = inquiry.measure(&work, stage, &question, &ask, &changes)?;
    let inputs = inquiry.inputs(&work, stage, pick, &changes)?;
    let emulated = {
        let mut emulated = inquiry.emulated(&work, stage, inputs, &changes)?;
        inquiry.emulate(&work, &mut emulated, &question)?
    };
    let comparison = match (measured.result.readings.last(), emulated.readings.last()) {
        (Some((_, measured)), Some((_, emulated))) => {
            compare(&work.facts(stage)?.shader.typed.types, measured, emulated)
        }
        _ => Comparison::default(),
    };
    Ok((work, comparison))
}

/// Returns where two recordings diverge.
fn part(work: &DrawSnapshot, comparison: &Comparison) -> Evidence {
    let Some(row) = comparison.first_divergence.and_then(|first| comparison.rows.get(first)) else {
        let class = "each value is within rounding of the device's, but the pixel is not: differences accumulate";
        return Evidence { class: class.to_owned(), details: format!("{} values", comparison.rows.len()) };
    };
    let text = match (&row.measured.what, work.facts(Stage::Fragment)) {
        (What::Value(node) | What::Variable(node, _), Ok(facts)) => {
            let span = facts.shader.written(*node);
            let line = facts.shader.sources.locate(span.start).line;
            let text = facts.shader.sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
            Some((line, text))
        }
        _ => None,
    };
    let numbers = |record: Option<&instrument::variant::Record>| {
        record.and_then(|record| record.value.as_ref()).map(|value| value.numbers())
    };
    let values = format!("device {:?}, emulator {:?}", numbers(Some(&row.measured)), numbers(row.emulated.as_ref()));
    match (text, &row.emulated) {
        (Some((line, text)), Some(_)) => Evidence {
            class: format!("the device's {} differs from the emulator's", operation(&text)),
            details: format!("line {line} `{text}`: {values}"),
        },
        (text, _) => Evidence {
            class: "the device takes another branch in the shader".to_owned(),
            details: format!("at {text:?} {:?}: {values}", kind(&row.measured.what)),
        },
    }
}

/// Returns the operation of an expression: the function that it calls, if it is a call.
fn operation(text: &str) -> String {
    let name = text.split('(').next().unwrap_or_default();
    let plain = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    if plain && text.ends_with(')') { format!("`{name}`") } else { "expression".to_owned() }
}

fn kind(what: &What) -> &'static str {
    match what {
        What::Marker(_) => "marker",
        What::Value(NodeId::Expr(_)) => "expression",
        What::Value(_) | What::Variable(..) => "variable",
        What::Input(..) => "input",
        What::Output(_) => "output",
        _ => "record",
    }
}
