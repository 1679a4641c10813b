//! "Did you mean": the nearest names, computed only for errors.

use super::Checker;
use crate::builtin::{self, Word};
use crate::symbol::Symbol;
use crate::token::TokenSpan;
use crate::types::StructId;

/// Suggestions require a pass over all names, so only the first few errors get one.
const MAX_SUGGESTIONS: u32 = 20;

impl Checker<'_> {
    pub(super) fn undeclared(&mut self, tokens: TokenSpan, symbol: Symbol) {
        let name = self.name(symbol);
        let is_macro = self.input.macros.iter().any(|m| m.name == symbol && m.parameters.is_some());
        // A macro call with the wrong arguments has been reported and stays in the text.
        if is_macro && self.macro_calls_are_wrong {
            return;
        }
        let mut error = self.error_at(tokens, "undeclared", format!("`{name}` is not declared"));
        if is_macro {
            error = error.note(format!("`{name}` is a macro that takes arguments"));
        }
        if let Some(since) = builtin::availability(symbol) {
            error = error.note(format!("`{name}` is available from {since}"));
        } else if let Some(similar) = self.similar(symbol) {
            error = error.note(format!("did you mean `{similar}`?"));
        }
        self.report(error);
    }

    pub(super) fn similar(&mut self, symbol: Symbol) -> Option<String> {
        if self.suggestions >= MAX_SUGGESTIONS {
            return None;
        }
        self.suggestions += 1;
        let name = self.name(symbol);
        let dialect = self.dialect;
        let known = (0..self.input.symbols.base_len() as u32).map(Symbol).filter(|&s| {
            builtin::variables(s).iter().any(|v| v.when.holds(&dialect))
                || builtin::functions(s).iter().any(|f| f.when.holds(&dialect))
        });
        nearest(name, self.bindings.bound().chain(known).map(|s| self.input.symbols.name(s)))
    }

    pub(super) fn similar_type(&mut self, symbol: Symbol) -> Option<String> {
        if self.suggestions >= MAX_SUGGESTIONS {
            return None;
        }
        self.suggestions += 1;
        let name = self.name(symbol);
        let types = (0..self.input.symbols.len() as u32).map(Symbol).filter(|&s| {
            matches!(self.words.get(s), Word::Type(_))
                || matches!(self.bindings.get(s), Some(super::scope::Binding::Struct(_)))
        });
        nearest(name, types.map(|s| self.input.symbols.name(s)))
    }
}

impl Checker<'_> {
    pub(super) fn similar_member(&mut self, name: &str, structure: StructId) -> Option<String> {
        if self.suggestions >= MAX_SUGGESTIONS {
            return None;
        }
        self.suggestions += 1;
        let fields = &self.out.types.structs[structure.0 as usize].fields;
        nearest(name, fields.iter().map(|f| self.name(f.name)))
    }
}

/// The candidate with the smallest edit distance, if it is small for the length of the name.
fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let allowed = match name.len() {
        // Very long names are not typing mistakes, and comparing two of them takes quadratic time.
        0..=1 | 256.. => return None,
        2..=3 => 1,
        4..=8 => 2,
        _ => 3,
    };
    candidates
        .filter(|c| *c != name && c.len().abs_diff(name.len()) <= allowed)
        .map(|c| (edits(name.as_bytes(), c.as_bytes()), c))
        .filter(|(d, _)| *d <= allowed)
        .min()
        .map(|(_, c)| c.to_owned())
}

/// Levenshtein distance, with one row of the table at a time.
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
