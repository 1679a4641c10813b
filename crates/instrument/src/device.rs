//! What a device offers, and the ways out of it.

use serde::{Deserialize, Serialize};
use shader::version::{Stage, Version};

use crate::question::Scope;
use crate::stream::IDENTITY;

/// What a driver's compiler is to be spared. An inspector tries without, first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Style {
    /// Probes select by weights of 0 and 1 instead of branches, which may be too many or too deep. Only windows can be
    /// written like that.
    pub branchless: bool,
    /// What probes keep while the shader runs is passed through parameters instead of being kept in globals.
    pub parameters: bool,
    /// Fragments do not say which primitive they are of: what is drawn has no numbers that can be relied upon.
    pub unnumbered: bool,
    /// Vertices take their numbers from an attribute, whatever the language has: whoever draws counts them.
    pub counted: bool,
}

impl Style {
    /// What a compiler is to be spared next when it refuses this, beside what it is to be spared anyway.
    #[must_use]
    pub fn next(self, anyway: Style, transport: Transport) -> Option<Style> {
        let order = [(true, false), (false, true), (true, true)].map(|(branchless, parameters)| Style {
            branchless: branchless || anyway.branchless,
            parameters: parameters || anyway.parameters,
            ..anyway
        });
        let tried = order.iter().rposition(|style| *style == self).map_or(0, |place| place + 1);
        let fits = |style: &&Style| **style != anyway && (transport.window().is_some() || !style.branchless);
        order[tried..].iter().find(fits).copied()
    }
}

/// What a device and its driver offer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Device {
    /// The newest version of the language that the context takes, in its profile.
    #[serde(with = "version")]
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
    /// Words of transform feedback for a vertex, interleaved in one buffer; 0 where there is none.
    pub feedback_words: u32,
    /// Extensions that shaders can ask for, with `GL_` in front.
    pub extensions: Vec<String>,
    /// What its compiler is to be spared.
    pub style: Style,
}

/// More words of a window would be as many varyings, which the shader's own may need.
const MOST_FEEDBACK: u32 = 32;

impl Device {
    /// Whether a stage may have a storage block more than it has.
    #[must_use]
    pub fn has_storage(&self, stage: Stage, used: u32) -> bool {
        let place = Stage::ALL.iter().position(|&s| s == stage);
        place.is_some_and(|place| self.storage_blocks[place] > used)
    }

    /// The ways out for a stage, the best first. A shader may still refuse some of them.
    ///
    /// For one place, and for every fragment that runs, a storage block is best: one run brings everything. For the
    /// fragments that stay targets are, as what stays in them is what the tests let stay.
    #[must_use]
    pub fn transports(&self, stage: Stage, scope: Scope) -> Vec<Transport> {
        let mut all = Vec::new();
        if self.has_storage(stage, 0) {
            all.push(Transport::Storage);
        }
        match stage {
            Stage::Fragment => {
                let targets = self.targets.clamp(1, 8);
                let integer = self.integer_targets.then_some(Transport::IntegerTargets(targets));
                let float = self.float_targets.then_some(Transport::FloatTargets(targets));
                all.extend(integer.into_iter().chain(float).chain([Transport::Bytes]));
                if scope == Scope::All && all[0] == Transport::Storage {
                    all.rotate_left(1);
                }
            }
            Stage::Vertex | Stage::TessEvaluation | Stage::Geometry => {
                if self.feedback_words > IDENTITY {
                    all.push(Transport::Feedback((self.feedback_words - IDENTITY).min(MOST_FEEDBACK)));
                }
                if stage == Stage::Vertex {
                    all.push(Transport::PointGrid);
                }
            }
            Stage::TessControl | Stage::Compute => {}
        }
        all
    }
}

/// How a stream leaves the device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Transport {
    /// Written to a storage block as it comes.
    Storage,
    /// A window of it in so many RGBA32UI colour targets.
    IntegerTargets(u32),
    /// A window of it in so many RGBA32F colour targets, half a word to a channel: integers stay exact.
    FloatTargets(u32),
    /// A window of one word in an RGBA8 target, a byte to a channel.
    Bytes,
    /// A window of so many words in varyings captured by transform feedback, which are those of the last stage before
    /// fragments: the stages behind the one that is asked have to go.
    Feedback(u32),
    /// For vertices where nothing else is: a window of one word, each vertex a point at a place of its own in an RGBA8
    /// target. The vertices are to be drawn as points of size 1, without clip planes.
    PointGrid,
    /// A window of so many words, two at least, in variables of the shader that are looked into when an invocation is
    /// over: what an emulator can do and no driver. [`Device::transports`] does not offer it.
    Memory(u32),
}

impl Transport {
    /// One word for it, as command lines and documents have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Transport::Storage => "storage",
            Transport::IntegerTargets(_) => "integer",
            Transport::FloatTargets(_) => "float",
            Transport::Bytes => "bytes",
            Transport::Feedback(_) => "feedback",
            Transport::PointGrid => "points",
            Transport::Memory(_) => "memory",
        }
    }

    /// Whether every invocation answers, not only the last fragment that stays at a pixel.
    #[must_use]
    pub fn answers_for_every(self) -> bool {
        !matches!(self, Transport::IntegerTargets(_) | Transport::FloatTargets(_) | Transport::Bytes)
    }

    /// How many words of a stream one draw brings out; `None` if all of them.
    #[must_use]
    pub fn window(self) -> Option<u32> {
        match self {
            Transport::Storage => None,
            Transport::IntegerTargets(count) => Some(4 * count),
            Transport::FloatTargets(count) => Some(2 * count),
            Transport::Bytes | Transport::PointGrid => Some(1),
            Transport::Feedback(words) | Transport::Memory(words) => Some(words),
        }
    }
}

/// A version on its way between processes: its number, and 0 for core, 1 for compatibility, 2 for ES.
mod version {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use shader::version::{Profile, Version};

    pub fn serialize<S: Serializer>(version: &Version, to: S) -> Result<S::Ok, S::Error> {
        (version.number, version.profile as u8).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Version, D::Error> {
        let (number, profile) = <(u16, u8)>::deserialize(from)?;
        let profile = match profile {
            0 => Profile::Core,
            1 => Profile::Compatibility,
            _ => Profile::Es,
        };
        Ok(Version { number, profile })
    }
}
