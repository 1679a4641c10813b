//! `[vertex data]`: a table of attributes.
//!
//! The first line names the columns, `position/float/vec3` or `position/float/3`; a fourth part is a location relative
//! to the attribute's first, used for the columns of matrices. Every following line is a vertex.

use crate::scan::Scan;

/// The parsed table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VertexData {
    /// The columns of a row.
    pub columns: Vec<Column>,
    /// The distance between rows in bytes.
    pub stride: u32,
    /// The number of rows.
    pub rows: u32,
    /// All rows, little-endian.
    pub bytes: Vec<u8>,
}

/// An attribute, or a part of one with its own location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The attribute's name, or its location as a number.
    pub name: String,
    /// The location, relative to the attribute's first.
    pub location: u32,
    /// The type of a component in memory.
    pub storage: Storage,
    /// The number of components.
    pub components: u32,
    /// The type in the shader.
    pub arrives: Arrives,
    /// The offset in a row, in bytes.
    pub offset: u32,
}

/// The type of a component in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// Signed, 8 bits.
    Byte,
    /// Unsigned, 8 bits.
    Ubyte,
    /// Signed, 16 bits.
    Short,
    /// Unsigned, 16 bits.
    Ushort,
    /// Signed, 32 bits.
    Int,
    /// Unsigned, 32 bits.
    Uint,
    /// Floating point, 16 bits.
    Half,
    /// Floating point, 32 bits.
    Float,
    /// Floating point, 64 bits.
    Double,
}

/// The type in the shader: `glVertexAttribPointer`, `…IPointer` or `…LPointer`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrives {
    /// `float`.
    Float,
    /// `int` or `uint`.
    Integer,
    /// `double`.
    Double,
}

impl Storage {
    /// The size of a component in bytes.
    #[must_use]
    pub fn size(self) -> u32 {
        match self {
            Storage::Byte | Storage::Ubyte => 1,
            Storage::Short | Storage::Ushort | Storage::Half => 2,
            Storage::Int | Storage::Uint | Storage::Float => 4,
            Storage::Double => 8,
        }
    }

    fn named(name: &str) -> Option<Storage> {
        Some(match name {
            "byte" => Storage::Byte,
            "ubyte" => Storage::Ubyte,
            "short" => Storage::Short,
            "ushort" => Storage::Ushort,
            "int" => Storage::Int,
            "uint" => Storage::Uint,
            "half" => Storage::Half,
            "float" => Storage::Float,
            "double" => Storage::Double,
            _ => return None,
        })
    }

    fn read(self, scan: &mut Scan<'_>, bytes: &mut Vec<u8>) -> Option<()> {
        match self {
            Storage::Byte | Storage::Ubyte => bytes.push(scan.int()? as u8),
            Storage::Short | Storage::Ushort => bytes.extend((scan.int()? as u16).to_le_bytes()),
            Storage::Int | Storage::Uint => bytes.extend((scan.int()? as u32).to_le_bytes()),
            // Half floats are written as their bits.
            Storage::Half => bytes.extend((scan.int()? as u16).to_le_bytes()),
            Storage::Float => bytes.extend(scan.real::<f32>()?.to_le_bytes()),
            Storage::Double => bytes.extend(scan.real::<f64>()?.to_le_bytes()),
        }
        Some(())
    }
}

/// Parses the table; `None` if a column or a row is malformed.
#[must_use]
pub fn vertex_data(text: &str) -> Option<VertexData> {
    let mut lines =
        text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|l| !l.is_empty());
    let mut columns: Vec<Column> = Vec::new();
    let mut stride = 0;
    for name in lines.next()?.split_whitespace() {
        let column = column(name, stride)?;
        stride += column.storage.size() * column.components;
        columns.push(column);
    }
    let mut bytes = Vec::new();
    let mut rows = 0;
    for line in lines {
        let mut scan = Scan::new(line);
        for column in &columns {
            for _ in 0..column.components {
                column.storage.read(&mut scan, &mut bytes)?;
            }
        }
        rows += 1;
    }
    Some(VertexData { columns, stride, rows, bytes })
}

fn column(text: &str, offset: u32) -> Option<Column> {
    let mut parts = text.split('/');
    let name = parts.next()?.to_owned();
    let storage = Storage::named(parts.next()?)?;
    let (components, arrives) = shape(parts.next()?, storage)?;
    let location = match parts.next() {
        Some(number) => number.parse().ok()?,
        None => 0,
    };
    Some(Column { name, location, storage, components, arrives, offset })
}

/// The number of components and the shader's type for `3`, `vec3` or the columns of `mat4x3`.
fn shape(ty: &str, storage: Storage) -> Option<(u32, Arrives)> {
    let count = |text: &str| text.parse().ok().filter(|n| (1..=4).contains(n));
    if let Some(components) = count(ty) {
        let arrives = match storage {
            Storage::Half | Storage::Float => Arrives::Float,
            Storage::Double => Arrives::Double,
            _ => Arrives::Integer,
        };
        return Some((components, arrives));
    }
    let rows = |size: &str| count(size.split_once('x').map_or(size, |(_, rows)| rows));
    Some(match ty {
        "float" => (1, Arrives::Float),
        "int" | "uint" => (1, Arrives::Integer),
        "double" => (1, Arrives::Double),
        _ => {
            let digit = ty.find(|c: char| c.is_ascii_digit())?;
            let arrives = match &ty[..digit] {
                "vec" | "mat" => Arrives::Float,
                "ivec" | "uvec" => Arrives::Integer,
                "dvec" | "dmat" => Arrives::Double,
                _ => return None,
            };
            (rows(&ty[digit..])?, arrives)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, columns: &str, bytes: &[u8]) {
        let data = vertex_data(text).expect("a table");
        let names: Vec<String> = data
            .columns
            .iter()
            .map(|c| format!("{}+{}:{:?}x{}@{}={:?}", c.name, c.location, c.storage, c.components, c.offset, c.arrives))
            .collect();
        assert_eq!((names.join(" ").as_str(), &data.bytes[..]), (columns, bytes));
    }

    #[test]
    fn columns_and_rows() {
        check("a/float/1\n1.0 # one\n0x3f800000\n", "a+0:Floatx1@0=Float", &[0, 0, 128, 63, 0, 0, 128, 63]);
        check(
            "p/ubyte/2 q/short/ivec2/1\n1 2 -1 4\n",
            "p+0:Ubytex2@0=Integer q+1:Shortx2@2=Integer",
            &[1, 2, 255, 255, 4, 0],
        );
        check("0/double/dmat2x3/1", "0+1:Doublex3@0=Double", &[]);
        assert_eq!(vertex_data("a/float/9\n1"), None);
        assert_eq!(vertex_data("a/float/2\n1"), None);
    }
}
