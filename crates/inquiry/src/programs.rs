//! Stages that the emulator has taken before: draws of one program follow each other by the hundred.

use std::sync::Arc;

use pipeline::Program;
use reenact::{Manner, Refusal};
use replay::inspect::StageFacts;
use shader::version::Stage;
use state::View;

/// So many are remembered.
const MOST: usize = 64;

/// Stages as programs of their own, without the values of their uniforms.
#[derive(Default)]
pub struct KnownPrograms {
    list: Vec<Known>,
}

struct Known {
    text: Arc<[u8]>,
    stage: Stage,
    manner: Manner,
    /// Whether its program was one of a pipeline object.
    separable: bool,
    program: Program,
}

impl KnownPrograms {
    /// A stage as a program, as the emulator runs it.
    ///
    /// # Errors
    /// When the emulator does not take it.
    pub fn get(&mut self, view: &View<'_>, facts: &StageFacts, manner: Manner) -> Result<Program, Refusal> {
        let separable = view.context.program == 0;
        let is = |known: &Known| {
            (known.stage, known.manner, known.separable) == (facts.stage, manner, separable) && known.text == facts.text
        };
        if let Some(known) = self.list.iter().find(|known| is(known)) {
            return Ok(known.program.clone());
        }
        let shader = shader::analyze(&[String::from_utf8_lossy(&facts.text).as_ref()], &facts.options);
        let program = reenact::lowered(view, vec![shader], manner)?;
        if self.list.len() >= MOST {
            self.list.remove(0);
        }
        let (text, stage) = (Arc::clone(&facts.text), facts.stage);
        self.list.push(Known { text, stage, manner, separable, program: program.clone() });
        Ok(program)
    }
}
