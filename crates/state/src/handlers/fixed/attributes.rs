//! Attribute stacks: `glPushAttrib` and `glPushClientAttrib`.

use std::sync::Arc;

use api::{constant as c, id};

use crate::answer::{Answer, View};
use crate::context::Context;
use crate::fault::Fault;
use crate::fixed::{Fixed, Saved};
use crate::handlers::Table;
use crate::handlers::plain::most;
use crate::objects::buffer::Point;
use crate::step::{Done, Step};
use crate::variable::{self as var, NumberType, Var};
use crate::vars::Vars;

const CURRENT: u32 = c::GL_CURRENT_BIT;
const POINT: u32 = c::GL_POINT_BIT;
const LINE: u32 = c::GL_LINE_BIT;
const POLYGON: u32 = c::GL_POLYGON_BIT;
const PIXEL: u32 = c::GL_PIXEL_MODE_BIT;
const LIGHTING: u32 = c::GL_LIGHTING_BIT;
const FOG: u32 = c::GL_FOG_BIT;
const DEPTH: u32 = c::GL_DEPTH_BUFFER_BIT;
const ACCUM: u32 = c::GL_ACCUM_BUFFER_BIT;
const STENCIL: u32 = c::GL_STENCIL_BUFFER_BIT;
const VIEWPORT: u32 = c::GL_VIEWPORT_BIT;
const TRANSFORM: u32 = c::GL_TRANSFORM_BIT;
const ENABLE: u32 = c::GL_ENABLE_BIT;
const COLOUR: u32 = c::GL_COLOR_BUFFER_BIT;
const HINT: u32 = c::GL_HINT_BIT;
const EVAL: u32 = c::GL_EVAL_BIT;
const LIST: u32 = c::GL_LIST_BIT;
const TEXTURE: u32 = c::GL_TEXTURE_BIT;
const SCISSOR: u32 = c::GL_SCISSOR_BIT;
const MULTISAMPLE: u32 = c::GL_MULTISAMPLE_BIT;

/// The attribute groups of plain variables (GL 4.6 compatibility, chapter 23).
#[rustfmt::skip]
const GROUPS: &[(u32, &[Var])] = &[
    (CURRENT, &[
        var::CURRENT_RASTER_POSITION, var::CURRENT_RASTER_POSITION_VALID, var::CURRENT_RASTER_DISTANCE,
        var::CURRENT_RASTER_COLOR, var::CURRENT_RASTER_SECONDARY_COLOR,
    ]),
    (POINT, &[
        var::POINT_SIZE, var::POINT_SIZE_MIN, var::POINT_SIZE_MAX, var::POINT_FADE_THRESHOLD_SIZE,
        var::POINT_DISTANCE_ATTENUATION, var::POINT_SPRITE_COORD_ORIGIN,
    ]),
    (POINT | ENABLE, &[var::POINT_SMOOTH, var::POINT_SPRITE]),
    (LINE, &[var::LINE_WIDTH, var::LINE_STIPPLE_PATTERN, var::LINE_STIPPLE_REPEAT]),
    (LINE | ENABLE, &[var::LINE_SMOOTH, var::LINE_STIPPLE]),
    (POLYGON, &[
        var::CULL_FACE_MODE, var::FRONT_FACE, var::POLYGON_MODE, var::POLYGON_OFFSET_FACTOR, var::POLYGON_OFFSET_UNITS,
        var::POLYGON_OFFSET_CLAMP,
    ]),
    (POLYGON | ENABLE, &[
        var::CULL_FACE, var::POLYGON_SMOOTH, var::POLYGON_STIPPLE, var::POLYGON_OFFSET_FILL, var::POLYGON_OFFSET_LINE,
        var::POLYGON_OFFSET_POINT,
    ]),
    (PIXEL, &[
        var::MAP_COLOR, var::MAP_STENCIL, var::INDEX_SHIFT, var::INDEX_OFFSET, var::RED_SCALE, var::RED_BIAS,
        var::GREEN_SCALE, var::GREEN_BIAS, var::BLUE_SCALE, var::BLUE_BIAS, var::ALPHA_SCALE, var::ALPHA_BIAS,
        var::DEPTH_SCALE, var::DEPTH_BIAS, var::ZOOM_X, var::ZOOM_Y,
    ]),
    (LIGHTING, &[
        var::SHADE_MODEL, var::LIGHT_MODEL_AMBIENT, var::LIGHT_MODEL_LOCAL_VIEWER, var::LIGHT_MODEL_TWO_SIDE,
        var::LIGHT_MODEL_COLOR_CONTROL, var::COLOR_MATERIAL_FACE, var::COLOR_MATERIAL_PARAMETER, var::PROVOKING_VERTEX,
        var::CLAMP_VERTEX_COLOR,
    ]),
    (LIGHTING | ENABLE, &[
        var::LIGHTING, var::COLOR_MATERIAL, var::LIGHT0, var::LIGHT1, var::LIGHT2, var::LIGHT3, var::LIGHT4, var::LIGHT5,
        var::LIGHT6, var::LIGHT7,
    ]),
    (FOG, &[
        var::FOG_MODE, var::FOG_DENSITY, var::FOG_START, var::FOG_END, var::FOG_INDEX, var::FOG_COLOR,
        var::FOG_COORD_SRC, var::FOG_DISTANCE_MODE_NV,
    ]),
    (FOG | ENABLE, &[var::FOG, var::COLOR_SUM]),
    (DEPTH, &[var::DEPTH_FUNC, var::DEPTH_CLEAR_VALUE, var::DEPTH_WRITEMASK]),
    (DEPTH | ENABLE, &[var::DEPTH_TEST]),
    (ACCUM, &[var::ACCUM_CLEAR_VALUE]),
    (STENCIL, &[
        var::STENCIL_FUNC, var::STENCIL_REF, var::STENCIL_VALUE_MASK, var::STENCIL_FAIL, var::STENCIL_PASS_DEPTH_FAIL,
        var::STENCIL_PASS_DEPTH_PASS, var::STENCIL_WRITEMASK, var::STENCIL_BACK_FUNC, var::STENCIL_BACK_REF,
        var::STENCIL_BACK_VALUE_MASK, var::STENCIL_BACK_FAIL, var::STENCIL_BACK_PASS_DEPTH_FAIL,
        var::STENCIL_BACK_PASS_DEPTH_PASS, var::STENCIL_BACK_WRITEMASK, var::STENCIL_CLEAR_VALUE,
        var::ACTIVE_STENCIL_FACE_EXT,
    ]),
    (STENCIL | ENABLE, &[var::STENCIL_TEST, var::STENCIL_TEST_TWO_SIDE_EXT]),
    (VIEWPORT, &[var::VIEWPORT, var::DEPTH_RANGE, var::CLIP_ORIGIN, var::CLIP_DEPTH_MODE]),
    (TRANSFORM, &[var::MATRIX_MODE]),
    (TRANSFORM | ENABLE, &[
        var::NORMALIZE, var::RESCALE_NORMAL, var::DEPTH_CLAMP, var::RASTER_POSITION_UNCLIPPED_IBM, var::CLIP_DISTANCE0,
        var::CLIP_DISTANCE1, var::CLIP_DISTANCE2, var::CLIP_DISTANCE3, var::CLIP_DISTANCE4, var::CLIP_DISTANCE5,
        var::CLIP_DISTANCE6, var::CLIP_DISTANCE7,
    ]),
    (ENABLE, &[
        var::VERTEX_PROGRAM_ARB, var::FRAGMENT_PROGRAM_ARB, var::PROGRAM_POINT_SIZE, var::VERTEX_PROGRAM_TWO_SIDE,
        var::PRIMITIVE_RESTART,
    ]),
    (COLOUR, &[
        var::ALPHA_TEST_FUNC, var::ALPHA_TEST_REF, var::BLEND_SRC_RGB, var::BLEND_DST_RGB, var::BLEND_SRC_ALPHA,
        var::BLEND_DST_ALPHA, var::BLEND_EQUATION_RGB, var::BLEND_EQUATION_ALPHA, var::BLEND_COLOR,
        var::LOGIC_OP_MODE, var::COLOR_CLEAR_VALUE, var::COLOR_WRITEMASK, var::INDEX_CLEAR_VALUE, var::INDEX_WRITEMASK,
        var::CLAMP_FRAGMENT_COLOR, var::CLAMP_READ_COLOR,
    ]),
    (COLOUR | ENABLE, &[
        var::ALPHA_TEST, var::BLEND, var::DITHER, var::COLOR_LOGIC_OP, var::INDEX_LOGIC_OP, var::FRAMEBUFFER_SRGB,
    ]),
    (HINT, &[
        var::PERSPECTIVE_CORRECTION_HINT, var::POINT_SMOOTH_HINT, var::LINE_SMOOTH_HINT, var::POLYGON_SMOOTH_HINT,
        var::FOG_HINT, var::TEXTURE_COMPRESSION_HINT, var::GENERATE_MIPMAP_HINT, var::FRAGMENT_SHADER_DERIVATIVE_HINT,
    ]),
    (EVAL, &[
        var::MAP1_GRID_DOMAIN, var::MAP1_GRID_SEGMENTS, var::MAP2_GRID_DOMAIN, var::MAP2_GRID_SEGMENTS,
    ]),
    (EVAL | ENABLE, &[
        var::AUTO_NORMAL, var::MAP1_COLOR_4, var::MAP1_INDEX, var::MAP1_NORMAL, var::MAP1_TEXTURE_COORD_1,
        var::MAP1_TEXTURE_COORD_2, var::MAP1_TEXTURE_COORD_3, var::MAP1_TEXTURE_COORD_4, var::MAP1_VERTEX_3,
        var::MAP1_VERTEX_4, var::MAP2_COLOR_4, var::MAP2_INDEX, var::MAP2_NORMAL, var::MAP2_TEXTURE_COORD_1,
        var::MAP2_TEXTURE_COORD_2, var::MAP2_TEXTURE_COORD_3, var::MAP2_TEXTURE_COORD_4, var::MAP2_VERTEX_3,
        var::MAP2_VERTEX_4,
    ]),
    (LIST, &[var::LIST_BASE]),
    (TEXTURE, &[var::ACTIVE_TEXTURE]),
    (TEXTURE | ENABLE, &[var::TEXTURE_CUBE_MAP_SEAMLESS]),
    (SCISSOR, &[var::SCISSOR_BOX]),
    (SCISSOR | ENABLE, &[var::SCISSOR_TEST]),
    (MULTISAMPLE, &[
        var::SAMPLE_COVERAGE_VALUE, var::SAMPLE_COVERAGE_INVERT, var::SAMPLE_SHADING,
        var::ALPHA_TO_COVERAGE_DITHER_MODE_NV,
    ]),
    (MULTISAMPLE | ENABLE, &[
        var::MULTISAMPLE, var::SAMPLE_ALPHA_TO_COVERAGE, var::SAMPLE_ALPHA_TO_ONE, var::SAMPLE_COVERAGE,
        var::SAMPLE_MASK,
    ]),
];

/// The variables of `GL_CLIENT_PIXEL_STORE_BIT`.
const PIXEL_STORE: &[Var] = &[
    var::PACK_ALIGNMENT,
    var::PACK_ROW_LENGTH,
    var::PACK_IMAGE_HEIGHT,
    var::PACK_SKIP_PIXELS,
    var::PACK_SKIP_ROWS,
    var::PACK_SKIP_IMAGES,
    var::PACK_SWAP_BYTES,
    var::PACK_LSB_FIRST,
    var::PACK_INVERT_MESA,
    var::PACK_COMPRESSED_BLOCK_WIDTH,
    var::PACK_COMPRESSED_BLOCK_HEIGHT,
    var::PACK_COMPRESSED_BLOCK_DEPTH,
    var::PACK_COMPRESSED_BLOCK_SIZE,
    var::UNPACK_ALIGNMENT,
    var::UNPACK_ROW_LENGTH,
    var::UNPACK_IMAGE_HEIGHT,
    var::UNPACK_SKIP_PIXELS,
    var::UNPACK_SKIP_ROWS,
    var::UNPACK_SKIP_IMAGES,
    var::UNPACK_SWAP_BYTES,
    var::UNPACK_LSB_FIRST,
    var::UNPACK_COMPRESSED_BLOCK_WIDTH,
    var::UNPACK_COMPRESSED_BLOCK_HEIGHT,
    var::UNPACK_COMPRESSED_BLOCK_DEPTH,
    var::UNPACK_COMPRESSED_BLOCK_SIZE,
];

/// The variables of `GL_CLIENT_VERTEX_ARRAY_BIT`, besides arrays.
const ARRAYS: &[Var] = &[
    var::CLIENT_ACTIVE_TEXTURE,
    var::PRIMITIVE_RESTART,
    var::PRIMITIVE_RESTART_INDEX,
    var::ARRAY_ELEMENT_LOCK_FIRST_EXT,
    var::ARRAY_ELEMENT_LOCK_COUNT_EXT,
];

const OVERFLOW: Fault = Fault::stack_overflow("the attribute stack is full");
const UNDERFLOW: Fault = Fault::stack_underflow("the attribute stack is empty");

pub fn register(table: &mut Table) {
    table.on(&[id::glPushAttrib], |step| {
        if step.context.fixed.attributes.len() >= most(step.facts(), c::GL_MAX_ATTRIB_STACK_DEPTH, 16) as usize {
            return Err(OVERFLOW);
        }
        let saved = saved(step);
        step.context.fixed_mut().attributes.push(saved);
        Ok(())
    });
    table.on(&[id::glPopAttrib], |step| {
        if step.context.fixed.attributes.is_empty() {
            return Err(UNDERFLOW);
        }
        if let Some(saved) = step.context.fixed_mut().attributes.pop() {
            restore(step.context, &saved);
            restore_bound(step, &saved);
        }
        Ok(())
    });
    table.on(&[id::glPushClientAttrib], push_client);
    table.on(&[id::glPushClientAttribDefaultEXT], |step| {
        let mask = step.name(0);
        push_client(step)?;
        let initial = Vars::initial(step.facts());
        restore_client(step.context, mask, &initial);
        Ok(())
    });
    table.on(&[id::glClientAttribDefaultEXT], |step| {
        let (mask, initial) = (step.name(0), Vars::initial(step.facts()));
        restore_client(step.context, mask, &initial);
        Ok(())
    });
    table.on(&[id::glPopClientAttrib], |step| {
        if step.context.fixed.client_attributes.is_empty() {
            return Err(UNDERFLOW);
        }
        if let Some(saved) = step.context.fixed_mut().client_attributes.pop() {
            restore_client(step.context, saved.mask, &saved.vars);
            restore_arrays(step, &saved);
        }
        Ok(())
    });
    table.plain_getter(depths);
}

fn push_client(step: &mut Step<'_>) -> Done {
    let depth = step.context.fixed.client_attributes.len();
    if depth >= most(step.facts(), c::GL_MAX_CLIENT_ATTRIB_STACK_DEPTH, 16) as usize {
        return Err(OVERFLOW);
    }
    let saved = saved(step);
    step.context.fixed_mut().client_attributes.push(saved);
    Ok(())
}

fn saved(step: &Step<'_>) -> Saved {
    let mask = step.name(0);
    // The stacks themselves are not saved, or each entry would contain all earlier ones.
    let fixed =
        Arc::new(Fixed { attributes: Vec::new(), client_attributes: Vec::new(), ..Fixed::clone(&step.context.fixed) });
    let context = &*step.context;
    let bound = context.vertex_array;
    Saved {
        mask,
        vars: context.vars.clone(),
        fixed,
        current: Arc::clone(&context.current),
        units: context.units.clone(),
        buffers: Arc::clone(&context.targets.default),
        vertex_array: (bound, context.vertex_arrays.get(&bound).cloned()),
        array_buffer: context.buffers.get(Point::Array),
    }
}

fn copy(context: &mut Context, from: &Vars, list: &[Var]) {
    for var in list {
        for index in 0..usize::from(var.about().count) {
            context.vars.set_value(*var, index, from.value(*var, index));
        }
    }
}

/// Restores what the mask selects. The back face values of EXT_stencil_two_side are not restored, as in Mesa.
fn restore(context: &mut Context, saved: &Saved) {
    let mask = saved.mask;
    for (groups, vars) in GROUPS {
        if groups & mask != 0 {
            copy(context, &saved.vars, vars);
        }
    }
    if mask & CURRENT != 0 {
        context.current = Arc::clone(&saved.current);
    }
    let (then, fixed) = (&saved.fixed, context.fixed_mut());
    if mask & CURRENT != 0 {
        fixed.raster_texture_coords = then.raster_texture_coords;
    }
    if mask & c::GL_POLYGON_STIPPLE_BIT != 0 {
        fixed.polygon_stipple = then.polygon_stipple;
    }
    if mask & LIGHTING != 0 {
        fixed.lights = then.lights;
        fixed.materials = then.materials;
    }
    if mask & TRANSFORM != 0 {
        fixed.clip_planes = then.clip_planes;
    }
    if mask & TEXTURE != 0 {
        let replaced = fixed.units.map(|unit| unit.coord_replace);
        fixed.units = then.units;
        for (unit, replaced) in fixed.units.iter_mut().zip(replaced) {
            unit.coord_replace = replaced;
        }
        fixed.lod_bias.clone_from(&then.lod_bias);
    }
    if mask & ENABLE != 0 {
        for (unit, then) in fixed.units.iter_mut().zip(&then.units) {
            (unit.enabled, unit.generated) = (then.enabled, then.generated);
        }
    }
    if mask & POINT != 0 {
        for (unit, then) in fixed.units.iter_mut().zip(&then.units) {
            unit.coord_replace = then.coord_replace;
        }
    }
}

/// Restores bindings of objects that still exist.
fn restore_bound(step: &mut Step<'_>, saved: &Saved) {
    let (context, group) = (&mut *step.context, &*step.group);
    if saved.mask & TEXTURE != 0 {
        for (unit, then) in context.units.units.iter_mut().zip(&saved.units.units) {
            for (place, bound) in then.textures.iter().enumerate() {
                let exists = bound.name == 0
                    || group.textures.get(&bound.name).is_some_and(|found| found.object == bound.object);
                if exists && unit.textures[place] != *bound {
                    Arc::make_mut(unit).textures[place] = *bound;
                }
            }
        }
    }
    // Draw and read buffers belong to the framebuffer that is bound when they are restored; Mesa restores those of the
    // default framebuffer only while it is bound.
    let (draw, read) = (context.targets.draw == 0, context.targets.read == 0);
    if saved.mask & COLOUR != 0 && draw && context.targets.default.draw != saved.buffers.draw {
        Arc::make_mut(&mut context.targets.default).draw = saved.buffers.draw;
    }
    if saved.mask & PIXEL != 0 && read && context.targets.default.read != saved.buffers.read {
        Arc::make_mut(&mut context.targets.default).read = saved.buffers.read;
    }
}

/// Restores the vertex array binding and its state, as far as the objects still exist.
fn restore_arrays(step: &mut Step<'_>, saved: &Saved) {
    if saved.mask & c::GL_CLIENT_VERTEX_ARRAY_BIT == 0 {
        return;
    }
    let (name, held) = &saved.vertex_array;
    let context = &mut *step.context;
    if let Some(held) = held
        && context.vertex_arrays.contains_key(name)
    {
        context.vertex_array = *name;
        context.vertex_arrays.insert(*name, Arc::clone(held));
    }
    let buffer = saved.array_buffer;
    if buffer.is_none() || step.group.buffer(buffer).is_some() {
        step.context.buffers.set(Point::Array, buffer);
    }
}

fn restore_client(context: &mut Context, mask: u32, then: &Vars) {
    if mask & c::GL_CLIENT_PIXEL_STORE_BIT != 0 {
        copy(context, then, PIXEL_STORE);
    }
    if mask & c::GL_CLIENT_VERTEX_ARRAY_BIT != 0 {
        copy(context, then, ARRAYS);
    }
}

fn depths(view: &View<'_>, name: u32) -> Option<Result<Answer, Fault>> {
    if !view.context.facts.desktop(1, 0) {
        return None;
    }
    let depth = match name {
        c::GL_ATTRIB_STACK_DEPTH => view.context.fixed.attributes.len(),
        c::GL_CLIENT_ATTRIB_STACK_DEPTH => view.context.fixed.client_attributes.len(),
        _ => return None,
    };
    Some(Ok(Answer::one(NumberType::Integer, depth as f64)))
}
