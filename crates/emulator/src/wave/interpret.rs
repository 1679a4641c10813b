//! The interpreter: one instruction after another, each for all lanes.

mod group;
mod image;
mod memory;
mod step;
mod texture;

use std::sync::Arc;

use lanes::Numerics;

use super::{Engine, Observer, Stop, WaveState};
use crate::host::Host;
use crate::ir::Program;

/// Runs programs by interpreting their instructions. It can observe everything.
#[derive(Clone, Debug, Default)]
pub struct Interpreter {
    numerics: Numerics,
}

/// What stays the same while a wave runs.
#[derive(Clone, Copy)]
struct Code<'a> {
    program: &'a Program,
    numerics: &'a Numerics,
}

impl Interpreter {
    /// Returns an interpreter whose numbers behave in a certain way.
    #[must_use]
    pub fn new(numerics: Numerics) -> Interpreter {
        Interpreter { numerics }
    }
}

impl<const W: usize> Engine<W> for Interpreter {
    fn numerics(&self) -> &Numerics {
        &self.numerics
    }

    fn run(
        &self,
        wave: &mut WaveState<W>,
        host: &mut impl Host,
        observer: &mut impl Observer<W>,
        budget: &mut u64,
    ) -> Stop {
        let program = Arc::clone(&wave.program);
        wave.interpret(Code { program: &program, numerics: &self.numerics }, host, observer, budget)
    }
}
