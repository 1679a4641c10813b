//! `glGetUniform…`.

use api::id;
use api::reflection::kind::{Base, Shape};

use super::super::program::find;
use crate::answer::{Answer, Values, View};
use crate::fault::Fault;
use crate::handlers::Table;
use crate::objects::program::DriverResult;
use crate::variable::NumberType;

pub fn register(table: &mut Table) {
    table.ask(&[id::glGetUniformfv, id::glGetUniformfvARB], |view, args| get(view, args, None, floats));
    table.ask(&[id::glGetUniformdv], |view, args| get(view, args, None, floats));
    table.ask(&[id::glGetUniformiv, id::glGetUniformivARB], |view, args| get(view, args, None, integers));
    table.ask(&[id::glGetUniformuiv, id::glGetUniformuivEXT], |view, args| get(view, args, None, unsigned));
    table.ask(&[id::glGetUniformi64vARB], |view, args| get(view, args, None, longs));
    table.ask(&[id::glGetUniformui64vARB], |view, args| get(view, args, None, unsigned_longs));
    table.ask(
        &[id::glGetnUniformfv, id::glGetnUniformfvARB, id::glGetnUniformfvEXT, id::glGetnUniformfvKHR],
        |view, args| get(view, args, Some(4), floats),
    );
    table.ask(&[id::glGetnUniformdv, id::glGetnUniformdvARB], |view, args| get(view, args, Some(8), floats));
    table.ask(
        &[id::glGetnUniformiv, id::glGetnUniformivARB, id::glGetnUniformivEXT, id::glGetnUniformivKHR],
        |view, args| get(view, args, Some(4), integers),
    );
    table.ask(&[id::glGetnUniformuiv, id::glGetnUniformuivARB, id::glGetnUniformuivKHR], |view, args| {
        get(view, args, Some(4), unsigned)
    });
    table.ask(&[id::glGetnUniformi64vARB], |view, args| get(view, args, Some(8), longs));
    table.ask(&[id::glGetnUniformui64vARB], |view, args| get(view, args, Some(8), unsigned_longs));
}

/// A number of a uniform.
#[derive(Clone, Copy)]
enum Number {
    Float(f64),
    Signed(i64),
    Unsigned(u64),
}

/// Returns the converted value of a uniform; `size` is that of one number if the query has a buffer size.
fn get(view: &View<'_>, args: &[u64], size: Option<usize>, convert: fn(&[Number]) -> Answer) -> Result<Answer, Fault> {
    let word = |index: usize| args.get(index).copied().unwrap_or(0) as u32;
    let program = find::program(view.group, word(0))?;
    let location = word(1) as i32;
    let linked = match &program.linked {
        DriverResult::Recorded(linked) if linked.status => linked,
        DriverResult::NotRecorded => return Ok(super::super::program::not_recorded()),
        _ => return Err(super::NOT_LINKED),
    };
    let (uniform, element) = linked.slot(location).ok_or(super::NOWHERE)?;
    let room = word(2) as i32;
    if size.is_some_and(|size| (i64::from(room)) < (uniform.shape.components() * size) as i64) {
        return Err(Fault::invalid_operation("the buffer is too small for the value"));
    }
    let first = (uniform.offset + element * uniform.stride) as usize;
    let words = program.values.get(first..first + uniform.stride as usize).unwrap_or_default();
    Ok(convert(&numbers(uniform.shape, words)))
}

fn numbers(shape: Shape, words: &[u32]) -> Vec<Number> {
    let long = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
    match shape.base {
        Base::Float => words.iter().map(|word| Number::Float(f64::from(f32::from_bits(*word)))).collect(),
        Base::Double => words.chunks_exact(2).map(|pair| Number::Float(f64::from_bits(long(pair)))).collect(),
        Base::Int64 => words.chunks_exact(2).map(|pair| Number::Signed(long(pair).cast_signed())).collect(),
        Base::Uint64 => words.chunks_exact(2).map(|pair| Number::Unsigned(long(pair))).collect(),
        Base::Uint => words.iter().map(|word| Number::Unsigned(u64::from(*word))).collect(),
        _ => words.iter().map(|word| Number::Signed(i64::from(word.cast_signed()))).collect(),
    }
}

fn floats(numbers: &[Number]) -> Answer {
    let number = |number: &Number| match *number {
        Number::Float(float) => float,
        Number::Signed(integer) => integer as f64,
        Number::Unsigned(integer) => integer as f64,
    };
    Answer::numbers(NumberType::Float, &numbers.iter().map(number).collect::<Vec<_>>())
}

fn integers(numbers: &[Number]) -> Answer {
    let number = |number: &Number| match *number {
        // Mesa drops the upper bits of values out of range.
        Number::Float(float) => f64::from(float.round() as i64 as i32),
        Number::Signed(integer) => integer.clamp(i32::MIN.into(), i32::MAX.into()) as f64,
        Number::Unsigned(integer) => integer.min(i32::MAX as u64) as f64,
    };
    Answer::numbers(NumberType::Integer, &numbers.iter().map(number).collect::<Vec<_>>())
}

fn unsigned(numbers: &[Number]) -> Answer {
    let number = |number: &Number| match *number {
        Number::Float(float) => f64::from((float.round() as i64).max(0) as u32),
        Number::Signed(integer) => integer.clamp(0, u32::MAX.into()) as f64,
        Number::Unsigned(integer) => integer.min(u32::MAX.into()) as f64,
    };
    Answer::numbers(NumberType::Integer, &numbers.iter().map(number).collect::<Vec<_>>())
}

fn longs(numbers: &[Number]) -> Answer {
    let number = |number: &Number| match *number {
        Number::Float(float) => float.round() as i64,
        Number::Signed(integer) => integer,
        Number::Unsigned(integer) => integer.min(i64::MAX.cast_unsigned()).cast_signed(),
    };
    Answer { kind: NumberType::Integer, values: Values::Long(numbers.iter().map(number).collect()) }
}

fn unsigned_longs(numbers: &[Number]) -> Answer {
    let number = |number: &Number| match *number {
        Number::Float(float) => (float.round() as i64).max(0),
        Number::Signed(integer) => integer.max(0),
        Number::Unsigned(integer) => integer.cast_signed(),
    };
    Answer { kind: NumberType::Integer, values: Values::Long(numbers.iter().map(number).collect()) }
}
