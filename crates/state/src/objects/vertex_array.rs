//! Vertex array objects.

use api::constant as c;

use crate::objects::buffer::BufferRef;

/// A vertex array object.
#[derive(Clone, Debug)]
pub struct VertexArray {
    /// A number that is unique in its context's share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether the object exists, not only its name.
    pub exists: bool,
    /// Arrays by [`Slot`].
    pub attribs: [Attrib; SLOTS],
    /// Buffer bindings, by [`Slot`].
    pub bindings: [Binding; SLOTS],
    /// `GL_ELEMENT_ARRAY_BUFFER`.
    pub elements: BufferRef,
}

/// The index of an array: fixed-function arrays come first, then the generic ones.
pub type Slot = usize;

/// `glVertexPointer`.
pub const POSITION: Slot = 0;
/// `glNormalPointer`.
pub const NORMAL: Slot = 1;
/// `glColorPointer`.
pub const COLOR: Slot = 2;
/// `glSecondaryColorPointer`.
pub const SECONDARY_COLOR: Slot = 3;
/// `glFogCoordPointer`.
pub const FOG_COORD: Slot = 4;
/// `glIndexPointer`.
pub const INDEX: Slot = 5;
/// `glTexCoordPointer` of unit 0.
pub const TEX_COORD: Slot = 6;
/// `glPointSizePointerOES`.
pub const POINT_SIZE: Slot = 14;
/// `glEdgeFlagPointer`.
pub const EDGE_FLAG: Slot = 15;
/// The first generic attribute.
pub const GENERIC: Slot = 16;
/// Number of arrays.
pub const SLOTS: usize = 32;
/// Number of units with texture coordinates.
pub const TEX_COORDS: usize = 8;

/// One array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attrib {
    /// Whether it is enabled.
    pub enabled: bool,
    /// The number of components of an element, 1 to 4.
    pub size: u8,
    /// Whether their order is blue, green, red, alpha.
    pub bgra: bool,
    /// Whether integers are normalized.
    pub normalized: bool,
    /// Whether they stay integers.
    pub integer: bool,
    /// Whether they stay doubles.
    pub long: bool,
    /// The buffer binding of its elements.
    pub binding: u8,
    /// The type of components.
    pub kind: u32,
    /// The stride as given by the program.
    pub stride: i32,
    /// Its offset in an element of the buffer binding.
    pub relative: u32,
    /// The pointer as given by the program: an address, or an offset into a buffer.
    pub pointer: u64,
}

/// A buffer binding of a vertex array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The buffer; none for client memory.
    pub buffer: BufferRef,
    /// The offset of the first element.
    pub offset: i64,
    /// The distance between elements.
    pub stride: i32,
    /// The number of instances per element, 0 for elements that advance per vertex.
    pub divisor: u32,
}

impl VertexArray {
    /// Returns GL's initial state.
    #[must_use]
    pub fn new(object: u64) -> VertexArray {
        let mut attribs = [Attrib::new(4, c::GL_FLOAT); SLOTS];
        let mut bindings = [Binding { buffer: BufferRef::NONE, offset: 0, stride: 16, divisor: 0 }; SLOTS];
        attribs[NORMAL].size = 3;
        attribs[SECONDARY_COLOR].size = 3;
        for slot in [FOG_COORD, INDEX, POINT_SIZE, EDGE_FLAG] {
            attribs[slot].size = 1;
        }
        attribs[EDGE_FLAG].kind = c::GL_UNSIGNED_BYTE;
        for (slot, attrib) in attribs.iter_mut().enumerate() {
            attrib.binding = slot as u8;
            bindings[slot].stride = attrib.bytes() as i32;
        }
        VertexArray { object, exists: false, attribs, bindings, elements: BufferRef::NONE }
    }
}

impl Attrib {
    fn new(size: u8, kind: u32) -> Attrib {
        Attrib {
            enabled: false,
            size,
            bgra: false,
            normalized: false,
            integer: false,
            long: false,
            binding: 0,
            kind,
            stride: 0,
            relative: 0,
            pointer: 0,
        }
    }

    /// Returns the size in bytes of one element.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        element_bytes(u32::from(self.size), self.kind)
    }
}

/// Returns the size in bytes of an element of this many components of a type (GL 4.6, table 10.3).
#[must_use]
pub fn element_bytes(size: u32, kind: u32) -> u32 {
    match kind {
        c::GL_BYTE | c::GL_UNSIGNED_BYTE => size,
        c::GL_SHORT | c::GL_UNSIGNED_SHORT | c::GL_HALF_FLOAT | c::GL_HALF_FLOAT_OES => size * 2,
        c::GL_DOUBLE | c::GL_UNSIGNED_INT64_ARB => size * 8,
        c::GL_INT_2_10_10_10_REV | c::GL_UNSIGNED_INT_2_10_10_10_REV | c::GL_UNSIGNED_INT_10F_11F_11F_REV => 4,
        _ => size * 4,
    }
}
