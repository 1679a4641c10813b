//! Assembly programs and the fragment shaders of ATI_fragment_shader.

mod ati;
mod parameter;

use std::sync::Arc;

use api::reflection::answers::{self, AnswerValues};
use api::{Namespace, constant as c, id};

use super::Table;
use crate::answer::{Answer, Values, View, word};
use crate::call::Call;
use crate::context::{Client, Context, Facts};
use crate::fault::Fault;
use crate::model::Model;
use crate::objects::assembly::{AssemblyProgram, AssemblyState, TARGETS};
use crate::observer::{CallObserver, ContentsRef, Source};
use crate::share::ShareGroup;
use crate::step::{Done, Step, not_negative};
use crate::variable::NumberType;

const NO_TARGET: Fault = Fault::invalid_enum("invalid assembly program target");
const NEGATIVE: &str = "the number of programs is negative";
const NOT_RECORDED: Values = Values::Unknown("the trace does not record the driver's values for this assembly program");

pub fn register(table: &mut Table) {
    table.on(&[id::glGenProgramsARB, id::glGenProgramsNV], generate);
    table.on(&[id::glDeleteProgramsARB, id::glDeleteProgramsNV], delete);
    table.on(&[id::glBindProgramARB, id::glBindProgramNV], bind);
    table.on(&[id::glProgramStringARB], string);
    table.ask(&[id::glIsProgramARB, id::glIsProgramNV], |view, args| {
        let found = view.group.assembly.get(&word(args, 0)).is_some_and(|program| program.target != 0);
        Ok(Answer::truth(found))
    });
    table.ask(&[id::glGetProgramivARB], value);
    table.ask(&[id::glGetProgramStringARB], text);
    table.getter(|view, name, _| match name {
        // Mesa also has it in the core profile.
        c::GL_PROGRAM_ERROR_POSITION_ARB if view.context.facts.desktop(1, 0) => {
            Some(Ok(Answer::one(NumberType::Integer, view.context.assembly.error_position as f64)))
        }
        _ => None,
    });
    parameter::register(table);
    ati::register(table);
}

/// Returns whether a context has assembly programs.
pub fn exists(facts: &Facts) -> bool {
    facts.client == Client::Compatibility
        && (facts.has("GL_ARB_vertex_program") || facts.has("GL_ARB_fragment_program"))
}

/// Returns the index of a target in [`TARGETS`].
fn place(facts: &Facts, target: u32) -> Result<usize, Fault> {
    let extension = match target {
        c::GL_VERTEX_PROGRAM_ARB => "GL_ARB_vertex_program",
        c::GL_FRAGMENT_PROGRAM_ARB => "GL_ARB_fragment_program",
        _ => return Err(NO_TARGET),
    };
    if facts.client != Client::Compatibility || !facts.has(extension) {
        return Err(NO_TARGET);
    }
    TARGETS.iter().position(|known| *known == target).ok_or(NO_TARGET)
}

/// Returns the program that is bound to a target.
fn bound<'v>(context: &'v Context, group: &'v ShareGroup, place: usize) -> &'v AssemblyProgram {
    context.assembly.program(group, place)
}

/// Returns the program that is bound to a target, for modification.
fn bound_mut<'s>(context: &'s mut Context, group: &'s mut ShareGroup, place: usize) -> &'s mut AssemblyProgram {
    let state: &'s mut AssemblyState = Arc::make_mut(&mut context.assembly);
    match state.bound[place] {
        0 => &mut state.defaults[place],
        name => group.assembly.get_mut(&name).map_or(&mut state.defaults[place], Arc::make_mut),
    }
}

fn generate(step: &mut Step<'_>) -> Done {
    not_negative(step.int(0), NEGATIVE)?;
    for name in step.output_names(1) {
        let object = step.group.next_object();
        step.group.assembly.insert(name, Arc::new(AssemblyProgram { object, ..AssemblyProgram::default() }));
    }
    Ok(())
}

fn delete(step: &mut Step<'_>) -> Done {
    not_negative(step.int(0), NEGATIVE)?;
    for name in step.names_to_delete(1).into_iter().filter(|name| *name != 0) {
        if step.group.assembly.remove(&name).is_some() && step.context.assembly.bound.contains(&name) {
            let state = Arc::make_mut(&mut step.context.assembly);
            state.bound.iter_mut().filter(|bound| **bound == name).for_each(|bound| *bound = 0);
        }
    }
    Ok(())
}

fn bind(step: &mut Step<'_>) -> Done {
    let (target, name) = (step.name(0), step.name(1));
    let place = place(step.facts(), target)?;
    if name != 0 {
        let known = step.group.assembly.get(&name).map_or(0, |program| program.target);
        if known != 0 && known != target {
            return Err(Fault::invalid_operation("the program was created for a different target"));
        }
        if known == 0 {
            let object = step.group.next_object();
            let program = AssemblyProgram { object, target, ..AssemblyProgram::default() };
            step.group.assembly.insert(name, Arc::new(program));
        }
    }
    if step.context.assembly.bound[place] != name {
        Arc::make_mut(&mut step.context.assembly).bound[place] = name;
    }
    Ok(())
}

fn string(step: &mut Step<'_>) -> Done {
    if step.name(1) != c::GL_PROGRAM_FORMAT_ASCII_ARB {
        return Err(Fault::invalid_enum("the format of an assembly program must be GL_PROGRAM_FORMAT_ASCII_ARB"));
    }
    let place = place(step.facts(), step.name(0))?;
    let text: Option<Arc<[u8]>> = step.input(3).map(|text| Arc::from(&*text));
    let object = bound(step.context, step.group, place).object;
    Arc::make_mut(&mut step.context.assembly).pending = text;
    step.writes(ContentsRef::Object { object }, Source::Memory { param: 3, whole: false });
    Ok(())
}

/// Applies capture's description of the program that is bound to a target, recorded after its text was set. Only then
/// is it known whether the driver rejected it.
pub fn apply_description(model: &mut Model, call: &Call<'_>, observer: Option<&mut dyn CallObserver>) {
    let number = model.seat(call.thread).context as usize;
    let Some(Some(context)) = model.contexts.get_mut(number) else { return };
    let Some(group) = model.groups.get_mut(context.group) else { return };
    let (context, group) = (Arc::make_mut(context), Arc::make_mut(group));
    let (Some(target), Some(bytes)) = (call.args.first(), call.memory.input_bytes(2)) else { return };
    let (Ok(place), Ok(answers)) = (place(&context.facts, *target as u32), answers::decode(&bytes)) else { return };
    let mut values = std::collections::BTreeMap::new();
    let state = Arc::make_mut(&mut context.assembly);
    let given = state.pending.take();
    for (name, _, answer) in &answers {
        match (*name, answer) {
            (c::GL_PROGRAM_ERROR_POSITION_ARB, AnswerValues::Integers(numbers)) => {
                state.error_position = numbers.first().copied().unwrap_or(-1);
            }
            (c::GL_PROGRAM_ERROR_STRING_ARB, AnswerValues::Text(text)) => {
                state.error_text = Arc::from(String::from_utf8_lossy(text));
            }
            (_, AnswerValues::Integers(numbers)) => {
                values.insert(*name, numbers.first().copied().unwrap_or(0));
            }
            _ => {}
        }
    }
    let refused = state.error_position >= 0;
    let program = bound_mut(context, group, place);
    program.driver_values = Arc::new(values);
    if refused {
        let fault = Fault::invalid_operation("the assembly program has a syntax or semantic error");
        context.error.get_or_insert(fault);
        if let Some(observer) = observer {
            observer.refused(fault);
        }
    } else if let Some(text) = given {
        program.text = text;
    }
}

/// `glGetProgramivARB`.
fn value(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let (target, name) = (word(args, 0), word(args, 1));
    let place = place(&view.context.facts, target)?;
    if name == c::GL_PROGRAM_BINDING_ARB {
        let bound = f64::from(view.context.assembly.bound[place]);
        return Ok(Answer::one(NumberType::Name(Namespace::AssemblyProgram), bound));
    }
    let program = bound(view.context, view.group, place);
    if let Some(value) = program.driver_values.get(&name) {
        return Ok(Answer::one(NumberType::Integer, *value as f64));
    }
    if let Some(values) = view.context.facts.limits.get(name, target) {
        return Ok(Answer { kind: NumberType::Integer, values: values.clone() });
    }
    let not_recorded = |fresh: f64| match program.text.is_empty() {
        true => Ok(Answer::one(NumberType::Integer, fresh)),
        false => Ok(Answer { kind: NumberType::Integer, values: NOT_RECORDED }),
    };
    match name {
        c::GL_PROGRAM_LENGTH_ARB => Ok(Answer::one(NumberType::Integer, program.text.len() as f64)),
        c::GL_PROGRAM_FORMAT_ARB => Ok(Answer::one(NumberType::Enum, f64::from(c::GL_PROGRAM_FORMAT_ASCII_ARB))),
        c::GL_PROGRAM_UNDER_NATIVE_LIMITS_ARB => not_recorded(1.0),
        c::GL_PROGRAM_INSTRUCTIONS_ARB..=c::GL_PROGRAM_NATIVE_ADDRESS_REGISTERS_ARB => not_recorded(0.0),
        c::GL_PROGRAM_ALU_INSTRUCTIONS_ARB..=c::GL_PROGRAM_NATIVE_TEX_INDIRECTIONS_ARB
            if target == c::GL_FRAGMENT_PROGRAM_ARB =>
        {
            not_recorded(0.0)
        }
        _ => Err(Fault::invalid_enum("invalid assembly program query")),
    }
}

/// `glGetProgramStringARB`.
fn text(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let place = place(&view.context.facts, word(args, 0))?;
    if word(args, 1) != c::GL_PROGRAM_STRING_ARB {
        return Err(Fault::invalid_enum("invalid string query for assembly programs"));
    }
    let program = bound(view.context, view.group, place);
    let text = String::from_utf8_lossy(&program.text).into_owned();
    Ok(Answer { kind: NumberType::Integer, values: Values::Text(text) })
}
