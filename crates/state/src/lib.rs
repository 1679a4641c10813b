//! A model of GL: state times command gives state.
//!
//! [`Model`] is everything that exists at one point of a trace: contexts, share groups, surfaces, threads. It consists
//! of persistent maps and shared parts, so a clone is a cheap snapshot. [`Model::apply`] applies one call;
//! [`Model::answer`] answers GL's own queries (`glGet…`, `glIs…`), so that the model can be compared with a driver.
//!
//! What depends on the implementation - limits, reflection of linked programs - is not computed but taken from the
//! trace, where capture recorded it. Contents of buffers and images are not kept either: only which calls wrote them,
//! from what.
//!
//! This crate is *pure*: no I/O, no clock, no threads, no unsafe, the same answer every time.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod annotation;
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
pub mod objects;
pub mod observer;
pub mod reach;
pub mod records;
pub mod share;
pub mod stencil;
mod step;
pub mod variable;
pub mod vars;
mod work;

pub use answer::{Answer, Values, View};
pub use call::{Call, Data, Memory};
pub use context::{Client, Context, Facts, has_one_precision};
pub use fault::Fault;
pub use model::{Model, Seat, Surface};
pub use observer::{CallObserver, ContentsRef, Source};
pub use records::{ImageRecords, ImageWrite, Origin, Pattern, Region, WriteRecords};
pub use share::ShareGroup;
pub use variable::{NumberType, Var};
pub use work::{Excess, are_limits_lifted, lift_limits};

/// Returns whether the model implements a command.
#[must_use]
pub fn is_modelled(command: api::CommandId) -> bool {
    handlers::table().handler(command).is_some()
}
