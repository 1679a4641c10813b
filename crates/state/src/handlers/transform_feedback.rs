//! Transform feedback objects.

use std::sync::Arc;

use api::{Namespace, constant as c, id};

use super::{Table, buffer, draw};
use crate::answer::{Answer, Values, View, word};
use crate::context::{Client, Context};
use crate::fault::Fault;
use crate::objects::transform_feedback::{FEEDBACK_BUFFERS, TransformFeedback};
use crate::step::{Done, Step};
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    table.on(&[id::glGenTransformFeedbacks, id::glGenTransformFeedbacksNV], |step| generate(step, false));
    table.on(&[id::glCreateTransformFeedbacks], |step| generate(step, true));
    table.on(&[id::glDeleteTransformFeedbacks, id::glDeleteTransformFeedbacksNV], delete);
    table.on(&[id::glBindTransformFeedback, id::glBindTransformFeedbackNV], bind);
    table.on(&[id::glBeginTransformFeedback, id::glBeginTransformFeedbackEXT], begin);
    table.on(&[id::glEndTransformFeedback, id::glEndTransformFeedbackEXT], |step| {
        let feedback = bound(step.context);
        if feedback.is_none_or(|found| found.mode.is_none()) {
            return Err(IDLE);
        }
        change(step, |feedback| {
            feedback.mode = None;
            feedback.paused = false;
            feedback.ended = true;
        });
        Ok(())
    });
    table.on(&[id::glPauseTransformFeedback, id::glPauseTransformFeedbackNV], |step| {
        if bound(step.context).is_none_or(|found| found.mode.is_none() || found.paused) {
            return Err(IDLE);
        }
        change(step, |feedback| feedback.paused = true);
        Ok(())
    });
    table.on(&[id::glResumeTransformFeedback, id::glResumeTransformFeedbackNV], resume);
    register_answers(table);
}

const IDLE: Fault = Fault::invalid_operation("transform feedback is not active, or is paused");
const NO_OBJECT: Fault = Fault::invalid_operation("no transform feedback object has this name");

/// Returns the bound transform feedback object.
pub fn bound(context: &Context) -> Option<&TransformFeedback> {
    context.transform_feedbacks.get(&context.transform_feedback).map(Arc::as_ref)
}

/// Returns whether transform feedback is active and not paused.
pub fn is_running(context: &Context) -> bool {
    bound(context).is_some_and(|feedback| feedback.mode.is_some() && !feedback.paused)
}

fn change(step: &mut Step<'_>, work: impl FnOnce(&mut TransformFeedback)) {
    if let Some(feedback) = step.context.transform_feedbacks.get_mut(&step.context.transform_feedback) {
        work(Arc::make_mut(feedback));
    }
}

fn generate(step: &mut Step<'_>, exists: bool) -> Done {
    if step.int(0) < 0 {
        return Err(Fault::invalid_value("the number of names is negative"));
    }
    for name in step.output_names(1) {
        let object = step.group.next_object();
        let feedback = TransformFeedback { object, exists, ..TransformFeedback::default() };
        step.context.transform_feedbacks.insert(name, Arc::new(feedback));
    }
    Ok(())
}

fn delete(step: &mut Step<'_>) -> Done {
    if step.int(0) < 0 {
        return Err(Fault::invalid_value("the number of names is negative"));
    }
    for name in step.names_to_delete(1) {
        match step.context.transform_feedbacks.get(&name) {
            Some(_) if name == 0 => {}
            // Earlier names in the list are already deleted: Mesa stops here.
            Some(feedback) if feedback.mode.is_some() => {
                return Err(Fault::invalid_operation("the transform feedback object is active"));
            }
            Some(_) => {
                step.context.transform_feedbacks.remove(&name);
                if step.context.transform_feedback == name {
                    step.context.transform_feedback = 0;
                }
            }
            None => {}
        }
    }
    Ok(())
}

fn bind(step: &mut Step<'_>) -> Done {
    if step.name(0) != c::GL_TRANSFORM_FEEDBACK {
        return Err(Fault::invalid_enum("invalid transform feedback target"));
    }
    if is_running(step.context) {
        return Err(Fault::invalid_operation("transform feedback is active"));
    }
    let name = step.name(1);
    let feedback = step.context.transform_feedbacks.get_mut(&name).ok_or(NO_OBJECT)?;
    if !feedback.exists {
        Arc::make_mut(feedback).exists = true;
    }
    step.context.transform_feedback = name;
    Ok(())
}

fn begin(step: &mut Step<'_>) -> Done {
    let mode = step.name(0);
    let source = draw::feedback_source(step)?;
    if !matches!(mode, c::GL_POINTS | c::GL_LINES | c::GL_TRIANGLES) {
        return Err(Fault::invalid_enum("invalid transform feedback primitive type"));
    }
    let Some(feedback) = bound(step.context) else { return Ok(()) };
    if feedback.mode.is_some() {
        return Err(Fault::invalid_operation("transform feedback is already active"));
    }
    let missing =
        (0..FEEDBACK_BUFFERS).any(|at| source.buffers & 1 << at != 0 && feedback.buffers[at].buffer.is_none());
    if missing {
        return Err(Fault::invalid_operation("no output buffer is set"));
    }
    change(step, |feedback| {
        feedback.mode = Some(mode);
        feedback.paused = false;
        feedback.program = source.program;
        feedback.written = source.buffers;
    });
    Ok(())
}

fn resume(step: &mut Step<'_>) -> Done {
    let Some(feedback) = bound(step.context) else { return Ok(()) };
    if feedback.mode.is_none() || !feedback.paused {
        return Err(Fault::invalid_operation("transform feedback is not paused"));
    }
    let before = feedback.program;
    if draw::feedback_source(step).is_ok_and(|source| source.program != before) {
        return Err(Fault::invalid_operation("the current program is not the one with which transform feedback began"));
    }
    change(step, |feedback| feedback.paused = false);
    Ok(())
}

fn register_answers(table: &mut Table) {
    table.ask(&[id::glIsTransformFeedback, id::glIsTransformFeedbackNV], |view, args| {
        let name = word(args, 0);
        let exists = name != 0 && view.context.transform_feedbacks.get(&name).is_some_and(|found| found.exists);
        Ok(Answer::truth(exists))
    });
    table.ask(&[id::glGetTransformFeedbackiv], |view, args| {
        let feedback = named(view, word(args, 0))?;
        match word(args, 1) {
            c::GL_TRANSFORM_FEEDBACK_PAUSED => Ok(Answer::truth(feedback.paused)),
            c::GL_TRANSFORM_FEEDBACK_ACTIVE => Ok(Answer::truth(feedback.mode.is_some())),
            _ => Err(NO_PARAMETER),
        }
    });
    table.ask(&[id::glGetTransformFeedbacki_v], |view, args| {
        let feedback = named(view, word(args, 0))?;
        let range = feedback.buffers.get(word(args, 2) as usize).ok_or(NO_INDEX)?;
        match word(args, 1) {
            c::GL_TRANSFORM_FEEDBACK_BUFFER_BINDING => Ok(buffer::name_of(range.buffer)),
            _ => Err(NO_PARAMETER),
        }
    });
    table.ask(&[id::glGetTransformFeedbacki64_v], |view, args| {
        let feedback = named(view, word(args, 0))?;
        let range = feedback.buffers.get(word(args, 2) as usize).ok_or(NO_INDEX)?;
        let long = |number| Ok(Answer { kind: NumberType::Integer, values: Values::Long(vec![number]) });
        match word(args, 1) {
            c::GL_TRANSFORM_FEEDBACK_BUFFER_START => long(range.offset),
            c::GL_TRANSFORM_FEEDBACK_BUFFER_SIZE => {
                // Mesa returns how much can be written: the rest of the buffer, in whole words.
                let all = view.group.buffer(range.buffer).map_or(0, |buffer| buffer.size.cast_signed());
                let left = (all - range.offset).max(0);
                let room = if range.size == 0 { left } else { left.min(range.size) };
                long(room & !3)
            }
            _ => Err(NO_PARAMETER),
        }
    });
    table.plain_getter(|view, name| {
        let facts = &view.context.facts;
        if !(facts.desktop(4, 0) || facts.es(3, 0) || facts.has("GL_ARB_transform_feedback2"))
            || facts.client == Client::Es1
        {
            return None;
        }
        let feedback = bound(view.context)?;
        Some(Ok(match name {
            c::GL_TRANSFORM_FEEDBACK_BINDING => {
                let bound = f64::from(view.context.transform_feedback);
                Answer::one(NumberType::Name(Namespace::TransformFeedback), bound)
            }
            c::GL_TRANSFORM_FEEDBACK_PAUSED => Answer::truth(feedback.paused),
            c::GL_TRANSFORM_FEEDBACK_ACTIVE => Answer::truth(feedback.mode.is_some()),
            _ => return None,
        }))
    });
}

const NO_PARAMETER: Fault = Fault::invalid_enum("invalid transform feedback query");
const NO_INDEX: Fault = Fault::invalid_value("the index is too large for transform feedback buffers");

fn named<'a>(view: &View<'a>, name: u32) -> Result<&'a TransformFeedback, Fault> {
    view.context.transform_feedbacks.get(&name).map(AsRef::as_ref).ok_or(NO_OBJECT)
}
