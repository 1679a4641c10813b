//! A finding with everything that belongs on the screen: labels, the macro calls they came through, `#line`, notes.

use shader::diagnostic::Severity;
use shader::source::{Pos, Span};
use shader::token::{Expansion, ExpansionId};

use super::Finding;
use super::input::Unit;

/// How many inner and how many outer macro calls of a long chain are shown.
const CHAIN_ENDS: usize = 3;

/// A stretch of a shader and what to say there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// Index of the shader.
    pub unit: usize,
    /// Where in it.
    pub span: Span,
    /// What to say.
    pub text: String,
    /// It is the place the finding is about.
    pub primary: bool,
}

/// A finding ready to be shown.
pub struct Explanation<'a> {
    /// `error` or `warning`.
    pub severity: Severity,
    /// The kind of finding.
    pub code: &'static str,
    /// What is wrong.
    pub message: &'a str,
    /// Where; the main place first.
    pub places: Vec<Annotation>,
    /// Further sentences.
    pub notes: Vec<String>,
}

/// Gathers what there is to say.
pub fn explain<'a>(finding: &'a Finding, units: &[Unit]) -> Explanation<'a> {
    let diagnostic = &finding.diagnostic;
    let mut places: Vec<Annotation> = Vec::new();
    let mut notes = diagnostic.notes.clone();
    let mut add = |place: Annotation| {
        let known = places.iter().any(|p| (p.unit, p.span, &p.text) == (place.unit, place.span, &place.text));
        if !known {
            places.push(place);
        }
    };
    for (index, (label, &unit)) in diagnostic.labels.iter().zip(&finding.units).enumerate() {
        add(Annotation { unit, span: label.span, text: label.text.clone(), primary: index == 0 });
    }
    for (label, &unit) in diagnostic.labels.iter().zip(&finding.units) {
        let input = &units[unit].shader.preprocessed;
        let name = |row: &Expansion| input.symbols.name(row.name).to_owned();
        let chain: Vec<ExpansionId> = input.chain(label.expansion).collect();
        let hidden = chain.len().saturating_sub(2 * CHAIN_ENDS);
        if hidden > 0 {
            notes.push(format!("{hidden} more macro calls lie between these"));
        }
        let mut inner = label.span;
        for (index, &id) in chain.iter().enumerate() {
            let row = input.expansion(id);
            // A predefined macro has no author.
            let predefined = row.definition.is_empty();
            let in_body = row.body.start <= inner.start && inner.end <= row.body.end;
            inner = row.call;
            if (CHAIN_ENDS..CHAIN_ENDS + hidden).contains(&index) {
                continue;
            }
            if !in_body && !predefined {
                let text = format!("macro `{}` is defined here", name(row));
                add(Annotation { unit, span: row.definition, text, primary: false });
            }
            let text = format!("in this expansion of `{}`", name(row));
            add(Annotation { unit, span: row.call, text, primary: false });
        }
    }
    if let Some((label, &unit)) = diagnostic.labels.first().zip(finding.units.first()) {
        notes.extend(presumed(&units[unit], label.span.start));
    }
    Explanation { severity: diagnostic.severity, code: diagnostic.code, message: &diagnostic.message, places, notes }
}

/// What `#line` says, where that is not the physical place.
fn presumed(unit: &Unit, pos: Pos) -> Option<String> {
    let sources = &unit.shader.sources;
    let here = sources.locate(pos);
    let said = unit.shader.preprocessed.presumed(sources, pos);
    if (said.string as usize, said.line) == (here.string, here.line) {
        return None;
    }
    let string =
        if said.string as usize == here.string { String::new() } else { format!(" of string {}", said.string) };
    Some(format!("`#line` says that this is line {}{string}", said.line))
}
