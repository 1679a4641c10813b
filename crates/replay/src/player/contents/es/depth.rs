//! Depth and stencil, which OpenGL ES reads back in no call: they are copied to a texture of the same format, from where a
//! shader writes what it fetches to an image of integers.

use api::{constant as c, id};

use super::super::format::Pixels;
use super::NO_DEPTH;
use crate::player::Player;

const VERTEX: &str = "#version 310 es
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
";

const DEPTH: &str = "#version 310 es
uniform highp sampler2D source;
out highp uint value;
void main() {
    value = floatBitsToUint(texelFetch(source, ivec2(gl_FragCoord.xy), 0).r);
}
";

const STENCIL: &str = "#version 310 es
uniform highp usampler2D source;
out highp uint value;
void main() {
    value = texelFetch(source, ivec2(gl_FragCoord.xy), 0).r;
}
";

/// A format of depth and stencil.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DepthFormat {
    /// Bits of depth and of stencil.
    pub bits: [u32; 2],
    /// Whether depth is a float.
    pub float: bool,
}

impl DepthFormat {
    /// The form in which its pixels are given.
    pub fn pixels(self) -> Pixels {
        Pixels::of_depth(self.bits[0], self.float, self.bits[1])
    }

    /// The sized internal format; the format and type of pixels that a texture of it is made with; and where it is in a
    /// framebuffer.
    fn texture(self) -> Option<([u32; 3], u32)> {
        let depth = |internal, kind| ([internal, c::GL_DEPTH_COMPONENT, kind], c::GL_DEPTH_ATTACHMENT);
        let both = |internal, kind| ([internal, c::GL_DEPTH_STENCIL, kind], c::GL_DEPTH_STENCIL_ATTACHMENT);
        Some(match (self.bits, self.float) {
            ([16, 0], false) => depth(c::GL_DEPTH_COMPONENT16, c::GL_UNSIGNED_SHORT),
            ([24, 0], false) => depth(c::GL_DEPTH_COMPONENT24, c::GL_UNSIGNED_INT),
            ([32, 0], true) => depth(c::GL_DEPTH_COMPONENT32F, c::GL_FLOAT),
            ([24, 8], false) => both(c::GL_DEPTH24_STENCIL8, c::GL_UNSIGNED_INT_24_8),
            ([32, 8], true) => both(c::GL_DEPTH32F_STENCIL8, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV),
            _ => return None,
        })
    }

    /// A pixel, in the form of its pixels, from what shaders fetch: the bits of depth as a float, and the stencil.
    fn pixel(self, depth: u32, stencil: u32) -> Vec<u8> {
        let number = |bits: u32| (f64::from(f32::from_bits(depth)) * ((1_u64 << bits) - 1) as f64).round() as u32;
        let words = match (self.bits, self.float) {
            ([_, 0], true) => vec![depth],
            ([_, _], true) => vec![depth, stencil],
            ([16, _], _) => vec![number(16) << 16 | number(16)],
            // The topmost bits are repeated below, as drivers do.
            ([_, 0], _) => vec![number(24) << 8 | number(24) >> 16],
            _ => vec![number(24) << 8 | stencil & 0xFF],
        };
        words.into_iter().flat_map(u32::to_ne_bytes).collect()
    }
}

impl Player {
    /// Reads depth, and stencil if there is any, of an image that `attach` attaches to the framebuffer that is bound for
    /// reading: it is given where.
    pub(super) fn read_depth_in_es(
        &mut self,
        format: DepthFormat,
        [width, height]: [u32; 2],
        attach: impl FnOnce(&mut Player, u64),
    ) -> Result<Vec<u8>, String> {
        let ([internal, pixels, kind], place) = format.texture().ok_or(NO_DEPTH)?;
        let flat = u64::from(c::GL_TEXTURE_2D);
        let [wide, high] = [width, height].map(u64::from);
        let copy = self.plain_texture([internal, pixels, kind], [wide, high]);
        let from = self.integer(c::GL_READ_FRAMEBUFFER_BINDING).cast_unsigned();
        attach(self, u64::from(place));
        let to = self.generate(id::glGenFramebuffers);
        let target = u64::from(c::GL_DRAW_FRAMEBUFFER);
        self.own_call(id::glBindFramebuffer, &[target, u64::from(to)]);
        self.own_call(id::glFramebufferTexture2D, &[target, u64::from(place), flat, u64::from(copy), 0]);
        let both = format.bits[1] > 0;
        let planes = c::GL_DEPTH_BUFFER_BIT | if both { c::GL_STENCIL_BUFFER_BIT } else { 0 };
        let blit = [0, 0, wide, high, 0, 0, wide, high, u64::from(planes), u64::from(c::GL_NEAREST)];
        self.own_call(id::glBlitFramebuffer, &blit);
        let depth = self.fetched(DEPTH, copy, [width, height]);
        let stencil = if both {
            let mode = [c::GL_DEPTH_STENCIL_TEXTURE_MODE, c::GL_STENCIL_INDEX].map(u64::from);
            self.own_call(id::glBindTexture, &[flat, u64::from(copy)]);
            self.own_call(id::glTexParameteri, &[flat, mode[0], mode[1]]);
            self.fetched(STENCIL, copy, [width, height])
        } else {
            Ok(Vec::new())
        };
        self.drop_framebuffer(to);
        self.own_call(id::glBindFramebuffer, &[u64::from(c::GL_READ_FRAMEBUFFER), u64::from(from)]);
        self.own_call(id::glBindTexture, &[flat, 0]);
        self.delete(id::glDeleteTextures, copy);
        let (depth, stencil) = (depth?, stencil?);
        let stencil = stencil.into_iter().chain(std::iter::repeat(0));
        Ok(depth.into_iter().zip(stencil).flat_map(|(depth, stencil)| format.pixel(depth, stencil)).collect())
    }

    /// What a shader fetches of each pixel of a texture.
    fn fetched(&mut self, fragment: &str, texture: u32, [width, height]: [u32; 2]) -> Result<Vec<u32>, String> {
        let program = self.program_of([VERTEX, fragment]).ok_or(NO_DEPTH)?;
        let form = Pixels::NATURALS;
        let size = [width, height].map(u64::from);
        let values = self.plain_texture([c::GL_R32UI, c::GL_RED_INTEGER, c::GL_UNSIGNED_INT], size);
        let framebuffer = self.generate(id::glGenFramebuffers);
        let (target, flat) = (u64::from(c::GL_FRAMEBUFFER), u64::from(c::GL_TEXTURE_2D));
        self.own_call(id::glBindFramebuffer, &[target, u64::from(framebuffer)]);
        let place = u64::from(c::GL_COLOR_ATTACHMENT0);
        self.own_call(id::glFramebufferTexture2D, &[target, place, flat, u64::from(values), 0]);
        self.own_call(id::glBindTexture, &[flat, u64::from(texture)]);
        self.own_call(id::glUseProgram, &[program]);
        self.own_call(id::glViewport, &[0, 0, size[0], size[1]]);
        self.own_call(id::glDrawArrays, &[u64::from(c::GL_TRIANGLES), 0, 3]);
        let bytes = self.read_pixels([width, height], form);
        self.own_call(id::glUseProgram, &[0]);
        self.own_call(id::glDeleteProgram, &[program]);
        self.delete(id::glDeleteTextures, values);
        self.drop_framebuffer(framebuffer);
        // Of four components that are read, one is there.
        Ok(bytes
            .as_chunks::<16>()
            .0
            .iter()
            .map(|pixel| u32::from_ne_bytes([pixel[0], pixel[1], pixel[2], pixel[3]]))
            .collect())
    }

    /// A texture of an internal format with one level that is read as it is, bound. The format and type are of pixels that it
    /// is not given.
    fn plain_texture(&mut self, [internal, format, kind]: [u32; 3], [width, height]: [u64; 2]) -> u32 {
        let flat = u64::from(c::GL_TEXTURE_2D);
        let texture = self.generate(id::glGenTextures);
        self.own_call(id::glBindTexture, &[flat, u64::from(texture)]);
        for filter in [c::GL_TEXTURE_MIN_FILTER, c::GL_TEXTURE_MAG_FILTER] {
            self.own_call(id::glTexParameteri, &[flat, u64::from(filter), u64::from(c::GL_NEAREST)]);
        }
        let [internal, format, kind] = [internal, format, kind].map(u64::from);
        self.own_call(id::glTexImage2D, &[flat, 0, internal, width, height, 0, format, kind, 0]);
        texture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_bits_comes_back() {
        let check = |bits: [u32; 2], stored: u32, expected: u32| {
            let depth = stored as f32 / ((1_u64 << bits[0]) - 1) as f32;
            let pixel = DepthFormat { bits, float: false }.pixel(depth.to_bits(), 0x5A);
            assert_eq!(pixel, expected.to_ne_bytes(), "{stored:#x} of {bits:?}");
        };
        for stored in [0, 1, 2, 0x7F_FFFF, 0x80_0000, 0xAB_CDEF, 0xFF_FFFE, 0xFF_FFFF] {
            check([24, 0], stored, stored << 8 | stored >> 16);
            check([24, 8], stored, stored << 8 | 0x5A);
        }
        (0..=0xFFFF).for_each(|stored| check([16, 0], stored, stored << 16 | stored));
        let float = DepthFormat { bits: [32, 8], float: true }.pixel(0.3_f32.to_bits(), 7);
        assert_eq!(float, [0.3_f32.to_bits(), 7].map(u32::to_ne_bytes).concat());
    }
}
