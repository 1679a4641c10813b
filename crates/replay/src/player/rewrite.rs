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
        if !matches!(plan.id, id::glShaderSource | id::glShaderSourceARB) || self.rewriter.is_none() {
            return Ok(());
        }
        let Some(data) = call.input(2) else { return Ok(()) };
        let Some(bytes) = arguments::bytes(reader, data)? else { return Ok(()) };
        let [stage] = self.query(id::glGetShaderiv, &[self.args[0], u64::from(c::GL_SHADER_TYPE)]);
        let profile = Capabilities::of_context(self).profile();
        let strings = unpack(&bytes).into_iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        let source = Source { stage, profile, strings };
        let changed = self.rewriter.as_mut().and_then(|rewriter| rewriter.rewrite(&source));
        if let Some(strings) = changed {
            self.args[1] = strings.len() as u64;
            let packed = pack(strings.iter().map(String::as_bytes));
            operands.set(2, Target::Inputs(Payload::Made(packed)));
        }
        Ok(())
    }
}
