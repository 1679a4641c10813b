//! The textures that a test can request.

use shader_test::command::{DepthTest, Image, Parameter, Target, Texture as Asked};
use texture::{Compare, Dim, Filter, Format, Level, MipFilter, Reading, Sampler, Swizzle, Texture, Value, Wrap};

use crate::Stop;

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const WHITE: [f32; 4] = [1.0; 4];

/// Textures with more texels are rejected.
const MOST: u64 = 1 << 26;

/// A texture with its own sampler state.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub target: Target,
    pub texture: Texture,
    pub sampler: Sampler,
}

/// Creates the requested texture; `core` for contexts without `GL_DEPTH_TEXTURE_MODE`.
pub(crate) fn make(asked: &Asked, core: bool) -> Result<Bound, Stop> {
    let (dim, layers) = match asked.target {
        Target::D1 => (Dim::D1, None),
        Target::D2 => (Dim::D2, None),
        Target::D3 => (Dim::D3, None),
        Target::Rectangle => (Dim::Rect, None),
        Target::Cube => (Dim::Cube, None),
        Target::D1Array => (Dim::D1, Some(asked.size[2])),
        Target::D2Array => (Dim::D2, Some(asked.size[2])),
        Target::CubeArray => (Dim::Cube, Some(asked.size[2] / 6)),
    };
    let texels = asked.size.iter().map(|&n| u64::from(n)).product::<u64>();
    if texels == 0 || texels > MOST {
        return Err(Stop::unsupported(format!("a texture of {texels} texels")));
    }
    let mut sampler = Sampler {
        min_filter: Filter::Nearest,
        mag_filter: Filter::Nearest,
        mip_filter: MipFilter::None,
        wrap: [Wrap::ClampToEdge, Wrap::ClampToEdge, Wrap::Repeat],
        ..Sampler::default()
    };
    let size = asked.size;
    let bound = |format: Format, levels: Vec<Level>, sampler: Sampler| {
        let mut texture = Texture::new(dim, format, levels);
        texture.layers = layers;
        Bound { target: asked.target, texture, sampler }
    };
    Ok(match &asked.image {
        Image::Quarters(format) => {
            let format = format.as_deref().map_or(Ok(Format::Rgba8), self::format)?;
            let colour = |[x, y, z]: [u32; 3]| match asked.target {
                Target::D1 => [RED, GREEN, BLUE, WHITE][x as usize % 4],
                Target::D1Array | Target::D2Array => [RED, GREEN, BLUE, WHITE][z as usize % 4],
                Target::D3 => cube(x + 2 * y + 4 * z),
                _ => match (x < size[0] / 2, y < size[1] / 2) {
                    (true, true) => RED,
                    (false, true) => GREEN,
                    (true, false) => BLUE,
                    (false, false) => WHITE,
                },
            };
            if asked.target == Target::D3 {
                sampler.wrap = [Wrap::ClampToEdge; 3];
            }
            bound(format, vec![level(dim, size, format, |at| Value::Float(colour(at)))], sampler)
        }
        Image::Integers([step, start], format) => {
            let format = self::format(format)?;
            let value = |[x, y, _]: [u32; 3]| {
                let number = (x as i32).wrapping_add(step.wrapping_mul(y as i32)).wrapping_add(*start);
                Value::Int([number; 4])
            };
            bound(format, vec![level(dim, size, format, value)], sampler)
        }
        Image::Levels => {
            sampler.mip_filter = MipFilter::Nearest;
            let colours = [RED, GREEN, BLUE, WHITE].into_iter().enumerate();
            let levels = colours
                .map(|(i, colour)| level(dim, [8 >> i, 8 >> i, 1], Format::Rgba8, |_| Value::Float(colour)))
                .collect();
            bound(Format::Rgba8, levels, sampler)
        }
        Image::Checkerboard(number, colours) => {
            let square = [(size[0] / 2).max(1), (size[1] / 2).max(1)];
            let colour = |[x, y, _]: [u32; 3]| colours[(((x / square[0]) ^ (y / square[1])) & 1) as usize];
            bordered(&mut sampler);
            let image = level(dim, size, Format::Rgba8, |at| Value::Float(colour(at)));
            bound(Format::Rgba8, on_level(*number, image), sampler)
        }
        Image::Quads(number, square, colours) => {
            let square = square.map(|n| n.max(1));
            let colour = |[x, y, _]: [u32; 3]| colours[(((x / square[0]) & 1) + 2 * ((y / square[1]) & 1)) as usize];
            bordered(&mut sampler);
            let image = level(dim, size, Format::Rgba8, |at| Value::Float(colour(at)));
            bound(Format::Rgba8, on_level(*number, image), sampler)
        }
        Image::Depth => {
            sampler.compare = Some(Compare::Greater);
            let depth = |[x, ..]: [u32; 3]| Value::Float([x as f32 / (size[0] as f32 - 1.0), 0.0, 0.0, 1.0]);
            let mut made = bound(Format::Depth24, vec![level(dim, size, Format::Depth24, depth)], sampler);
            made.texture.swizzle = depth_mode(if core { "red" } else { "luminance" }, false)?;
            made
        }
        Image::Junk(None) => {
            let format = Format::Rgba8;
            bound(format, vec![level(dim, size, format, |_| Value::Float([0.0; 4]))], Sampler::default())
        }
        Image::Junk(Some((count, name))) => {
            let format = self::format(name)?;
            let sizes = (0..*count).map(|i| smaller(asked.target, size, i));
            let levels = sizes.map(|size| level(dim, size, format, |_| Value::Float([0.0; 4]))).collect();
            bound(format, levels, Sampler::default())
        }
    })
}

/// Changes a texture's sampler state; `numbers` if shadow look-ups return a scalar.
pub(crate) fn set(
    texture: &mut Texture,
    sampler: &mut Sampler,
    parameter: &Parameter,
    numbers: bool,
) -> Result<(), Stop> {
    let unknown = |name: &str| Err(Stop::unsupported(format!("texparameter {name}")));
    match parameter {
        Parameter::Compare(function) => sampler.compare = Some(compare(*function)),
        Parameter::DepthMode(mode) => texture.swizzle = depth_mode(mode, numbers)?,
        Parameter::Minify(name) => {
            let (within, between) = name.split_once("_mipmap_").unwrap_or((name, ""));
            sampler.min_filter = if within == "linear" { Filter::Linear } else { Filter::Nearest };
            sampler.mip_filter = match between {
                "nearest" => MipFilter::Nearest,
                "linear" => MipFilter::Linear,
                _ => MipFilter::None,
            };
        }
        Parameter::Magnify(name) => {
            sampler.mag_filter = if name == "linear" { Filter::Linear } else { Filter::Nearest };
        }
        Parameter::Wrap(axis, name) => {
            sampler.wrap[*axis] = match name.as_str() {
                "repeat" => Wrap::Repeat,
                "clamp_to_edge" => Wrap::ClampToEdge,
                "clamp_to_border" => Wrap::ClampToBorder,
                _ => return unknown(name),
            }
        }
        Parameter::Bias(bias) => sampler.lod_bias = *bias,
        Parameter::MaxLevel(number) => texture.max_level = *number,
        Parameter::BaseLevel(number) => texture.base_level = *number,
        Parameter::Border(colour) => sampler.border = Value::Float(*colour),
        Parameter::SwizzleRed(name) => {
            texture.swizzle[0] = match name.as_str() {
                "red" => Swizzle::Red,
                "green" => Swizzle::Green,
                "blue" => Swizzle::Blue,
                "alpha" => Swizzle::Alpha,
                _ => return unknown(name),
            }
        }
    }
    Ok(())
}

/// The format with this name, given without `GL_`; names without a size get eight bits per component.
pub(crate) fn format(name: &str) -> Result<Format, Stop> {
    let name = match name {
        "RGBA" | "COMPRESSED_RGBA" => "RGBA8",
        "RGB" => "RGB8",
        "RG" => "RG8",
        "RED" => "R8",
        _ => name,
    };
    let found = Format::ALL.iter().find(|format| format.name() == name);
    found.copied().ok_or_else(|| Stop::unsupported(format!("the format GL_{name}")))
}

fn cube(corner: u32) -> [f32; 4] {
    let colours = [RED, GREEN, BLUE, WHITE, [1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0]];
    colours.get(corner as usize).copied().unwrap_or([0.0, 0.0, 0.0, 1.0])
}

fn bordered(sampler: &mut Sampler) {
    sampler.wrap = [Wrap::ClampToBorder, Wrap::ClampToBorder, Wrap::Repeat];
    sampler.border = Value::Float(RED);
}

/// Levels of which only the given one has an image.
fn on_level(number: u32, image: Level) -> Vec<Level> {
    let mut levels = vec![Level::default(); number.min(31) as usize];
    levels.push(image);
    levels
}

/// The size of a level; the number of layers is the same at each.
fn smaller(target: Target, size: [u32; 3], level: u32) -> [u32; 3] {
    let half = |n: u32| n.checked_shr(level).unwrap_or(0).max(1);
    let depth = if target == Target::D3 { half(size[2]) } else { size[2] };
    [half(size[0]), half(size[1]), depth]
}

fn level(dim: Dim, size: [u32; 3], format: Format, value: impl Fn([u32; 3]) -> Value) -> Level {
    let bytes = format.bytes();
    let [width, height, slices] = size;
    let mut data = vec![0; bytes * (width * height * slices) as usize];
    let places = (0..slices).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])));
    for (place, texel) in places.zip(data.chunks_exact_mut(bytes)) {
        format.encode(value(place), Reading { decode_srgb: true, stencil: false }, texel);
    }
    Level { width, height, depth: if dim == Dim::D3 { slices } else { 1 }, data: data.into() }
}

fn compare(function: DepthTest) -> Compare {
    match function {
        DepthTest::Never => Compare::Never,
        DepthTest::Less => Compare::Less,
        DepthTest::Equal => Compare::Equal,
        DepthTest::LessEqual => Compare::LessEqual,
        DepthTest::Greater => Compare::Greater,
        DepthTest::NotEqual => Compare::NotEqual,
        DepthTest::GreaterEqual => Compare::GreaterEqual,
        DepthTest::Always => Compare::Always,
    }
}

/// `GL_DEPTH_TEXTURE_MODE`: how a depth is expanded to four components.
fn depth_mode(name: &str, numbers: bool) -> Result<[Swizzle; 4], Stop> {
    use Swizzle::{One, Red, Zero};
    Ok(match name {
        // A scalar shadow look-up returns the first component, whatever the mode.
        "alpha" if numbers => [Red; 4],
        "luminance" => [Red, Red, Red, One],
        "intensity" => [Red; 4],
        "alpha" => [Zero, Zero, Zero, Red],
        "red" => [Red, Zero, Zero, One],
        _ => return Err(Stop::unsupported(format!("texparameter depth_mode {name}"))),
    })
}
