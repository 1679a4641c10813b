//! Builds the new text, and maps old to new positions.

use crate::source::{Pos, Sources, Span};

/// Text after editing, with a map between its positions and the original's.
#[derive(Clone, Debug)]
pub struct Edited {
    /// One string for each string of the original.
    pub strings: Vec<String>,
    /// Ranges kept from the original, in order, none empty.
    kept: Vec<KeptText>,
    old_len: u32,
    new_len: u32,
}

#[derive(Clone, Copy, Debug)]
struct KeptText {
    old: u32,
    new: u32,
    len: u32,
}

impl Edited {
    /// The position in the new text of an original position, counted over all strings. Removed text maps to the start
    /// of its replacement; between kept text and an insertion, the position stays with what follows it.
    #[must_use]
    pub fn to_new(&self, old: Pos) -> Pos {
        if old.0 >= self.old_len {
            return Pos(self.new_len);
        }
        match self.kept.partition_point(|kept| kept.old <= old.0).checked_sub(1) {
            None => Pos(0),
            Some(at) => {
                let kept = self.kept[at];
                Pos(kept.new + (old.0 - kept.old).min(kept.len))
            }
        }
    }

    /// The original position of a position in the new text. New text maps to where it was inserted.
    #[must_use]
    pub fn to_old(&self, new: Pos) -> Pos {
        match self.kept.partition_point(|kept| kept.new <= new.0).checked_sub(1) {
            None => Pos(0),
            Some(at) => {
                let kept = self.kept[at];
                Pos(kept.old + (new.0 - kept.new).min(kept.len))
            }
        }
    }
}

/// Builds the new strings from left to right.
pub(super) struct Builder<'a> {
    sources: &'a Sources,
    result: Edited,
    /// The first original byte that has not been processed.
    at: u32,
}

impl<'a> Builder<'a> {
    pub fn new(sources: &'a Sources) -> Builder<'a> {
        let old_len = sources.text().len() as u32;
        let result = Edited { strings: vec![String::new()], kept: Vec::new(), old_len, new_len: 0 };
        Builder { sources, result, at: 0 }
    }

    /// Keeps everything up to an edit and replaces its span with its text.
    pub fn edit(&mut self, span: Span, starts_string: bool, text: &str) {
        self.keep(span.start.0);
        if starts_string {
            self.open_strings(span.start.0);
        }
        self.insert(text);
        self.at = self.at.max(span.end.0);
    }

    /// Copies the original up to a position.
    pub fn keep(&mut self, to: u32) {
        while self.at < to {
            self.open_strings(self.at);
            let end = self.next_string().map_or(to, |next| next.min(to));
            let (old, len) = (self.at, end - self.at);
            self.result.kept.push(KeptText { old, new: self.result.new_len, len });
            self.insert(self.sources.slice(Span::new(old, end)));
            self.at = end;
        }
    }

    /// Adds text that the original does not have.
    pub fn insert(&mut self, text: &str) {
        if let Some(string) = self.result.strings.last_mut() {
            string.push_str(text);
        }
        self.result.new_len += text.len() as u32;
    }

    /// The first original byte that has not been processed.
    pub fn position(&self) -> u32 {
        self.at
    }

    /// Index of the string being written.
    pub fn string(&self) -> usize {
        self.result.strings.len() - 1
    }

    /// Starts the strings that begin at or before a position.
    pub fn open_strings(&mut self, at: u32) {
        while self.next_string().is_some_and(|next| next <= at) {
            self.result.strings.push(String::new());
        }
    }

    pub fn finish(mut self) -> Edited {
        self.keep(self.result.old_len);
        self.open_strings(self.result.old_len);
        self.result
    }

    fn next_string(&self) -> Option<u32> {
        let next = self.result.strings.len();
        (next < self.sources.strings()).then(|| self.sources.start(next).0)
    }
}
