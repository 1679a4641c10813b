//! What is in the middle of being done comes to its end first.

use api::id;
use state::Context;

use super::{Obstacle, Rewind};

impl Rewind<'_> {
    /// Ends what has begun, pops what was pushed, takes errors. Checkpoints are never where something had begun.
    pub(super) fn end(&mut self, to: &Context) -> Result<(), Obstacle> {
        let here = self.here();
        if here.fixed.begun.is_some() {
            self.make(id::glEnd, &[])?;
        }
        if here.compiling.is_some() {
            self.make(id::glEndList, &[])?;
        }
        for _ in 0..here.fixed.attributes.len() {
            self.make(id::glPopAttrib, &[])?;
        }
        for _ in 0..here.fixed.client_attributes.len() {
            self.make(id::glPopClientAttrib, &[])?;
        }
        if here.transform_feedbacks.get(&here.transform_feedback).is_some_and(|one| one.mode.is_some()) {
            self.make(id::glEndTransformFeedback, &[])?;
        }
        if here.active_queries.condition.is_some() {
            self.make(id::glEndConditionalRender, &[])?;
        }
        for &(target, stream, _) in &here.active_queries.active {
            self.make(id::glEndQueryIndexed, &[u64::from(target), u64::from(stream)])?;
        }
        match (here.error, to.error) {
            (now, then) if now == then => Ok(()),
            (Some(_), None) => {
                self.make_with(id::glGetError, &[], None, here.error.map_or(0, |fault| u64::from(fault.error)))
            }
            _ => Err(Obstacle("an error waited that was taken since".to_owned())),
        }
    }
}
