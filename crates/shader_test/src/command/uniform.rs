//! Commands that set uniforms.

use super::{Command, stage};
use crate::scan::Scan;

/// A value for a uniform, inside or outside of a block.
#[derive(Clone, PartialEq, Debug)]
pub struct Uniform {
    /// Its name in the API, or a location.
    pub name: String,
    /// The number of columns of the type; more than one for matrices.
    pub columns: u32,
    /// The number of components per column.
    pub rows: u32,
    /// The components, column by column; those that the command omits are missing here too.
    pub values: Values,
}

/// The components of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// `float`, `vec2`, `mat3x2`.
    Float(Vec<f32>),
    /// `double`, `dvec2`, `dmat3x2`.
    Double(Vec<f64>),
    /// `int`, `ivec2`; also how booleans and samplers are set.
    Int(Vec<i32>),
    /// `uint`, `uvec2`.
    Uint(Vec<u32>),
    /// `int64_t`, `i64vec2`.
    Int64(Vec<i64>),
    /// `uint64_t`, `u64vec2`.
    Uint64(Vec<u64>),
    /// The handle of the resident texture or image of a unit.
    Handle(u32),
}

pub(super) fn read(scan: &mut Scan<'_>) -> Option<Command> {
    if scan.words("subuniform") {
        let stage = stage(scan.word()?)?;
        return Some(Command::Subroutine(stage, scan.word()?.to_owned(), scan.word()?.to_owned()));
    }
    if scan.words("vertex attrib handle") {
        return Some(Command::AttributeHandle(scan.word()?.to_owned(), scan.index()?));
    }
    if !scan.words("uniform") {
        return None;
    }
    let ty = scan.word()?;
    let name = scan.word()?.to_owned();
    let (prefix, columns, rows) = shape(ty)?;
    let count = (columns * rows) as usize;
    let values = match prefix {
        "float" => Values::Float(std::iter::from_fn(|| scan.real()).take(count).collect()),
        "double" => Values::Double(std::iter::from_fn(|| scan.real()).take(count).collect()),
        "int" => Values::Int(whole(scan, count).map(|n| n as i32).collect()),
        "uint" => Values::Uint(whole(scan, count).map(|n| n as u32).collect()),
        "int64" => Values::Int64(whole(scan, count).map(|n| n as i64).collect()),
        "uint64" => Values::Uint64(whole(scan, count).map(|n| n as u64).collect()),
        "handle" => Values::Handle(scan.index()?),
        _ => return None,
    };
    Some(Command::Uniform(Uniform { name, columns, rows, values }))
}

fn whole<'s>(scan: &'s mut Scan<'_>, count: usize) -> impl Iterator<Item = i128> + 's {
    std::iter::from_fn(|| scan.int()).take(count)
}

/// The scalar type, columns and rows of a type.
fn shape(ty: &str) -> Option<(&'static str, u32, u32)> {
    let scalar = match ty {
        "float" => "float",
        "double" => "double",
        "int" => "int",
        "uint" => "uint",
        "int64_t" => "int64",
        "uint64_t" => "uint64",
        "handle" => "handle",
        _ => "",
    };
    if !scalar.is_empty() {
        return Some((scalar, 1, 1));
    }
    let digit = |text: &str| text.parse::<u32>().ok().filter(|n| (2..=4).contains(n));
    let vectors = [
        ("vec", "float"),
        ("dvec", "double"),
        ("ivec", "int"),
        ("uvec", "uint"),
        ("i64vec", "int64"),
        ("u64vec", "uint64"),
    ];
    for (prefix, scalar) in vectors {
        if let Some(size) = ty.strip_prefix(prefix) {
            return Some((scalar, 1, digit(size)?));
        }
    }
    for (prefix, scalar) in [("mat", "float"), ("dmat", "double")] {
        if let Some(size) = ty.strip_prefix(prefix) {
            let (columns, rows) = size.split_once('x').unwrap_or((size, size));
            return Some((scalar, digit(columns)?, digit(rows)?));
        }
    }
    None
}
