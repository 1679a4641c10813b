//! The node at a position in the text.

use crate::analyze::Shader;
use crate::ast::NodeId;
use crate::source::{Pos, Span};
use crate::token::{ExpansionId, Token, TokenIndex, TokenSpan};

impl Shader {
    /// The innermost node at a position in the original text; `None` between declarations.
    ///
    /// Inside of a macro call that is the node that the argument became, or otherwise the smallest one that contains
    /// the whole expansion. The body of a `#define` has no node: it may become many.
    #[must_use]
    pub fn node_at(&self, pos: Pos) -> Option<NodeId> {
        let run = self.tokens_at(pos)?;
        let around = |node: &NodeId| {
            let tokens = self.tree.tokens(*node);
            tokens.first <= run.first && run.last <= tokens.last
        };
        let items = &self.tree.items;
        let after = items.partition_point(|item| self.tree.decl(*item).tokens.first <= run.first);
        let item = NodeId::Decl(*items.get(after.checked_sub(1)?)?);
        let mut found = Some(item).filter(around)?;
        let mut children = Vec::new();
        loop {
            self.children(found, &mut children);
            match children.iter().copied().find(|child| around(child)) {
                Some(child) => found = child,
                None => return Some(found),
            }
        }
    }

    /// The tokens at a position: one, those of a macro call, or the two neighbours of white space.
    fn tokens_at(&self, pos: Pos) -> Option<TokenSpan> {
        let tokens = &self.preprocessed.tokens;
        // Positions of tokens in the original text only move forward.
        let after = tokens.partition_point(|token| self.written_token(token).start <= pos);
        let last = after.checked_sub(1)?;
        let run = |first: usize, last: usize| {
            Some(TokenSpan { first: TokenIndex(first as u32), last: TokenIndex(last as u32) })
        };
        let place = self.written_token(&tokens[last]);
        if pos >= place.end {
            return run(last, after.min(tokens.len() - 1));
        }
        let same = |index: &usize| {
            let token = &tokens[*index];
            token.expansion != ExpansionId::NONE && self.written_token(token) == place
        };
        let first = (0..=last).rev().take_while(same).last().unwrap_or(last);
        let exact = (first..=last).find(|&index| {
            let span = tokens[index].span();
            span.start <= pos && pos < span.end
        });
        match exact {
            Some(index) => run(index, index),
            None => run(first, last),
        }
    }

    /// The position of a token in the original text: its own, or that of the outermost macro call.
    pub(super) fn written_token(&self, token: &Token) -> Span {
        let outermost = self.preprocessed.chain(token.expansion).last();
        outermost.map_or(token.span(), |id| self.preprocessed.expansion(id).call)
    }
}
