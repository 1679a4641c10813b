//! Texture look-ups on the CPU, as chapter 8 of the OpenGL 4.6 and OpenGL ES 3.2 specifications defines them.
//!
//! A [`Texture`] holds levels of stored texels, a [`Sampler`] says how to look at them, and a [`Unit`] is both together:
//! it knows whether the texture is complete and answers [`Unit::sample`], [`Unit::gather`] and [`Unit::query_lod`].
//! [`Texture::fetch`] needs no sampler. Each look-up tells a [`TexelSink`] which texels it read and with which weight;
//! the sink `()` costs nothing. [`Compression`] unpacks compressed levels into uncompressed ones beforehand.
//! [`Texture::load`], [`Texture::store`] and their like are what images do; an [`Image`] finds their [`Place`].
//!
//! Where the specification leaves a choice, it is made so:
//! - the switch from minification to magnification is at level of detail zero, as in GL 4.6, 8.15 (in GL 2.1, 3.8.9
//!   it is at 0.5 for some filters);
//! - the scale factor is the exact one of equation 8.11, not one of its permitted approximations;
//! - filter weights are floats, not fixed-point numbers, and mixing is done in single precision, unless
//!   [`Sampler::filtering`] names how a device does it;
//! - the level-of-detail bias is not limited (its limit is a constant of the implementation);
//! - anisotropic filtering takes the probes `EXT_texture_filter_anisotropic` suggests.
//!
//! The crate reads no files, asks no clock and starts no threads: the same look-up gives the same answer everywhere.
#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![allow(clippy::cast_precision_loss, reason = "texture sizes and stored integers become floats by definition")]

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

pub use compressed::Compression;
pub use decode::Reading;
pub use format::{Base, Class, Format};
pub use image::{Image, Place};
pub use lod::LodQuery;
pub use sample::{Lod, Lookup};
pub use sampler::{Compare, Filter, Filtering, MipFilter, Sampler};
pub use texture::{Dim, Level, Texture};
pub use unit::{Incomplete, Unit};
pub use value::{Swizzle, Texel, TexelSink, Value};
pub use wrap::Wrap;
