//! The calls behind the state of fixed functions that shaders read.

use std::sync::Arc;

use inquiry::DrawSnapshot;
use shader::version::Stage;
use state::variable as var;

use super::{Reader, Walk};
use crate::RecallError;
use crate::history::{NodeId, Subject, Why};
use crate::setters::{Change, MOST_MADE, Selected, StateKey, made_within};

/// Calls of one matrix that have nodes, the last ones.
const MOST_FACTORS: usize = 8;

impl Walk<'_, '_> {
    /// The calls that made the state of fixed functions which a stage reads through built-in uniforms: lights, materials,
    /// matrices. A vertex of a display list has the state that calls of the list left before it, which are given.
    pub(super) fn fixed_state(
        &mut self,
        work: &DrawSnapshot,
        stage: Stage,
        id: NodeId,
        within: &[(u32, u64, Change)],
    ) -> Result<(), RecallError> {
        let key = (work.command, stage as usize);
        let read = || work.facts(stage).map(|facts| StateKey::read_by(&facts.shader)).unwrap_or_default().into();
        let used: Arc<[StateKey]> = Arc::clone(self.used_state.entry(key).or_insert_with(read));
        if used.is_empty() {
            return Ok(());
        }
        let (thread, until) = (work.calls.thread, *work.calls.range.start());
        let context = work.view()?.context;
        let selected = Selected { mode: context.vars.name(var::MATRIX_MODE), unit: context.active_unit() };
        for key in used.iter().copied() {
            let setters = self.recall.setters()?;
            let is_known = setters.fixed.is_known_before(until);
            let made = made_within(setters.fixed.made(thread, key, until), key, selected, within);
            if !is_known {
                self.note(format!(
                    "command {}: which calls set the {key} is not known: the display lists before it are too long",
                    work.command
                ));
            }
            if made.len() > MOST_FACTORS {
                let least = if made.len() < MOST_MADE { String::new() } else { "at least ".to_owned() };
                let count = made.len();
                self.note(format!(
                    "command {}: the {key} is the product of {least}{count} calls, of which the last {MOST_FACTORS} are named",
                    work.command
                ));
            }
            let name: Arc<str> = key.to_string().into();
            for call in made.into_iter().take(MOST_FACTORS) {
                let read = Reader { node: id, why: Why::State { name: Arc::clone(&name) }, weight: 0.0 };
                self.value(call, Subject::State { name: Arc::clone(&name) }, id, read);
            }
        }
        Ok(())
    }
}
