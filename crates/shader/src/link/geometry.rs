//! What the units of a geometry shader must agree on besides their layouts: streams and the number of vertices.

use super::Declared;
use super::linker::{Linker, is_per_vertex};
use crate::ast::ExprKind;
use crate::typed::{Primitive, Target, VariableKind};

impl Linker<'_> {
    /// Streams other than the first support only points (GLSL 4.60, 8.13), and there are four.
    pub(super) fn check_streams(&mut self, index: usize) {
        let units = self.stages[index].units.clone();
        let points = units.iter().any(|&u| self.typed(u).stage.output_primitive == Some(Primitive::Points));
        for unit in units {
            let (tree, typed) = (&self.shaders[unit].tree, self.typed(unit));
            let mut findings = Vec::new();
            for (i, facts) in typed.exprs.iter().enumerate() {
                let Target::Builtin(function) = facts.target else { continue };
                let name = self.name(unit, function.name);
                if !matches!(name, "EmitStreamVertex" | "EndStreamPrimitive") {
                    continue;
                }
                let ExprKind::Call(_, arguments) = tree.exprs[i].kind else { continue };
                let argument = tree.exprs_of(arguments).first().copied();
                let value = argument.and_then(|a| typed.expr(a).constant).and_then(|c| typed.constants.as_i64(c));
                let token = Some(tree.exprs[i].tokens.first);
                match value {
                    Some(stream) if !(0..4).contains(&stream) => {
                        let message = format!("`{name}`: the stream must be less than 4, this is {stream}");
                        findings.push(self.error_at(unit, token, "stream", message));
                    }
                    Some(stream) if stream > 0 && !points => {
                        let message = format!("`{name}({stream})`: streams other than 0 need `points` as output");
                        findings.push(self.error_at(unit, token, "stream", message));
                    }
                    _ => {}
                }
            }
            for finding in findings {
                self.report(unit, finding);
            }
        }
    }

    /// Input arrays have one element per vertex of the primitive, whichever unit declares it (GLSL 4.60, 4.4.1).
    pub(super) fn check_geometry_arrays(&mut self, index: usize) {
        let units = self.stages[index].units.clone();
        let said = units.iter().find_map(|&u| self.typed(u).stage.input_primitive);
        let Some(count) = said.or(self.options.geometry_input).and_then(Primitive::vertices) else { return };
        let arrays: Vec<Declared> = units
            .iter()
            .flat_map(|&u| self.globals(u))
            .filter(|&at| {
                let row = self.variable(at);
                matches!(row.kind, VariableKind::Global | VariableKind::Instance(_) | VariableKind::Builtin)
                    && is_per_vertex(self.stage_of(at.shader), &row.qualifiers)
            })
            .collect();
        for at in arrays {
            let row = self.variable(at);
            let Some(array) = self.types(at.shader).as_array(row.ty) else { continue };
            let name = self.variable_name(at);
            match (array.size, row.max_index) {
                (Some(size), _) if size != count => {
                    let message = format!("`{name}` has {size} elements, the input primitive {count} vertices");
                    self.error_variable(at, "array-size", message);
                }
                (None, Some(used)) if used >= count => {
                    let message =
                        format!("`{name}` is used with index {used}, the input primitive has {count} vertices");
                    self.error_variable(at, "out-of-bounds", message);
                }
                _ => {}
            }
        }
    }
}
