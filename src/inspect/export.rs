//! Values of all pixels as files: pictures, arrays for NumPy, tables.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use session::{Field, PixelComparison, PixelState, Scalar};

use crate::run::picture as png;

/// Colours for what is no number: NaN, positive and negative infinity.
const SIGNALS: [[u8; 3]; 3] = [[255, 0, 255], [255, 255, 0], [0, 255, 255]];

/// Two colours of a chequerboard for pixels without a value.
fn blank(pixel: PixelState) -> [[u8; 3]; 2] {
    match pixel {
        PixelState::Discarded => [[48, 16, 16], [64, 24, 24]],
        PixelState::NotReached => [[16, 16, 48], [24, 24, 64]],
        PixelState::Untouched | PixelState::Reached => [[24, 24, 24], [40, 40, 40]],
    }
}

/// Writes a picture: one component as grey, more as red, green and blue, from small (black) to large numbers (white).
///
/// # Errors
/// When the file cannot be written.
pub fn picture(field: &Field, range: Option<(f64, f64)>, path: &Path) -> anyhow::Result<(f64, f64)> {
    let shown = field.kinds.len().min(3);
    let (least, most) = range.unwrap_or_else(|| usual(field, shown));
    let width = field.size[0] as usize;
    let mut rgba = Vec::with_capacity(field.pixels.len() * 4);
    for (at, &pixel) in field.pixels.iter().enumerate() {
        let numbers = field.numbers(at);
        let colour = if numbers.is_empty() {
            let (x, y) = (at % width, at / width);
            blank(pixel)[(x / 8 + y / 8) % 2]
        } else {
            colour(&numbers[..shown], least, most)
        };
        rgba.extend([colour[0], colour[1], colour[2], 255]);
    }
    png::write(&path.to_string_lossy(), field.size[0], field.size[1], &rgba)?;
    Ok((least, most))
}

/// The range that all but the few smallest and largest numbers lie in: one lamp is not to make everything else black.
fn usual(field: &Field, shown: usize) -> (f64, f64) {
    let all = (0..field.pixels.len()).flat_map(|at| field.numbers(at).into_iter().take(shown));
    let mut numbers: Vec<f64> = all.filter(|number| number.is_finite()).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    let few = numbers.len() / 500;
    match (numbers.get(few), numbers.len().checked_sub(1 + few).and_then(|at| numbers.get(at))) {
        (Some(&least), Some(&most)) => (least, most),
        _ => (0.0, 1.0),
    }
}

fn colour(numbers: &[f64], least: f64, most: f64) -> [u8; 3] {
    if numbers.iter().any(|number| number.is_nan()) {
        return SIGNALS[0];
    }
    if let Some(infinite) = numbers.iter().find(|number| number.is_infinite()) {
        return SIGNALS[if *infinite > 0.0 { 1 } else { 2 }];
    }
    let width = most - least;
    let level = |number: f64| {
        let part = if width > 0.0 { (number - least) / width } else { 0.5 };
        (part.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    match *numbers {
        [grey] => [level(grey); 3],
        [red, green] => [level(red), level(green), 0],
        [red, green, blue, ..] => [level(red), level(green), level(blue)],
        [] => [0; 3],
    }
}

/// Writes what was found of each pixel: black equal, green within rounding, amber within the bounds of each operation, from
/// grey to white the further the worst component is off, red where only one has a value, blue where neither has.
///
/// # Errors
/// When the file cannot be written.
pub fn difference(pixels: &[PixelComparison], size: [u32; 2], path: &Path) -> anyhow::Result<()> {
    let mut rgba = Vec::with_capacity(pixels.len() * 4);
    for pixel in pixels {
        let colour = match *pixel {
            PixelComparison::Untouched | PixelComparison::Alike => [0, 0, 64],
            PixelComparison::Equal => [0; 3],
            PixelComparison::Within(_) => [0, 72, 0],
            PixelComparison::Allowed(_) => [255, 176, 0],
            PixelComparison::Divergent(ulps) => [(96 + 5 * (32 - ulps.leading_zeros())).min(255) as u8; 3],
            PixelComparison::OnlyOne => [255, 0, 0],
        };
        rgba.extend([colour[0], colour[1], colour[2], 255]);
    }
    png::write(&path.to_string_lossy(), size[0], size[1], &rgba)
}

/// Writes an array that `numpy.load` reads: `[y, x]`, or `[y, x, component]` if values have several; y counts from the
/// bottom as pixels do. Floats are NaN where there is no value, others zero; `mask` tells which have one.
///
/// # Errors
/// When the file cannot be written.
pub fn npy(field: &Field, path: &Path) -> anyhow::Result<()> {
    let [width, height] = field.size;
    let kind = field.kinds.first().copied().unwrap_or(Scalar::Uint);
    let (name, size) = npy_kind(kind);
    let count = field.kinds.len().max(1);
    let shape = if count == 1 { format!("({height}, {width})") } else { format!("({height}, {width}, {count})") };
    let mut bytes = Vec::with_capacity(field.pixels.len() * count * size);
    for (at, &pixel) in field.pixels.iter().enumerate() {
        for component in 0..count {
            let bits = field.bits.get(at * count + component).copied().unwrap_or(0);
            let bits = match (pixel, kind) {
                (PixelState::Reached, _) => bits,
                (_, Scalar::Float) => u64::from(f32::NAN.to_bits()),
                (_, Scalar::Double) => f64::NAN.to_bits(),
                _ => 0,
            };
            bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    write_npy(path, name, &shape, &bytes)
}

/// What NumPy calls numbers of a kind, and how many bytes they have.
pub fn npy_kind(kind: Scalar) -> (&'static str, usize) {
    match kind {
        Scalar::Float => ("<f4", 4),
        Scalar::Double => ("<f8", 8),
        Scalar::Int => ("<i4", 4),
        Scalar::Uint => ("<u4", 4),
        Scalar::Int64 => ("<i8", 8),
        Scalar::Uint64 => ("<u8", 8),
        Scalar::Bool => ("|b1", 1),
    }
}

/// Writes which pixels have a value, as an array of the same shape: 0 untouched, 1 not reached, 2 discarded, 3 reached.
///
/// # Errors
/// When the file cannot be written.
pub fn mask(field: &Field, path: &Path) -> anyhow::Result<()> {
    let [width, height] = field.size;
    let bytes: Vec<u8> = field.pixels.iter().map(|&pixel| pixel as u8).collect();
    write_npy(path, "|u1", &format!("({height}, {width})"), &bytes)
}

/// Writes the file of an array: the kind of its numbers in NumPy's words, its shape, its bytes.
///
/// # Errors
/// When the file cannot be written.
pub fn write_npy(path: &Path, kind: &str, shape: &str, bytes: &[u8]) -> anyhow::Result<()> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // What comes before the numbers is a multiple of 64 bytes long and ends with a line end.
    let before = 10;
    let padding = (64 - (before + header.len() + 1) % 64) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let length = u16::try_from(header.len()).context("the header is too long")?;
    let write = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(b"\x93NUMPY\x01\x00")?;
        file.write_all(&length.to_le_bytes())?;
        file.write_all(header.as_bytes())?;
        file.write_all(bytes)?;
        file.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a table: a row for each pixel that a fragment came to.
///
/// # Errors
/// When the file cannot be written.
pub fn csv(field: &Field, path: &Path) -> anyhow::Result<()> {
    let names: Vec<String> = field.names.iter().map(|name| text_cell(name)).collect();
    let mut text = format!("x,y,state,{}\n", names.join(","));
    let [width, _] = field.size;
    for (at, &pixel) in field.pixels.iter().enumerate().filter(|(_, pixel)| **pixel != PixelState::Untouched) {
        let (x, y) = (at % width as usize, at / width as usize);
        // Writing to memory does not fail.
        let _ = write!(text, "{x},{y},{}", pixel.name());
        let count = field.kinds.len();
        for (component, &kind) in field.kinds.iter().enumerate() {
            let bits = field.bits[at * count + component];
            let _ = match pixel {
                PixelState::Reached => write!(text, ",{}", cell(kind, bits)),
                _ => write!(text, ","),
            };
        }
        text.push('\n');
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the names of the columns that say which invocation of a stage a row is of: the parts of its identity.
pub fn identity_columns(stage: &str) -> &'static str {
    match stage {
        "fragment" => "x,y,primitive,sample",
        "vertex" => "vertex,instance,draw,-",
        "compute" => "x,y,z,-",
        "tessellation evaluation" => "patch,u_bits,v_bits,-",
        "tessellation control" => "patch,vertex,-,-",
        _ => "primitive,invocation,-,-",
    }
}

/// Returns one invocation's identity as cells of these columns.
pub fn identity_cells(stage: &str, id: [i32; 4]) -> String {
    let named = identity_columns(stage).split(',').zip(id).filter(|(name, _)| *name != "-");
    named.map(|(_, part)| part.to_string()).collect::<Vec<_>>().join(",")
}

/// Returns the names of columns as the first cells of a table's heading.
pub fn identity_heading(stage: &str) -> String {
    identity_columns(stage).split(',').filter(|name| *name != "-").collect::<Vec<_>>().join(",")
}

/// Returns a cell of text, in quotes where a reader would split it otherwise.
pub fn text_cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Returns a number with enough digits to read it back bit for bit.
pub fn cell(kind: Scalar, bits: u64) -> String {
    match kind {
        Scalar::Float => f32::from_bits(bits as u32).to_string(),
        Scalar::Double => f64::from_bits(bits).to_string(),
        Scalar::Int => (bits as u32 as i32).to_string(),
        Scalar::Int64 => (bits as i64).to_string(),
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::Uint | Scalar::Uint64 => bits.to_string(),
    }
}
