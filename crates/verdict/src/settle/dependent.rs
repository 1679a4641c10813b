//! What depends on look-ups.
//!
//! The coordinates of a fragment are measured, those of its neighbours are not: the emulator computes them from their inputs.
//! Where coordinates come from look-ups, which it computes otherwise than the device, their changes from fragment to fragment
//! are not those of the device.

use std::collections::BTreeSet;

use shader::Shader;
use shader::ast::{ExprId, ExprKind, NodeId, StmtId, StmtKind};
use shader::query::Visit;
use shader::typed::{FunctionId, Target, VarId, VariableKind};

/// The variables and functions whose values may depend on look-ups, wherever they are used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dependent {
    variables: BTreeSet<VarId>,
    functions: BTreeSet<FunctionId>,
}

impl Dependent {
    /// Finds them.
    #[must_use]
    pub fn new(shader: &Shader) -> Dependent {
        let mut found = Dependent::default();
        // Each round finds at least one more.
        while found.grow(shader) {}
        found
    }

    /// Whether a call's coordinates, or anything else that it is given, may depend on a look-up.
    #[must_use]
    pub fn moves(&self, shader: &Shader, call: ExprId) -> bool {
        let ExprKind::Call(_, arguments) = shader.tree.expr(call).kind else { return false };
        shader.tree.exprs_of(arguments).iter().any(|argument| self.has(shader, *argument))
    }

    /// Whether it may of any look-up.
    #[must_use]
    pub fn moves_any(&self, shader: &Shader) -> bool {
        (0..shader.tree.exprs.len() as u32).map(ExprId).any(|id| match shader.typed.expr(id).target {
            Target::Builtin(function) => {
                is_look_up(shader.preprocessed.symbols.name(function.name)) && self.moves(shader, id)
            }
            _ => false,
        })
    }

    /// Whether the value of an expression may depend on a look-up.
    fn has(&self, shader: &Shader, id: ExprId) -> bool {
        let mut found = false;
        shader.walk(NodeId::Expr(id), |node| {
            let NodeId::Expr(id) = node else { return Visit::Into };
            found |= match shader.typed.expr(id).target {
                Target::Builtin(function) => is_look_up(shader.preprocessed.symbols.name(function.name)),
                Target::Function(function) => self.functions.contains(&function),
                Target::Variable(variable) => self.variables.contains(&variable),
                _ => false,
            };
            if found { Visit::Stop } else { Visit::Into }
        });
        found
    }

    fn grow(&mut self, shader: &Shader) -> bool {
        let before = (self.variables.len(), self.functions.len());
        for id in (0..shader.tree.exprs.len() as u32).map(ExprId) {
            match (shader.tree.expr(id).kind, shader.typed.expr(id).target) {
                (ExprKind::Assign(_, place, value), _) if self.has(shader, value) => self.write(shader, place),
                (ExprKind::Call(_, arguments), Target::Function(function)) => {
                    for (number, &argument) in shader.tree.exprs_of(arguments).iter().enumerate() {
                        self.pass(shader, (function, number as u32), argument);
                    }
                }
                _ => {}
            }
        }
        for (number, variable) in shader.typed.variables.iter().enumerate() {
            if variable.init.is_some_and(|init| self.has(shader, init)) {
                self.variables.insert(VarId(number as u32));
            }
        }
        for (number, function) in shader.typed.functions.iter().enumerate() {
            if function.body.is_some_and(|body| self.returns(shader, body)) {
                self.functions.insert(FunctionId(number as u32));
            }
        }
        before != (self.variables.len(), self.functions.len())
    }

    /// An argument goes to its parameter, and comes back where it is one that the function writes.
    fn pass(&mut self, shader: &Shader, (function, number): (FunctionId, u32), argument: ExprId) {
        let is_it =
            |kind: VariableKind| matches!(kind, VariableKind::Parameter(of, at) if (of, at) == (function, number));
        let Some(place) = shader.typed.variables.iter().position(|variable| is_it(variable.kind)) else { return };
        let parameter = VarId(place as u32);
        if self.has(shader, argument) {
            self.variables.insert(parameter);
        }
        if self.variables.contains(&parameter) {
            self.write(shader, argument);
        }
    }

    /// Notes the variable that a place is a part of.
    fn write(&mut self, shader: &Shader, place: ExprId) {
        match (shader.tree.expr(place).kind, shader.typed.expr(place).target) {
            (ExprKind::Paren(inner) | ExprKind::Field(inner, _) | ExprKind::Index(inner, _), _) => {
                self.write(shader, inner)
            }
            (ExprKind::Name(_), Target::Variable(variable)) => {
                self.variables.insert(variable);
            }
            _ => {}
        }
    }

    fn returns(&self, shader: &Shader, body: StmtId) -> bool {
        let mut found = false;
        shader.walk(NodeId::Stmt(body), |node| {
            if let NodeId::Stmt(id) = node
                && let StmtKind::Return(Some(value)) = shader.tree.stmt(id).kind
            {
                found |= self.has(shader, value);
            }
            if found { Visit::Stop } else { Visit::Into }
        });
        found
    }
}

/// Whether a built-in function looks something up in a texture, by its name.
pub fn is_look_up(name: &str) -> bool {
    name.starts_with("texture") || name.starts_with("texel") || name.starts_with("shadow")
}

#[cfg(test)]
mod tests {
    use shader::version::{Options, Stage};

    use super::*;

    const TEXT: &str = "#version 330
in vec2 at;
uniform sampler2D map;
out vec4 color;
vec2 moved(vec2 place, float by) { return place + by; }
float read(vec2 place) { vec4 found = texture(map, place); return found.x; }
void give(out vec2 place) { place = texture(map, at).xy; }
void main() {
    vec2 plain = at * 2.0;
    float height = read(plain);
    vec2 far = plain;
    far.y += height;
    vec2 given = at;
    give(given);
    color = texture(map, plain) + texture(map, far) + texture(map, given) + texture(map, moved(plain, 0.5));
}
";

    #[test]
    fn what_comes_from_look_ups_depends_on_them() {
        let shader = shader::analyze(&[TEXT], &Options::new(Stage::Fragment));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        let dependent = Dependent::new(&shader);
        let named = |wanted: &str| {
            let names = dependent.variables.iter().map(|id| shader.typed.variables[id.0 as usize].name);
            names.into_iter().any(|name| shader.preprocessed.symbols.name(name) == wanted)
        };
        assert!(["height", "far", "found", "given", "color"].into_iter().all(named));
        assert!(!["plain", "at"].into_iter().any(named));
        let functions: Vec<&str> = dependent
            .functions
            .iter()
            .map(|id| shader.preprocessed.symbols.name(shader.typed.function(*id).name))
            .collect();
        assert_eq!(functions, ["read"]);
        assert!(dependent.moves_any(&shader));
        let plain = shader::analyze(
            &[&TEXT
                .replace("far, ", "plain, ")
                .replace("texture(map, far)", "vec4(0.0)")
                .replace("texture(map, given)", "vec4(0.0)")],
            &Options::new(Stage::Fragment),
        );
        assert!(!plain.has_errors() && !Dependent::new(&plain).moves_any(&plain));
    }
}
