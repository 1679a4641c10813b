//! Texture look-ups on the CPU, as defined by chapter 8 of the OpenGL 4.6 and OpenGL ES 3.2 specifications.
//!
//! A [`Texture`] holds levels of stored texels, a [`Sampler`] is the sampler state, and a [`Unit`] combines both: it
//! determines whether the texture is complete and provides [`Unit::sample`], [`Unit::gather`] and [`Unit::query_lod`].
//! [`Texture::fetch`] needs no sampler. Each look-up reports the texels it reads and their weights to a [`TexelSink`];
//! the sink `()` costs nothing. [`Compression`] decodes compressed levels to uncompressed ones beforehand.
//! [`Texture::load`], [`Texture::store`] and similar methods implement image accesses; an [`Image`] computes their
//! [`TexelAddress`].
//!
//! Where the specification leaves a choice:
//! - the switch from minification to magnification is at level of detail zero, as in GL 4.6, 8.15 (in GL 2.1, 3.8.9
//!   it is at 0.5 for some filters);
//! - the scale factor is the exact one of equation 8.11, not one of the permitted approximations;
//! - filter weights are floats, not fixed-point numbers, and interpolation uses single precision, unless
//!   [`Sampler::filtering`] selects a device's arithmetic;
//! - the level-of-detail bias is not clamped (the limit is implementation-dependent);
//! - anisotropic filtering uses the sample positions that `EXT_texture_filter_anisotropic` suggests.
//!
//! The crate does no I/O, reads no clock and starts no threads: results are deterministic.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![allow(clippy::cast_precision_loss, reason = "texture sizes and stored integers become floats by definition")]

mod bounds;
mod compressed;
mod cube;
mod decode;
mod encode;
mod format;
mod gather;
mod image;
mod llvmpipe;
mod lod;
mod sample;
mod sampler;
mod texture;
mod unit;
mod value;
mod wrap;

pub use bounds::{Bound, Side};
pub use compressed::Compression;
pub use decode::Reading;
pub use format::{Base, Class, Format};
pub use image::{Image, TexelAddress};
pub use lod::LodQuery;
pub use sample::{Lod, Lookup};
pub use sampler::{Compare, Filter, Filtering, MipFilter, Sampler};
pub use texture::{Dim, Level, Texture};
pub use unit::{Incomplete, Unit};
pub use value::{Swizzle, Texel, TexelSink, Value};
pub use wrap::Wrap;
