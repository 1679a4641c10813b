//! Viewports, scissor boxes, polygons, lines, points and other state of primitives.

use api::{constant as c, id};

use super::{most, set_enum};
use crate::context::Client;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::step::{Done, Step, one_of};
use crate::variable as var;

const NEGATIVE: Fault = Fault::invalid_value("the width or height of the rectangle is negative");
const NO_VIEWPORT: Fault = Fault::invalid_value("the viewport index is too large");
const FACES: &[u32] = &[c::GL_FRONT, c::GL_BACK, c::GL_FRONT_AND_BACK];

pub fn register(table: &mut Table) {
    rectangles(table);
    points(table);
    table.on(&[id::glPolygonMode], |step| {
        one_of(step.name(1), &[c::GL_POINT, c::GL_LINE, c::GL_FILL], "invalid polygon mode")?;
        let face = one_of(step.name(0), FACES, "invalid face")?;
        // Separate modes were removed in GL 3.2 core (GL 4.6, 14.6.4).
        if face != c::GL_FRONT_AND_BACK && step.facts().client == Client::Core {
            return Err(Fault::invalid_enum("the core profile requires GL_FRONT_AND_BACK for the polygon mode"));
        }
        let mode = f64::from(step.name(1));
        let mut modes = [0.0; 2];
        modes.copy_from_slice(step.context.vars.value(var::POLYGON_MODE, 0));
        if face != c::GL_BACK {
            modes[0] = mode;
        }
        if face != c::GL_FRONT {
            modes[1] = mode;
        }
        step.context.vars.set_value(var::POLYGON_MODE, 0, &modes);
        Ok(())
    });
    table.on(&[id::glCullFace], |step| set_enum(step, 0, FACES, var::CULL_FACE_MODE, "invalid face"));
    table.on(&[id::glFrontFace], |step| {
        set_enum(step, 0, &[c::GL_CW, c::GL_CCW], var::FRONT_FACE, "invalid front face direction")
    });
    table.on(&[id::glPolygonOffset], |step| offset(step, f64::from(step.float(0)), f64::from(step.float(1)), 0.0));
    table.on(&[id::glPolygonOffsetx, id::glPolygonOffsetxOES], |step| {
        offset(step, f64::from(step.fixed(0)), f64::from(step.fixed(1)), 0.0)
    });
    table.on(&[id::glPolygonOffsetClamp, id::glPolygonOffsetClampEXT], |step| {
        if !step.facts().has("GL_EXT_polygon_offset_clamp") && !step.facts().has("GL_ARB_polygon_offset_clamp") {
            return Err(Fault::invalid_operation("the context has no polygon offset clamp"));
        }
        offset(step, f64::from(step.float(0)), f64::from(step.float(1)), f64::from(step.float(2)))
    });
    table.on(&[id::glLineWidth], |step| line_width(step, step.float(0)));
    table.on(&[id::glLineWidthx, id::glLineWidthxOES], |step| line_width(step, step.fixed(0)));
    table.on(&[id::glLineStipple], |step| {
        let factor = step.int(0).clamp(1, 256);
        let pattern = step.name(1) & 0xFFFF;
        step.context.vars.set(var::LINE_STIPPLE_REPEAT, f64::from(factor));
        step.context.vars.set(var::LINE_STIPPLE_PATTERN, f64::from(pattern));
        Ok(())
    });
    table.on(&[id::glProvokingVertex, id::glProvokingVertexEXT], |step| {
        let conventions = &[c::GL_FIRST_VERTEX_CONVENTION, c::GL_LAST_VERTEX_CONVENTION];
        set_enum(step, 0, conventions, var::PROVOKING_VERTEX, "invalid provoking vertex convention")
    });
    table.on(&[id::glShadeModel], |step| {
        set_enum(step, 0, &[c::GL_FLAT, c::GL_SMOOTH], var::SHADE_MODEL, "invalid shade model")
    });
    table.on(&[id::glClipControl, id::glClipControlEXT], |step| {
        let origin = one_of(step.name(0), &[c::GL_LOWER_LEFT, c::GL_UPPER_LEFT], "invalid origin")?;
        let depths = &[c::GL_NEGATIVE_ONE_TO_ONE, c::GL_ZERO_TO_ONE];
        let depth = one_of(step.name(1), depths, "invalid depth mode")?;
        step.context.vars.set(var::CLIP_ORIGIN, f64::from(origin));
        step.context.vars.set(var::CLIP_DEPTH_MODE, f64::from(depth));
        Ok(())
    });
    table.on(&[id::glPrimitiveRestartIndex, id::glPrimitiveRestartIndexNV], |step| {
        let index = f64::from(step.int(0));
        step.context.vars.set(var::PRIMITIVE_RESTART_INDEX, index);
        Ok(())
    });
    table.on(&[id::glPatchParameteri, id::glPatchParameteriEXT, id::glPatchParameteriOES], |step| {
        one_of(step.name(0), &[c::GL_PATCH_VERTICES], "invalid patch parameter")?;
        let count = step.int(1);
        if count <= 0 || i64::from(count) > step.facts().limits.integer(c::GL_MAX_PATCH_VERTICES, 32) {
            return Err(Fault::invalid_value("invalid number of vertices per patch"));
        }
        step.context.vars.set(var::PATCH_VERTICES, f64::from(count));
        Ok(())
    });
    table.on(&[id::glPatchParameterfv], |step| {
        let levels = match step.name(0) {
            c::GL_PATCH_DEFAULT_OUTER_LEVEL => var::PATCH_DEFAULT_OUTER_LEVEL,
            c::GL_PATCH_DEFAULT_INNER_LEVEL => var::PATCH_DEFAULT_INNER_LEVEL,
            _ => return Err(Fault::invalid_enum("invalid patch parameter")),
        };
        let values: Vec<f64> = step.input_floats(1).into_iter().map(f64::from).collect();
        step.context.vars.set_value(levels, 0, &values);
        Ok(())
    });
    let boxes = [
        id::glPrimitiveBoundingBox,
        id::glPrimitiveBoundingBoxARB,
        id::glPrimitiveBoundingBoxEXT,
        id::glPrimitiveBoundingBoxOES,
    ];
    table.on(&boxes, |step| {
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|at| f64::from(step.float(at)));
        step.context.vars.set_value(var::PRIMITIVE_BOUNDING_BOX, 0, &corners);
        Ok(())
    });
}

fn offset(step: &mut Step<'_>, factor: f64, units: f64, clamp: f64) -> Done {
    step.context.vars.set(var::POLYGON_OFFSET_FACTOR, factor);
    step.context.vars.set(var::POLYGON_OFFSET_UNITS, units);
    step.context.vars.set(var::POLYGON_OFFSET_CLAMP, clamp);
    Ok(())
}

fn line_width(step: &mut Step<'_>, width: f32) -> Done {
    // Wide lines are deprecated, and a forward-compatible context has no deprecated features (GL 4.6, E.2.1).
    let forward = step.facts().flags & c::GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT != 0;
    let too_wide = step.facts().client == Client::Core && forward && width > 1.0;
    if width <= 0.0 || too_wide {
        return Err(Fault::invalid_value("invalid line width"));
    }
    step.context.vars.set(var::LINE_WIDTH, f64::from(width));
    Ok(())
}

fn points(table: &mut Table) {
    table.on(&[id::glPointSize], |step| point_size(step, step.float(0)));
    table.on(&[id::glPointSizex, id::glPointSizexOES], |step| point_size(step, step.fixed(0)));
    let one = [id::glPointParameterf, id::glPointParameterfARB, id::glPointParameterfEXT];
    table.on(&one, |step| one_point_parameter(step, step.float(1)));
    table.on(&[id::glPointParameteri, id::glPointParameteriNV], |step| {
        let value = step.int(1) as f32;
        one_point_parameter(step, value)
    });
    table.on(&[id::glPointParameterx, id::glPointParameterxOES], |step| {
        let value = if step.name(0) == c::GL_POINT_SPRITE_COORD_ORIGIN { step.int(1) as f32 } else { step.fixed(1) };
        one_point_parameter(step, value)
    });
    let several = [id::glPointParameterfv, id::glPointParameterfvARB, id::glPointParameterfvEXT];
    table.on(&several, |step| {
        let values = step.input_floats(1);
        point_parameter(step, &values)
    });
    table.on(&[id::glPointParameteriv, id::glPointParameterivNV], |step| {
        let values: Vec<f32> = step.input_names(1).into_iter().map(|word| word as i32 as f32).collect();
        point_parameter(step, &values)
    });
    table.on(&[id::glPointParameterxv, id::glPointParameterxvOES], |step| {
        let values: Vec<f32> = step.input_names(1).into_iter().map(crate::step::fixed).collect();
        point_parameter(step, &values)
    });
}

fn point_size(step: &mut Step<'_>, size: f32) -> Done {
    if size <= 0.0 {
        return Err(Fault::invalid_value("invalid point size"));
    }
    step.context.vars.set(var::POINT_SIZE, f64::from(size));
    Ok(())
}

/// Applies a command that takes one value. For the attenuation, which has three, Mesa sets the other two to 0.
fn one_point_parameter(step: &mut Step<'_>, value: f32) -> Done {
    point_parameter(step, &[value, 0.0, 0.0])
}

fn point_parameter(step: &mut Step<'_>, values: &[f32]) -> Done {
    const UNKNOWN: Fault = Fault::invalid_enum("invalid point parameter");
    const NEGATIVE: Fault = Fault::invalid_value("the point parameter is negative");
    let first = values.first().copied().unwrap_or(0.0);
    let client = step.facts().client;
    let var = match step.name(0) {
        c::GL_POINT_DISTANCE_ATTENUATION => var::POINT_DISTANCE_ATTENUATION,
        c::GL_POINT_SIZE_MIN => var::POINT_SIZE_MIN,
        c::GL_POINT_SIZE_MAX => var::POINT_SIZE_MAX,
        c::GL_POINT_FADE_THRESHOLD_SIZE => var::POINT_FADE_THRESHOLD_SIZE,
        c::GL_POINT_SPRITE_COORD_ORIGIN if matches!(client, Client::Compatibility | Client::Core) => {
            let origin = first as u32;
            if origin != c::GL_LOWER_LEFT && origin != c::GL_UPPER_LEFT {
                return Err(Fault::invalid_value("invalid origin"));
            }
            step.context.vars.set(var::POINT_SPRITE_COORD_ORIGIN, f64::from(origin));
            return Ok(());
        }
        _ => return Err(UNKNOWN),
    };
    if var != var::POINT_DISTANCE_ATTENUATION && first < 0.0 {
        return Err(NEGATIVE);
    }
    for (at, value) in values.iter().take(usize::from(var.about().size)).enumerate() {
        step.context.vars.set_number(var, at, f64::from(*value));
    }
    Ok(())
}

fn rectangles(table: &mut Table) {
    table.on(&[id::glViewport], |step| {
        let rectangle = [0, 1, 2, 3].map(|at| step.int(at) as f32);
        let rectangle = viewport(step, rectangle)?;
        step.context.vars.set_all(var::VIEWPORT, &rectangle);
        Ok(())
    });
    let indexed = [id::glViewportIndexedf, id::glViewportIndexedfNV, id::glViewportIndexedfOES];
    table.on(&indexed, |step| {
        let rectangle = [1, 2, 3, 4].map(|at| step.float(at));
        one_viewport(step, rectangle)
    });
    let indexed = [id::glViewportIndexedfv, id::glViewportIndexedfvNV, id::glViewportIndexedfvOES];
    table.on(&indexed, |step| {
        let values = step.input_floats(1);
        let rectangle = [0, 1, 2, 3].map(|at| values.get(at).copied().unwrap_or(0.0));
        one_viewport(step, rectangle)
    });
    let arrays = [id::glViewportArrayv, id::glViewportArrayvNV, id::glViewportArrayvOES];
    table.on(&arrays, |step| {
        let first = span(step)?;
        let values = step.input_floats(2);
        let mut rectangles = Vec::with_capacity(values.len() / 4);
        for value in values.chunks_exact(4) {
            rectangles.push(viewport(step, [value[0], value[1], value[2], value[3]])?);
        }
        for (at, rectangle) in rectangles.iter().enumerate() {
            step.context.vars.set_value(var::VIEWPORT, first + at, rectangle);
        }
        Ok(())
    });
    table.on(&[id::glScissor], |step| {
        let rectangle = scissor([0, 1, 2, 3].map(|at| step.int(at)))?;
        step.context.vars.set_all(var::SCISSOR_BOX, &rectangle);
        Ok(())
    });
    let indexed = [id::glScissorIndexed, id::glScissorIndexedNV, id::glScissorIndexedOES];
    table.on(&indexed, |step| {
        let rectangle = [1, 2, 3, 4].map(|at| step.int(at));
        one_scissor(step, rectangle)
    });
    let indexed = [id::glScissorIndexedv, id::glScissorIndexedvNV, id::glScissorIndexedvOES];
    table.on(&indexed, |step| {
        let values = step.input_names(1);
        let rectangle = [0, 1, 2, 3].map(|at| values.get(at).copied().unwrap_or(0) as i32);
        one_scissor(step, rectangle)
    });
    let arrays = [id::glScissorArrayv, id::glScissorArrayvNV, id::glScissorArrayvOES];
    table.on(&arrays, |step| {
        let first = span(step)?;
        let values = step.input_names(2);
        let mut rectangles = Vec::with_capacity(values.len() / 4);
        for value in values.chunks_exact(4) {
            rectangles.push(scissor([0, 1, 2, 3].map(|at: usize| value[at] as i32))?);
        }
        for (at, rectangle) in rectangles.iter().enumerate() {
            step.context.vars.set_value(var::SCISSOR_BOX, first + at, rectangle);
        }
        Ok(())
    });
}

/// Returns the first viewport of a command for several; they must all exist.
fn span(step: &Step<'_>) -> Result<usize, Fault> {
    let (first, count) = (step.name(0), step.int(1));
    let end = i64::from(first) + i64::from(count);
    if count < 0 || end > i64::from(most(step.facts(), c::GL_MAX_VIEWPORTS, 1)) {
        return Err(NO_VIEWPORT);
    }
    Ok(first as usize)
}

/// Returns a viewport as GL stores it: clamped to the maximum size and to the bounds (GL 4.6, 13.8.1).
fn viewport(step: &Step<'_>, [x, y, width, height]: [f32; 4]) -> Result<[f64; 4], Fault> {
    if width < 0.0 || height < 0.0 {
        return Err(NEGATIVE);
    }
    let limits = &step.facts().limits;
    let (wide, high) = limits.pair(c::GL_MAX_VIEWPORT_DIMS, f64::from(i32::MAX));
    let (width, height) = (f64::from(width).min(wide), f64::from(height).min(high));
    let (mut x, mut y) = (f64::from(x), f64::from(y));
    if step.facts().has("GL_ARB_viewport_array") || step.facts().has("GL_OES_viewport_array") {
        let (least, most) = limits.pair(c::GL_VIEWPORT_BOUNDS_RANGE, f64::MAX);
        if least <= most {
            (x, y) = (x.clamp(least, most), y.clamp(least, most));
        }
    }
    Ok([x, y, width, height])
}

fn one_viewport(step: &mut Step<'_>, rectangle: [f32; 4]) -> Done {
    let index = step.name(0);
    if index >= most(step.facts(), c::GL_MAX_VIEWPORTS, 1) {
        return Err(NO_VIEWPORT);
    }
    let rectangle = viewport(step, rectangle)?;
    step.context.vars.set_value(var::VIEWPORT, index as usize, &rectangle);
    Ok(())
}

fn scissor([x, y, width, height]: [i32; 4]) -> Result<[f64; 4], Fault> {
    if width < 0 || height < 0 { Err(NEGATIVE) } else { Ok([x, y, width, height].map(f64::from)) }
}

fn one_scissor(step: &mut Step<'_>, rectangle: [i32; 4]) -> Done {
    let index = step.name(0);
    if index >= most(step.facts(), c::GL_MAX_VIEWPORTS, 1) {
        return Err(NO_VIEWPORT);
    }
    let rectangle = scissor(rectangle)?;
    step.context.vars.set_value(var::SCISSOR_BOX, index as usize, &rectangle);
    Ok(())
}
