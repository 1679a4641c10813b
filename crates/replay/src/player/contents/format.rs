//! The formats and types in which pixels are read and written without loss.

use api::constant as c;

/// A format and type of pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pixels {
    pub format: u32,
    pub pixel_type: u32,
    /// Bytes of a pixel.
    size: usize,
}

impl Pixels {
    /// Red, green, blue and alpha as bytes.
    pub const COLOUR: Pixels = Pixels { format: c::GL_RGBA, pixel_type: c::GL_UNSIGNED_BYTE, size: 4 };

    /// What shaders see of colours of any format.
    pub const FLOATS: Pixels = Pixels { format: c::GL_RGBA, pixel_type: c::GL_FLOAT, size: 16 };
    /// Colours of half floats, for contents that are only written back.
    const HALVES: Pixels = Pixels { format: c::GL_RGBA, pixel_type: c::GL_HALF_FLOAT, size: 8 };
    pub const INTEGERS: Pixels = Pixels { format: c::GL_RGBA_INTEGER, pixel_type: c::GL_INT, size: 16 };
    pub const NATURALS: Pixels = Pixels { format: c::GL_RGBA_INTEGER, pixel_type: c::GL_UNSIGNED_INT, size: 16 };
    /// What shaders see of depth.
    pub const FLOAT: Pixels = Pixels { format: c::GL_RED, pixel_type: c::GL_FLOAT, size: 4 };
    /// What shaders see of stencil.
    pub const INDEX: Pixels = Pixels { format: c::GL_RED_INTEGER, pixel_type: c::GL_UNSIGNED_BYTE, size: 1 };

    /// Returns the form for a level of a texture; `ask` queries it by name (`GL_TEXTURE_RED_SIZE`).
    pub fn of(mut ask: impl FnMut(u32) -> u32) -> Result<Pixels, String> {
        let depth = (ask(c::GL_TEXTURE_DEPTH_SIZE), ask(c::GL_TEXTURE_DEPTH_TYPE));
        let stencil = ask(c::GL_TEXTURE_STENCIL_SIZE);
        if depth.0 > 0 || stencil > 0 {
            return Ok(Pixels::of_depth(depth.0, depth.1 == c::GL_FLOAT, stencil));
        }
        const COLOURS: [(u32, u32); 6] = [
            (c::GL_TEXTURE_RED_SIZE, c::GL_TEXTURE_RED_TYPE),
            (c::GL_TEXTURE_GREEN_SIZE, c::GL_TEXTURE_GREEN_TYPE),
            (c::GL_TEXTURE_BLUE_SIZE, c::GL_TEXTURE_BLUE_TYPE),
            (c::GL_TEXTURE_ALPHA_SIZE, c::GL_TEXTURE_ALPHA_TYPE),
            (c::GL_TEXTURE_LUMINANCE_SIZE, c::GL_TEXTURE_LUMINANCE_TYPE),
            (c::GL_TEXTURE_INTENSITY_SIZE, c::GL_TEXTURE_INTENSITY_TYPE),
        ];
        let (mut bits, mut kind) = (0, 0);
        for (size, its_type) in COLOURS {
            let size = ask(size);
            if size > bits {
                (bits, kind) = (size, ask(its_type));
            }
        }
        Pixels::of_colour(bits, kind).ok_or_else(|| format!("its format has components of type {kind:#06x}"))
    }

    /// Returns the form for a level of a texture whose contents are only kept to be written back. Half floats stay so: drivers
    /// convert them to floats and back at a fraction of the speed.
    pub fn to_keep(mut ask: impl FnMut(u32) -> u32) -> Result<Pixels, String> {
        const SIZES: [u32; 6] = [
            c::GL_TEXTURE_RED_SIZE,
            c::GL_TEXTURE_GREEN_SIZE,
            c::GL_TEXTURE_BLUE_SIZE,
            c::GL_TEXTURE_ALPHA_SIZE,
            c::GL_TEXTURE_LUMINANCE_SIZE,
            c::GL_TEXTURE_INTENSITY_SIZE,
        ];
        let pixels = Pixels::of(&mut ask)?;
        let halves = pixels == Pixels::FLOATS && SIZES.iter().all(|size| matches!(ask(*size), 0 | 16));
        Ok(if halves { Pixels::HALVES } else { pixels })
    }

    /// Returns the form for colours with components of these sizes in bits and of a type.
    pub fn of_colour(bits: u32, kind: u32) -> Option<Pixels> {
        let form = |format, pixel_type, size| Some(Pixels { format, pixel_type, size });
        match kind {
            c::GL_UNSIGNED_NORMALIZED => Some(Pixels::of_normalized(bits)),
            c::GL_SIGNED_NORMALIZED if bits <= 8 => form(c::GL_RGBA, c::GL_BYTE, 4),
            c::GL_SIGNED_NORMALIZED => form(c::GL_RGBA, c::GL_SHORT, 8),
            c::GL_FLOAT => form(c::GL_RGBA, c::GL_FLOAT, 16),
            c::GL_INT => form(c::GL_RGBA_INTEGER, c::GL_INT, 16),
            c::GL_UNSIGNED_INT => form(c::GL_RGBA_INTEGER, c::GL_UNSIGNED_INT, 16),
            _ => None,
        }
    }

    /// Returns the form for colours with components from 0 to 1 of these sizes in bits.
    pub fn of_normalized(bits: u32) -> Pixels {
        if bits <= 8 {
            return Pixels::COLOUR;
        }
        Pixels { format: c::GL_RGBA, pixel_type: c::GL_UNSIGNED_SHORT, size: 8 }
    }

    /// Returns the form for depth and stencil of these sizes in bits.
    pub fn of_depth(depth: u32, float: bool, stencil: u32) -> Pixels {
        let (format, pixel_type, size) = match (depth > 0, stencil > 0) {
            (true, true) if float => (c::GL_DEPTH_STENCIL, c::GL_FLOAT_32_UNSIGNED_INT_24_8_REV, 8),
            (true, true) => (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8, 4),
            (true, false) if float => (c::GL_DEPTH_COMPONENT, c::GL_FLOAT, 4),
            (true, false) => (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_INT, 4),
            (false, _) => (c::GL_STENCIL_INDEX, c::GL_UNSIGNED_BYTE, 1),
        };
        Pixels { format, pixel_type, size }
    }

    /// Returns the number of bytes of an image.
    pub fn bytes(&self, [width, height, depth]: [u32; 3]) -> usize {
        width as usize * height as usize * depth as usize * self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_half_floats_are_kept_as_half_floats() {
        let form = |sizes: [u32; 4], kind: u32| {
            let names = [c::GL_TEXTURE_RED_SIZE, c::GL_TEXTURE_GREEN_SIZE, c::GL_TEXTURE_BLUE_SIZE];
            let ask = |what: u32| match (names.iter().position(|name| *name == what), what) {
                (Some(place), _) => sizes[place],
                (None, c::GL_TEXTURE_ALPHA_SIZE) => sizes[3],
                (None, c::GL_TEXTURE_RED_TYPE | c::GL_TEXTURE_GREEN_TYPE | c::GL_TEXTURE_BLUE_TYPE) => kind,
                _ => 0,
            };
            let [kept, seen] = [Pixels::to_keep(ask), Pixels::of(ask)].map(|form| form.expect("a form"));
            (kept.pixel_type, kept.bytes([1; 3]), seen.pixel_type)
        };
        assert_eq!(form([16; 4], c::GL_FLOAT), (c::GL_HALF_FLOAT, 8, c::GL_FLOAT));
        assert_eq!(form([16, 16, 16, 0], c::GL_FLOAT), (c::GL_HALF_FLOAT, 8, c::GL_FLOAT));
        for (sizes, kind) in
            [([32; 4], c::GL_FLOAT), ([11, 11, 10, 0], c::GL_FLOAT), ([16; 4], c::GL_UNSIGNED_NORMALIZED)]
        {
            let (kept, _, seen) = form(sizes, kind);
            assert_eq!(kept, seen, "{sizes:?}");
        }
    }
}
