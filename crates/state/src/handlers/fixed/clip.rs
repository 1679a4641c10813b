//! Clip planes and the polygon stipple.

use api::{constant as c, id};

use super::{Number, first, input, wide};
use crate::answer::{Answer, View};
use crate::fault::Fault;
use crate::fixed::Matrix;
use crate::handlers::Table;
use crate::handlers::plain::most;
use crate::step::{Done, Step};
use crate::variable::{self as var, NumberType};

const NO_PLANE: Fault = Fault::invalid_enum("invalid clip plane");

pub fn register(table: &mut Table) {
    table.on(&[id::glClipPlane], |step| plane(step, Number::Double));
    table.on(&[id::glClipPlanef, id::glClipPlanefOES, id::glClipPlanefIMG], |step| plane(step, Number::Float));
    table.on(&[id::glClipPlanex, id::glClipPlanexOES, id::glClipPlanexIMG], |step| plane(step, Number::Fixed));
    table.ask(&[id::glGetClipPlane, id::glGetClipPlanef, id::glGetClipPlanefOES], ask);
    table.ask(&[id::glGetClipPlanex, id::glGetClipPlanexOES], |view, args| {
        let which = (args.first().copied().unwrap_or(0) as u32).wrapping_sub(c::GL_CLIP_DISTANCE0);
        ask(view, args)?;
        let plane = view.context.fixed.clip_planes[which as usize & 7];
        let numbers = plane.map(|number| crate::answer::cut((f64::from(number) * 65536.0).trunc()));
        Ok(Answer::numbers(NumberType::Integer, &numbers))
    });
    table.on(&[id::glPolygonStipple], stipple);
    table.ask(&[id::glGetPolygonStipple, id::glGetnPolygonStipple, id::glGetnPolygonStippleARB], |view, args| {
        let room = args.first().copied().unwrap_or(0) as u32 as i32;
        if args.len() == 2 && room < 128 {
            return Err(Fault::invalid_operation("the buffer is too small for the stipple pattern"));
        }
        let bytes: Vec<f64> = view.context.fixed.polygon_stipple.iter().map(|byte| f64::from(*byte)).collect();
        Ok(Answer::numbers(NumberType::Byte, &bytes))
    });
}

/// Transforms a plane from object to eye coordinates: a row vector times the inverse of the modelview matrix.
pub fn to_eye(plane: [f32; 4], modelview: &Matrix) -> [f32; 4] {
    let inverse = modelview.inverse().unwrap_or(Matrix::IDENTITY.m);
    std::array::from_fn(|column| {
        let m = &inverse[column * 4..column * 4 + 4];
        plane[0] * m[0] + plane[1] * m[1] + plane[2] * m[2] + plane[3] * m[3]
    })
}

fn plane(step: &mut Step<'_>, number: Number) -> Done {
    let which = step.name(0).wrapping_sub(c::GL_CLIP_DISTANCE0);
    if which >= most(step.facts(), c::GL_MAX_CLIP_DISTANCES, 6).min(8) {
        return Err(NO_PLANE);
    }
    let equation = first(&input(step, 1, number));
    let equation = to_eye(equation, step.context.fixed.matrices.modelview.top());
    step.context.fixed_mut().clip_planes[which as usize] = equation;
    Ok(())
}

fn ask(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let which = (args.first().copied().unwrap_or(0) as u32).wrapping_sub(c::GL_CLIP_DISTANCE0);
    if which >= most(&view.context.facts, c::GL_MAX_CLIP_DISTANCES, 6).min(8) {
        return Err(NO_PLANE);
    }
    Ok(Answer::numbers(NumberType::Transformed, &wide(view.context.fixed.clip_planes[which as usize])))
}

/// Stores the pattern as given for the default pixel store; otherwise unpacks it like a bitmap.
fn stipple(step: &mut Step<'_>) -> Done {
    let Some(bytes) = step.input(0) else { return Ok(()) };
    let vars = &step.context.vars;
    let number = |var| vars.get(var) as usize;
    let (alignment, row_length) = (number(var::UNPACK_ALIGNMENT).max(1), number(var::UNPACK_ROW_LENGTH));
    let bits = if row_length > 0 { row_length } else { 32 };
    let stride = bits.div_ceil(8).div_ceil(alignment) * alignment;
    let low_first = vars.get(var::UNPACK_LSB_FIRST) != 0.0;
    let (skip_rows, skip) = (number(var::UNPACK_SKIP_ROWS), number(var::UNPACK_SKIP_PIXELS));
    let mut pattern = [0u8; 128];
    for row in 0..32 {
        for column in 0..32 {
            let bit = skip + column;
            let byte = bytes.get((skip_rows + row) * stride + bit / 8).copied().unwrap_or(0);
            let shift = if low_first { bit % 8 } else { 7 - bit % 8 };
            pattern[row * 4 + column / 8] |= (byte >> shift & 1) << (7 - column % 8);
        }
    }
    drop(bytes);
    step.context.fixed_mut().polygon_stipple = pattern;
    Ok(())
}
