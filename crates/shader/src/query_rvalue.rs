//! How each expression is used: as a value that a probe can record, or as an l-value, name or list.

use crate::analyze::Shader;
use crate::ast::{Callee, ExprId, ExprKind, NodeId, UnaryOp};
use crate::builtin::Direction;
use crate::qualifier::Storage;
use crate::typed::{Target, Typed};
use crate::types::Type;

/// How an expression is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Its value is computed at run time, and read.
    Value,
    /// Its value is a sampler, an image or a counter: it can be passed but not stored.
    Opaque,
    /// Its value is known at compile time, or it is part of an expression whose value is.
    Constant,
    /// It denotes a variable that is written, or that a function needs as such and not as a value: the left side of an
    /// assignment, the operand of `++`, an `out` argument, the memory of an atomic, the input of `interpolateAt…`.
    Lvalue,
    /// It has no value: a call of a function that returns nothing.
    Void,
    /// It precedes the parentheses of a call: `a.length`, or an element of an array of subroutines.
    Callee,
    /// A list in braces.
    List,
    /// It is erroneous.
    Unknown,
}

/// The uses of all expressions of one shader.
#[derive(Clone, Debug)]
pub struct Uses(Vec<Use>);

impl Uses {
    /// Determines how each expression is used.
    #[must_use]
    pub fn new(shader: &Shader) -> Uses {
        let count = shader.tree.exprs.len() as u32;
        let mut uses = Uses((0..count).map(|id| by_itself(shader, ExprId(id))).collect());
        let mut parts = Vec::new();
        // An expression's id is greater than those of its operands, so each is determined before its operands.
        for id in (0..count).rev().map(ExprId) {
            uses.settle_parts(shader, id, &mut parts);
        }
        uses
    }

    /// How an expression is used.
    #[must_use]
    pub fn of(&self, id: ExprId) -> Use {
        self.0.get(id.0 as usize).copied().unwrap_or(Use::Unknown)
    }

    /// Whether an expression's value is computed at run time, and read: wrapping it in parentheses, or in a function
    /// that returns its argument, changes nothing.
    #[must_use]
    pub fn is_rvalue(&self, id: ExprId) -> bool {
        self.of(id) == Use::Value
    }

    /// All expressions with a use, in order.
    pub fn all(&self, wanted: Use) -> impl Iterator<Item = ExprId> {
        self.0.iter().zip(0..).filter(move |(found, _)| **found == wanted).map(|(_, id)| ExprId(id))
    }

    fn set(&mut self, id: ExprId, new: Use) {
        self.0[id.0 as usize] = new;
    }

    fn settle_parts(&mut self, shader: &Shader, id: ExprId, parts: &mut Vec<NodeId>) {
        let (tree, typed) = (&shader.tree, &shader.typed);
        let kind = tree.expr(id).kind;
        if self.of(id) == Use::Constant {
            shader.children(NodeId::Expr(id), parts);
            for part in parts.iter() {
                if let NodeId::Expr(part) = part {
                    self.set(*part, Use::Constant);
                }
            }
            return;
        }
        match kind {
            ExprKind::Paren(inner) if self.of(id) == Use::Lvalue => self.set(inner, Use::Lvalue),
            ExprKind::Field(base, _) | ExprKind::Index(base, _) if self.of(id) == Use::Lvalue => {
                self.set(base, Use::Lvalue);
            }
            ExprKind::Assign(_, place, _) => self.set(place, Use::Lvalue),
            ExprKind::Unary(
                UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement,
                place,
            ) => self.set(place, Use::Lvalue),
            ExprKind::Call(callee, arguments) => {
                if let Callee::Expr(callee) = callee {
                    self.set(callee, Use::Callee);
                }
                let target = typed.expr(id).target;
                for (index, &argument) in tree.exprs_of(arguments).iter().enumerate() {
                    if takes_place(typed, target, index) {
                        self.set(argument, Use::Lvalue);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The use that an expression's own facts allow.
fn by_itself(shader: &Shader, id: ExprId) -> Use {
    let facts = shader.typed.expr(id);
    match (shader.tree.expr(id).kind, facts.ty) {
        (ExprKind::Initializers(_), _) => Use::List,
        (ExprKind::Error, _) | (_, Type::Error) => Use::Unknown,
        _ if facts.constant.is_some() => Use::Constant,
        (_, Type::Void) => Use::Void,
        (_, Type::Opaque(_)) => Use::Opaque,
        _ => Use::Value,
    }
}

/// Whether a function takes an argument as a variable.
fn takes_place(typed: &Typed, target: Target, index: usize) -> bool {
    match target {
        Target::Function(id) | Target::Subroutine(id) => typed
            .function(id)
            .params
            .get(index)
            .is_some_and(|p| matches!(p.qualifiers.storage, Storage::Out | Storage::InOut)),
        Target::Builtin(function) => {
            function.params.get(index).is_some_and(|p| p.direction != Direction::In || p.memory || p.interpolant)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::analyze;
    use crate::version::{Options, Stage};

    /// Checks the spellings of all expressions with a use in a function's body.
    #[track_caller]
    fn check(body: &str, wanted: Use, expected: &[&str]) {
        let text = format!(
            "#version 440\nuniform float a; uniform sampler2D s; buffer B {{ uint m; float r[]; }}; in vec4 i; vec4 v; \
             void g(out float x) {{ x = 1.0; }} void main() {{ {body} }}"
        );
        let shader = analyze(&[text], &Options::new(Stage::Fragment));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        let uses = Uses::new(&shader);
        let skip = shader.sources.text().find("void main").unwrap_or_default() as u32;
        let spans = uses.all(wanted).map(|id| shader.preprocessed.span(shader.tree.tokens(NodeId::Expr(id))).0);
        let found: Vec<&str> = spans.filter(|s| s.start.0 > skip).map(|s| shader.sources.slice(s)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn values_and_variables() {
        check("v.x = a + 2.0;", Use::Value, &["a", "a + 2.0", "v.x = a + 2.0"]);
        check("v.x = a + 2.0;", Use::Lvalue, &["v", "v.x"]);
        check("v[int(a)]++;", Use::Lvalue, &["v", "v[int(a)]"]);
        check("v[int(a)]++;", Use::Value, &["a", "int(a)", "v[int(a)]++"]);
        check("g(v.x);", Use::Lvalue, &["v", "v.x"]);
        check("g(v.x);", Use::Void, &["g(v.x)"]);
        check("atomicAdd(m, 1u);", Use::Lvalue, &["m"]);
        check("interpolateAtCentroid(i);", Use::Lvalue, &["i"]);
        check("texture(s, v.xy);", Use::Opaque, &["s"]);
        check("int n = r.length();", Use::Callee, &["r.length"]);
        check("float[2] x = { a, 1.0 };", Use::List, &["{ a, 1.0 }"]);
        check("float x = sin(2.0 * 3.0);", Use::Value, &[]);
    }
}
