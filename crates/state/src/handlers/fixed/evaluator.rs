//! Evaluators.

use api::{constant as c, id};

use super::{Number, argument, input};
use crate::answer::{Answer, View};
use crate::fault::Fault;
use crate::fixed::{Evaluator, POINT_SIZES};
use crate::handlers::Table;
use crate::handlers::draw::touch;
use crate::handlers::list::NOTHING_FETCHED;
use crate::handlers::plain::most;
use crate::step::{Done, Step};
use crate::variable::{self as var, NumberType};

const NO_MAP: Fault = Fault::invalid_enum("invalid evaluator map");
const BAD_MAP: Fault = Fault::invalid_value("invalid values of an evaluator map");

pub fn register(table: &mut Table) {
    table.on(&[id::glMap1f], |step| map1(step, Number::Float));
    table.on(&[id::glMap1d], |step| map1(step, Number::Double));
    table.on(&[id::glMap2f], |step| map2(step, Number::Float));
    table.on(&[id::glMap2d], |step| map2(step, Number::Double));
    table.on(&[id::glMapGrid1f], |step| grid1(step, Number::Float));
    table.on(&[id::glMapGrid1d], |step| grid1(step, Number::Double));
    table.on(&[id::glMapGrid2f], |step| grid2(step, Number::Float));
    table.on(&[id::glMapGrid2d], |step| grid2(step, Number::Double));
    table.on(&[id::glEvalCoord1d, id::glEvalCoord1dv, id::glEvalCoord1f, id::glEvalCoord1fv], |_| Ok(()));
    table.on(&[id::glEvalCoord2d, id::glEvalCoord2dv, id::glEvalCoord2f, id::glEvalCoord2fv], |_| Ok(()));
    table.on(&[id::glEvalPoint1, id::glEvalPoint2], |_| Ok(()));
    table.on(&[id::glEvalMesh1], |step| mesh(step, &[c::GL_POINT, c::GL_LINE]));
    table.on(&[id::glEvalMesh2], |step| mesh(step, &[c::GL_POINT, c::GL_LINE, c::GL_FILL]));
    table.ask(&[id::glGetMapfv, id::glGetMapdv, id::glGetMapiv], |view, args| ask(view, args, 0));
    table.ask(&[id::glGetnMapfv, id::glGetnMapfvARB, id::glGetnMapiv, id::glGetnMapivARB], |view, args| {
        ask(view, args, 4)
    });
    table.ask(&[id::glGetnMapdv, id::glGetnMapdvARB], |view, args| ask(view, args, 8));
}

/// Returns the index of a target's map among those of one or two dimensions.
fn which(target: u32, two: bool) -> Option<usize> {
    let first = if two { c::GL_MAP2_COLOR_4 } else { c::GL_MAP1_COLOR_4 };
    target.checked_sub(first).filter(|which| *which < 9).map(|which| which as usize)
}

/// Mesa rejects maps unless texture unit 0 is active (GL 1.3, 5.1).
fn check_unit(step: &Step<'_>) -> Done {
    if step.context.vars.name(var::ACTIVE_TEXTURE) == c::GL_TEXTURE0 {
        Ok(())
    } else {
        Err(Fault::invalid_operation("evaluator maps can only be set while texture unit 0 is active"))
    }
}

fn map1(step: &mut Step<'_>, number: Number) -> Done {
    let (u1, u2) = (argument(step, 1, number), argument(step, 2, number));
    let (stride, order) = (step.int(3), step.int(4));
    let most = most(step.facts(), c::GL_MAX_EVAL_ORDER, 30) as i32;
    if u1 == u2 || order < 1 || order > most || step.word(5) == 0 {
        return Err(BAD_MAP);
    }
    let which = which(step.name(0), false).ok_or(NO_MAP)?;
    let size = POINT_SIZES[which];
    if stride < size as i32 {
        return Err(BAD_MAP);
    }
    check_unit(step)?;
    let numbers = input(step, 5, number);
    let points = (0..order as usize)
        .flat_map(|point| (0..size).map(move |part| point * stride as usize + part))
        .map(|at| numbers.get(at).copied().unwrap_or(0.0))
        .collect();
    step.context.fixed_mut().evaluators[which] = Evaluator { order: [order, 1], domain: [u1, u2, 0.0, 1.0], points };
    Ok(())
}

fn map2(step: &mut Step<'_>, number: Number) -> Done {
    let (u1, u2) = (argument(step, 1, number), argument(step, 2, number));
    let (u_stride, u_order) = (step.int(3), step.int(4));
    let (v1, v2) = (argument(step, 5, number), argument(step, 6, number));
    let (v_stride, v_order) = (step.int(7), step.int(8));
    let most = most(step.facts(), c::GL_MAX_EVAL_ORDER, 30) as i32;
    let orders = (1..=most).contains(&u_order) && (1..=most).contains(&v_order);
    if u1 == u2 || v1 == v2 || !orders {
        return Err(BAD_MAP);
    }
    let which = which(step.name(0), true).ok_or(NO_MAP)?;
    let size = POINT_SIZES[which];
    if u_stride < size as i32 || v_stride < size as i32 {
        return Err(BAD_MAP);
    }
    check_unit(step)?;
    let numbers = input(step, 9, number);
    let mut points = Vec::new();
    for u in 0..u_order as usize {
        for v in 0..v_order as usize {
            let at = u * u_stride as usize + v * v_stride as usize;
            points.extend((0..size).map(|part| numbers.get(at + part).copied().unwrap_or(0.0)));
        }
    }
    let map = Evaluator { order: [u_order, v_order], domain: [u1, u2, v1, v2], points };
    step.context.fixed_mut().evaluators[9 + which] = map;
    Ok(())
}

fn grid1(step: &mut Step<'_>, number: Number) -> Done {
    let segments = step.int(0);
    if segments < 1 {
        return Err(Fault::invalid_value("the number of grid segments is less than 1"));
    }
    let domain = [1, 2].map(|at| f64::from(argument(step, at, number)));
    step.context.vars.set(var::MAP1_GRID_SEGMENTS, f64::from(segments));
    step.context.vars.set_value(var::MAP1_GRID_DOMAIN, 0, &domain);
    Ok(())
}

fn grid2(step: &mut Step<'_>, number: Number) -> Done {
    let segments = [step.int(0), step.int(3)];
    if segments.iter().any(|segments| *segments < 1) {
        return Err(Fault::invalid_value("the number of grid segments is less than 1"));
    }
    let domain = [1, 2, 4, 5].map(|at| f64::from(argument(step, at, number)));
    step.context.vars.set_value(var::MAP2_GRID_SEGMENTS, 0, &segments.map(f64::from));
    step.context.vars.set_value(var::MAP2_GRID_DOMAIN, 0, &domain);
    Ok(())
}

/// A grid of points of a map, which is drawn as between `glBegin` and `glEnd`.
fn mesh(step: &mut Step<'_>, modes: &[u32]) -> Done {
    crate::step::one_of(step.name(0), modes, "invalid mesh mode")?;
    touch::draw(step, &NOTHING_FETCHED);
    Ok(())
}

/// Answers a query; `size_of` is the size of a number when the query gives a buffer size.
fn ask(view: &View<'_>, args: &[u64], size_of: usize) -> Result<Answer, Fault> {
    let arg = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let place = match (which(arg(0), false), which(arg(0), true)) {
        (Some(which), _) => which,
        (_, Some(which)) => 9 + which,
        _ => return Err(NO_MAP),
    };
    let two = place >= 9;
    let map = &view.context.fixed.evaluators[place];
    let (kind, numbers): (NumberType, Vec<f64>) = match arg(1) {
        c::GL_COEFF => (NumberType::Float, map.points.iter().map(|number| f64::from(*number)).collect()),
        c::GL_ORDER => {
            (NumberType::Integer, map.order[..if two { 2 } else { 1 }].iter().map(|n| f64::from(*n)).collect())
        }
        c::GL_DOMAIN => {
            (NumberType::Float, map.domain[..if two { 4 } else { 2 }].iter().map(|n| f64::from(*n)).collect())
        }
        _ => return Err(Fault::invalid_enum("invalid evaluator map query")),
    };
    let room = i64::from(arg(2) as i32);
    if size_of > 0 && room < (numbers.len() * size_of) as i64 {
        return Err(Fault::invalid_operation("the buffer is too small for the evaluator map"));
    }
    Ok(Answer::numbers(kind, &numbers))
}
