//! Variable declarations, global and local (GLSL 4.60, 4.3).

use super::Checker;
use super::layout::On;
use super::qualify::{Gathered, Place};
use super::scope::Binding;
use crate::ast::{DeclId, DeclKind, Declarator, ExprId, ExprKind, Name, TypeSyntax, TypeSyntaxKind};
use crate::builtin::Keyword;
use crate::constant::{self, Constant};
use crate::qualifier::{Qualifiers, Storage};
use crate::token::TokenSpan;
use crate::typed::{ScopeId, Target, VarId, Variable, VariableKind};
use crate::types::{Precision, Scalar, Type};
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
                // GLSL 1.20, 6.1: functions may not be declared inside functions; 1.10 and ES 1.00 did not say.
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
                let place = if self.is_global() { Place::Global } else { Place::Local };
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
                let gathered = self.gather(qualifiers, Place::Alone);
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
            // GLSL ES 3.00, 4.1.9: only an initializer can supply a size, and there is no name to initialize.
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
                // `layout(binding = 1, offset = 4) uniform atomic_uint;` sets where later counters go.
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

    /// An array declared without a size may be declared again with one (GLSL 4.60, 4.1.9).
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

    /// GLSL 1.10, 4.2.6: functions and variables do not share a name space; from 1.20 on they do.
    pub(super) fn separate_namespaces(&self) -> bool {
        !self.is_es() && self.dialect.version.number == 110
    }

    /// Names the language keeps for itself (GLSL 4.60, 3.7).
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
            // GLSL ES 3.00, 3.9: at most 1024 characters; WebGL 1 allows 256.
            let limit = if self.options.webgl && self.dialect.version.number == 100 { 256 } else { 1024 };
            if text.len() > limit && (self.at_least(0, 300) || self.options.webgl) {
                self.error(tokens, "long-name", format!("names have at most {limit} characters"));
            }
        }
    }

    pub(super) fn bind_new(&mut self, name: Name, binding: Binding) {
        self.bindings.bind(name.symbol, binding);
    }

    /// Checks an initializer; the type with its size filled in, and the value of a constant.
    fn initialize(
        &mut self,
        gathered: &Gathered<'_>,
        declarator: &Declarator,
        init: ExprId,
        ty: Type,
    ) -> (Type, Option<Constant>) {
        let storage = gathered.q.storage;
        let text = self.name(declarator.name.symbol);
        let allowed = match storage {
            Storage::Plain | Storage::Const => true,
            Storage::Uniform => self.at_least(120, 0),
            _ => false,
        };
        if !allowed {
            let what = match storage {
                Storage::Uniform => "uniforms",
                Storage::In => "inputs",
                Storage::Out | Storage::InOut => "outputs",
                Storage::Shared => "shared variables",
                _ => "buffer variables",
            };
            let version = self.dialect.version;
            self.error_expr(init, "initializer", format!("{what} cannot be initialized in {version}"));
        }
        let value_ty = self.initializer(init, ty);
        let mut ty = self.size_like(ty, value_ty);
        if ty == Type::Error || value_ty == Type::Error {
            return (ty, None);
        }
        if self.out.types.as_array(ty).is_some() && !self.at_least(120, 300) && !self.has("GL_3DL_array_objects") {
            let version = self.dialect.version;
            self.error_expr(init, "initializer", format!("arrays cannot be initialized in {version}"));
        }
        let handle = storage != Storage::Uniform && self.has("GL_ARB_bindless_texture");
        if self.contains_opaque(ty) && !handle {
            self.error_expr(init, "initializer", "samplers, images and counters cannot be initialized");
        }
        if matches!(ty, Type::Subroutine(_)) {
            self.error_expr(init, "initializer", "subroutine uniforms cannot be initialized");
            return (ty, None);
        }
        if !self.assignable(init, ty) {
            let (found, wanted) = (self.type_name(value_ty), self.type_name(ty));
            let error = self
                .error_at(
                    self.expr_tokens(init),
                    "type-mismatch",
                    format!("`{text}` is `{wanted}`, its initializer is `{found}`"),
                )
                .label(self.token_span(declarator.name.token), "declared here");
            self.report(error);
            if storage == Storage::Const {
                ty = Type::Error;
            }
            return (ty, None);
        }
        let must_be_constant = match storage {
            Storage::Const => {
                self.is_global() || !(self.at_least(420, 0) || self.has("GL_ARB_shading_language_420pack"))
            }
            Storage::Uniform => true,
            // GLSL ES 3.00, 4.3: global initializers must be constant; desktop GLSL never asked for it.
            Storage::Plain => {
                self.is_global() && self.is_es() && !self.has("GL_EXT_shader_non_constant_global_initializers")
            }
            _ => false,
        };
        let constant = self.constant_as(init, ty);
        if must_be_constant && self.constant(init).is_none() {
            if storage == Storage::Plain && self.webgl_initializer(init) {
                self.warn(self.expr_tokens(init), "not-constant", "global initializers must be constant expressions");
            } else {
                self.not_constant(init, &format!("the initializer of `{text}`"));
            }
        }
        (ty, if storage == Storage::Const { constant } else { None })
    }

    /// The type of an initializer, with a braced list taking the shape of what it initializes.
    fn initializer(&mut self, init: ExprId, ty: Type) -> Type {
        let tree = self.tree;
        let ExprKind::Initializers(list) = tree.expr(init).kind else {
            return self.expr(init);
        };
        if !(self.at_least(420, 0) || self.has("GL_ARB_shading_language_420pack")) {
            let version = self.dialect.version;
            let error = self
                .error_at(
                    self.expr_tokens(init),
                    "initializer-list",
                    format!("braced initializers are not available in {version}"),
                )
                .note("available from GLSL 4.20 or with GL_ARB_shading_language_420pack");
            self.report(error);
        }
        let elements = tree.exprs_of(list);
        let shapes: Vec<Type> = match ty {
            Type::Array(_) => match self.out.types.as_array(ty) {
                Some(array) => vec![array.element; elements.len()],
                None => Vec::new(),
            },
            Type::Struct(id) => self.out.types.structs[id.0 as usize].fields.iter().map(|f| f.ty).collect(),
            Type::Vector(s, n) => vec![Type::Scalar(s); n as usize],
            Type::Matrix(s, c, r) => vec![Type::Vector(s, r); c as usize],
            _ => Vec::new(),
        };
        let mut types = Vec::with_capacity(elements.len());
        for (i, &element) in elements.iter().enumerate() {
            types.push(self.initializer(element, shapes.get(i).copied().unwrap_or(Type::Error)));
        }
        if ty == Type::Error {
            return Type::Error;
        }
        let mut facts = self.facts(Type::Error);
        facts.side_effects = elements.iter().any(|&e| self.side_effects(e));
        if shapes.is_empty() || shapes.len() != elements.len() {
            let (name, count) = (self.type_name(ty), elements.len());
            self.error_expr(init, "initializer-list", format!("`{name}` cannot be initialized by a list of {count}"));
            self.out.exprs[init.0 as usize] = facts;
            return Type::Error;
        }
        let mut full = ty;
        if let Some(array) = self.out.types.as_array(ty) {
            let count = elements.len() as u32;
            let element = self.size_like(array.element, types[0]);
            if array.size.is_some_and(|n| n != count) {
                self.error_expr(init, "initializer-list", format!("an array of another size than {count}"));
                return Type::Error;
            }
            full = self.out.types.array(element, Some(count));
        }
        for (i, &element) in elements.iter().enumerate() {
            let wanted = match self.out.types.as_array(full) {
                Some(array) => array.element,
                None => shapes[i],
            };
            if self.ty(element) != Type::Error && !self.assignable(element, wanted) {
                let (found, wanted) = (self.type_name(self.ty(element)), self.type_name(wanted));
                self.error_expr(element, "type-mismatch", format!("this must be `{wanted}`, it is `{found}`"));
            }
        }
        facts.ty = full;
        facts.target = Target::Constructor(full);
        facts.constant = self.fold_list(full, elements);
        self.out.exprs[init.0 as usize] = facts;
        full
    }

    fn fold_list(&mut self, ty: Type, elements: &[ExprId]) -> Option<Constant> {
        let mut bits = Vec::new();
        for (i, &element) in elements.iter().enumerate() {
            let wanted = match ty {
                Type::Array(_) => self.out.types.as_array(ty)?.element,
                Type::Struct(id) => self.out.types.structs[id.0 as usize].fields[i].ty,
                Type::Vector(s, _) => Type::Scalar(s),
                Type::Matrix(s, _, r) => Type::Vector(s, r),
                _ => return None,
            };
            let value = self.constant_as(element, wanted)?;
            bits.extend_from_slice(self.out.constants.components(value));
        }
        (constant::flat_len(&self.out.types, ty)? as usize == bits.len()).then(|| self.out.constants.push(ty, &bits))
    }

    // ---- precision ----

    fn default_precision(&mut self, precision: Precision, syntax: &'a TypeSyntax) {
        let ty = self.resolve_type(syntax);
        let fits = match ty {
            Type::Scalar(Scalar::Float | Scalar::Int) => true,
            Type::Opaque(opaque) => {
                if opaque.kind == crate::types::OpaqueKind::AtomicUint && precision != Precision::High {
                    self.error(syntax.tokens, "precision", "atomic counters can only be `highp`");
                }
                true
            }
            Type::Error => return,
            _ => false,
        };
        if !fits {
            let name = self.type_name(ty);
            let error = self
                .error_at(syntax.tokens, "precision", format!("there is no default precision for `{name}`"))
                .note("a precision can be set for `float`, `int`, samplers, images and counters");
            self.report(error);
            return;
        }
        let depth = self.bindings.depth();
        let mut here = self.precisions.iter_mut().rev().take_while(|p| p.0 == depth);
        match here.find(|p| p.1 == ty) {
            Some(row) => row.2 = precision,
            None => self.precisions.push((depth, ty, precision)),
        }
    }

    /// The precision of a variable: as written, else the default; an error if there is none (ES only).
    pub(super) fn precision_of(
        &mut self,
        ty: Type,
        written: Option<Precision>,
        tokens: TokenSpan,
    ) -> Option<Precision> {
        let element = self.innermost(ty);
        let key = match element {
            Type::Opaque(_) => element,
            Type::Struct(_) | Type::Error | Type::Void | Type::Array(_) | Type::Subroutine(_) => {
                return None;
            }
            Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix(s, ..) => match s {
                Scalar::Float => Type::FLOAT,
                Scalar::Int | Scalar::Uint => Type::INT,
                Scalar::Bool | Scalar::Double | Scalar::Int64 | Scalar::Uint64 => {
                    if written.is_some() {
                        let name = self.type_name(element);
                        self.error(tokens, "precision", format!("`{name}` has no precision"));
                    }
                    return None;
                }
            },
        };
        if let (Type::Opaque(opaque), Some(p)) = (key, written)
            && opaque.kind == crate::types::OpaqueKind::AtomicUint
            && p != Precision::High
        {
            self.error(tokens, "precision", "atomic counters can only be `highp`");
        }
        if written.is_some() || !self.is_es() {
            return written;
        }
        if let Some(found) = self.precisions.iter().rev().find(|p| p.1 == key) {
            return Some(found.2);
        }
        let predefined = self.predefined_precision(key);
        if predefined.is_none() {
            let name = self.type_name(key);
            let stage = self.dialect.stage.name();
            let error = self
                .error_at(
                    tokens,
                    "precision",
                    format!("no precision for `{name}`: {stage} shaders have no default for it"),
                )
                .note(format!("write `precision mediump {name};` at the top, or a precision in this declaration"));
            self.report(error);
        }
        predefined
    }

    /// GLSL ES 3.20, 4.7.4.
    fn predefined_precision(&self, key: Type) -> Option<Precision> {
        use crate::types::{Dim, OpaqueKind};
        match key {
            Type::FLOAT if self.dialect.stage == Stage::Fragment => None,
            Type::INT if self.dialect.stage == Stage::Fragment => Some(Precision::Medium),
            Type::FLOAT | Type::INT => Some(Precision::High),
            Type::Opaque(o) => match o.kind {
                OpaqueKind::AtomicUint => Some(Precision::High),
                OpaqueKind::Image => None,
                OpaqueKind::Sampler => {
                    let plain = o.texel == Scalar::Float && !o.array && !o.shadow && !o.multisample;
                    (plain && matches!(o.dim, Dim::D2 | Dim::Cube | Dim::External)).then_some(Precision::Low)
                }
            },
            _ => None,
        }
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
                // Inputs of a fragment shader could be invariant until 4.20 and in ES 1.00.
                let input = gathered.q.storage == Storage::In
                    && stage != Stage::Vertex
                    && (if self.is_es() { self.dialect.version.number == 100 } else { true });
                if !output && !input {
                    self.error(tokens, "invariant", format!("`invariant` is for outputs, `{text}` is none"));
                }
            }
        }
    }
}
