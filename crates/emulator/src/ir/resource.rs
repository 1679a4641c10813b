//! Texture look-ups, image accesses, and operations across lanes.

use lanes::Op2;
use shader::types::Opaque;

use super::{AtomicOp, Register, Registers};

/// A row of [`Program::lookups`](super::Program::lookups).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LookupId(pub u32);

/// A row of [`Program::image_ops`](super::Program::image_ops).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageOpId(pub u32);

/// What sort of look-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookupKind {
    /// Filtered.
    Sample,
    /// `texelFetch`: integer coordinates.
    Fetch,
    /// `textureGather` of a component.
    Gather(Register),
    /// `textureQueryLod`
    QueryLod,
}

/// Where the level of detail comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Detail {
    /// From the neighbours in the quad, with a bias.
    Implicit(Option<Register>),
    /// Given: a float, or an integer for a fetch.
    Level(Register),
    /// From derivatives that are given: along x, then along y.
    Gradient(Vec<Register>, Vec<Register>),
    /// The base level: there are no derivatives.
    Base,
}

/// A texture look-up, in the terms of GLSL.
#[derive(Clone, PartialEq, Debug)]
pub struct Lookup {
    /// Results: four, one for a comparison, two for [`LookupKind::QueryLod`].
    pub to: Registers,
    /// The sampler's value.
    pub handle: Register,
    /// Its type.
    pub sampler: Opaque,
    /// What sort.
    pub kind: LookupKind,
    /// Coordinates, the layer of arrays last; divided already where the look-up is projective.
    pub coords: Vec<Register>,
    /// What depths are compared with.
    pub reference: Option<Register>,
    /// Level of detail.
    pub detail: Detail,
    /// Added to texel addresses: one register for each axis, or for `textureGatherOffsets` four times that.
    pub offset: Vec<Register>,
    /// The sample of a multisample fetch.
    pub sample: Option<Register>,
    /// A lower limit for the level of detail.
    pub min_lod: Option<Register>,
    /// Register of the residency code of sparse textures.
    pub residency: Option<Register>,
}

/// What to do with an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageAccess {
    /// `imageLoad`
    Load(Registers),
    /// `imageStore`
    Store([Register; 4]),
    /// `imageAtomic…`: result, operation, operands.
    Atomic(Register, AtomicOp, [Register; 2]),
}

/// An access to an image.
#[derive(Clone, PartialEq, Debug)]
pub struct ImageOp {
    /// The image's value.
    pub handle: Register,
    /// Its type.
    pub image: Opaque,
    /// What to do.
    pub access: ImageAccess,
    /// Where: integers, the layer or face last.
    pub coords: Vec<Register>,
    /// The sample of a multisample image.
    pub sample: Option<Register>,
}

/// Questions about what is bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Query {
    /// `textureSize`, of the level in the operand.
    TextureSize,
    /// `textureQueryLevels`
    Levels,
    /// `textureSamples`
    TextureSamples,
    /// `imageSize`
    ImageSize,
    /// `imageSamples`
    ImageSamples,
}

/// Operations across the active lanes of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GroupOp {
    /// Whether all are true.
    All,
    /// Whether one is true.
    Any,
    /// Whether all are the same.
    AllEqual,
    /// Lanes that are true as bits: 0 to 31, or 32 to 63 if the flag is set.
    Ballot(bool),
    /// The value of the lane the operand names.
    Read,
    /// The value of the first active lane.
    ReadFirst,
    /// The number of the lane.
    Lane,
    /// The value of the lane whose number differs by the operand's bits (within a quad for bits 1 and 2).
    ReadXor,
    /// All values combined, from an identity on.
    Reduce(Op2, u32),
    /// The same within clusters of so many lanes as the operand says.
    Cluster(Op2, u32),
    /// Of a mask of lanes in two registers, the operand being its upper half, the bits of the lanes before this one; with
    /// its own if the flag is set.
    BitsBelow(bool),
    /// The lowest bit of such a mask.
    LowestBit,
    /// The highest bit of such a mask.
    HighestBit,
    /// The values of the lanes before combined, from an identity on.
    Scan {
        /// How.
        op: Op2,
        /// What combining nothing gives.
        identity: u32,
        /// With the lane's own.
        inclusive: bool,
    },
}
