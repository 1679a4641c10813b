//! The type checker: from a syntax tree to [`Typed`] facts and diagnostics.
//!
//! The checker traverses declarations in order and expressions bottom up, writing one row of facts per expression. It
//! never stops at an error: an erroneous expression gets [`Type::Error`], which is compatible with everything, so that
//! one mistake causes one diagnostic.

mod access;
mod block;
mod builtin_call;
mod builtins;
mod call;
mod construct;
mod convert;
mod declare;
mod expr;
mod function;
mod initialize;
mod interface;
mod layout;
mod lvalue;
mod operator;
mod per_vertex;
mod precision;
mod qualify;
mod scope;
mod stage;
mod stmt;
mod suggest;
mod types;
mod webgl;
mod whole;

use crate::ast::{DeclKind, ExprId, Tree};
use crate::builtin::Words;
use crate::constant::Constant;
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::Timeline;
use crate::preprocess::Preprocessed;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::token::{TokenIndex, TokenSpan};
use crate::typed::{ExprFacts, FunctionId, ScopeId, Target, Typed};
use crate::types::{Precision, Type};
use crate::version::{Dialect, Options, Vendor};

use scope::Bindings;

/// After this many errors, further ones are not reported: the shader is not GLSL at all. The limit for warnings is the
/// same.
const MAX_ERRORS: usize = 1_000;

/// Checks a parsed shader.
#[must_use]
pub fn check(input: &Preprocessed, timeline: &Timeline, tree: &Tree, options: &Options) -> (Typed, Vec<Diagnostic>) {
    let mut checker = Checker::new(input, timeline, tree, options);
    for &item in &tree.items {
        if checker.gives_up() {
            break;
        }
        checker.enter_item(tree.decl(item).tokens.first);
        checker.item(item);
    }
    checker.finish();
    (checker.out, checker.diagnostics)
}

struct Checker<'a> {
    input: &'a Preprocessed,
    timeline: &'a Timeline,
    tree: &'a Tree,
    options: &'a Options,
    segment: usize,
    dialect: Dialect,
    /// Names of the extensions enabled here. There are few, so a linear search is fastest.
    enabled: Vec<&'static str>,
    words: &'a Words,
    out: Typed,
    bindings: Bindings,
    scope: ScopeId,
    function: Option<FunctionId>,
    /// The number of loops and switches around the current statement.
    breakable: u32,
    loops: u32,
    switches: u32,
    /// The number of conditional constructs around the current statement.
    flow: u32,
    /// Whether a `return` has been seen in the current function.
    returned: bool,
    /// Default precisions: by scope depth, float, int and opaque types.
    precisions: Vec<(u32, Type, Precision)>,
    defaults: layout::Defaults,
    suggestions: u32,
    /// Whether the preprocessor reported a macro call with the wrong arguments.
    macro_calls_are_wrong: bool,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    notes: whole::Notes,
}

impl<'a> Checker<'a> {
    fn new(input: &'a Preprocessed, timeline: &'a Timeline, tree: &'a Tree, options: &'a Options) -> Checker<'a> {
        let facts = ExprFacts {
            ty: Type::Error,
            constant: None,
            target: Target::None,
            side_effects: false,
            scope: ScopeId::GLOBAL,
        };
        let mut out = Typed { exprs: vec![facts; tree.exprs.len()], ..Typed::default() };
        let last = TokenIndex(input.tokens.len() as u32 - 1);
        out.scopes
            .push(crate::typed::Scope { parent: ScopeId::GLOBAL, tokens: TokenSpan { first: TokenIndex(0), last } });
        Checker {
            input,
            timeline,
            tree,
            options,
            segment: 0,
            dialect: *timeline.dialect(0),
            enabled: timeline.dialect(0).enabled.names(),
            words: timeline.words(0),
            out,
            bindings: Bindings::new(input.symbols.len()),
            scope: ScopeId::GLOBAL,
            function: None,
            breakable: 0,
            loops: 0,
            switches: 0,
            flow: 0,
            returned: false,
            precisions: Vec::new(),
            defaults: layout::Defaults::default(),
            suggestions: 0,
            macro_calls_are_wrong: input.diagnostics.iter().any(|d| d.code == "macro-arguments"),
            diagnostics: Vec::new(),
            errors: 0,
            warnings: 0,
            notes: whole::Notes::default(),
        }
    }

    /// `#extension` takes effect between declarations and between statements.
    fn enter_item(&mut self, token: TokenIndex) {
        while self.timeline.segment_starts_at(self.segment + 1, token.0 as usize) {
            self.segment += 1;
            self.dialect = *self.timeline.dialect(self.segment);
            self.enabled = self.dialect.enabled.names();
            self.words = self.timeline.words(self.segment);
        }
    }

    fn item(&mut self, id: crate::ast::DeclId) {
        let tree = self.tree;
        match &tree.decl(id).kind {
            DeclKind::Function(function) => self.function_declaration(id, function),
            _ => self.declaration(id),
        }
    }

    // ---- facts ----

    fn ty(&self, id: ExprId) -> Type {
        self.out.exprs[id.0 as usize].ty
    }

    fn constant(&self, id: ExprId) -> Option<Constant> {
        self.out.exprs[id.0 as usize].constant
    }

    fn name(&self, symbol: Symbol) -> &'a str {
        self.input.symbols.name(symbol)
    }

    fn is_es(&self) -> bool {
        self.dialect.version.is_es()
    }

    fn at_least(&self, desktop: u16, es: u16) -> bool {
        self.dialect.version.at_least(desktop, es)
    }

    fn has(&self, extension: &str) -> bool {
        self.enabled.contains(&extension)
    }

    fn any(&self, extensions: &[&str]) -> bool {
        extensions.iter().any(|e| self.has(e))
    }

    fn vendor(&self, vendor: Vendor) -> bool {
        self.options.vendor == vendor
    }

    // ---- diagnostics ----

    fn span(&self, tokens: TokenSpan) -> Span {
        self.input.span(tokens).0
    }

    fn token_span(&self, token: TokenIndex) -> Span {
        self.span(TokenSpan { first: token, last: token })
    }

    fn expr_tokens(&self, id: ExprId) -> TokenSpan {
        self.tree.expr(id).tokens
    }

    fn error_at(&self, tokens: TokenSpan, code: &'static str, message: impl Into<String>) -> Diagnostic {
        // Locating a long range of tokens from macros takes time proportional to its length: not worth it if the result
        // is dropped.
        let tokens = if self.gives_up() { TokenSpan { last: tokens.first, ..tokens } } else { tokens };
        let (span, expansion) = self.input.span(tokens);
        Diagnostic::error(code, message, span).expanded_from(expansion)
    }

    fn error_token(&self, token: TokenIndex, code: &'static str, message: impl Into<String>) -> Diagnostic {
        self.error_at(TokenSpan { first: token, last: token }, code, message)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        } else if *count == MAX_ERRORS && diagnostic.severity == Severity::Error {
            let span = diagnostic.labels.first().map_or(Span::default(), |l| l.span);
            self.diagnostics.push(Diagnostic::error("limit", "too many errors; the rest are not shown", span));
        }
    }

    /// Whether there are so many errors that no more are reported.
    fn gives_up(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    fn error(&mut self, tokens: TokenSpan, code: &'static str, message: impl Into<String>) {
        let error = self.error_at(tokens, code, message);
        self.report(error);
    }

    fn error_expr(&mut self, id: ExprId, code: &'static str, message: impl Into<String>) {
        self.error(self.expr_tokens(id), code, message);
    }

    fn warn(&mut self, tokens: TokenSpan, code: &'static str, message: impl Into<String>) {
        if self.warnings >= MAX_ERRORS {
            return;
        }
        let mut warning = self.error_at(tokens, code, message);
        warning.severity = Severity::Warning;
        self.report(warning);
    }
}
