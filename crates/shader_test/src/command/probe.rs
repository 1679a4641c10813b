//! Commands that check the result.

use crate::scan::Scan;

/// What to check, and the expected value.
#[derive(Clone, PartialEq, Debug)]
pub enum Probe {
    /// The colours of pixels.
    Pixels(Area, Expected),
    /// Like `Pixels`, but a difference only causes a warning.
    Warn(Area, Expected),
    /// The depth of a pixel.
    Depth([u32; 2], f32),
    /// A number in a buffer.
    Buffer {
        /// The kind of buffer.
        buffer: Buffer,
        /// The binding point.
        binding: u32,
        /// The offset in bytes.
        offset: u32,
        /// How the expected number must relate to the actual one.
        comparison: Comparison,
        /// The expected number.
        expected: Number,
    },
}

/// The pixels to check.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Area {
    /// All pixels.
    All,
    /// Left, bottom, width, height in pixels.
    Pixels([i32; 4]),
    /// The same, as fractions of the window's size.
    Relative([f32; 4]),
    /// A single pixel, as fractions of the window's size.
    RelativePixel([f32; 2]),
}

/// The expected colour of a pixel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Expected {
    /// Red, green and blue.
    Rgb([f32; 3]),
    /// Red, green, blue and alpha.
    Rgba([f32; 4]),
    /// For an integer framebuffer.
    Integers([i32; 4]),
}

/// The kind of buffer that contains a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffer {
    /// Atomic counters.
    Atomic,
    /// Shader storage.
    Storage,
    /// Transform feedback; compared within the tolerance.
    Feedback,
}

/// A typed number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// 32 bits.
    Int(i32),
    /// 32 bits.
    Uint(u32),
    /// 64 bits.
    Int64(i64),
    /// 64 bits.
    Uint64(u64),
    /// 32 bits.
    Float(f32),
    /// 64 bits.
    Double(f64),
}

/// How an expected number must relate to the actual one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// The expected number is less than the actual one.
    Less,
    /// The expected number is not greater than the actual one.
    LessEqual,
    /// The expected number is greater than the actual one.
    Greater,
    /// The expected number is not less than the actual one.
    GreaterEqual,
}

impl Comparison {
    fn named(name: &str) -> Option<Comparison> {
        Some(match name {
            "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterEqual,
            _ => return None,
        })
    }
}

pub(super) fn read(scan: &mut Scan<'_>) -> Option<Probe> {
    let relative = scan.words("relative");
    if !scan.words("probe") {
        return None;
    }
    if relative {
        return self::relative(scan);
    }
    if scan.words("atomic counter buffer") {
        let [binding, offset] = scan.indices()?;
        return number(scan, Buffer::Atomic, "uint", binding, offset);
    }
    if scan.words("atomic counter") {
        let offset = scan.index()?.checked_mul(4)?;
        return number(scan, Buffer::Atomic, "uint", 0, offset);
    }
    if scan.words("ssbo") {
        let ty = scan.word()?;
        let [binding, offset] = scan.indices()?;
        return number(scan, Buffer::Storage, ty, binding, offset);
    }
    if scan.words("xfb buffer") {
        let ty = scan.word()?;
        let [binding, index] = scan.indices()?;
        let offset = index.checked_mul(if ty == "double" { 8 } else { 4 })?;
        let expected = value(scan, ty)?;
        let comparison = Comparison::Equal;
        return Some(Probe::Buffer { buffer: Buffer::Feedback, binding, offset, comparison, expected });
    }
    if scan.words("depth") {
        let place = pixel(scan)?;
        return Some(Probe::Depth([u32::try_from(place[0]).ok()?, u32::try_from(place[1]).ok()?], scan.real()?));
    }
    if scan.words("rect rgba") {
        return Some(Probe::Pixels(Area::Pixels(signed(scan)?), Expected::Rgba(scan.reals()?)));
    }
    if scan.words("warn all rgba") {
        return Some(Probe::Warn(Area::All, Expected::Rgba(scan.reals()?)));
    }
    if scan.words("all rgba") {
        return Some(Probe::Pixels(Area::All, Expected::Rgba(scan.reals()?)));
    }
    if scan.words("all rgb") {
        return Some(Probe::Pixels(Area::All, Expected::Rgb(scan.reals()?)));
    }
    let alpha = scan.words("rgba");
    if !alpha && !scan.words("rgb") {
        return None;
    }
    let [x, y] = pixel(scan)?;
    let expected = if alpha { Expected::Rgba(scan.reals()?) } else { Expected::Rgb(scan.reals()?) };
    Some(Probe::Pixels(Area::Pixels([x, y, 1, 1]), expected))
}

fn relative(scan: &mut Scan<'_>) -> Option<Probe> {
    let rectangle = scan.words("rect");
    let alpha = scan.words("rgba");
    if !alpha && !scan.words("rgb") {
        return None;
    }
    let integers = rectangle && scan.words("int");
    let area = if rectangle { Area::Relative(scan.reals()?) } else { Area::RelativePixel(scan.reals()?) };
    let expected = match (integers, alpha) {
        (true, _) => Expected::Integers(signed(scan)?),
        (false, true) => Expected::Rgba(scan.reals()?),
        (false, false) => Expected::Rgb(scan.reals()?),
    };
    Some(Probe::Pixels(area, expected))
}

/// Reads the position of a pixel: reals that are truncated.
fn pixel(scan: &mut Scan<'_>) -> Option<[i32; 2]> {
    Some(scan.reals::<f32, 2>()?.map(|n| n as i32))
}

fn signed<const N: usize>(scan: &mut Scan<'_>) -> Option<[i32; N]> {
    let mut all = [0; N];
    for one in &mut all {
        *one = i32::try_from(scan.int()?).ok()?;
    }
    Some(all)
}

fn number(scan: &mut Scan<'_>, buffer: Buffer, ty: &str, binding: u32, offset: u32) -> Option<Probe> {
    let comparison = Comparison::named(scan.word()?)?;
    let expected = value(scan, ty)?;
    Some(Probe::Buffer { buffer, binding, offset, comparison, expected })
}

fn value(scan: &mut Scan<'_>, ty: &str) -> Option<Number> {
    Some(match ty {
        "int" => Number::Int(scan.int()? as i32),
        "uint" => Number::Uint(scan.int()? as u32),
        "int64" => Number::Int64(scan.int()? as i64),
        "uint64" => Number::Uint64(scan.int()? as u64),
        "float" => Number::Float(scan.real()?),
        "double" => Number::Double(scan.real()?),
        _ => return None,
    })
}
