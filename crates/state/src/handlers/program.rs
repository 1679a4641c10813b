//! Programs: shaders attached to them, linking and use.

mod active;
pub mod find;
mod location;
mod parameter;
mod resource;
mod subroutine;
pub mod text;

use std::sync::Arc;

use api::reflection::Reflection;
use api::{Namespace, constant as c, id};

use super::Table;
use super::shader::group_of;
use crate::answer::{Answer, Values, View};
use crate::call::Call;
use crate::context::{Client, Context};
use crate::fault::Fault;
use crate::model::Model;
use crate::objects::program::{DriverResult, Part, Program, ShaderOrProgram, Validation};
use crate::observer::{ContentsRef, Source};
use crate::step::{Done, Step};
use crate::variable::NumberType;

pub use active::not_recorded;
pub use subroutine::reset as reset_subroutines;

pub fn register(table: &mut Table) {
    table.on(&[id::glCreateProgram, id::glCreateProgramObjectARB], create);
    table.on(&[id::glCreateShaderProgramv, id::glCreateShaderProgramvEXT], create_whole);
    table.on(&[id::glAttachShader, id::glAttachObjectARB], attach);
    table.on(&[id::glDetachShader, id::glDetachObjectARB], detach);
    table.on(&[id::glLinkProgram, id::glLinkProgramARB], link);
    table.on(&[id::glProgramBinary, id::glProgramBinaryOES], binary);
    table.on(&[id::glValidateProgram, id::glValidateProgramARB], validate);
    table.on(&[id::glUseProgram, id::glUseProgramObjectARB], use_program);
    table.on(&[id::glDeleteProgram], delete);
    table.on(&[id::glDeleteObjectARB], |step| match find::shader(step.group, step.name(0)) {
        Ok(_) => super::shader::delete(step),
        Err(_) => delete(step),
    });
    table.on(&[id::glProgramParameteri, id::glProgramParameteriARB, id::glProgramParameteriEXT], parameter::set);
    table.ask(&[id::glIsProgram], |view, args| {
        let found = find::program(view.group, args.first().copied().unwrap_or(0) as u32).is_ok();
        Ok(Answer::truth(found))
    });
    table.getter(getter);
    active::register(table);
    location::register(table);
    parameter::register(table);
    resource::register(table);
    subroutine::register(table);
}

fn getter(view: &View<'_>, name: u32, _index: u32) -> Option<Result<Answer, Fault>> {
    let facts = &view.context.facts;
    match name {
        c::GL_CURRENT_PROGRAM if facts.client != Client::Es1 => {
            Some(Ok(Answer::one(NumberType::Name(Namespace::Program), f64::from(view.context.program))))
        }
        _ => None,
    }
}

fn create(step: &mut Step<'_>) -> Done {
    let name = step.call.result.unwrap_or(0) as u32;
    if name != 0 {
        add(step, name);
    }
    Ok(())
}

fn add(step: &mut Step<'_>, name: u32) {
    let object = step.group.next_object();
    let program = Program { object, ..Program::default() };
    step.group.programs.insert(name, Arc::new(ShaderOrProgram::Program(program)));
}

/// Compiles a shader and links a program from it alone.
fn create_whole(step: &mut Step<'_>) -> Done {
    if !super::shader::exists(step.facts(), step.name(0)) {
        return Err(Fault::invalid_enum("invalid shader type"));
    }
    if step.int(1) < 0 {
        return Err(Fault::invalid_value("the number of strings is negative"));
    }
    let name = step.call.result.unwrap_or(0) as u32;
    if name != 0 {
        add(step, name);
        let kind = step.name(0);
        let text = step.input(2).map(|bytes| text::until_zero(&text::several(&bytes).concat()).to_vec());
        let program = find::program_mut(step.group, name)?;
        Arc::make_mut(&mut program.setup).separable = true;
        program.linked = DriverResult::NotRecorded;
        program.parts = Arc::new(vec![Part { kind, text: text.map(Arc::from) }]);
        let object = program.object;
        step.writes(ContentsRef::Object { object }, Source::Memory { param: 2, whole: true });
    }
    Ok(())
}

fn attach(step: &mut Step<'_>) -> Done {
    let (name, added) = (step.name(0), step.name(1));
    let attached = &find::program(step.group, name)?.setup.attached;
    let kind = find::shader(step.group, added)?.kind;
    if attached.contains(&added) {
        return Err(Fault::invalid_operation("the shader is attached already"));
    }
    // In desktop GL a stage may have several shaders (ES 3.2, 7.3).
    let same = |shader: &u32| find::shader(step.group, *shader).is_ok_and(|shader| shader.kind == kind);
    if step.facts().client == Client::Es2 && attached.iter().any(same) {
        return Err(Fault::invalid_operation("a shader of the same type is already attached"));
    }
    Arc::make_mut(&mut find::program_mut(step.group, name)?.setup).attached.push(added);
    find::shader_mut(step.group, added)?.attached += 1;
    note_change(step, name);
    Ok(())
}

fn detach(step: &mut Step<'_>) -> Done {
    let (name, removed) = (step.name(0), step.name(1));
    let attached = &find::program(step.group, name)?.setup.attached;
    let Some(place) = attached.iter().position(|shader| *shader == removed) else {
        return Err(match step.group.programs.contains_key(&removed) {
            true => Fault::invalid_operation("the shader is not attached"),
            false => Fault::invalid_value("no shader has this name"),
        });
    };
    Arc::make_mut(&mut find::program_mut(step.group, name)?.setup).attached.remove(place);
    find::detach(step.group, removed);
    note_change(step, name);
    Ok(())
}

/// Records that a program has changed.
fn note_change(step: &mut Step<'_>, name: u32) {
    if let Ok(program) = find::program(step.group, name) {
        let object = program.object;
        step.writes(ContentsRef::Object { object }, Source::Fill { whole: false });
    }
}

/// Returns whether an active transform feedback object, paused or not, captures from a program.
fn feeds_back(context: &Context, program: u32) -> bool {
    context.transform_feedbacks.values().any(|object| object.mode.is_some() && object.program == program)
}

fn link(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    find::program(step.group, name)?;
    if feeds_back(step.context, name) {
        return Err(Fault::invalid_operation("transform feedback of this program is active"));
    }
    let attached = &find::program(step.group, name)?.setup.attached;
    let shaders = || attached.iter().filter_map(|shader| find::shader(step.group, *shader).ok());
    let objects: Vec<u64> = shaders().map(|shader| shader.object).collect();
    let parts = shaders().map(|shader| Part { kind: shader.kind, text: shader.compiled_text.clone() }).collect();
    for object in objects {
        step.reads(ContentsRef::Object { object });
    }
    begin_linking(step, name)?;
    find::program_mut(step.group, name)?.parts = Arc::new(parts);
    Ok(())
}

/// Starts linking; capture records the result next.
fn begin_linking(step: &mut Step<'_>, name: u32) -> Done {
    let program = find::program_mut(step.group, name)?;
    program.linked = DriverResult::NotRecorded;
    program.validation = None;
    let setup = Arc::make_mut(&mut program.setup);
    setup.retrievable_when_linked = setup.retrievable;
    setup.touched = false;
    if program.uses == 0 {
        program.executable = None;
    }
    note_change(step, name);
    Ok(())
}

fn binary(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    find::program(step.group, name)?;
    if step.int(3) < 0 {
        return Err(Fault::invalid_value("the number of bytes is negative"));
    }
    // When the trace does not record the binary formats, any may be supported.
    let formats = step.facts().limits.get(c::GL_PROGRAM_BINARY_FORMATS, 0);
    if let Some(Values::Long(formats)) = formats
        && !formats.contains(&i64::from(step.name(1)))
    {
        let why = if formats.is_empty() { parameter::NO_FORMATS } else { "invalid program binary format" };
        return Err(Fault::invalid_enum(why));
    }
    begin_linking(step, name)?;
    find::program_mut(step.group, name)?.parts = Arc::default();
    Ok(())
}

fn validate(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    let program = find::program_mut(step.group, name)?;
    program.validation = Some(Arc::new(Validation::default()));
    Ok(())
}

/// Returns whether transform feedback is active and not paused: programs must not change then (GL 4.6, 13.3.2).
pub fn is_feeding_back(context: &Context) -> bool {
    let bound = context.transform_feedbacks.get(&context.transform_feedback);
    bound.is_some_and(|feedback| feedback.mode.is_some() && !feedback.paused)
}

fn use_program(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    if is_feeding_back(step.context) {
        return Err(Fault::invalid_operation("transform feedback is active"));
    }
    if name != 0 && find::program(step.group, name)?.is_linked() == Some(false) {
        return Err(Fault::invalid_operation("the program is not linked"));
    }
    let before = std::mem::replace(&mut step.context.program, name);
    if before != name {
        find::take(step.group, name);
        find::release(step.group, before);
    }
    subroutine::reset(step.context, step.group);
    Ok(())
}

fn delete(step: &mut Step<'_>) -> Done {
    let name = step.name(0);
    if name == 0 {
        return Ok(());
    }
    let program = find::program_mut(step.group, name)?;
    program.deleted = true;
    if program.uses == 0 {
        find::remove(step.group, name);
    }
    Ok(())
}

/// Applies capture's description of a program.
pub fn apply_description(model: &mut Model, call: &Call<'_>) {
    let number = model.seat(call.thread).context as usize;
    let Some(group) = group_of(model, call) else { return };
    let (Some(name), Some(bytes)) = (call.args.first(), call.memory.input_bytes(2)) else { return };
    let Ok(reflection) = Reflection::decode(&bytes) else { return };
    let Ok(program) = find::program_mut(group, *name as u32) else { return };
    program.apply_reflection(reflection);
    // A program in use takes on the result of linking, including subroutines.
    let Some(Some(context)) = model.contexts.get_mut(number) else { return };
    if context.program == *name as u32
        && let Some(group) = model.groups.get(context.group)
    {
        subroutine::reset(Arc::make_mut(context), group);
    }
}
