//! Textures for samplers of all kinds that engines use.

use demos::{Gl, gl};

/// Width, height, depth and number of layers of every texture.
const SIDE: i32 = 32;

/// The textures of a draw call: one for each sampler.
#[derive(Default)]
pub struct Textures {
    used: u32,
}

impl Textures {
    /// Returns whether there is a texture for samplers of a type.
    pub fn has(kind: u32) -> bool {
        target(kind).is_some()
    }

    /// Makes a texture for a sampler of a type, and returns the unit that it is bound to.
    pub fn bind(&mut self, gl: &Gl, kind: u32) -> u32 {
        let unit = self.used;
        self.used += 1;
        let Some(target) = target(kind) else { return unit };
        gl.ActiveTexture(gl::TEXTURE0 + unit);
        gl.BindTexture(target, gl.texture());
        let shadow = matches!(kind, gl::SAMPLER_2D_SHADOW | gl::SAMPLER_2D_ARRAY_SHADOW | gl::SAMPLER_CUBE_SHADOW);
        match kind {
            _ if shadow => {
                let depths: Vec<u16> = texels(unit).map(|[red, ..]| u16::from(red) << 8).collect();
                fill(gl, target, gl::DEPTH_COMPONENT16, (gl::DEPTH_COMPONENT, gl::UNSIGNED_SHORT), &depths);
                gl.TexParameteri(target, gl::TEXTURE_COMPARE_MODE, gl::COMPARE_REF_TO_TEXTURE.cast_signed());
                gl.TexParameteri(target, gl::TEXTURE_COMPARE_FUNC, gl::LEQUAL.cast_signed());
            }
            gl::UNSIGNED_INT_SAMPLER_2D => fill_integers(gl, target, gl::RGBA8UI, gl::UNSIGNED_BYTE, unit),
            gl::INT_SAMPLER_2D => fill_integers(gl, target, gl::RGBA8I, gl::BYTE, unit),
            _ => {
                let colours: Vec<u8> = texels(unit).flatten().collect();
                fill(gl, target, gl::RGBA8, (gl::RGBA, gl::UNSIGNED_BYTE), &colours);
                gl.GenerateMipmap(target);
            }
        }
        let filter = match kind {
            gl::UNSIGNED_INT_SAMPLER_2D | gl::INT_SAMPLER_2D => gl::NEAREST,
            _ => gl::LINEAR,
        };
        let smaller = if shadow || filter == gl::NEAREST { filter } else { gl::LINEAR_MIPMAP_LINEAR };
        gl.TexParameteri(target, gl::TEXTURE_MAG_FILTER, filter.cast_signed());
        gl.TexParameteri(target, gl::TEXTURE_MIN_FILTER, smaller.cast_signed());
        unit
    }
}

fn target(kind: u32) -> Option<u32> {
    Some(match kind {
        gl::SAMPLER_2D | gl::SAMPLER_2D_SHADOW | gl::INT_SAMPLER_2D | gl::UNSIGNED_INT_SAMPLER_2D => gl::TEXTURE_2D,
        gl::SAMPLER_3D => gl::TEXTURE_3D,
        gl::SAMPLER_CUBE | gl::SAMPLER_CUBE_SHADOW => gl::TEXTURE_CUBE_MAP,
        gl::SAMPLER_2D_ARRAY | gl::SAMPLER_2D_ARRAY_SHADOW => gl::TEXTURE_2D_ARRAY,
        _ => return None,
    })
}

/// A checkerboard with gradients, different for each unit.
fn texels(unit: u32) -> impl Iterator<Item = [u8; 4]> {
    let side = SIDE.unsigned_abs();
    (0..side * side).map(move |i| {
        let (x, y) = (i % side, i / side);
        let check = if (x / 4 + y / 4 + unit).is_multiple_of(2) { 230 } else { 90 };
        [check, (x * 255 / side) as u8, (y * 255 / side) as u8, 255 - (unit * 9) as u8]
    })
}

fn fill_integers(gl: &Gl, target: u32, internal: u32, kind: u32, unit: u32) {
    let numbers: Vec<u8> = texels(unit).flatten().map(|byte| byte / 2).collect();
    fill(gl, target, internal, (gl::RGBA_INTEGER, kind), &numbers);
}

/// Gives every face or layer the same texels.
fn fill<T: gl::Plain>(gl: &Gl, target: u32, internal: u32, layout: (u32, u32), texels: &[T]) {
    gl.PixelStorei(gl::UNPACK_ALIGNMENT, 1);
    match target {
        gl::TEXTURE_CUBE_MAP => (0..6).for_each(|face| {
            gl.tex_image(gl::TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, internal, (SIDE, SIDE), layout, Some(texels));
        }),
        gl::TEXTURE_3D | gl::TEXTURE_2D_ARRAY => {
            let layers = texels.repeat(SIDE as usize);
            gl.tex_image_layers(target, internal, (SIDE, SIDE, SIDE), layout, &layers);
        }
        _ => gl.tex_image(target, 0, internal, (SIDE, SIDE), layout, Some(texels)),
    }
}
