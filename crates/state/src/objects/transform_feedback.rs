//! Transform feedback objects.

use crate::objects::buffer::BufferRange;

/// A transform feedback object.
#[derive(Clone, Debug, Default)]
pub struct TransformFeedback {
    /// A number that no other object of its context's share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether there is more than the name.
    pub exists: bool,
    /// Where vertices are written to.
    pub buffers: [BufferRange; FEEDBACK_BUFFERS],
    /// What kind of primitives are written between begin and end.
    pub mode: Option<u32>,
    /// Whether it is paused.
    pub paused: bool,
    /// Whether it has ended once: before, nothing can be drawn from it (GL 4.6, 13.3.3).
    pub ended: bool,
    /// The name of the program that was current when it began.
    pub program: u32,
    /// Which buffers that program writes to, as bits.
    pub written: u32,
}

/// How many buffers it has.
pub const FEEDBACK_BUFFERS: usize = 4;
