//! Makes every possible query to the driver and to the model, and compares the results.
//!
//! This verifies the model: at a command, every value that a GL query returns must be the model's. The names that a query
//! accepts are not taken from the model but found by trying every name there is, so names that the model lacks are found
//! as well.

mod ask;
mod compare;
mod contents;
mod finding;
mod objects;
mod questions;

use std::collections::BTreeMap;

use api::{CommandId, Library, constant as c, id};
use device::report::Findings;
use state::Model;

pub use ask::{Question, Said};
pub use contents::ContentsOracle;

use crate::ReplayError;
use crate::player::Player;
use crate::random::Random;

/// A name that no object has.
const UNUSED_NAME: u64 = 0x7FFF_FFF0;

/// Returns up to `count` commands of a trace with `calls` commands, in order, chosen by the seed.
#[must_use]
pub fn sample(calls: u64, count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mut commands: Vec<u64> = (0..count).map(|_| random.below(calls)).collect();
    commands.sort_unstable();
    commands.dedup();
    commands
}

/// Compares a model with a driver, at any number of commands.
pub struct Oracle {
    /// The names that the driver accepts, by context, command and the other arguments.
    known: BTreeMap<(u32, CommandId, Vec<u64>), Vec<u32>>,
    /// The values of all GL enums.
    universe: Vec<u32>,
    /// The results.
    pub findings: Findings,
}

impl Default for Oracle {
    fn default() -> Oracle {
        let mut universe: Vec<u32> =
            api::enums::values(Library::Gl).filter_map(|value| u32::try_from(value).ok()).collect();
        // Identities of devices are for `glGetUnsignedBytevEXT` only, and Mesa 22 crashes on other queries for them.
        let fatal = c::GL_DEVICE_UUID_EXT..=c::GL_DEVICE_NODE_MASK_EXT;
        universe.retain(|value| (0x0100..0x1_0000).contains(value) && !fatal.contains(value));
        universe.dedup();
        Oracle { known: BTreeMap::new(), universe, findings: Findings::default() }
    }
}

impl Oracle {
    /// Compares after a command of a thread. Returns false when no query is possible: the thread has no context, or is
    /// between `glBegin` and `glEnd`.
    pub(crate) fn examine(
        &mut self,
        player: &mut Player,
        model: &Model,
        (thread, command): (u32, u64),
    ) -> Result<bool, ReplayError> {
        let Some(view) = model.view(thread) else { return Ok(false) };
        // A query between `glBegin` and `glEnd` would leave an error behind.
        if view.context.fixed.begun.is_some() {
            return Ok(false);
        }
        if !player.world.enter(thread)? {
            return Ok(false);
        }
        player.keep_errors();
        // Between `glBegin` and `glEnd` no query works, not even for the error.
        let viewport = Question::plain(id::glGetIntegerv, &[u64::from(c::GL_VIEWPORT), 0]);
        if !matches!(player.ask(&viewport), Said::Answered { outputs, .. } if !outputs[0].1.is_empty()) {
            return Ok(false);
        }
        self.findings.places += 1;
        self.compare_error(player, &view, command);
        for question in self.questions(player, &view) {
            self.compare(player, &view, &question, command);
        }
        Ok(true)
    }

    /// Makes every possible query to the driver and records its answers. A context is current, no error is pending, and it
    /// is not between `glBegin` and `glEnd`.
    pub(crate) fn survey(&mut self, player: &mut Player, view: &state::View<'_>) -> Vec<(Question, Said)> {
        let questions = self.questions(player, view);
        questions
            .into_iter()
            .filter(|question| question.args.iter().all(|word| *word != u64::from(c::GL_TIMESTAMP)))
            .map(|question| {
                let said = player.ask(&question);
                (question, said)
            })
            .collect()
    }

    /// Returns the names that a query accepts: `question` is the query, `at` the argument to try names in.
    fn known_names(&mut self, player: &mut Player, context: u32, question: &Question, at: usize) -> Vec<u32> {
        let key = (context, question.command, question.args.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut question = question.clone();
        // An error for a name that no object has is not about the name: this context lacks the function, or there is no
        // such object.
        question.args[at] = UNUSED_NAME;
        let to_anybody = player.ask(&question);
        let mut known = Vec::new();
        if to_anybody == Said::Missing {
            return known;
        }
        for value in &self.universe {
            question.args[at] = u64::from(*value);
            match player.ask(&question) {
                Said::Refused(c::GL_INVALID_ENUM) | Said::Missing => {}
                said if said == to_anybody => {}
                _ => known.push(*value),
            }
        }
        if to_anybody != Said::Refused(c::GL_INVALID_ENUM) {
            known.push(UNUSED_NAME as u32);
        }
        self.known.insert(key, known.clone());
        known
    }
}
