//! Current vertex attributes: `glColor`, `glNormal`, `glTexCoord`, `glVertexAttrib` and similar commands, in all types.

use std::sync::{Arc, LazyLock};

use api::{Attribute, COMMANDS, Command, CommandId, Count, NumberForm, Operation, Scalar, Trait, constant as c};

use super::{coordinate_units, wide};
use crate::answer::{Answer, View};
use crate::context::{Client, Context};
use crate::fault::Fault;
use crate::handlers::Table;
use crate::handlers::plain::most;
use crate::step::{Done, Step};
use crate::variable::{self as var, NumberType};

/// What a command sets, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Setter {
    attribute: Attribute,
    form: NumberForm,
    /// How many numbers it takes.
    count: u8,
    /// The type of its numbers.
    scalar: Scalar,
    /// Whether its numbers are fixed-point.
    fixed: bool,
    /// Whether its last parameter points to the numbers.
    vector: bool,
}

/// What each command does.
static SETTERS: LazyLock<Vec<Option<Setter>>> = LazyLock::new(|| COMMANDS.iter().map(Setter::of).collect());

pub fn register(table: &mut Table) {
    for (at, setter) in SETTERS.iter().enumerate() {
        if setter.is_some() {
            table.on(&[CommandId(at as u16)], set);
        }
    }
    table.plain_getter(get);
}

impl Setter {
    /// Returns what a command sets, if it sets a current attribute that is modelled.
    fn of(command: &Command) -> Option<Setter> {
        let Operation::SetCurrent(attribute, form) = command.operation else { return None };
        // 64-bit integers, 16-bit floats and the attributes of NV_vertex_program are not modelled.
        if matches!(form, NumberForm::Integer64 | NumberForm::Half) || attribute == Attribute::Aliased {
            return None;
        }
        let last = command.params.last()?;
        let scalar = last.memory.map_or(last.value.scalar, |memory| memory.element.scalar);
        let count = match (form, last.memory.map(|memory| memory.count)) {
            (NumberForm::Packed(count), _) => usize::from(count),
            (_, Some(Count::Fixed(count))) => count as usize,
            (_, Some(_)) => return None,
            (_, None) => command.params.len() - before(attribute, form),
        };
        let (count, fixed) = (count.min(4) as u8, command.has(Trait::FixedPoint));
        Some(Setter { attribute, form, count, scalar, fixed, vector: last.memory.is_some() })
    }
}

/// Returns the number of arguments before the numbers.
fn before(attribute: Attribute, form: NumberForm) -> usize {
    let name = usize::from(matches!(attribute, Attribute::MultiTexCoord | Attribute::Generic));
    match (form, attribute) {
        // The type of a packed attribute, and whether it is normalized.
        (NumberForm::Packed(_), Attribute::Generic) => name + 2,
        (NumberForm::Packed(_), _) => name + 1,
        _ => name,
    }
}

fn set(step: &mut Step<'_>) -> Done {
    let Some(Some(setter)) = SETTERS.get(usize::from(step.call.command.0)).copied() else { return Ok(()) };
    // The packed format is checked before the attribute index.
    let words = words(step, setter)?;
    let slot = place(step, setter)?;
    let Some(words) = words else { return Ok(()) };
    store(step.context, slot, setter, words);
    Ok(())
}

/// Returns the index of the attribute; `None` when it is not kept.
fn place(step: &Step<'_>, setter: Setter) -> Result<Option<usize>, Fault> {
    match setter.attribute {
        Attribute::Generic => {
            let index = step.name(0);
            if index >= most(step.facts(), c::GL_MAX_VERTEX_ATTRIBS, 16).min(32) {
                return Err(Fault::invalid_value("the vertex attribute index is too large"));
            }
            // Between `glBegin` and `glEnd` attribute 0 is the vertex, in contexts that have vertices.
            let vertex = index == 0 && step.context.fixed.begun.is_some();
            Ok((!vertex).then_some(index as usize))
        }
        Attribute::MultiTexCoord => {
            // Mesa uses only three bits of the unit.
            Ok(Some((step.name(0).wrapping_sub(c::GL_TEXTURE0) & 7) as usize))
        }
        _ => Ok(Some(0)),
    }
}

/// Returns the numbers as bits of the attribute's type; `None` when they were not recorded.
fn words(step: &Step<'_>, setter: Setter) -> Result<Option<[u32; 8]>, Fault> {
    let one = 1.0f32.to_bits();
    let mut words = match setter.form {
        NumberForm::Integer => [0, 0, 0, 1, 0, 0, 0, 0],
        NumberForm::Double => {
            let one = 1.0f64.to_bits();
            [0, 0, 0, 0, 0, 0, one as u32, (one >> 32) as u32]
        }
        _ => [0, 0, 0, one, 0, 0, 0, 0],
    };
    let first = before(setter.attribute, setter.form);
    if matches!(setter.form, NumberForm::Packed(_)) {
        let word = if setter.vector {
            let Some(bytes) = step.input(first as u8) else { return Ok(None) };
            bytes.first_chunk::<4>().map_or(0, |word| u32::from_le_bytes(*word))
        } else {
            step.name(first)
        };
        let unpacked = unpack(step, setter, word)?;
        for (at, number) in unpacked.iter().take(usize::from(setter.count)).enumerate() {
            words[at] = number.to_bits();
        }
        return Ok(Some(words));
    }
    let mut numbers = [0u64; 4];
    if setter.vector {
        let Some(bytes) = step.input(first as u8) else { return Ok(None) };
        let size = size_of(setter.scalar);
        for (number, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(size)).take(usize::from(setter.count)) {
            let mut word = [0; 8];
            word[..size].copy_from_slice(bytes);
            *number = u64::from_le_bytes(word);
        }
    } else {
        for (at, number) in numbers.iter_mut().enumerate().take(usize::from(setter.count)) {
            *number = step.word(first + at);
        }
    }
    for (at, number) in numbers.iter().enumerate().take(usize::from(setter.count)) {
        match setter.form {
            NumberForm::Double => {
                words[at * 2] = *number as u32;
                words[at * 2 + 1] = (*number >> 32) as u32;
            }
            NumberForm::Integer => words[at] = integer(*number, setter.scalar),
            _ if setter.fixed => words[at] = crate::step::fixed(*number as u32).to_bits(),
            _ => words[at] = float(*number, setter.scalar, setter.form == NumberForm::Normalized).to_bits(),
        }
    }
    Ok(Some(words))
}

fn size_of(scalar: Scalar) -> usize {
    match scalar {
        Scalar::I8 | Scalar::U8 => 1,
        Scalar::I16 | Scalar::U16 => 2,
        Scalar::F64 => 8,
        _ => 4,
    }
}

fn integer(word: u64, scalar: Scalar) -> u32 {
    match scalar {
        Scalar::I8 => i32::from(word as u8 as i8) as u32,
        Scalar::U8 => u32::from(word as u8),
        Scalar::I16 => i32::from(word as u16 as i16) as u32,
        Scalar::U16 => u32::from(word as u16),
        _ => word as u32,
    }
}

/// Converts a number to a float. Normalization is that of GL 2.1 (GL 4.6 compatibility, 2.3.5.1), which Mesa uses here.
fn float(word: u64, scalar: Scalar, normalized: bool) -> f32 {
    match (scalar, normalized) {
        (Scalar::F32, _) => f32::from_bits(word as u32),
        (Scalar::F64, _) => f64::from_bits(word) as f32,
        (Scalar::I8, false) => f32::from(word as u8 as i8),
        (Scalar::U8, false) => f32::from(word as u8),
        (Scalar::I16, false) => f32::from(word as u16 as i16),
        (Scalar::U16, false) => f32::from(word as u16),
        (Scalar::I32, false) => word as u32 as i32 as f32,
        (_, false) => word as u32 as f32,
        (Scalar::I8, true) => (2.0 * f32::from(word as u8 as i8) + 1.0) * (1.0 / 255.0),
        (Scalar::U8, true) => f32::from(word as u8) / 255.0,
        (Scalar::I16, true) => (2.0 * f32::from(word as u16 as i16) + 1.0) * (1.0 / 65535.0),
        (Scalar::U16, true) => f32::from(word as u16) * (1.0 / 65535.0),
        (Scalar::I32, true) => super::normalized(word as u32 as i32),
        (_, true) => (word as u32 as f32) * (1.0 / 4_294_967_295.0),
    }
}

/// Returns the numbers of a packed attribute.
fn unpack(step: &Step<'_>, setter: Setter, word: u32) -> Result<[f32; 4], Fault> {
    let (kind, normalized) = match setter.attribute {
        Attribute::Generic => (step.name(1), step.truth(2)),
        Attribute::MultiTexCoord => (step.name(1), false),
        attribute => {
            (step.name(0), matches!(attribute, Attribute::Color | Attribute::SecondaryColor | Attribute::Normal))
        }
    };
    let fields = [(0, 10), (10, 10), (20, 10), (30, 2)];
    match kind {
        c::GL_UNSIGNED_INT_2_10_10_10_REV => Ok(fields.map(|(at, bits)| {
            let (field, most) = (word >> at & ((1 << bits) - 1), ((1u32 << bits) - 1) as f32);
            if normalized { field as f32 / most } else { field as f32 }
        })),
        c::GL_INT_2_10_10_10_REV => {
            let newer = step.facts().es(3, 0) || step.facts().desktop(4, 2);
            Ok(fields.map(|(at, bits)| {
                let field = ((word << (32 - at - bits)) as i32 >> (32 - bits)) as f32;
                let most = ((1u32 << (bits - 1)) - 1) as f32;
                match (normalized, newer) {
                    (false, _) => field,
                    (true, true) => (field / most).max(-1.0),
                    (true, false) => (2.0 * field + 1.0) * (1.0 / ((1u32 << bits) - 1) as f32),
                }
            }))
        }
        // Mesa accepts it for any number of components except four.
        c::GL_UNSIGNED_INT_10F_11F_11F_REV if setter.attribute == Attribute::Generic && setter.count != 4 => {
            let small = |bits: u32, mantissa: u32| {
                let (exponent, fraction) = (bits >> mantissa, bits & ((1 << mantissa) - 1));
                let scale = (1u32 << mantissa) as f32;
                match exponent {
                    0 => fraction as f32 / scale / 16384.0,
                    31 if fraction == 0 => f32::INFINITY,
                    31 => f32::NAN,
                    _ => (1.0 + fraction as f32 / scale) * f32::from_bits((exponent + 112) << 23),
                }
            };
            Ok([small(word & 0x7FF, 6), small(word >> 11 & 0x7FF, 6), small(word >> 22, 5), 1.0])
        }
        _ => Err(Fault::invalid_enum("invalid packed attribute type")),
    }
}

fn store(context: &mut Context, place: Option<usize>, setter: Setter, words: [u32; 8]) {
    let Some(place) = place else { return };
    if setter.attribute == Attribute::Position {
        return;
    }
    let floats = [0, 1, 2, 3].map(|at| f32::from_bits(words[at]));
    let current = Arc::make_mut(&mut context.current);
    match setter.attribute {
        Attribute::Color => current.colour = floats,
        // The fourth component of a secondary colour is unused and constant.
        Attribute::SecondaryColor => current.secondary = [floats[0], floats[1], floats[2], 1.0],
        Attribute::Normal => current.normal = [floats[0], floats[1], floats[2]],
        Attribute::FogCoord => current.fog = floats[0],
        Attribute::Index => current.index = floats[0],
        Attribute::EdgeFlag => current.edge = floats[0] != 0.0,
        Attribute::TexCoord | Attribute::MultiTexCoord => {
            if let Some(coordinates) = current.texture.get_mut(place) {
                *coordinates = floats;
            }
        }
        Attribute::Generic => current.generic[place] = words,
        Attribute::Position | Attribute::Aliased => {}
    }
    if setter.attribute == Attribute::Color && context.vars.get(var::COLOR_MATERIAL) != 0.0 {
        super::track_material(context);
    }
}

fn get(view: &View<'_>, name: u32) -> Option<Result<Answer, Fault>> {
    let facts = &view.context.facts;
    let (current, fixed) = (&view.context.current, &view.context.fixed);
    let unit = view.context.vars.name(var::ACTIVE_TEXTURE).wrapping_sub(c::GL_TEXTURE0);
    let coordinates = |list: &[[f32; 4]; 8]| match list.get(unit as usize) {
        Some(one) if unit < coordinate_units(facts) => Ok(Answer::numbers(NumberType::Float, &wide(*one))),
        _ => Err(Fault::invalid_operation("the texture unit has no fixed-function state")),
    };
    if facts.client == Client::Es2 {
        return None;
    }
    match name {
        c::GL_CURRENT_COLOR => return Some(Ok(Answer::numbers(NumberType::Normalized, &wide(current.colour)))),
        c::GL_CURRENT_NORMAL => return Some(Ok(Answer::numbers(NumberType::Normalized, &wide(current.normal)))),
        c::GL_CURRENT_TEXTURE_COORDS => return Some(coordinates(&current.texture)),
        _ if facts.client == Client::Es1 => return None,
        _ => {}
    }
    Some(Ok(match name {
        c::GL_CURRENT_SECONDARY_COLOR => Answer::numbers(NumberType::Normalized, &wide(current.secondary)),
        c::GL_CURRENT_FOG_COORD => Answer::one(NumberType::Float, current.fog.into()),
        c::GL_CURRENT_INDEX => Answer::one(NumberType::Float, current.index.into()),
        c::GL_EDGE_FLAG => Answer::truth(current.edge),
        c::GL_CURRENT_RASTER_TEXTURE_COORDS => return Some(coordinates(&fixed.raster_texture_coords)),
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use api::id;

    use super::*;

    #[test]
    fn setters_follow_from_operations_and_parameters() {
        let known = |id: CommandId| {
            let setter = Setter::of(api::command(id))?;
            Some((setter.attribute, setter.count, setter.scalar, setter.form, setter.vector))
        };
        let normalized = NumberForm::Normalized;
        assert_eq!(known(id::glColor4ubv), Some((Attribute::Color, 4, Scalar::U8, normalized, true)));
        let integer = NumberForm::Integer;
        assert_eq!(known(id::glVertexAttribI4ui), Some((Attribute::Generic, 4, Scalar::U32, integer, false)));
        assert_eq!(known(id::glVertexAttrib4NusvARB), Some((Attribute::Generic, 4, Scalar::U16, normalized, true)));
        let plain = NumberForm::Plain;
        assert_eq!(known(id::glMultiTexCoord2fARB), Some((Attribute::MultiTexCoord, 2, Scalar::F32, plain, false)));
        assert_eq!(known(id::glNormalP3ui), Some((Attribute::Normal, 3, Scalar::U32, NumberForm::Packed(3), false)));
        assert_eq!(known(id::glFogCoordd), Some((Attribute::FogCoord, 1, Scalar::F64, plain, false)));
        let others = [
            id::glColorMask,
            id::glVertexAttribPointer,
            id::glColorPointer,
            id::glIndexMask,
            id::glVertexAttribDivisor,
            id::glVertexAttribL1ui64ARB,
            id::glColor3hNV,
        ];
        for other in others {
            assert!(Setter::of(api::command(other)).is_none(), "{}", api::command(other).name);
        }
        assert!(Setter::of(api::command(id::glColor4x)).is_some_and(|setter| setter.fixed));
    }
}
