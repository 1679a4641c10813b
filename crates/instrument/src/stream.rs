//! The words that an invocation answers with.
//!
//! A stream begins with a header, [`HEADER`] words: how long it is, header included, even if there was no room for all
//! of it; and facts. Records follow: the number of a [`Site`](crate::Site) of the variant's layout, and the words of its
//! value.
//!
//! A storage block holds streams of several invocations. It begins with [`BLOCK_HEADER`] words: how many invocations
//! wanted to answer (more than there are regions, if there was no room), and how many words a region has (which whoever
//! runs the variant writes there before; everything else is zeroed); then regions: [`IDENTITY`] words that tell
//! invocations apart, and a stream in the rest. A record that has no room as a whole is not there at all.

use moment::glsl::value::scalars;
use shader::types::{Type, TypeTable};

/// Words before the records of a stream: length and facts.
pub const HEADER: u32 = 2;

/// Words before the regions of a storage block: how many invocations there were, and how many words a region has.
pub const BLOCK_HEADER: u32 = 2;

/// Words in front of the stream in a region: for fragments x, y, primitive, and sample plus [`LAYER`] for each layer below; for vertices number, instance and, where all are asked, the part of the draw;
/// for primitives number and invocation, which in tessellation control is the vertex of the patch; in tessellation
/// evaluation number and the bits of the coordinates x and y in the patch; for compute invocations the global number
/// x, y, z. What the language has no name for is 0.
pub const IDENTITY: u32 = 4;

/// What a layer adds to the last word of a fragment's identity; no pixel has so many samples. Layers are told apart
/// where every fragment is asked for ([`crate::Scope::At`]), by way of a storage block.
pub const LAYER: u32 = 64;

/// How many words a value of a type is.
#[must_use]
pub fn word_count(types: &TypeTable, ty: Type) -> u32 {
    scalars(types, ty).iter().map(|kind| 1 + u32::from(kind.is_64_bit())).sum()
}

/// Facts about an invocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facts(pub u32);

impl Facts {
    /// There was an invocation: set in every answer, so that zeros are none.
    pub const RAN: u32 = 1;
    /// The moment or site in question was reached.
    pub const REACHED: u32 = 2;
    /// The fragment was thrown away.
    pub const DISCARDED: u32 = 4;
    /// It was there only to help its neighbours.
    pub const HELPER: u32 = 8;

    /// Whether all of these are set.
    #[must_use]
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits == bits
    }
}
