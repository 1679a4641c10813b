//! Name bindings by scope, with an undo log.

use std::collections::BTreeMap;

use super::Checker;
use crate::symbol::Symbol;
use crate::token::{TokenIndex, TokenSpan};
use crate::typed::{FunctionId, Scope, ScopeId, VarId};
use crate::types::{StructId, Type};

/// What a name is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    Variable(VarId),
    Struct(StructId),
    /// First of a chain of overloads in [`Bindings::overloads`].
    Functions(OverloadsId),
    SubroutineType(FunctionId),
    /// A block's name: it is taken but cannot be used.
    Block,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OverloadsId(u32);

#[derive(Clone, Copy)]
struct Bound {
    binding: Binding,
    depth: u32,
}

/// The functions with one name.
#[derive(Default)]
struct Overloads {
    functions: Vec<FunctionId>,
    /// By types of parameters; empty while a linear search suffices.
    index: BTreeMap<Vec<Type>, FunctionId>,
}

/// Sets larger than this are indexed: a generated shader may have thousands of overloads.
const FEW_OVERLOADS: usize = 16;

pub(super) struct Bindings {
    /// By symbol: one more than the index in `bounds`, or zero. A table of zeros is cheap to allocate, and every shader
    /// needs one.
    current: Vec<u32>,
    bounds: Vec<Bound>,
    undo: Vec<(Symbol, u32)>,
    marks: Vec<usize>,
    overloads: Vec<Overloads>,
    /// By symbol: its overload set plus one, separate because GLSL 1.10 has a separate name space for functions.
    functions: Vec<u32>,
}

impl Bindings {
    pub(super) fn new(symbols: usize) -> Bindings {
        Bindings {
            current: vec![0; symbols],
            bounds: Vec::new(),
            undo: Vec::new(),
            marks: Vec::new(),
            overloads: Vec::new(),
            functions: vec![0; symbols],
        }
    }

    pub(super) fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    pub(super) fn get(&self, symbol: Symbol) -> Option<Binding> {
        self.bound_to(symbol).map(|b| b.binding)
    }

    fn bound_to(&self, symbol: Symbol) -> Option<Bound> {
        let at = self.current[symbol.0 as usize].checked_sub(1)?;
        Some(self.bounds[at as usize])
    }

    /// The binding of a name in the innermost scope itself.
    pub(super) fn get_here(&self, symbol: Symbol) -> Option<Binding> {
        self.bound_to(symbol).filter(|b| b.depth == self.depth()).map(|b| b.binding)
    }

    pub(super) fn bind(&mut self, symbol: Symbol, binding: Binding) {
        let depth = self.depth();
        self.bounds.push(Bound { binding, depth });
        let slot = &mut self.current[symbol.0 as usize];
        self.undo.push((symbol, *slot));
        *slot = self.bounds.len() as u32;
    }

    /// Binds at global scope from any scope: used to create built-in variables when they are first named.
    pub(super) fn bind_global(&mut self, symbol: Symbol, binding: Binding) {
        self.bounds.push(Bound { binding, depth: 0 });
        self.current[symbol.0 as usize] = self.bounds.len() as u32;
    }

    pub(super) fn overloads(&self, id: OverloadsId) -> &[FunctionId] {
        &self.overloads[id.0 as usize].functions
    }

    /// The overload with exactly these parameters, if the set is indexed: `Err` if it must be searched.
    pub(super) fn exact_overload(
        &self,
        id: OverloadsId,
        params: impl Iterator<Item = Type>,
    ) -> Result<Option<FunctionId>, &[FunctionId]> {
        let set = &self.overloads[id.0 as usize];
        if set.index.is_empty() {
            return Err(&set.functions);
        }
        let params: Vec<Type> = params.collect();
        Ok(set.index.get(&params).copied())
    }

    /// Adds a function; `params` returns the types of a function's parameters.
    pub(super) fn add_overload(
        &mut self,
        symbol: Symbol,
        function: FunctionId,
        params: impl Fn(FunctionId) -> Vec<Type>,
    ) {
        match self.functions_named(symbol) {
            Some(id) => {
                let set = &mut self.overloads[id.0 as usize];
                set.functions.push(function);
                if !set.index.is_empty() {
                    set.index.insert(params(function), function);
                } else if set.functions.len() > FEW_OVERLOADS {
                    set.index = set.functions.iter().map(|&f| (params(f), f)).collect();
                }
            }
            None => {
                self.overloads.push(Overloads { functions: vec![function], ..Overloads::default() });
                let id = OverloadsId(self.overloads.len() as u32 - 1);
                self.functions[symbol.0 as usize] = id.0 + 1;
                if self.get(symbol).is_none() {
                    self.bind_global(symbol, Binding::Functions(id));
                }
            }
        }
    }

    /// The functions with a name, whatever else it is bound to.
    pub(super) fn functions_named(&self, symbol: Symbol) -> Option<OverloadsId> {
        self.functions[symbol.0 as usize].checked_sub(1).map(OverloadsId)
    }

    /// All currently bound names, for suggestions.
    pub(super) fn bound(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.current.iter().enumerate().filter(|(_, b)| **b != 0).map(|(i, _)| Symbol(i as u32))
    }

    fn push(&mut self) {
        self.marks.push(self.undo.len());
    }

    fn pop(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        while self.undo.len() > mark {
            if let Some((symbol, was)) = self.undo.pop() {
                self.current[symbol.0 as usize] = was;
            }
        }
    }
}

impl Checker<'_> {
    /// Runs `body` in a new scope over these tokens.
    pub(super) fn in_scope(&mut self, tokens: TokenSpan, body: impl FnOnce(&mut Self)) {
        let outer = self.push_scope(tokens);
        body(self);
        self.pop_scope(outer);
    }

    pub(super) fn push_scope(&mut self, tokens: TokenSpan) -> ScopeId {
        self.bindings.push();
        let outer = self.scope;
        self.out.scopes.push(Scope { parent: outer, tokens });
        self.scope = ScopeId(self.out.scopes.len() as u32 - 1);
        outer
    }

    pub(super) fn pop_scope(&mut self, outer: ScopeId) {
        self.bindings.pop();
        self.scope = outer;
        let depth = self.bindings.depth();
        while self.precisions.last().is_some_and(|p| p.0 > depth) {
            self.precisions.pop();
        }
    }

    /// The token right after a declarator: where its name becomes visible.
    pub(super) fn after(tokens: TokenSpan) -> TokenIndex {
        TokenIndex(tokens.last.0 + 1)
    }
}
