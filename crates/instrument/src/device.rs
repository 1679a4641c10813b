//! What a device offers, and the ways out of it.

use shader::version::{Stage, Version};

/// What a device and its driver offer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// The newest version of the language that the context takes, in its profile.
    pub newest: Version,
    /// Storage blocks that a stage may have, by [`Stage::ALL`]'s order; 0 where there are none.
    pub storage_blocks: [u32; 6],
    /// Places that storage blocks can be bound to; 0 where there are none.
    pub storage_bindings: u32,
    /// Integer colour targets of 32 bits.
    pub integer_targets: bool,
    /// Float colour targets of 32 bits.
    pub float_targets: bool,
    /// How many colour targets a fragment shader may write.
    pub targets: u32,
    /// Words of transform feedback for a vertex; 0 where there is none.
    pub feedback_words: u32,
    /// Extensions that shaders can ask for, with `GL_` in front.
    pub extensions: Vec<String>,
}

impl Device {
    /// Whether a stage may have a storage block more than it has.
    #[must_use]
    pub fn has_storage(&self, stage: Stage, used: u32) -> bool {
        let place = Stage::ALL.iter().position(|&s| s == stage);
        place.is_some_and(|place| self.storage_blocks[place] > used)
    }
}

/// How a stream leaves the device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Transport {
    /// Written to a storage block as it comes.
    Storage,
    /// A window of it in so many RGBA32UI colour targets.
    IntegerTargets(u32),
    /// A window of it in so many RGBA32F colour targets, half a word to a channel: integers stay exact.
    FloatTargets(u32),
    /// A window of one word in an RGBA8 target, a byte to a channel.
    Bytes,
    /// A window of so many words in varyings captured by transform feedback.
    Feedback(u32),
    /// For vertices where nothing else is: a window of one word, each vertex a point at a place of its own in an RGBA8
    /// target.
    PointGrid,
}

impl Transport {
    /// How many words of a stream one draw brings out; `None` if all of them.
    #[must_use]
    pub fn window(self) -> Option<u32> {
        match self {
            Transport::Storage => None,
            Transport::IntegerTargets(count) => Some(4 * count),
            Transport::FloatTargets(count) => Some(2 * count),
            Transport::Bytes | Transport::PointGrid => Some(1),
            Transport::Feedback(words) => Some(words),
        }
    }
}
