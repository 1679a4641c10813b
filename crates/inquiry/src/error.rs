//! Why a question has no answer.

use std::path::PathBuf;

use chronicle::ChronicleError;
use device::DeviceError;
use instrument::InspectError;
use open_trace::DrawError;
use shader::version::Stage;
use trace::ReadError;

use crate::dispatch::UnknownSize;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum InquiryError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] ReadError),
    /// The state at a command cannot be worked out.
    #[error(transparent)]
    Model(#[from] ChronicleError),
    /// The call is not a draw or dispatch that can be examined.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// No shaders of a draw or dispatch can be examined.
    #[error("command {command}: {why}")]
    Shaders {
        /// The draw or dispatch.
        command: u64,
        /// The reason.
        why: DrawError,
    },
    /// The device gave no answer.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The question has no answer.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// The emulator cannot run the draw.
    #[error(transparent)]
    Reenact(#[from] reenact::Refusal),
    /// The draw has no such stage.
    #[error("no {} shader runs in command {command}", stage.name())]
    NoStage {
        /// The draw or dispatch.
        command: u64,
        /// The stage.
        stage: Stage,
    },
    /// The size of a dispatch is unknown.
    #[error("the number of workgroups of command {command} is unknown: {why}")]
    DispatchSize {
        /// The dispatch.
        command: u64,
        /// The reason.
        why: UnknownSize,
    },
    /// The device has no transport for answers that tells the fragments of a draw apart in the way that was asked for.
    #[error("the device has no {} for answers of fragment shaders", if *.list { "storage block" } else { "transport" })]
    NoTransport {
        /// Whether the fragments were to list themselves in a storage block.
        list: bool,
    },
    /// The driver accepts none of the variants.
    #[error("the driver rejects the instrumented shader, which is in {}: {log}", path.display())]
    Rejected {
        /// Its log of the last variant.
        log: String,
        /// The file with the text of the last variant.
        path: PathBuf,
    },
}

impl InquiryError {
    /// Returns whether the question was interrupted, and nothing is wrong.
    #[must_use]
    pub fn is_interruption(&self) -> bool {
        matches!(self, InquiryError::Device(DeviceError::Interrupted))
    }

    /// Names the command of an error about the shaders that run in it.
    pub(crate) fn of_shaders(command: u64, error: DrawError) -> InquiryError {
        match error {
            why @ (DrawError::NoProgram | DrawError::NoStandIn { .. } | DrawError::NoText { .. }) => {
                InquiryError::Shaders { command, why }
            }
            other => other.into(),
        }
    }
}
