//! Runs a trace on a GL: every call in recorded order, with names, locations, memory and windows translated to what this GL
//! has for them; compares the results with the recording.
//!
//! [`Timeline`] is one run in this process; [`Answerer`] answers the questions of crate `device` with one. The GL is behind
//! the trait [`Gl`]: crate `worker` implements it with a driver, in a process of its own, because a driver may crash or
//! hang on what a trace makes it do.
//!
//! This crate is *not* a model of GL: it understands only as much of calls as it needs to translate their arguments.
#![forbid(unsafe_code)]

mod answer;
mod gl;
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
pub use gl::{Gl, GlError, GlFactory};
pub use plan::is_compared;
pub use player::{Contents, Rewriter, Source};
pub use timeline::Timeline;
pub use whole::{ReplaySink, SinkError};

/// Why a trace cannot be replayed, or not any further.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] trace::ReadError),
    /// The GL does not provide what the recorded program had.
    #[error(transparent)]
    Gl(#[from] GlError),
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
    /// A picture or contents could not be written.
    #[error("{0}")]
    Output(#[source] SinkError),
    /// A command beyond the end was asked for.
    #[error("the trace has {length} command{}, so there is no command {number}", ending(*.length))]
    NoSuchCommand {
        /// What was asked for.
        number: u64,
        /// How many there are.
        length: u64,
    },
    /// A frame beyond the end was asked for.
    #[error("{}", trace::no_such_frame(*.number, *.count))]
    NoSuchFrame {
        /// What was asked for.
        number: u64,
        /// How many there are.
        count: u64,
    },
}

/// The ending of a noun after a number.
fn ending(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
