//! Uniforms outside of blocks: the most frequent commands of many programs.

mod get;
mod names;
mod reserved;

use api::constant as c;
use api::reflection::kind::Base;

use super::Table;
use super::program::find;
use crate::context::Facts;
use crate::fault::Fault;
use crate::objects::program::{DriverResult, Program, Uniform};
use crate::observer::{ContentsRef, Source};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    names::register(table);
    get::register(table);
}

/// Number types, as constants for const generics.
pub mod base {
    pub const FLOAT: u8 = 0;
    pub const INT: u8 = 1;
    pub const UINT: u8 = 2;
    pub const DOUBLE: u8 = 3;
    pub const INT64: u8 = 4;
    pub const UINT64: u8 = 5;
}

const NO_PROGRAM: Fault = Fault::invalid_operation("no program is current");
const NOT_LINKED: Fault = Fault::invalid_operation("the program is not linked");
const NOWHERE: Fault = Fault::invalid_operation("the program has no uniform at this location");
const NEGATIVE: Fault = Fault::invalid_value("the number of elements is negative");
const NO_ARRAY: Fault = Fault::invalid_operation("the count is greater than 1 for a uniform that is not an array");
const OTHER_SIZE: Fault = Fault::invalid_operation("the uniform has a different number of components");
const OTHER_TYPE: Fault = Fault::invalid_operation("the uniform has a different type");

/// `glUniform4f` and so on.
fn scalar<const BASE: u8, const N: usize>(step: &mut Step<'_>) -> Done {
    let (name, location) = (current(step)?, step.int(0));
    few::<BASE, N>(step, name, location, 1)
}

/// `glProgramUniform4f` and so on.
fn program_scalar<const BASE: u8, const N: usize>(step: &mut Step<'_>) -> Done {
    let (name, location) = (named(step)?, step.int(1));
    few::<BASE, N>(step, name, location, 2)
}

/// `glUniform4fv` and so on.
fn vector<const BASE: u8, const N: usize>(step: &mut Step<'_>) -> Done {
    let (name, location, count) = (current(step)?, step.int(0), step.int(1));
    let bytes = step.call.memory.input_bytes(2).unwrap_or_default();
    set_vector(step, name, location, count, (BASE, N), Words::Bytes(&bytes))
}

/// `glProgramUniform4fv` and so on.
fn program_vector<const BASE: u8, const N: usize>(step: &mut Step<'_>) -> Done {
    let (name, location, count) = (named(step)?, step.int(1), step.int(2));
    let bytes = step.call.memory.input_bytes(3).unwrap_or_default();
    set_vector(step, name, location, count, (BASE, N), Words::Bytes(&bytes))
}

/// `glUniformMatrix4fv` and so on.
fn matrix<const BASE: u8, const COLUMNS: u8, const ROWS: u8>(step: &mut Step<'_>) -> Done {
    let (name, location, count, transpose) = (current(step)?, step.int(0), step.int(1), step.truth(2));
    let bytes = step.call.memory.input_bytes(3).unwrap_or_default();
    set_matrix(step, (name, location, count), (BASE, COLUMNS, ROWS), transpose, &bytes)
}

/// `glProgramUniformMatrix4fv` and so on.
fn program_matrix<const BASE: u8, const COLUMNS: u8, const ROWS: u8>(step: &mut Step<'_>) -> Done {
    let (name, location, count, transpose) = (named(step)?, step.int(1), step.int(2), step.truth(3));
    let bytes = step.call.memory.input_bytes(4).unwrap_or_default();
    set_matrix(step, (name, location, count), (BASE, COLUMNS, ROWS), transpose, &bytes)
}

/// Returns the program whose uniforms are set when none is named.
#[inline]
fn current(step: &Step<'_>) -> Result<u32, Fault> {
    match find::active(step.context) {
        0 => Err(NO_PROGRAM),
        name => Ok(name),
    }
}

#[inline]
fn named(step: &Step<'_>) -> Result<u32, Fault> {
    let name = step.name(0);
    find::program(step.group, name)?;
    Ok(name)
}

/// Returns numbers that are arguments, from an index on.
#[inline]
fn few<const BASE: u8, const N: usize>(step: &mut Step<'_>, name: u32, location: i32, first: usize) -> Done {
    let mut words = [0; 8];
    for at in 0..N {
        let word = step.word(first + at);
        if BASE >= base::DOUBLE {
            words[2 * at] = word as u32;
            words[2 * at + 1] = (word >> 32) as u32;
        } else {
            words[at] = word as u32;
        }
    }
    let count = if BASE >= base::DOUBLE { 2 * N } else { N };
    set_vector(step, name, location, 1, (BASE, N), Words::Few(&words[..count]))
}

/// Words of a call.
#[derive(Clone, Copy)]
enum Words<'a> {
    Few(&'a [u32]),
    Bytes(&'a [u8]),
}

impl Words<'_> {
    #[inline]
    fn len(self) -> usize {
        match self {
            Words::Few(words) => words.len(),
            Words::Bytes(bytes) => bytes.len() / 4,
        }
    }

    #[inline]
    fn at(self, index: usize) -> u32 {
        match self {
            Words::Few(words) => words[index],
            Words::Bytes(bytes) => {
                u32::from_le_bytes([bytes[4 * index], bytes[4 * index + 1], bytes[4 * index + 2], bytes[4 * index + 3]])
            }
        }
    }
}

/// The destination of values, as returned by [`place`].
struct UniformLocation {
    uniform: Uniform,
    element: u32,
}

/// Returns the uniform at a location; `None` when the call has no effect. `NOWHERE` and `NO_ARRAY` are Mesa's rules.
#[inline]
fn place(program: &Program, location: i32, count: i32) -> Result<Option<UniformLocation>, Fault> {
    if count < 0 {
        return Err(NEGATIVE);
    }
    let linked = match &program.linked {
        DriverResult::Recorded(linked) if linked.status => linked,
        // The trace does not record the uniforms.
        DriverResult::NotRecorded => return Ok(None),
        _ => return Err(NOT_LINKED),
    };
    if location == -1 {
        return Ok(None);
    }
    let Some((uniform, element)) = linked.slot(location) else { return Err(NOWHERE) };
    if count > 1 && !uniform.array {
        return Err(NO_ARRAY);
    }
    Ok(Some(UniformLocation { uniform: *uniform, element }))
}

fn set_vector(
    step: &mut Step<'_>,
    name: u32,
    location: i32,
    count: i32,
    (given, components): (u8, usize),
    words: Words<'_>,
) -> Done {
    let program = find::program(step.group, name)?;
    let found = place(program, location, count).or_else(|fault| reserved::ignore(step.group, program, location, fault));
    let Some(UniformLocation { uniform, element }) = found? else { return Ok(()) };
    let shape = uniform.shape;
    if shape.columns != 1 {
        return Err(Fault::invalid_operation("the uniform is a matrix"));
    }
    if usize::from(shape.rows) != components {
        return Err(OTHER_SIZE);
    }
    let fits = match shape.base {
        Base::Float => given == base::FLOAT,
        Base::Int => given == base::INT,
        Base::Uint => given == base::UINT,
        Base::Double => given == base::DOUBLE,
        Base::Int64 => given == base::INT64,
        Base::Uint64 => given == base::UINT64,
        Base::Bool => given != base::DOUBLE,
        Base::Sampler => given == base::INT,
        // In OpenGL ES images are bound by their shaders only (ES 3.2, 7.6.1).
        Base::Image => given == base::INT && step.facts().desktop(1, 0),
        Base::AtomicCounter => false,
    };
    if !fits {
        return Err(OTHER_TYPE);
    }
    let wide = if given >= base::DOUBLE { 2 } else { 1 };
    let elements = (count as usize).min((uniform.size - element) as usize).min(words.len() / (components * wide));
    if shape.is_opaque() {
        // All given values count here, even those beyond the array.
        check_units(step.facts(), shape.base, words, (count as usize).min(words.len()))?;
    }
    let first = (uniform.offset + element * uniform.stride) as usize;
    let truth = |index: usize| match given {
        base::FLOAT => u32::from(f32::from_bits(words.at(index)) != 0.0),
        base::INT | base::UINT => u32::from(words.at(index) != 0),
        _ => u32::from(words.at(2 * index) | words.at(2 * index + 1) != 0),
    };
    if shape.base == Base::Bool {
        Values::new(program, first, elements * components, truth).write(step, name);
    } else {
        Values::new(program, first, elements * components * wide, |index| words.at(index)).write(step, name);
    }
    Ok(())
}

/// Rejects units that do not exist.
fn check_units(facts: &Facts, base: Base, words: Words<'_>, count: usize) -> Done {
    let limit = match base {
        Base::Sampler => facts.limits.integer(c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, i64::MAX),
        _ => facts.limits.integer(c::GL_MAX_IMAGE_UNITS, i64::MAX),
    };
    if (0..count).any(|index| i64::from(words.at(index)) >= limit) {
        return Err(Fault::invalid_value("the texture or image unit is too large"));
    }
    Ok(())
}

fn set_matrix(
    step: &mut Step<'_>,
    (name, location, count): (u32, i32, i32),
    (given, columns, rows): (u8, u8, u8),
    transpose: bool,
    bytes: &[u8],
) -> Done {
    let program = find::program(step.group, name)?;
    let found = place(program, location, count).or_else(|fault| reserved::ignore(step.group, program, location, fault));
    let Some(UniformLocation { uniform, element }) = found? else { return Ok(()) };
    let facts = step.facts();
    if transpose && facts.client == crate::Client::Es2 && facts.version < (3, 0) {
        return Err(Fault::invalid_value("OpenGL ES 2 cannot transpose matrices"));
    }
    let shape = uniform.shape;
    if shape.columns == 1 {
        return Err(Fault::invalid_operation("the uniform is not a matrix"));
    }
    if (shape.columns, shape.rows) != (columns, rows) {
        return Err(OTHER_SIZE);
    }
    let wanted = if shape.base == Base::Double { base::DOUBLE } else { base::FLOAT };
    if given != wanted {
        return Err(OTHER_TYPE);
    }
    let wide = if given == base::DOUBLE { 2 } else { 1 };
    let numbers = shape.components();
    let words = Words::Bytes(bytes);
    let elements = (count as usize).min((uniform.size - element) as usize).min(words.len() / (numbers * wide));
    let first = (uniform.offset + element * uniform.stride) as usize;
    if transpose {
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        let turned = |index| {
            let (number, half) = (index / wide, index % wide);
            let (matrix, inside) = (number / numbers, number % numbers);
            let (column, row) = (inside / rows, inside % rows);
            words.at((matrix * numbers + row * columns + column) * wide + half)
        };
        Values::new(program, first, elements * numbers * wide, turned).write(step, name);
    } else {
        Values::new(program, first, elements * numbers * wide, |index| words.at(index)).write(step, name);
    }
    Ok(())
}

/// Words for a program's values. Unchanged values are not copied: programs often set the same values again.
struct Values<F> {
    object: u64,
    first: usize,
    count: usize,
    /// Whether they differ from what the program has; `None` if it has no such values.
    differ: Option<bool>,
    word: F,
}

impl<F: Fn(usize) -> u32> Values<F> {
    #[inline]
    fn new(program: &Program, first: usize, count: usize, word: F) -> Values<F> {
        let before = program.values.get(first..first + count);
        let differ = before.map(|before| before.iter().enumerate().any(|(index, before)| *before != word(index)));
        Values { object: program.object, first, count, differ, word }
    }

    /// Writes them to the program, which has that name.
    #[inline]
    fn write(self, step: &mut Step<'_>, name: u32) {
        let Values { object, first, count, differ, word } = self;
        let Some(differ) = differ else { return };
        if differ && let Ok(program) = find::program_mut(step.group, name) {
            let values = std::sync::Arc::make_mut(&mut program.values);
            for (index, value) in values[first..first + count].iter_mut().enumerate() {
                *value = word(index);
            }
        }
        step.writes(ContentsRef::Object { object }, Source::Fill { whole: false });
    }
}
