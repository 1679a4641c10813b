//! Buffers: their names, storage, maps, contents and where they are bound.

mod bind;
mod clear;
mod indexed;
mod map;
mod query;
mod storage;
mod target;

use std::sync::Arc;

use api::{constant as c, id};

use super::Table;
use crate::context::Client;
use crate::fault::Fault;
use crate::notes::{Source, Thing};
use crate::objects::buffer::{Buffer, BufferRef};
use crate::records::Origin;
use crate::share::ShareGroup;
use crate::step::{Done, Step};

pub use bind::attach;
pub use map::memory;
pub use query::name_of;
pub use target::bound;

pub fn register(table: &mut Table) {
    table.on(&[id::glGenBuffers, id::glGenBuffersARB], |step| generate(step, false));
    table.on(&[id::glCreateBuffers], |step| generate(step, true));
    bind::register(table);
    indexed::register(table);
    storage::register(table);
    clear::register(table);
    map::register(table);
    query::register(table);
}

fn generate(step: &mut Step<'_>, exists: bool) -> Done {
    if step.int(0) < 0 {
        return Err(Fault::invalid_value("there is no negative number of names"));
    }
    for name in step.output_names(1) {
        let object = step.group.next_object();
        step.group.buffers.insert(name, Arc::new(Buffer { exists, ..Buffer::named(object) }));
    }
    Ok(())
}

/// How a command says which buffer it means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By a target to which it is bound.
    Target,
    /// By its name.
    Name,
    /// By its name, and a name that is not used yet is taken (`EXT_direct_state_access`).
    NewName,
}

/// The buffer that the first argument means.
fn chosen(step: &mut Step<'_>, way: Way) -> Result<BufferRef, Fault> {
    match way {
        Way::Target => {
            let found = target::bound(step.context, step.name(0))
                .ok_or(Fault::invalid_enum("there is no such target for buffers"))?;
            if found.is_none() {
                return Err(Fault::invalid_operation("no buffer is bound there"));
            }
            Ok(found)
        }
        Way::Name => {
            existing(step.group, step.name(0)).ok_or(Fault::invalid_operation("there is no buffer of that name"))
        }
        Way::NewName if step.name(0) == 0 => Err(Fault::invalid_operation("0 is no buffer")),
        Way::NewName => made(step, step.name(0)),
    }
}

/// The buffer of a name, if there is more than the name.
pub fn existing(group: &ShareGroup, name: u32) -> Option<BufferRef> {
    let found = group.buffers.get(&name).filter(|found| found.exists)?;
    Some(BufferRef { name, object: found.object })
}

/// The buffer of a name; it is made when there is only the name or, where that is allowed, not even that.
pub fn made(step: &mut Step<'_>, name: u32) -> Result<BufferRef, Fault> {
    if name == 0 {
        return Ok(BufferRef::NONE);
    }
    let object = match step.group.buffers.get(&name) {
        Some(found) if found.exists => return Ok(BufferRef { name, object: found.object }),
        Some(found) => found.object,
        // In the core profile names come from `glGenBuffers` only (GL 4.6, 6.1).
        None if step.facts().client == Client::Core => {
            return Err(Fault::invalid_operation("that name does not come from glGenBuffers"));
        }
        None => step.group.next_object(),
    };
    step.group.buffers.insert(name, Arc::new(Buffer { exists: true, ..Buffer::named(object) }));
    Ok(BufferRef { name, object })
}

/// Notes that the call writes bytes of a buffer.
pub fn write(step: &mut Step<'_>, buffer: BufferRef, from: u64, to: u64, origin: Origin) {
    let call = step.call.number;
    let Some(found) = step.group.buffer_mut(buffer) else { return };
    let to = to.min(found.size);
    if from >= to {
        return;
    }
    found.records.write(call, from, to, origin);
    let whole = from == 0 && to == found.size;
    let thing = Thing::Buffer { object: buffer.object, from, to };
    let source = match origin {
        Origin::Memory { param, .. } => Source::Memory { param, whole },
        Origin::Buffer { object, from: first } => {
            Source::Copy { of: Thing::Buffer { object, from: first, to: first + (to - from) }, whole }
        }
        Origin::Fill(_) => Source::Fill { whole },
        Origin::Gpu => Source::Gpu,
        Origin::Nobody => Source::Undefined,
    };
    step.writes(thing, source);
}

/// Notes that the call reads bytes of a buffer.
pub fn read(step: &mut Step<'_>, buffer: BufferRef, from: u64, to: u64) {
    let size = step.group.buffer(buffer).map_or(0, |found| found.size);
    if from < to.min(size) {
        step.reads(Thing::Buffer { object: buffer.object, from, to: to.min(size) });
    }
}

/// Whether this is a GL with all that desktop GL and OpenGL ES 3 have in common.
fn is_grown_up(step: &Step<'_>) -> bool {
    !matches!(step.facts().client, Client::Es1)
        && (step.facts().client != Client::Es2 || step.facts().version >= (3, 0))
}

/// A size or an offset that must not be negative.
fn unsigned(value: u64, why: &'static str) -> Result<u64, Fault> {
    if value.cast_signed() < 0 { Err(Fault { error: c::GL_INVALID_VALUE, why }) } else { Ok(value) }
}
