//! Texture look-ups, image accesses, and operations across lanes.

use lanes::Op2;

use super::{AtomicOp, Opaque, Register, Registers};

/// A row of [`Program::lookups`](super::Program::lookups).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LookupId(pub u32);

/// A row of [`Program::image_ops`](super::Program::image_ops).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageOpId(pub u32);

/// The kind of a look-up.
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
    /// Computed from the neighbours in the quad, with a bias.
    Implicit(Option<Register>),
    /// Explicit: a float, or an integer for a fetch.
    Level(Register),
    /// Computed from explicit derivatives: along x, then along y.
    Gradient(Vec<Register>, Vec<Register>),
    /// The base level: there are no derivatives.
    Base,
}

/// A texture look-up.
#[derive(Clone, PartialEq, Debug)]
pub struct Lookup {
    /// Results: four, one for a comparison, two for [`LookupKind::QueryLod`].
    pub to: Registers,
    /// The sampler's value.
    pub handle: Register,
    /// Its type.
    pub sampler: Opaque,
    /// Its kind.
    pub kind: LookupKind,
    /// Coordinates, the layer of arrays last; already divided if the look-up is projective.
    pub coords: Vec<Register>,
    /// The reference value of a depth comparison.
    pub reference: Option<Register>,
    /// Level of detail.
    pub detail: Detail,
    /// Offset in texels: one register per axis, or for `textureGatherOffsets` four times that.
    pub offset: Vec<Register>,
    /// The sample, for a multisample fetch.
    pub sample: Option<Register>,
    /// Lower limit of the level of detail.
    pub min_lod: Option<Register>,
    /// The register for the residency code of a sparse texture.
    pub residency: Option<Register>,
}

/// An operation on an image.
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
    /// The operation.
    pub access: ImageAccess,
    /// Integer coordinates, the layer or face last.
    pub coords: Vec<Register>,
    /// The sample, for a multisample image.
    pub sample: Option<Register>,
}

/// Queries about textures and images.
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
    /// Whether all are equal.
    AllEqual,
    /// The lanes that are true, as bits: 0 to 31, or 32 to 63 if the flag is set.
    Ballot(bool),
    /// The value of the lane with the operand's number.
    Read,
    /// The value of the first active lane.
    ReadFirst,
    /// The number of the lane.
    Lane,
    /// The value of the lane whose number is the lane's own XOR the operand (within a quad for bits 1 and 2).
    ReadXor,
    /// All values combined, starting with an identity.
    Reduce(Op2, u32),
    /// The same within clusters of lanes; the operand is their size.
    Cluster(Op2, u32),
    /// The number of bits set for the lanes before this one, and for itself if the flag is set, in a mask of lanes in two
    /// registers; the operand is the mask's upper half.
    BitsBelow(bool),
    /// The lowest bit of such a mask.
    LowestBit,
    /// The highest bit of such a mask.
    HighestBit,
    /// The values of the lanes before this one combined, starting with an identity.
    Scan {
        /// The operation.
        op: Op2,
        /// The identity.
        identity: u32,
        /// Whether the lane's own value is included.
        inclusive: bool,
    },
}
