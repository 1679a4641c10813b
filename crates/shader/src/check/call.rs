//! Function calls and overload resolution (GLSL 4.60, 6.1).

use super::Checker;
use super::convert::Conversion;
use super::scope::Binding;
use crate::ast::{Callee, DeclKind, ExprId, ExprKind};
use crate::builtin::{self, Direction, Effect};
use crate::constant;
use crate::qualifier::Storage;
use crate::symbol::Symbol;
use crate::typed::{ExprFacts, FunctionId, Target};
use crate::types::{Scalar, Type};

/// A candidate of overload resolution.
#[derive(Clone, Copy)]
pub(super) enum Candidate {
    User(FunctionId),
    Builtin(&'static builtin::Function),
}

impl Checker<'_> {
    pub(super) fn call(&mut self, id: ExprId, callee: Callee, arguments: &[ExprId]) -> ExprFacts {
        match callee {
            Callee::Type(ty) => self.construct(id, ty, arguments),
            Callee::Array(name) => {
                let tree = self.tree;
                let DeclKind::TypeName(syntax) = &tree.decl(name).kind else { return self.facts(Type::Error) };
                let ty = self.resolve_type(syntax);
                self.construct(id, ty, arguments)
            }
            Callee::Name(symbol) => match self.bindings.get(symbol) {
                Some(Binding::Struct(structure)) => self.construct(id, Type::Struct(structure), arguments),
                Some(Binding::Variable(variable)) => {
                    if let Type::Subroutine(function) = self.out.variable(variable).ty {
                        self.use_variable(variable);
                        return self.call_subroutine(id, FunctionId(function), arguments);
                    }
                    if self.separate_namespaces() && self.bindings.functions_named(symbol).is_some() {
                        return self.call_function(id, symbol, arguments);
                    }
                    let name = self.name(symbol);
                    let mut error =
                        self.error_at(self.expr_tokens(id), "not-a-function", format!("`{name}` is not a function"));
                    if let Some(token) = self.out.variable(variable).declared {
                        error = error.label(self.token_span(token), "it is a variable, declared here");
                    }
                    self.report(error);
                    self.facts(Type::Error)
                }
                Some(Binding::Block | Binding::SubroutineType(_)) => {
                    let name = self.name(symbol);
                    self.error_expr(id, "not-a-function", format!("`{name}` is not a function"));
                    self.facts(Type::Error)
                }
                Some(Binding::Functions(_)) | None => self.call_function(id, symbol, arguments),
            },
            Callee::Expr(callee) => self.call_expression(id, callee, arguments),
        }
    }

    /// `a.length()`, or an element of an array of subroutine uniforms.
    fn call_expression(&mut self, id: ExprId, callee: ExprId, arguments: &[ExprId]) -> ExprFacts {
        if let ExprKind::Field(base, name) = self.tree.expr(callee).kind {
            let text = self.name(name);
            self.expr(base);
            if text == "length" {
                if let Some(&extra) = arguments.first() {
                    self.error_expr(extra, "argument-count", "`.length()` takes no argument");
                }
                return self.length(id, base);
            }
            self.error_expr(id, "no-member", format!("there is no method `{text}`; GLSL has only `.length()`"));
            return self.facts(Type::Error);
        }
        let ty = self.expr(callee);
        match ty {
            Type::Subroutine(function) => self.call_subroutine(id, FunctionId(function), arguments),
            Type::Error => self.facts(Type::Error),
            _ => {
                self.error_expr(callee, "not-a-function", "this is not a function");
                self.facts(Type::Error)
            }
        }
    }

    fn call_subroutine(&mut self, id: ExprId, function: FunctionId, arguments: &[ExprId]) -> ExprFacts {
        let mut facts = self.facts(self.out.function(function).result);
        facts.target = Target::Subroutine(function);
        self.note_call(id, function);
        facts.side_effects = true;
        let fits = self.matches(Candidate::User(function), arguments);
        if fits.is_none() && !arguments.iter().any(|&a| self.ty(a) == Type::Error) {
            let name = self.name(self.out.function(function).name);
            self.error_expr(id, "no-overload", format!("the arguments do not fit subroutine type `{name}`"));
        } else {
            self.check_user_arguments(function, arguments);
        }
        facts
    }

    fn call_function(&mut self, id: ExprId, symbol: Symbol, arguments: &[ExprId]) -> ExprFacts {
        let set = self.bindings.functions_named(symbol);
        if let Some(set) = set
            && let Ok(found) = self.bindings.exact_overload(set, arguments.iter().map(|&a| self.ty(a)))
        {
            if let Some(function) = found.filter(|_| arguments.iter().all(|&a| self.ty(a) != Type::Error)) {
                return self.user_call(id, function, arguments);
            }
            if !self.may_search(id, self.bindings.overloads(set).len()) {
                return self.facts(Type::Error);
            }
        }
        let user: Vec<FunctionId> = set.map(|set| self.bindings.overloads(set).to_vec()).unwrap_or_default();
        // On the desktop a user-defined function hides built-in ones of its name; in ES it overloads them.
        let hidden = !self.is_es() && !user.is_empty();
        let builtins = if hidden { &[] } else { builtin::functions(symbol) };
        let dialect = self.dialect;
        if user.is_empty() && !builtins.iter().any(|f| f.when.holds(&dialect)) {
            self.undeclared_function(id, symbol);
            return self.facts(Type::Error);
        }
        if arguments.iter().any(|&a| self.ty(a) == Type::Error) {
            return self.facts_of_unknown_call(&user, builtins, arguments.len());
        }
        match self.resolve_overload(&user, builtins, arguments) {
            Ok(Candidate::User(function)) => self.user_call(id, function, arguments),
            Ok(Candidate::Builtin(function)) => self.builtin_call(id, function, arguments),
            Err(ambiguous) => {
                self.no_overload(id, symbol, &user, builtins, arguments, &ambiguous);
                self.facts(Type::Error)
            }
        }
    }

    /// Searching thousands of overloads for thousands of calls stops at a limit, which is reported once.
    fn may_search(&mut self, id: ExprId, overloads: usize) -> bool {
        const MAX_SEARCHED: usize = 10_000_000;
        let before = self.notes.overloads_searched;
        self.notes.overloads_searched = before.saturating_add(overloads);
        if before <= MAX_SEARCHED && self.notes.overloads_searched > MAX_SEARCHED {
            self.error_expr(id, "limit", "too many calls of functions with too many overloads");
        }
        self.notes.overloads_searched <= MAX_SEARCHED
    }

    /// With an erroneous argument the result type is still known if all candidates agree on it.
    fn facts_of_unknown_call(
        &self,
        user: &[FunctionId],
        builtins: &'static [builtin::Function],
        count: usize,
    ) -> ExprFacts {
        let dialect = self.dialect;
        let mut results = user
            .iter()
            .filter(|f| self.out.function(**f).params.len() == count)
            .map(|&f| self.out.function(f).result)
            .chain(builtins.iter().filter(|f| f.params.len() == count && f.when.holds(&dialect)).map(|f| f.result));
        let first = results.next().unwrap_or(Type::Error);
        let ty = if results.all(|r| r == first) { first } else { Type::Error };
        ExprFacts { side_effects: true, ..self.facts(ty) }
    }

    fn param_count(&self, candidate: Candidate) -> usize {
        match candidate {
            Candidate::User(id) => self.out.function(id).params.len(),
            Candidate::Builtin(f) => f.params.len(),
        }
    }

    /// Type and direction of a candidate's parameter; `None` for a built-in's array parameter of another shape.
    fn param(&self, candidate: Candidate, index: usize, argument: Type) -> Option<(Type, Direction)> {
        match candidate {
            Candidate::User(id) => {
                let param = &self.out.function(id).params[index];
                let direction = match param.qualifiers.storage {
                    Storage::Out => Direction::Out,
                    Storage::InOut => Direction::InOut,
                    _ => Direction::In,
                };
                Some((param.ty, direction))
            }
            Candidate::Builtin(f) => {
                let param = &f.params[index];
                match param.array {
                    None => Some((param.ty, param.direction)),
                    Some(size) => {
                        let array = self.out.types.as_array(argument)?;
                        (array.element == param.ty && array.size == Some(size)).then_some((argument, param.direction))
                    }
                }
            }
        }
    }

    /// Whether the arguments match exactly (true) or with conversions (false); `None` if they do not match.
    fn matches(&self, candidate: Candidate, arguments: &[ExprId]) -> Option<bool> {
        if self.param_count(candidate) != arguments.len() {
            return None;
        }
        let mut exact = true;
        for (index, &argument) in arguments.iter().enumerate() {
            let ty = self.ty(argument);
            let (wanted, direction) = self.param(candidate, index, ty)?;
            let fits = match direction {
                Direction::In => self.conversion(ty, wanted),
                Direction::Out => self.conversion(wanted, ty),
                Direction::InOut => {
                    let there = self.conversion(ty, wanted)?;
                    let back = self.conversion(wanted, ty)?;
                    Some(if there == Conversion::None { back } else { there })
                }
            };
            exact &= fits? == Conversion::None;
        }
        Some(exact)
    }

    /// The selected function, or the ambiguous candidates (empty if none matches).
    fn resolve_overload(
        &self,
        user: &[FunctionId],
        builtins: &'static [builtin::Function],
        arguments: &[ExprId],
    ) -> Result<Candidate, Vec<Candidate>> {
        let mut inexact = Vec::new();
        let dialect = self.dialect;
        let user = user.iter().map(|&f| Candidate::User(f));
        // A user-defined function hides a built-in one with the same parameters, so user-defined ones come first.
        for candidate in user {
            match self.matches(candidate, arguments) {
                Some(true) => return Ok(candidate),
                Some(false) => inexact.push(candidate),
                None => {}
            }
        }
        for function in builtins {
            let candidate = Candidate::Builtin(function);
            match self.matches(candidate, arguments) {
                Some(true) if function.when.holds(&dialect) => return Ok(candidate),
                Some(false)
                    if function.when.holds(&dialect)
                    // `min(genType, genType)` and `min(genType, float)` coincide for scalars; that is not an ambiguity.
                    && !inexact.iter().any(|&other| self.same_params(other, candidate, arguments)) =>
                {
                    inexact.push(candidate);
                }
                _ => {}
            }
        }
        match inexact.len() {
            1 => return Ok(inexact[0]),
            0 => return Err(inexact),
            _ => {}
        }
        let ranked = self.at_least(400, 310) || self.any(&["GL_ARB_gpu_shader5", "GL_MESA_shader_integer_functions"]);
        if ranked {
            // A candidate that is better than all others wins every comparison from its position on.
            let mut best = inexact[0];
            for &candidate in &inexact[1..] {
                if self.better(candidate, best, arguments) {
                    best = candidate;
                }
            }
            if inexact.iter().all(|&b| self.same(best, b) || self.better(best, b, arguments)) {
                return Ok(best);
            }
        }
        Err(inexact)
    }

    fn same_params(&self, a: Candidate, b: Candidate, arguments: &[ExprId]) -> bool {
        arguments.iter().enumerate().all(|(i, &e)| self.param(a, i, self.ty(e)) == self.param(b, i, self.ty(e)))
    }

    fn same(&self, a: Candidate, b: Candidate) -> bool {
        match (a, b) {
            (Candidate::User(a), Candidate::User(b)) => a == b,
            (Candidate::Builtin(a), Candidate::Builtin(b)) => std::ptr::eq(a, b),
            _ => false,
        }
    }

    /// GLSL 4.60, 6.1: better for one argument and worse for none.
    fn better(&self, a: Candidate, b: Candidate, arguments: &[ExprId]) -> bool {
        let mut somewhere = false;
        for (index, &argument) in arguments.iter().enumerate() {
            let from = self.ty(argument);
            let (Some((x, _)), Some((y, _))) = (self.param(a, index, from), self.param(b, index, from)) else {
                return false;
            };
            match conversion_rank(from, x).cmp(&conversion_rank(from, y)) {
                std::cmp::Ordering::Less => somewhere = true,
                std::cmp::Ordering::Greater => return false,
                std::cmp::Ordering::Equal => {}
            }
        }
        somewhere
    }

    fn note_call(&mut self, id: ExprId, function: FunctionId) {
        if let Some(caller) = self.function {
            let calls = &mut self.out.functions[caller.0 as usize].calls;
            if calls.last().is_none_or(|last| last.0 != function) {
                calls.push((function, id));
            }
        } else {
            self.notes.global_calls.push((function, id));
        }
    }

    fn user_call(&mut self, id: ExprId, function: FunctionId, arguments: &[ExprId]) -> ExprFacts {
        self.note_call(id, function);
        self.check_user_arguments(function, arguments);
        let mut facts = self.facts(self.out.function(function).result);
        facts.target = Target::Function(function);
        facts.side_effects = true;
        facts
    }

    fn check_user_arguments(&mut self, function: FunctionId, arguments: &[ExprId]) {
        for (index, &argument) in arguments.iter().enumerate() {
            let param = &self.out.function(function).params[index];
            let (storage, flags) = (param.qualifiers.storage, param.qualifiers.flags);
            match storage {
                Storage::Out | Storage::InOut => {
                    self.require_lvalue(argument, "passed as an `out` or `inout` argument");
                }
                _ => {}
            }
            self.check_memory_qualifiers(argument, flags);
        }
    }

    /// Passing an image may add `coherent`, `volatile`, `readonly` and `writeonly`, but not remove them (GLSL 4.60,
    /// 4.10).
    fn check_memory_qualifiers(&mut self, argument: ExprId, param: crate::qualifier::Flags) {
        if !matches!(self.innermost(self.ty(argument)), Type::Opaque(_)) {
            return;
        }
        let Some(root) = self.root_variable(argument) else { return };
        let given = self.out.variable(root).qualifiers.flags;
        for (name, given, taken) in [
            ("coherent", given.coherent, param.coherent),
            ("volatile", given.volatile, param.volatile),
            ("readonly", given.readonly, param.readonly),
            ("writeonly", given.writeonly, param.writeonly),
            ("restrict", given.restrict, param.restrict),
        ] {
            if given && !taken {
                self.error_expr(
                    argument,
                    "memory-qualifier",
                    format!("the argument is `{name}` and the parameter is not"),
                );
            }
        }
    }

    fn builtin_call(&mut self, id: ExprId, function: &'static builtin::Function, arguments: &[ExprId]) -> ExprFacts {
        let mut facts = self.facts(function.result);
        facts.target = Target::Builtin(function);
        facts.side_effects = arguments.iter().any(|&a| self.side_effects(a))
            || matches!(function.effect, Effect::Write | Effect::Barrier | Effect::Emit);
        if function.when.deviates(&self.dialect) {
            let (name, version, vendor) = (self.name(function.name), self.dialect.version, self.dialect.vendor);
            let message = format!("this `{name}` exists in {version} for {vendor}'s compiler only");
            self.warn(self.expr_tokens(id), "vendor-function", message);
        }
        for (param, &argument) in function.params.iter().zip(arguments) {
            if param.direction != Direction::In && !param.memory && !matches!(param.ty, Type::Opaque(_)) {
                self.require_lvalue(argument, "passed as an `out` argument");
                facts.side_effects = true;
            }
        }
        self.check_builtin_call(id, function, arguments);
        match function.effect {
            Effect::Pure | Effect::Derivative => facts.constant = self.fold_call(function, arguments),
            Effect::State if self.name(function.name) == "ftransform" => self.use_transform(),
            _ => {}
        }
        facts
    }

    /// `ftransform()` reads two variables that the shader need not mention (GLSL 1.20, 8.4).
    fn use_transform(&mut self) {
        for name in ["gl_Vertex", "gl_ModelViewProjectionMatrix"] {
            let Some(symbol) = self.input.symbols.find(name) else { continue };
            let known = match self.bindings.get(symbol) {
                Some(Binding::Variable(variable)) => Some(variable),
                _ => self.builtin_variable(symbol),
            };
            if let Some(variable) = known {
                self.use_variable(variable);
                self.out.variables[variable.0 as usize].read = true;
            }
        }
    }

    fn fold_call(&mut self, function: &builtin::Function, arguments: &[ExprId]) -> Option<constant::Constant> {
        // GLSL 1.10, 4.3.3: calls are not constant expressions.
        if !self.at_least(120, 100) {
            return None;
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (param, &argument) in function.params.iter().zip(arguments) {
            if param.direction != Direction::In {
                return None;
            }
            self.constant(argument)?;
            values.push(self.constant_as(argument, param.ty)?);
        }
        let name = self.name(function.name);
        constant::call(&mut self.out.constants, name, &values, function.result)
    }

    fn undeclared_function(&mut self, id: ExprId, symbol: Symbol) {
        let name = self.name(symbol);
        let mut error = self.error_at(self.expr_tokens(id), "undeclared", format!("there is no function `{name}`"));
        if let Some(since) = builtin::availability(symbol) {
            error = error.note(format!("`{name}` is available from {since}"));
        } else if let Some(similar) = self.similar(symbol) {
            error = error.note(format!("did you mean `{similar}`?"));
        }
        self.report(error);
    }

    fn no_overload(
        &mut self,
        id: ExprId,
        symbol: Symbol,
        user: &[FunctionId],
        builtins: &'static [builtin::Function],
        arguments: &[ExprId],
        ambiguous: &[Candidate],
    ) {
        let name = self.name(symbol);
        let types: Vec<String> = arguments.iter().map(|&a| self.type_name(self.ty(a))).collect();
        let types = types.join(", ");
        let (code, message) = if ambiguous.is_empty() {
            ("no-overload", format!("no `{name}` takes `({types})`"))
        } else {
            ("ambiguous-call", format!("more than one `{name}` takes `({types})` and none fits best"))
        };
        let mut error = self.error_at(self.expr_tokens(id), code, message);
        let dialect = self.dialect;
        let candidates: Vec<Candidate> = if ambiguous.is_empty() {
            user.iter()
                .map(|&f| Candidate::User(f))
                .chain(builtins.iter().filter(|f| f.when.holds(&dialect)).map(Candidate::Builtin))
                .collect()
        } else {
            ambiguous.to_vec()
        };
        // Those with the right number of parameters are more likely.
        let likely = |&&c: &&Candidate| self.param_count(c) == arguments.len();
        let others = candidates.iter().filter(|c| !likely(c));
        let total = candidates.len();
        for &candidate in candidates.iter().filter(likely).chain(others).take(4) {
            error = error.note(format!("candidate: `{}`", self.signature(candidate)));
        }
        if total > 4 {
            error = error.note(format!("and {} more", total - 4));
        }
        if let [Candidate::User(f), ..] = candidates[..] {
            error = error.label(self.token_span(self.out.function(f).declared), "declared here");
        }
        self.report(error);
    }

    pub(super) fn signature(&self, candidate: Candidate) -> String {
        let (result, name, params): (Type, Symbol, Vec<String>) = match candidate {
            Candidate::User(id) => {
                let f = self.out.function(id);
                (f.result, f.name, f.params.iter().map(|p| self.type_name(p.ty)).collect())
            }
            Candidate::Builtin(f) => {
                let param = |p: &builtin::Param| match p.array {
                    Some(n) => format!("{}[{n}]", self.type_name(p.ty)),
                    None => self.type_name(p.ty),
                };
                (f.result, f.name, f.params.iter().map(param).collect())
            }
        };
        format!("{} {}({})", self.type_name(result), self.name(name), params.join(", "))
    }
}

/// Smaller is better (GLSL 4.60, 6.1): exact; float to double; integer to float; integer to double; others.
fn conversion_rank(from: Type, to: Type) -> u8 {
    if from == to {
        return 0;
    }
    match (from.scalar(), to.scalar()) {
        (Some(Scalar::Float), Some(Scalar::Double)) => 1,
        (Some(Scalar::Int | Scalar::Uint), Some(Scalar::Float)) => 2,
        (Some(Scalar::Int), Some(Scalar::Uint)) => 2,
        (Some(Scalar::Int | Scalar::Uint), Some(Scalar::Double)) => 3,
        _ => 2,
    }
}
