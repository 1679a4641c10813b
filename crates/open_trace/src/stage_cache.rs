//! A cache of analysed shaders: consecutive draws mostly use the same program.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use state::View;
use state::objects::program::Part;
use state::reach::{WorkKind, running};

use crate::DrawError;
use crate::draw::{self, StageShader};

/// How many programs the cache holds.
const CAPACITY: usize = 64;

/// The stages of programs, by the shaders that the programs were linked from.
#[derive(Default)]
pub(crate) struct StageCache {
    list: Mutex<Vec<(Key, Arc<Vec<StageShader>>)>>,
}

/// What determines the stages. The key holds the parts, so that their addresses cannot be reused.
struct Key {
    context: u32,
    work: WorkKind,
    programs: [u32; 6],
    parts: Vec<Arc<Vec<Part>>>,
}

impl Key {
    fn of(view: &View<'_>, work: WorkKind) -> Key {
        let programs = running(view.context, view.group, work);
        let part = |name: &u32| view.group.program(*name).map(|program| Arc::clone(&program.executable_parts));
        Key { context: view.seat.context, work, programs, parts: programs.iter().filter_map(part).collect() }
    }

    fn is_same(&self, other: &Key) -> bool {
        (self.context, self.work, self.programs) == (other.context, other.work, other.programs)
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(one, another)| Arc::ptr_eq(one, another))
    }
}

impl StageCache {
    /// Returns the stages that run, in pipeline order; see [`draw::stages`].
    ///
    /// # Errors
    /// When no shader runs and none can be generated, or the trace lacks the text of one.
    pub fn get(&self, view: &View<'_>, work: WorkKind) -> Result<Arc<Vec<StageShader>>, DrawError> {
        let key = Key::of(view, work);
        if let Some((_, cached)) = self.lock().iter().find(|(cached, _)| cached.is_same(&key)) {
            return Ok(Arc::clone(cached));
        }
        let stages = Arc::new(draw::stages(view, work)?);
        // Generated shaders depend on more than the program: they are not cached.
        if !stages.iter().any(|stage| stage.stand_in.is_some() || stage.whole.is_some()) {
            let mut list = self.lock();
            if list.len() >= CAPACITY {
                list.remove(0);
            }
            list.push((key, Arc::clone(&stages)));
        }
        Ok(stages)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Key, Arc<Vec<StageShader>>)>> {
        // The list is whole after every step, so a panic elsewhere does not spoil it.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
