//! Textures of a driver, built for the emulator.

use driver::{Api, Image, ImageFormat, ImageTarget, ImageWrap};
use texture::{Compare, Filter, Format, Level, MipFilter, Sampler, Swizzle, Texture, Wrap};

/// The emulator's texture and sampler for an image that the driver would be given.
#[must_use]
pub fn texture(image: &Image, api: Api) -> (Texture, Sampler) {
    let format = match image.format {
        ImageFormat::Rgba8 => Format::Rgba8,
        ImageFormat::R8 => Format::R8,
        ImageFormat::Rgb565 => Format::Rgb565,
        ImageFormat::Srgb8Alpha8 => Format::Srgb8Alpha8,
        ImageFormat::Rgba16 => Format::Rgba16,
        ImageFormat::Rgba16F => Format::Rgba16F,
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
    let faces = if dim == texture::Dim::Cube { 6 } else { 1 };
    let axes = dim.axes();
    let mut rest = &image.data[..];
    let levels = (0..=u32::from(image.sampling.more_levels)).map(|level| {
        let half = |n: u32, axis: usize| if axis < axes { (n >> level).max(1) } else { n };
        let (width, height, depth) = (half(width, 0), half(height, 1), half(depth, 2));
        let texels = (width * height * depth * layers.unwrap_or(1) * faces) as usize;
        let (data, tail) = rest.split_at((texels * format.bytes()).min(rest.len()));
        rest = tail;
        Level { width, height, depth, data: data.to_vec().into() }
    });
    let mut made = Texture::new(dim, format, levels.collect());
    made.layers = layers;
    made.max_level = u32::from(image.sampling.more_levels);
    if image.compare && api == Api::DesktopCompatibility {
        // In old GL the initial `DEPTH_TEXTURE_MODE` is LUMINANCE.
        made.swizzle = [Swizzle::Red, Swizzle::Red, Swizzle::Red, Swizzle::One];
    }
    let filter = |linear: bool| if linear { Filter::Linear } else { Filter::Nearest };
    let sampling = image.sampling;
    let wrap = match sampling.wrap {
        _ if image.target == ImageTarget::Rectangle => Wrap::ClampToEdge,
        ImageWrap::Repeat => Wrap::Repeat,
        ImageWrap::MirroredRepeat => Wrap::MirroredRepeat,
        ImageWrap::ClampToEdge => Wrap::ClampToEdge,
        ImageWrap::ClampToBorder => Wrap::ClampToBorder,
        ImageWrap::MirrorClampToEdge => Wrap::MirrorClampToEdge,
    };
    let sampler = Sampler {
        min_filter: filter(image.linear),
        mag_filter: filter(image.linear != sampling.other_magnification),
        mip_filter: match (sampling.more_levels > 0, sampling.mix_levels) {
            (false, _) => MipFilter::None,
            (true, false) => MipFilter::Nearest,
            (true, true) => MipFilter::Linear,
        },
        wrap: [wrap; 3],
        max_anisotropy: f32::from(sampling.anisotropy.max(1)),
        lod_bias: f32::from(sampling.bias),
        min_lod: if sampling.least > 0 { f32::from(sampling.least) } else { Sampler::default().min_lod },
        compare: image.compare.then_some(Compare::LessEqual),
        ..Sampler::default()
    };
    (made, sampler)
}
