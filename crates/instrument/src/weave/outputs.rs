//! The outputs of a stage.

use shader::Shader;
use shader::ast::{ExprKind, NodeId, StmtId, StmtKind};
use shader::qualifier::Storage;
use shader::typed::Target;
use shader::types::{Scalar, Type};
use shader::version::Stage;

use super::Weaver;
use super::slots::Phase;
use crate::variant::{Refusal, Slope, What};

impl Weaver<'_> {
    pub(super) fn outputs(&mut self) -> Result<(), Refusal> {
        match self.shader.stage {
            Stage::Geometry => return self.emissions(),
            Stage::TessControl => {
                let text = "the invocations of a tessellation control shader share their outputs";
                return Err(Refusal::Impossible(text.to_owned()));
            }
            Stage::Compute => return Err(Refusal::Impossible("a compute shader has no outputs".to_owned())),
            Stage::Vertex | Stage::TessEvaluation | Stage::Fragment => {}
        }
        let mut begin = String::new();
        for (name, ty) in self.given() {
            begin.push_str(&self.note_value(What::Input(name.to_owned(), Slope::None), ty, name)?);
            begin.push(' ');
        }
        let end = self.note_outputs();
        self.around_main(begin.trim_end(), end.trim_end(), true);
        Ok(())
    }

    /// Values that are always recorded for a fragment: position, facing and covered samples.
    pub(super) fn given(&self) -> Vec<(&'static str, Type)> {
        if self.shader.stage != Stage::Fragment {
            return Vec::new();
        }
        let mut given =
            vec![("gl_FragCoord", Type::Vector(Scalar::Float, 4)), ("gl_FrontFacing", Type::Scalar(Scalar::Bool))];
        if self.shader.preprocessed.version.at_least(400, 320) {
            // Unlike `gl_SampleID`, this has no side effects: it has one bit per covered sample.
            given.push(("gl_SampleMaskIn[0]", Type::INT));
        }
        given
    }

    /// Records every output before each `EmitVertex`, and the ends of primitives. Neither function has a value, so
    /// calls are statements; one within a comma expression is not recorded.
    pub(super) fn emissions(&mut self) -> Result<(), Refusal> {
        for id in self.shader.statements() {
            if !self.nodes.is_reached(NodeId::Stmt(id)) {
                continue;
            }
            let Some((emits, stream)) = emission(self.shader, id) else { continue };
            self.at_statement(id, Phase::In);
            let text = if emits {
                let outputs = self.note_outputs();
                outputs + &self.note(What::Emit(stream))
            } else {
                self.note(What::Cut(stream))
            };
            self.around_statement(id, &text, "");
        }
        Ok(())
    }

    /// Statements that record the outputs that the shader mentions. Types without recordable values are omitted.
    pub(super) fn note_outputs(&mut self) -> String {
        let mut outputs = Vec::new();
        for id in self.mentioned(Storage::Out) {
            let row = self.shader.typed.variable(id);
            let name = self.shader.preprocessed.symbols.name(row.name).to_owned();
            self.members(name, row.ty, String::new(), false, &mut outputs);
        }
        let mut text = String::new();
        for output in outputs {
            let name = self.frame.renamed(&output.name).unwrap_or_else(|| output.name.clone());
            if let Ok(note) = self.note_value(What::Output(output.name), output.ty, &name) {
                text.push_str(&format!("{note} "));
            }
        }
        text
    }
}

/// Whether a statement emits a vertex (true) or ends a primitive (false), and the stream.
pub(super) fn emission(shader: &Shader, id: StmtId) -> Option<(bool, u32)> {
    let StmtKind::Expr(expr) = shader.tree.stmt(id).kind else { return None };
    let ExprKind::Call(_, arguments) = shader.tree.expr(expr).kind else { return None };
    let Target::Builtin(function) = shader.typed.expr(expr).target else { return None };
    let emits = match shader.preprocessed.symbols.name(function.name) {
        "EmitVertex" | "EmitStreamVertex" => true,
        "EndPrimitive" | "EndStreamPrimitive" => false,
        _ => return None,
    };
    let stream = shader.tree.exprs_of(arguments).first().and_then(|&argument| {
        let constant = shader.typed.expr(argument).constant?;
        u32::try_from(shader.typed.constants.as_i64(constant)?).ok()
    });
    Some((emits, stream.unwrap_or(0)))
}
