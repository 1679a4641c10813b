//! Runs one program outside of any trace, on a driver or on the emulator. For tests and development only.
//!
//! A [`Scenario`] is a program with all its inputs. [`OnDriver`] and [`OnEmulator`] run it with a variant in place of
//! one of its stages; both implement [`instrument::InspectContext`], so the same questions can be asked of both and the
//! answers compared record by record. [`surround`] generates the vertex shader that a lone fragment shader needs.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod capabilities;
pub mod filters;
mod moments;
mod on_driver;
mod on_emulator;
mod raw;
mod sampled;
mod scenario;
pub mod surround;

pub use capabilities::{capabilities, everything};
pub use moments::ReachableMoments;
pub use on_driver::OnDriver;
pub use on_emulator::OnEmulator;
pub use sampled::texture;
pub use scenario::{Scenario, quad};
