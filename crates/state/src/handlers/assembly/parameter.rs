//! Local and environment parameters of assembly programs.

use std::sync::Arc;

use api::{constant as c, id};

use super::{bound, bound_mut, place, word};
use crate::answer::{Answer, View};
use crate::context::Facts;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::objects::assembly::Parameters;
use crate::step::{Done, Step};
use crate::variable::NumberType;

const NO_INDEX: Fault = Fault::invalid_value("the parameter index is too large");

pub fn register(table: &mut Table) {
    table.on(&[id::glProgramEnvParameter4fARB], |step| {
        let value = [2, 3, 4, 5].map(|at| step.float(at));
        set(step, true, &[value])
    });
    table.on(&[id::glProgramLocalParameter4fARB], |step| {
        let value = [2, 3, 4, 5].map(|at| step.float(at));
        set(step, false, &[value])
    });
    table.on(&[id::glProgramEnvParameter4dARB], |step| {
        let value = [2, 3, 4, 5].map(|at| step.double(at) as f32);
        set(step, true, &[value])
    });
    table.on(&[id::glProgramLocalParameter4dARB], |step| {
        let value = [2, 3, 4, 5].map(|at| step.double(at) as f32);
        set(step, false, &[value])
    });
    table.on(&[id::glProgramEnvParameter4fvARB], |step| {
        let values = floats(step, 2);
        set(step, true, &values)
    });
    table.on(&[id::glProgramLocalParameter4fvARB], |step| {
        let values = floats(step, 2);
        set(step, false, &values)
    });
    table.on(&[id::glProgramEnvParameter4dvARB], |step| {
        let values = doubles(step, 2);
        set(step, true, &values)
    });
    table.on(&[id::glProgramLocalParameter4dvARB], |step| {
        let values = doubles(step, 2);
        set(step, false, &values)
    });
    table.on(&[id::glProgramEnvParameters4fvEXT], |step| set_several(step, true));
    table.on(&[id::glProgramLocalParameters4fvEXT], |step| set_several(step, false));
    let environment = [id::glGetProgramEnvParameterfvARB, id::glGetProgramEnvParameterdvARB];
    table.ask(&environment, |view, args| get(view, args, true));
    let local = [id::glGetProgramLocalParameterfvARB, id::glGetProgramLocalParameterdvARB];
    table.ask(&local, |view, args| get(view, args, false));
}

fn floats(step: &Step<'_>, param: u8) -> Vec<[f32; 4]> {
    step.input_floats(param).chunks_exact(4).map(|value| [value[0], value[1], value[2], value[3]]).collect()
}

fn doubles(step: &Step<'_>, param: u8) -> Vec<[f32; 4]> {
    let bytes = step.input(param).unwrap_or_default();
    let double = |word: &[u8]| f64::from_le_bytes(word.try_into().unwrap_or_default()) as f32;
    bytes.chunks_exact(32).map(|value| [0, 8, 16, 24].map(|at| double(&value[at..at + 8]))).collect()
}

fn limit(facts: &Facts, target: u32, environment: bool) -> i64 {
    let name = if environment { c::GL_MAX_PROGRAM_ENV_PARAMETERS_ARB } else { c::GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB };
    facts.limits.get(name, target).and_then(crate::answer::Values::first_integer).unwrap_or(i64::MAX)
}

fn set_several(step: &mut Step<'_>, environment: bool) -> Done {
    if step.int(2) <= 0 {
        return Err(Fault::invalid_value("the number of parameters is not positive"));
    }
    let values = floats(step, 3);
    set(step, environment, &values)
}

fn set(step: &mut Step<'_>, environment: bool, values: &[[f32; 4]]) -> Done {
    let (target, first) = (step.name(0), step.name(1));
    let place = place(step.facts(), target)?;
    if i64::from(first) + values.len().max(1) as i64 > limit(step.facts(), target, environment) {
        return Err(NO_INDEX);
    }
    let parameters: &mut Arc<Parameters> = if environment {
        &mut Arc::make_mut(&mut step.context.assembly).environment[place]
    } else {
        &mut bound_mut(step.context, step.group, place).locals
    };
    let parameters = Arc::make_mut(parameters);
    for (index, value) in (first..).zip(values) {
        parameters.insert(index, *value);
    }
    Ok(())
}

fn get(view: &View<'_>, args: &[u64], environment: bool) -> Result<Answer, Fault> {
    let (target, index) = (word(args, 0), word(args, 1));
    let place = place(&view.context.facts, target)?;
    if i64::from(index) >= limit(&view.context.facts, target, environment) {
        return Err(NO_INDEX);
    }
    let parameters: &Parameters = if environment {
        &view.context.assembly.environment[place]
    } else {
        &bound(view.context, view.group, place).locals
    };
    let value = parameters.get(&index).copied().unwrap_or_default();
    Ok(Answer::numbers(NumberType::Float, &value.map(f64::from)))
}
