//! Stages that were read before: draws of one program follow each other by the hundred.

use std::sync::Arc;

use state::View;
use state::objects::program::Part;
use state::reach::{Work, running};

use super::DivertError;
use super::facts::{self, StageFacts};

/// So many programs are remembered.
const MOST: usize = 64;

/// Stages of programs, by what the programs were linked from.
#[derive(Default)]
pub struct KnownStages {
    list: Vec<(Key, Arc<Vec<StageFacts>>)>,
}

/// What decides about stages. The parts are held, so that no others come to lie where they are.
struct Key {
    context: u32,
    work: Work,
    programs: [u32; 6],
    parts: Vec<Arc<Vec<Part>>>,
}

impl Key {
    fn of(view: &View<'_>, work: Work) -> Key {
        let programs = running(view.context, view.group, work);
        let part = |name: &u32| view.group.program(*name).map(|program| Arc::clone(&program.executable_parts));
        Key { context: view.seat.context, work, programs, parts: programs.iter().filter_map(part).collect() }
    }

    fn same(&self, other: &Key) -> bool {
        (self.context, self.work, self.programs) == (other.context, other.work, other.programs)
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(one, another)| Arc::ptr_eq(one, another))
    }
}

impl KnownStages {
    /// The stages that run, in pipeline order; see [`facts::stages`].
    ///
    /// # Errors
    /// When no shaders run and none can stand in, or their text is not known.
    pub fn get(&mut self, view: &View<'_>, work: Work) -> Result<Arc<Vec<StageFacts>>, DivertError> {
        let key = Key::of(view, work);
        if let Some((_, known)) = self.list.iter().find(|(known, _)| known.same(&key)) {
            return Ok(Arc::clone(known));
        }
        let stages = Arc::new(facts::stages(view, work)?);
        // What stands in for fixed functions follows from more than programs.
        if !stages.iter().any(|facts| facts.stand_in.is_some() || facts.whole.is_some()) {
            if self.list.len() >= MOST {
                self.list.remove(0);
            }
            self.list.push((key, Arc::clone(&stages)));
        }
        Ok(stages)
    }
}
