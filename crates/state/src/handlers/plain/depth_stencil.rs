//! Depth and stencil.

use api::{constant as c, id};

use super::{COMPARISONS, most, set_enum};
use crate::fault::Fault;
use crate::handlers::Table;
use crate::stencil::{BACK, FRONT};
use crate::step::{Done, Step, one_of};
use crate::variable as var;

const NO_FACE: &str = "invalid face";
const NO_COMPARISON: &str = "invalid comparison function";
const NO_VIEWPORT: Fault = Fault::invalid_value("the viewport index is too large");

const FACES: &[u32] = &[c::GL_FRONT, c::GL_BACK, c::GL_FRONT_AND_BACK];

const OPERATIONS: &[u32] =
    &[c::GL_KEEP, c::GL_ZERO, c::GL_REPLACE, c::GL_INCR, c::GL_DECR, c::GL_INVERT, c::GL_INCR_WRAP, c::GL_DECR_WRAP];

pub fn register(table: &mut Table) {
    depth(table);
    table.on(&[id::glClearStencil], |step| {
        let value = f64::from(step.int(0));
        step.context.vars.set(var::STENCIL_CLEAR_VALUE, value);
        Ok(())
    });
    table.on(&[id::glActiveStencilFaceEXT], |step| {
        if !step.facts().has("GL_EXT_stencil_two_side") {
            return Err(Fault::invalid_operation("the context has no EXT_stencil_two_side"));
        }
        set_enum(step, 0, &[c::GL_FRONT, c::GL_BACK], var::ACTIVE_STENCIL_FACE_EXT, NO_FACE)
    });
    table.on(&[id::glStencilFunc], |step| {
        one_of(step.name(0), COMPARISONS, NO_COMPARISON)?;
        let values = [f64::from(step.name(0)), f64::from(step.int(1)), f64::from(step.name(2))];
        set_active(step, 0, &values);
        Ok(())
    });
    table.on(&[id::glStencilFuncSeparate], |step| {
        let face = one_of(step.name(0), FACES, NO_FACE)?;
        one_of(step.name(1), COMPARISONS, NO_COMPARISON)?;
        let values = [f64::from(step.name(1)), f64::from(step.int(2)), f64::from(step.name(3))];
        set_faces(step, face, 0, &values);
        Ok(())
    });
    table.on(&[id::glStencilFuncSeparateATI], |step| {
        one_of(step.name(0), COMPARISONS, NO_COMPARISON)?;
        one_of(step.name(1), COMPARISONS, NO_COMPARISON)?;
        for (face, func) in [(c::GL_FRONT, 0), (c::GL_BACK, 1)] {
            let values = [f64::from(step.name(func)), f64::from(step.int(2)), f64::from(step.name(3))];
            set_faces(step, face, 0, &values);
        }
        Ok(())
    });
    table.on(&[id::glStencilOp], |step| {
        let values = operations(step, 0)?;
        set_active(step, 3, &values);
        Ok(())
    });
    table.on(&[id::glStencilOpSeparate, id::glStencilOpSeparateATI], |step| {
        let values = operations(step, 1)?;
        let face = one_of(step.name(0), FACES, NO_FACE)?;
        set_faces(step, face, 3, &values);
        Ok(())
    });
    table.on(&[id::glStencilMask], |step| {
        let mask = f64::from(step.name(0));
        set_active(step, 6, &[mask]);
        Ok(())
    });
    table.on(&[id::glStencilMaskSeparate], |step| {
        let face = one_of(step.name(0), FACES, NO_FACE)?;
        let mask = f64::from(step.name(1));
        set_faces(step, face, 6, &[mask]);
        Ok(())
    });
}

fn depth(table: &mut Table) {
    table.on(&[id::glDepthFunc], |step| set_enum(step, 0, COMPARISONS, var::DEPTH_FUNC, NO_COMPARISON));
    table.on(&[id::glDepthMask], |step| {
        let flag = f64::from(u8::from(step.truth(0)));
        step.context.vars.set(var::DEPTH_WRITEMASK, flag);
        Ok(())
    });
    table.on(&[id::glClearDepth], |step| clear_depth(step, step.double(0)));
    table.on(&[id::glClearDepthf, id::glClearDepthfOES], |step| clear_depth(step, f64::from(step.float(0))));
    table.on(&[id::glClearDepthx, id::glClearDepthxOES], |step| clear_depth(step, f64::from(step.fixed(0))));
    table.on(&[id::glDepthRange], |step| depth_range(step, step.double(0), step.double(1)));
    table.on(&[id::glDepthRangef, id::glDepthRangefOES], |step| {
        depth_range(step, f64::from(step.float(0)), f64::from(step.float(1)))
    });
    table.on(&[id::glDepthRangex, id::glDepthRangexOES], |step| {
        depth_range(step, f64::from(step.fixed(0)), f64::from(step.fixed(1)))
    });
    table.on(&[id::glDepthRangeIndexed], |step| {
        let range = [step.double(1), step.double(2)];
        one_depth_range(step, range)
    });
    table.on(&[id::glDepthRangeIndexedfNV, id::glDepthRangeIndexedfOES], |step| {
        let range = [f64::from(step.float(1)), f64::from(step.float(2))];
        one_depth_range(step, range)
    });
    table.on(&[id::glDepthRangeArrayv], |step| {
        let bytes = step.input(2).unwrap_or_default();
        let ranges: Vec<f64> =
            bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap_or_default())).collect();
        drop(bytes);
        depth_ranges(step, &ranges)
    });
    table.on(&[id::glDepthRangeArrayfvNV, id::glDepthRangeArrayfvOES], |step| {
        let ranges: Vec<f64> = step.input_floats(2).into_iter().map(f64::from).collect();
        depth_ranges(step, &ranges)
    });
}

fn unit(value: f64) -> f64 {
    value.clamp(0.0, 1.0)
}

/// Rounds a depth range value to a float, as Mesa stores it.
fn near_or_far(value: f64) -> f64 {
    f64::from(unit(value) as f32)
}

fn clear_depth(step: &mut Step<'_>, depth: f64) -> Done {
    step.context.vars.set(var::DEPTH_CLEAR_VALUE, unit(depth));
    Ok(())
}

fn depth_range(step: &mut Step<'_>, near: f64, far: f64) -> Done {
    step.context.vars.set_all(var::DEPTH_RANGE, &[near_or_far(near), near_or_far(far)]);
    Ok(())
}

fn one_depth_range(step: &mut Step<'_>, range: [f64; 2]) -> Done {
    let index = step.name(0);
    if index >= most(step.facts(), c::GL_MAX_VIEWPORTS, 1) {
        return Err(NO_VIEWPORT);
    }
    step.context.vars.set_value(var::DEPTH_RANGE, index as usize, &range.map(near_or_far));
    Ok(())
}

fn depth_ranges(step: &mut Step<'_>, ranges: &[f64]) -> Done {
    let (first, count) = (step.name(0), step.int(1));
    let end = i64::from(first) + i64::from(count);
    if count < 0 || end > i64::from(most(step.facts(), c::GL_MAX_VIEWPORTS, 1)) {
        return Err(NO_VIEWPORT);
    }
    for (at, range) in ranges.chunks_exact(2).enumerate() {
        let range = [near_or_far(range[0]), near_or_far(range[1])];
        step.context.vars.set_value(var::DEPTH_RANGE, first as usize + at, &range);
    }
    Ok(())
}

fn operations(step: &Step<'_>, first: usize) -> Result<[f64; 3], Fault> {
    let mut values = [0.0; 3];
    for (at, value) in values.iter_mut().enumerate() {
        *value = f64::from(one_of(step.name(first + at), OPERATIONS, "invalid stencil operation")?);
    }
    Ok(values)
}

/// Sets values for commands without a face argument: of both faces, or of the one that is active with
/// EXT_stencil_two_side.
fn set_active(step: &mut Step<'_>, from: usize, values: &[f64]) {
    if step.context.vars.name(var::ACTIVE_STENCIL_FACE_EXT) == c::GL_BACK {
        step.context.fixed_mut().two_side_stencil[from..from + values.len()].copy_from_slice(values);
    } else {
        set_faces(step, c::GL_FRONT_AND_BACK, from, values);
    }
}

fn set_faces(step: &mut Step<'_>, face: u32, from: usize, values: &[f64]) {
    for (at, value) in values.iter().enumerate() {
        if face != c::GL_BACK {
            step.context.vars.set(FRONT[from + at], *value);
        }
        if face != c::GL_FRONT {
            step.context.vars.set(BACK[from + at], *value);
        }
    }
}
