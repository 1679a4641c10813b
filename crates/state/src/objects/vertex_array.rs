//! Vertex array objects.

use api::constant as c;

use crate::objects::buffer::BufferRef;

/// A vertex array object.
#[derive(Clone, Debug)]
pub struct VertexArray {
    /// A number that no other object of its context's share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether there is more than the name.
    pub exists: bool,
    /// Arrays by [`Slot`].
    pub attribs: [Attrib; SLOTS],
    /// Buffer bindings, in the same places.
    pub bindings: [Binding; SLOTS],
    /// `GL_ELEMENT_ARRAY_BUFFER`.
    pub elements: BufferRef,
}

/// Which array: those of fixed functions come first, then the generic ones.
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
/// `glTexCoordPointer` of the first unit.
pub const TEX_COORD: Slot = 6;
/// `glPointSizePointerOES`.
pub const POINT_SIZE: Slot = 14;
/// `glEdgeFlagPointer`.
pub const EDGE_FLAG: Slot = 15;
/// The first generic attribute.
pub const GENERIC: Slot = 16;
/// How many arrays there are.
pub const SLOTS: usize = 32;
/// How many units have texture coordinates.
pub const TEX_COORDS: usize = 8;

/// One array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attrib {
    /// Whether it is used.
    pub enabled: bool,
    /// How many components an element has, 1 to 4.
    pub size: u8,
    /// Whether they are in the order blue, green, red, alpha.
    pub bgra: bool,
    /// Whether integers are normalized.
    pub normalized: bool,
    /// Whether they stay integers.
    pub integer: bool,
    /// Whether they stay doubles.
    pub long: bool,
    /// Which buffer binding it takes its elements from.
    pub binding: u8,
    /// The type of components.
    pub kind: u32,
    /// The stride as the program gave it.
    pub stride: i32,
    /// How far into an element of the buffer binding it begins.
    pub relative: u32,
    /// The pointer as the program gave it: an address, or an offset into a buffer.
    pub pointer: u64,
}

/// A buffer binding of a vertex array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The buffer; none for the program's memory.
    pub buffer: BufferRef,
    /// Where the first element is.
    pub offset: i64,
    /// How far elements are apart.
    pub stride: i32,
    /// How many instances share an element, 0 for those that advance with vertices.
    pub divisor: u32,
}

impl VertexArray {
    /// As GL has it initially.
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

    /// How many bytes one element has.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        element_bytes(u32::from(self.size), self.kind)
    }
}

/// How many bytes an element of so many components of a type has (GL 4.6, table 10.3).
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
