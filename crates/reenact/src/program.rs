//! The recorded program, linked again by our own linker, with the model's uniform values.

use std::sync::Arc;

use api::constant as c;
use pipeline::Program;
use shader::Shader;
use shader::diagnostic::Severity;
use shader::link::LinkOptions;
use shader::version::Stage;
use state::View;
use state::objects::pipeline::STAGES;
use state::objects::program::Program as Recorded;
use state::reach::{WorkKind, running};

use crate::{DeviceQuirks, Refusal};

/// Builds a program from the shaders of a draw or dispatch, with the recorded uniforms and a device's behaviour.
///
/// # Errors
/// When the program cannot be run.
pub fn program<S: Into<Arc<Shader>>>(
    view: &View<'_>,
    work: WorkKind,
    shaders: Vec<S>,
    quirks: DeviceQuirks,
) -> Result<Program, Refusal> {
    let mut program = lowered(view, shaders, quirks)?;
    dress(view, work, &mut program);
    Ok(program)
}

/// Builds a program from shaders with a device's behaviour. Its uniforms have their initial values.
///
/// # Errors
/// When the program cannot be run.
pub fn lowered<S: Into<Arc<Shader>>>(
    view: &View<'_>,
    shaders: Vec<S>,
    quirks: DeviceQuirks,
) -> Result<Program, Refusal> {
    let shaders: Vec<Arc<Shader>> = shaders.into_iter().map(Into::into).collect();
    // A single stage is enough here, but ES programs do not link without the other stage (ES 3.2, 7.3).
    let alone = matches!(&shaders[..], [shader] if shader.preprocessed.version.is_es());
    let separable = view.context.program == 0 || alone;
    let options = LinkOptions { separable, ..LinkOptions::default() };
    if shaders.is_empty() {
        return Err(Refusal::NoProgram);
    }
    for shader in &shaders {
        if let Some(error) = shader.diagnostics.iter().find(|found| found.severity == Severity::Error) {
            return Err(Refusal::Program(format!("{} shader: {}", shader.stage.name(), error.message)));
        }
    }
    let lowering = quirks.lowering(shaders[0].preprocessed.version);
    let program = Program::lowered_with(shaders, &options, lowering);
    program.map_err(|refusal| Refusal::Program(refusal.to_string()))
}

/// Sets a program's uniforms to the values recorded for a draw or dispatch.
pub fn dress(view: &View<'_>, work: WorkKind, program: &mut Program) {
    let names = running(view.context, view.group, work);
    let mut seen = Vec::new();
    for (place, &name) in names.iter().enumerate() {
        let Some(recorded) = view.group.program(name) else { continue };
        if !seen.contains(&name) {
            seen.push(name);
            uniforms(recorded, program);
            blocks(recorded, program);
        }
        subroutines(view, recorded, place, program);
    }
}

/// Sets the uniforms of a stand-in shader, for which no program was recorded.
pub fn give_uniforms(program: &mut Program, uniforms: &[(String, Vec<u32>)]) {
    for (name, words) in uniforms {
        program.set_uniform(name, words);
    }
}

/// Values of uniforms outside of blocks, by name, because locations depend on the linker.
fn uniforms(recorded: &Recorded, program: &mut Program) {
    let Some(linked) = &recorded.executable else { return };
    let Some(interface) = linked.reflection.interface(c::GL_UNIFORM) else { return };
    for uniform in &linked.uniforms {
        let Some(resource) = interface.resources.get(uniform.index as usize) else { continue };
        let first = uniform.offset as usize;
        let Some(words) = recorded.values.get(first..first + (uniform.size * uniform.stride) as usize) else {
            continue;
        };
        // A uniform that our linker considers unused is read by no invocation.
        program.set_uniform(&String::from_utf8_lossy(&resource.name), words);
    }
}

/// Binding points of blocks, by name.
fn blocks(recorded: &Recorded, program: &mut Program) {
    let Some(linked) = &recorded.executable else { return };
    let kinds =
        [(c::GL_UNIFORM_BLOCK, &recorded.bindings.uniform), (c::GL_SHADER_STORAGE_BLOCK, &recorded.bindings.storage)];
    for (kind, bindings) in kinds {
        let Some(interface) = linked.reflection.interface(kind) else { continue };
        for (resource, binding) in interface.resources.iter().zip(bindings) {
            program.set_block_binding(&String::from_utf8_lossy(&resource.name), *binding);
        }
    }
}

/// The functions that subroutine uniforms of a stage call.
fn subroutines(view: &View<'_>, recorded: &Recorded, place: usize, program: &mut Program) {
    let chosen = &view.context.subroutines[place];
    let Some(linked) = recorded.executable.as_ref().filter(|linked| linked.has_subroutines && !chosen.is_empty())
    else {
        return;
    };
    let Some(&(uniforms, functions)) = SUBROUTINES.get(place) else { return };
    let (Some(uniforms), Some(functions)) =
        (linked.reflection.interface(uniforms), linked.reflection.interface(functions))
    else {
        return;
    };
    let Some(stage) = Stage::ALL.into_iter().nth(place) else { return };
    let name_of = |index: u32| {
        let number = |place: usize| functions.value(place, c::GL_INDEX).unwrap_or(place as i32);
        (0..functions.resources.len()).find(|&place| number(place) == index.cast_signed())
    };
    for (row, resource) in uniforms.resources.iter().enumerate() {
        let location = uniforms.value(row, c::GL_LOCATION).unwrap_or(0);
        let count = uniforms.value(row, c::GL_ARRAY_SIZE).unwrap_or(1).max(1);
        let text = String::from_utf8_lossy(&resource.name).into_owned();
        let base = text.strip_suffix("[0]").map(str::to_owned);
        for element in 0..count {
            let place = usize::try_from(location + element).unwrap_or(usize::MAX);
            let function = chosen.get(place).copied().and_then(name_of).map(|place| &functions.resources[place].name);
            let Some(function) = function else { continue };
            let uniform = base.as_ref().map_or_else(|| text.clone(), |base| format!("{base}[{element}]"));
            program.set_subroutine(stage, &uniform, &String::from_utf8_lossy(function));
        }
    }
}

/// The interfaces of subroutine uniforms and subroutines, in the order of [`STAGES`].
const SUBROUTINES: [(u32, u32); STAGES.len()] = [
    (c::GL_VERTEX_SUBROUTINE_UNIFORM, c::GL_VERTEX_SUBROUTINE),
    (c::GL_TESS_CONTROL_SUBROUTINE_UNIFORM, c::GL_TESS_CONTROL_SUBROUTINE),
    (c::GL_TESS_EVALUATION_SUBROUTINE_UNIFORM, c::GL_TESS_EVALUATION_SUBROUTINE),
    (c::GL_GEOMETRY_SUBROUTINE_UNIFORM, c::GL_GEOMETRY_SUBROUTINE),
    (c::GL_FRAGMENT_SUBROUTINE_UNIFORM, c::GL_FRAGMENT_SUBROUTINE),
    (c::GL_COMPUTE_SUBROUTINE_UNIFORM, c::GL_COMPUTE_SUBROUTINE),
];
