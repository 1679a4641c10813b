//! Edits by node: text put around or in the place of nodes, wherever their tokens came from.
//!
//! A node whose first and last tokens stand in the author's text, or are the first and last of what a macro call
//! gives, is reached by plain insertions. Otherwise one of its ends lies inside a macro call; then the outermost call
//! there is replaced with the tokens it expands to, and the text goes between these (`__LINE__` keeps its value).
//! Calls that lie wholly inside or outside a node stay as they are.
//!
//! Text around a node encloses all text around the nodes in it; of two texts for the same tokens the one asked for
//! later is outside. So independent parts of a program can each ask for what they need.

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
    /// All new text, one after the other.
    text: String,
}

/// Why a set of changes cannot be carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RewriteError {
    /// A node is to be replaced, and one inside it, or the same, to be changed.
    Overlap {
        /// The node to be replaced.
        replaced: NodeId,
        /// The other.
        other: NodeId,
    },
    /// A macro call that would have to be replaced holds a directive that would be lost.
    Directive(Span),
    /// The node has no tokens of its own: it stands for what could not be parsed.
    Empty(NodeId),
}

#[derive(Clone, Copy)]
struct Change {
    node: NodeId,
    first: u32,
    last: u32,
    replaces: bool,
    /// In front, or instead.
    open: (u32, u32),
    close: (u32, u32),
}

impl Change {
    fn len(&self) -> u32 {
        self.last - self.first
    }
}

/// Texts to stand between two tokens, by the token they touch.
struct Insertions {
    /// Before a token, outermost first.
    openers: Vec<(u32, (u32, u32))>,
    /// Behind a token, innermost first.
    closers: Vec<(u32, (u32, u32))>,
    /// First and last token, and what stands instead, in order.
    replaced: Vec<(u32, u32, (u32, u32))>,
}

impl<'a> Rewrite<'a> {
    /// No changes.
    #[must_use]
    pub fn new(shader: &'a Shader) -> Rewrite<'a> {
        Rewrite { shader, calls: Calls::new(&shader.preprocessed), changes: Vec::new(), text: String::new() }
    }

    /// True when nothing is to be changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Forgets all changes, to start another set on the same shader.
    pub fn clear(&mut self) {
        self.changes.clear();
        self.text.clear();
    }

    /// Whether an end of the node lies inside a macro call, so that changing the node replaces that call.
    #[must_use]
    pub fn splits_call(&self, node: NodeId) -> bool {
        let tokens = self.shader.tree.tokens(node);
        self.calls.split_before(tokens.first.0).is_some() || self.calls.split_after(tokens.last.0).is_some()
    }

    /// Whether an end of the node came out of a macro.
    #[must_use]
    pub fn touches_call(&self, node: NodeId) -> bool {
        let tokens = self.shader.tree.tokens(node);
        self.calls.of(tokens.first.0).is_some() || self.calls.of(tokens.last.0).is_some()
    }

    /// Puts text in front of a node.
    pub fn before(&mut self, node: NodeId, text: &str) {
        self.add(node, false, text, "");
    }

    /// Puts text behind a node.
    pub fn after(&mut self, node: NodeId, text: &str) {
        self.add(node, false, "", text);
    }

    /// Puts text around a node.
    pub fn wrap(&mut self, node: NodeId, open: &str, close: &str) {
        self.add(node, false, open, close);
    }

    /// Puts text in the place of a node. Text around the same node stands around the new text.
    pub fn replace(&mut self, node: NodeId, text: &str) {
        self.add(node, true, text, "");
    }

    /// Puts text around some of a node's tokens.
    pub fn wrap_tokens(&mut self, node: NodeId, tokens: TokenSpan, open: &str, close: &str) {
        self.add_tokens(node, tokens, false, open, close);
    }

    /// Puts text in the place of some of a node's tokens.
    pub fn replace_tokens(&mut self, node: NodeId, tokens: TokenSpan, text: &str) {
        self.add_tokens(node, tokens, true, text, "");
    }

    /// The changes as edits of the author's text.
    ///
    /// Line ends of replaced text are kept as far as the language allows: only where a macro's name must be kept from
    /// being expanded again are lines added, so apply the edits with [`Edits::apply_keeping_lines`].
    ///
    /// # Errors
    /// When changes contradict each other, or a directive would be lost.
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

    /// The changes sorted by place, after making sure that they go together.
    fn insertions(&self) -> Result<Insertions, RewriteError> {
        // The last token is the end of the text, which is no node's.
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
            // Replaced runs that share tokens with the change must lie in it; the first and the last of them tell.
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

    /// The calls that something begins or ends in the middle of, in order.
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

    /// Insertions between what stands in the author's text.
    fn edit_text(&self, insertions: &Insertions, split: &[usize], edits: &mut Edits) {
        let is_split = |call: Option<usize>| call.is_some_and(|index| split.binary_search(&index).is_ok());
        let mut closers = insertions.closers.iter().peekable();
        let mut openers = insertions.openers.iter().peekable();
        // The last closing text, which an opening one may follow immediately.
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

    /// Where a token, or the macro call that gave it, stands in the author's text.
    fn place(&self, token: u32) -> Span {
        match self.calls.of(token) {
            Some(index) => self.calls.get(index).span,
            None => self.token(token).span(),
        }
    }

    /// The byte that follows a position; unknown if a token stands there that new text may take the place of.
    fn first_byte(&self, token: u32, at: Pos, split: &[usize]) -> u8 {
        let is_split = self.calls.of(token).is_some_and(|index| split.binary_search(&index).is_ok());
        if is_split && self.place(token).start == at {
            return UNKNOWN;
        }
        self.shader.sources.text().as_bytes().get(at.0 as usize).copied().unwrap_or(b' ')
    }

    /// The byte in front of a position; unknown if a token stands there that new text may take the place of.
    fn last_byte(&self, token: u32, at: Pos, split: &[usize]) -> u8 {
        let is_split = self.calls.of(token).is_some_and(|index| split.binary_search(&index).is_ok());
        if is_split && self.place(token).end == at {
            return UNKNOWN;
        }
        let before = (at.0 as usize).checked_sub(1);
        before.and_then(|before| self.shader.sources.text().as_bytes().get(before).copied()).unwrap_or(b' ')
    }

    /// What to put in the place of a macro call: its tokens, and new text between them.
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
        // Another call may follow immediately, and may be split too.
        let follows = self.calls.of(call.last + 1).map(|next| self.calls.get(next).span.start);
        let next = match follows {
            Some(start) if start == call.span.end => UNKNOWN,
            _ => self.first_byte(call.last + 1, call.span.end, &[]),
        };
        Ok((call.span, out.finish(call.span, next)))
    }

    /// Puts text in the place of a run of tokens as far as these are not inside calls that are split. Line ends and
    /// directives between the tokens stay.
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
                        // The text, if it begins here, is put among the call's tokens.
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

    /// Whether the text between two removed tokens must not be removed with them: it has line ends, directives, or a
    /// call that is edited on its own.
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

/// Adds spaces where text would become one token with what it stands between.
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
