//! Answers to queries.

use api::{CommandId, Library, Meaning, Namespace, Scalar, constant as c, id};

use crate::call::Memory;
use crate::context::{Client, Context};
use crate::fault::Fault;
use crate::model::{Model, Seat};
use crate::share::ShareGroup;
use crate::variable::NumberType;

/// The model's answer to a query.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The type of the values.
    pub kind: NumberType,
    /// The values.
    pub values: Values,
}

/// Values of an answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Numbers that `f64` holds exactly.
    Numbers(Vec<f64>),
    /// 64-bit integers.
    Long(Vec<i64>),
    /// A string, without its terminating NUL.
    Text(String),
    /// An address in the recorded program.
    Pointer(u64),
    /// The outputs of a query with several, by the index of the parameter that points there.
    Outputs(Vec<(u8, Answer)>),
    /// Not known, with the reason: the trace lacks the information.
    Unknown(&'static str),
}

/// What a query can access: a context as it is current in a thread.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The whole model.
    pub model: &'a Model,
    /// The context.
    pub context: &'a Context,
    /// Its share group.
    pub group: &'a ShareGroup,
    /// What else is current in the thread.
    pub seat: Seat,
}

impl Values {
    /// Returns the first value as an integer, where it is a number.
    #[must_use]
    pub fn first_integer(&self) -> Option<i64> {
        match self {
            Values::Numbers(numbers) => numbers.first().map(|number| *number as i64),
            Values::Long(numbers) => numbers.first().copied(),
            _ => None,
        }
    }
}

impl Answer {
    /// Returns one number.
    #[must_use]
    pub fn one(kind: NumberType, number: f64) -> Answer {
        Answer { kind, values: Values::Numbers(vec![number]) }
    }

    /// True or false.
    #[must_use]
    pub fn truth(truth: bool) -> Answer {
        Answer::one(NumberType::Boolean, f64::from(u8::from(truth)))
    }

    /// Numbers.
    #[must_use]
    pub fn numbers(kind: NumberType, numbers: &[f64]) -> Answer {
        Answer { kind, values: Values::Numbers(numbers.to_vec()) }
    }

    /// Returns whether a driver's answer agrees: `result` is what the query returned, `outputs` what it wrote, by the
    /// index of the parameter. `real` translates a recorded name to the driver's.
    pub fn agrees(
        &self,
        command: CommandId,
        result: u64,
        outputs: &[(u8, &[u8])],
        real: &mut dyn FnMut(Namespace, u32) -> u32,
    ) -> bool {
        let about = api::command(command);
        let element = |param: u8| {
            let memory = about.params.get(usize::from(param)).and_then(|param| param.memory);
            memory.map_or(Scalar::Void, |memory| memory.element.scalar)
        };
        if let Values::Outputs(several) = &self.values {
            return several.iter().all(|(param, answer)| {
                let bytes = outputs.iter().find(|(at, _)| at == param).map_or(&[][..], |(_, bytes)| bytes);
                answer.is_written(element(*param), bytes, real)
            });
        }
        match outputs.last() {
            Some((param, bytes)) => self.is_written(element(*param), bytes, real),
            // A returned string is an address, which cannot be compared.
            None if matches!(self.values, Values::Text(_)) => true,
            None => self.is_written(about.result.scalar, &result.to_le_bytes(), real),
        }
    }

    fn is_written(&self, scalar: Scalar, written: &[u8], real: &mut dyn FnMut(Namespace, u32) -> u32) -> bool {
        if let Values::Pointer(address) = self.values {
            let mut word = [0; 8];
            let size = if scalar == Scalar::U8 { 1 } else { 8 };
            written.iter().take(size).zip(&mut word).for_each(|(byte, place)| *place = *byte);
            let written = u64::from_le_bytes(word);
            // Addresses in the program's memory may differ in a replay; offsets into buffers must not.
            return (written == 0) == (address == 0) && (address >= 1 << 32 || written == address);
        }
        let Some(model) = self.bytes(scalar, real) else { return false };
        let (known, rest) = written.split_at(written.len().min(model.len()));
        let precision = if self.kind == NumberType::Transformed { TRANSFORMED } else { 0.0 };
        let equal = known == model || equal_floats(scalar, known, &model, precision);
        match self.values {
            Values::Text(_) => equal && rest.first().is_none_or(|byte| *byte == 0),
            // The model must not know fewer numbers than were written; less than a word is padding. Return values are
            // sign-extended to 8 bytes.
            _ => {
                let filled = |with: u8| rest.iter().all(|byte| *byte == with);
                equal && (rest.len() < 4 || written.len() <= 8 && (filled(0) || filled(0xFF) && rest.len() == 4))
            }
        }
    }

    /// Returns the bytes that a query for this type writes (GL 4.6, 2.2.2), little-endian; `None` for values without
    /// numbers. `real` translates a recorded name to the driver's.
    pub fn bytes(&self, scalar: Scalar, real: &mut dyn FnMut(Namespace, u32) -> u32) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        match &self.values {
            Values::Numbers(numbers) => {
                for number in numbers {
                    let number = match self.kind {
                        NumberType::Name(space) => f64::from(real(space, *number as u32)),
                        _ => *number,
                    };
                    push(&mut bytes, convert(self.kind, number, scalar), scalar);
                }
            }
            Values::Long(numbers) => {
                for number in numbers {
                    match scalar {
                        Scalar::I64 | Scalar::U64 => bytes.extend(number.to_le_bytes()),
                        // Values out of range are clamped (GL 4.6, 2.2.2).
                        Scalar::I32 => {
                            bytes.extend((*number).clamp(i32::MIN.into(), i32::MAX.into()).to_le_bytes()[..4].iter())
                        }
                        _ => push(&mut bytes, convert(self.kind, *number as f64, scalar), scalar),
                    }
                }
            }
            Values::Text(text) => bytes.extend(text.as_bytes()),
            Values::Pointer(_) | Values::Outputs(_) | Values::Unknown(_) => return None,
        }
        Some(bytes)
    }
}

/// How precise a driver's inverse of a matrix must be, as part of the largest value.
const TRANSFORMED: f64 = 1e-5;

/// Returns whether floats are equal: zeros of either sign are, and so are NaNs. They may differ by `precision` times the
/// largest of them.
fn equal_floats(scalar: Scalar, some: &[u8], others: &[u8], precision: f64) -> bool {
    let values = |bytes: &[u8]| -> Vec<f64> {
        let single = |word: &[u8]| f64::from(f32::from_le_bytes(word.try_into().unwrap_or_default()));
        let double = |word: &[u8]| f64::from_le_bytes(word.try_into().unwrap_or_default());
        match scalar {
            Scalar::F32 => bytes.chunks_exact(4).map(single).collect(),
            Scalar::F64 => bytes.chunks_exact(8).map(double).collect(),
            _ => Vec::new(),
        }
    };
    let (some, others) = (values(some), values(others));
    let largest = others.iter().fold(1.0, |largest: f64, value| largest.max(value.abs()));
    let is_near = |one: f64, other: f64| precision > 0.0 && (one - other).abs() <= precision * largest;
    !some.is_empty()
        && some.len() == others.len()
        && some
            .iter()
            .zip(&others)
            .all(|(&one, &other)| one == other || is_near(one, other) || one.is_nan() && other.is_nan())
}

fn push(bytes: &mut Vec<u8>, number: f64, scalar: Scalar) {
    match scalar {
        Scalar::I8 | Scalar::U8 => bytes.push(number as i64 as u8),
        Scalar::I16 | Scalar::U16 => bytes.extend((number as i64 as u16).to_le_bytes()),
        Scalar::I32 | Scalar::U32 => bytes.extend((number as i64 as u32).to_le_bytes()),
        Scalar::I64 | Scalar::U64 | Scalar::Pointer => bytes.extend((number as i64).to_le_bytes()),
        Scalar::F32 => bytes.extend((number as f32).to_le_bytes()),
        Scalar::F64 => bytes.extend(number.to_le_bytes()),
        Scalar::Void => {}
    }
}

/// Returns the result of a processor's conversion to 32 bits when the number does not fit.
pub(crate) fn cut(number: f64) -> f64 {
    if (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number) { number } else { f64::from(i32::MIN) }
}

/// Converts a number to the type that a query writes.
fn convert(kind: NumberType, number: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::U8 if kind == NumberType::Byte => number,
        Scalar::U8 => f64::from(u8::from(number != 0.0)),
        Scalar::F32 => f64::from(number as f32),
        Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 => match kind {
            // Values out of range are clamped (GL 4.6, 2.2.2).
            NumberType::Integer if scalar == Scalar::I32 => number.min(f64::from(i32::MAX)),
            NumberType::Boolean | NumberType::Integer | NumberType::Enum | NumberType::Name(_) | NumberType::Byte => {
                number
            }
            // The inverse mapping of signed normalized integers (GL 4.6, 2.3.5.2), to 32 bits whatever is requested.
            // Mesa truncates.
            NumberType::Matrix if matches!(scalar, Scalar::I64 | Scalar::U64) => match number * i64::MAX as f64 {
                fits if fits.abs() < i64::MAX as f64 => fits.trunc(),
                _ => i64::MIN as f64,
            },
            NumberType::Normalized | NumberType::Matrix => cut((number * f64::from(i32::MAX)).trunc()),
            NumberType::Float | NumberType::Transformed => number.round(),
        },
        _ => number,
    }
}

/// Returns an argument of a query that is an enum, a name or another 32-bit unsigned number; 0 when it has none of that
/// index.
pub(crate) fn word(args: &[u64], index: usize) -> u32 {
    args.get(index).copied().unwrap_or(0) as u32
}

impl Model {
    /// Returns what is current in a thread; `None` when it has no context.
    #[must_use]
    pub fn view(&self, thread: u32) -> Option<View<'_>> {
        let seat = self.seat(thread);
        let context = self.context(seat.context)?;
        Some(View { model: self, context, group: self.group_of(context)?, seat })
    }
}

/// Returns whether an argument is an enum that the registry does not list.
fn has_unlisted_enum(command: CommandId, args: &[u64]) -> bool {
    api::command(command).params.iter().zip(args).any(|(param, word)| {
        matches!(param.value.meaning, Meaning::Enum(_))
            && api::enums::any_name(Library::Gl, i64::from(*word as u32)).is_none()
    })
}

impl View<'_> {
    /// Returns GL's answer to a query: `args` are the call's arguments; the one that the query writes to is ignored.
    ///
    /// # Errors
    /// When GL rejects the query. The model is not changed, not even the context's error.
    pub fn answer(&self, command: CommandId, args: &[u64]) -> Option<Result<Answer, Fault>> {
        // Doubles exist only in desktop GL; other contexts have these functions, but they only set an error.
        let doubles = [id::glGetDoublev, id::glGetDoublei_v, id::glGetVertexAttribdv];
        if self.context.facts.client == Client::Es2 && doubles.contains(&command) {
            return Some(Err(Fault::invalid_operation("OpenGL ES does not have this function")));
        }
        let answerer = crate::handlers::table().answerer(command)?;
        Some(answerer(self, args))
    }

    /// Returns GL's answer to a query that may read memory, such as the name of a uniform.
    ///
    /// # Errors
    /// As for [`Model::answer`].
    pub fn answer_with(&self, command: CommandId, args: &[u64], memory: &dyn Memory) -> Option<Result<Answer, Fault>> {
        let answer = match crate::handlers::table().inquirer(command) {
            Some(inquirer) => Some(inquirer(self, args, memory)),
            None => self.answer(command, args),
        };
        // ANGLE has many properties that the registry does not list, and formats that Mesa does not have.
        let private = self.context.facts.has("GL_ANGLE_request_extension")
            && (command == id::glGetInternalformativ || has_unlisted_enum(command, args));
        answer.filter(|answer| !private || !matches!(answer, Err(fault) if fault.error == c::GL_INVALID_ENUM))
    }
}
