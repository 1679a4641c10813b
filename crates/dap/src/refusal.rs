//! Why a request is not served.

use session::SessionError;

/// One sentence that the editor shows.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The facade cannot.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The trace cannot be opened.
    #[error(transparent)]
    Host(#[from] host::HostError),
    /// What was sent along is not what belongs there.
    #[error("the arguments of `{command}` cannot be understood: {why}")]
    Arguments {
        /// The request.
        command: String,
        /// What is wrong.
        why: String,
    },
    /// Not in the protocol, or not offered.
    #[error("`{0}` is no request that this debug adapter serves")]
    Unknown(String),
    /// Nothing was opened.
    #[error("no trace is open yet: launch one first")]
    NoTrace,
    /// The client has not shown that it may be served.
    #[error("the launch configuration needs the `token` that `afterimage dap` printed when it started")]
    NoToken,
    /// The client may not start programs.
    #[error(
        "programs are not started for clients of a TCP port: start `afterimage dap` with --allow-programs, or record the \
         program with `afterimage record` and launch the trace"
    )]
    NoPrograms,
    /// Nothing was chosen.
    #[error("no invocation is being debugged: pick a pixel, or type `.enter X,Y` in the debug console")]
    NoInvocation,
    /// What was asked about is gone, or never was.
    #[error("{0}")]
    NotThere(String),
    /// Taken back by the client.
    #[error("cancelled")]
    Cancelled,
    /// The launch configuration is not enough, or too much.
    #[error("{0}")]
    Configuration(String),
    /// A program cannot be started.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("{file} cannot be written: {source}")]
    File {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A picture cannot be made.
    #[error("the picture cannot be made: {0}")]
    Picture(#[from] png::EncodingError),
    /// We are wrong.
    #[error("the debug adapter failed on this request; go on with another, and report this trace")]
    Panicked,
}

impl Refusal {
    /// What the protocol's `message` is: a word for programs, where there is one.
    pub fn word(&self) -> String {
        match self {
            Refusal::Cancelled => "cancelled".to_owned(),
            Refusal::NoInvocation => "notStopped".to_owned(),
            other => other.to_string(),
        }
    }
}
