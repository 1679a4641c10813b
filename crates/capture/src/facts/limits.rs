//! Implementation-dependent values of a context.

use api::limits::{LIMITS, Limit, PRECISION_SHADERS, PRECISION_WHEN, PRECISIONS, Query, TEXTS};
use api::reflection::answers::{Answer, AnswerValues};
use api::when::{Client, both};
use api::{constant as c, id};

use super::{Capabilities, ask, assembly, emit_answers, quietly};
use crate::binaries;
use crate::context::Context;
use crate::thread::Thread;

/// Queries a context whose version and extensions are known, and records the answers.
pub fn record(thread: &mut Thread, context: &mut Context) {
    if context.facts.version == (0, 0) {
        return;
    }
    let answers = quietly(thread, context, |thread, capabilities| {
        let mut answers = Vec::new();
        for limit in LIMITS {
            let has = |extension: &str| capabilities.extension(extension);
            if limit.worth_asking(capabilities.client, capabilities.version, capabilities.debug, has) {
                ask_one(thread, capabilities, limit, &mut answers);
            }
        }
        ask_precisions(thread, capabilities, &mut answers);
        ask_texts(thread, capabilities, &mut answers);
        assembly::ask_limits(thread, capabilities, &mut answers);
        answers
    });
    emit_answers(thread, id::afiLimits, context.number, &answers);
}

fn ask_one(thread: &Thread, capabilities: &Capabilities, limit: &Limit, answers: &mut Vec<Answer>) {
    // Values that no driver returns are left out: a failing query leaves the value untouched and sets an error.
    const UNTOUCHED: i32 = i32::MIN + 12_345;
    let refused = || ask::errors(thread).count() > 0;
    let mut answer = |index, given| {
        if !refused() {
            answers.push((limit.name, index, given));
        }
    };
    match limit.query {
        Query::Integers(count) => {
            let wide = capabilities.has(both(32, 30).or(&["GL_ARB_sync"]));
            let values = if wide {
                ask::integers64(thread, limit.name, i64::from(UNTOUCHED)).to_vec()
            } else {
                ask::integers(thread, limit.name, UNTOUCHED).map(i64::from).to_vec()
            };
            let mut values: Vec<_> = values.into_iter().take(usize::from(count)).collect();
            if let [value] = values.as_mut_slice()
                && let Ok(number) = i32::try_from(*value)
            {
                *value = i64::from(binaries::shown_number(thread, limit.name, number));
            }
            if !values.contains(&i64::from(UNTOUCHED)) {
                answer(0, AnswerValues::Integers(values));
            }
        }
        Query::Floats(count) => {
            let values = ask::floats(thread, limit.name, 0.0);
            answer(
                0,
                AnswerValues::Floats(values.iter().take(usize::from(count)).map(|value| f64::from(*value)).collect()),
            );
        }
        Query::Listed(of) => {
            let count = usize::try_from(ask::integers(thread, of, 0)[0]).unwrap_or(0);
            // A list that does not fit the buffer is not queried at all.
            if count <= ask::ROOM {
                let values = ask::integers(thread, limit.name, 0);
                let values = values.iter().take(count).map(|value| i64::from(*value)).collect();
                answer(0, AnswerValues::Integers(binaries::shown(limit.name, values)));
            }
        }
        Query::Indexed(count) => {
            for index in 0..u32::from(count) {
                let values = ask::indexed(thread, limit.name, index, 0);
                answer(index, AnswerValues::Integers(vec![i64::from(values[0])]));
            }
        }
    }
    // An error of a query without an answer must not be attributed to the next one.
    ask::errors(thread).for_each(drop);
}

fn ask_precisions(thread: &Thread, capabilities: &Capabilities, answers: &mut Vec<Answer>) {
    if !capabilities.has(PRECISION_WHEN) {
        return;
    }
    for shader in PRECISION_SHADERS {
        for kind in PRECISIONS {
            let values = ask::precision(thread, shader, kind);
            answers.push((kind, shader, AnswerValues::Integers(values.map(i64::from).to_vec())));
        }
    }
}

fn ask_texts(thread: &Thread, capabilities: &Capabilities, answers: &mut Vec<Answer>) {
    for (name, count) in TEXTS {
        // Only the shading language version is available as a single string, and only in contexts that have shaders.
        let whole = name == c::GL_SHADING_LANGUAGE_VERSION && capabilities.client != Client::Es1;
        if whole && let Some(text) = ask::text(thread, name, None) {
            answers.push((name, 0, AnswerValues::Text(text)));
        }
        let known = answers.iter().find(|answer| answer.0 == count).map(|answer| &answer.2);
        if let Some(AnswerValues::Integers(known)) = known {
            let known = known.first().and_then(|known| u32::try_from(*known).ok()).unwrap_or(0);
            for index in 0..known.min(1000) {
                if let Some(text) = ask::text(thread, name, Some(index)) {
                    answers.push((name, index + 1, AnswerValues::Text(text)));
                }
            }
        }
    }
}
