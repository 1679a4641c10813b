//! Sync objects.

use std::sync::Arc;

use api::{constant as c, id};

use super::Table;
use crate::answer::{Answer, Values, View};
use crate::fault::Fault;
use crate::objects::sync::Sync;
use crate::step::{Done, Step};
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    table.on(&[id::glFenceSync, id::glFenceSyncAPPLE], fence);
    table.on(&[id::glDeleteSync, id::glDeleteSyncAPPLE], |step| {
        let handle = step.word(0);
        if handle != 0 && step.group.syncs.remove(&handle).is_none() {
            return Err(NO_SYNC);
        }
        Ok(())
    });
    table.on(&[id::glClientWaitSync, id::glClientWaitSyncAPPLE], client_wait);
    table.on(&[id::glWaitSync, id::glWaitSyncAPPLE], |step| {
        if !step.group.syncs.contains_key(&step.word(0)) {
            return Err(NO_SYNC);
        }
        if step.name(1) != 0 || step.word(2) != u64::MAX {
            return Err(Fault::invalid_value("glWaitSync takes no flags and the timeout GL_TIMEOUT_IGNORED"));
        }
        Ok(())
    });
    table.on(&[id::glGetSynciv, id::glGetSyncivAPPLE], record_wait);
    table.ask(&[id::glIsSync, id::glIsSyncAPPLE], |view, args| {
        let exists = view.group.syncs.contains_key(&args.first().copied().unwrap_or(0));
        Ok(Answer::truth(exists))
    });
    table.ask(&[id::glGetSynciv, id::glGetSyncivAPPLE], answer);
}

const NO_SYNC: Fault = Fault::invalid_value("no such sync object exists");
const NO_PARAMETER: Fault = Fault::invalid_enum("invalid sync object query");

fn fence(step: &mut Step<'_>) -> Done {
    let condition = step.name(0);
    if condition != c::GL_SYNC_GPU_COMMANDS_COMPLETE {
        return Err(Fault::invalid_enum("invalid fence condition"));
    }
    if step.name(1) != 0 {
        return Err(Fault::invalid_value("invalid flags"));
    }
    let object = step.group.next_object();
    if let Some(handle) = step.call.result.filter(|handle| *handle != 0) {
        step.group.syncs.insert(handle, Arc::new(Sync { object, condition, signaled: false }));
    }
    Ok(())
}

fn client_wait(step: &mut Step<'_>) -> Done {
    if step.name(1) & !c::GL_SYNC_FLUSH_COMMANDS_BIT != 0 {
        return Err(Fault::invalid_value("invalid flags"));
    }
    let handle = step.word(0);
    if !step.group.syncs.contains_key(&handle) {
        return Err(NO_SYNC);
    }
    let said = step.call.result.unwrap_or(0) as u32;
    if matches!(said, c::GL_ALREADY_SIGNALED | c::GL_CONDITION_SATISFIED) {
        signal(step, handle);
    }
    Ok(())
}

fn signal(step: &mut Step<'_>, handle: u64) {
    if let Some(sync) = step.group.syncs.get_mut(&handle)
        && !sync.signaled
    {
        Arc::make_mut(sync).signaled = true;
    }
}

/// `glGetSynciv`: a fence that was reported as signaled to the program stays signaled.
fn record_wait(step: &mut Step<'_>) -> Done {
    let handle = step.word(0);
    if !step.group.syncs.contains_key(&handle) {
        return Err(NO_SYNC);
    }
    check(step.name(1))?;
    if step.name(1) == c::GL_SYNC_STATUS && step.output_names(4).first() == Some(&c::GL_SIGNALED) {
        signal(step, handle);
    }
    Ok(())
}

fn check(name: u32) -> Result<(), Fault> {
    match name {
        c::GL_OBJECT_TYPE | c::GL_SYNC_CONDITION | c::GL_SYNC_STATUS | c::GL_SYNC_FLAGS => Ok(()),
        _ => Err(NO_PARAMETER),
    }
}

fn answer(view: &View<'_>, args: &[u64]) -> Result<Answer, Fault> {
    let sync = view.group.syncs.get(&args.first().copied().unwrap_or(0)).ok_or(NO_SYNC)?;
    let name = args.get(1).copied().unwrap_or(0) as u32;
    check(name)?;
    let room = args.get(2).copied().unwrap_or(0) as i32;
    let value = match name {
        c::GL_OBJECT_TYPE => c::GL_SYNC_FENCE,
        c::GL_SYNC_CONDITION => sync.condition,
        c::GL_SYNC_STATUS if sync.signaled => c::GL_SIGNALED,
        c::GL_SYNC_STATUS => {
            let unknown = Values::Unknown("the program did not wait for this fence");
            return Ok(Answer { kind: NumberType::Enum, values: unknown });
        }
        _ => 0,
    };
    let length = (3, Answer::one(NumberType::Integer, 1.0));
    let values = (4, Answer::one(NumberType::Enum, f64::from(value)));
    let outputs = if room > 0 { vec![length, values] } else { vec![length] };
    Ok(Answer { kind: NumberType::Integer, values: Values::Outputs(outputs) })
}
