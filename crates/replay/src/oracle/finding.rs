//! What came of an examination.

use std::collections::BTreeMap;

use api::constant as c;

/// Names that are not compared, each with the reason.
pub const EXCLUDED: &[(u32, &str)] = &[
    (c::GL_TIMESTAMP, "it is the time"),
    (c::GL_CURRENT_NORMAL, "Mesa 22 leaves another attribute's value there after some display lists"),
    (c::GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX, "it changes by itself"),
    (c::GL_VBO_FREE_MEMORY_ATI, "it changes by itself"),
    (c::GL_TEXTURE_FREE_MEMORY_ATI, "it changes by itself"),
    (c::GL_RENDERBUFFER_FREE_MEMORY_ATI, "it changes by itself"),
];

/// Names that are not compared where the default framebuffer is bound: windows are replayed on pbuffers, which have one
/// colour buffer, not two.
pub const EXCLUDED_OF_WINDOWS: &[u32] = &[c::GL_DOUBLEBUFFER, c::GL_DRAW_BUFFER, c::GL_DRAW_BUFFER0, c::GL_READ_BUFFER];

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// At how many commands.
    pub places: u64,
    /// How many questions were asked.
    pub asked: u64,
    /// How many of them the model answered as the driver did.
    pub equal: u64,
    /// How many the model could not answer for want of facts in the trace.
    pub unknown: u64,
    /// Where they differ, by query and name: how often, and the first time.
    pub differences: BTreeMap<String, Finding>,
}

/// A difference.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Finding {
    /// How often.
    pub times: u64,
    /// The command after which it was found first.
    pub command: u64,
    /// What was asked, and what both said.
    pub text: String,
}

impl Findings {
    /// Adds a difference.
    pub(crate) fn differ(&mut self, name: &str, command: u64, text: impl FnOnce() -> String) {
        let finding = self.differences.entry(name.to_owned()).or_default();
        finding.times += 1;
        if finding.times == 1 {
            finding.command = command;
            finding.text = text();
        }
    }

    /// How many questions had different answers.
    #[must_use]
    pub fn different(&self) -> u64 {
        self.differences.values().map(|finding| finding.times).sum()
    }
}
