//! Why a trace gives no answer.

/// Why a trace gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read, or is not a trace, or calls of it are lost.
    #[error(transparent)]
    Read(#[from] trace::ReadError),
    /// The state cannot be worked out.
    #[error(transparent)]
    State(#[from] chronicle::ChronicleError),
    /// The trace has no such command.
    #[error("the trace has {count} commands, from 0, so there is no command {command}")]
    NoSuchCommand {
        /// The number asked for.
        command: u64,
        /// How many commands the trace has.
        count: u64,
    },
    /// The trace has no such frame.
    #[error("{}", trace::no_such_frame(*.frame as u64, *.count as u64))]
    NoSuchFrame {
        /// The frame asked for.
        frame: usize,
        /// How many frames the trace has.
        count: usize,
    },
    /// There is no state at a path.
    #[error(transparent)]
    NoSuchPath(#[from] crate::tree::NotThere),
}
