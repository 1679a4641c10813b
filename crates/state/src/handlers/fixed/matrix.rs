//! Matrix stacks.

use api::{constant as c, id};

use super::{Number, argument, coordinate_units, input, wide};
use crate::answer::{Answer, View};
use crate::context::{Client, Context, Facts};
use crate::fault::Fault;
use crate::fixed::{Matrix, MatrixOp, MatrixStack};
use crate::handlers::Table;
use crate::handlers::plain::most;
use crate::step::{Done, Step};
use crate::variable::{self as var, NumberType};

const NO_MODE: Fault = Fault::invalid_enum("invalid matrix mode");

pub fn register(table: &mut Table) {
    table.on(&[id::glMatrixMode], |step| {
        let mode = step.name(0);
        let known = match mode {
            c::GL_MODELVIEW | c::GL_PROJECTION | c::GL_TEXTURE => true,
            _ => program_matrix(step.facts(), mode).is_some(),
        };
        if !known {
            return Err(NO_MODE);
        }
        step.context.vars.set(var::MATRIX_MODE, f64::from(mode));
        Ok(())
    });
    table.on(&[id::glPushMatrix], |step| push(step, None));
    table.on(&[id::glMatrixPushEXT], |step| push(step, Some(step.name(0))));
    table.on(&[id::glPopMatrix], |step| pop(step, None));
    table.on(&[id::glMatrixPopEXT], |step| pop(step, Some(step.name(0))));
    table.on(&[id::glLoadIdentity], |step| change(step, None, MatrixOp::Identity));
    table.on(&[id::glMatrixLoadIdentityEXT], |step| change(step, Some(step.name(0)), MatrixOp::Identity));
    wholes(table);
    parts(table);
    projections(table);
    table.plain_getter(get);
    table.indexed_getter(get_texture);
}

/// Commands with a matrix argument.
fn wholes(table: &mut Table) {
    table.on(&[id::glLoadMatrixf], |step| whole(step, 0, Number::Float, false, false));
    table.on(&[id::glLoadMatrixd], |step| whole(step, 0, Number::Double, false, false));
    table.on(&[id::glLoadMatrixx, id::glLoadMatrixxOES], |step| whole(step, 0, Number::Fixed, false, false));
    table.on(&[id::glMultMatrixf], |step| whole(step, 0, Number::Float, false, true));
    table.on(&[id::glMultMatrixd], |step| whole(step, 0, Number::Double, false, true));
    table.on(&[id::glMultMatrixx, id::glMultMatrixxOES], |step| whole(step, 0, Number::Fixed, false, true));
    let loads = [id::glLoadTransposeMatrixf, id::glLoadTransposeMatrixfARB];
    table.on(&loads, |step| whole(step, 0, Number::Float, true, false));
    let loads = [id::glLoadTransposeMatrixd, id::glLoadTransposeMatrixdARB];
    table.on(&loads, |step| whole(step, 0, Number::Double, true, false));
    let products = [id::glMultTransposeMatrixf, id::glMultTransposeMatrixfARB];
    table.on(&products, |step| whole(step, 0, Number::Float, true, true));
    let products = [id::glMultTransposeMatrixd, id::glMultTransposeMatrixdARB];
    table.on(&products, |step| whole(step, 0, Number::Double, true, true));
    table.on(&[id::glMatrixLoadfEXT], |step| whole(step, 1, Number::Float, false, false));
    table.on(&[id::glMatrixLoaddEXT], |step| whole(step, 1, Number::Double, false, false));
    table.on(&[id::glMatrixMultfEXT], |step| whole(step, 1, Number::Float, false, true));
    table.on(&[id::glMatrixMultdEXT], |step| whole(step, 1, Number::Double, false, true));
    table.on(&[id::glMatrixLoadTransposefEXT], |step| whole(step, 1, Number::Float, true, false));
    table.on(&[id::glMatrixLoadTransposedEXT], |step| whole(step, 1, Number::Double, true, false));
    table.on(&[id::glMatrixMultTransposefEXT], |step| whole(step, 1, Number::Float, true, true));
    table.on(&[id::glMatrixMultTransposedEXT], |step| whole(step, 1, Number::Double, true, true));
}

fn parts(table: &mut Table) {
    table.on(&[id::glRotatef], |step| rotate(step, 0, Number::Float));
    table.on(&[id::glRotated], |step| rotate(step, 0, Number::Double));
    table.on(&[id::glRotatex, id::glRotatexOES], |step| rotate(step, 0, Number::Fixed));
    table.on(&[id::glMatrixRotatefEXT], |step| rotate(step, 1, Number::Float));
    table.on(&[id::glMatrixRotatedEXT], |step| rotate(step, 1, Number::Double));
    table.on(&[id::glTranslatef], |step| translate(step, 0, Number::Float));
    table.on(&[id::glTranslated], |step| translate(step, 0, Number::Double));
    table.on(&[id::glTranslatex, id::glTranslatexOES], |step| translate(step, 0, Number::Fixed));
    table.on(&[id::glMatrixTranslatefEXT], |step| translate(step, 1, Number::Float));
    table.on(&[id::glMatrixTranslatedEXT], |step| translate(step, 1, Number::Double));
    table.on(&[id::glScalef], |step| scale(step, 0, Number::Float));
    table.on(&[id::glScaled], |step| scale(step, 0, Number::Double));
    table.on(&[id::glScalex, id::glScalexOES], |step| scale(step, 0, Number::Fixed));
    table.on(&[id::glMatrixScalefEXT], |step| scale(step, 1, Number::Float));
    table.on(&[id::glMatrixScaledEXT], |step| scale(step, 1, Number::Double));
}

fn projections(table: &mut Table) {
    table.on(&[id::glOrtho], |step| ortho(step, 0, Number::Double));
    table.on(&[id::glOrthof, id::glOrthofOES], |step| ortho(step, 0, Number::Float));
    table.on(&[id::glOrthox, id::glOrthoxOES], |step| ortho(step, 0, Number::Fixed));
    table.on(&[id::glMatrixOrthoEXT], |step| ortho(step, 1, Number::Double));
    table.on(&[id::glFrustum], |step| frustum(step, 0, Number::Double));
    table.on(&[id::glFrustumf, id::glFrustumfOES], |step| frustum(step, 0, Number::Float));
    table.on(&[id::glFrustumx, id::glFrustumxOES], |step| frustum(step, 0, Number::Fixed));
    table.on(&[id::glMatrixFrustumEXT], |step| frustum(step, 1, Number::Double));
}

/// Returns the index of the assembly program matrix of a mode.
fn program_matrix(facts: &Facts, mode: u32) -> Option<usize> {
    let which = mode.checked_sub(c::GL_MATRIX0_ARB)?;
    let exist = facts.client == Client::Compatibility
        && (facts.has("GL_ARB_vertex_program") || facts.has("GL_ARB_fragment_program"));
    (exist && which < most(facts, c::GL_MAX_PROGRAM_MATRICES_ARB, 8).min(8)).then_some(which as usize)
}

/// Returns the stack of a mode, or of the current mode.
fn stack(context: &Context, mode: Option<u32>) -> Option<&MatrixStack> {
    let matrices = &context.fixed.matrices;
    let active = context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0) as usize;
    match mode.unwrap_or_else(|| context.vars.name(var::MATRIX_MODE)) {
        c::GL_MODELVIEW => Some(&matrices.modelview),
        c::GL_PROJECTION => Some(&matrices.projection),
        c::GL_TEXTURE => matrices.textures.get(active),
        unit if mode.is_some() && unit.wrapping_sub(c::GL_TEXTURE0) < coordinate_units(&context.facts) => {
            matrices.textures.get((unit - c::GL_TEXTURE0) as usize)
        }
        other => matrices.programs.get(program_matrix(&context.facts, other)?),
    }
}

fn stack_mut(context: &mut Context, mode: Option<u32>) -> Result<&mut MatrixStack, Fault> {
    let active = context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0) as usize;
    let set = context.vars.name(var::MATRIX_MODE);
    let units = coordinate_units(&context.facts);
    let program = program_matrix(&context.facts, mode.unwrap_or(set));
    let matrices = &mut context.fixed_mut().matrices;
    let stack = match mode.unwrap_or(set) {
        c::GL_MODELVIEW => Some(&mut matrices.modelview),
        c::GL_PROJECTION => Some(&mut matrices.projection),
        c::GL_TEXTURE => matrices.textures.get_mut(active),
        unit if mode.is_some() && unit.wrapping_sub(c::GL_TEXTURE0) < units => {
            matrices.textures.get_mut((unit - c::GL_TEXTURE0) as usize)
        }
        _ => program.and_then(|which| matrices.programs.get_mut(which)),
    };
    stack.ok_or(NO_MODE)
}

fn push(step: &mut Step<'_>, mode: Option<u32>) -> Done {
    let pushed = stack_mut(step.context, mode)?.push();
    if pushed { Ok(()) } else { Err(Fault::stack_overflow("the matrix stack is full")) }
}

fn pop(step: &mut Step<'_>, mode: Option<u32>) -> Done {
    let popped = stack_mut(step.context, mode)?.pop();
    if popped { Ok(()) } else { Err(Fault::stack_underflow("the matrix stack is empty")) }
}

fn change(step: &mut Step<'_>, mode: Option<u32>, op: MatrixOp) -> Done {
    stack_mut(step.context, mode)?.apply(op);
    Ok(())
}

/// Returns the mode that a command names, when it is the argument before its numbers.
fn mode(step: &Step<'_>, at: usize) -> Option<u32> {
    (at > 0).then(|| step.name(0))
}

fn whole(step: &mut Step<'_>, at: usize, number: Number, transposed: bool, product: bool) -> Done {
    let mode = mode(step, at);
    let numbers = input(step, at as u8, number);
    let Ok(numbers) = <[f32; 16]>::try_from(numbers.get(..16).unwrap_or_default()) else {
        // Without recorded memory there is nothing to do, but the mode must exist.
        return stack(step.context, mode).map(|_| ()).ok_or(NO_MODE);
    };
    let numbers = if transposed { Matrix::transposed(numbers) } else { numbers };
    change(step, mode, if product { MatrixOp::Times(numbers) } else { MatrixOp::Load(numbers) })
}

/// Returns arguments of a command.
fn arguments<const N: usize>(step: &Step<'_>, at: usize, number: Number) -> [f32; N] {
    std::array::from_fn(|place| argument(step, at + place, number))
}

fn rotate(step: &mut Step<'_>, at: usize, number: Number) -> Done {
    let by = arguments(step, at, number);
    change(step, mode(step, at), MatrixOp::Rotate(by))
}

fn translate(step: &mut Step<'_>, at: usize, number: Number) -> Done {
    let by = arguments(step, at, number);
    change(step, mode(step, at), MatrixOp::Translate(by))
}

fn scale(step: &mut Step<'_>, at: usize, number: Number) -> Done {
    let by = arguments(step, at, number);
    change(step, mode(step, at), MatrixOp::Scale(by))
}

const FLAT: Fault = Fault::invalid_value("invalid clipping planes of a projection");

fn ortho(step: &mut Step<'_>, at: usize, number: Number) -> Done {
    let by: [f32; 6] = arguments(step, at, number);
    if by[0] == by[1] || by[2] == by[3] || by[4] == by[5] {
        return Err(FLAT);
    }
    change(step, mode(step, at), MatrixOp::Ortho(by))
}

fn frustum(step: &mut Step<'_>, at: usize, number: Number) -> Done {
    let by: [f32; 6] = arguments(step, at, number);
    if by[4] <= 0.0 || by[5] <= 0.0 || by[4] == by[5] || by[0] == by[1] || by[2] == by[3] {
        return Err(FLAT);
    }
    change(step, mode(step, at), MatrixOp::Frustum(by))
}

fn get(view: &View<'_>, name: u32) -> Option<Result<Answer, Fault>> {
    if view.context.facts.client == Client::Es2 {
        return None;
    }
    let context = view.context;
    let (mode, transposed) = match name {
        c::GL_MODELVIEW_MATRIX | c::GL_MODELVIEW_STACK_DEPTH => (Some(c::GL_MODELVIEW), false),
        c::GL_PROJECTION_MATRIX | c::GL_PROJECTION_STACK_DEPTH => (Some(c::GL_PROJECTION), false),
        c::GL_TEXTURE_MATRIX | c::GL_TEXTURE_STACK_DEPTH => (Some(c::GL_TEXTURE), false),
        _ if context.facts.client == Client::Es1 => return None,
        c::GL_TRANSPOSE_MODELVIEW_MATRIX => (Some(c::GL_MODELVIEW), true),
        c::GL_TRANSPOSE_PROJECTION_MATRIX => (Some(c::GL_PROJECTION), true),
        c::GL_TRANSPOSE_TEXTURE_MATRIX => (Some(c::GL_TEXTURE), true),
        c::GL_CURRENT_MATRIX_ARB | c::GL_CURRENT_MATRIX_STACK_DEPTH_ARB => (None, false),
        c::GL_TRANSPOSE_CURRENT_MATRIX_ARB => (None, true),
        _ => return None,
    };
    let unit = context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0);
    if matches!(name, c::GL_TEXTURE_MATRIX | c::GL_TEXTURE_STACK_DEPTH) && unit >= coordinate_units(&context.facts) {
        return Some(Err(Fault::invalid_operation("the texture unit has no fixed-function state")));
    }
    let stack = stack(context, mode)?;
    Some(Ok(match name {
        c::GL_MODELVIEW_STACK_DEPTH
        | c::GL_PROJECTION_STACK_DEPTH
        | c::GL_TEXTURE_STACK_DEPTH
        | c::GL_CURRENT_MATRIX_STACK_DEPTH_ARB => Answer::one(NumberType::Integer, stack.depth() as f64),
        _ => matrix(stack, transposed),
    }))
}

fn matrix(stack: &MatrixStack, transposed: bool) -> Answer {
    let m = stack.top().m;
    Answer::numbers(NumberType::Matrix, &wide(if transposed { Matrix::transposed(m) } else { m }))
}

fn get_texture(view: &View<'_>, name: u32, index: u32) -> Option<Result<Answer, Fault>> {
    if !matches!(name, c::GL_TEXTURE_MATRIX | c::GL_TRANSPOSE_TEXTURE_MATRIX)
        || view.context.facts.client == Client::Es1
    {
        return None;
    }
    let stack = view.context.fixed.matrices.textures.get(index as usize);
    let answer = stack.map(|stack| matrix(stack, name == c::GL_TRANSPOSE_TEXTURE_MATRIX));
    Some(answer.ok_or(Fault::invalid_value("the texture unit is too large")))
}
