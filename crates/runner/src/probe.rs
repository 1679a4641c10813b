//! Probes of pixels and buffers.

use pipeline::State;
use raster::Color;
use shader_test::command::{Area, Comparison, Expected, Number};

use crate::Failure;
use crate::target::Targets;

/// A rectangle of pixels: left, bottom, width, height.
pub(crate) type Rectangle = [i32; 4];

/// The pixels of an area in a target of this size. A single pixel beyond the edge is moved to the edge.
pub(crate) fn rectangle(area: Area, size: [u32; 2]) -> Rectangle {
    let [width, height] = size.map(|n| n as f32);
    match area {
        Area::All => [0, 0, size[0] as i32, size[1] as i32],
        Area::Pixels(pixels) => pixels,
        Area::Relative([x, y, w, h]) => {
            [(x * width) as i32, (y * height) as i32, (w * width) as i32, (h * height) as i32]
        }
        Area::RelativePixel([x, y]) => {
            [((x * width) as i32).min(size[0] as i32 - 1), ((y * height) as i32).min(size[1] as i32 - 1), 1, 1]
        }
    }
}

/// The first pixel that differs from the expected colour.
pub(crate) fn pixels(
    state: &State,
    targets: &Targets,
    [left, bottom, width, height]: Rectangle,
    expected: Expected,
    tolerance: [f32; 4],
) -> Option<Failure> {
    for y in bottom..bottom.saturating_add(height) {
        for x in left..left.saturating_add(width) {
            let place = u32::try_from(x).ok().zip(u32::try_from(y).ok());
            let found = place.and_then(|(x, y)| targets.pixel(state, x, y));
            if !found.is_some_and(|found| agrees(found, expected, tolerance)) {
                return Some(Failure {
                    line: 0,
                    what: format!("pixel ({x}, {y})"),
                    expected: shown(expected),
                    found: found.map_or_else(|| "no pixel".to_owned(), |found| color(found, expected)),
                });
            }
        }
    }
    None
}

fn agrees(found: Color, expected: Expected, tolerance: [f32; 4]) -> bool {
    let near = |expected: &[f32]| {
        let channels = found.floats();
        expected.iter().zip(channels).zip(tolerance).all(|((e, f), t)| (e - f).abs() <= t || (e.is_nan() && f.is_nan()))
    };
    match expected {
        Expected::Rgb(rgb) => near(&rgb),
        Expected::Rgba(rgba) => near(&rgba),
        Expected::Integers(whole) => found.bits() == whole.map(i32::cast_unsigned),
    }
}

fn shown(expected: Expected) -> String {
    match expected {
        Expected::Rgb(rgb) => list(&rgb),
        Expected::Rgba(rgba) => list(&rgba),
        Expected::Integers(whole) => list(&whole),
    }
}

fn color(color: Color, expected: Expected) -> String {
    let channels = if matches!(expected, Expected::Rgb(_)) { 3 } else { 4 };
    match color {
        Color::Float(v) => list(&v[..channels]),
        Color::Int(v) => list(&v[..channels]),
        Color::Uint(v) => list(&v[..channels]),
    }
}

fn list<T: std::fmt::Display>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// Compares a number in a buffer, within the tolerance if there is one.
pub(crate) fn number(
    bytes: &[u8],
    offset: u32,
    comparison: Comparison,
    expected: Number,
    tolerance: Option<f32>,
) -> Option<Failure> {
    let word = || bytes.get(offset as usize..)?.first_chunk::<4>().map(|b| u32::from_le_bytes(*b));
    let long = || bytes.get(offset as usize..)?.first_chunk::<8>().map(|b| u64::from_le_bytes(*b));
    let found = match expected {
        Number::Int(_) => word().map(|w| Number::Int(w.cast_signed())),
        Number::Uint(_) => word().map(Number::Uint),
        Number::Int64(_) => long().map(|l| Number::Int64(l.cast_signed())),
        Number::Uint64(_) => long().map(Number::Uint64),
        Number::Float(_) => word().map(|w| Number::Float(f32::from_bits(w))),
        Number::Double(_) => long().map(|l| Number::Double(f64::from_bits(l))),
    };
    let holds = match (expected, found) {
        (Number::Int(e), Some(Number::Int(f))) => compare(comparison, &e, &f),
        (Number::Uint(e), Some(Number::Uint(f))) => compare(comparison, &e, &f),
        (Number::Int64(e), Some(Number::Int64(f))) => compare(comparison, &e, &f),
        (Number::Uint64(e), Some(Number::Uint64(f))) => compare(comparison, &e, &f),
        (Number::Float(e), Some(Number::Float(f))) => match tolerance {
            Some(tolerance) => (e - f).abs() < tolerance,
            None => compare(comparison, &e, &f),
        },
        (Number::Double(e), Some(Number::Double(f))) => match tolerance {
            Some(tolerance) => (e - f).abs() < f64::from(tolerance),
            None => compare(comparison, &e, &f),
        },
        _ => false,
    };
    let text = |number| match number {
        Number::Int(n) => n.to_string(),
        Number::Uint(n) => n.to_string(),
        Number::Int64(n) => n.to_string(),
        Number::Uint64(n) => n.to_string(),
        Number::Float(n) => n.to_string(),
        Number::Double(n) => n.to_string(),
    };
    (!holds).then(|| Failure {
        line: 0,
        what: format!("byte {offset}"),
        expected: format!("{} {}", sign(comparison), text(expected)),
        found: found.map_or_else(|| "the end of the buffer".to_owned(), text),
    })
}

fn compare<T: PartialOrd>(comparison: Comparison, expected: &T, found: &T) -> bool {
    match comparison {
        Comparison::Equal => expected == found,
        Comparison::NotEqual => expected != found,
        Comparison::Less => expected < found,
        Comparison::LessEqual => expected <= found,
        Comparison::Greater => expected > found,
        Comparison::GreaterEqual => expected >= found,
    }
}

/// The comparison with its operands swapped: how the actual value must relate to the expected one.
fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => ">",
        Comparison::LessEqual => ">=",
        Comparison::Greater => "<",
        Comparison::GreaterEqual => "<=",
    }
}
