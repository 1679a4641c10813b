//! Debug output: groups, messages, filters.

use std::sync::Arc;

use api::{constant as c, id};

use super::most;
use crate::annotation::group_call;
use crate::fault::Fault;
use crate::handlers::Table;
use crate::step::{Done, Step, one_of};
use crate::variable as var;

const OWN_SOURCES: &[u32] = &[c::GL_DEBUG_SOURCE_APPLICATION, c::GL_DEBUG_SOURCE_THIRD_PARTY];

const TYPES: &[u32] = &[
    c::GL_DEBUG_TYPE_ERROR,
    c::GL_DEBUG_TYPE_DEPRECATED_BEHAVIOR,
    c::GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR,
    c::GL_DEBUG_TYPE_PORTABILITY,
    c::GL_DEBUG_TYPE_PERFORMANCE,
    c::GL_DEBUG_TYPE_OTHER,
    c::GL_DEBUG_TYPE_MARKER,
    c::GL_DEBUG_TYPE_PUSH_GROUP,
    c::GL_DEBUG_TYPE_POP_GROUP,
];

const SEVERITIES: &[u32] = &[
    c::GL_DEBUG_SEVERITY_HIGH,
    c::GL_DEBUG_SEVERITY_MEDIUM,
    c::GL_DEBUG_SEVERITY_LOW,
    c::GL_DEBUG_SEVERITY_NOTIFICATION,
];

const SOURCES: &[u32] = &[
    c::GL_DEBUG_SOURCE_API,
    c::GL_DEBUG_SOURCE_WINDOW_SYSTEM,
    c::GL_DEBUG_SOURCE_SHADER_COMPILER,
    c::GL_DEBUG_SOURCE_THIRD_PARTY,
    c::GL_DEBUG_SOURCE_APPLICATION,
    c::GL_DEBUG_SOURCE_OTHER,
];

pub fn register(table: &mut Table) {
    table.on(&[id::glPushDebugGroup, id::glPushDebugGroupKHR], |step| {
        one_of(step.name(0), OWN_SOURCES, "invalid source for a message of the program")?;
        length(step, 2, 3)?;
        let depth = step.context.vars.get(var::DEBUG_GROUP_STACK_DEPTH);
        if depth >= f64::from(most(step.facts(), c::GL_MAX_DEBUG_GROUP_STACK_DEPTH, 64)) {
            return Err(Fault::stack_overflow("the debug group stack is full"));
        }
        step.context.vars.set(var::DEBUG_GROUP_STACK_DEPTH, depth + 1.0);
        group(step)
    });
    table.on(&[id::glPopDebugGroup, id::glPopDebugGroupKHR], |step| {
        let depth = step.context.vars.get(var::DEBUG_GROUP_STACK_DEPTH);
        if depth <= 1.0 {
            return Err(Fault::stack_underflow("the debug group stack is empty"));
        }
        step.context.vars.set(var::DEBUG_GROUP_STACK_DEPTH, depth - 1.0);
        group(step)
    });
    table.on(&[id::glDebugMessageInsert, id::glDebugMessageInsertARB, id::glDebugMessageInsertKHR], |step| {
        one_of(step.name(0), OWN_SOURCES, "invalid source for a message of the program")?;
        one_of(step.name(1), TYPES, "invalid message type")?;
        one_of(step.name(3), SEVERITIES, "invalid message severity")?;
        length(step, 4, 5)?;
        group(step)
    });
    table.on(&[id::glDebugMessageControl, id::glDebugMessageControlARB, id::glDebugMessageControlKHR], control);
    let callbacks = [id::glDebugMessageCallback, id::glDebugMessageCallbackARB, id::glDebugMessageCallbackKHR];
    table.on(&callbacks, |step| {
        let pointers = [step.word(0), step.word(1)];
        step.context.fixed_mut().debug_callback = pointers;
        Ok(())
    });
    // The log contains the driver's messages, which the model does not know.
    let logs = [id::glGetDebugMessageLog, id::glGetDebugMessageLogARB, id::glGetDebugMessageLogKHR];
    table.on(&logs, |_| Ok(()));
    table.on(&[id::glFrameTerminatorGREMEDY], |_| Ok(()));
    let markers = [id::glPushGroupMarkerEXT, id::glPopGroupMarkerEXT, id::glInsertEventMarkerEXT];
    table.on(&markers, group);
    table.on(&[id::glStringMarkerGREMEDY], group);
}

/// Opens or closes a group of commands.
fn group(step: &mut Step<'_>) -> Done {
    if let Some(call) = group_call(step.call.command, step.call.args) {
        let mut groups = Arc::clone(&step.context.debug_groups);
        let text = |param: u8| step.input(param).map(|bytes| bytes.into_owned()).unwrap_or_default();
        Arc::make_mut(&mut groups).apply(call, text);
        step.context.debug_groups = groups;
    }
    Ok(())
}

/// Rejects a message that is too long: its length is an argument, or that of the string when it is negative.
fn length(step: &Step<'_>, arg: usize, text: u8) -> Done {
    let length = match step.int(arg) {
        negative if negative < 0 => step.call.memory.input(text).map_or(0, |data| data.size.saturating_sub(1) as i64),
        length => i64::from(length),
    };
    if length >= i64::from(most(step.facts(), c::GL_MAX_DEBUG_MESSAGE_LENGTH, 1)) {
        return Err(Fault::invalid_value("the message is too long"));
    }
    Ok(())
}

fn control(step: &mut Step<'_>) -> Done {
    let or_any = |value: u32, list: &[u32], why| {
        if value == c::GL_DONT_CARE { Ok(value) } else { one_of(value, list, why) }
    };
    let (source, kind, count) = (step.name(0), step.name(1), step.int(3));
    if count < 0 {
        return Err(Fault::invalid_value("the number of messages is negative"));
    }
    or_any(source, SOURCES, "invalid message source")?;
    or_any(kind, TYPES, "invalid message type")?;
    or_any(step.name(2), SEVERITIES, "invalid message severity")?;
    let unclear = step.name(2) != c::GL_DONT_CARE || kind == c::GL_DONT_CARE || source == c::GL_DONT_CARE;
    if count > 0 && unclear {
        return Err(Fault::invalid_operation("message ids require a specific source and type, and no severity"));
    }
    Ok(())
}
