//! Textures for a program's samplers.

use std::ffi::c_void;

use crate::context::c_string;
use crate::gl::{self, Gl};
use crate::quad::{delete, generate};

const REPEAT: i32 = 0x2901;
const MIRRORED_REPEAT: i32 = 0x8370;
const TEXTURE_WRAP_R: u32 = 0x8072;
const MIRROR_CLAMP_TO_EDGE: i32 = 0x8743;
const CLAMP_TO_BORDER: i32 = 0x812D;
const TEXTURE_MAX_ANISOTROPY: u32 = 0x84FE;
const TEXTURE_LOD_BIAS: u32 = 0x8501;
const TEXTURE_MIN_LOD: u32 = 0x813A;
const TEXTURE_CUBE_MAP_SEAMLESS: u32 = 0x884F;
const NEAREST_MIPMAP_NEAREST: i32 = 0x2700;
const LINEAR_MIPMAP_NEAREST: i32 = 0x2701;
const NEAREST_MIPMAP_LINEAR: i32 = 0x2702;
const LINEAR_MIPMAP_LINEAR: i32 = 0x2703;
const R8: u32 = 0x8229;
const RGB565: u32 = 0x8D62;
const SRGB8_ALPHA8: u32 = 0x8C43;
const RGBA16: u32 = 0x805B;
const RGBA16F: u32 = 0x881A;
const RED: u32 = 0x1903;
const RGB: u32 = 0x1907;
const UNSIGNED_SHORT: u32 = 0x1403;
const UNSIGNED_SHORT_5_6_5: u32 = 0x8363;
const HALF_FLOAT: u32 = 0x140B;
const UNPACK_ALIGNMENT: u32 = 0x0CF5;

/// The shape of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum ImageTarget {
    D1,
    D2,
    D3,
    Cube,
    D1Array,
    D2Array,
    CubeArray,
    Rectangle,
}

/// The format of the texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum ImageFormat {
    Rgba8,
    R8,
    Rgb565,
    Srgb8Alpha8,
    Rgba16,
    Rgba16F,
    Rgba32F,
    Rgba32I,
    Rgba32Ui,
    Depth32F,
}

impl ImageFormat {
    /// The number of bytes of a texel.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            ImageFormat::R8 => 1,
            ImageFormat::Rgb565 => 2,
            ImageFormat::Rgba8 | ImageFormat::Srgb8Alpha8 | ImageFormat::Depth32F => 4,
            ImageFormat::Rgba16 | ImageFormat::Rgba16F => 8,
            ImageFormat::Rgba32F | ImageFormat::Rgba32I | ImageFormat::Rgba32Ui => 16,
        }
    }
}

/// How coordinates outside of a texture are wrapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum ImageWrap {
    #[default]
    Repeat,
    MirroredRepeat,
    ClampToEdge,
    ClampToBorder,
    MirrorClampToEdge,
}

/// How an image is sampled, beyond whether it is filtered. By default it has one level and repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ImageSampling {
    /// Along all axes; rectangles are always clamped.
    pub wrap: ImageWrap,
    /// The number of levels after the first, each half as large in every direction except the number of layers.
    pub more_levels: u8,
    /// Whether to interpolate between levels, if there are several.
    pub mix_levels: bool,
    /// Magnification is filtered if minification is not, and vice versa.
    pub other_magnification: bool,
    /// The greatest degree of anisotropy; 0 and 1 are none.
    pub anisotropy: u8,
    /// Added to levels of detail.
    pub bias: i8,
    /// The least level of detail.
    pub least: u8,
    /// Whether filters cross the edges of cube maps; false by default, as in desktop GL.
    pub seamless: bool,
}

/// A texture for a sampler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The sampler's name as GL spells it.
    pub name: String,
    /// Its shape.
    pub target: ImageTarget,
    /// Its texels.
    pub format: ImageFormat,
    /// Width, height and depth; for arrays the last one that is not 1 is the number of layers, for cubes the number of
    /// faces.
    pub size: [u16; 3],
    /// Whether it is filtered.
    pub linear: bool,
    /// Whether a lookup compares.
    pub compare: bool,
    /// Further sampling parameters.
    pub sampling: ImageSampling,
    /// Its texels, row by row, level after level; for cube maps all faces of a level before the next.
    pub data: Vec<u8>,
}

impl Image {
    fn bytes(&self) -> usize {
        let texels = |level: u8| self.level_size(level).iter().map(|n| usize::from(*n)).product::<usize>();
        (0..=self.sampling.more_levels).map(texels).sum::<usize>() * self.format.bytes()
    }

    /// Returns the size of a level; the numbers of layers and faces are the same in each.
    fn level_size(&self, level: u8) -> [u16; 3] {
        let axes = match self.target {
            ImageTarget::D1 | ImageTarget::D1Array => 1,
            ImageTarget::D3 => 3,
            _ => 2,
        };
        let mut size = self.size;
        size[..axes].iter_mut().for_each(|n| *n = (*n >> level).max(1));
        size
    }

    fn target(&self) -> u32 {
        match self.target {
            ImageTarget::D1 => 0x0DE0,
            ImageTarget::D2 => 0x0DE1,
            ImageTarget::D3 => 0x806F,
            ImageTarget::Cube => 0x8513,
            ImageTarget::D1Array => 0x8C18,
            ImageTarget::D2Array => 0x8C1A,
            ImageTarget::CubeArray => 0x9009,
            ImageTarget::Rectangle => 0x84F5,
        }
    }
}

/// Creates a texture on a unit and sets the sampler to it; `None` if the image has too few bytes.
pub(crate) fn bind(gl: &Gl, program: u32, unit: u32, image: &Image) -> Option<u32> {
    if image.data.len() != image.bytes() {
        return None;
    }
    let texture = generate(gl.gen_textures);
    let target = image.target();
    gl.active_texture(gl::TEXTURE0 + unit);
    gl.bind_texture(target, texture);
    let sampling = image.sampling;
    let min_filter = match (sampling.more_levels > 0, image.linear, sampling.mix_levels) {
        (false, false, _) => gl::NEAREST,
        (false, true, _) => gl::LINEAR,
        (true, false, false) => NEAREST_MIPMAP_NEAREST,
        (true, true, false) => LINEAR_MIPMAP_NEAREST,
        (true, false, true) => NEAREST_MIPMAP_LINEAR,
        (true, true, true) => LINEAR_MIPMAP_LINEAR,
    };
    let mag_filter = if image.linear == sampling.other_magnification { gl::NEAREST } else { gl::LINEAR };
    gl.tex_parameter(target, gl::TEXTURE_MIN_FILTER, min_filter);
    gl.tex_parameter(target, gl::TEXTURE_MAG_FILTER, mag_filter);
    gl.tex_parameter(target, gl::TEXTURE_MAX_LEVEL, i32::from(sampling.more_levels));
    let wrap = match sampling.wrap {
        _ if image.target == ImageTarget::Rectangle => gl::CLAMP_TO_EDGE,
        ImageWrap::ClampToEdge => gl::CLAMP_TO_EDGE,
        ImageWrap::Repeat => REPEAT,
        ImageWrap::MirroredRepeat => MIRRORED_REPEAT,
        ImageWrap::ClampToBorder => CLAMP_TO_BORDER,
        ImageWrap::MirrorClampToEdge => MIRROR_CLAMP_TO_EDGE,
    };
    for axis in [gl::TEXTURE_WRAP_S, gl::TEXTURE_WRAP_T, TEXTURE_WRAP_R] {
        gl.tex_parameter(target, axis, wrap);
    }
    let beside = [
        (TEXTURE_MAX_ANISOTROPY, i32::from(sampling.anisotropy), sampling.anisotropy > 1),
        (TEXTURE_LOD_BIAS, i32::from(sampling.bias), sampling.bias != 0),
        (TEXTURE_MIN_LOD, i32::from(sampling.least), sampling.least > 0),
        (TEXTURE_CUBE_MAP_SEAMLESS, 1, sampling.seamless),
    ];
    for (name, value, set) in beside {
        if set {
            gl.tex_parameter(target, name, value);
        }
    }
    if image.compare {
        gl.tex_parameter(target, gl::TEXTURE_COMPARE_MODE, gl::COMPARE_REF_TO_TEXTURE);
    }
    // Texels are without padding between rows.
    gl.pixel_store(UNPACK_ALIGNMENT, 1);
    let mut rest = &image.data[..];
    for level in 0..=sampling.more_levels {
        let size = image.level_size(level);
        let length = size.iter().map(|n| usize::from(*n)).product::<usize>() * image.format.bytes();
        let (bytes, tail) = rest.split_at(length);
        upload(gl, image, level, size, bytes);
        rest = tail;
    }
    let name = c_string(&image.name);
    // SAFETY: the name is NUL-terminated and outlives the call.
    let location = unsafe { (gl.get_uniform_location)(program, name.as_ptr()) };
    let unit = unit.cast_signed();
    if location >= 0 {
        // SAFETY: one integer is passed.
        unsafe { (gl.uniform_iv_1)(location, 1, &raw const unit) };
    }
    Some(texture)
}

/// Deletes textures.
pub(crate) fn unbind(gl: &Gl, textures: &[u32]) {
    textures.iter().for_each(|texture| delete(gl.delete_textures, *texture));
    gl.active_texture(gl::TEXTURE0);
}

/// Specifies one level; `bytes` has the length that its size requires.
fn upload(gl: &Gl, image: &Image, level: u8, size: [u16; 3], bytes: &[u8]) {
    let (internal, format, kind) = match image.format {
        ImageFormat::Rgba8 => (gl::RGBA8, gl::RGBA, gl::UNSIGNED_BYTE),
        ImageFormat::R8 => (R8, RED, gl::UNSIGNED_BYTE),
        ImageFormat::Rgb565 => (RGB565, RGB, UNSIGNED_SHORT_5_6_5),
        ImageFormat::Srgb8Alpha8 => (SRGB8_ALPHA8, gl::RGBA, gl::UNSIGNED_BYTE),
        ImageFormat::Rgba16 => (RGBA16, gl::RGBA, UNSIGNED_SHORT),
        ImageFormat::Rgba16F => (RGBA16F, gl::RGBA, HALF_FLOAT),
        ImageFormat::Rgba32F => (gl::RGBA32F, gl::RGBA, gl::FLOAT),
        ImageFormat::Rgba32I => (gl::RGBA32I, gl::RGBA_INTEGER, gl::INT),
        ImageFormat::Rgba32Ui => (gl::RGBA32UI, gl::RGBA_INTEGER, gl::UNSIGNED_INT),
        ImageFormat::Depth32F => (gl::DEPTH_COMPONENT32F, gl::DEPTH_COMPONENT, gl::FLOAT),
    };
    let internal = internal.cast_signed();
    let [width, height, depth] = size.map(i32::from);
    let level = i32::from(level);
    let target = image.target();
    let data = bytes.as_ptr().cast::<c_void>();
    match image.target {
        ImageTarget::D1 => {
            // SAFETY: `bind` passes as many bytes as the size requires.
            unsafe { (gl.tex_image_1d)(target, level, internal, width, 0, format, kind, data) };
        }
        ImageTarget::D2 | ImageTarget::D1Array | ImageTarget::Rectangle => {
            // SAFETY: `bind` passes as many bytes as the size requires.
            unsafe { (gl.tex_image_2d)(target, level, internal, width, height, 0, format, kind, data) };
        }
        ImageTarget::D3 | ImageTarget::D2Array | ImageTarget::CubeArray => {
            // SAFETY: `bind` passes as many bytes as the size requires.
            unsafe { (gl.tex_image_3d)(target, level, internal, width, height, depth, 0, format, kind, data) };
        }
        ImageTarget::Cube => {
            let face = bytes.len() / usize::from(size[2].max(1));
            for (number, bytes) in (0..6).zip(bytes.chunks(face.max(1))) {
                let (target, data) = (gl::TEXTURE_CUBE_MAP_POSITIVE_X + number, bytes.as_ptr().cast::<c_void>());
                // SAFETY: a chunk is one face, and `bind` has checked that all faces are there.
                unsafe { (gl.tex_image_2d)(target, level, internal, width, height, 0, format, kind, data) };
            }
        }
    }
}
