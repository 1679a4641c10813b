//! One program outside any trace, asked on a driver or on the emulator.
//!
//! A [`Setting`] is a program and all it is run with. [`OnDriver`] and [`OnEmulator`] run it with a variant in the place
//! of one of its stages; both are [`instrument::InspectContext`]s, so whatever is asked of one can be asked of the other
//! and the answers compared record by record. [`surround`] makes the vertex shader that a fragment shader alone needs.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod capabilities;
mod on_driver;
mod on_emulator;
mod raw;
mod sampled;
mod setting;
pub mod surround;
mod wander;

pub use capabilities::{capabilities, everything};
pub use on_driver::{OnDriver, driver_stage};
pub use on_emulator::OnEmulator;
pub use sampled::texture;
pub use setting::{Setting, quad};
pub use wander::Places;
