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
    /// What images hold, and what the write records say of it.
    pub texels: Texels,
    /// Where they differ, by query and name: how often, and the first time.
    pub differences: BTreeMap<String, Finding>,
}

/// Texels that were read back, by what the write records say of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Texels {
    /// They come from memory of the program, from copies of such texels or from clears, so the trace has them.
    pub compared: u64,
    /// So many of these are in images, or parts of images, that are as the trace has them.
    pub equal: u64,
    /// Only a driver can say.
    pub by_gpu: u64,
    /// Nobody wrote them, or the trace does not have them.
    pub undefined: u64,
    /// The trace has them in a form that is not compared.
    pub other_form: u64,
    /// So many images were looked at that had been looked at before.
    pub looks: u64,
    /// So many of these had changed.
    pub changes: u64,
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
