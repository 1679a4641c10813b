//! Why a call is not a draw or dispatch that can be examined.

/// Why a call is not a draw or dispatch that can be examined.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] trace::ReadError),
    /// The state at the call cannot be worked out.
    #[error(transparent)]
    Model(#[from] chronicle::ChronicleError),
    /// The trace has no such command.
    #[error("the trace has {length} commands, so there is no command {command}")]
    NoSuchCommand {
        /// The number asked for.
        command: u64,
        /// How many commands the trace has.
        length: u64,
    },
    /// The trace has no such frame.
    #[error("{}", trace::no_such_frame(*.frame as u64, *.count as u64))]
    NoSuchFrame {
        /// The frame asked for.
        frame: usize,
        /// How many frames the trace has.
        count: usize,
    },
    /// The call neither draws nor dispatches.
    #[error("command {command} is {name}, which neither draws nor dispatches")]
    NotADraw {
        /// The call.
        command: u64,
        /// Its name.
        name: String,
    },
    /// The call is made without a context.
    #[error("command {command} is made without a context, so it does nothing")]
    NoContext {
        /// The call.
        command: u64,
    },
    /// No shader runs.
    #[error("no shaders run there")]
    NoProgram,
    /// Fixed functions draw, and no shader can be generated for them.
    #[error("no shaders run there, and none can be generated: {why}")]
    NoStandIn {
        /// Why not.
        #[source]
        why: fixed::Refusal,
    },
    /// The trace lacks the text of a shader.
    #[error("the trace has no text of the {stage} shader of program {program}: it was loaded as a binary")]
    NoText {
        /// The stage.
        stage: &'static str,
        /// The recorded name of the program.
        program: u32,
    },
}
