//! Preconditions of draw calls.

use api::constant as c;

use super::super::framebuffer::status;
use super::super::transform_feedback;
use super::program::{GEOMETRY, TESS_CONTROL, TESS_EVALUATION, linked, stages};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::reach::{self, WorkKind};
use crate::step::{Done, Step};

/// Rejects primitive types that the context does not have or that cannot be drawn in the current state.
pub fn mode(step: &Step<'_>, mode: u32) -> Done {
    if !is_supported(step.facts(), mode) {
        return Err(Fault::invalid_enum("invalid primitive type"));
    }
    framebuffer(step)?;
    if let Some(fault) = reach::refusal(step.context, step.group, WorkKind::Draw) {
        return Err(fault);
    }
    if step.facts().client == Client::Core && step.context.vertex_array == 0 {
        return Err(Fault::invalid_operation("no vertex array object is bound"));
    }
    let programs = stages(step.context, step.group);
    let tessellated = programs[TESS_EVALUATION] != 0;
    if programs[TESS_CONTROL] != 0 && !tessellated {
        return Err(Fault::invalid_operation(
            "the program has a tessellation control shader but no tessellation evaluation shader",
        ));
    }
    if tessellated != (mode == c::GL_PATCHES) {
        return Err(Fault::invalid_operation(
            "GL_PATCHES requires a tessellation shader, and a tessellation shader requires GL_PATCHES",
        ));
    }
    if programs[GEOMETRY] != 0 && !tessellated {
        let input = linked(step.context, step.group, GEOMETRY)
            .and_then(|linked| linked.reflection.parameter(c::GL_GEOMETRY_INPUT_TYPE));
        if input.is_some_and(|input| class(mode) != input.cast_unsigned()) {
            return Err(Fault::invalid_operation("the primitive type does not match the geometry shader's input"));
        }
    }
    feedback(step, mode)
}

/// Rejects drawing to a framebuffer that is not complete (GL 4.6, 9.4.4).
pub fn framebuffer(step: &Step<'_>) -> Done {
    let incomplete = Fault::invalid_framebuffer("the draw framebuffer is not complete");
    match step.context.targets.draw {
        // Without a surface there is no default framebuffer.
        0 if step.seat.draw == 0 => Err(incomplete),
        0 => Ok(()),
        name => match step.context.framebuffers.get(&name) {
            Some(found) if status(step.facts(), step.group, found) != c::GL_FRAMEBUFFER_COMPLETE => Err(incomplete),
            _ => Ok(()),
        },
    }
}

/// Rejects primitive types that do not match transform feedback (GL 4.6, 13.3.3).
fn feedback(step: &Step<'_>, mode: u32) -> Done {
    if !transform_feedback::is_running(step.context) {
        return Ok(());
    }
    let wanted = transform_feedback::bound(step.context).and_then(|found| found.mode);
    let programs = stages(step.context, step.group);
    let parameter =
        |stage, name| linked(step.context, step.group, stage)?.reflection.parameter(name).map(i32::cast_unsigned);
    let written = if programs[GEOMETRY] != 0 {
        parameter(GEOMETRY, c::GL_GEOMETRY_OUTPUT_TYPE).map(class)
    } else if programs[TESS_EVALUATION] != 0 {
        let points = parameter(TESS_EVALUATION, c::GL_TESS_GEN_POINT_MODE) == Some(1);
        parameter(TESS_EVALUATION, c::GL_TESS_GEN_MODE).map(|mode| match mode {
            _ if points => c::GL_POINTS,
            c::GL_ISOLINES => c::GL_LINES,
            _ => c::GL_TRIANGLES,
        })
    } else {
        Some(class(mode))
    };
    if wanted.is_some() && written.is_some_and(|written| Some(written) != wanted) {
        return Err(Fault::invalid_operation("the primitive type does not match that of transform feedback"));
    }
    Ok(())
}

/// Returns the basic primitive type: points, lines or triangles.
fn class(mode: u32) -> u32 {
    match mode {
        c::GL_POINTS => c::GL_POINTS,
        c::GL_LINES | c::GL_LINE_LOOP | c::GL_LINE_STRIP => c::GL_LINES,
        c::GL_LINES_ADJACENCY | c::GL_LINE_STRIP_ADJACENCY => c::GL_LINES_ADJACENCY,
        c::GL_TRIANGLES_ADJACENCY | c::GL_TRIANGLE_STRIP_ADJACENCY => c::GL_TRIANGLES_ADJACENCY,
        _ => c::GL_TRIANGLES,
    }
}

fn is_supported(facts: &Facts, mode: u32) -> bool {
    let any = |names: &[&str]| names.iter().any(|name| facts.has(name));
    match mode {
        c::GL_POINTS..=c::GL_TRIANGLE_FAN => true,
        c::GL_QUADS..=c::GL_POLYGON => facts.client == Client::Compatibility,
        c::GL_LINES_ADJACENCY..=c::GL_TRIANGLE_STRIP_ADJACENCY => {
            facts.desktop(3, 2)
                || facts.es(3, 2)
                || any(&["GL_OES_geometry_shader", "GL_EXT_geometry_shader", "GL_ARB_geometry_shader4"])
        }
        c::GL_PATCHES => {
            facts.desktop(4, 0)
                || facts.es(3, 2)
                || any(&["GL_ARB_tessellation_shader", "GL_OES_tessellation_shader", "GL_EXT_tessellation_shader"])
        }
        _ => false,
    }
}

/// Returns the size in bytes of an index.
pub fn index_bytes(kind: u32) -> Result<u64, Fault> {
    match kind {
        c::GL_UNSIGNED_BYTE => Ok(1),
        c::GL_UNSIGNED_SHORT => Ok(2),
        c::GL_UNSIGNED_INT => Ok(4),
        _ => Err(Fault::invalid_enum("invalid index type")),
    }
}
