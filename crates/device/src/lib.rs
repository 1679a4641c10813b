//! The one thing that can be asked to run something: a trace on a device.
//!
//! [`Device`] is the seam between what analyses a trace (crates `inquiry`, `recall`, `session`) and what executes it: a
//! worker process with a driver in it, or a browser. Questions ([`Ask`]) and answers ([`Answer`]) are plain data, so a
//! device may be in another process or on another machine. This crate contains no implementation, so that everything
//! above it builds without a driver.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod ask;
mod changes;
mod control;
mod image;
pub mod report;
mod target;

pub use ask::{Answer, Ask, ContentsPart, Object, Reply, Shape, VariantText};
pub use changes::{Changes, Isolate, Isolated, Layer, PrimitiveRange, Tests};
pub use control::{Control, Progress};
pub use image::{ContentsKey, ImageOwner, ImageRef, Picture, Rectangle, contents_of};
pub use report::{Checked, ReplayRequest, Report, Until};
pub use target::Target;

/// A trace on a device.
///
/// A pool of devices holds `Box<dyn Device + Send>`; a browser's device is bound to its thread.
pub trait Device {
    /// Asks, and waits for the answer. `control` can interrupt the question from another thread, and is told how far the
    /// device is.
    ///
    /// # Errors
    /// When the device cannot answer, fails, or the question is interrupted.
    fn ask(&mut self, ask: &Ask, control: &Control) -> Result<Reply, DeviceError>;
}

/// A device as its users hold it. Sessions move between threads, and so do their devices; in a browser there is one thread,
/// and what belongs to it cannot leave it.
#[cfg(not(target_family = "wasm"))]
pub type BoxedDevice = Box<dyn Device + Send>;
/// A device as its users hold it, bound to the browser's one thread.
#[cfg(target_family = "wasm")]
pub type BoxedDevice = Box<dyn Device>;

/// Why a device gave no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DeviceError {
    /// The device cannot be started.
    #[error("cannot start a worker for the driver: {0}")]
    Start(String),
    /// The device cannot answer, and says why.
    #[error("{0}")]
    Refused(String),
    /// The worker process died.
    #[error("the driver crashed{}: {how}", at(*.command))]
    Crashed {
        /// The call it was executing; `None` if it had not begun.
        command: Option<u64>,
        /// How it died.
        how: String,
    },
    /// The device made no progress and was stopped.
    #[error("the driver made no progress for {seconds} seconds{} and was stopped", at(*.command))]
    Hung {
        /// The call it was executing; `None` if it had not begun.
        command: Option<u64>,
        /// How long it made no progress.
        seconds: u64,
    },
    /// The worker process died because it reached its bound for memory.
    #[error("the driver ran out of memory{}: a worker may take {megabytes} MB; --worker-memory allows more", at(*.command))]
    OutOfMemory {
        /// The call it was executing; `None` if it had not begun.
        command: Option<u64>,
        /// The bound.
        megabytes: u64,
    },
    /// The question was interrupted by its [`Control`].
    #[error("the question was interrupted")]
    Interrupted,
    /// The device answered another question than the one asked.
    #[error("the worker sent an unexpected answer ({answer} to {question}); this is a bug, please report it")]
    UnexpectedAnswer {
        /// The question's name.
        question: &'static str,
        /// The answer's name.
        answer: &'static str,
    },
    /// The device sent something that is no answer.
    #[error("the worker's answer cannot be read: {0}")]
    Garbled(String),
}

impl DeviceError {
    /// Describes an answer that does not fit its question.
    #[must_use]
    pub fn unexpected(ask: &Ask, answer: &Answer) -> DeviceError {
        DeviceError::UnexpectedAnswer { question: ask.name(), answer: answer.name() }
    }
}

fn at(command: Option<u64>) -> String {
    command.map(|number| format!(" at command {number}")).unwrap_or_default()
}
