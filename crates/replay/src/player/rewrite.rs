//! Shaders with other texts than they were recorded with.

use api::{constant as c, id};
use shader::version::Profile;
use trace::{Call, Reader};

use super::{Player, arguments};
use crate::ReplayError;
use crate::inspect::capabilities;
use crate::plan::Plan;

/// Who gives shaders other texts.
pub trait Rewriter {
    /// The texts of a shader; none to leave it as it is.
    fn rewrite(&mut self, source: &Source) -> Option<Vec<String>>;

    /// A program was linked, or the driver refused to, with a log.
    fn linked(&mut self, refusal: Option<String>);
}

/// A shader's texts as they were recorded.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Source {
    /// `GL_VERTEX_SHADER`, …
    pub stage: u32,
    /// Which kind of context it was handed to.
    pub profile: Profile,
    /// What `glShaderSource` was given.
    pub strings: Vec<String>,
}

impl Player {
    /// Lets somebody change the texts of shaders from now on.
    pub fn set_rewriter(&mut self, rewriter: Option<Box<dyn Rewriter>>) {
        self.rewriter = rewriter;
    }

    /// Whoever changes the texts of shaders, who then does so no longer.
    pub fn take_rewriter(&mut self) -> Option<Box<dyn Rewriter>> {
        self.rewriter.take()
    }

    /// Tells whoever changes texts how a link ended; the program is the first argument of the last call.
    pub(super) fn tell_linked(&mut self) {
        let Some(mut rewriter) = self.rewriter.take() else { return };
        let program = self.args[0];
        let refusal = (!self.is_linked(program)).then(|| self.info_log(id::glGetProgramInfoLog, program));
        rewriter.linked(refusal);
        self.rewriter = Some(rewriter);
    }

    /// Puts other texts among the arguments of `glShaderSource`, which are ready otherwise.
    pub(super) fn rewrite_source(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        if !matches!(plan.id, id::glShaderSource | id::glShaderSourceARB) || self.rewriter.is_none() {
            return Ok(());
        }
        let Some(data) = call.input(2) else { return Ok(()) };
        let Some(bytes) = arguments::bytes(reader, data)? else { return Ok(()) };
        let mut stage = [0i32; 4];
        self.own_call(id::glGetShaderiv, &[self.args[0], u64::from(c::GL_SHADER_TYPE), stage.as_mut_ptr() as u64]);
        let profile = capabilities::can(self).profile();
        let source = Source { stage: stage[0].cast_unsigned(), profile, strings: texts(&bytes) };
        let changed = self.rewriter.as_mut().and_then(|rewriter| rewriter.rewrite(&source));
        if let Some(strings) = changed {
            let mut packed = Vec::new();
            for text in &strings {
                packed.extend((text.len() as u32).to_le_bytes());
                packed.extend(text.as_bytes());
            }
            self.args[1] = strings.len() as u64;
            self.args[2] = self.prepare_texts(&packed);
            // Texts end with a zero, so that nobody asks for lengths.
            self.args[3] = 0;
        }
        Ok(())
    }
}

/// Texts as a trace has them: each after its length.
fn texts(bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = (u32::from_le_bytes(*length) as usize).min(after.len());
        let (text, after) = after.split_at(length);
        found.push(String::from_utf8_lossy(text).into_owned());
        rest = after;
    }
    found
}
