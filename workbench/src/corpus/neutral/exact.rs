//! Shaders whose arithmetic must be computed as written: the control experiment for images that differ.
//!
//! A compiler may rearrange arithmetic that is not `precise` (GLSL 4.60, 4.9), and its result may depend on the
//! surrounding source, so that probes change the last bits of unrelated numbers. If a difference has no other cause, it
//! disappears when everything is `precise`, in the recorded shader and in its variant; and the recorded shader, without
//! probes, changes by that qualifier alone.

use shader::Shader;
use shader::ast::{DeclId, DeclKind, NodeId};
use shader::edit::{Edits, Rewrite};
use shader::qualifier::Storage;
use shader::source::Pos;
use shader::token::TokenIndex;
use shader::typed::{Variable, VariableKind};
use shader::types::Type;
use shader::version::Options;

/// Returns the source with `precise` before everything that is computed; `None` if the language does not have the
/// qualifier or the source cannot be changed like that.
pub fn exact(strings: &[String], options: &Options) -> Option<Vec<String>> {
    let shader = shader::analyze(strings, options);
    let version = shader.preprocessed.version;
    // The qualifier was added in GLSL 4.00 and ES 3.20, and by extensions to earlier versions. Mesa accepts the
    // desktop's in any version, that of ES from 3.10 on.
    let extension = match (version.is_es(), version.number) {
        (false, 400..) | (true, 320..) => "",
        (false, _) => "#extension GL_ARB_gpu_shader5 : enable\n",
        (true, 310) => "#extension GL_EXT_gpu_shader5 : enable\n",
        (true, _) => return None,
    };
    if shader.has_errors() {
        return None;
    }
    let mut rewrite = Rewrite::new(&shader);
    for number in 0..shader.tree.decls.len() {
        let id = DeclId(u32::try_from(number).ok()?);
        if declares_numbers(&shader, id) {
            rewrite.before(NodeId::Decl(id), "precise ");
        }
    }
    let mut edits = rewrite.edits().ok()?;
    announce(&shader, extension, &mut edits)?;
    Some(edits.apply(&shader.sources).ok()?.strings)
}

/// Inserts the extension after `#version`, and the built-in outputs before the first declaration.
fn announce(shader: &Shader, extension: &str, edits: &mut Edits) -> Option<()> {
    let written = |row: &&Variable| {
        let output = matches!(row.qualifiers.storage, Storage::Out | Storage::InOut);
        row.kind == VariableKind::Builtin && output && row.written && is_number(shader, row.ty)
    };
    let names = shader.typed.variables.iter().filter(written);
    let lines: String = names.map(|row| format!("precise {};\n", shader.preprocessed.symbols.name(row.name))).collect();
    let first = shader.preprocessed.outermost_call(TokenIndex(0));
    let first = first.map_or(shader.preprocessed.tokens.first()?.pos, |(_, span)| span.start);
    let behind_version = match shader.preprocessed.version_span {
        None => 0,
        Some(span) => {
            let end = span.end.0 as usize;
            end + shader.sources.program().get(end..)?.find('\n')? + 1
        }
    };
    let behind_version = Pos(u32::try_from(behind_version).ok()?);
    if behind_version == first {
        edits.insert(first, &format!("{extension}{lines}"));
    } else {
        edits.insert(behind_version, extension);
        edits.insert(first, &lines);
    }
    Some(())
}

/// Returns whether a declaration is one of variables for which the shader computes floating-point numbers.
fn declares_numbers(shader: &Shader, id: DeclId) -> bool {
    let DeclKind::Variables { declarators, .. } = &shader.tree.decl(id).kind else { return false };
    let Some(first) = declarators.first() else { return false };
    let row = shader.typed.variables.iter().find(|row| row.declared == Some(first.name.token));
    row.is_some_and(|row| {
        let storage = row.qualifiers.storage;
        let computed = matches!(storage, Storage::Plain | Storage::Out | Storage::InOut);
        computed && !row.qualifiers.flags.precise && is_number(shader, row.ty)
    })
}

/// Returns whether a type contains floating-point numbers.
fn is_number(shader: &Shader, ty: Type) -> bool {
    let types = &shader.typed.types;
    if let Some(array) = types.as_array(ty) {
        return is_number(shader, array.element);
    }
    match types.as_struct(ty) {
        Some(structure) => structure.fields.iter().any(|field| is_number(shader, field.ty)),
        None => ty.scalar().is_some_and(shader::types::Scalar::is_floating),
    }
}
