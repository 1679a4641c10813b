//! The inputs that a stage reads, and its outputs.

use std::collections::BTreeSet;

use shader::ast::{ExprId, NodeId};
use shader::qualifier::{Interpolation, Storage};
use shader::typed::{ScopeId, Target, VarId, VariableKind};
use shader::types::{ArrayType, Scalar, Type};
use shader::version::Stage;

use super::Weaver;
use crate::variant::{Refusal, Slope, What};

/// The guaranteed maximum number of vertices per patch (GL 4.6, table 23.58).
const PATCH: u32 = 32;

/// Built-in variables of old versions that are interpolated like declared inputs.
const INTERPOLATED: &[&str] = &["gl_Color", "gl_SecondaryColor", "gl_TexCoord", "gl_FogFragCoord"];

/// The spelling of derivatives; `@` is the operand. With perspective, a value is not linear on the screen, so that the
/// two rows of a quad may have different slopes: without the mixed derivative, the diagonal pixel would be a guess. The
/// language leaves mixed derivatives to implementations (GLSL 4.60, 8.14.1); those that take differences within the
/// quad return this one or, with one difference for both rows, zero.
const SLOPES: &[(Slope, &str)] = &[(Slope::X, "dFdx(@)"), (Slope::Y, "dFdy(@)"), (Slope::Both, "dFdy(dFdx(@))")];

/// Inputs that are made of more vectors have no derivatives: no device has so many varyings.
const MOST_VECTORS: usize = 128;

/// An input: its name, its type, and a condition for its existence.
pub(super) struct Input {
    pub name: String,
    pub ty: Type,
    guard: String,
    slopes: bool,
}

impl Weaver<'_> {
    pub(super) fn live_ins(&mut self) -> Result<(), Refusal> {
        let text = self.inputs_text(&[])?;
        self.around_main(&text, "", false);
        Ok(())
    }

    /// Records inputs and outputs.
    pub(super) fn ends(&mut self) -> Result<(), Refusal> {
        let begin = self.inputs_text(&self.given())?;
        if self.shader.stage == Stage::Geometry {
            self.emissions()?;
        }
        // Outputs of a patch belong to several invocations, and those of a geometry shader are gone once emitted.
        let own = matches!(self.shader.stage, Stage::Vertex | Stage::TessEvaluation | Stage::Fragment);
        let end = if own { self.note_outputs() } else { String::new() };
        self.around_main(&begin, end.trim_end(), false);
        Ok(())
    }

    /// Statements that record the inputs that are read, and those in `always`.
    fn inputs_text(&mut self, always: &[(&str, Type)]) -> Result<String, Refusal> {
        let mut inputs = Vec::new();
        for id in self.mentioned(Storage::In) {
            self.inputs_of(id, &mut inputs);
        }
        for (name, ty) in always {
            if !inputs.iter().any(|input| input.name == *name) {
                inputs.push(Input { name: (*name).to_owned(), ty: *ty, guard: String::new(), slopes: false });
            }
        }
        let mut text = String::new();
        for input in inputs {
            let mut notes = String::new();
            let from = self.source_of(&input.name);
            let slopes = if input.slopes { SLOPES } else { &[] };
            // Types without values, such as samplers of bindless textures, cannot be recorded.
            let Ok(note) = self.note_value(What::Input(input.name.clone(), Slope::None), input.ty, &from) else {
                continue;
            };
            notes.push_str(&note);
            let mut of = from.clone();
            let mut parts = Vec::new();
            if !slopes.is_empty() {
                self.vectors_in(input.ty, "", &mut parts);
            }
            if !slopes.is_empty() && self.shader.preprocessed.version.is_es() {
                // The derivative of a `mediump` number may have the same precision (GLSL ES 3.00, 8.9): Mesa computes
                // it in 16 bits, which are too few to be added to the number itself. Arrays are copied by their elements,
                // because GLSL ES 1.00 assigns none (5.7).
                of = self.frame.name(&format!("slope{}", self.sites.len()));
                notes.push_str(&format!(" {};", self.parameter(input.ty, None, &of)));
                for part in &parts {
                    notes.push_str(&format!(" {of}{part} = {from}{part};"));
                }
            }
            for (slope, template) in slopes {
                let what = What::Input(input.name.clone(), *slope);
                // Only one invocation records, and derivatives are undefined where not all of a quad come (GLSL 4.60,
                // 8.14.1): NVIDIA's are zero there. So they are computed before.
                let name = self.frame.name(&format!("slopes{}", self.sites.len()));
                notes.push_str(&format!(" {};", self.parameter(input.ty, None, &name)));
                for part in &parts {
                    let value = template.replace('@', &format!("{of}{part}"));
                    notes.push_str(&format!(" {name}{part} = {value};"));
                }
                notes.push_str(&format!(" {}", self.note_value(what, input.ty, &name)?));
            }
            match input.guard.as_str() {
                "" => text.push_str(&format!("{notes} ")),
                guard => text.push_str(&format!("if ({guard}) {{ {notes} }} ")),
            }
        }
        Ok(text.trim_end().to_owned())
    }

    /// The inputs or outputs that functions reachable from `main` mention, in order.
    pub(super) fn mentioned(&self, storage: Storage) -> BTreeSet<VarId> {
        let all = (0..self.shader.tree.exprs.len() as u32).map(ExprId);
        let mentioned = all.filter(|&id| self.nodes.is_reached(NodeId::Expr(id))).filter_map(|id| {
            match self.shader.typed.expr(id).target {
                Target::Variable(variable) => Some(variable),
                _ => None,
            }
        });
        let is_wanted = |id: &VarId| {
            let row = self.shader.typed.variable(*id);
            row.qualifiers.storage == storage && row.scope == ScopeId::GLOBAL && row.constant.is_none()
        };
        let implied = self.transforms().then(|| self.global("gl_Vertex")).flatten();
        mentioned.chain(implied).filter(is_wanted).collect()
    }

    /// Whether `ftransform()` is called, which reads `gl_Vertex` even if the text does not mention it (GLSL 1.20, 8.4).
    fn transforms(&self) -> bool {
        let is_call = |id: ExprId| match self.shader.typed.expr(id).target {
            Target::Builtin(function) => self.shader.preprocessed.symbols.name(function.name) == "ftransform",
            _ => false,
        };
        let mut all = (0..self.shader.tree.exprs.len() as u32).map(ExprId);
        all.any(|id| self.nodes.is_reached(NodeId::Expr(id)) && is_call(id))
    }

    fn global(&self, name: &str) -> Option<VarId> {
        let mut all = self.shader.typed.variables.iter();
        let at = all
            .position(|row| row.scope == ScopeId::GLOBAL && self.shader.preprocessed.symbols.name(row.name) == name)?;
        Some(VarId(at as u32))
    }

    fn inputs_of(&mut self, id: VarId, inputs: &mut Vec<Input>) {
        let row = self.shader.typed.variable(id);
        let name = self.shader.preprocessed.symbols.name(row.name).to_owned();
        let varying = self.shader.stage == Stage::Fragment
            && (!matches!(row.kind, VariableKind::Builtin) || INTERPOLATED.contains(&name.as_str()))
            && row.qualifiers.interpolation != Some(Interpolation::Flat)
            && self.has_derivatives();
        let (row, types) = (self.shader.typed.variable(id), &self.shader.typed.types);
        if let Some(array) = types.as_array(row.ty).filter(|_| INTERPOLATED.contains(&name.as_str())) {
            // Its size follows from its use (GLSL 1.20, 7.6); elements have separate derivatives.
            let count = array.size.or(row.max_index.map(|index| index + 1)).unwrap_or(0);
            for index in 0..count {
                self.members(format!("{name}[{index}]"), array.element, String::new(), varying, inputs);
            }
            return;
        }
        let Some(array) = types.as_array(row.ty).filter(|_| self.is_per_vertex(id)) else {
            return self.members(name, row.ty, String::new(), varying, inputs);
        };
        let patch = matches!(self.shader.stage, Stage::TessControl | Stage::TessEvaluation);
        let vertices = self.shader.typed.stage.input_primitive.and_then(|primitive| primitive.vertices());
        let (count, element) = (if patch { PATCH } else { vertices.or(array.size).unwrap_or(0) }, array.element);
        for index in 0..count {
            let guard = if patch { format!("gl_PatchVerticesIn > {index}") } else { String::new() };
            self.members(format!("{name}[{index}]"), element, guard, false, inputs);
        }
    }

    /// Blocks are split: only members that are mentioned are read.
    pub(super) fn members(&self, name: String, ty: Type, guard: String, varying: bool, inputs: &mut Vec<Input>) {
        let structure = self.shader.typed.types.as_struct(ty).filter(|structure| structure.block);
        let Some(structure) = structure else {
            let slopes = varying && self.vectors_in(ty, "", &mut Vec::new());
            return inputs.push(Input { name, ty, guard, slopes });
        };
        let mut read = BTreeSet::new();
        for id in (0..self.shader.tree.exprs.len() as u32).map(ExprId) {
            if let (shader::ast::ExprKind::Field(base, _), Target::Member(member)) =
                (self.shader.tree.expr(id).kind, self.shader.typed.expr(id).target)
                && self.shader.typed.expr(base).ty == ty
                && self.nodes.is_reached(NodeId::Expr(id))
            {
                read.insert(member);
            }
        }
        for member in read {
            let Some(field) = structure.fields.get(member as usize) else { continue };
            let name = format!("{name}.{}", self.shader.preprocessed.symbols.name(field.name));
            let flat = field.qualifiers.interpolation == Some(Interpolation::Flat);
            self.members(name, field.ty, guard.clone(), varying && !flat, inputs);
        }
    }

    /// Collects the paths of all scalars and vectors in a type; returns whether it has derivatives: it consists of `float`
    /// alone, and not of too many.
    fn vectors_in(&self, ty: Type, path: &str, into: &mut Vec<String>) -> bool {
        let (element, count) = match ty {
            Type::Scalar(Scalar::Float) | Type::Vector(Scalar::Float, _) => {
                into.push(path.to_owned());
                return into.len() <= MOST_VECTORS;
            }
            Type::Matrix(Scalar::Float, columns, rows) => (Type::Vector(Scalar::Float, rows), u32::from(columns)),
            _ => match self.shader.typed.types.as_array(ty) {
                Some(ArrayType { element, size: Some(size) }) => (element, size),
                _ => {
                    let Some(structure) = self.shader.typed.types.as_struct(ty) else { return false };
                    return structure.fields.iter().all(|field| {
                        let name = self.shader.preprocessed.symbols.name(field.name);
                        self.vectors_in(field.ty, &format!("{path}.{name}"), into)
                    });
                }
            },
        };
        (0..count).all(|index| self.vectors_in(element, &format!("{path}[{index}]"), into))
    }

    /// Whether an input is an array with one element per vertex of a primitive or patch.
    fn is_per_vertex(&self, id: VarId) -> bool {
        let row = self.shader.typed.variable(id);
        let builtin = matches!(row.kind, VariableKind::Builtin);
        let name = self.shader.preprocessed.symbols.name(row.name);
        matches!(self.shader.stage, Stage::Geometry | Stage::TessControl | Stage::TessEvaluation)
            && !row.qualifiers.flags.patch
            && (!builtin || name == "gl_in")
    }

    /// Whether the language has derivatives, if necessary through the extension to GLSL ES 1.00.
    fn has_derivatives(&mut self) -> bool {
        self.shader.preprocessed.version.at_least(110, 300) || self.frame.ask_for("GL_OES_standard_derivatives")
    }
}
