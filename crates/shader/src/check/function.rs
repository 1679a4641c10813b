//! Functions: declarations, definitions, parameters (GLSL 4.60, 6.1).

use super::Checker;
use super::qualify::{Gathered, QualifierPosition};
use super::scope::Binding;
use crate::ast::{DeclId, FunctionSyntax, ParamSyntax, StmtKind, TypeSyntaxKind};
use crate::builtin::{self, Keyword};
use crate::qualifier::{Flags, Storage};
use crate::token::TokenSpan;
use crate::typed::{Function, FunctionId, Parameter, VariableKind};
use crate::types::{OpaqueKind, Precision, Type};

/// The parts of a function's declaration before its body.
struct Head {
    result: Type,
    precision: Option<Precision>,
    params: Vec<Parameter>,
}

impl<'a> Checker<'a> {
    pub(super) fn function_declaration(&mut self, id: DeclId, syntax: &'a FunctionSyntax) {
        let name = syntax.name;
        let text = self.name(name.symbol);
        let gathered = self.gather(&syntax.qualifiers, QualifierPosition::Result);
        let (result, precision) = self.result_type(syntax, &gathered);
        let params = self.parameters(syntax);
        let name_tokens = TokenSpan { first: name.token, last: name.token };
        self.check_identifier(name);
        if text == "main" && (result != Type::Void || !params.is_empty()) && result != Type::Error {
            self.error(name_tokens, "main", "`main` takes no arguments and returns `void`");
        }
        if gathered.q.flags.subroutine && gathered.subroutines.is_none() {
            self.subroutine_type(syntax, Head { result, precision, params });
            return;
        }
        self.check_overload(syntax, &params, name_tokens);
        let head = Head { result, precision, params };
        let function = self.find_or_add(syntax, head);
        if let Some(names) = gathered.subroutines {
            if syntax.body.is_none() {
                self.error(name_tokens, "subroutine", format!("`{text}`: `subroutine` goes with the definition"));
            }
            self.implement(function, names, &gathered);
        }
        if let Some(body) = syntax.body {
            self.define(id, syntax, function, body);
        }
    }

    fn result_type(&mut self, syntax: &'a FunctionSyntax, gathered: &Gathered<'_>) -> (Type, Option<Precision>) {
        let result = self.resolve_type(&syntax.result);
        if matches!(syntax.result.kind, TypeSyntaxKind::Struct(_)) {
            self.error(syntax.result.tokens, "nested-struct", "a structure cannot be defined in a return type");
        }
        // `layout(index = …)` goes with a subroutine (GLSL 4.60, 4.4).
        if let Some(argument) = gathered.layout.first().filter(|_| !gathered.q.flags.subroutine) {
            let tokens = TokenSpan { first: argument.name.token, last: argument.name.token };
            self.error(tokens, "layout", "`layout` is not for return types");
        }
        let text = self.name(syntax.name.symbol);
        if self.out.types.as_array(result).is_some() {
            if !self.at_least(120, 300) && !self.has("GL_3DL_array_objects") {
                let version = self.dialect.version;
                self.error(
                    syntax.result.tokens,
                    "array-result",
                    format!("`{text}`: no arrays are returned in {version}"),
                );
            } else if self.out.types.as_array(result).is_some_and(|a| a.size.is_none())
                || self.has_inner_unsized(result)
            {
                self.error(syntax.result.tokens, "unsized-array", format!("`{text}`: a returned array needs a size"));
            }
        } else if self.contains_array(result) && !self.at_least(120, 300) {
            let version = self.dialect.version;
            self.error(
                syntax.result.tokens,
                "array-result",
                format!("`{text}`: no structures with arrays are returned in {version}"),
            );
        }
        if self.contains_opaque(result) && !self.has("GL_ARB_bindless_texture") {
            self.error(
                syntax.result.tokens,
                "opaque-result",
                format!("`{text}` cannot return samplers, images or counters"),
            );
        }
        let precision = match result {
            Type::Void => None,
            _ => self.precision_of(result, gathered.q.precision, syntax.result.tokens),
        };
        (result, precision)
    }

    fn parameters(&mut self, syntax: &'a FunctionSyntax) -> Vec<Parameter> {
        syntax.params.iter().map(|param| self.parameter(param)).collect()
    }

    fn parameter(&mut self, param: &'a ParamSyntax) -> Parameter {
        let gathered = self.gather(&param.qualifiers, QualifierPosition::Parameter);
        let base = self.resolve_type(&param.ty);
        let mut ty = self.apply_dims(base, &param.dims, param.tokens);
        let mut q = gathered.q;
        if q.storage == Storage::Plain {
            q.storage = Storage::In;
        }
        if let Some(argument) = gathered.layout.first() {
            let tokens = TokenSpan { first: argument.name.token, last: argument.name.token };
            self.error(tokens, "layout", "`layout` is not for parameters");
        }
        if matches!(param.ty.kind, TypeSyntaxKind::Struct(_)) {
            self.error(param.ty.tokens, "nested-struct", "a structure cannot be defined in a parameter");
        }
        if self.innermost(ty) == Type::Void {
            self.error(param.tokens, "void-variable", "a parameter cannot be `void`");
            ty = Type::Error;
        }
        if self.out.types.as_array(ty).is_some_and(|a| a.size.is_none()) || self.has_inner_unsized(ty) {
            self.error(param.tokens, "unsized-array", "an array parameter needs a size");
        }
        if matches!(q.storage, Storage::Out | Storage::InOut)
            && self.out.types.as_array(ty).is_some()
            && !self.at_least(120, 100)
        {
            let version = self.dialect.version;
            self.error(param.tokens, "array-parameter", format!("arrays cannot be `out` or `inout` in {version}"));
        }
        if self.contains_opaque(ty) && matches!(q.storage, Storage::Out | Storage::InOut) {
            let counter = matches!(self.innermost(ty), Type::Opaque(o) if o.kind == OpaqueKind::AtomicUint);
            if counter || !self.has("GL_ARB_bindless_texture") {
                self.error(
                    param.tokens,
                    "opaque-variable",
                    "samplers, images and counters can only be `in` parameters",
                );
            }
        }
        let image = matches!(self.innermost(ty), Type::Opaque(o) if o.kind == OpaqueKind::Image);
        for word in [Keyword::Coherent, Keyword::Volatile, Keyword::Restrict, Keyword::Readonly, Keyword::Writeonly] {
            if let Some(place) = gathered.place_of(word).filter(|_| !image) {
                self.error(place, "memory-qualifier", format!("`{}` is for images and buffers", word.name()));
            }
        }
        q.precision = self.precision_of(ty, gathered.q.precision, param.tokens);
        Parameter { variable: None, ty, qualifiers: q }
    }

    /// Rules about names and parameters shared with built-in or other functions.
    fn check_overload(&mut self, syntax: &FunctionSyntax, params: &[Parameter], tokens: TokenSpan) {
        let name = syntax.name;
        let text = self.name(name.symbol);
        match self.bindings.get(name.symbol) {
            Some(Binding::Functions(_)) | None => {}
            Some(Binding::Variable(_)) if self.separate_namespaces() => {}
            Some(_) if !self.is_global() => {}
            Some(_) => self.check_new_name(name),
        }
        let dialect = self.dialect;
        let builtins = builtin::functions(name.symbol);
        if !self.is_es() || builtins.is_empty() {
            return;
        }
        if self.at_least(0, 300) {
            // GLSL ES 3.00, 6.1: built-in functions can be neither redefined nor overloaded.
            if builtins.iter().any(|f| f.when.holds(&dialect)) {
                self.error(
                    tokens,
                    "builtin-function",
                    format!("`{text}` is a built-in function and cannot be declared again"),
                );
            }
            return;
        }
        // GLSL ES 1.00, 6.1: overloading is allowed, redefining is not.
        let same = builtins.iter().any(|f| {
            f.when.holds(&dialect)
                && f.params.len() == params.len()
                && f.params.iter().zip(params).all(|(a, b)| a.array.is_none() && a.ty == b.ty)
        });
        if same {
            self.error(tokens, "builtin-function", format!("the built-in function `{text}` cannot be redefined"));
        }
    }

    fn same_types(a: &[Parameter], b: &[Parameter]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.ty == y.ty)
    }

    fn find_or_add(&mut self, syntax: &FunctionSyntax, head: Head) -> FunctionId {
        let (result, params) = (head.result, &head.params);
        let name = syntax.name;
        let existing = match self.bindings.functions_named(name.symbol) {
            Some(set) => match self.bindings.exact_overload(set, params.iter().map(|p| p.ty)) {
                Ok(found) => found,
                Err(few) => few.iter().copied().find(|&f| Self::same_types(&self.out.function(f).params, params)),
            },
            None => None,
        };
        let tokens = TokenSpan { first: name.token, last: name.token };
        let text = self.name(name.symbol);
        if let Some(id) = existing {
            let earlier = self.out.function(id);
            let first = earlier.declared;
            let result_differs = earlier.result != result && result != Type::Error && earlier.result != Type::Error;
            let direction_differs = earlier.params.iter().zip(params).any(|(a, b)| {
                let plain = |s: Storage| if s == Storage::Const { Storage::In } else { s };
                plain(a.qualifiers.storage) != plain(b.qualifiers.storage)
                    || (self.is_es() && a.qualifiers.storage != b.qualifiers.storage)
            });
            let precision_differs = self.is_es()
                && (earlier.result_precision != head.precision
                    || earlier
                        .params
                        .iter()
                        .zip(params)
                        .any(|(a, b)| a.qualifiers.precision != b.qualifiers.precision));
            let twice = earlier.body.is_some() && syntax.body.is_some();
            let again =
                earlier.body.is_none() && syntax.body.is_none() || earlier.body.is_some() && syntax.body.is_none();
            let message = if result_differs {
                Some(format!("`{text}` is declared again with another return type"))
            } else if direction_differs {
                Some(format!("`{text}` is declared again with other parameter qualifiers"))
            } else if precision_differs {
                Some(format!("`{text}` is declared again with other precisions"))
            } else if twice {
                Some(format!("`{text}` is defined twice"))
            } else if again && self.is_es() && self.dialect.version.number == 100 {
                // GLSL ES 1.00, 6.1: a function may be declared only once.
                Some(format!("`{text}` is declared twice"))
            } else {
                None
            };
            if let Some(message) = message {
                let error =
                    self.error_at(tokens, "redefinition", message).label(self.token_span(first), "declared here first");
                self.report(error);
            }
            return id;
        }
        let id = self.add_function(syntax, head, false);
        let functions = &self.out.functions;
        let params = |f: FunctionId| functions[f.0 as usize].params.iter().map(|p| p.ty).collect();
        self.bindings.add_overload(name.symbol, id, params);
        id
    }

    fn add_function(&mut self, syntax: &FunctionSyntax, head: Head, subroutine_type: bool) -> FunctionId {
        self.out.functions.push(Function {
            name: syntax.name.symbol,
            result: head.result,
            result_precision: head.precision,
            params: head.params,
            first_declared: syntax.name.token,
            declared: syntax.name.token,
            definition: None,
            body: None,
            implements: Vec::new(),
            subroutine_type,
            index: None,
            calls: Vec::new(),
            uses: Vec::new(),
        });
        FunctionId(self.out.functions.len() as u32 - 1)
    }

    fn subroutine_type(&mut self, syntax: &FunctionSyntax, head: Head) {
        if syntax.body.is_some() {
            let tokens = TokenSpan { first: syntax.name.token, last: syntax.name.token };
            self.error(tokens, "subroutine", "a subroutine type is declared without a body");
        }
        self.check_new_name(syntax.name);
        let id = self.add_function(syntax, head, true);
        self.bind_new(syntax.name, Binding::SubroutineType(id));
    }

    /// `subroutine(a, b) void f() { … }`
    fn implement(&mut self, function: FunctionId, names: &[crate::ast::Name], gathered: &Gathered<'_>) {
        for name in names {
            let tokens = TokenSpan { first: name.token, last: name.token };
            let text = self.name(name.symbol);
            let Some(Binding::SubroutineType(ty)) = self.bindings.get(name.symbol) else {
                self.error(tokens, "subroutine", format!("`{text}` is not a subroutine type"));
                continue;
            };
            let (a, b) = (self.out.function(ty), self.out.function(function));
            if a.result != b.result || !Self::same_types(&a.params, &b.params) {
                self.error(tokens, "subroutine", format!("this function does not fit subroutine type `{text}`"));
            }
            self.out.functions[function.0 as usize].implements.push(ty);
        }
        let (layout, _) = self.read_layout(&gathered.layout, super::layout::On::SUBROUTINE);
        if let (Some(_), Some(tokens)) = (layout.location, gathered.tokens) {
            self.error(tokens, "subroutine", "`location` is for subroutine uniforms, a function has an `index`");
        }
        if let Some(index) = layout.index {
            let clash = !self.notes.subroutine_indices.insert(index);
            if clash && let Some(tokens) = gathered.tokens {
                self.error(tokens, "subroutine", format!("subroutine index {index} is taken"));
            }
            self.out.functions[function.0 as usize].index = Some(index);
        }
    }

    /// A statement that could not be parsed may be the `return` that seems to be missing.
    fn has_broken_statement(&self, body: crate::ast::StmtId) -> bool {
        let range = self.tree.stmt(body).tokens;
        self.tree
            .stmts
            .iter()
            .any(|s| s.kind == StmtKind::Error && s.tokens.first >= range.first && s.tokens.last <= range.last)
    }

    fn define(&mut self, id: DeclId, syntax: &'a FunctionSyntax, function: FunctionId, body: crate::ast::StmtId) {
        if !self.is_global() {
            let tokens = TokenSpan { first: syntax.name.token, last: syntax.name.token };
            self.error(tokens, "local-function", "a function cannot be defined inside a function");
        }
        let row = &mut self.out.functions[function.0 as usize];
        row.definition = Some(id);
        row.body = Some(body);
        row.declared = syntax.name.token;
        let tokens = self.tree.decl(id).tokens;
        let outer_function = self.function.replace(function);
        let outer_returned = std::mem::replace(&mut self.returned, false);
        let outer = self.push_scope(tokens);
        for (index, param) in syntax.params.iter().enumerate() {
            let Some(name) = param.name else {
                self.error(param.tokens, "parameter-name", "a parameter of a function definition needs a name");
                continue;
            };
            let row = &self.out.functions[function.0 as usize].params[index];
            let (ty, mut q) = (row.ty, row.qualifiers);
            self.check_new_name(name);
            q.flags = Flags { precise: q.flags.precise, ..q.flags };
            let kind = VariableKind::Parameter(function, index as u32);
            let variable = self.add_variable(name, ty, q, kind, Self::after(param.tokens));
            self.bind_new(name, Binding::Variable(variable));
            self.out.functions[function.0 as usize].params[index].variable = Some(variable);
        }
        let tree = self.tree;
        if let StmtKind::Block(list) = tree.stmt(body).kind {
            if self.is_es() && self.dialect.version.number == 100 && !self.options.webgl {
                // GLSL ES 1.00, 4.2.2: the body is a scope inside that of the parameters, so a local may hide one.
                // Browsers follow GLSL ES 3.00, where both are one scope.
                self.in_scope(tree.stmt(body).tokens, |c| c.statements(list));
            } else {
                self.statements(list);
            }
        }
        let row = self.out.function(function);
        if !self.returned && !matches!(row.result, Type::Void | Type::Error) && !self.has_broken_statement(body) {
            let (text, wanted) = (self.name(row.name), self.type_name(row.result));
            let error = self.error_token(
                syntax.name.token,
                "return",
                format!("`{text}` returns `{wanted}` but has no `return`"),
            );
            self.report(error);
        }
        self.pop_scope(outer);
        self.returned = outer_returned;
        self.function = outer_function;
    }
}
