//! Capabilities of devices, and the transports for answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shader::version::{Stage, Version};

use crate::question::Scope;
use crate::stream::IDENTITY;

/// Workarounds for a driver's compiler. An inspector first tries without them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct CompilerWorkarounds {
    /// Probes select with weights of 0 and 1 instead of branches, which may be too many or too deeply nested. Only
    /// windows can be written this way.
    pub branchless: bool,
    /// The state of probes is passed through parameters instead of being kept in globals.
    pub parameters: bool,
    /// Fragments do not report their primitive: the numbers are unreliable for this draw.
    pub unnumbered: bool,
    /// Vertices take their numbers from an attribute, whatever the language offers: the caller provides them.
    pub counted: bool,
    /// Recordings are made in smaller parts: the compiler's time grows fast with the number of records.
    pub small_parts: bool,
    /// The compiler is asked to expand all calls: of functions that take samplers, NVIDIA's makes programs that it then
    /// refuses to draw with.
    pub inlined: bool,
}

impl CompilerWorkarounds {
    /// The next workarounds to try when the compiler rejects these; `anyway` are always applied.
    #[must_use]
    pub fn next(self, anyway: CompilerWorkarounds, transport: Transport) -> Option<CompilerWorkarounds> {
        let inlined = CompilerWorkarounds { inlined: true, ..anyway };
        if self == anyway && anyway.small_parts && self != inlined {
            return Some(inlined);
        }
        let order = [(true, false), (false, true), (true, true)].map(|(branchless, parameters)| CompilerWorkarounds {
            branchless: branchless || anyway.branchless,
            parameters: parameters || anyway.parameters,
            ..anyway
        });
        let tried = order.iter().rposition(|style| *style == self).map_or(0, |place| place + 1);
        let fits =
            |style: &&CompilerWorkarounds| **style != anyway && (transport.window().is_some() || !style.branchless);
        order[tried..].iter().find(fits).copied()
    }
}

/// Names of extensions. A driver has hundreds, and every draw that is looked at comes with them, so they are one text that
/// copies share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extensions(Arc<str>);

impl Extensions {
    /// Whether a name is among them.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.split(' ').any(|known| known == name)
    }
}

impl Default for Extensions {
    fn default() -> Extensions {
        Extensions(Arc::from(""))
    }
}

impl<S: AsRef<str>> FromIterator<S> for Extensions {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Extensions {
        let mut text = String::new();
        for name in names {
            text.extend([if text.is_empty() { "" } else { " " }, name.as_ref()]);
        }
        Extensions(text.into())
    }
}

impl Serialize for Extensions {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Extensions {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Extensions, D::Error> {
        String::deserialize(deserializer).map(|text| Extensions(text.into()))
    }
}

/// The capabilities of a device and its driver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Device {
    /// The newest language version that the context supports, in its profile.
    #[serde(with = "version")]
    pub newest: Version,
    /// The maximum number of storage blocks per stage, in the order of [`Stage::ALL`]; 0 where there are none.
    pub storage_blocks: [u32; 6],
    /// The number of binding points for storage blocks; 0 where there are none.
    pub storage_bindings: u32,
    /// Whether 32-bit integer colour targets are supported.
    pub integer_targets: bool,
    /// Whether 32-bit float colour targets are supported.
    pub float_targets: bool,
    /// The maximum number of colour targets.
    pub targets: u32,
    /// The maximum number of words that transform feedback captures per vertex, interleaved in one buffer; 0 without
    /// it.
    pub feedback_words: u32,
    /// Extensions that shaders can enable, with the prefix `GL_`.
    pub extensions: Extensions,
    /// Workarounds for its compiler.
    pub style: CompilerWorkarounds,
}

/// More words in a window would need as many varyings, which the shader itself may need.
const MOST_FEEDBACK: u32 = 32;

impl Device {
    /// Whether a stage that uses `used` storage blocks may have one more.
    #[must_use]
    pub fn has_storage(&self, stage: Stage, used: u32) -> bool {
        let place = Stage::ALL.iter().position(|&s| s == stage);
        place.is_some_and(|place| self.storage_blocks[place] > used)
    }

    /// The transports for a stage, best first. A shader may still not support some of them.
    ///
    /// For a single invocation, and for every fragment that runs, a storage block is best: one run returns everything.
    /// For the fragments that survive, colour targets are best: they contain exactly what the tests let through.
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
    /// Written to a storage block directly.
    Storage,
    /// A window of it in this number of RGBA32UI colour targets.
    IntegerTargets(u32),
    /// A window of it in this number of RGBA32F colour targets, half a word per channel, which floats represent
    /// exactly.
    FloatTargets(u32),
    /// A window of one word in an RGBA8 target, one byte per channel.
    Bytes,
    /// A window of this number of words in varyings captured by transform feedback. It captures the last vertex
    /// processing stage, so the stages after the inspected one are removed.
    Feedback(u32),
    /// For vertices if nothing else is available: a window of one word, with each vertex drawn as a point at its own
    /// position in an RGBA8 target. The vertices must be drawn as points of size 1, without clip planes.
    PointGrid,
    /// A window of this number of words, at least two, in variables of the shader that are read after an invocation has
    /// ended. Only an emulator can do this. [`Device::transports`] does not offer it.
    Memory(u32),
}

impl Transport {
    /// Its name in command lines and documents.
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

    /// Whether every invocation answers, not only the last surviving fragment of a pixel.
    #[must_use]
    pub fn answers_for_every(self) -> bool {
        !matches!(self, Transport::IntegerTargets(_) | Transport::FloatTargets(_) | Transport::Bytes)
    }

    /// The number of words of a stream that one draw returns; `None` if all of them.
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

/// Serialises a version: its number, and 0 for core, 1 for compatibility, 2 for ES.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The workarounds that are tried after each other.
    fn tried(plain: CompilerWorkarounds, transport: Transport) -> Vec<[bool; 3]> {
        let mut all = Vec::new();
        let mut style = plain;
        while let Some(next) = style.next(plain, transport) {
            all.push([next.inlined, next.branchless, next.parameters]);
            style = next;
        }
        all
    }

    #[test]
    fn calls_are_expanded_before_anything_else_is_tried() {
        let plain = CompilerWorkarounds::default();
        let rest = [[false, true, false], [false, false, true], [false, true, true]];
        assert_eq!(tried(plain, Transport::IntegerTargets(8)), rest);
        assert_eq!(tried(plain, Transport::Storage), [[false, false, true]]);
        let gpu = CompilerWorkarounds { small_parts: true, ..plain };
        assert_eq!(tried(gpu, Transport::Storage), [[true, false, false], [false, false, true]]);
    }
}
