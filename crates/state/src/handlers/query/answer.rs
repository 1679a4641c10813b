//! Queries about queries.

use api::{Namespace, constant as c, id};

use super::super::Table;
use super::target::{check_index, is_target, slot};
use crate::answer::{Answer, Values, View, word};
use crate::context::{Client, Facts};
use crate::fault::Fault;
use crate::objects::buffer::Point;
use crate::objects::query::QueryResult;
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    table.ask(&[id::glIsQuery, id::glIsQueryARB, id::glIsQueryEXT], |view, args| {
        let exists = view.context.queries.get(&word(args, 0)).is_some_and(|query| query.exists);
        Ok(Answer::truth(exists))
    });
    table.ask(&[id::glGetQueryiv, id::glGetQueryivARB, id::glGetQueryivEXT], |view, args| {
        of_target(view, word(args, 0), 0, word(args, 1))
    });
    table.ask(&[id::glGetQueryIndexediv], |view, args| of_target(view, word(args, 0), word(args, 1), word(args, 2)));
    let results = [
        id::glGetQueryObjectiv,
        id::glGetQueryObjectivARB,
        id::glGetQueryObjectivEXT,
        id::glGetQueryObjecti64v,
        id::glGetQueryObjecti64vEXT,
        id::glGetQueryObjectui64v,
        id::glGetQueryObjectui64vEXT,
    ];
    table.ask(&results, |view, args| of_object(view, args, i64::MAX));
    let unsigned = [id::glGetQueryObjectuiv, id::glGetQueryObjectuivARB, id::glGetQueryObjectuivEXT];
    table.ask(&unsigned, |view, args| of_object(view, args, u32::MAX.into()));
}

/// Whether the GPU's time can be queried.
pub fn has_timestamps(facts: &Facts) -> bool {
    facts.desktop(3, 3) || facts.has("GL_ARB_timer_query") || facts.has("GL_EXT_disjoint_timer_query")
}

fn of_target(view: &View<'_>, target: u32, stream: u32, name: u32) -> Result<Answer, Fault> {
    let facts = &view.context.facts;
    check_index(facts, target, stream)?;
    let stamp = target == c::GL_TIMESTAMP && has_timestamps(facts);
    if !stamp && !is_target(facts, target) {
        return Err(Fault::invalid_enum("invalid query target"));
    }
    match name {
        c::GL_CURRENT_QUERY => {
            let place = slot(target, stream);
            let list = &view.context.active_queries.active;
            let found = list.iter().find(|active| slot(active.0, active.1) == place && active.0 == target);
            let found = found.map_or(0, |active| active.2);
            Ok(Answer::one(NumberType::Name(Namespace::Query), f64::from(found)))
        }
        c::GL_QUERY_COUNTER_BITS => {
            let flag = matches!(
                target,
                c::GL_ANY_SAMPLES_PASSED
                    | c::GL_ANY_SAMPLES_PASSED_CONSERVATIVE
                    | c::GL_TRANSFORM_FEEDBACK_OVERFLOW
                    | c::GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW
            );
            match facts.limits.get(c::GL_QUERY_COUNTER_BITS, target) {
                Some(Values::Long(bits)) => {
                    Ok(Answer { kind: NumberType::Integer, values: Values::Long(bits.clone()) })
                }
                // A boolean has one bit, and Mesa counts everything else with 64.
                _ => Ok(Answer::one(NumberType::Integer, if flag { 1.0 } else { 64.0 })),
            }
        }
        _ => Err(Fault::invalid_enum("invalid query parameter")),
    }
}

/// Rejects parameters that queries do not have.
pub fn check(facts: &Facts, name: u32) -> Result<(), Fault> {
    let desktop = matches!(facts.client, Client::Compatibility | Client::Core);
    let buffers = facts.desktop(4, 4) || desktop && facts.has("GL_ARB_query_buffer_object");
    match name {
        c::GL_QUERY_RESULT | c::GL_QUERY_RESULT_AVAILABLE => Ok(()),
        c::GL_QUERY_RESULT_NO_WAIT if buffers => Ok(()),
        c::GL_QUERY_TARGET if facts.desktop(4, 5) || desktop && facts.has("GL_ARB_direct_state_access") => Ok(()),
        _ => Err(Fault::invalid_enum("invalid query parameter")),
    }
}

/// Returns a query result, clamped to `most` (GL 4.6, 4.2.3).
fn of_object(view: &View<'_>, args: &[u64], most: i64) -> Result<Answer, Fault> {
    let found = view.context.queries.get(&word(args, 0)).filter(|query| query.exists && !query.active);
    let query = found.ok_or(Fault::invalid_operation("no query of this name has ended"))?;
    let name = word(args, 1);
    check(&view.context.facts, name)?;
    if !view.context.buffers.get(Point::Query).is_none() {
        let values = Values::Unknown("the result goes to the buffer bound to GL_QUERY_BUFFER");
        return Ok(Answer { kind: NumberType::Integer, values });
    }
    let unknown = Values::Unknown("the program did not read the result of this query");
    let values = match (name, query.result) {
        (c::GL_QUERY_TARGET, _) => return Ok(Answer::one(NumberType::Enum, f64::from(query.target))),
        (_, QueryResult::Unknown) => unknown,
        (c::GL_QUERY_RESULT_AVAILABLE, _) => return Ok(Answer::one(NumberType::Boolean, 1.0)),
        (_, QueryResult::None) => Values::Long(vec![0]),
        (_, QueryResult::Read(number)) => Values::Long(vec![i64::try_from(number).unwrap_or(i64::MAX).min(most)]),
    };
    Ok(Answer { kind: NumberType::Integer, values })
}
