//! Edits by node: inserts text around nodes or replaces them, whether their tokens come from the text or from macros.
//!
//! A node whose first and last tokens are in the original text, or are the first and last tokens of a macro call, is
//! edited by plain insertions. Otherwise one of its ends is inside of a macro call; then the outermost call there is
//! replaced with its expansion, and the text is inserted into that (`__LINE__` keeps its value). Calls that are
//! completely inside or outside of a node are kept.
//!
//! Text around a node encloses all text around the nodes inside of it; of two texts for the same tokens the later one
//! is outside. So independent parts of a program can request edits without coordination.

mod call;

use crate::analyze::Shader;
use crate::ast::NodeId;
use crate::edit::Edits;
use crate::source::{Pos, Span};
use crate::token::{Token, TokenSpan};

use call::{Calls, Output, UNKNOWN, glues, line_ends};

/// A set of changes to a shader's nodes.
pub struct Rewrite<'a> {
    shader: &'a Shader,
    calls: Calls,
    changes: Vec<Change>,
    /// All new text, concatenated.
    text: String,
}

/// Why a set of changes cannot be applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RewriteError {
    /// A node is replaced, and one inside of it, or the same node, is changed.
    Overlap {
        /// The replaced node.
        replaced: NodeId,
        /// The other node.
        other: NodeId,
    },
    /// A macro call that would have to be expanded contains a directive that would be lost.
    Directive(Span),
    /// The node has no tokens: it could not be parsed.
    Empty(NodeId),
}

#[derive(Clone, Copy)]
struct Change {
    node: NodeId,
    first: u32,
    last: u32,
    replaces: bool,
    /// Before the node, or the replacement.
    open: (u32, u32),
    close: (u32, u32),
}

impl Change {
    fn len(&self) -> u32 {
        self.last - self.first
    }
}

/// Texts to insert between two tokens, by the token they touch.
struct Insertions {
    /// Before a token, outermost first.
    openers: Vec<(u32, (u32, u32))>,
    /// After a token, innermost first.
    closers: Vec<(u32, (u32, u32))>,
    /// First and last token, and the replacement, in order.
    replaced: Vec<(u32, u32, (u32, u32))>,
}

impl<'a> Rewrite<'a> {
    /// No changes.
    #[must_use]
    pub fn new(shader: &'a Shader) -> Rewrite<'a> {
        Rewrite { shader, calls: Calls::new(&shader.preprocessed), changes: Vec::new(), text: String::new() }
    }

    /// True if there are no changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Removes all changes, to start another set on the same shader.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.text.clear();
    }

    /// Whether an end of the node is inside of a macro call, so that changing the node expands that call.
    #[must_use]
    pub fn splits_call(&self, node: NodeId) -> bool {
        let tokens = self.shader.tree.tokens(node);
        self.calls.split_before(tokens.first.0).is_some() || self.calls.split_after(tokens.last.0).is_some()
    }

    /// Whether an end of the node came from a macro.
    #[must_use]
    pub fn touches_call(&self, node: NodeId) -> bool {
        let tokens = self.shader.tree.tokens(node);
        self.calls.of(tokens.first.0).is_some() || self.calls.of(tokens.last.0).is_some()
    }

    /// Inserts text before a node.
    pub fn before(&mut self, node: NodeId, text: &str) {
        self.add(node, false, text, "");
    }

    /// Inserts text after a node.
    pub fn after(&mut self, node: NodeId, text: &str) {
        self.add(node, false, "", text);
    }

    /// Inserts text around a node.
    pub fn wrap(&mut self, node: NodeId, open: &str, close: &str) {
        self.add(node, false, open, close);
    }

    /// Replaces a node with text. Text around the same node encloses the new text.
    pub fn replace(&mut self, node: NodeId, text: &str) {
        self.add(node, true, text, "");
    }

    /// Inserts text around some of a node's tokens.
    pub fn wrap_tokens(&mut self, node: NodeId, tokens: TokenSpan, open: &str, close: &str) {
        self.add_tokens(node, tokens, false, open, close);
    }

    /// Replaces some of a node's tokens with text.
    pub fn replace_tokens(&mut self, node: NodeId, tokens: TokenSpan, text: &str) {
        self.add_tokens(node, tokens, true, text, "");
    }

    /// The changes as edits of the original text.
    ///
    /// Line ends of replaced text are kept as far as the language allows: lines are added only where a macro's name
    /// must be kept from being expanded again, so apply the edits with [`Edits::apply_keeping_lines`].
    ///
    /// # Errors
    /// When changes conflict, or a directive would be lost.
    pub fn edits(&self) -> Result<Edits, RewriteError> {
        let insertions = self.insertions()?;
        let split = self.split_calls(&insertions);
        let mut edits = Edits::new();
        self.edit_text(&insertions, &split, &mut edits);
        for &index in &split {
            let (span, text) = self.split_call(index, &insertions)?;
            edits.replace(span, &text);
        }
        for &(first, last, text) in &insertions.replaced {
            self.edit_replaced(first, last, text, &split, &mut edits);
        }
        Ok(edits)
    }

    fn add(&mut self, node: NodeId, replaces: bool, open: &str, close: &str) {
        self.add_tokens(node, self.shader.tree.tokens(node), replaces, open, close);
    }

    fn add_tokens(&mut self, node: NodeId, tokens: TokenSpan, replaces: bool, open: &str, close: &str) {
        let mut keep = |text: &str| {
            let start = self.text.len() as u32;
            self.text.push_str(text);
            (start, self.text.len() as u32)
        };
        let (open, close) = (keep(open), keep(close));
        self.changes.push(Change { node, first: tokens.first.0, last: tokens.last.0, replaces, open, close });
    }

    /// The changes sorted by position, after checking for conflicts.
    fn insertions(&self) -> Result<Insertions, RewriteError> {
        // The last token is the end of the text, which belongs to no node.
        let end = self.shader.preprocessed.tokens.len() as u32 - 1;
        if let Some(bad) = self.changes.iter().find(|c| c.last < c.first || c.last >= end) {
            return Err(RewriteError::Empty(bad.node));
        }
        let mut replacing: Vec<&Change> = self.changes.iter().filter(|c| c.replaces).collect();
        replacing.sort_by_key(|c| (c.first, c.last));
        for pair in replacing.windows(2) {
            if pair[1].first <= pair[0].last {
                return Err(RewriteError::Overlap { replaced: pair[0].node, other: pair[1].node });
            }
        }
        for change in self.changes.iter().filter(|c| !c.replaces) {
            // Replaced ranges that share tokens with the change must be inside of it; checking the first and the last
            // suffices.
            let from = replacing.partition_point(|r| r.last < change.first);
            let to = replacing.partition_point(|r| r.first <= change.last);
            let touching = replacing.get(from..to).unwrap_or_default();
            for replaced in touching.first().into_iter().chain(touching.last()) {
                if replaced.first < change.first || replaced.last > change.last {
                    return Err(RewriteError::Overlap { replaced: replaced.node, other: change.node });
                }
            }
        }
        let replaced = replacing.iter().map(|c| (c.first, c.last, c.open)).collect();
        let indices = || (0..self.changes.len()).filter(|&i| !self.changes[i].replaces);
        let mut order: Vec<usize> = indices().filter(|&i| self.changes[i].open.0 < self.changes[i].open.1).collect();
        order.sort_by_key(|&i| (self.changes[i].first, u32::MAX - self.changes[i].len(), usize::MAX - i));
        let openers = order.iter().map(|&i| (self.changes[i].first, self.changes[i].open)).collect();
        let mut order: Vec<usize> = indices().filter(|&i| self.changes[i].close.0 < self.changes[i].close.1).collect();
        order.sort_by_key(|&i| (self.changes[i].last, self.changes[i].len(), i));
        let closers = order.iter().map(|&i| (self.changes[i].last, self.changes[i].close)).collect();
        Ok(Insertions { openers, closers, replaced })
    }

    /// The calls in the middle of which a change begins or ends, in order.
    fn split_calls(&self, insertions: &Insertions) -> Vec<usize> {
        let openers = insertions.openers.iter().map(|(token, _)| *token);
        let closers = insertions.closers.iter().map(|(token, _)| *token);
        let firsts = openers.chain(insertions.replaced.iter().map(|(first, ..)| *first));
        let lasts = closers.chain(insertions.replaced.iter().map(|(_, last, _)| *last));
        let mut split: Vec<usize> = firsts.filter_map(|token| self.calls.split_before(token)).collect();
        split.extend(lasts.filter_map(|token| self.calls.split_after(token)));
        split.sort_unstable();
        split.dedup();
        split
    }

    /// Insertions into the original text.
    fn edit_text(&self, insertions: &Insertions, split: &[usize], edits: &mut Edits) {
        let is_split = |call: Option<usize>| call.is_some_and(|index| split.binary_search(&index).is_ok());
        let mut closers = insertions.closers.iter().peekable();
        let mut openers = insertions.openers.iter().peekable();
        // The last closing text, which may be followed immediately by an opening one.
        let mut closed: Option<(Pos, u8)> = None;
        loop {
            let closes = match (closers.peek(), openers.peek()) {
                (Some((last, _)), Some((first, _))) => last < first,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            let list = if closes { &mut closers } else { &mut openers };
            let Some(&&(token, _)) = list.peek() else { break };
            let mut text = String::new();
            while let Some(&(_, range)) = list.next_if(|(at, _)| *at == token) {
                text.push_str(self.new_text(range));
            }
            if closes {
                if !is_split(self.calls.split_after(token)) {
                    let at = self.place(token).end;
                    separate(&mut text, UNKNOWN, self.first_byte(token + 1, at, split));
                    closed = text.bytes().last().map(|byte| (at, byte));
                    edits.insert_after(at, &text);
                }
            } else if !is_split(self.calls.split_before(token)) {
                let at = self.place(token).start;
                let before = closed.filter(|(pos, _)| *pos == at).map(|(_, byte)| byte);
                let before = before.unwrap_or_else(|| self.last_byte(token.wrapping_sub(1), at, split));
                separate(&mut text, before, UNKNOWN);
                edits.insert_before(at, &text);
            }
        }
    }

    /// The position in the original text of a token, or of the macro call that produced it.
    fn place(&self, token: u32) -> Span {
        match self.calls.of(token) {
            Some(index) => self.calls.get(index).span,
            None => self.token(token).span(),
        }
    }

    /// The byte after a position; unknown if new text may replace the token there.
    fn first_byte(&self, token: u32, at: Pos, split: &[usize]) -> u8 {
        let is_split = self.calls.of(token).is_some_and(|index| split.binary_search(&index).is_ok());
        if is_split && self.place(token).start == at {
            return UNKNOWN;
        }
        self.shader.sources.text().as_bytes().get(at.0 as usize).copied().unwrap_or(b' ')
    }

    /// The byte before a position; unknown if new text may replace the token there.
    fn last_byte(&self, token: u32, at: Pos, split: &[usize]) -> u8 {
        let is_split = self.calls.of(token).is_some_and(|index| split.binary_search(&index).is_ok());
        if is_split && self.place(token).end == at {
            return UNKNOWN;
        }
        let before = (at.0 as usize).checked_sub(1);
        before.and_then(|before| self.shader.sources.text().as_bytes().get(before).copied()).unwrap_or(b' ')
    }

    /// The replacement of a macro call: its tokens with the new text inserted.
    fn split_call(&self, index: usize, insertions: &Insertions) -> Result<(Span, String), RewriteError> {
        let call = self.calls.get(index);
        let input = &self.shader.preprocessed;
        self.calls.check_directives(call, self.shader)?;
        let before = self.last_byte(call.first.wrapping_sub(1), call.span.start, &[]);
        let mut out = Output::new(&self.shader.sources, before);
        let skip = |list: &'_ [(u32, (u32, u32))], token: u32| list.partition_point(|(at, _)| *at < token);
        let mut openers = insertions.openers[skip(&insertions.openers, call.first + 1)..].iter().peekable();
        let mut closers = insertions.closers[skip(&insertions.closers, call.first)..].iter().peekable();
        let skipped = insertions.replaced.partition_point(|(_, last, _)| *last < call.first);
        let mut replaced = insertions.replaced[skipped..].iter().peekable();
        for at in call.first..=call.last {
            while let Some((_, range)) = openers.next_if(|(token, _)| *token == at) {
                out.push(self.new_text(*range));
            }
            match replaced.peek() {
                Some((first, _, range)) if *first == at => out.push(self.new_text(*range)),
                Some((first, ..)) if *first < at => {}
                _ => out.push_token(input, at),
            }
            replaced.next_if(|(_, last, _)| *last == at);
            while let Some((_, range)) = closers.next_if(|(token, _)| *token == at && at < call.last) {
                out.push(self.new_text(*range));
            }
        }
        // Another call may follow immediately, and may be expanded too.
        let follows = self.calls.of(call.last + 1).map(|next| self.calls.get(next).span.start);
        let next = match follows {
            Some(start) if start == call.span.end => UNKNOWN,
            _ => self.first_byte(call.last + 1, call.span.end, &[]),
        };
        Ok((call.span, out.finish(call.span, next)))
    }

    /// Replaces a range of tokens with text, as far as they are not inside of calls that are expanded. Line ends and
    /// directives between the tokens are kept.
    fn edit_replaced(&self, first: u32, last: u32, text: (u32, u32), split: &[usize], edits: &mut Edits) {
        let mut text = Some(self.new_text(text));
        let mut run: Option<Span> = None;
        let mut flush = |run: Span, text: Option<&str>| {
            let mut new = text.unwrap_or_default().to_owned();
            let (before, after) = (self.last_byte(u32::MAX, run.start, &[]), self.first_byte(u32::MAX, run.end, &[]));
            separate(&mut new, before, after);
            if new.is_empty() && glues(before, after) {
                new.push(' ');
            }
            let missing = line_ends(self.shader.sources.slice(run)).saturating_sub(line_ends(&new));
            new.extend(std::iter::repeat_n('\n', missing));
            edits.replace(run, &new);
        };
        let mut at = first;
        while at <= last {
            let span = match self.calls.of(at) {
                Some(index) => {
                    let call = self.calls.get(index);
                    if split.binary_search(&index).is_ok() {
                        // If the text begins here, it is inserted between the call's tokens.
                        text = text.filter(|_| at != first);
                        at = call.last + 1;
                        continue;
                    }
                    at = call.last + 1;
                    call.span
                }
                None => {
                    at += 1;
                    self.token(at - 1).span()
                }
            };
            run = match run {
                None => Some(span),
                Some(before) if self.stays(Span { start: before.end, end: span.start }) => {
                    flush(before, text.take());
                    Some(span)
                }
                Some(before) => Some(before.to(span)),
            };
        }
        if let Some(run) = run {
            flush(run, text.take());
        }
    }

    /// Whether the text between two removed tokens must be kept: it contains line ends, directives, or a call that is
    /// edited separately.
    fn stays(&self, between: Span) -> bool {
        self.shader.sources.slice(between).contains(|c: char| !c.is_ascii_whitespace() || matches!(c, '\n' | '\r'))
    }

    fn token(&self, index: u32) -> &Token {
        &self.shader.preprocessed.tokens[index as usize]
    }

    fn new_text(&self, range: (u32, u32)) -> &str {
        &self.text[range.0 as usize..range.1 as usize]
    }
}

/// Adds spaces where text would merge with an adjacent token.
fn separate(text: &mut String, before: u8, after: u8) {
    if text.bytes().next().is_some_and(|byte| glues(before, byte)) {
        text.insert(0, ' ');
    }
    if text.bytes().last().is_some_and(|byte| glues(byte, after)) {
        text.push(' ');
    }
}

#[cfg(test)]
mod tests;
