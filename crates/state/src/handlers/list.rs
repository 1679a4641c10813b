//! Display lists and immediate mode.

use std::sync::Arc;

use api::{CommandId, Role, Trait, constant as c, id};

use super::Table;
use super::draw::{check, touch};
use super::plain::most;
use crate::answer::{Answer, View};
use crate::call::Call;
use crate::fault::Fault;
use crate::objects::list::{Compiling, List, Stored};
use crate::observer::reborrow;
use crate::reach::{self, WorkKind};
use crate::step::{Done, Step, one_of};
use crate::variable::{self as var, NumberType};
use crate::work::{LISTED_CALL, NAME};

/// What an immediate-mode draw fetches: nothing.
pub const NOTHING_FETCHED: touch::Fetch =
    touch::Fetch { vertices: Some((0, 0)), instances: Some((0, 0)), indices: None, feedback: None };

pub fn register(table: &mut Table) {
    table.on(&[id::glNewList], new_list);
    table.on(&[id::glEndList], end_list);
    table.on(&[id::glGenLists], |step| {
        let range = step.int(0);
        if range < 0 {
            return Err(Fault::invalid_value("the number of display lists is negative"));
        }
        let first = step.call.result.unwrap_or(0) as u32;
        if first != 0 && step.work.charge(u64::from(range as u32) * NAME) {
            for name in first..first.saturating_add(range as u32) {
                let object = step.group.next_object();
                step.group.lists.insert(name, Arc::new(List { object, calls: Vec::new() }));
            }
        }
        Ok(())
    });
    table.on(&[id::glDeleteLists], |step| {
        let (first, range) = (step.name(0), step.int(1));
        if range < 0 {
            return Err(Fault::invalid_value("the number of display lists is negative"));
        }
        // The range may be much larger than the number of lists: Mesa takes any.
        let last = first.saturating_add(range as u32);
        let names: Vec<u32> = step.group.lists.range(first..last).map(|(name, _)| *name).collect();
        if step.work.charge(names.len() as u64 * NAME) {
            for name in names {
                step.group.lists.remove(&name);
            }
        }
        Ok(())
    });
    table.on(&[id::glListBase], |step| {
        let base = f64::from(step.int(0));
        step.context.vars.set(var::LIST_BASE, base);
        Ok(())
    });
    table.on(&[id::glCallList], |step| {
        let name = step.name(0);
        if name == 0 {
            return Err(Fault::invalid_value("0 is not a valid display list name"));
        }
        execute(step, name);
        Ok(())
    });
    table.on(&[id::glCallLists], call_lists);
    table.on(&[id::glBegin], |step| {
        let mode = step.name(0);
        check::mode(step, mode)?;
        if let Some(fault) = reach::refusal(step.context, step.group, WorkKind::Draw) {
            return Err(fault);
        }
        step.context.fixed_mut().begun = Some(mode);
        Ok(())
    });
    table.on(&[id::glEnd], |step| {
        if step.context.fixed.begun.is_none() {
            return Err(Fault::invalid_operation("glEnd without glBegin"));
        }
        step.context.fixed_mut().begun = None;
        touch::draw(step, &NOTHING_FETCHED);
        Ok(())
    });
    table.ask(&[id::glIsList], |view, args| {
        let name = args.first().copied().unwrap_or(0) as u32;
        Ok(Answer::truth(view.group.lists.contains_key(&name)))
    });
    table.plain_getter(get);
}

/// Returns whether a command may be called between `glBegin` and `glEnd`.
pub fn is_inside(command: CommandId) -> bool {
    api::command(command).has(Trait::InPrimitive)
}

/// Adds a call to the display list that is being compiled, unless display lists do not take it. Returns whether the call
/// is also executed.
pub fn compile(compiling: &mut Compiling, call: &Call<'_>) -> bool {
    if api::command(call.command).has(Trait::NotListed) {
        return true;
    }
    compiling.calls.push(Stored::new(call));
    compiling.mode == c::GL_COMPILE_AND_EXECUTE
}

fn new_list(step: &mut Step<'_>) -> Done {
    if step.context.compiling.is_some() {
        return Err(Fault::invalid_operation("a display list is already being compiled"));
    }
    let name = step.name(0);
    if name == 0 {
        return Err(Fault::invalid_value("0 is not a valid display list name"));
    }
    let mode = one_of(step.name(1), &[c::GL_COMPILE, c::GL_COMPILE_AND_EXECUTE], "invalid display list mode")?;
    step.context.compiling = Some(Arc::new(Compiling { name, mode, calls: Vec::new() }));
    Ok(())
}

fn end_list(step: &mut Step<'_>) -> Done {
    let Some(compiling) = step.context.compiling.take() else {
        return Err(Fault::invalid_operation("no display list is being compiled"));
    };
    let object = step.group.next_object();
    let compiling = Arc::unwrap_or_clone(compiling);
    step.group.lists.insert(compiling.name, Arc::new(List { object, calls: compiling.calls }));
    Ok(())
}

fn call_lists(step: &mut Step<'_>) -> Done {
    let (count, kind) = (step.int(0), step.name(1));
    let size = match kind {
        c::GL_BYTE | c::GL_UNSIGNED_BYTE => 1,
        c::GL_SHORT | c::GL_UNSIGNED_SHORT | c::GL_2_BYTES => 2,
        c::GL_3_BYTES => 3,
        c::GL_INT | c::GL_UNSIGNED_INT | c::GL_FLOAT | c::GL_4_BYTES => 4,
        _ => return Err(Fault::invalid_enum("invalid type of display list names")),
    };
    if count < 0 {
        return Err(Fault::invalid_value("the number of display lists is negative"));
    }
    let Some(bytes) = step.input(2).map(std::borrow::Cow::into_owned) else { return Ok(()) };
    for at in 0..count as usize {
        let Some(name) = bytes.get(at * size..(at + 1) * size) else { break };
        let word = |order: &[usize]| order.iter().fold(0, |word, at| word << 8 | u32::from(name[*at]));
        let offset = match kind {
            c::GL_BYTE => i32::from(name[0] as i8) as u32,
            c::GL_UNSIGNED_BYTE => u32::from(name[0]),
            c::GL_SHORT => i32::from(i16::from_le_bytes([name[0], name[1]])) as u32,
            c::GL_UNSIGNED_SHORT => word(&[1, 0]),
            c::GL_FLOAT => f32::from_bits(word(&[3, 2, 1, 0])) as i32 as u32,
            // These have the most significant byte first (GL 4.6 compatibility, 21.4).
            c::GL_2_BYTES => word(&[0, 1]),
            c::GL_3_BYTES => word(&[0, 1, 2]),
            c::GL_4_BYTES => word(&[0, 1, 2, 3]),
            _ => word(&[3, 2, 1, 0]),
        };
        // The base may change from one list to the next.
        let base = step.context.vars.get(var::LIST_BASE) as i64 as u32;
        execute(step, base.wrapping_add(offset));
        if step.work.is_exceeded() {
            break;
        }
    }
    Ok(())
}

/// Executes a list. A call in it that GL rejects sets the error, and execution continues.
fn execute(step: &mut Step<'_>, name: u32) {
    // Deeper lists are ignored silently (GL 4.6 compatibility, 21.4).
    if !step.work.charge(LISTED_CALL) || step.list_depth >= most(step.facts(), c::GL_MAX_LIST_NESTING, 64) {
        return;
    }
    let Some(list) = step.group.lists.get(&name).cloned() else { return };
    for stored in &list.calls {
        // Lists that call each other do more work than there are calls.
        if !step.work.charge(LISTED_CALL) {
            return;
        }
        if stored.command == id::glCallList {
            step.list_depth += 1;
            execute(step, stored.args.first().copied().unwrap_or(0) as u32);
            step.list_depth -= 1;
            continue;
        }
        let call = Call {
            number: step.call.number,
            command: stored.command,
            thread: step.call.thread,
            by_capture: step.call.by_capture,
            args: &stored.args,
            result: Some(0),
            memory: stored,
        };
        let Some(handler) = super::table().handler(call.command) else {
            if api::command(call.command).role != Role::Query
                && let Some(observer) = &mut step.observer
            {
                observer.unmodelled();
            }
            continue;
        };
        let begun = step.context.fixed.begun.is_some();
        let done = if begun && !is_inside(call.command) {
            Err(INSIDE)
        } else {
            handler(&mut Step {
                call: &call,
                context: &mut *step.context,
                group: &mut *step.group,
                seat: step.seat,
                surfaces: step.surfaces,
                observer: reborrow(&mut step.observer),
                work: &mut *step.work,
                list_depth: step.list_depth + 1,
            })
        };
        if let Err(fault) = done {
            step.context.error.get_or_insert(fault);
            if let Some(observer) = &mut step.observer {
                observer.refused(fault);
            }
        }
    }
}

/// Why most commands are rejected between `glBegin` and `glEnd`.
pub const INSIDE: Fault = Fault::invalid_operation("the call is not allowed between glBegin and glEnd");

fn get(view: &View<'_>, name: u32) -> Option<Result<Answer, Fault>> {
    if !view.context.facts.desktop(1, 0) {
        return None;
    }
    let compiling = view.context.compiling.as_deref();
    let (kind, value) = match name {
        c::GL_LIST_INDEX => (NumberType::Integer, compiling.map_or(0, |compiling| compiling.name)),
        c::GL_LIST_MODE => (NumberType::Enum, compiling.map_or(0, |compiling| compiling.mode)),
        _ => return None,
    };
    Some(Ok(Answer::one(kind, f64::from(value))))
}
