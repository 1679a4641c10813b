//! Variable declarations, global and local (GLSL 4.60, 4.3).

use super::Checker;
use super::layout::On;
use super::qualify::{Gathered, QualifierPosition};
use super::scope::Binding;
use crate::ast::{DeclId, DeclKind, Declarator, ExprId, Name, TypeSyntax, TypeSyntaxKind};
use crate::builtin::Keyword;
use crate::constant::Constant;
use crate::qualifier::{Qualifiers, Storage};
use crate::token::TokenSpan;
use crate::typed::{ScopeId, VarId, Variable, VariableKind};
use crate::types::Type;
use crate::version::Stage;

impl<'a> Checker<'a> {
    pub(super) fn is_global(&self) -> bool {
        self.scope == ScopeId::GLOBAL
    }

    /// Any declaration but a function definition.
    pub(super) fn declaration(&mut self, id: DeclId) {
        let tree = self.tree;
        let decl = tree.decl(id);
        match &decl.kind {
            DeclKind::Error | DeclKind::Empty | DeclKind::TypeName(_) => {}
            DeclKind::Function(function) => {
                // GLSL 1.20, 6.1: functions may not be declared inside of functions; 1.10 and ES 1.00 do not say.
                if self.at_least(120, 100) {
                    let version = self.dialect.version;
                    self.error(
                        decl.tokens,
                        "local-function",
                        format!("a function cannot be declared inside a function in {version}"),
                    );
                }
                self.function_declaration(id, function);
            }
            DeclKind::Variables { qualifiers, ty, declarators } => {
                let place = if self.is_global() { QualifierPosition::Global } else { QualifierPosition::Local };
                let gathered = self.gather(qualifiers, place);
                self.variables(&gathered, ty, declarators, decl.tokens);
            }
            DeclKind::Precision(precision, ty) => self.default_precision(*precision, ty),
            DeclKind::Block(block) => {
                if self.is_global() {
                    self.block_declaration(block, decl.tokens);
                } else {
                    self.error(decl.tokens, "block", "a block can only be declared at global scope");
                }
            }
            DeclKind::Qualifiers(qualifiers, names) => {
                let gathered = self.gather(qualifiers, QualifierPosition::Alone);
                if names.is_empty() {
                    self.stage_layout(&gathered, decl.tokens);
                } else {
                    self.requalify(&gathered, names);
                }
            }
        }
    }

    fn variables(
        &mut self,
        gathered: &Gathered<'_>,
        syntax: &'a TypeSyntax,
        declarators: &'a [Declarator],
        tokens: TokenSpan,
    ) {
        let base = match syntax.kind {
            TypeSyntaxKind::Named(symbol) if gathered.q.flags.subroutine => match self.bindings.get(symbol) {
                Some(Binding::SubroutineType(function)) => {
                    let ty = Type::Subroutine(function.0);
                    self.apply_dims(ty, &syntax.dims, syntax.tokens)
                }
                _ => {
                    let name = self.name(symbol);
                    self.error(syntax.tokens, "unknown-type", format!("`{name}` is not a subroutine type"));
                    Type::Error
                }
            },
            _ => self.resolve_type(syntax),
        };
        if let (TypeSyntaxKind::Struct(_), Some(_)) = (&syntax.kind, gathered.q.precision) {
            self.error(syntax.tokens, "precision", "a structure has no precision; its members do");
        }
        if declarators.is_empty() {
            self.declaration_without_names(gathered, syntax, tokens);
        }
        for declarator in declarators {
            let ty = self.apply_dims(base, &declarator.dims, declarator.tokens);
            self.variable(gathered, syntax, declarator, ty);
        }
    }

    fn declaration_without_names(&mut self, gathered: &Gathered<'_>, syntax: &TypeSyntax, tokens: TokenSpan) {
        if !matches!(syntax.kind, TypeSyntaxKind::Struct(_)) {
            self.warn(tokens, "empty-declaration", "this declares nothing");
            // GLSL ES 3.00, 4.1.9: only an initialiser can provide a size, and there is no name to initialise.
            if self.is_es() && syntax.dims.iter().any(|d| d.size.is_none()) {
                self.error(syntax.tokens, "unsized-array", "an array needs a size");
            }
        } else if gathered.q.precision.is_some() {
            self.error(tokens, "precision", "a structure has no precision; its members do");
        }
        if !gathered.layout.is_empty() && !matches!(syntax.kind, TypeSyntaxKind::Struct(_)) {
            let on = self.layout_target(gathered, Type::Error);
            if on != On::COUNTER && syntax.kind != TypeSyntaxKind::Builtin(self.counter_type()) {
                self.error(
                    tokens,
                    "layout",
                    "`layout` needs a variable, a block, or `in`, `out`, `uniform` or `buffer` alone",
                );
            } else {
                // `layout(binding = 1, offset = 4) uniform atomic_uint;` sets the offset of later counters.
                let (layout, _) = self.read_layout(&gathered.layout, On::COUNTER);
                self.counter_default(layout, tokens);
            }
        }
    }

    /// One declarator of a variable declaration.
    fn variable(&mut self, gathered: &Gathered<'_>, syntax: &TypeSyntax, declarator: &'a Declarator, ty: Type) {
        let name = declarator.name;
        let mut q = gathered.q;
        let mut ty = ty;
        let tokens = declarator.tokens;
        if self.innermost(ty) == Type::Void {
            self.error(tokens, "void-variable", format!("`{}` cannot be `void`", self.name(name.symbol)));
            ty = Type::Error;
        }
        let on = self.layout_target(gathered, ty);
        let text = self.name(name.symbol);
        if text.starts_with("gl_") && self.redeclare_builtin(gathered, declarator, ty) {
            return;
        }
        let (layout, rest) = self.read_layout(&gathered.layout, on);
        let noncoherent = rest.iter().any(|r| r.0 == "noncoherent");
        for (word, _) in rest {
            if !matches!(
                word.as_str(),
                "noncoherent"
                    | "bindless_sampler"
                    | "bound_sampler"
                    | "bindless_image"
                    | "bound_image"
                    | "viewport_relative"
            ) {
                self.error(tokens, "layout", format!("`{word}` is not for a variable"));
            }
        }
        q.layout = layout;
        if q.storage == Storage::InOut && !self.has("GL_EXT_shader_framebuffer_fetch") && !noncoherent {
            self.error(tokens, "layout", "without coherent framebuffer fetch this needs `layout(noncoherent)`");
        }
        let mut constant = None;
        if let Some(init) = declarator.init {
            (ty, constant) = self.initialize(gathered, declarator, init, ty);
        } else if q.storage == Storage::Const {
            self.error(tokens, "const-without-value", format!("constant `{text}` needs a value"));
        }
        q.precision = self.precision_of(ty, gathered.q.precision, tokens);
        self.check_variable(gathered, syntax, name, ty, tokens);
        self.check_variable_layout(&q, on, ty, name, tokens);
        q.layout = self.with_output_defaults(q.layout, on);
        if gathered.q.flags.invariant || gathered.q.flags.precise {
            self.check_invariant(gathered, name);
        }
        if q.storage == Storage::Plain && self.is_global() && q.flags.invariant {
            q.flags.invariant = false;
        }
        self.declare(name, ty, q, constant, declarator.init, tokens);
    }

    /// Adds the variable and binds its name, or merges it with an earlier declaration.
    fn declare(
        &mut self,
        name: Name,
        ty: Type,
        qualifiers: Qualifiers,
        constant: Option<Constant>,
        init: Option<ExprId>,
        tokens: TokenSpan,
    ) -> Option<VarId> {
        if let Some(Binding::Variable(earlier)) = self.bindings.get_here(name.symbol)
            && self.merge_array(earlier, ty, qualifiers, init)
        {
            return Some(earlier);
        }
        let apart =
            self.separate_namespaces() && matches!(self.bindings.get_here(name.symbol), Some(Binding::Functions(_)));
        if apart {
            self.check_identifier(name);
        } else {
            self.check_new_name(name);
        }
        let kind = if self.is_global() { VariableKind::Global } else { VariableKind::Local };
        let id = self.add_variable(name, ty, qualifiers, kind, Self::after(tokens));
        let row = &mut self.out.variables[id.0 as usize];
        row.constant = constant;
        row.init = init;
        self.bind_new(name, Binding::Variable(id));
        Some(id)
    }

    pub(super) fn add_variable(
        &mut self,
        name: Name,
        ty: Type,
        qualifiers: Qualifiers,
        kind: VariableKind,
        visible_from: crate::token::TokenIndex,
    ) -> VarId {
        self.out.variables.push(Variable {
            name: name.symbol,
            ty,
            qualifiers,
            kind,
            declared: Some(name.token),
            scope: self.scope,
            visible_from,
            constant: None,
            init: None,
            max_index: None,
            read: false,
            written: false,
        });
        VarId(self.out.variables.len() as u32 - 1)
    }

    /// An unsized array may be redeclared with a size (GLSL 4.60, 4.1.9).
    fn merge_array(&mut self, earlier: VarId, ty: Type, qualifiers: Qualifiers, init: Option<ExprId>) -> bool {
        if self.is_es() {
            return false;
        }
        let row = self.out.variable(earlier);
        let (Some(old), Some(new)) = (self.out.types.as_array(row.ty), self.out.types.as_array(ty)) else {
            return false;
        };
        let mergeable = old.size.is_none()
            && old.element == new.element
            && row.qualifiers.storage == qualifiers.storage
            && matches!(row.kind, VariableKind::Global | VariableKind::Local | VariableKind::Builtin);
        if !mergeable {
            return false;
        }
        if let (Some(size), Some(used), Some(token)) = (new.size, row.max_index, row.declared)
            && used >= size
        {
            let error = self.error_token(
                token,
                "array-size",
                format!("declared again with {size} elements, but index {used} was used"),
            );
            self.report(error);
        }
        let row = &mut self.out.variables[earlier.0 as usize];
        row.ty = ty;
        row.init = row.init.or(init);
        true
    }

    /// Reports a name that cannot be declared here.
    pub(super) fn check_new_name(&mut self, name: Name) {
        self.check_identifier(name);
        let Some(earlier) = self.bindings.get_here(name.symbol) else { return };
        let text = self.name(name.symbol);
        let mut error =
            self.error_token(name.token, "redefinition", format!("`{text}` is declared twice in this scope"));
        let token = match earlier {
            Binding::Variable(v) => self.out.variable(v).declared,
            Binding::Functions(set) => self.bindings.overloads(set).first().map(|f| self.out.function(*f).declared),
            Binding::SubroutineType(f) => Some(self.out.function(f).declared),
            Binding::Struct(_) | Binding::Block => None,
        };
        if let Some(token) = token {
            error = error.label(self.token_span(token), "declared here first");
        }
        self.report(error);
    }

    /// GLSL 1.10, 4.2: functions and variables do not share a name space; from 1.20 on they do.
    pub(super) fn separate_namespaces(&self) -> bool {
        !self.is_es() && self.dialect.version.number == 110
    }

    /// Reserved names (GLSL 4.60, 3.7).
    pub(super) fn check_identifier(&mut self, name: Name) {
        let text = self.name(name.symbol);
        let tokens = TokenSpan { first: name.token, last: name.token };
        if text.starts_with("gl_") {
            self.error(tokens, "reserved-name", format!("`{text}`: names that begin with `gl_` are reserved"));
        } else if self.options.webgl && (text.starts_with("webgl_") || text.starts_with("_webgl_")) {
            self.error(
                tokens,
                "reserved-name",
                format!("`{text}`: names that begin with `webgl_` are reserved by WebGL"),
            );
        } else if text.contains("__") {
            if self.options.webgl || (self.is_es() && self.dialect.version.number < 300) {
                self.error(
                    tokens,
                    "reserved-name",
                    format!("`{text}`: names with two underscores in a row are reserved"),
                );
            } else {
                self.warn(
                    tokens,
                    "reserved-name",
                    format!("`{text}`: names with two underscores in a row are reserved"),
                );
            }
        }
        if self.is_es() {
            // GLSL ES 3.00, 3.9: at most 1024 characters; WebGL 1 allows 256, WebGL 2 allows 1024 in either language.
            let first = self.options.webgl && !self.options.is_webgl2(self.dialect.version);
            let limit = if first { 256 } else { 1024 };
            if text.len() > limit && (self.at_least(0, 300) || self.options.webgl) {
                self.error(tokens, "long-name", format!("names have at most {limit} characters"));
            }
        }
    }

    pub(super) fn bind_new(&mut self, name: Name, binding: Binding) {
        self.bindings.bind(name.symbol, binding);
    }

    /// `invariant` and `precise` on a declaration.
    fn check_invariant(&mut self, gathered: &Gathered<'_>, name: Name) {
        let stage = self.dialect.stage;
        if let Some(tokens) = gathered.place_of(Keyword::Invariant) {
            let text = self.name(name.symbol);
            if !self.is_global() {
                self.error(tokens, "invariant", "`invariant` is for global variables");
            } else {
                let output = gathered.q.storage == Storage::Out;
                // Inputs of a fragment shader could be invariant before 4.20 and in ES 1.00.
                let input = gathered.q.storage == Storage::In
                    && stage != Stage::Vertex
                    && (if self.is_es() { self.dialect.version.number == 100 } else { true });
                if !output && !input {
                    self.error(tokens, "invariant", format!("`invariant` is only for outputs, `{text}` is not one"));
                }
            }
        }
    }
}
