//! A session on a device that plays back recorded answers.
//!
//! [`RecordingDevice`] passes questions to a device and writes them to a [`Tape`] together with the answers.
//! [`PlaybackDevice`] answers the same questions in the same order from the tape, so a session runs without a driver,
//! also as WebAssembly under Node. [`report`] describes such a session; the report must be the same on every device and
//! platform (`cargo xtask test`).
//!
//! This crate is for development only.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod report;
mod tape;

pub use report::report;
pub use tape::{PlaybackDevice, RecordingDevice, Tape};
