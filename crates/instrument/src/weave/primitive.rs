//! Geometry shaders that pass on which primitive they work on.

use shader::ast::NodeId;
use shader::edit::{LineRules, Rewrite};
use shader::version::Vendor;

use super::outputs::emission;
use crate::question::Subject;
use crate::variant::Refusal;

/// The text of a geometry shader that gives its fragments the number of the primitive it was run for, where it gives
/// them none: fragments that ask for it have no number otherwise (GLSL 4.60, 7.1.5), and llvmpipe draws none of them.
/// Nothing if it is not needed.
///
/// # Errors
/// When changes contradict each other.
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
    let contradicts =
        |error: &dyn std::fmt::Debug| Refusal::Impossible(format!("the changes contradict each other: {error:?}"));
    let edits = rewrite.edits().map_err(|error| contradicts(&error))?;
    let rules = LineRules { version: shader.preprocessed.version, per_string: subject.options.vendor != Vendor::Mesa };
    let mut edited = edits.apply_keeping_lines(&shader.sources, rules).map_err(|error| contradicts(&error))?;
    edited.strings.truncate(shader.sources.own_strings());
    Ok(Some(edited.strings))
}
