//! Transform feedback objects.

use crate::objects::buffer::BufferRange;

/// A transform feedback object.
#[derive(Clone, Debug, Default)]
pub struct TransformFeedback {
    /// A number that is unique in its context's share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether the object exists, not only its name.
    pub exists: bool,
    /// Its buffers.
    pub buffers: [BufferRange; FEEDBACK_BUFFERS],
    /// The primitive type while it is active.
    pub mode: Option<u32>,
    /// Whether it is paused.
    pub paused: bool,
    /// Whether it has been ended once: before that, it cannot be drawn from (GL 4.6, 13.3.3).
    pub ended: bool,
    /// The name of the program that was current when it began.
    pub program: u32,
    /// The buffers that program writes to, as bits.
    pub written: u32,
}

/// Number of buffers.
pub const FEEDBACK_BUFFERS: usize = 4;
