//! A shadow of the buffer bindings and of the pixel store state.
//!
//! Calling `glGet` when needed would be simpler, but makes a driver with a worker thread wait. The difficulty is
//! commands that fail: in a core profile GL rejects names that were never generated (GL 4.6, 6.1). The shadow of such a
//! target is checked once with the driver before it is used.

use std::collections::HashMap;

use api::constant as c;

/// Targets whose binding determines what a pointer means, or names the buffer of a call.
const TARGETS: [(u32, u32); 8] = [
    (c::GL_ARRAY_BUFFER, c::GL_ARRAY_BUFFER_BINDING),
    (c::GL_PIXEL_PACK_BUFFER, c::GL_PIXEL_PACK_BUFFER_BINDING),
    (c::GL_PIXEL_UNPACK_BUFFER, c::GL_PIXEL_UNPACK_BUFFER_BINDING),
    (c::GL_DRAW_INDIRECT_BUFFER, c::GL_DRAW_INDIRECT_BUFFER_BINDING),
    (c::GL_DISPATCH_INDIRECT_BUFFER, c::GL_DISPATCH_INDIRECT_BUFFER_BINDING),
    (c::GL_QUERY_BUFFER, c::GL_QUERY_BUFFER_BINDING),
    (c::GL_PARAMETER_BUFFER, c::GL_PARAMETER_BUFFER_BINDING),
    (c::GL_ELEMENT_ARRAY_BUFFER, c::GL_ELEMENT_ARRAY_BUFFER_BINDING),
];

/// The index of `GL_ELEMENT_ARRAY_BUFFER` in [`TARGETS`]: it belongs to the vertex array object.
const ELEMENTS: usize = 7;

/// Vertex array objects with names below this are looked up by index.
const DENSE: u32 = 1 << 14;

/// The bindings of a context.
#[derive(Clone, Default)]
pub struct Bindings {
    names: [u32; ELEMENTS],
    /// A bit for each of them that may be wrong.
    unsure: u8,
    /// The vertex array object.
    pub vertex_array: u32,
    dense: Vec<u32>,
    sparse: HashMap<u32, u32>,
}

fn index(target: u32) -> Option<usize> {
    TARGETS.iter().position(|(name, _)| *name == target)
}

impl Bindings {
    /// Returns the binding of a target, as far as known; 0 for targets that are not tracked.
    pub fn name(&self, target: u32) -> u32 {
        match index(target) {
            Some(ELEMENTS) => self.elements(),
            Some(at) => self.names.get(at).copied().unwrap_or(0),
            None => 0,
        }
    }

    /// Returns the binding of `GL_ARRAY_BUFFER`.
    #[inline]
    pub fn array(&self) -> u32 {
        self.names[0]
    }

    /// Returns the element array buffer of the current vertex array object.
    pub fn elements(&self) -> u32 {
        match self.dense.get(self.vertex_array as usize) {
            Some(name) => *name,
            None => self.sparse.get(&self.vertex_array).copied().unwrap_or(0),
        }
    }

    /// Sets the binding of a target, which GL may have rejected; `strict` in contexts where it rejects unknown names.
    #[inline]
    pub fn bind(&mut self, target: u32, name: u32, strict: bool) {
        match index(target) {
            Some(ELEMENTS) => self.set_elements(self.vertex_array, name),
            Some(at) => {
                if let Some(place) = self.names.get_mut(at) {
                    *place = name;
                    let bit = 1 << at;
                    self.unsure = if strict && name != 0 { self.unsure | bit } else { self.unsure & !bit };
                }
            }
            None => {}
        }
    }

    /// Sets the element array buffer of a vertex array object.
    pub fn set_elements(&mut self, vertex_array: u32, name: u32) {
        if vertex_array >= DENSE {
            self.sparse.insert(vertex_array, name);
            return;
        }
        let at = vertex_array as usize;
        if at >= self.dense.len() {
            if name == 0 {
                return;
            }
            self.dense.resize((at + 1).next_power_of_two(), 0);
        }
        if let Some(place) = self.dense.get_mut(at) {
            *place = name;
        }
    }

    /// Removes a deleted buffer from the bindings of this context and of its current vertex array object (GL 4.6,
    /// 5.1.2).
    pub fn delete(&mut self, name: u32) {
        if name == 0 {
            return;
        }
        for place in &mut self.names {
            if *place == name {
                *place = 0;
            }
        }
        if self.elements() == name {
            self.set_elements(self.vertex_array, 0);
        }
    }

    /// Removes a deleted vertex array object.
    pub fn delete_vertex_array(&mut self, name: u32) {
        if name != 0 {
            self.set_elements(name, 0);
            if self.vertex_array == name {
                self.vertex_array = 0;
            }
        }
    }

    /// Returns the name to query a target's binding by, if the shadow of that target should be checked with the driver.
    pub fn doubtful(&self, target: u32) -> Option<u32> {
        let at = index(target)?;
        (self.unsure & (1 << at) != 0).then(|| TARGETS.get(at).map(|(_, binding)| *binding))?
    }
}

/// The layout of pixels in the program's memory, in one direction (GL 4.6, tables 8.1 and 18.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub struct Layout {
    pub swap_bytes: bool,
    pub lsb_first: bool,
    pub row_length: i32,
    pub image_height: i32,
    pub skip_rows: i32,
    pub skip_pixels: i32,
    pub skip_images: i32,
    pub alignment: i32,
    /// Width, height, depth and bytes of a block, as set for compressed images.
    pub block: [i32; 4],
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            swap_bytes: false,
            lsb_first: false,
            row_length: 0,
            image_height: 0,
            skip_rows: 0,
            skip_pixels: 0,
            skip_images: 0,
            alignment: 4,
            block: [0; 4],
        }
    }
}

/// Both directions.
#[derive(Clone, Copy, Default, Debug)]
pub struct Layouts {
    /// Into memory: `glReadPixels` and similar commands.
    pub pack: Layout,
    /// Out of memory: `glTexImage2D` and similar commands.
    pub unpack: Layout,
}

/// Which parameters of `glPixelStore` a context has. GLES 2.0 has only the alignments; extensions add the rest, for one
/// direction each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PixelStoreSupport {
    /// More than the alignment for packing.
    pub pack: bool,
    /// More than the alignment for unpacking.
    pub unpack: bool,
}

impl Layouts {
    /// Applies `glPixelStore`. Parameters that GL rejects change nothing.
    pub fn store(&mut self, pname: u32, value: i32, known: PixelStoreSupport) {
        let (layout, more) = match pname {
            c::GL_PACK_SWAP_BYTES..=c::GL_PACK_ALIGNMENT
            | c::GL_PACK_SKIP_IMAGES
            | c::GL_PACK_IMAGE_HEIGHT
            | c::GL_PACK_COMPRESSED_BLOCK_WIDTH..=c::GL_PACK_COMPRESSED_BLOCK_SIZE => (&mut self.pack, known.pack),
            _ => (&mut self.unpack, known.unpack),
        };
        let place = match pname {
            c::GL_PACK_ALIGNMENT | c::GL_UNPACK_ALIGNMENT => {
                if matches!(value, 1 | 2 | 4 | 8) {
                    layout.alignment = value;
                }
                return;
            }
            _ if !more => return,
            c::GL_PACK_SWAP_BYTES | c::GL_UNPACK_SWAP_BYTES => {
                layout.swap_bytes = value != 0;
                return;
            }
            c::GL_PACK_LSB_FIRST | c::GL_UNPACK_LSB_FIRST => {
                layout.lsb_first = value != 0;
                return;
            }
            c::GL_PACK_ROW_LENGTH | c::GL_UNPACK_ROW_LENGTH => &mut layout.row_length,
            c::GL_PACK_IMAGE_HEIGHT | c::GL_UNPACK_IMAGE_HEIGHT => &mut layout.image_height,
            c::GL_PACK_SKIP_ROWS | c::GL_UNPACK_SKIP_ROWS => &mut layout.skip_rows,
            c::GL_PACK_SKIP_PIXELS | c::GL_UNPACK_SKIP_PIXELS => &mut layout.skip_pixels,
            c::GL_PACK_SKIP_IMAGES | c::GL_UNPACK_SKIP_IMAGES => &mut layout.skip_images,
            c::GL_PACK_COMPRESSED_BLOCK_WIDTH | c::GL_UNPACK_COMPRESSED_BLOCK_WIDTH => &mut layout.block[0],
            c::GL_PACK_COMPRESSED_BLOCK_HEIGHT | c::GL_UNPACK_COMPRESSED_BLOCK_HEIGHT => &mut layout.block[1],
            c::GL_PACK_COMPRESSED_BLOCK_DEPTH | c::GL_UNPACK_COMPRESSED_BLOCK_DEPTH => &mut layout.block[2],
            c::GL_PACK_COMPRESSED_BLOCK_SIZE | c::GL_UNPACK_COMPRESSED_BLOCK_SIZE => &mut layout.block[3],
            _ => return,
        };
        if value >= 0 {
            *place = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bindings, Layouts, PixelStoreSupport, c};

    #[test]
    fn element_buffers_belong_to_vertex_arrays() {
        let mut bindings = Bindings::default();
        bindings.bind(c::GL_ELEMENT_ARRAY_BUFFER, 5, false);
        bindings.vertex_array = 3;
        assert_eq!(bindings.elements(), 0);
        bindings.bind(c::GL_ELEMENT_ARRAY_BUFFER, 6, false);
        bindings.vertex_array = 1 << 20;
        bindings.bind(c::GL_ELEMENT_ARRAY_BUFFER, 7, false);
        assert_eq!(bindings.name(c::GL_ELEMENT_ARRAY_BUFFER), 7);
        bindings.vertex_array = 0;
        assert_eq!(bindings.elements(), 5);
        bindings.delete(5);
        assert_eq!(bindings.elements(), 0);
        bindings.vertex_array = 3;
        assert_eq!(bindings.elements(), 6);
        bindings.delete_vertex_array(3);
        assert_eq!(bindings.elements(), 0);
        bindings.vertex_array = 3;
        assert_eq!(bindings.elements(), 0);
    }

    #[test]
    fn names_that_gl_may_have_rejected_are_doubtful() {
        let mut bindings = Bindings::default();
        bindings.bind(c::GL_PIXEL_PACK_BUFFER, 9, true);
        assert_eq!(bindings.doubtful(c::GL_PIXEL_PACK_BUFFER), Some(c::GL_PIXEL_PACK_BUFFER_BINDING));
        bindings.bind(c::GL_PIXEL_PACK_BUFFER, 0, true);
        assert_eq!(bindings.doubtful(c::GL_PIXEL_PACK_BUFFER), None);
        bindings.bind(0x1234, 9, true);
    }

    #[test]
    fn pixel_store_follows_gl() {
        let all = PixelStoreSupport { pack: true, unpack: true };
        let mut layouts = Layouts::default();
        layouts.store(c::GL_UNPACK_ALIGNMENT, 3, all);
        assert_eq!(layouts.unpack.alignment, 4);
        layouts.store(c::GL_UNPACK_ALIGNMENT, 1, all);
        layouts.store(c::GL_PACK_ROW_LENGTH, 100, all);
        layouts.store(c::GL_UNPACK_ROW_LENGTH, -1, all);
        layouts.store(c::GL_PACK_COMPRESSED_BLOCK_SIZE, 16, all);
        assert_eq!((layouts.unpack.alignment, layouts.pack.alignment), (1, 4));
        assert_eq!((layouts.unpack.row_length, layouts.pack.row_length), (0, 100));
        assert_eq!(layouts.pack.block, [0, 0, 0, 16]);
        layouts.store(c::GL_PACK_SKIP_ROWS, 5, PixelStoreSupport { pack: false, unpack: true });
        assert_eq!(layouts.pack.skip_rows, 0);
    }
}
