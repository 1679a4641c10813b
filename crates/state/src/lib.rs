//! A model of GL: state times command gives state.
//!
//! [`Model`] is everything that exists at one moment of a trace: contexts, what they share, surfaces, threads. It is
//! made of persistent maps and shared parts, so a copy costs next to nothing and is a snapshot. [`Model::apply`] is
//! what one call does to it; [`Model::answer`] is what GL would say to one of its own queries (`glGet…`, `glIs…`), so
//! that everything anybody can ask a driver can be asked here, in the same words.
//!
//! What depends on the implementation - limits, what a linked program looks like - is not computed but taken from the
//! trace, where capture wrote it. Contents of buffers and images are not kept either: only who wrote them, from what.
//!
//! This crate is *pure*: no I/O, no clock, no threads, no unsafe, the same answer every time.

#![warn(missing_docs)]

pub mod answer;
mod apply;
pub mod call;
pub mod context;
pub mod fault;
pub mod fixed;
mod footprint;
mod handlers;
pub mod limits;
pub mod model;
pub mod notes;
pub mod objects;
pub mod reach;
pub mod records;
pub mod share;
pub mod stencil;
mod step;
pub mod variable;
pub mod vars;

pub use answer::{Answer, Values, View};
pub use call::{Call, Data, Memory};
pub use context::{Client, Context, Facts};
pub use fault::Fault;
pub use model::{Model, Seat, Surface};
pub use notes::{Notes, Source, Thing};
pub use records::{ImageRecords, ImageWrite, Origin, Pattern, Region, WriteRecords};
pub use share::ShareGroup;
pub use variable::{Kind, Var};

/// Whether the model knows what a command does.
#[must_use]
pub fn is_modelled(command: api::CommandId) -> bool {
    handlers::table().handler(command).is_some()
}
