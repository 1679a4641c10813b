//! The number of values of a parameter or state variable.

use super::{ExtentContext, Query};
use crate::constant::*;

/// Returns the number of values that `glGet…v` writes, or `gl…Parameter…v` reads, for a name: one unless the table
/// below has another.
///
/// The counts are those of the state tables of GL 4.6 (chapter 23), of the compatibility profile and of GLES.
#[must_use]
pub fn fixed(pname: u32) -> u32 {
    if let Ok(at) = COUNTS.binary_search_by_key(&pname, |entry| entry.0) {
        return COUNTS[at].1;
    }
    1
}

/// Returns the name of the length of a list, if the name is that of a list.
#[must_use]
pub fn count_of_list(pname: u32) -> Option<u32> {
    Some(match pname {
        GL_COMPRESSED_TEXTURE_FORMATS => GL_NUM_COMPRESSED_TEXTURE_FORMATS,
        GL_PROGRAM_BINARY_FORMATS => GL_NUM_PROGRAM_BINARY_FORMATS,
        GL_SHADER_BINARY_FORMATS => GL_NUM_SHADER_BINARY_FORMATS,
        GL_BUMP_TEX_UNITS_ATI => GL_BUMP_NUM_TEX_UNITS_ATI,
        GL_SUPPORTED_MULTISAMPLE_MODES_AMD => GL_NUM_SUPPORTED_MULTISAMPLE_MODES_AMD,
        _ => return None,
    })
}

/// Returns the number of values of a state variable, with the lengths of lists from the context.
#[must_use]
pub fn of_state(pname: u32, context: &dyn ExtentContext) -> i64 {
    match count_of_list(pname) {
        Some(count) => context.integer(count),
        None => i64::from(fixed(pname)),
    }
}

/// Returns the number of values of `glGetActiveUniformBlockiv`.
#[must_use]
pub fn of_uniform_block(program: u32, block: u32, pname: u32, context: &dyn ExtentContext) -> i64 {
    // Mesa accepts the other name too.
    if matches!(pname, GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES | GL_ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTER_INDICES)
    {
        return context.query(Query::UniformBlock, program, block);
    }
    1
}

/// Returns the number of values of `glGetActiveAtomicCounterBufferiv`.
#[must_use]
pub fn of_counter_buffer(program: u32, buffer: u32, pname: u32, context: &dyn ExtentContext) -> i64 {
    if pname == GL_ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTER_INDICES {
        return signed(context.atomic_counters(program, buffer));
    }
    1
}

/// Returns the number of values of `glGetActiveSubroutineUniformiv`.
#[must_use]
pub fn of_subroutine(program: u32, stage: u32, index: u32, pname: u32, context: &dyn ExtentContext) -> i64 {
    if pname == GL_COMPATIBLE_SUBROUTINES {
        return signed(context.subroutines(program, stage, index));
    }
    1
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(0)
}

/// Names with more than one value, sorted; see the test.
static COUNTS: &[(u32, u32)] = &[
    (GL_CURRENT_COLOR, 4),
    (GL_CURRENT_NORMAL, 3),
    (GL_CURRENT_TEXTURE_COORDS, 4),
    (GL_CURRENT_RASTER_COLOR, 4),
    (GL_CURRENT_RASTER_TEXTURE_COORDS, 4),
    (GL_CURRENT_RASTER_POSITION, 4),
    (GL_POINT_SIZE_RANGE, 2),
    (GL_LINE_WIDTH_RANGE, 2),
    (GL_POLYGON_MODE, 2),
    (GL_LIGHT_MODEL_AMBIENT, 4),
    (GL_FOG_COLOR, 4),
    (GL_DEPTH_RANGE, 2),
    (GL_ACCUM_CLEAR_VALUE, 4),
    (GL_VIEWPORT, 4),
    (GL_MODELVIEW_MATRIX, 16),
    (GL_PROJECTION_MATRIX, 16),
    (GL_TEXTURE_MATRIX, 16),
    (GL_SCISSOR_BOX, 4),
    (GL_COLOR_CLEAR_VALUE, 4),
    (GL_COLOR_WRITEMASK, 4),
    (GL_MAX_VIEWPORT_DIMS, 2),
    (GL_MAP1_GRID_DOMAIN, 2),
    (GL_MAP2_GRID_DOMAIN, 4),
    (GL_MAP2_GRID_SEGMENTS, 2),
    (GL_TEXTURE_BORDER_COLOR, 4),
    (GL_AMBIENT, 4),
    (GL_DIFFUSE, 4),
    (GL_SPECULAR, 4),
    (GL_POSITION, 4),
    (GL_SPOT_DIRECTION, 3),
    (GL_EMISSION, 4),
    (GL_AMBIENT_AND_DIFFUSE, 4),
    (GL_COLOR_INDEXES, 3),
    (GL_TEXTURE_ENV_COLOR, 4),
    (GL_OBJECT_PLANE, 4),
    (GL_EYE_PLANE, 4),
    (GL_BLEND_COLOR, 4),
    (GL_CONVOLUTION_FILTER_SCALE, 4),
    (GL_CONVOLUTION_FILTER_BIAS, 4),
    (GL_COLOR_MATRIX, 16),
    (GL_COLOR_TABLE_SCALE, 4),
    (GL_COLOR_TABLE_BIAS, 4),
    (GL_POINT_DISTANCE_ATTENUATION, 3),
    (GL_SPRITE_AXIS_SGIX, 3),
    (GL_SPRITE_TRANSLATION_SGIX, 3),
    (GL_CONVOLUTION_BORDER_COLOR, 4),
    (GL_TEXTURE_CLIPMAP_CENTER_SGIX, 2),
    (GL_TEXTURE_CLIPMAP_OFFSET_SGIX, 2),
    (GL_TEXTURE_CLIPMAP_VIRTUAL_DEPTH_SGIX, 3),
    (GL_POST_TEXTURE_FILTER_BIAS_SGIX, 4),
    (GL_POST_TEXTURE_FILTER_SCALE_SGIX, 4),
    (GL_REFERENCE_PLANE_EQUATION_SGIX, 4),
    (GL_VIEWPORT_BOUNDS_RANGE, 2),
    (GL_COMPUTE_WORK_GROUP_SIZE, 3),
    (GL_FRAGMENT_LIGHT_MODEL_AMBIENT_SGIX, 4),
    (GL_CURRENT_TANGENT_EXT, 3),
    (GL_CURRENT_BINORMAL_EXT, 3),
    (GL_CURRENT_SECONDARY_COLOR, 4),
    (GL_CURRENT_RASTER_SECONDARY_COLOR, 4),
    (GL_ALIASED_POINT_SIZE_RANGE, 2),
    (GL_ALIASED_LINE_WIDTH_RANGE, 2),
    (GL_TRANSPOSE_MODELVIEW_MATRIX, 16),
    (GL_TRANSPOSE_PROJECTION_MATRIX, 16),
    (GL_TRANSPOSE_TEXTURE_MATRIX, 16),
    (GL_TRANSPOSE_COLOR_MATRIX, 16),
    (GL_MODELVIEW1_MATRIX_EXT, 16),
    (GL_CONSTANT_COLOR0_NV, 4),
    (GL_CONSTANT_COLOR1_NV, 4),
    (GL_CURRENT_VERTEX_ATTRIB, 4),
    (GL_CURRENT_MATRIX_ARB, 16),
    (GL_BUMP_ROT_MATRIX_ATI, 4),
    (GL_DEPTH_BOUNDS_EXT, 2),
    (GL_TRANSPOSE_CURRENT_MATRIX_ARB, 16),
    (GL_MATRIX0_ARB, 16),
    (GL_MATRIX1_ARB, 16),
    (GL_MATRIX2_ARB, 16),
    (GL_MATRIX3_ARB, 16),
    (GL_MATRIX4_ARB, 16),
    (GL_MATRIX5_ARB, 16),
    (GL_MATRIX6_ARB, 16),
    (GL_MATRIX7_ARB, 16),
    (GL_MATRIX8_ARB, 16),
    (GL_MATRIX9_ARB, 16),
    (GL_MATRIX10_ARB, 16),
    (GL_MATRIX11_ARB, 16),
    (GL_MATRIX12_ARB, 16),
    (GL_MATRIX13_ARB, 16),
    (GL_MATRIX14_ARB, 16),
    (GL_MATRIX15_ARB, 16),
    (GL_MATRIX16_ARB, 16),
    (GL_MATRIX17_ARB, 16),
    (GL_MATRIX18_ARB, 16),
    (GL_MATRIX19_ARB, 16),
    (GL_MATRIX20_ARB, 16),
    (GL_MATRIX21_ARB, 16),
    (GL_MATRIX22_ARB, 16),
    (GL_MATRIX23_ARB, 16),
    (GL_MATRIX24_ARB, 16),
    (GL_MATRIX25_ARB, 16),
    (GL_MATRIX26_ARB, 16),
    (GL_MATRIX27_ARB, 16),
    (GL_MATRIX28_ARB, 16),
    (GL_MATRIX29_ARB, 16),
    (GL_MATRIX30_ARB, 16),
    (GL_MATRIX31_ARB, 16),
    (GL_MODELVIEW_MATRIX_FLOAT_AS_INT_BITS_OES, 16),
    (GL_PROJECTION_MATRIX_FLOAT_AS_INT_BITS_OES, 16),
    (GL_TEXTURE_MATRIX_FLOAT_AS_INT_BITS_OES, 16),
    (GL_TEXTURE_CROP_RECT_OES, 4),
    (GL_RGBA_SIGNED_COMPONENTS_EXT, 4),
    (GL_TEXTURE_SWIZZLE_RGBA, 4),
    (GL_SAMPLE_POSITION, 2),
    (GL_PATCH_DEFAULT_INNER_LEVEL, 2),
    (GL_PATCH_DEFAULT_OUTER_LEVEL, 4),
    (GL_WINDOW_RECTANGLE_EXT, 4),
    (GL_VIDEO_COLOR_CONVERSION_MATRIX_NV, 16),
    (GL_VIDEO_COLOR_CONVERSION_MAX_NV, 4),
    (GL_VIDEO_COLOR_CONVERSION_MIN_NV, 4),
    (GL_VIDEO_COLOR_CONVERSION_OFFSET_NV, 4),
    (GL_PATH_GEN_COEFF_NV, 16),
    (GL_PRIMITIVE_BOUNDING_BOX_ARB, 8),
    (GL_PROGRAMMABLE_SAMPLE_LOCATION_ARB, 2),
    (GL_MULTISAMPLE_LINE_WIDTH_RANGE, 2),
    (GL_SCISSOR_BOX_EXCLUSIVE_NV, 4),
    (GL_DEVICE_UUID_EXT, 16),
    (GL_DRIVER_UUID_EXT, 16),
    (GL_DEVICE_LUID_EXT, 8),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_sorted_and_found() {
        assert!(COUNTS.is_sorted_by_key(|entry| entry.0));
        assert!(COUNTS.windows(2).all(|pair| pair[0].0 != pair[1].0));
        assert_eq!(fixed(GL_MODELVIEW_MATRIX), 16);
        assert_eq!(fixed(GL_TEXTURE_BORDER_COLOR), 4);
        assert_eq!(fixed(GL_SPOT_DIRECTION), 3);
        assert_eq!(fixed(GL_DEPTH_RANGE), 2);
        assert_eq!(fixed(GL_MAX_TEXTURE_SIZE), 1);
    }
}
