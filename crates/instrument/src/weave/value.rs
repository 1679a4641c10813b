//! The value of an expression at a moment.

use moment::Moment;
use moment::glsl::insert::{InsertError, InsertionPoint, insert};
use shader::Shader;
use shader::ast::{DeclKind, ExprId, ExprKind, NodeId, StmtId, StmtKind, UnaryOp};
use shader::query_rvalue::Use;
use shader::types::{Precision, Type};

use super::Weaver;
use super::nodes::{Part, asked};
use super::path::{CallPath, LoopIteration};
use crate::variant::{Refusal, What};

/// The return value of a see function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// Its argument.
    Value,
    /// `true`.
    True,
    /// Nothing.
    Nothing,
}

impl Weaver<'_> {
    pub(super) fn value(&mut self, moment: &Moment, expression: Option<&str>) -> Result<(), Refusal> {
        match expression {
            Some(text) => self.text_at(moment, text),
            None => match moment::glsl::expr(moment.site) {
                Some(id) => self.expression_at(moment, id),
                None => Err(Refusal::Wrong("a statement has no value: name an expression".to_owned())),
            },
        }
    }

    /// The value of an expression of the shader, where it is evaluated.
    fn expression_at(&mut self, moment: &Moment, id: ExprId) -> Result<(), Refusal> {
        let path = CallPath::new(self.shader, &self.nodes, moment, None)?;
        let here = self.follow(&path)?;
        let ty = self.shader.typed.expr(id).ty;
        let precision = self.precisions.of(id);
        let what = What::Value(NodeId::Expr(id));
        if let Some(obstacle) = self.obstacle(id) {
            return Err(Refusal::Impossible(obstacle));
        }
        match self.uses.of(id) {
            Use::Value => {
                let see = self.see_here(&here, what, (ty, precision), "$v", Gives::Value)?;
                self.wrap_in_call(id, &see, "");
            }
            Use::Constant if !self.must_be_constant(id) => {
                let see = self.see_here(&here, what, (ty, precision), "$v", Gives::Value)?;
                self.wrap_in_call(id, &see, "");
            }
            Use::Constant => {
                return Err(Refusal::Wrong("a constant is required here, so it cannot be probed".to_owned()));
            }
            Use::Lvalue => self.lvalue_at(&here, what, id)?,
            Use::Opaque => return Err(Refusal::Wrong("a sampler, an image or a counter has no value".to_owned())),
            Use::Void => return Err(Refusal::Wrong("this call returns no value".to_owned())),
            Use::Callee | Use::List | Use::Unknown => {
                return Err(Refusal::Wrong("this expression has no value of its own".to_owned()));
            }
        }
        self.count(&path);
        Ok(())
    }

    /// The value of a variable after it was written.
    fn lvalue_at(&mut self, here: &str, what: What, id: ExprId) -> Result<(), Refusal> {
        let (ty, precision) = (self.shader.typed.expr(id).ty, self.precisions.of(id));
        let mut writer = id;
        while let Some(NodeId::Expr(outer)) = self.nodes.parent(NodeId::Expr(writer)) {
            let whole = self.shader.tree.unwrap_parens(writer) == self.shader.tree.unwrap_parens(id);
            let post = match self.shader.tree.expr(outer).kind {
                ExprKind::Paren(_) | ExprKind::Field(..) | ExprKind::Index(..)
                    if self.uses.of(outer) == Use::Lvalue =>
                {
                    writer = outer;
                    continue;
                }
                ExprKind::Unary(UnaryOp::PostIncrement, _) => "$v + ",
                ExprKind::Unary(UnaryOp::PostDecrement, _) => "$v - ",
                ExprKind::Unary(..) | ExprKind::Assign(..) => "",
                ExprKind::Call(_, list) if whole => {
                    let arguments = self.shader.tree.exprs_of(list);
                    let Some(index) = arguments.iter().position(|&argument| argument == writer) else { break };
                    let note = self.noting(here, what, ty, &super::calls::argument(index))?;
                    return self.through(outer, "", &note);
                }
                _ => break,
            };
            if whole {
                let value = if post.is_empty() { "$v".to_owned() } else { format!("{post}{}", one(ty)) };
                let see = self.see_here(here, what, (ty, precision), &value, Gives::Value)?;
                self.wrap_in_call(outer, &see, "");
                return Ok(());
            }
            // A part of it was written; the whole is read after the statement.
            let simple = !self.shader.typed.expr(id).side_effects;
            let Some(NodeId::Stmt(statement)) = self.nodes.parent(NodeId::Expr(outer)) else { break };
            if simple && matches!(self.shader.tree.stmt(statement).kind, StmtKind::Expr(_)) {
                let text = self.spelled(self.shader.tree.expr(id).tokens);
                let note = self.noting(here, what, ty, &text)?;
                let note = self.frame.text(&note);
                self.around_statement(statement, "", &note);
                return Ok(());
            }
            break;
        }
        Err(Refusal::Impossible("this is written here, and its value cannot be recorded right afterwards".to_owned()))
    }

    /// The value of a user's expression, just before a statement or at the beginning of a loop's iteration.
    fn text_at(&mut self, moment: &Moment, text: &str) -> Result<(), Refusal> {
        let point = InsertionPoint::of(self.shader, moment).ok_or_else(|| Refusal::NoMoment(moment.to_string()))?;
        let site = point.statement.into();
        let (ty, text) = self.checked(point, text)?;
        let head = point.inside.then_some(point.statement);
        let mut path = CallPath::new(self.shader, &self.nodes, &Moment { site, path: moment.path.clone() }, head)?;
        let condition = self.head(point);
        if let (true, None, Some(last)) = (point.inside, condition, path.last.last_mut()) {
            // The probe is in the body, where the iteration has been counted.
            last.part = Part::Body;
        }
        let here = self.follow(&path)?;
        let what = What::Value(moment.site.into());
        match (point.inside, condition) {
            (false, _) => {
                let see = self.see_here(&here, what, (ty, None), "$v", Gives::Nothing)?;
                self.around_statement(point.statement, &format!("{see}({text});"), "");
            }
            (true, None) => {
                let see = self.see_here(&here, what, (ty, None), "$v", Gives::Nothing)?;
                self.body_begins(point.statement, &format!("{see}({text});"));
            }
            (true, Some(_)) if self.fixed.contains(&point.statement) => {
                let why = "the header of this loop cannot be changed; use the first statement of its body instead";
                return Err(Refusal::Impossible(why.to_owned()));
            }
            (true, Some(condition)) => {
                let see = self.see_here(&here, what, (ty, None), "$v", Gives::True)?;
                self.rewrite.wrap(NodeId::Expr(condition), &format!("({see}({text}) ? ("), ") : false)");
            }
        }
        self.count(&path);
        Ok(())
    }

    /// The condition of a loop, if the position is where an iteration begins.
    pub(super) fn head(&self, point: InsertionPoint) -> Option<ExprId> {
        let (StmtKind::While { condition, .. } | StmtKind::For { condition: Some(condition), .. }) =
            self.shader.tree.stmt(point.statement).kind
        else {
            return None;
        };
        asked(self.shader, condition)
    }

    /// The type of a user's expression at its position, and its text on one line.
    pub(super) fn checked(&self, point: InsertionPoint, text: &str) -> Result<(Type, String), Refusal> {
        let inserted = insert(self.shader, self.subject.options, point, text).map_err(|error| {
            Refusal::Wrong(match error {
                InsertError::NotAnExpression => format!("`{text}` is not an expression"),
                InsertError::Wrong(findings) => {
                    findings.first().map_or("the expression is invalid".to_owned(), |finding| finding.message.clone())
                }
                InsertError::Unreachable => "no expression can be evaluated at this position".to_owned(),
            })
        })?;
        let facts = inserted.shader.typed.expr(inserted.expr);
        if facts.side_effects {
            let why = format!("`{text}` has side effects, which cannot be undone on the device");
            return Err(Refusal::Wrong(why));
        }
        let Some(ty) = same_type(&inserted.shader, self.shader, facts.ty) else {
            let name = inserted.shader.type_name(facts.ty);
            return Err(Refusal::Impossible(format!(
                "`{text}` is a {name}, a type that the shader itself does not use"
            )));
        };
        let comma = matches!(inserted.shader.tree.expr(inserted.expr).kind, ExprKind::Comma(..));
        let line = self.as_in_variant(&text.replace(['\n', '\r'], " "));
        Ok((ty, if comma { format!("({line})") } else { line }))
    }

    /// A user's expression with the variant's names of built-in outputs.
    fn as_in_variant(&self, text: &str) -> String {
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(inside) {
            let (before, word) = rest.split_at(start);
            let (word, after) = word.split_at(word.find(|c| !inside(c)).unwrap_or(word.len()));
            result.push_str(before);
            match self.frame.renamed(word) {
                Some(name) => result.push_str(&name),
                None => result.push_str(word),
            }
            rest = after;
        }
        result + rest
    }

    /// A function that records a value, or the result of `value`, if the run is at the right moment.
    fn see_here(
        &mut self,
        here: &str,
        what: What,
        (ty, precision): (Type, Option<Precision>),
        value: &str,
        gives: Gives,
    ) -> Result<String, Refusal> {
        if gives == Gives::Value {
            self.passes(ty)?;
        }
        let note = self.noting(here, what, ty, value)?;
        let kind = self.type_text(ty, precision);
        let name = self.frame.name("see");
        let (result, give) = match gives {
            Gives::Value => (kind.as_str(), " return $v;"),
            Gives::True => ("bool", " return true;"),
            Gives::Nothing => ("void", ""),
        };
        let parameter = self.parameter(ty, precision, "$v");
        let text = self.frame.text(&format!("{result} {name}({parameter}) {{ {note}{give} }}\n"));
        self.frame.declare_for(ty, &text)?;
        Ok(name)
    }

    /// A statement that records a value if the run is at the right moment, as a template.
    fn noting(&mut self, here: &str, what: What, ty: Type, value: &str) -> Result<String, Refusal> {
        let value = self.frame.text(value);
        let note = self.note_value(what, ty, &value)?;
        Ok(if here.is_empty() { format!("$reach(); {note}") } else { format!("if ({here}) {{ $reach(); {note} }}") })
    }

    /// Inserts the tracking of a path's calls; returns the condition for being at its end, as a template.
    fn follow(&mut self, path: &CallPath) -> Result<String, Refusal> {
        for id in path.loops() {
            let text = self.frame.text(&format!("`int $n{} = 0;\n", id.0));
            self.frame.declare(&text);
        }
        if !path.calls.is_empty() {
            let text = self.frame.text("`int $way = 0;\n");
            self.frame.declare(&text);
        }
        for (index, (call, iterations)) in path.calls.iter().enumerate() {
            let mut test = self.iterations_reached(iterations);
            test.insert(0, format!("$way == {index}"));
            let before = format!("bool $go = {}; if ($go) $way = {};", test.join(" && "), index + 1);
            self.through(*call, &before, &format!("if ($go) $way = {index};"))?;
        }
        let mut here = self.iterations_reached(&path.last);
        if !path.calls.is_empty() {
            here.insert(0, format!("$way == {}", path.calls.len()));
        }
        Ok(here.join(" && "))
    }

    fn iterations_reached(&self, iterations: &[LoopIteration]) -> Vec<String> {
        // The body counts: before it, an iteration sees the number of previous ones.
        let number =
            |iteration: &LoopIteration| iteration.number.saturating_add(u32::from(iteration.part != Part::Condition));
        iterations
            .iter()
            .map(|iteration| format!("$n{} == {}", iteration.id.0, number(iteration).min(i32::MAX as u32)))
            .collect()
    }

    /// Counts the iterations of a path's loops. Must come last: other code in bodies goes after it.
    fn count(&mut self, path: &CallPath) {
        for id in path.loops() {
            self.count_iterations(id);
        }
    }

    /// Counts the iterations of a loop, in a variable that is declared elsewhere.
    pub(super) fn count_iterations(&mut self, id: StmtId) {
        let (reset, count) = (self.frame.text(&format!("$n{} = 0;", id.0)), self.frame.text(&format!("$n{}++;", id.0)));
        self.body_begins(id, &count);
        self.around_statement(id, &reset, "");
    }

    /// Whether a constant is required where an expression is used.
    fn must_be_constant(&self, id: ExprId) -> bool {
        let constant = |id: ExprId| self.uses.of(id) == Use::Constant;
        let mut inner = NodeId::Expr(id);
        for outer in self.nodes.around(inner) {
            match outer {
                NodeId::Expr(outer) if constant(outer) => {}
                // Offsets of look-ups and components of gathers must be constants.
                NodeId::Expr(outer) => {
                    return match self.shader.tree.expr(outer).kind {
                        ExprKind::Index(_, index) => inner == NodeId::Expr(index),
                        ExprKind::Call(..) => {
                            matches!(self.shader.typed.expr(outer).target, shader::typed::Target::Builtin(_))
                        }
                        _ => false,
                    };
                }
                NodeId::Decl(decl) => return self.declares_constant(decl, inner),
                NodeId::Stmt(outer) => return matches!(self.shader.tree.stmt(outer).kind, StmtKind::Case(_)),
            }
            inner = outer;
        }
        true
    }

    /// Whether a node below a declaration is anything but the initialiser of a non-constant variable.
    fn declares_constant(&self, decl: shader::ast::DeclId, inner: NodeId) -> bool {
        let DeclKind::Variables { declarators, .. } = &self.shader.tree.decl(decl).kind else { return true };
        let declarator = declarators.iter().find(|d| d.init.map(NodeId::Expr) == Some(inner));
        let variable = declarator
            .and_then(|d| self.shader.typed.variables.iter().find(|variable| variable.declared == Some(d.name.token)));
        variable.is_none_or(|variable| variable.constant.is_some())
    }
}

/// One, as a literal that can be added to a value of a type.
fn one(ty: Type) -> &'static str {
    match ty.scalar() {
        Some(shader::types::Scalar::Uint) => "1u",
        Some(shader::types::Scalar::Float) => "1.0",
        Some(shader::types::Scalar::Double) => "1.0lf",
        Some(shader::types::Scalar::Int64) => "1l",
        Some(shader::types::Scalar::Uint64) => "1ul",
        _ => "1",
    }
}

/// The type in another shader with the same declarations that equals a type.
fn same_type(from: &Shader, to: &Shader, ty: Type) -> Option<Type> {
    match ty {
        Type::Array(_) => {
            let array = from.typed.types.as_array(ty)?;
            let element = same_type(from, to, array.element)?;
            let mut all = to.typed.types.arrays.iter().zip(0..);
            let found = all.find(|(row, _)| row.element == element && row.size == array.size);
            found.map(|(_, index)| Type::Array(shader::types::ArrayId(index)))
        }
        Type::Struct(id) => {
            let row = from.typed.types.structs.get(id.0 as usize)?;
            let name = from.preprocessed.symbols.name(row.name);
            let same = |other: &shader::types::StructType| {
                to.preprocessed.symbols.name(other.name) == name && other.fields.len() == row.fields.len()
            };
            // The same index, unless the expression is the first to name built-in structures.
            let here = to.typed.types.structs.get(id.0 as usize).filter(|other| same(other)).map(|_| id.0 as usize);
            let found = here.or_else(|| to.typed.types.structs.iter().position(same));
            found.map(|index| Type::Struct(shader::types::StructId(index as u32)))
        }
        _ => Some(ty),
    }
}
