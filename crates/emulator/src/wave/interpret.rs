//! The interpreter: one instruction after another, each for all lanes.

mod group;
mod image;
mod memory;
mod step;
mod texture;

use std::sync::Arc;

use lanes::Numerics;

use super::{Engine, Interest, Observer, Stop, WaveState};
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

/// The observer of a run, and what it wants. The loop is compiled twice, because a run that no observer wants to hear of
/// (`ON` is false) is a quarter faster without the checks.
struct Watched<'a, const W: usize, const ON: bool> {
    observer: &'a mut dyn Observer<W>,
    interest: Interest,
}

impl<const W: usize, const ON: bool> Watched<'_, W, ON> {
    fn wants_markers(&self) -> bool {
        ON && self.interest.markers
    }

    fn wants_instructions(&self) -> bool {
        ON && self.interest.instructions
    }

    fn wants_texels(&self) -> bool {
        ON && self.interest.texels
    }
}

impl Interpreter {
    /// Returns an interpreter whose numbers behave in a certain way.
    #[must_use]
    pub fn new(numerics: Numerics) -> Interpreter {
        Interpreter { numerics }
    }
}

/// The interpreter for the widths in use. A build that is not fully optimised shares generic functions that a crate has
/// compiled with the crates above it, so these are compiled here and not once more in each of those.
#[used]
static WIDTHS: (Run<4>, Run<16>) = (<Interpreter as Engine<4>>::run, <Interpreter as Engine<16>>::run);

type Run<const W: usize> = fn(&Interpreter, &mut WaveState<W>, &mut dyn Host, &mut dyn Observer<W>, &mut u64) -> Stop;

impl<const W: usize> Engine<W> for Interpreter {
    fn numerics(&self) -> &Numerics {
        &self.numerics
    }

    fn run(
        &self,
        wave: &mut WaveState<W>,
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
        budget: &mut u64,
    ) -> Stop {
        let program = Arc::clone(&wave.program);
        let code = Code { program: &program, numerics: &self.numerics };
        let interest = observer.interest();
        if interest == Interest::NONE {
            wave.interpret::<false>(code, host, &mut Watched { observer, interest }, budget)
        } else {
            wave.interpret::<true>(code, host, &mut Watched { observer, interest }, budget)
        }
    }
}
