//! Geometry shaders that pass on their primitive.

use shader::ast::NodeId;
use shader::edit::{LineRules, Rewrite};
use shader::version::Vendor;

use super::outputs::emission;
use crate::question::Subject;
use crate::variant::Refusal;

/// The source of a geometry shader that passes `gl_PrimitiveIDIn` on to its fragments if it does not do so itself:
/// otherwise `gl_PrimitiveID` is undefined in fragments (GLSL 4.60, 7.1.5), and llvmpipe draws none of them. `None` if
/// it is not necessary.
///
/// # Errors
/// When changes conflict.
pub fn pass_primitive(subject: Subject<'_>) -> Result<Option<Vec<String>>, Refusal> {
    let shader = subject.shader;
    let symbol = shader.preprocessed.symbols.find("gl_PrimitiveID");
    if symbol.is_some_and(|symbol| shader.preprocessed.tokens.iter().any(|token| token.symbol == symbol)) {
        return Ok(None);
    }
    let mut rewrite = Rewrite::new(shader);
    for id in shader.statements() {
        if emission(shader, id).is_some_and(|(emits, _)| emits) {
            rewrite.wrap(NodeId::Stmt(id), "{ gl_PrimitiveID = gl_PrimitiveIDIn; ", " }");
        }
    }
    let contradicts = |error: &dyn std::fmt::Debug| Refusal::Impossible(format!("conflicting changes: {error:?}"));
    let edits = rewrite.edits().map_err(|error| contradicts(&error))?;
    let rules = LineRules { version: shader.preprocessed.version, per_string: subject.options.vendor != Vendor::Mesa };
    let mut edited = edits.apply_keeping_lines(&shader.sources, rules).map_err(|error| contradicts(&error))?;
    edited.strings.truncate(shader.sources.own_strings());
    Ok(Some(edited.strings))
}
