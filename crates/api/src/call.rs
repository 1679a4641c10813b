//! Arguments of calls without addresses: numbers as words, memory as slices and handles.
//!
//! A call has one word for each parameter: signed integers sign-extended, unsigned ones zero-extended, floats as their
//! bits. A pointer parameter with memory also has a [`PointerArgument`], which replaces the word. The word of any other
//! pointer parameter is a number: null, or an offset into a bound buffer.

/// The memory behind a pointer parameter of a call.
#[derive(Debug)]
pub struct PointerArgument<'a> {
    /// The index of its parameter.
    pub param: u8,
    /// The memory.
    pub memory: CallMemory<'a>,
}

/// Memory behind a pointer parameter.
#[derive(Debug)]
pub enum CallMemory<'a> {
    /// Bytes that the call reads.
    Input(&'a [u8]),
    /// Bytes that the call writes.
    Output(&'a mut [u8]),
    /// Text that the call reads, without a terminating zero.
    Text(&'a [u8]),
    /// An array of pointers, each to bytes that the call reads: texts without a terminating zero, or lists of indices.
    /// If another parameter of the command has the lengths of texts, the lengths of these slices replace it.
    Inputs(&'a [&'a [u8]]),
    /// An array of pointers, each an offset into a bound buffer.
    Offsets(&'a [u64]),
    /// Memory that GL reads or writes after the call.
    Kept(KeptMemory),
    /// The pointer of a vertex array, as the implementation returned it earlier.
    ArrayPointer(ArrayPointer),
    /// An image that contexts share.
    Image(ImageHandle),
    /// As many zeros as the call reads: for memory that was not recorded.
    Zeros,
    /// Memory for everything that the call writes, which is discarded.
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

/// Memory of an implementation of GL that GL may access at any time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeptMemory(pub u32);

/// A mapped buffer. The number is not 0, and is not used again after the buffer is unmapped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MapHandle(pub u64);

/// The pointer of a vertex array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArrayPointer {
    /// An offset into a buffer, or null.
    Offset(u64),
    /// An address that the implementation of GL keeps under this number.
    Memory(u32),
}

/// Why an implementation of GL did not make a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// GL would access more memory behind a parameter than there can be.
    Length {
        /// The index of the parameter.
        param: u8,
    },
    /// The draw would fetch vertices from outside of the memory of its arrays.
    Vertices,
    /// The draw fetches vertices from the program's memory, and only the GPU knows which.
    UncountedVertices,
    /// GL would write results of rendering to memory that is too short for them.
    Results,
    /// GL would take a number of the trace for an address.
    Address,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Refusal::Length { .. } => "it would access too much memory",
            Refusal::Vertices => "it would read vertices outside of the memory of its arrays",
            Refusal::UncountedVertices => "it reads vertices in the program's memory, and only the GPU knows how many",
            Refusal::Results => "the memory for its results is too short",
            Refusal::Address => "it would make GL use a number of the trace as an address",
        })
    }
}
