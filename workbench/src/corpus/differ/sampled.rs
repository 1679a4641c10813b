//! Textures generated from the names of samplers, for the driver and for the emulator.

use driver::{Api, Image, ImageFormat, ImageSampling, ImageTarget};
use shader::types::{Dim, Opaque, OpaqueKind, Scalar};
use testing::random::SplitMix;

/// Side in texels.
const EDGE: u16 = 8;

/// Returns the texture of a sampler.
///
/// # Errors
/// When this type is not supported, with a reason that can be counted.
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
    let mut random = SplitMix::named(name);
    let format = match opaque.texel {
        _ if opaque.shadow => ImageFormat::Depth32F,
        Scalar::Int => ImageFormat::Rgba32I,
        Scalar::Uint => ImageFormat::Rgba32Ui,
        // Eight bits half of the time; those are filtered in fixed point, so only floats are filtered.
        _ if random.below(2) == 0 => ImageFormat::Rgba8,
        _ => ImageFormat::Rgba32F,
    };
    let flat = !matches!(target, ImageTarget::Cube | ImageTarget::CubeArray);
    let linear = format == ImageFormat::Rgba32F && flat && api != Api::Es && random.below(2) == 0;
    let texels = size.iter().map(|n| usize::from(*n)).product::<usize>();
    let data = texels_of(format, texels, &mut random);
    Ok(Image {
        name: name.to_owned(),
        target,
        format,
        size,
        linear,
        compare: opaque.shadow,
        sampling: ImageSampling::default(),
        data,
    })
}

fn texels_of(format: ImageFormat, texels: usize, random: &mut SplitMix) -> Vec<u8> {
    let mut word = || match format {
        ImageFormat::Rgba32F => random.dyadic(-1, 1).to_bits(),
        ImageFormat::Rgba32I => random.below(200).wrapping_sub(100),
        ImageFormat::Rgba32Ui => random.below(200),
        ImageFormat::Depth32F => random.dyadic(0, 1).to_bits(),
        _ => random.number() as u32,
    };
    let words = (texels * format.bytes()).div_ceil(4);
    (0..words).flat_map(|_| word().to_le_bytes()).collect()
}
