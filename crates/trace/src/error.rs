//! Errors. Each message includes its cause, so the cause is not also a `source`, which would print it twice in an error
//! chain.

use std::io;

use api::CommandId;

use crate::bytes::Malformed;

/// Why writing a trace failed.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A call to be copied from another trace cannot be read.
    #[error(transparent)]
    Source(#[from] ReadError),
    /// The file could not be created.
    #[error("cannot create the trace {path}: {cause}")]
    Create {
        /// The path.
        path: String,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write the trace: {0}")]
    Write(io::Error),
    /// An earlier write failed; what was written before it is readable.
    #[error("the trace ends early because writing to it failed")]
    Ended,
    /// This build has no such command.
    #[error("there is no command number {}", .0.0)]
    NoSuchCommand(CommandId),
    /// The number of arguments is not the command's number of parameters.
    #[error("{name} has {expected} parameters, but {found} arguments were given")]
    Arguments {
        /// The command.
        name: &'static str,
        /// How many parameters it has.
        expected: usize,
        /// How many arguments were given.
        found: usize,
    },
    /// A call has more than 255 payloads.
    #[error("a call has {0} payloads; the limit is 255")]
    Payloads(usize),
    /// A thread returned from a call that it never entered.
    #[error("thread {0} returned from a call that it did not enter")]
    NotEntered(u32),
    /// A thread number exceeds the limit of the format.
    #[error("thread number {0} is too large: a trace can have {max} threads", max = crate::batch::MAX_THREADS)]
    Threads(u32),
    /// The trace has no blob numbers left.
    #[error("the trace is full: it has no blob numbers left")]
    Blobs,
    /// A payload is larger than the largest blob.
    #[error("a payload of {0} bytes is too large for a trace")]
    TooLarge(usize),
}

/// Why a trace, or part of it, could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be opened.
    #[error("cannot open {path}: {cause}")]
    Open {
        /// The path.
        path: String,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The file could not be read.
    #[error("cannot read {path}: {cause}")]
    Read {
        /// The path.
        path: String,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The file contains no chunk of a trace.
    #[error("{path} is not an Afterimage trace; record one with `afterimage record`")]
    NotATrace {
        /// The path.
        path: String,
    },
    /// The file was written by a later build, in a format version that this build does not support.
    #[error(
        "{path} was written by a newer Afterimage (format version {found} of its {what}; this build reads up to version \
         {supported}); open it with the Afterimage that wrote it, or a later one"
    )]
    Newer {
        /// The path.
        path: String,
        /// What a kind of chunk contains.
        what: &'static str,
        /// The version in the file.
        found: u16,
        /// The latest version that this build reads.
        supported: u16,
    },
    /// The file says that it has far more in it than a recording of its size can have.
    #[error(
        "{path} has {bytes} bytes and claims to hold {amount}, which no recording does; if you trust it, set \
         AFTERIMAGE_TRUST=1"
    )]
    Implausible {
        /// The path.
        path: String,
        /// The size of the file.
        bytes: u64,
        /// What it claims to hold.
        amount: String,
    },
    /// Calls are damaged. Reading can continue after them.
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
        /// The blob's number.
        number: u32,
        /// Why.
        reason: String,
    },
}

/// Why a chunk could not be read. Callers that report it turn it into a [`ReadError`] that names what was lost.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChunkError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("the chunk is damaged")]
    Damaged,
    #[error("the chunk has version {0}, which this build does not support")]
    Newer(u16),
    #[error("the chunk is compressed in a way that this build does not support")]
    Packing,
    #[error("the chunk cannot be decompressed")]
    Unpack,
    #[error(transparent)]
    Malformed(#[from] Malformed),
}
