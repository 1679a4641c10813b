//! Runs a trace on a driver: every call in recorded order, with names, places, pointers and windows translated to what
//! the driver at hand has for them; compares what comes out with the recording.
//!
//! [`Timeline`] is one run in this process; [`Answerer`] answers the questions of crate `device` with one. A driver may crash
//! or hang on what a trace makes it do, so crate `worker` has the run in a process of its own.
//!
//! This crate is *not* a model of GL: what calls mean is the driver's business, and only what is needed to hand it the
//! right numbers is understood here.
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

mod answer;
mod arena;
mod images;
pub mod inspect;
mod names;
pub mod oracle;
mod places;
mod plan;
mod player;
mod random;
mod timeline;
mod verify;
mod whole;
mod world;

pub use answer::{Answerer, ProgressSink};
pub use player::{Rewriter, Source};
pub use timeline::Timeline;

/// Why a trace cannot be replayed, or not any further.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] trace::ReadError),
    /// The driver has not what the recorded program had.
    #[error(transparent)]
    Driver(#[from] driver::DriverError),
    /// A thread made a context current that does not exist.
    #[error("the trace makes context {number} current, but says nothing of it; it lacks its beginning or is damaged")]
    NoContext {
        /// Its number.
        number: u32,
    },
    /// A surface is used that does not exist.
    #[error("the trace draws on surface {number}, but says nothing of it; it lacks its beginning or is damaged")]
    NoSurface {
        /// Its number.
        number: u32,
    },
    /// A number that no recording has.
    #[error("the trace speaks of {what} {number}, which no recording has; it is damaged")]
    Number {
        /// Of what.
        what: &'static str,
        /// The number.
        number: u32,
    },
    /// The model cannot be asked.
    #[error(transparent)]
    Model(#[from] chronicle::ChronicleError),
    /// A picture could not be written.
    #[error("cannot write {path}: {source}")]
    Image {
        /// The file.
        path: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Contents could not be written.
    #[error("cannot write {path}: {source}")]
    Contents {
        /// The file.
        path: String,
        /// Why not.
        #[source]
        source: trace::WriteError,
    },
    /// A command beyond the end was asked for.
    #[error("the trace has {length} commands, so there is no command {number}")]
    NoSuchCommand {
        /// What was asked for.
        number: u64,
        /// How many there are.
        length: u64,
    },
    /// A frame beyond the end was asked for.
    #[error("the trace has {count} frames, from 0, so there is no frame {number}")]
    NoSuchFrame {
        /// What was asked for.
        number: u64,
        /// How many there are.
        count: u64,
    },
}
