//! Generated shaders that replace fixed functions and assembly programs.
//!
//! Where a draw call uses no program, or one without a vertex or fragment shader, crate `fixed` generates the missing
//! shaders. A diversion then runs a program made of them, so every question about shaders can be answered.

use std::sync::Arc;

use fixed::Neighbours;
pub use fixed::Replaced;
use shader::Shader;
use shader::qualifier::Storage;
use shader::typed::{Variable, VariableKind};
use shader::types::{Scalar, Type};
use shader::version::Stage;
use state::objects::program::{Part, Program};
use state::reach::WorkKind;
use state::{Client, View, variable};

use crate::DrawError;
use crate::draw::{self, StageShader};

/// A program that replaces fixed functions or assembly programs, in whole or in part.
#[derive(Debug)]
pub struct StandIn {
    /// The program: what the trace records of it, if anything, and the generated shaders.
    pub program: Program,
    /// Values of its uniforms that the recording does not have.
    pub uniforms: fixed::Uniforms,
    /// Capabilities that are enabled or disabled while it runs.
    pub switches: Vec<(u32, bool)>,
}

/// Adds generated shaders for the stages that fixed functions or assembly programs do.
///
/// # Errors
/// When there is no shader at all and none can be generated.
pub(crate) fn complete(view: &View<'_>, work: WorkKind, stages: &mut Vec<StageShader>) -> Result<(), DrawError> {
    let has = |stage| stages.iter().any(|facts: &StageShader| facts.stage == stage);
    let (vertex, fragment) = (has(Stage::Vertex), has(Stage::Fragment));
    if work == WorkKind::Dispatch || vertex && fragment {
        return if stages.is_empty() { Err(DrawError::NoProgram) } else { Ok(()) };
    }
    if !stages.is_empty() {
        // Stages of pipelines belong to programs of their own, which built-in variables do not connect (GL 4.6, 7.4.1).
        let whole = view.context.program != 0 && view.context.facts.client == Client::Compatibility;
        // Without rasterisation there are no fragments to ask about.
        let needed = fragment || view.context.vars.get(variable::RASTERIZER_DISCARD) == 0.0;
        if !whole || !needed {
            return Ok(());
        }
    }
    let pair = match fixed::program(view, &neighbours(stages)) {
        Ok(pair) => pair,
        Err(why) if stages.is_empty() => return Err(DrawError::NoStandIn { why }),
        // Questions about the recorded shaders can be answered all the same.
        Err(_) => return Ok(()),
    };
    let name = view.context.program;
    let mut program = view.group.program(name).filter(|_| name != 0).cloned().unwrap_or_default();
    let mut parts = program.executable_parts.to_vec();
    let missing = [(Stage::Vertex, vertex, &pair.vertex), (Stage::Fragment, fragment, &pair.fragment)];
    for (place, (stage, _, text)) in missing.into_iter().enumerate().filter(|(_, (_, there, _))| !there) {
        let options = draw::options(&view.context.facts, view.group, stage);
        let shader = Arc::new(shader::analyze(&[text.as_str()], &options));
        let text: Arc<[u8]> = Arc::from(text.as_bytes());
        let (part, stand_in) = (parts.len(), Some(pair.replaced[place]));
        parts.push(Part { kind: draw::shader_type(stage), text: Some(Arc::clone(&text)) });
        stages.push(StageShader {
            stage,
            program: name,
            text,
            shader,
            options,
            part,
            written: None,
            stand_in,
            whole: None,
        });
    }
    program.executable_parts = Arc::new(parts);
    for (name, number) in pair.attributes {
        Arc::make_mut(&mut program.setup).attributes.insert(name.into_bytes(), number);
    }
    let switches = if vertex { Vec::new() } else { pair.switches };
    let whole = Arc::new(StandIn { program, uniforms: pair.uniforms, switches });
    stages.iter_mut().for_each(|facts| facts.whole = Some(Arc::clone(&whole)));
    stages.sort_by_key(|facts| facts.stage as usize);
    Ok(())
}

/// Returns the outputs and inputs of the application's shaders that the generated ones must match.
fn neighbours(stages: &[StageShader]) -> Neighbours {
    let shader = |stage| stages.iter().find(|facts| facts.stage == stage).map(|facts| &*facts.shader);
    let mut found = Neighbours::default();
    // The last stage before rasterisation feeds the fragment shader.
    let last = [Stage::Geometry, Stage::TessEvaluation, Stage::Vertex].into_iter().find_map(shader);
    for (shader, variable) in last.into_iter().flat_map(|shader| variables(shader, Storage::Out)) {
        let name = shader.preprocessed.symbols.name(variable.name);
        match shader.typed.types.as_array(variable.ty) {
            _ if !variable.written => {}
            Some(array) => found.written.extend((0..array.size.unwrap_or(0)).map(|at| format!("{name}[{at}]"))),
            None => {
                found.written.insert(name.to_owned());
            }
        }
    }
    for (shader, variable) in shader(Stage::Fragment).into_iter().flat_map(|shader| variables(shader, Storage::In)) {
        let name = shader.preprocessed.symbols.name(variable.name);
        if variable.read && !name.starts_with("gl_") {
            found.read.extend(type_name(variable.ty).map(|kind| (kind, name.to_owned())));
        }
    }
    found
}

/// Returns the inputs or outputs of a shader that are not in blocks.
fn variables(shader: &Shader, storage: Storage) -> impl Iterator<Item = (&Shader, &Variable)> {
    let global = |variable: &&Variable| matches!(variable.kind, VariableKind::Global | VariableKind::Builtin);
    let all = shader.typed.variables.iter().filter(global);
    all.filter(move |variable| variable.qualifiers.storage == storage).map(move |variable| (shader, variable))
}

/// Returns the GLSL 1.20 name of a type of floats.
fn type_name(ty: Type) -> Option<String> {
    match ty {
        Type::Scalar(Scalar::Float) => Some("float".to_owned()),
        Type::Vector(Scalar::Float, size) => Some(format!("vec{size}")),
        Type::Matrix(Scalar::Float, columns, rows) => Some(format!("mat{columns}x{rows}")),
        _ => None,
    }
}

/// Returns the notes that users see about generated shaders.
#[must_use]
pub fn notes(stages: &[StageShader]) -> Vec<&'static str> {
    let mut notes: Vec<&str> = stages.iter().filter_map(|facts| facts.stand_in).map(note).collect();
    notes.dedup();
    notes
}

fn note(replaced: Replaced) -> &'static str {
    match replaced {
        Replaced::FixedFunctions => "fixed functions: a generated shader replaces them",
        Replaced::Assembly => "an assembly program: its translation to GLSL replaces it",
    }
}

/// Returns why a draw cannot run with a generated shader. Materials are uniforms there, and uniforms cannot change
/// between `glBegin` and `glEnd`.
pub(crate) fn refusal(view: &View<'_>, stages: &[StageShader], materials_in_primitives: bool) -> Option<String> {
    let lit = view.context.vars.get(variable::LIGHTING) != 0.0;
    let replaced =
        stages.iter().any(|facts| facts.stand_in == Some(Replaced::FixedFunctions) && facts.stage == Stage::Vertex);
    (replaced && lit && materials_in_primitives).then(|| {
        "glMaterial is called between glBegin and glEnd, which a shader generated for fixed functions cannot follow"
            .to_owned()
    })
}
