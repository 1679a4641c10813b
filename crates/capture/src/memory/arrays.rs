//! Vertex arrays in the program's own memory.
//!
//! GL keeps the pointers and follows them at draw calls. A shadow of the arrays of vertex array object 0 tracks which
//! of them are enabled and point to memory of the program; objects with other names cannot have such arrays (GL 4.6
//! compatibility, 10.3.2; ES 3.2, 10.3.1). For programs that keep all vertices in buffers this costs one
//! comparison.

use api::{CommandId, constant as c, id};

use api::fetch::Span;

/// Number of texture units whose coordinates are tracked.
const UNITS: u32 = 16;
/// Number of generic attributes that are tracked.
const ATTRIBUTES: u32 = 32;

/// Identifies one of the arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot(u8);

#[allow(missing_docs, reason = "the names are GL's own")]
impl Slot {
    pub const VERTEX: Slot = Slot(0);
    pub const NORMAL: Slot = Slot(1);
    pub const COLOR: Slot = Slot(2);
    pub const SECONDARY_COLOR: Slot = Slot(3);
    pub const FOG_COORD: Slot = Slot(4);
    pub const INDEX: Slot = Slot(5);
    pub const EDGE_FLAG: Slot = Slot(6);
    pub const POINT_SIZE: Slot = Slot(7);
    pub const WEIGHT: Slot = Slot(8);
    pub const MATRIX_INDEX: Slot = Slot(9);
    const FIRST_UNIT: u8 = 10;
    const FIRST_ATTRIBUTE: u8 = Slot::FIRST_UNIT + UNITS as u8;
    const COUNT: usize = Slot::FIRST_ATTRIBUTE as usize + ATTRIBUTES as usize;

    /// Returns the texture coordinates of a unit.
    pub fn unit(unit: u32) -> Option<Slot> {
        (unit < UNITS).then_some(Slot(Slot::FIRST_UNIT + unit as u8))
    }

    /// Returns a generic attribute.
    pub fn attribute(index: u32) -> Option<Slot> {
        (index < ATTRIBUTES).then_some(Slot(Slot::FIRST_ATTRIBUTE + index as u8))
    }

    /// Returns the array that `glEnableClientState` means; `unit` is the client's active texture unit.
    pub fn client_state(array: u32, unit: u32) -> Option<Slot> {
        Some(match array {
            c::GL_VERTEX_ARRAY => Slot::VERTEX,
            c::GL_NORMAL_ARRAY => Slot::NORMAL,
            c::GL_COLOR_ARRAY => Slot::COLOR,
            c::GL_INDEX_ARRAY => Slot::INDEX,
            c::GL_TEXTURE_COORD_ARRAY => return Slot::unit(unit),
            c::GL_EDGE_FLAG_ARRAY => Slot::EDGE_FLAG,
            c::GL_FOG_COORD_ARRAY => Slot::FOG_COORD,
            c::GL_SECONDARY_COLOR_ARRAY => Slot::SECONDARY_COLOR,
            c::GL_POINT_SIZE_ARRAY_OES => Slot::POINT_SIZE,
            c::GL_WEIGHT_ARRAY_ARB => Slot::WEIGHT,
            c::GL_MATRIX_INDEX_ARRAY_ARB => Slot::MATRIX_INDEX,
            c::GL_VERTEX_ATTRIB_ARRAY0_NV..=c::GL_VERTEX_ATTRIB_ARRAY15_NV => {
                return Slot::attribute(array - c::GL_VERTEX_ATTRIB_ARRAY0_NV);
            }
            _ => return None,
        })
    }

    /// Returns the texture unit, if this is an array of texture coordinates.
    pub fn texture_unit(self) -> Option<u32> {
        (Slot::FIRST_UNIT..Slot::FIRST_ATTRIBUTE).contains(&self.0).then(|| u32::from(self.0 - Slot::FIRST_UNIT))
    }

    fn bit(self) -> u64 {
        1 << self.0
    }
}

/// Which parameters of a command that specifies an array mean what.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// How the command selects the array.
    pub selector: ArraySelector,
    /// The number of components.
    pub size: Number,
    /// The type of the components.
    pub kind: Number,
    /// The parameter with the stride.
    pub stride: u8,
    /// The parameter with the pointer.
    pub pointer: u8,
}

/// How a command selects the array that it specifies.
#[derive(Clone, Copy, Debug)]
pub enum ArraySelector {
    /// Always this one.
    Fixed(Slot),
    /// The coordinates of the client's active texture unit.
    ActiveUnit,
    /// The coordinates of the unit that parameter 0 names (`GL_TEXTURE0` and so on).
    Unit,
    /// The generic attribute in parameter 0.
    Attribute,
}

/// A parameter by its index, or a constant.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// The value of a parameter.
    Param(u8),
    /// Always this.
    Always(u32),
}

impl Number {
    fn of(self, args: &[u64]) -> Option<u32> {
        match self {
            Number::Param(index) => args.get(usize::from(index)).map(|word| *word as u32),
            Number::Always(value) => Some(value),
        }
    }
}

/// Returns the layout of a command that specifies an array.
pub fn layout(command: CommandId) -> Option<Layout> {
    use Number::{Always, Param};
    let sized = |selector| Layout { selector, size: Param(0), kind: Param(1), stride: 2, pointer: 3 };
    let counted = |selector| Layout { selector, size: Param(0), kind: Param(1), stride: 2, pointer: 4 };
    let plain = |slot, size| Layout {
        selector: ArraySelector::Fixed(slot),
        size: Always(size),
        kind: Param(0),
        stride: 1,
        pointer: 2,
    };
    let plain_counted = |slot, size| Layout {
        selector: ArraySelector::Fixed(slot),
        size: Always(size),
        kind: Param(0),
        stride: 1,
        pointer: 3,
    };
    let flags = |pointer| Layout {
        selector: ArraySelector::Fixed(Slot::EDGE_FLAG),
        size: Always(1),
        kind: Always(c::GL_UNSIGNED_BYTE),
        stride: 0,
        pointer,
    };
    let integer = Layout { selector: ArraySelector::Attribute, size: Param(1), kind: Param(2), stride: 3, pointer: 4 };
    Some(match command {
        id::glVertexPointer => sized(ArraySelector::Fixed(Slot::VERTEX)),
        id::glVertexPointerEXT => counted(ArraySelector::Fixed(Slot::VERTEX)),
        id::glColorPointer => sized(ArraySelector::Fixed(Slot::COLOR)),
        id::glColorPointerEXT => counted(ArraySelector::Fixed(Slot::COLOR)),
        id::glSecondaryColorPointer | id::glSecondaryColorPointerEXT => {
            sized(ArraySelector::Fixed(Slot::SECONDARY_COLOR))
        }
        id::glTexCoordPointer => sized(ArraySelector::ActiveUnit),
        id::glTexCoordPointerEXT => counted(ArraySelector::ActiveUnit),
        id::glMultiTexCoordPointerEXT => {
            Layout { selector: ArraySelector::Unit, size: Param(1), kind: Param(2), stride: 3, pointer: 4 }
        }
        id::glWeightPointerARB | id::glWeightPointerOES => sized(ArraySelector::Fixed(Slot::WEIGHT)),
        id::glMatrixIndexPointerARB | id::glMatrixIndexPointerOES => sized(ArraySelector::Fixed(Slot::MATRIX_INDEX)),
        id::glNormalPointer => plain(Slot::NORMAL, 3),
        id::glNormalPointerEXT => plain_counted(Slot::NORMAL, 3),
        id::glFogCoordPointer | id::glFogCoordPointerEXT => plain(Slot::FOG_COORD, 1),
        id::glIndexPointer => plain(Slot::INDEX, 1),
        id::glIndexPointerEXT => plain_counted(Slot::INDEX, 1),
        id::glPointSizePointerOES => plain(Slot::POINT_SIZE, 1),
        id::glEdgeFlagPointer => flags(1),
        id::glEdgeFlagPointerEXT => flags(2),
        id::glVertexAttribPointer | id::glVertexAttribPointerARB => {
            Layout { selector: ArraySelector::Attribute, size: Param(1), kind: Param(2), stride: 4, pointer: 5 }
        }
        id::glVertexAttribPointerNV
        | id::glVertexAttribIPointer
        | id::glVertexAttribIPointerEXT
        | id::glVertexAttribLPointer
        | id::glVertexAttribLPointerEXT => integer,
        _ => return None,
    })
}

/// One array in the program's memory.
#[derive(Clone, Copy, Debug)]
pub struct Array {
    /// The command that specifies it.
    pub command: CommandId,
    /// Its arguments.
    pub args: [u64; 6],
    /// The number of arguments.
    pub count: u8,
    /// The index of the pointer among them.
    pub pointer: u8,
    /// Size in bytes of one vertex.
    pub element: u32,
    /// The stride in bytes.
    pub stride: u32,
}

const NO_ARRAY: Array = Array { command: CommandId(0), args: [0; 6], count: 0, pointer: 0, element: 0, stride: 0 };

impl Array {
    /// Returns its address.
    pub fn address(&self) -> u64 {
        self.args.get(usize::from(self.pointer)).copied().unwrap_or(0)
    }

    /// Returns the byte range, relative to `address`, of the vertices of a span.
    pub fn bytes(&self, span: Span) -> (u64, u64) {
        let stride = u64::from(self.stride);
        (u64::from(span.least) * stride, u64::from(span.most) * stride + u64::from(self.element))
    }
}

/// The arrays of vertex array object 0, as far as they are in the program's memory.
#[derive(Clone)]
pub struct Arrays {
    enabled: u64,
    client: u64,
    /// Arrays specified since the last draw call that used them.
    fresh: u64,
    arrays: [Array; Slot::COUNT],
    divisors: [u32; ATTRIBUTES as usize],
    /// The client's active texture unit.
    pub unit: u32,
}

impl Default for Arrays {
    fn default() -> Arrays {
        Arrays {
            enabled: 0,
            client: 0,
            fresh: 0,
            arrays: [NO_ARRAY; Slot::COUNT],
            divisors: [0; ATTRIBUTES as usize],
            unit: 0,
        }
    }
}

impl Arrays {
    /// Returns whether a draw call would follow any pointer of the program.
    #[inline]
    pub fn any(&self) -> bool {
        self.enabled & self.client != 0
    }

    /// Iterates over the arrays that a draw call reads from the program's memory, with their divisor (0: they advance
    /// per vertex).
    pub fn used(&self) -> impl Iterator<Item = (Slot, &Array, u32)> {
        let mut left = self.enabled & self.client;
        std::iter::from_fn(move || {
            let index = left.trailing_zeros() as u8;
            left &= left.wrapping_sub(1);
            let array = self.arrays.get(usize::from(index))?;
            let divisor = index.checked_sub(Slot::FIRST_ATTRIBUTE).and_then(|at| self.divisors.get(usize::from(at)));
            Some((Slot(index), array, divisor.copied().unwrap_or(0)))
        })
    }

    /// Returns whether an array was specified since the last draw call that used it: its memory is then valid. An older
    /// array may have been left enabled by oversight, unused by any shader and its memory long freed.
    pub fn is_fresh(&self, slot: Slot) -> bool {
        self.fresh & slot.bit() != 0
    }

    /// Notes that a draw call has used all enabled arrays.
    pub fn note_draw(&mut self) {
        self.fresh &= !self.enabled;
    }

    /// Enables or disables an array.
    pub fn enable(&mut self, slot: Slot, on: bool) {
        if on {
            self.enabled |= slot.bit();
        } else {
            self.enabled &= !slot.bit();
        }
    }

    /// Sources a generic attribute from a buffer from now on.
    pub fn detach(&mut self, index: u32) {
        if let Some(slot) = Slot::attribute(index) {
            self.client &= !slot.bit();
        }
    }

    /// Sets the divisor of a generic attribute.
    pub fn divide(&mut self, index: u32, divisor: u32) {
        if let Some(selector) = self.divisors.get_mut(index as usize) {
            *selector = divisor;
        }
    }

    /// Sets an array; `buffered` when a buffer is bound to `GL_ARRAY_BUFFER`.
    pub fn specify(&mut self, command: CommandId, layout: &Layout, args: &[u64], buffered: bool) {
        let first = args.first().map_or(0, |word| *word as u32);
        let slot = match layout.selector {
            ArraySelector::Fixed(slot) => Some(slot),
            ArraySelector::ActiveUnit => Slot::unit(self.unit),
            ArraySelector::Unit => first.checked_sub(c::GL_TEXTURE0).and_then(Slot::unit),
            ArraySelector::Attribute => Slot::attribute(first),
        };
        let Some(slot) = slot else { return };
        let pointer = args.get(usize::from(layout.pointer)).copied().unwrap_or(0);
        if buffered || pointer == 0 {
            self.client &= !slot.bit();
            return;
        }
        let stride = args.get(usize::from(layout.stride)).map_or(0, |word| *word as i32);
        let sizes = (layout.size.of(args), layout.kind.of(args));
        let (Some(size), Some(kind), Ok(stride)) = (sizes.0, sizes.1, u32::try_from(stride)) else { return };
        // A command that GL rejects changes nothing.
        let Some(element) = element_size(size, kind) else { return };
        let mut array = Array {
            command,
            args: [0; 6],
            count: args.len() as u8,
            pointer: layout.pointer,
            element,
            stride: if stride == 0 { element } else { stride },
        };
        for (to, from) in array.args.iter_mut().zip(args) {
            *to = *from;
        }
        self.put(slot, array);
    }

    fn put(&mut self, slot: Slot, array: Array) {
        if let Some(selector) = self.arrays.get_mut(usize::from(slot.0)) {
            *selector = array;
            self.client |= slot.bit();
            self.fresh |= slot.bit();
        }
    }

    /// `glInterleavedArrays` (GL 4.6 compatibility, 10.4.1): specifies and enables each array of
    /// the format and disables the others.
    pub fn interleave(&mut self, format: u32, stride: i32, pointer: u64, buffered: bool) {
        const F: u32 = c::GL_FLOAT;
        const B: u32 = c::GL_UNSIGNED_BYTE;
        let (texture, color, normal, vertex): (u32, Option<(u32, u32)>, bool, u32) = match format {
            c::GL_V2F => (0, None, false, 2),
            c::GL_V3F => (0, None, false, 3),
            c::GL_C4UB_V2F => (0, Some((4, B)), false, 2),
            c::GL_C4UB_V3F => (0, Some((4, B)), false, 3),
            c::GL_C3F_V3F => (0, Some((3, F)), false, 3),
            c::GL_N3F_V3F => (0, None, true, 3),
            c::GL_C4F_N3F_V3F => (0, Some((4, F)), true, 3),
            c::GL_T2F_V3F => (2, None, false, 3),
            c::GL_T4F_V4F => (4, None, false, 4),
            c::GL_T2F_C4UB_V3F => (2, Some((4, B)), false, 3),
            c::GL_T2F_C3F_V3F => (2, Some((3, F)), false, 3),
            c::GL_T2F_N3F_V3F => (2, None, true, 3),
            c::GL_T2F_C4F_N3F_V3F => (2, Some((4, F)), true, 3),
            c::GL_T4F_C4F_N3F_V4F => (4, Some((4, F)), true, 4),
            _ => return,
        };
        let Ok(stride) = u32::try_from(stride) else { return };
        let color_bytes = color.map_or(0, |(size, kind)| if kind == B { 4 } else { size * 4 });
        let whole = texture * 4 + color_bytes + if normal { 12 } else { 0 } + vertex * 4;
        let stride = u64::from(if stride == 0 { whole } else { stride });
        for slot in [Slot::EDGE_FLAG, Slot::INDEX, Slot::SECONDARY_COLOR, Slot::FOG_COORD] {
            self.enable(slot, false);
        }
        let mut at = pointer;
        let texture_slot = Slot::unit(self.unit);
        let mut set = |arrays: &mut Arrays, slot: Slot, command, size: u32, kind: u32, bytes: u32| {
            arrays.enable(slot, true);
            if command == id::glNormalPointer {
                let args = [u64::from(kind), stride, at];
                if let Some(layout) = layout(command) {
                    arrays.specify(command, &layout, &args, buffered);
                }
            } else {
                let args = [u64::from(size), u64::from(kind), stride, at];
                if let Some(layout) = layout(command) {
                    arrays.specify(command, &layout, &args, buffered);
                }
            }
            at = at.wrapping_add(u64::from(bytes));
        };
        match (texture, texture_slot) {
            (0, Some(slot)) => self.enable(slot, false),
            (size, Some(slot)) => set(self, slot, id::glTexCoordPointer, size, F, size * 4),
            (_, None) => {}
        }
        match color {
            Some((size, kind)) => set(self, Slot::COLOR, id::glColorPointer, size, kind, color_bytes),
            None => self.enable(Slot::COLOR, false),
        }
        if normal {
            set(self, Slot::NORMAL, id::glNormalPointer, 3, F, 12);
        } else {
            self.enable(Slot::NORMAL, false);
        }
        set(self, Slot::VERTEX, id::glVertexPointer, vertex, F, vertex * 4);
    }
}

/// Returns the size in bytes of one vertex of an array, or `None` when GL would reject the array.
fn element_size(size: u32, kind: u32) -> Option<u32> {
    let size = match size {
        1..=4 => size,
        c::GL_BGRA => 4,
        _ => return None,
    };
    Some(match kind {
        c::GL_BYTE | c::GL_UNSIGNED_BYTE => size,
        c::GL_SHORT | c::GL_UNSIGNED_SHORT | c::GL_HALF_FLOAT | c::GL_HALF_FLOAT_OES => size * 2,
        c::GL_INT | c::GL_UNSIGNED_INT | c::GL_FLOAT | c::GL_FIXED => size * 4,
        c::GL_DOUBLE | c::GL_INT64_ARB | c::GL_UNSIGNED_INT64_ARB => size * 8,
        c::GL_INT_2_10_10_10_REV | c::GL_UNSIGNED_INT_2_10_10_10_REV | c::GL_UNSIGNED_INT_10F_11F_11F_REV => 4,
        _ => return None,
    })
}
