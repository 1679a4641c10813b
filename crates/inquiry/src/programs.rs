//! A cache of shaders lowered for the emulator: consecutive draws mostly use the same program.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use open_trace::StageShader;
use pipeline::Program;
use reenact::{DeviceQuirks, Refusal};
use shader::version::Stage;
use state::View;

/// How many programs the cache holds.
const CAPACITY: usize = 64;

/// Stages as programs of their own, without the values of their uniforms. All users of a trace share it.
#[derive(Default)]
pub struct ProgramCache {
    list: Mutex<Vec<Entry>>,
}

struct Entry {
    text: Arc<[u8]>,
    stage: Stage,
    manner: DeviceQuirks,
    /// Whether its program was one of a pipeline object.
    separable: bool,
    program: Program,
}

impl ProgramCache {
    /// Returns a stage as a program that the emulator runs.
    ///
    /// # Errors
    /// When the emulator cannot run it.
    pub fn get(&self, view: &View<'_>, stage: &StageShader, manner: DeviceQuirks) -> Result<Program, Refusal> {
        let separable = view.context.program == 0;
        let is = |entry: &Entry| {
            (entry.stage, entry.manner, entry.separable) == (stage.stage, manner, separable) && entry.text == stage.text
        };
        if let Some(entry) = self.lock().iter().find(|entry| is(entry)) {
            return Ok(entry.program.clone());
        }
        let program = reenact::lowered(view, vec![Arc::clone(&stage.shader)], manner)?;
        let mut list = self.lock();
        if list.len() >= CAPACITY {
            list.remove(0);
        }
        let (text, stage) = (Arc::clone(&stage.text), stage.stage);
        list.push(Entry { text, stage, manner, separable, program: program.clone() });
        Ok(program)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        // The list is whole after every step, so a panic elsewhere does not spoil it.
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
