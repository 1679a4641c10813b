//! A driver's texture for the emulator.

use driver::{Api, Image, ImageFormat, ImageTarget};
use texture::{Compare, Filter, Format, Level, MipFilter, Sampler, Swizzle, Texture, Wrap};

/// The texture that a driver makes of an image, as the emulator has it.
#[must_use]
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
    made.max_level = 0;
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
