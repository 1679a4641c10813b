//! Replaces the sources of shaders.

use api::{constant as c, id};
use shader::version::Profile;
use trace::{Call, Reader};

use super::operands::{Operands, Payload, Target, pack, unpack};
use super::{Player, arguments};
use crate::ReplayError;
use crate::inspect::Capabilities;
use crate::plan::Plan;

/// Replaces the sources of shaders.
pub trait Rewriter {
    /// Returns new sources for a shader; `None` keeps the recorded ones.
    fn rewrite(&mut self, source: &Source) -> Option<Vec<String>>;

    /// A program was linked, or the driver failed to link it, with a log.
    fn linked(&mut self, refusal: Option<String>);
}

/// The recorded sources of a shader.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Source {
    /// `GL_VERTEX_SHADER`, …
    pub stage: u32,
    /// The kind of its context.
    pub profile: Profile,
    /// The arguments of `glShaderSource`.
    pub strings: Vec<String>,
}

impl Player {
    /// Sets a rewriter that replaces the sources of shaders from now on.
    pub fn set_rewriter(&mut self, rewriter: Option<Box<dyn Rewriter>>) {
        self.rewriter = rewriter;
    }

    /// Removes and returns the rewriter.
    pub fn take_rewriter(&mut self) -> Option<Box<dyn Rewriter>> {
        self.rewriter.take()
    }

    /// Reports the result of a link to the rewriter; the program is the first argument of the last call.
    pub(super) fn tell_linked(&mut self) {
        let Some(mut rewriter) = self.rewriter.take() else { return };
        let program = self.args[0];
        let refusal = (!self.is_linked(program)).then(|| self.info_log(id::glGetProgramInfoLog, program));
        rewriter.linked(refusal);
        self.rewriter = Some(rewriter);
    }

    /// Replaces the sources among the prepared arguments of `glShaderSource`.
    pub(super) fn rewrite_source(
        &mut self,
        plan: &Plan,
        (call, reader): (&Call<'_>, &Reader),
        operands: &mut Operands<'_>,
    ) -> Result<(), ReplayError> {
        let raises = self.raises_precisions();
        let shader =
            matches!(plan.id, id::glShaderSource | id::glShaderSourceARB) && (self.rewriter.is_some() || raises);
        if !(shader || raises && plan.id == id::glCreateShaderProgramv) {
            return Ok(());
        }
        let Some(data) = call.input(2) else { return Ok(()) };
        let Some(bytes) = arguments::bytes(reader, data)? else { return Ok(()) };
        let mut strings: Option<Vec<Vec<u8>>> = None;
        if shader && self.rewriter.is_some() {
            strings = self.rewritten(&bytes);
        }
        if raises {
            let theirs = || unpack(&bytes).into_iter().map(<[u8]>::to_vec).collect();
            let old = strings.unwrap_or_else(theirs);
            strings = Some(old.iter().map(|text| raise_precisions(text)).collect());
        }
        if let Some(strings) = strings {
            self.args[1] = strings.len() as u64;
            let packed = pack(strings.iter().map(Vec::as_slice));
            operands.set(2, Target::Inputs(Payload::Made(packed)));
        }
        Ok(())
    }

    /// Returns what the rewriter puts in place of the packed sources of a shader.
    fn rewritten(&mut self, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        let [stage] = self.query(id::glGetShaderiv, &[self.args[0], u64::from(c::GL_SHADER_TYPE)]);
        let profile = Capabilities::of_context(self).profile();
        let strings = unpack(bytes).into_iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        let source = Source { stage, profile, strings };
        let changed = self.rewriter.as_mut()?.rewrite(&source)?;
        Some(changed.into_iter().map(String::into_bytes).collect())
    }

    /// Returns whether shaders of the current context are compiled with `highp` throughout, because they were recorded on an
    /// ANGLE that computes everything in 32 bits, and this driver's OpenGL ES may not.
    pub(super) fn raises_precisions(&mut self) -> bool {
        self.world.current().is_some_and(|(context, _)| context.one_precision)
    }
}

/// Returns a shader's text with `highp` in place of `mediump` and `lowp`.
pub(super) fn raise_precisions(text: &[u8]) -> Vec<u8> {
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words = text.chunk_by(|one, next| in_word(one) == in_word(next));
    words.flat_map(|word| if matches!(word, b"mediump" | b"lowp") { b"highp" } else { word }).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precisions_are_whole_words() {
        let raised = raise_precisions(b"precision mediump float;lowp vec4 mediump_colour=lowp2*not_lowp;");
        assert_eq!(String::from_utf8_lossy(&raised), "precision highp float;highp vec4 mediump_colour=lowp2*not_lowp;");
    }
}
