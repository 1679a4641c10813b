//! Commands that create textures or change sampler state.

use super::{Command, DepthTest, enumerant};
use crate::scan::Scan;

/// A texture target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// `1D`.
    D1,
    /// `2D`.
    D2,
    /// `3D`.
    D3,
    /// `Rect`.
    Rectangle,
    /// `Cube`.
    Cube,
    /// `1DArray`.
    D1Array,
    /// `2DArray`.
    D2Array,
    /// `CubeArray`.
    CubeArray,
}

impl Target {
    pub(super) fn named(name: &str) -> Option<Target> {
        Some(match name {
            "1D" => Target::D1,
            "2D" => Target::D2,
            "3D" => Target::D3,
            "Rect" => Target::Rectangle,
            "Cube" => Target::Cube,
            "1DArray" => Target::D1Array,
            "2DArray" => Target::D2Array,
            "CubeArray" => Target::CubeArray,
            _ => return None,
        })
    }
}

/// A new texture.
#[derive(Clone, PartialEq, Debug)]
pub struct Texture {
    /// Its target.
    pub target: Target,
    /// Width, height and depth, 1 for missing dimensions. The number of layers is the last.
    pub size: [u32; 3],
    /// Its initial contents.
    pub image: Image,
}

/// The initial contents of a texture.
#[derive(Clone, PartialEq, Debug)]
pub enum Image {
    /// A red, a green, a blue and a white quadrant; the format's name.
    Quarters(Option<String>),
    /// Integers that increase by the second number along rows and by the first from row to row; the format's name.
    Integers([i32; 2], String),
    /// Eight texels wide, each level in a different colour.
    Levels,
    /// A checkerboard of two colours on one level.
    Checkerboard(u32, [[f32; 4]; 2]),
    /// Rectangles of a size in four colours on one level.
    Quads(u32, [u32; 2], [[f32; 4]; 4]),
    /// Increasing depths.
    Depth,
    /// Undefined contents; for immutable storage the number of levels and the format's name.
    Junk(Option<(u32, String)>),
}

/// A texture parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum Parameter {
    /// `compare_func`.
    Compare(DepthTest),
    /// `depth_mode`: `luminance`, `intensity`, `alpha`, `red`.
    DepthMode(String),
    /// `min`.
    Minify(String),
    /// `mag`.
    Magnify(String),
    /// `wrap_s`, `wrap_t`, `wrap_r`: axis and mode.
    Wrap(usize, String),
    /// `lod_bias`.
    Bias(f32),
    /// `max_level`.
    MaxLevel(u32),
    /// `base_level`.
    BaseLevel(u32),
    /// `border_color`.
    Border([f32; 4]),
    /// `swizzle_r`: the source of red.
    SwizzleRed(String),
}

pub(super) fn read(scan: &mut Scan<'_>) -> Option<Command> {
    Some(match scan.word()? {
        "texparameter" => Command::TextureParameter(Target::named(scan.word()?)?, parameter(scan)?),
        "image" if scan.words("texture") => Command::ImageTexture(scan.index()?, enumerant(scan)?),
        "resident" if scan.words("image texture") => Command::Resident(scan.index()?, Some(enumerant(scan)?)),
        "resident" if scan.words("texture") => {
            scan.words("1D");
            Command::Resident(scan.index()?, None)
        }
        "texcoord" => Command::TextureCoordinate(scan.index()?, scan.reals()?),
        "texture" => {
            let (unit, texture) = texture(scan)?;
            Command::Texture(unit, texture)
        }
        _ => return None,
    })
}

fn texture(scan: &mut Scan<'_>) -> Option<(u32, Texture)> {
    let flat = |[width, height]: [u32; 2]| [width, height, 1];
    Some(match scan.word()? {
        "rgbw" if scan.words("1D") => {
            (scan.index()?, Texture { target: Target::D1, size: [4, 1, 1], image: Image::Quarters(None) })
        }
        "rgbw" if scan.words("3D") => {
            (scan.index()?, Texture { target: Target::D3, size: [2, 2, 2], image: Image::Quarters(None) })
        }
        "rgbw" if scan.words("2DArray") => {
            let [unit, size @ ..]: [u32; 4] = scan.indices()?;
            (unit, Texture { target: Target::D2Array, size, image: Image::Quarters(None) })
        }
        "rgbw" if scan.words("1DArray") => {
            let [unit, width, layers] = scan.indices()?;
            (unit, Texture { target: Target::D1Array, size: [width, 1, layers], image: Image::Quarters(None) })
        }
        "rgbw" => {
            let [unit, size @ ..]: [u32; 3] = scan.indices()?;
            let format = Scan::new(scan.rest().trim_start_matches(')')).word().map(str::to_owned);
            let format = format.map(|f| f.strip_prefix("GL_").unwrap_or(&f).to_owned());
            (unit, Texture { target: Target::D2, size: flat(size), image: Image::Quarters(format) })
        }
        "integer" => {
            let [unit, size @ ..]: [u32; 3] = scan.indices()?;
            let values = [i32::try_from(scan.int()?).ok()?, i32::try_from(scan.int()?).ok()?];
            let format = enumerant(&mut Scan::new(scan.rest().trim_start_matches(')')))?;
            (unit, Texture { target: Target::D2, size: flat(size), image: Image::Integers(values, format) })
        }
        "miptree" => (scan.index()?, Texture { target: Target::D2, size: [8, 8, 1], image: Image::Levels }),
        "checkerboard" => {
            let [unit, level, size @ ..]: [u32; 4] = scan.indices()?;
            let image = Image::Checkerboard(level, [scan.reals()?, scan.reals()?]);
            (unit, Texture { target: Target::D2, size: flat(size), image })
        }
        "quads" => {
            let [unit, level, size @ ..]: [u32; 4] = scan.indices()?;
            let quad = scan.indices()?;
            let image = Image::Quads(level, quad, [scan.reals()?, scan.reals()?, scan.reals()?, scan.reals()?]);
            (unit, Texture { target: Target::D2, size: flat(size), image })
        }
        "junk" => {
            let target = Target::named(scan.word()?)?;
            let [unit, size @ ..]: [u32; 4] = scan.indices()?;
            (unit, Texture { target, size, image: Image::Junk(None) })
        }
        "storage" => storage(scan)?,
        kind => {
            let target = match kind.strip_prefix("shadow")? {
                "1D" => Target::D1,
                "2D" => Target::D2,
                "Rect" => Target::Rectangle,
                "1DArray" => Target::D1Array,
                "2DArray" => Target::D2Array,
                _ => return None,
            };
            let unit = scan.index()?;
            let size = match target {
                Target::D1 => [scan.index()?, 1, 1],
                Target::D1Array => [scan.index()?, 1, scan.index()?],
                Target::D2Array => scan.indices()?,
                _ => flat(scan.indices()?),
            };
            (unit, Texture { target, size, image: Image::Depth })
        }
    })
}

fn storage(scan: &mut Scan<'_>) -> Option<(u32, Texture)> {
    let unit = scan.index()?;
    let target = Target::named(scan.word()?)?;
    let format = enumerant(scan)?;
    let levels = scan.index()?;
    let sizes: Vec<u32> = std::iter::from_fn(|| scan.index()).collect();
    let size = match (target, &sizes[..]) {
        (Target::D1Array, &[width, layers]) => [width, 1, layers],
        (Target::Cube, &[width, height]) => [width, height, 6],
        (_, &[width]) => [width, 1, 1],
        (_, &[width, height]) => [width, height, 1],
        (_, &[width, height, depth]) => [width, height, depth],
        _ => return None,
    };
    Some((unit, Texture { target, size, image: Image::Junk(Some((levels, format))) }))
}

fn parameter(scan: &mut Scan<'_>) -> Option<Parameter> {
    Some(match scan.word()? {
        "compare_func" => Parameter::Compare(DepthTest::named(scan.word()?)?),
        "depth_mode" => Parameter::DepthMode(scan.word()?.to_owned()),
        "min" => Parameter::Minify(scan.word()?.to_owned()),
        "mag" => Parameter::Magnify(scan.word()?.to_owned()),
        "wrap_s" => Parameter::Wrap(0, scan.word()?.to_owned()),
        "wrap_t" => Parameter::Wrap(1, scan.word()?.to_owned()),
        "wrap_r" => Parameter::Wrap(2, scan.word()?.to_owned()),
        "lod_bias" => Parameter::Bias(scan.real()?),
        "max_level" => Parameter::MaxLevel(scan.index()?),
        "base_level" => Parameter::BaseLevel(scan.index()?),
        "border_color" => Parameter::Border(scan.reals()?),
        "swizzle_r" => Parameter::SwizzleRed(scan.word()?.to_owned()),
        _ => return None,
    })
}
