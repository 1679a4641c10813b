//! How a command is called by whoever does not hold addresses: numbers as words, memory as slices and handles.
//!
//! A call has one word for each parameter: signed integers sign-extended, unsigned ones zero-extended, floats as their
//! bits. Pointer parameters that point to memory have a [`PointerArgument`] besides, which counts in place of the word. A
//! pointer parameter without one is a number: null, or an offset into a buffer that is bound.

/// A pointer among the arguments of a call.
#[derive(Debug)]
pub struct PointerArgument<'a> {
    /// The index of its parameter.
    pub param: u8,
    /// What it points to.
    pub memory: CallMemory<'a>,
}

/// What a pointer among the arguments of a call points to.
#[derive(Debug)]
pub enum CallMemory<'a> {
    /// Bytes that the call reads.
    Input(&'a [u8]),
    /// Bytes that the call writes.
    Output(&'a mut [u8]),
    /// Text that the call reads, without a terminating zero.
    Text(&'a [u8]),
    /// An array of pointers, each to bytes that the call reads: texts without a terminating zero, or lists of indices.
    /// Where a command takes the lengths of texts in another parameter, those of these texts count in its place.
    Inputs(&'a [&'a [u8]]),
    /// An array of pointers, each an offset into a buffer that is bound.
    Offsets(&'a [u64]),
    /// Memory that GL goes on reading or writing after the call.
    Kept {
        /// The memory.
        memory: KeptMemory,
        /// How many bytes before its beginning the pointer points. GL does not access them.
        skipped: u64,
    },
    /// The pointer of a vertex array, as it was before.
    ArrayPointer(ArrayPointer),
    /// An image that contexts share.
    Image(ImageHandle),
    /// Zeros, as many as the call reads: for memory that is not known.
    Zeros,
    /// Room for as much as the call writes, which is of no interest.
    Discarded,
}

/// A context of an implementation of GL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ContextHandle(pub u32);

/// A surface of an implementation of GL.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SurfaceHandle(pub u32);

/// An image that contexts of an implementation of GL share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageHandle(pub u32);

/// Memory that belongs to an implementation of GL, and that GL may access at any time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeptMemory(pub u32);

/// A buffer that is mapped; its number is not 0. Numbers are not used again after the buffer is unmapped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MapHandle(pub u64);

/// The pointer of a vertex array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrayPointer {
    /// An offset into a buffer, or null.
    Offset(u64),
    /// An address that the implementation of GL has under this number.
    Memory(u32),
}
