//! Textures of one level for a program's samplers.

use std::ffi::c_void;

use crate::context::c_string;
use crate::gl::{self, Gl};
use crate::quad::{delete, generate};

/// What shape a texture has.
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

/// What its texels are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum ImageFormat {
    Rgba8,
    Rgba32F,
    Rgba32I,
    Rgba32Ui,
    Depth32F,
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
    /// Width, height and depth; of arrays the last that is not one is the number of layers, of cubes that of faces.
    pub size: [u16; 3],
    /// Whether it is filtered.
    pub linear: bool,
    /// Whether a look-up compares.
    pub compare: bool,
    /// Its texels, row by row.
    pub data: Vec<u8>,
}

impl Image {
    fn bytes(&self) -> usize {
        let texel = match self.format {
            ImageFormat::Rgba8 | ImageFormat::Depth32F => 4,
            ImageFormat::Rgba32F | ImageFormat::Rgba32I | ImageFormat::Rgba32Ui => 16,
        };
        self.size.iter().map(|n| usize::from(*n)).product::<usize>() * texel
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

/// Makes a texture on a unit and points the sampler at it; an image with too few bytes is left out.
pub(crate) fn bind(gl: &Gl, program: u32, unit: u32, image: &Image) -> Option<u32> {
    if image.data.len() != image.bytes() {
        return None;
    }
    let texture = generate(gl.gen_textures);
    let target = image.target();
    gl.active_texture(gl::TEXTURE0 + unit);
    gl.bind_texture(target, texture);
    let filter = if image.linear { gl::LINEAR } else { gl::NEAREST };
    gl.tex_parameter(target, gl::TEXTURE_MIN_FILTER, filter);
    gl.tex_parameter(target, gl::TEXTURE_MAG_FILTER, filter);
    gl.tex_parameter(target, gl::TEXTURE_MAX_LEVEL, 0);
    if image.target == ImageTarget::Rectangle {
        gl.tex_parameter(target, gl::TEXTURE_WRAP_S, gl::CLAMP_TO_EDGE);
        gl.tex_parameter(target, gl::TEXTURE_WRAP_T, gl::CLAMP_TO_EDGE);
    }
    if image.compare {
        gl.tex_parameter(target, gl::TEXTURE_COMPARE_MODE, gl::COMPARE_REF_TO_TEXTURE);
    }
    upload(gl, image);
    let name = c_string(&image.name);
    // SAFETY: the name is zero-terminated and outlives the call.
    let location = unsafe { (gl.get_uniform_location)(program, name.as_ptr()) };
    let unit = unit.cast_signed();
    if location >= 0 {
        // SAFETY: one integer is given.
        unsafe { (gl.uniform_iv_1)(location, 1, &raw const unit) };
    }
    Some(texture)
}

/// Deletes textures.
pub(crate) fn unbind(gl: &Gl, textures: &[u32]) {
    textures.iter().for_each(|texture| delete(gl.delete_textures, *texture));
    gl.active_texture(gl::TEXTURE0);
}

fn upload(gl: &Gl, image: &Image) {
    let (internal, format, kind) = match image.format {
        ImageFormat::Rgba8 => (gl::RGBA8, gl::RGBA, gl::UNSIGNED_BYTE),
        ImageFormat::Rgba32F => (gl::RGBA32F, gl::RGBA, gl::FLOAT),
        ImageFormat::Rgba32I => (gl::RGBA32I, gl::RGBA_INTEGER, gl::INT),
        ImageFormat::Rgba32Ui => (gl::RGBA32UI, gl::RGBA_INTEGER, gl::UNSIGNED_INT),
        ImageFormat::Depth32F => (gl::DEPTH_COMPONENT32F, gl::DEPTH_COMPONENT, gl::FLOAT),
    };
    let internal = internal.cast_signed();
    let [width, height, depth] = image.size.map(i32::from);
    let target = image.target();
    let data = image.data.as_ptr().cast::<c_void>();
    match image.target {
        ImageTarget::D1 => {
            // SAFETY: `bind` made sure that there are as many bytes as the size asks for.
            unsafe { (gl.tex_image_1d)(target, 0, internal, width, 0, format, kind, data) };
        }
        ImageTarget::D2 | ImageTarget::D1Array | ImageTarget::Rectangle => {
            // SAFETY: `bind` made sure that there are as many bytes as the size asks for.
            unsafe { (gl.tex_image_2d)(target, 0, internal, width, height, 0, format, kind, data) };
        }
        ImageTarget::D3 | ImageTarget::D2Array | ImageTarget::CubeArray => {
            // SAFETY: `bind` made sure that there are as many bytes as the size asks for.
            unsafe { (gl.tex_image_3d)(target, 0, internal, width, height, depth, 0, format, kind, data) };
        }
        ImageTarget::Cube => {
            let face = image.bytes() / usize::from(image.size[2].max(1));
            for (number, bytes) in (0..6).zip(image.data.chunks(face.max(1))) {
                let (target, data) = (gl::TEXTURE_CUBE_MAP_POSITIVE_X + number, bytes.as_ptr().cast::<c_void>());
                // SAFETY: a chunk is one face, and `bind` made sure that all faces are there.
                unsafe { (gl.tex_image_2d)(target, 0, internal, width, height, 0, format, kind, data) };
            }
        }
    }
}
