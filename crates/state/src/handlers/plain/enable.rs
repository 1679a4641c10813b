//! `glEnable` and `glDisable`.

use api::constant as c;
use api::id;
use api::when::{ANY, COMPATIBILITY, FIXED, NOWHERE, When, both, desktop, when};

use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::handlers::Table;
use crate::handlers::plain::most;
use crate::step::{Done, Step};
use crate::variable::{self as var, Var};

/// Variables that `glEnable` accepts, and in which contexts: `glGet…` returns some of them in more contexts.
#[rustfmt::skip]
const CAPABILITIES: &[(Var, When)] = &[
    (var::BLEND, ANY),
    (var::SCISSOR_TEST, ANY),
    (var::CULL_FACE, ANY),
    (var::DEPTH_TEST, ANY),
    (var::STENCIL_TEST, ANY),
    (var::COLOR_LOGIC_OP, when(10, 10, true, 255)),
    (var::POLYGON_OFFSET_FILL, ANY),
    (var::POLYGON_OFFSET_POINT, desktop(10)),
    (var::POLYGON_OFFSET_LINE, desktop(10)),
    (var::POLYGON_SMOOTH, desktop(10)),
    (var::LINE_SMOOTH, when(10, 10, true, 255)),
    (var::SAMPLE_ALPHA_TO_COVERAGE, ANY),
    (var::SAMPLE_ALPHA_TO_ONE, when(10, 10, true, 255).or(&["GL_EXT_multisample_compatibility"])),
    (var::SAMPLE_COVERAGE, ANY),
    (var::SAMPLE_SHADING, both(40, 32).or(&["GL_ARB_sample_shading", "GL_OES_sample_shading"])),
    (var::SAMPLE_MASK, both(32, 31).or(&["GL_ARB_texture_multisample"])),
    (var::RASTERIZER_DISCARD, both(30, 30).or(&["GL_EXT_transform_feedback"])),
    (var::PRIMITIVE_RESTART, desktop(31)),
    (var::PRIMITIVE_RESTART_FIXED_INDEX, both(43, 30).or(&["GL_ARB_ES3_compatibility"])),
    (var::FRAMEBUFFER_SRGB, desktop(30).or(&["GL_ARB_framebuffer_sRGB", "GL_EXT_sRGB_write_control"])),
    (var::DEPTH_CLAMP, desktop(32).or(&["GL_ARB_depth_clamp", "GL_EXT_depth_clamp"])),
    (var::SAMPLE_COVERAGE_INVERT, desktop(13)),
    (var::PROGRAM_POINT_SIZE, desktop(10)),
    (var::TEXTURE_CUBE_MAP_SEAMLESS, desktop(32).or(&["GL_ARB_seamless_cube_map", "GL_ARB_seamless_cubemap_per_texture"])),
    (var::DITHER, ANY),
    (var::MULTISAMPLE, when(10, 10, true, 255).or(&["GL_EXT_multisample_compatibility"])),
    (var::BLEND_ADVANCED_COHERENT_KHR, when(10, 255, false, 255).or(&["GL_KHR_blend_equation_advanced_coherent"])),
    (var::DEBUG_OUTPUT, when(43, 43, true, 32).or(&["GL_KHR_debug"])),
    (var::DEBUG_OUTPUT_SYNCHRONOUS, when(43, 43, true, 32).or(&["GL_KHR_debug", "GL_ARB_debug_output"])),
    (var::CLIP_DISTANCE0, when(30, 10, true, 255).or(&["GL_EXT_clip_cull_distance"])),
    (var::CLIP_DISTANCE1, when(30, 10, true, 255).or(&["GL_EXT_clip_cull_distance"])),
    (var::CLIP_DISTANCE2, when(30, 10, true, 255).or(&["GL_EXT_clip_cull_distance"])),
    (var::CLIP_DISTANCE3, when(30, 10, true, 255).or(&["GL_EXT_clip_cull_distance"])),
    (var::CLIP_DISTANCE4, when(30, 10, true, 255).or(&["GL_EXT_clip_cull_distance"])),
    (var::CLIP_DISTANCE5, when(30, 10, true, 255).or(&["GL_EXT_clip_cull_distance"])),
    (var::CLIP_DISTANCE6, when(30, 30, true, 255).or(&["GL_EXT_clip_cull_distance"])),
    (var::CLIP_DISTANCE7, when(30, 30, true, 255).or(&["GL_EXT_clip_cull_distance"])),
    (var::ALPHA_TEST, FIXED),
    (var::POINT_SMOOTH, FIXED),
    (var::LINE_STIPPLE, COMPATIBILITY),
    (var::POLYGON_STIPPLE, COMPATIBILITY),
    (var::LIGHTING, FIXED),
    (var::COLOR_MATERIAL, FIXED),
    (var::FOG, FIXED),
    (var::NORMALIZE, FIXED),
    (var::RESCALE_NORMAL, FIXED),
    (var::INDEX_LOGIC_OP, COMPATIBILITY),
    (var::COLOR_SUM, COMPATIBILITY),
    (var::POINT_SPRITE, FIXED),
    (var::STENCIL_TEST_TWO_SIDE_EXT, NOWHERE.or(&["GL_EXT_stencil_two_side"])),
    (var::VERTEX_PROGRAM_ARB, NOWHERE.or(&["GL_ARB_vertex_program"])),
    (var::VERTEX_PROGRAM_TWO_SIDE, COMPATIBILITY),
    (var::FRAGMENT_PROGRAM_ARB, NOWHERE.or(&["GL_ARB_fragment_program"])),
    (var::FRAGMENT_SHADER_ATI, NOWHERE.or(&["GL_ATI_fragment_shader"])),
    (var::RASTER_POSITION_UNCLIPPED_IBM, NOWHERE.or(&["GL_IBM_rasterpos_clip"])),
    (var::AUTO_NORMAL, COMPATIBILITY),
    (var::LIGHT0, FIXED),
    (var::LIGHT1, FIXED),
    (var::LIGHT2, FIXED),
    (var::LIGHT3, FIXED),
    (var::LIGHT4, FIXED),
    (var::LIGHT5, FIXED),
    (var::LIGHT6, FIXED),
    (var::LIGHT7, FIXED),
    (var::MAP1_COLOR_4, COMPATIBILITY),
    (var::MAP1_INDEX, COMPATIBILITY),
    (var::MAP1_NORMAL, COMPATIBILITY),
    (var::MAP1_TEXTURE_COORD_1, COMPATIBILITY),
    (var::MAP1_TEXTURE_COORD_2, COMPATIBILITY),
    (var::MAP1_TEXTURE_COORD_3, COMPATIBILITY),
    (var::MAP1_TEXTURE_COORD_4, COMPATIBILITY),
    (var::MAP1_VERTEX_3, COMPATIBILITY),
    (var::MAP1_VERTEX_4, COMPATIBILITY),
    (var::MAP2_COLOR_4, COMPATIBILITY),
    (var::MAP2_INDEX, COMPATIBILITY),
    (var::MAP2_NORMAL, COMPATIBILITY),
    (var::MAP2_TEXTURE_COORD_1, COMPATIBILITY),
    (var::MAP2_TEXTURE_COORD_2, COMPATIBILITY),
    (var::MAP2_TEXTURE_COORD_3, COMPATIBILITY),
    (var::MAP2_TEXTURE_COORD_4, COMPATIBILITY),
    (var::MAP2_VERTEX_3, COMPATIBILITY),
    (var::MAP2_VERTEX_4, COMPATIBILITY),
];

const NO_CAPABILITY: Fault = Fault::invalid_enum("invalid capability");

pub fn register(table: &mut Table) {
    table.on(&[id::glEnable], |step| set(step, true));
    table.on(&[id::glDisable], |step| set(step, false));
    table.on(&[id::glEnablei, id::glEnableIndexedEXT, id::glEnableiEXT, id::glEnableiNV, id::glEnableiOES], |step| {
        set_indexed(step, true)
    });
    table.on(
        &[id::glDisablei, id::glDisableIndexedEXT, id::glDisableiEXT, id::glDisableiNV, id::glDisableiOES],
        |step| set_indexed(step, false),
    );
}

/// Returns the variable of a capability, if this context has it.
pub fn capability(facts: &Facts, name: u32) -> Option<Var> {
    // The restart of NV_primitive_restart is the same as that of GL 3.1.
    if name == c::GL_PRIMITIVE_RESTART_NV {
        let exists = facts.client == Client::Compatibility && facts.has("GL_NV_primitive_restart");
        return exists.then_some(var::PRIMITIVE_RESTART);
    }
    let found = Var::named(name)?;
    let (_, when) = CAPABILITIES.iter().find(|(capability, _)| *capability == found)?;
    facts.meets(when).then_some(found)
}

fn set(step: &mut Step<'_>, enabled: bool) -> Done {
    let name = step.name(0);
    let Some(found) = capability(step.facts(), name) else {
        return crate::handlers::table().enable(step, name, None, enabled).unwrap_or(Err(NO_CAPABILITY));
    };
    let clip = name.wrapping_sub(c::GL_CLIP_DISTANCE0);
    if clip < 8 && clip >= most(step.facts(), c::GL_MAX_CLIP_DISTANCES, 8) {
        return Err(NO_CAPABILITY);
    }
    let number = [f64::from(u8::from(enabled))];
    step.context.vars.set_all(found, &number);
    if enabled {
        match found {
            var::COLOR_MATERIAL => crate::handlers::fixed::track_material(step.context),
            var::DEBUG_OUTPUT => step.context.fixed_mut().messages = true,
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether a name is a capability that is not a plain variable: of a texture unit or an array.
pub fn is_capability(facts: &Facts, name: u32) -> bool {
    let when = match name {
        c::GL_TEXTURE_2D | c::GL_TEXTURE_CUBE_MAP | c::GL_VERTEX_ARRAY | c::GL_NORMAL_ARRAY | c::GL_COLOR_ARRAY => {
            FIXED
        }
        c::GL_TEXTURE_COORD_ARRAY => FIXED,
        c::GL_TEXTURE_1D | c::GL_TEXTURE_3D | c::GL_TEXTURE_RECTANGLE | c::GL_INDEX_ARRAY | c::GL_EDGE_FLAG_ARRAY => {
            COMPATIBILITY
        }
        c::GL_TEXTURE_GEN_S | c::GL_TEXTURE_GEN_T | c::GL_TEXTURE_GEN_R | c::GL_TEXTURE_GEN_Q => COMPATIBILITY,
        c::GL_FOG_COORD_ARRAY | c::GL_SECONDARY_COLOR_ARRAY => COMPATIBILITY,
        c::GL_TEXTURE_GEN_STR_OES | c::GL_POINT_SIZE_ARRAY_OES => when(255, 255, true, 255),
        c::GL_TEXTURE_EXTERNAL_OES => when(255, 255, true, 20),
        _ => NOWHERE,
    };
    facts.meets(&when)
}

/// Returns the number of indices of a capability, if it can be set by index.
pub fn capability_indices(facts: &Facts, name: u32) -> Option<u32> {
    match name {
        c::GL_BLEND => Some(most(facts, c::GL_MAX_DRAW_BUFFERS, 8)),
        c::GL_SCISSOR_TEST => Some(most(facts, c::GL_MAX_VIEWPORTS, 1)),
        _ => None,
    }
}

fn set_indexed(step: &mut Step<'_>, enabled: bool) -> Done {
    let (name, index) = (step.name(0), step.name(1));
    let Some(count) = capability_indices(step.facts(), name) else {
        return crate::handlers::table().enable(step, name, Some(index), enabled).unwrap_or(Err(NO_CAPABILITY));
    };
    let found = capability(step.facts(), name).ok_or(NO_CAPABILITY)?;
    if index >= count {
        return Err(Fault::invalid_value("the index is too large"));
    }
    step.context.vars.set_value(found, index as usize, &[f64::from(u8::from(enabled))]);
    Ok(())
}
