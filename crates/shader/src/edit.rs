//! Edits of the original text: insertions and replacements at positions; everything else is kept byte for byte.
//!
//! Several insertions may be at the same position. Their order there does not depend on the order of the calls, only on
//! what each belongs to:
//!
//! 1. closing texts of [`Edits::wrap`] whose span ends here, shorter spans first;
//! 2. [`Edits::insert_after`]: outside of everything that ends here;
//! 3. [`Edits::insert`];
//! 4. [`Edits::insert_before`]: outside of everything that begins here;
//! 5. opening texts of [`Edits::wrap`] whose span begins here, longer spans first;
//! 6. the text of a replacement whose span begins here.
//!
//! So wraps nest like their spans. Of two wraps around the same span, the later call is outside. Within 2, 3 and 4 the
//! order of the calls applies. At a boundary between two source strings, 1 and 2 go to the end of the first and the
//! others to the start of the second.

mod lines;
mod map;
mod rewrite;

use crate::source::{Pos, Sources, Span};

pub use lines::LineRules;
use map::Builder;
pub use map::Edited;
pub use rewrite::{Rewrite, RewriteError};

/// A set of changes to a shader's text.
#[derive(Clone, Debug, Default)]
pub struct Edits {
    edits: Vec<Edit>,
    /// All new text, concatenated.
    text: String,
}

/// Why a set of changes cannot be applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditError {
    /// Two replacements overlap, or an insertion is inside a replaced span.
    Overlap {
        /// The span replaced first.
        first: Span,
        /// The span inside it.
        second: Span,
    },
    /// A span is beyond the end, ends before it starts, or splits a character.
    Outside(Span),
}

/// What a text at a position belongs to; the variants are in the order of the texts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    Close,
    After,
    Neutral,
    Before,
    Open,
    Replace,
}

#[derive(Clone, Copy, Debug)]
struct Edit {
    span: Span,
    side: Side,
    /// Orders edits of the same side at the same position.
    key: (u32, u32),
    text: (u32, u32),
}

impl Edits {
    /// No changes.
    #[must_use]
    pub fn new() -> Edits {
        Edits::default()
    }

    /// True if there are no changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Inserts text between what ends at the position and what begins there.
    pub fn insert(&mut self, at: Pos, text: &str) {
        self.add(Span { start: at, end: at }, Side::Neutral, text);
    }

    /// Inserts text before what begins at the position, outside of any wrap around it.
    pub fn insert_before(&mut self, at: Pos, text: &str) {
        self.add(Span { start: at, end: at }, Side::Before, text);
    }

    /// Inserts text after what ends at the position, outside of any wrap around it.
    pub fn insert_after(&mut self, at: Pos, text: &str) {
        self.add(Span { start: at, end: at }, Side::After, text);
    }

    /// Inserts text around a span. For an empty span this is one insertion.
    pub fn wrap(&mut self, span: Span, open: &str, close: &str) {
        if span.end <= span.start {
            self.add(span, Side::Neutral, open);
            self.add(span, Side::Neutral, close);
            return;
        }
        let (order, len) = (self.edits.len() as u32, span.len());
        self.push(Span { start: span.start, end: span.start }, Side::Open, (u32::MAX - len, u32::MAX - order), open);
        self.push(Span { start: span.end, end: span.end }, Side::Close, (len, order), close);
    }

    /// Replaces a span with text. For an empty span this is an insertion.
    pub fn replace(&mut self, span: Span, text: &str) {
        let side = if span.is_empty() { Side::Neutral } else { Side::Replace };
        self.add(span, side, text);
    }

    /// Removes a span.
    pub fn delete(&mut self, span: Span) {
        if !span.is_empty() {
            self.add(span, Side::Replace, "");
        }
    }

    /// Applies the changes.
    ///
    /// # Errors
    /// When two changes conflict or one is outside of the text.
    pub fn apply(&self, sources: &Sources) -> Result<Edited, EditError> {
        let mut builder = Builder::new(sources);
        for edit in self.sorted(sources)? {
            builder.edit(edit.span, edit.starts_string(), self.text_of(&edit));
        }
        Ok(builder.finish())
    }

    fn add(&mut self, span: Span, side: Side, text: &str) {
        self.push(span, side, (self.edits.len() as u32, 0), text);
    }

    fn push(&mut self, span: Span, side: Side, key: (u32, u32), text: &str) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        self.edits.push(Edit { span, side, key, text: (start, self.text.len() as u32) });
    }

    fn text_of(&self, edit: &Edit) -> &str {
        &self.text[edit.text.0 as usize..edit.text.1 as usize]
    }

    /// The changes in the order of their texts, after checking for conflicts.
    fn sorted(&self, sources: &Sources) -> Result<Vec<Edit>, EditError> {
        let mut edits = self.edits.clone();
        edits.sort_unstable_by_key(|edit| (edit.span.start, edit.side, edit.key));
        let text = sources.text();
        let boundary = |at: Pos| text.is_char_boundary(at.0 as usize);
        let mut replaced = Span::default();
        for edit in &edits {
            let span = edit.span;
            if span.end < span.start || !boundary(span.start) || !boundary(span.end) {
                return Err(EditError::Outside(span));
            }
            if span.start < replaced.end {
                return Err(EditError::Overlap { first: replaced, second: span });
            }
            if edit.side == Side::Replace {
                replaced = span;
            }
        }
        Ok(edits)
    }
}

impl Edit {
    /// Whether the text belongs to what follows, if the position is between two strings.
    fn starts_string(&self) -> bool {
        !matches!(self.side, Side::Close | Side::After)
    }
}

#[cfg(test)]
mod tests;
