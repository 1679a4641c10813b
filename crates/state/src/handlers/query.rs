//! Query objects, and rendering that depends on them.

mod answer;
mod condition;
mod target;

use std::sync::Arc;

use api::{constant as c, id};

use super::{Table, buffer};
use crate::context::Client;
use crate::fault::Fault;
use crate::notes::{Source, Thing};
use crate::objects::buffer::Point;
use crate::objects::query::{Query, QueryResult};
use crate::records::Origin;
use crate::step::{Done, Step};

pub use condition::condition;
use target::{Slot, can_be_created, check_index, is_target, slot};

pub fn register(table: &mut Table) {
    // They change when things happen, not what comes of them.
    table.on(&[id::glFlush, id::glFinish], |_| Ok(()));
    table.on(&[id::glGenQueries, id::glGenQueriesARB, id::glGenQueriesEXT], generate);
    table.on(&[id::glCreateQueries], create);
    table.on(&[id::glDeleteQueries, id::glDeleteQueriesARB, id::glDeleteQueriesEXT], delete);
    let begin = [id::glBeginQuery, id::glBeginQueryARB, id::glBeginQueryEXT];
    table.on(&begin, |step| self::begin(step, step.name(0), 0, step.name(1)));
    table.on(&[id::glBeginQueryIndexed], |step| self::begin(step, step.name(0), step.name(1), step.name(2)));
    let end = [id::glEndQuery, id::glEndQueryARB, id::glEndQueryEXT];
    table.on(&end, |step| self::end(step, step.name(0), 0));
    table.on(&[id::glEndQueryIndexed], |step| self::end(step, step.name(0), step.name(1)));
    table.on(&[id::glQueryCounter, id::glQueryCounterEXT], counter);
    let narrow = [
        id::glGetQueryObjectiv,
        id::glGetQueryObjectivARB,
        id::glGetQueryObjectivEXT,
        id::glGetQueryObjectuiv,
        id::glGetQueryObjectuivARB,
        id::glGetQueryObjectuivEXT,
    ];
    table.on(&narrow, |step| result(step, 4));
    let wide = [
        id::glGetQueryObjecti64v,
        id::glGetQueryObjecti64vEXT,
        id::glGetQueryObjectui64v,
        id::glGetQueryObjectui64vEXT,
    ];
    table.on(&wide, |step| result(step, 8));
    table.on(&[id::glGetQueryBufferObjectiv, id::glGetQueryBufferObjectuiv], |step| buffer_result(step, 4));
    table.on(&[id::glGetQueryBufferObjecti64v, id::glGetQueryBufferObjectui64v], |step| buffer_result(step, 8));
    condition::register(table);
    answer::register(table);
}

fn generate(step: &mut Step<'_>) -> Done {
    if step.int(0) < 0 {
        return Err(Fault::invalid_value("there is no negative number of names"));
    }
    for name in step.output_names(1) {
        let object = step.group.next_object();
        step.context.queries.insert(name, Arc::new(Query { object, ..Query::default() }));
    }
    Ok(())
}

fn create(step: &mut Step<'_>) -> Done {
    let target = step.name(0);
    if !can_be_created(target) {
        return Err(Fault::invalid_enum("there is no such query"));
    }
    if step.int(1) < 0 {
        return Err(Fault::invalid_value("there is no negative number of names"));
    }
    for name in step.output_names(2) {
        let object = step.group.next_object();
        let query = Query { object, exists: true, target, ..Query::default() };
        step.context.queries.insert(name, Arc::new(query));
    }
    Ok(())
}

fn delete(step: &mut Step<'_>) -> Done {
    if step.int(0) < 0 {
        return Err(Fault::invalid_value("there is no negative number of names"));
    }
    for name in step.input_names(1) {
        if step.context.queries.remove(&name).is_some() {
            // One that is active ends (GL 4.6, 4.2).
            step.context.active_queries.active.retain(|active| active.2 != name);
        }
    }
    Ok(())
}

/// The name of the query that is active where a target would be counted.
fn active(step: &Step<'_>, place: Slot) -> Option<u32> {
    let list = &step.context.active_queries.active;
    list.iter().find(|(target, stream, _)| slot(*target, *stream) == place).map(|(_, _, name)| *name)
}

fn begin(step: &mut Step<'_>, target: u32, stream: u32, name: u32) -> Done {
    check_index(step.facts(), target, stream)?;
    if !is_target(step.facts(), target) {
        return Err(Fault::invalid_enum("there is no such query"));
    }
    if active(step, slot(target, stream)).is_some() {
        return Err(Fault::invalid_operation("such a query is active already"));
    }
    if name == 0 {
        return Err(Fault::invalid_operation("0 is no query"));
    }
    match step.context.queries.get(&name) {
        None if step.facts().client != Client::Compatibility => {
            return Err(Fault::invalid_operation("that name does not come from glGenQueries"));
        }
        None => {
            let object = step.group.next_object();
            step.context.queries.insert(name, Arc::new(Query { object, ..Query::default() }));
        }
        Some(query) if query.active => return Err(Fault::invalid_operation("the query is active already")),
        Some(query) if query.exists && query.target != target => {
            return Err(Fault::invalid_operation("the query is one of another kind"));
        }
        Some(_) => {}
    }
    let Some(query) = step.context.queries.get_mut(&name).map(Arc::make_mut) else { return Ok(()) };
    *query = Query { object: query.object, exists: true, target, stream, active: true, result: QueryResult::Unknown };
    let object = query.object;
    step.context.active_queries.active.push((target, stream, name));
    step.writes(Thing::Result { object }, Source::Fill { whole: true });
    Ok(())
}

fn end(step: &mut Step<'_>, target: u32, stream: u32) -> Done {
    check_index(step.facts(), target, stream)?;
    if !is_target(step.facts(), target) {
        return Err(Fault::invalid_enum("there is no such query"));
    }
    let Some(name) = active(step, slot(target, stream)) else {
        return Err(Fault::invalid_operation("no such query is active"));
    };
    if step.context.queries.get(&name).is_some_and(|query| query.target != target) {
        return Err(Fault::invalid_operation("the query that is active is one of another kind"));
    }
    step.context.active_queries.active.retain(|active| active.2 != name);
    if let Some(query) = step.context.queries.get_mut(&name).map(Arc::make_mut) {
        query.active = false;
        let object = query.object;
        step.writes(Thing::Result { object }, Source::Gpu);
    }
    Ok(())
}

fn counter(step: &mut Step<'_>) -> Done {
    let (name, target) = (step.name(0), step.name(1));
    if target != c::GL_TIMESTAMP {
        return Err(Fault::invalid_enum("only times are taken so"));
    }
    if name == 0 {
        return Err(Fault::invalid_operation("0 is no query"));
    }
    match step.context.queries.get(&name) {
        None => {
            let object = step.group.next_object();
            step.context.queries.insert(name, Arc::new(Query { object, ..Query::default() }));
        }
        Some(query) if query.target != 0 && query.target != target => {
            return Err(Fault::invalid_operation("the query is one of another kind"));
        }
        Some(query) if query.active => return Err(Fault::invalid_operation("the query is active")),
        Some(_) => {}
    }
    let Some(query) = step.context.queries.get_mut(&name).map(Arc::make_mut) else { return Ok(()) };
    query.exists = true;
    query.target = target;
    query.result = QueryResult::Unknown;
    let object = query.object;
    step.writes(Thing::Result { object }, Source::Gpu);
    Ok(())
}

/// The query whose result may be asked for.
fn asked(step: &Step<'_>, name: u32) -> Result<Arc<Query>, Fault> {
    let found = step.context.queries.get(&name).filter(|query| query.exists && !query.active);
    found.cloned().ok_or(Fault::invalid_operation("there is no query of that name that has ended"))
}

/// `glGetQueryObject…`: what GL tells the program is what is known from then on.
fn result(step: &mut Step<'_>, size: u64) -> Done {
    let (name, what) = (step.name(0), step.name(1));
    let query = asked(step, name)?;
    answer::check(step.facts(), what)?;
    let buffer = step.context.buffers.get(Point::Query);
    if !buffer.is_none() {
        let offset = step.word(2);
        let (length, blocked) = step.group.buffer(buffer).map_or((0, false), |found| (found.size, found.blocked()));
        if offset.cast_signed() < 0 {
            return Err(Fault::invalid_value("there is no negative offset"));
        }
        if offset + size > length || blocked {
            return Err(Fault::invalid_operation("the result does not fit into the buffer"));
        }
        step.reads(Thing::Result { object: query.object });
        buffer::write(step, buffer, offset, offset + size, Origin::Gpu);
        return Ok(());
    }
    if matches!(what, c::GL_QUERY_RESULT | c::GL_QUERY_RESULT_NO_WAIT) {
        step.reads(Thing::Result { object: query.object });
    }
    let mut bytes = [0; 8];
    let told = step.call.memory.output_bytes(2).filter(|told| told.len() as u64 >= size);
    let Some(told) = told else { return Ok(()) };
    bytes[..size as usize].copy_from_slice(&told[..size as usize]);
    let number = u64::from_le_bytes(bytes);
    // A result that does not fit is told as the largest that does; what it is remains unknown.
    let fits = size == 8 || number < 0x7fff_ffff;
    if what == c::GL_QUERY_RESULT
        && query.result == QueryResult::Unknown
        && fits
        && let Some(query) = step.context.queries.get_mut(&name)
    {
        Arc::make_mut(query).result = QueryResult::Told(number);
    }
    Ok(())
}

/// `glGetQueryBufferObject…`.
fn buffer_result(step: &mut Step<'_>, size: u64) -> Done {
    let buffer = buffer::existing(step.group, step.name(1))
        .ok_or(Fault::invalid_operation("there is no buffer of that name"))?;
    let query = asked(step, step.name(0))?;
    let offset = step.word(3);
    if offset.cast_signed() < 0 {
        return Err(Fault::invalid_value("there is no negative offset"));
    }
    let length = step.group.buffer(buffer).map_or(0, |found| found.size);
    if offset + size > length {
        return Err(Fault::invalid_operation("the result does not fit into the buffer"));
    }
    answer::check(step.facts(), step.name(2))?;
    step.reads(Thing::Result { object: query.object });
    buffer::write(step, buffer, offset, offset + size, Origin::Gpu);
    Ok(())
}
