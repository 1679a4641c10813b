//! A breakpoint for every invocation of a frame: where a line of the shader is reached with a condition true.

use serde_json::{Value, json};
use session::{BreakpointHits, BreakpointSearch, Choice, DrawSelection};

use super::Adapter;
use crate::protocol::Request;
use crate::protocol::arguments::Find;
use crate::refusal::Refusal;

/// Invocations that are named, if the client does not say how many.
const MOST: usize = 20;

impl Adapter {
    /// `afterimage/find`.
    pub(super) fn find(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Find = request.arguments()?;
        let hits = self.hits(&wanted)?;
        Ok(json!({"hits": hits}))
    }

    /// `.find [LINE] [if CONDITION]`.
    pub(super) fn find_by_words(&mut self, text: &str) -> Result<String, Refusal> {
        let wanted = parse(text)
            .ok_or_else(|| Refusal::NotThere("say where, and perhaps when: `.find 31 if isnan(light.x)`".to_owned()))?;
        let hits = self.hits(&wanted)?;
        let mut lines: Vec<String> = hits.draws.iter().map(ToString::to_string).collect();
        for hit in &hits.first {
            lines.push(match &hit.choice {
                Choice::Fragment { command, x, y, .. } => format!("  .enter {x},{y} {command}"),
                other => format!("  {other:?}"),
            });
        }
        if lines.is_empty() {
            lines.push(format!("it holds nowhere, in {} draws of this shader", hits.asked));
        }
        lines.extend(hits.limits());
        lines.extend(hits.problems.iter().map(|problem| format!("note: {problem}")));
        Ok(lines.join("\n"))
    }

    /// Asks all draws of the frame that run the shader one stands in.
    fn hits(&mut self, wanted: &Find) -> Result<BreakpointHits, Refusal> {
        self.focus(None)?;
        let stop = self.session()?.here()?;
        let source = stop.location.source.clone();
        let before = self.sources.body(&source).map_or(0, |(_, before)| before);
        let line = wanted.line.map_or(stop.location.line, |line| self.line_in(line, before));
        let search = BreakpointSearch {
            condition: wanted.condition.clone(),
            most: wanted.most.unwrap_or(MOST),
            ..BreakpointSearch::new(source, line, DrawSelection::Beside(stop.invocation.command))
        };
        let progress = self.begin_progress("asking all draws of the frame", None, false).unwrap_or_default();
        let hits = self.session()?.search_breakpoint(&search);
        let _ = self.end_progress(&progress, None);
        Ok(hits?)
    }
}

/// `LINE`, `if CONDITION`, both or none.
fn parse(text: &str) -> Option<Find> {
    let text = text.trim();
    let (line, condition) = match text.split_once("if ") {
        Some((line, condition)) => (line.trim(), Some(condition.trim().to_owned())),
        None => (text, None),
    };
    let line = if line.is_empty() { None } else { Some(line.parse().ok()?) };
    Some(Find { line, condition, most: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_conditions_are_read() {
        let read = |text| parse(text).map(|find| (find.line, find.condition));
        assert_eq!(read(""), Some((None, None)));
        assert_eq!(read("31"), Some((Some(31), None)));
        assert_eq!(read("31 if a > 1.0"), Some((Some(31), Some("a > 1.0".to_owned()))));
        assert_eq!(read("if isnan(a)"), Some((None, Some("isnan(a)".to_owned()))));
        assert_eq!(read("here"), None);
    }
}
