//! Which invocation, and where in it.

use device::Changes;
use serde::{Deserialize, Serialize};

/// An invocation to walk through.
///
/// Pixels are counted from the lower left, everything else from 0 as the shading language does. What is left open is
/// found out: of several invocations the one that began last, which is the one that stays.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The invocation that wrote a pixel last before a frame was shown.
    Pixel {
        /// The frame, from 0; the last without one.
        frame: Option<usize>,
        /// Column.
        x: u32,
        /// Row, from below.
        y: u32,
    },
    /// A fragment of a draw.
    Fragment {
        /// The draw: the number of its command.
        command: u64,
        /// Column.
        x: u32,
        /// Row, from below.
        y: u32,
        /// Its primitive, where several lie above each other.
        primitive: Option<u32>,
        /// The sample, where the shader runs for each.
        sample: Option<u32>,
        /// The layer, where the target has several.
        layer: Option<u32>,
    },
    /// A vertex of a draw.
    Vertex {
        /// The draw.
        command: u64,
        /// `gl_VertexID`.
        vertex: u32,
        /// `gl_InstanceID`.
        instance: Option<u32>,
    },
    /// An invocation of a geometry or tessellation shader.
    Primitive {
        /// The draw.
        command: u64,
        /// The stage: `geometry`, `tesscontrol` or `tessevaluation`.
        stage: String,
        /// `gl_PrimitiveIDIn`.
        primitive: u32,
        /// `gl_InvocationID`.
        invocation: Option<u32>,
    },
    /// An invocation of a compute shader.
    Thread {
        /// The dispatch.
        command: u64,
        /// `gl_GlobalInvocationID`.
        id: [u32; 3],
    },
}

impl Choice {
    /// The fragment that a draw leaves at a pixel.
    #[must_use]
    pub fn fragment(command: u64, x: u32, y: u32) -> Choice {
        Choice::Fragment { command, x, y, primitive: None, sample: None, layer: None }
    }

    /// A vertex of a draw, of any instance.
    #[must_use]
    pub fn vertex(command: u64, vertex: u32) -> Choice {
        Choice::Vertex { command, vertex, instance: None }
    }

    /// Returns the draw or dispatch; `None` for a pixel of a frame, of which it is not known yet.
    #[must_use]
    pub fn command(&self) -> Option<u64> {
        match self {
            Choice::Pixel { .. } => None,
            Choice::Fragment { command, .. }
            | Choice::Vertex { command, .. }
            | Choice::Primitive { command, .. }
            | Choice::Thread { command, .. } => Some(*command),
        }
    }

    /// An invocation of a dispatch.
    #[must_use]
    pub fn thread(command: u64, id: [u32; 3]) -> Choice {
        Choice::Thread { command, id }
    }
}

/// Where a session stands: enough to come there again in another session of the same trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Position {
    /// The invocations, from the one that was chosen to the one that is being walked through; each but the first was
    /// entered through a texture read of the one before.
    pub passes: Vec<PassPosition>,
}

/// Where one invocation stands, and what was changed in it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PassPosition {
    /// The invocation.
    pub choice: Choice,
    /// How many stops of it and its neighbours lie behind: [`crate::Stop::time`].
    pub time: u64,
    /// Which neighbour is looked at, as [`crate::Lane::number`]; the invocation itself without one.
    pub lane: Option<usize>,
    /// Uniforms, attributes and textures that differ from the recording.
    #[serde(default)]
    pub changes: Changes,
    /// Values that variables were given, in order. `time` counts from the last of them.
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// The texture read that led to it, for people: [`crate::PassInfo::entered_by`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered_by: Option<String>,
}

/// A value that a variable was given.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Edit {
    /// When, as in [`PassPosition::time`]; counted from the edit before it.
    pub time: u64,
    /// Of which neighbour; the invocation itself without one.
    pub lane: Option<usize>,
    /// The frame that names the variable, as in [`crate::Frame::moment`].
    pub moment: String,
    /// The variable, or part of one.
    pub path: String,
    /// The value, as words of 32 bits.
    pub words: Vec<u32>,
}
