//! Which expressions can be wrapped in a function that records them.

use std::collections::BTreeSet;

use shader::ast::{Callee, Condition, ExprId, ExprKind, NodeId, StmtId, StmtKind};
use shader::qualifier::Storage;
use shader::query::Visit;
use shader::query_rvalue::Use;
use shader::typed::Target;
use shader::types::{Precision, Type};
use shader::version::Stage;

use super::Weaver;
use super::slots::Slots;
use crate::variant::Refusal;

impl Weaver<'_> {
    /// The name of the function that takes a number and a value, records them, and returns the value.
    pub(super) fn see(&mut self, ty: Type, precision: Option<Precision>) -> Result<String, Refusal> {
        let precision = precision.filter(|_| self.shader.preprocessed.version.is_es());
        if let Some(name) = self.sees.get(&(ty, precision)) {
            return Ok(name.clone());
        }
        self.passes(ty)?;
        self.frame.put(ty)?;
        let with_slots = matches!(self.slots, Slots::Part(_));
        let (arguments, slot) = if with_slots { ("$k, $s", "`int $k, ") } else { ("$s", "") };
        let note = self.frame.record_value(arguments, ty, "$v")?;
        let name = self.frame.name(&format!("see{}", self.sees.len() + 1));
        let kind = self.type_text(ty, precision);
        let gives = self.gives(ty);
        let text = format!("{kind} {name}({slot}`int $s, {kind} $v) {{ {note} return {gives}; }}\n");
        let text = self.frame.text(&text);
        self.frame.declare_for(ty, &text)?;
        self.sees.insert((ty, precision), name.clone());
        Ok(name)
    }

    /// Whether functions can take and return values of a type.
    pub(super) fn passes(&self, ty: Type) -> Result<(), Refusal> {
        let version = self.shader.preprocessed.version;
        if !version.at_least(120, 300) && self.has_array(ty) {
            let name = self.shader.type_name(ty);
            return Err(Refusal::Impossible(format!("functions cannot return a {name} in {version}")));
        }
        Ok(())
    }

    fn has_array(&self, ty: Type) -> bool {
        let types = &self.shader.typed.types;
        let fields = types.as_struct(ty).map(|structure| structure.fields.iter());
        types.as_array(ty).is_some() || fields.is_some_and(|mut fields| fields.any(|field| self.has_array(field.ty)))
    }

    /// Why an expression with a value cannot be wrapped in place; `None` if it can, apart from its type.
    pub(super) fn obstacle(&self, id: ExprId) -> Option<String> {
        let tree = &self.shader.tree;
        let mut inner = NodeId::Expr(id);
        for outer in self.nodes.around(inner) {
            match outer {
                NodeId::Expr(outer) => match tree.expr(outer).kind {
                    ExprKind::Index(base, index) if inner == NodeId::Expr(index) => {
                        let ty = self.shader.typed.expr(base).ty;
                        let element = self.shader.typed.types.as_array(ty).map(|array| array.element);
                        if matches!(element, Some(Type::Opaque(_) | Type::Subroutine(_))) || self.is_block(element) {
                            return Some("an index of an array of samplers or blocks cannot be changed".to_owned());
                        }
                        if self.shader.stage == Stage::TessControl && self.uses.of(outer) == Use::Lvalue {
                            return Some("per-vertex outputs must be indexed with `gl_InvocationID` itself".to_owned());
                        }
                        if self.strict {
                            return Some("GLSL ES 1.00 restricts indices, so this one cannot be changed".to_owned());
                        }
                        if self.is_component_for_call(outer) {
                            return Some("a call reads and writes a component with this index, which cannot be changed: NVIDIA's compiler writes elsewhere if the index calls a function".to_owned());
                        }
                    }
                    ExprKind::Call(Callee::Expr(callee), _) if inner == NodeId::Expr(callee) => {
                        if matches!(self.shader.typed.expr(outer).target, Target::Length) {
                            return Some("only its length is used".to_owned());
                        }
                    }
                    _ => {}
                },
                NodeId::Decl(_) => {}
                NodeId::Stmt(outer) => match tree.stmt(outer).kind {
                    StmtKind::For { .. } if self.fixed.contains(&outer) => {
                        return Some("the header of this loop cannot be changed".to_owned());
                    }
                    StmtKind::Case(_) => return Some("a label must be constant".to_owned()),
                    _ => return None,
                },
            }
            inner = outer;
        }
        None
    }

    /// The loops whose header must not change. In GLSL ES 1.00 these are all that have the form of appendix A; before
    /// samplers could be selected at run time, all in which they are selected, because compilers unroll those.
    pub(super) fn fixed_loops(&self) -> BTreeSet<StmtId> {
        let mut found = BTreeSet::new();
        if self.strict {
            found.extend((0..self.shader.tree.stmts.len() as u32).map(StmtId));
        } else if !self.shader.preprocessed.version.at_least(400, 320) {
            for id in self.picks() {
                found.extend(self.nodes.loops(self.shader, NodeId::Expr(id)).iter().map(|(id, _)| *id));
            }
        }
        found.retain(|id| self.has_plain_header(*id));
        found
    }

    /// Where a sampler, an image or a block is selected at run time.
    pub(super) fn picks(&self) -> impl Iterator<Item = ExprId> {
        let (tree, typed) = (&self.shader.tree, &self.shader.typed);
        let is_pick = |id: &ExprId| {
            let ExprKind::Index(base, index) = tree.expr(*id).kind else { return false };
            let mut element = typed.expr(base).ty;
            while let Some(array) = typed.types.as_array(element) {
                element = array.element;
            }
            let mut blocks = typed.blocks.iter();
            let picked = match element {
                Type::Opaque(_) => true,
                Type::Struct(id) => blocks.any(|block| {
                    block.structure == id && matches!(block.qualifiers.storage, Storage::Uniform | Storage::Buffer)
                }),
                _ => false,
            };
            picked && typed.expr(index).constant.is_none()
        };
        (0..tree.exprs.len() as u32).map(ExprId).filter(is_pick)
    }

    /// Whether a loop declares its variables, and its header neither calls functions of the shader nor assigns in its
    /// condition: the evaluation of each part is implied by what follows.
    fn has_plain_header(&self, id: StmtId) -> bool {
        let StmtKind::For { init, condition: Some(Condition::Expr(condition)), step, .. } =
            self.shader.tree.stmt(id).kind
        else {
            return false;
        };
        let mut calls = false;
        for part in [Some(NodeId::Stmt(init)), Some(NodeId::Expr(condition)), step.map(NodeId::Expr)] {
            let Some(part) = part else { continue };
            self.shader.walk(part, |node| {
                if let NodeId::Expr(expr) = node {
                    calls |= !self.nodes.callees(self.shader, expr).is_empty();
                }
                Visit::Into
            });
        }
        let declares = matches!(self.shader.tree.stmt(init).kind, StmtKind::Decl(_));
        declares && !calls && !self.shader.typed.expr(condition).side_effects
    }

    /// Whether an element, or something in it, is a component of a vector and an `inout` argument of a call:
    /// `f(v[i].x)`. If the index calls a function, NVIDIA's compiler changes something else than that component.
    fn is_component_for_call(&self, element: ExprId) -> bool {
        let (tree, typed) = (&self.shader.tree, &self.shader.typed);
        let ExprKind::Index(base, _) = tree.expr(element).kind else { return false };
        let is_vector = |id: ExprId| matches!(typed.expr(id).ty, Type::Vector(..));
        let (mut place, mut component) = (element, is_vector(base));
        for outer in self.nodes.around(NodeId::Expr(element)) {
            let NodeId::Expr(outer) = outer else { return false };
            match tree.expr(outer).kind {
                ExprKind::Paren(_) => {}
                ExprKind::Field(base, _) | ExprKind::Index(base, _) if base == place => component = is_vector(base),
                ExprKind::Call(_, list) => {
                    let Target::Function(function) = typed.expr(outer).target else { return false };
                    let params = tree.exprs_of(list).iter().zip(&typed.function(function).params);
                    let mut changed = params.filter(|(_, param)| param.qualifiers.storage == Storage::InOut);
                    return component && changed.any(|(argument, _)| *argument == place);
                }
                _ => return false,
            }
            place = outer;
        }
        false
    }

    fn is_block(&self, ty: Option<Type>) -> bool {
        ty.and_then(|ty| self.shader.typed.types.as_struct(ty)).is_some_and(|structure| structure.block)
    }
}
