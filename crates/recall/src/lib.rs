//! Pixel history: what wrote a texel, and what that was made of.
//!
//! A [`TexelRef`] is a texel of anything that can be drawn to, or read as a texture. [`Recall::history`] says what wrote to
//! it before a call, and what that was made of: fragments are looked up on the device with everything that went into them
//! and came out, run once more on the emulator, taken through the fixed functions behind them, and compared with the
//! texel that is really there. The emulator knows every texel that a fragment read and how much of it; those are places of
//! their own, earlier in time, and so on through all passes.
//!
//! The walk goes backwards: the last writer is visited first, once, for all of its texels that are asked for. So the
//! work is linear in the number of draws and of distinct texels, and contents need to be had at one moment at a time.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod accesses;
mod bench;
mod blend;
mod bounds;
mod corners;
mod emulate;
mod error;
mod event;
mod glimpse;
mod history;
mod maps;
mod memo;
mod middle;
mod notes;
mod outputs;
mod picture;
mod place;
mod poison;
mod ports;
mod rows;
mod sequence;
mod setters;
mod shape;
mod steps;
mod unpack;
mod visit;
mod visits;
mod walk;

pub use bounds::{Bounds, Cut};
pub use error::RecallError;
pub use event::Job;
pub use history::{
    ByteRange, Edge, EventKind, Fragment, History, Node, NodeId, StageRun, Subject, Value, Verdict, Vertex, Why,
};
pub use picture::{PictureCheck, PicturedPixel};
pub use place::{TexelAspect, TexelRef};
pub use poison::{Birth, NanReport, Origin, Spread, Wrong};
pub use rows::Rows;
pub use sequence::Sequence;
pub use visit::{PixelFragment, fragments_at};
pub use walk::{ProducingFragment, Recall, RecallCache};
