//! Samplers.

use std::sync::Arc;

use api::id;

use super::Table;
use super::texture::{Owner, ParameterValue, QueryType, sampling_value, set_sampling};
use crate::answer::{Answer, View};
use crate::fault::Fault;
use crate::objects::sampler::{Sampler, Sampling};
use crate::step::{Done, Step, not_negative};

pub fn register(table: &mut Table) {
    table.on(&[id::glGenSamplers, id::glCreateSamplers], |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        for name in step.output_names(1) {
            let object = step.group.next_object();
            step.group.samplers.insert(name, Arc::new(Sampler { object, sampling: Sampling::default() }));
        }
        Ok(())
    });
    table.on(&[id::glDeleteSamplers], |step| {
        not_negative(step.int(0), "the number of names is negative")?;
        for name in step.names_to_delete(1) {
            if let Some(sampler) = step.group.samplers.remove(&name) {
                step.context.units.forget_sampler(sampler.object);
            }
        }
        Ok(())
    });
    table.on(&[id::glSamplerParameterf], |step| set(step, ParameterValue::scalar_float));
    table.on(&[id::glSamplerParameterfv], |step| set(step, ParameterValue::floats));
    table.on(&[id::glSamplerParameteri], |step| set(step, ParameterValue::scalar_int));
    table.on(&[id::glSamplerParameteriv], |step| set(step, ParameterValue::ints));
    let pure = [
        id::glSamplerParameterIiv,
        id::glSamplerParameterIivEXT,
        id::glSamplerParameterIivOES,
        id::glSamplerParameterIuiv,
        id::glSamplerParameterIuivEXT,
        id::glSamplerParameterIuivOES,
    ];
    table.on(&pure, |step| set(step, ParameterValue::pure_ints));
    table.ask(&[id::glGetSamplerParameterfv], |view, args| get(view, args, QueryType::Floats));
    table.ask(&[id::glGetSamplerParameteriv], |view, args| get(view, args, QueryType::Ints));
    let pure = [
        id::glGetSamplerParameterIiv,
        id::glGetSamplerParameterIivEXT,
        id::glGetSamplerParameterIivOES,
        id::glGetSamplerParameterIuiv,
        id::glGetSamplerParameterIuivEXT,
        id::glGetSamplerParameterIuivOES,
    ];
    table.ask(&pure, |view, args| get(view, args, QueryType::PureInts));
    table.ask(&[id::glIsSampler], |view, args| {
        let name = args.first().copied().unwrap_or(0) as u32;
        let is = view.group.samplers.contains_key(&name);
        Ok(Answer::truth(is))
    });
}

const NO_SAMPLER: Fault = Fault::invalid_operation("no sampler has this name");
const NO_PARAMETER: Fault = Fault::invalid_enum("invalid parameter");

fn set(step: &mut Step<'_>, given: fn(&Step<'_>, usize) -> ParameterValue) -> Done {
    let (name, pname, given) = (step.name(0), step.name(1), given(step, 2));
    let sampler = step.group.samplers.get(&name).ok_or(NO_SAMPLER)?;
    let mut sampling = sampler.sampling.clone();
    if !set_sampling(&mut sampling, &step.context.facts, Owner::Sampler, pname, given)? {
        return Err(NO_PARAMETER);
    }
    if sampler.sampling != sampling
        && let Some(sampler) = step.group.samplers.get_mut(&name)
    {
        Arc::make_mut(sampler).sampling = sampling;
    }
    Ok(())
}

fn get(view: &View<'_>, args: &[u64], wanted: QueryType) -> Result<Answer, Fault> {
    let argument = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let sampler = view.group.samplers.get(&argument(0)).ok_or(NO_SAMPLER)?;
    let answer = sampling_value(&sampler.sampling, &view.context.facts, argument(1), wanted, false, false);
    answer.unwrap_or(Err(NO_PARAMETER))
}
