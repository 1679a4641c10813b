//! What can go wrong. Sentences hold their cause, so it is not a `source` that whoever prints a chain would repeat.

use std::io;

use api::CommandId;

use crate::bytes::Malformed;

/// Why a trace could not be written on.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// What is to be copied from another trace cannot be read there.
    #[error(transparent)]
    Source(#[from] ReadError),
    /// The file could not be made.
    #[error("cannot make the trace {path}: {cause}")]
    Create {
        /// Where.
        path: String,
        /// Why.
        cause: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write the trace: {0}")]
    Write(io::Error),
    /// The file could not be written before; what it has up to there is whole.
    #[error("the trace ended early because it could not be written")]
    Ended,
    /// This build has no such command.
    #[error("there is no command number {}", .0.0)]
    NoSuchCommand(CommandId),
    /// The arguments are not as many as the command has parameters.
    #[error("{name} has {expected} parameters, but came with {found} arguments")]
    Arguments {
        /// The command.
        name: &'static str,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments came.
        found: usize,
    },
    /// A call has more payloads than a call can have.
    #[error("a call came with {0} payloads; 255 are the most there can be")]
    Payloads(usize),
    /// A thread returned from a call that it never entered.
    #[error("thread {0} returned from a call that it did not enter")]
    NotEntered(u32),
    /// More threads than a trace can have.
    #[error("thread {0} is beyond the {max} that a trace can tell apart", max = crate::batch::MAX_THREADS)]
    Threads(u32),
    /// More blobs than a trace can number.
    #[error("the trace has as many blobs as it can number")]
    Blobs,
    /// A payload is larger than a blob can be.
    #[error("a payload of {0} bytes is larger than a trace can hold")]
    TooLarge(usize),
}

/// Why a trace, or part of it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be opened.
    #[error("cannot open {path}: {cause}")]
    Open {
        /// Which file.
        path: String,
        /// Why.
        cause: io::Error,
    },
    /// The file could not be read.
    #[error("cannot read the trace: {0}")]
    Read(io::Error),
    /// Nothing in the file is part of a trace.
    #[error("this is not a trace: nothing in it looks like one written by `afterimage record`")]
    NotATrace,
    /// The file was written by a later build, in a form that this one does not know.
    #[error("the trace is of format {0}, which this build does not know: read it with a newer afterimage")]
    Newer(String),
    /// Calls are damaged. Reading can go on behind them.
    #[error("calls {first} to {last} are lost: {reason}")]
    Lost {
        /// The first lost call.
        first: u64,
        /// The last.
        last: u64,
        /// Why.
        reason: String,
    },
    /// There is no call with this number.
    #[error("the trace has no call {0}")]
    NoSuchCall(u64),
    /// There is no blob with this number.
    #[error("the trace has no blob {0}")]
    NoSuchBlob(u32),
    /// A blob is damaged.
    #[error("blob {number} is lost: {reason}")]
    LostBlob {
        /// Which one.
        number: u32,
        /// Why.
        reason: String,
    },
}

/// Why a chunk could not be read; where it matters, this becomes a [`ReadError`] that says what was in it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChunkError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("its bytes are damaged")]
    Damaged,
    #[error("it is of version {0}, which this build does not know")]
    Newer(u16),
    #[error("it cannot be unpacked")]
    Unpack,
    #[error(transparent)]
    Malformed(#[from] Malformed),
}
