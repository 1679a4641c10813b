//! The words of an invocation's answer.
//!
//! A stream begins with a header of [`HEADER`] words: its length, including the header, even if not all of it fitted;
//! and facts. Records follow: the number of a [`Site`](crate::Site) of the variant's layout, and the words of its
//! value.
//!
//! A storage block contains the streams of several invocations. It begins with [`BLOCK_HEADER`] words: the number of
//! invocations that answered (more than there are regions, if there was no space), the number of words per region
//! (written by the caller before the run; everything else is zeroed), and a sum over all of them, the lower word first:
//! of the times that a condition held. Then come the regions: [`IDENTITY`] words that identify the invocation, and a
//! stream in the rest. A record that does not fit completely is omitted. Who reads the block may leave out the regions at its
//! end that no invocation answered in.

use moment::glsl::value::scalars;
use shader::types::{Type, TypeTable};

/// Words before the records of a stream: length and facts.
pub const HEADER: u32 = 2;

/// Words before the regions of a storage block: the number of invocations, the number of words per region, and the sum.
pub const BLOCK_HEADER: u32 = 4;

/// Words before the stream in a region: for fragments x, y, primitive, and the sample plus [`LAYER`] times the layer;
/// for vertices number, instance and, if all answer, the draw of a multi-draw; for primitives number and invocation,
/// which in tessellation control is the vertex of the patch; in tessellation evaluation number and the bits of the
/// coordinates x and y in the patch; for compute invocations the global id x, y, z. Components that the language has no
/// variable for are 0.
pub const IDENTITY: u32 = 4;

/// The factor of the layer in the last word of a fragment's identity; no pixel has as many samples. Layers are
/// distinguished if every fragment answers ([`crate::Scope::At`]) through a storage block.
pub const LAYER: u32 = 64;

/// The number of words of a value.
#[must_use]
pub fn word_count(types: &TypeTable, ty: Type) -> u32 {
    scalars(types, ty).iter().map(|kind| 1 + u32::from(kind.is_64_bit())).sum()
}

/// Facts about an invocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facts(pub u32);

impl Facts {
    /// The invocation ran: set in every answer, to distinguish it from zeros.
    pub const RAN: u32 = 1;
    /// The moment or site of the question was reached.
    pub const REACHED: u32 = 2;
    /// The fragment was discarded.
    pub const DISCARDED: u32 = 4;
    /// It was a helper invocation.
    pub const HELPER: u32 = 8;

    /// Whether all of these are set.
    #[must_use]
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits == bits
    }
}
