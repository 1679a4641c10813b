//! Buffer objects, and where a context has them bound.

use std::sync::Arc;

use api::constant as c;

use crate::records::WriteRecords;

/// A buffer object.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether there is more than the name: the first time it is bound makes the object (GL 4.6, 6.1).
    pub exists: bool,
    /// How many bytes it has.
    pub size: u64,
    /// `GL_BUFFER_USAGE`.
    pub usage: u32,
    /// `GL_BUFFER_IMMUTABLE_STORAGE`.
    pub immutable: bool,
    /// `GL_BUFFER_STORAGE_FLAGS`.
    pub flags: u32,
    /// The program's map of it.
    pub map: Option<Map>,
    /// Whether it was ever attached to another object or bound to an indexed binding: then it may be in use after its
    /// name is deleted.
    pub attached: bool,
    /// Whether a texture was made of it: nobody knows whether that still uses it when the name is deleted.
    pub kept: bool,
    /// Who wrote what is in it.
    pub records: WriteRecords,
}

/// A buffer mapped into the program's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Map {
    /// Where the program sees it.
    pub address: u64,
    /// The first byte that is mapped.
    pub offset: u64,
    /// How many bytes are mapped.
    pub length: u64,
    /// `GL_BUFFER_ACCESS_FLAGS`.
    pub access: u32,
}

impl Buffer {
    /// A buffer of which there is only the name.
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
            kept: false,
            records: WriteRecords::default(),
        }
    }

    /// Whether it is mapped so that GL may not touch it: persistent maps are no obstacle (GL 4.6, 6.3.2).
    #[must_use]
    pub fn blocked(&self) -> bool {
        self.map.is_some_and(|map| map.access & c::GL_MAP_PERSISTENT_BIT == 0)
    }
}

/// A buffer that something refers to. It stays what it is when its name is deleted and given to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BufferRef {
    /// Its name, 0 for none.
    pub name: u32,
    /// Its number.
    pub object: u64,
}

impl BufferRef {
    /// No buffer.
    pub const NONE: BufferRef = BufferRef { name: 0, object: 0 };

    /// Whether there is none.
    #[must_use]
    pub fn is_none(self) -> bool {
        self.name == 0
    }
}

/// A buffer, or part of one, bound to an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: BufferRef,
    /// The first byte.
    pub offset: i64,
    /// How many bytes; 0 for all there are, whatever becomes of the buffer.
    pub size: i64,
}

/// A target that buffers are bound to and that belongs to the context. `GL_ELEMENT_ARRAY_BUFFER` belongs to the vertex
/// array.
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

/// How many targets there are.
pub const POINTS: usize = Point::Texture as usize + 1;

/// The buffers that a context has bound.
#[derive(Clone, Debug, Default)]
pub struct BufferBindings {
    /// One for each target.
    points: [BufferRef; POINTS],
    /// `GL_UNIFORM_BUFFER` by index, as many as anybody has used.
    pub uniform: Arc<Vec<BufferRange>>,
    /// `GL_SHADER_STORAGE_BUFFER` by index.
    pub storage: Arc<Vec<BufferRange>>,
    /// `GL_ATOMIC_COUNTER_BUFFER` by index.
    pub atomic: Arc<Vec<BufferRange>>,
}

impl BufferBindings {
    /// What is bound to a target.
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

    /// Whether a buffer is bound to any target or index.
    #[must_use]
    pub fn has(&self, object: u64) -> bool {
        let indexed = [&self.uniform, &self.storage, &self.atomic];
        self.points.iter().any(|bound| bound.object == object)
            || indexed.iter().any(|list| list.iter().any(|range| range.buffer.object == object))
    }

    /// The ranges that are bound to the indices of a target, where it has any that belong to the context.
    #[must_use]
    pub fn ranges(&self, point: Point) -> Option<&[BufferRange]> {
        match point {
            Point::Uniform => Some(&self.uniform),
            Point::ShaderStorage => Some(&self.storage),
            Point::AtomicCounter => Some(&self.atomic),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn ranges_mut(&mut self, point: Point) -> Option<&mut Vec<BufferRange>> {
        match point {
            Point::Uniform => Some(Arc::make_mut(&mut self.uniform)),
            Point::ShaderStorage => Some(Arc::make_mut(&mut self.storage)),
            Point::AtomicCounter => Some(Arc::make_mut(&mut self.atomic)),
            _ => None,
        }
    }
}
