//! Buffer objects and their bindings in a context.

use std::sync::Arc;

use api::constant as c;

use crate::records::WriteRecords;

/// A buffer object.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether the object exists: the first binding of a name creates it (GL 4.6, 6.1).
    pub exists: bool,
    /// Size in bytes.
    pub size: u64,
    /// `GL_BUFFER_USAGE`.
    pub usage: u32,
    /// `GL_BUFFER_IMMUTABLE_STORAGE`.
    pub immutable: bool,
    /// `GL_BUFFER_STORAGE_FLAGS`.
    pub flags: u32,
    /// The current map.
    pub map: Option<Map>,
    /// Whether it was ever attached to another object or bound to an indexed binding: it may then be in use after its
    /// name is deleted.
    pub attached: bool,
    /// Whether a texture was created from it: it is then not known whether that still uses it when the name is deleted.
    pub in_texture: bool,
    /// Which calls wrote its contents.
    pub records: WriteRecords,
}

/// A buffer mapped into the program's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Map {
    /// Its address in the program.
    pub address: u64,
    /// The first mapped byte.
    pub offset: u64,
    /// The number of mapped bytes.
    pub length: u64,
    /// `GL_BUFFER_ACCESS_FLAGS`.
    pub access: u32,
}

impl Buffer {
    /// Creates a buffer of which only the name exists.
    #[must_use]
    pub fn named(object: u64) -> Buffer {
        Buffer {
            object,
            exists: false,
            size: 0,
            usage: c::GL_STATIC_DRAW,
            immutable: false,
            flags: 0,
            map: None,
            attached: false,
            in_texture: false,
            records: WriteRecords::default(),
        }
    }

    /// Returns whether it is mapped so that GL must not access it: persistent maps do not matter (GL 4.6, 6.3.2).
    #[must_use]
    pub fn blocked(&self) -> bool {
        self.map.is_some_and(|map| map.access & c::GL_MAP_PERSISTENT_BIT == 0)
    }
}

/// A reference to a buffer. It stays valid when the name is deleted and reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BufferRef {
    /// Its name, 0 for none.
    pub name: u32,
    /// Its unique number.
    pub object: u64,
}

impl BufferRef {
    /// No buffer.
    pub const NONE: BufferRef = BufferRef { name: 0, object: 0 };

    /// Returns whether there is no buffer.
    #[must_use]
    pub fn is_none(self) -> bool {
        self.name == 0
    }
}

/// An indexed buffer binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: BufferRef,
    /// The first byte.
    pub offset: i64,
    /// Size in bytes; 0 for all of the buffer, even if it is resized.
    pub size: i64,
}

/// A buffer target that belongs to the context. `GL_ELEMENT_ARRAY_BUFFER` belongs to the vertex array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names are GL's own")]
pub enum Point {
    Array,
    CopyRead,
    CopyWrite,
    PixelPack,
    PixelUnpack,
    Uniform,
    ShaderStorage,
    AtomicCounter,
    TransformFeedback,
    DrawIndirect,
    DispatchIndirect,
    Parameter,
    Query,
    Texture,
}

/// Number of targets.
pub const POINTS: usize = Point::Texture as usize + 1;

/// The buffer bindings of a context.
#[derive(Clone, Debug, Default)]
pub struct BufferBindings {
    /// By target.
    points: [BufferRef; POINTS],
    /// `GL_UNIFORM_BUFFER` by index, up to the highest one used.
    pub uniform: Arc<Vec<BufferRange>>,
    /// `GL_SHADER_STORAGE_BUFFER` by index.
    pub storage: Arc<Vec<BufferRange>>,
    /// `GL_ATOMIC_COUNTER_BUFFER` by index.
    pub atomic: Arc<Vec<BufferRange>>,
}

impl BufferBindings {
    /// Returns the binding of a target.
    #[inline]
    #[must_use]
    pub fn get(&self, point: Point) -> BufferRef {
        self.points[point as usize]
    }

    /// Binds a buffer to a target.
    #[inline]
    pub fn set(&mut self, point: Point, buffer: BufferRef) {
        self.points[point as usize] = buffer;
    }

    /// Returns whether a buffer is bound to any target or index.
    #[must_use]
    pub fn has(&self, object: u64) -> bool {
        let indexed = [&self.uniform, &self.storage, &self.atomic];
        self.points.iter().any(|bound| bound.object == object)
            || indexed.iter().any(|list| list.iter().any(|range| range.buffer.object == object))
    }

    /// Returns the indexed bindings of a target, if it has any that belong to the context.
    #[must_use]
    pub fn ranges(&self, point: Point) -> Option<&[BufferRange]> {
        match point {
            Point::Uniform => Some(&self.uniform),
            Point::ShaderStorage => Some(&self.storage),
            Point::AtomicCounter => Some(&self.atomic),
            _ => None,
        }
    }

    /// Returns the indexed bindings of a target, for modification.
    pub fn ranges_mut(&mut self, point: Point) -> Option<&mut Vec<BufferRange>> {
        match point {
            Point::Uniform => Some(Arc::make_mut(&mut self.uniform)),
            Point::ShaderStorage => Some(Arc::make_mut(&mut self.storage)),
            Point::AtomicCounter => Some(Arc::make_mut(&mut self.atomic)),
            _ => None,
        }
    }
}
