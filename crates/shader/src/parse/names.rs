//! Tracks which names are types, by scope.

use crate::symbol::Symbol;

/// A flag per symbol with an undo log, so that the cost of leaving a scope depends only on its declarations.
pub(super) struct TypeNames {
    is_type: Vec<bool>,
    undo: Vec<(Symbol, bool)>,
    scopes: Vec<usize>,
}

impl TypeNames {
    pub(super) fn new(symbols: usize) -> TypeNames {
        TypeNames { is_type: vec![false; symbols], undo: Vec::new(), scopes: Vec::new() }
    }

    pub(super) fn is_type(&self, symbol: Symbol) -> bool {
        self.is_type[symbol.0 as usize]
    }

    /// Declares a name as a type or as something else, in the current scope.
    pub(super) fn declare(&mut self, symbol: Symbol, is_type: bool) {
        let slot = &mut self.is_type[symbol.0 as usize];
        if *slot != is_type {
            self.undo.push((symbol, *slot));
            *slot = is_type;
        }
    }

    pub(super) fn push(&mut self) {
        self.scopes.push(self.undo.len());
    }

    pub(super) fn pop(&mut self) {
        if let Some(mark) = self.scopes.pop() {
            self.undo_to(mark);
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Leaves scopes until `depth` remain: used by error recovery to restore the scope where it resumes.
    pub(super) fn unwind_to(&mut self, depth: usize) {
        while self.scopes.len() > depth {
            self.pop();
        }
    }

    pub(super) fn unwind_to_global(&mut self) {
        self.unwind_to(0);
    }

    fn undo_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((symbol, was)) = self.undo.pop() {
                self.is_type[symbol.0 as usize] = was;
            }
        }
    }
}
