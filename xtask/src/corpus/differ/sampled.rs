//! Textures made from the names of samplers: for the driver and for us.

use driver::{Api, Image, ImageFormat, ImageTarget};
use shader::types::{Dim, Opaque, OpaqueKind, Scalar};
use texture::{Compare, Filter, Format, Level, MipFilter, Sampler, Swizzle, Texture, Wrap};

use super::values::Random;

/// Texels along an edge.
const EDGE: u16 = 8;

/// The texture of a sampler.
///
/// # Errors
/// There are none of that kind, in words that can be counted.
pub fn image(name: &str, opaque: Opaque, api: Api) -> Result<Image, String> {
    if opaque.kind != OpaqueKind::Sampler {
        return Err("scene: images and counters".to_owned());
    }
    let (target, size) = match (opaque.dim, opaque.array) {
        (Dim::D1, false) => (ImageTarget::D1, [EDGE, 1, 1]),
        (Dim::D1, true) => (ImageTarget::D1Array, [EDGE, 4, 1]),
        (Dim::D2, false) if !opaque.multisample => (ImageTarget::D2, [EDGE, EDGE, 1]),
        (Dim::D2, true) if !opaque.multisample => (ImageTarget::D2Array, [EDGE, EDGE, 4]),
        (Dim::D3, _) => (ImageTarget::D3, [EDGE; 3]),
        (Dim::Cube, false) => (ImageTarget::Cube, [EDGE, EDGE, 6]),
        (Dim::Cube, true) => (ImageTarget::CubeArray, [EDGE, EDGE, 12]),
        (Dim::Rect, _) => (ImageTarget::Rectangle, [EDGE, EDGE, 1]),
        _ => return Err("scene: buffer and multisample textures".to_owned()),
    };
    let mut random = Random::named(name);
    let format = match opaque.texel {
        _ if opaque.shadow => ImageFormat::Depth32F,
        Scalar::Int => ImageFormat::Rgba32I,
        Scalar::Uint => ImageFormat::Rgba32Ui,
        // Eight bits every other time; filtering those is done in fixed point, so only floats are filtered.
        _ if random.below(2) == 0 => ImageFormat::Rgba8,
        _ => ImageFormat::Rgba32F,
    };
    let flat = !matches!(target, ImageTarget::Cube | ImageTarget::CubeArray);
    let linear = format == ImageFormat::Rgba32F && flat && api != Api::Es && random.below(2) == 0;
    let texels = size.iter().map(|n| usize::from(*n)).product::<usize>();
    let data = texels_of(format, texels, &mut random);
    Ok(Image { name: name.to_owned(), target, format, size, linear, compare: opaque.shadow, data })
}

fn texels_of(format: ImageFormat, texels: usize, random: &mut Random) -> Vec<u8> {
    let mut word = || match format {
        ImageFormat::Rgba8 => random.next() as u32,
        ImageFormat::Rgba32F => random.dyadic(-1, 1).to_bits(),
        ImageFormat::Rgba32I => random.below(200).wrapping_sub(100),
        ImageFormat::Rgba32Ui => random.below(200),
        ImageFormat::Depth32F => random.dyadic(0, 1).to_bits(),
    };
    let words = match format {
        ImageFormat::Rgba8 | ImageFormat::Depth32F => texels,
        ImageFormat::Rgba32F | ImageFormat::Rgba32I | ImageFormat::Rgba32Ui => texels * 4,
    };
    (0..words).flat_map(|_| word().to_le_bytes()).collect()
}

/// The same texture for the emulator.
pub fn texture(image: &Image, api: Api) -> (Texture, Sampler) {
    let format = match image.format {
        ImageFormat::Rgba8 => Format::Rgba8,
        ImageFormat::Rgba32F => Format::Rgba32F,
        ImageFormat::Rgba32I => Format::Rgba32I,
        ImageFormat::Rgba32Ui => Format::Rgba32Ui,
        ImageFormat::Depth32F => Format::Depth32F,
    };
    let [width, height, depth] = image.size.map(u32::from);
    let (dim, height, depth, layers) = match image.target {
        ImageTarget::D1 => (texture::Dim::D1, 1, 1, None),
        ImageTarget::D1Array => (texture::Dim::D1, 1, 1, Some(height)),
        ImageTarget::D2 => (texture::Dim::D2, height, 1, None),
        ImageTarget::D2Array => (texture::Dim::D2, height, 1, Some(depth)),
        ImageTarget::D3 => (texture::Dim::D3, height, depth, None),
        ImageTarget::Cube => (texture::Dim::Cube, height, 1, None),
        ImageTarget::CubeArray => (texture::Dim::Cube, height, 1, Some(depth / 6)),
        ImageTarget::Rectangle => (texture::Dim::Rect, height, 1, None),
    };
    let mut made = Texture::new(dim, format, vec![Level { width, height, depth, data: image.data.clone() }]);
    made.layers = layers;
    if image.compare && api == Api::DesktopCompatibility {
        // Old GL's DEPTH_TEXTURE_MODE is LUMINANCE unless told otherwise.
        made.swizzle = [Swizzle::Red, Swizzle::Red, Swizzle::Red, Swizzle::One];
    }
    let filter = if image.linear { Filter::Linear } else { Filter::Nearest };
    let wrap = if image.target == ImageTarget::Rectangle { Wrap::ClampToEdge } else { Wrap::Repeat };
    let sampler = Sampler {
        min_filter: filter,
        mag_filter: filter,
        mip_filter: MipFilter::None,
        wrap: [wrap; 3],
        compare: image.compare.then_some(Compare::LessEqual),
        ..Sampler::default()
    };
    (made, sampler)
}
