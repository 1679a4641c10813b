//! What advances a wave.

use lanes::{Mask, Numerics};

#[cfg(doc)]
use super::Interest;
use super::{Observer, Stop, Trap, WaveState};
use crate::host::Host;

/// Initializers call functions, which may loop.
const MAX_INITIALIZER_BLOCKS: u64 = 1 << 24;

/// A way to run programs.
///
/// All engines that have the same [`Numerics`] give the same results, bit for bit: wherever an observer is called or a run
/// stops, the state is the one that the [`Interpreter`](super::Interpreter) would leave there. So a run can change engines
/// at any of these points. Between two markers an engine may keep values outside of the state; one that does so must leave
/// runs whose observer wants [single instructions](Interest::instructions) to the interpreter.
pub trait Engine<const W: usize> {
    /// Returns how numbers behave.
    fn numerics(&self) -> &Numerics;

    /// Runs a wave from where it is until there is a reason to stop. The budget counts blocks.
    fn run(
        &self,
        wave: &mut WaveState<W>,
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
        budget: &mut u64,
    ) -> Stop;

    /// Runs initializers of global variables for these lanes. Set uniforms and inputs after this, so that initializers do
    /// not overwrite them.
    ///
    /// # Errors
    /// When the budget of blocks runs out.
    fn initialize(&self, wave: &mut WaveState<W>, mask: Mask<W>) -> Result<(), Trap> {
        wave.begin(wave.program().globals, mask);
        let mut left = MAX_INITIALIZER_BLOCKS;
        match self.run(wave, &mut (), &mut (), &mut left) {
            Stop::Spent => Err(Trap::Endless(MAX_INITIALIZER_BLOCKS)),
            Stop::Done | Stop::Barrier | Stop::Paused => Ok(()),
        }
    }

    /// Runs the entry function for these lanes to its end, at most this many blocks, without waiting for other waves at
    /// barriers.
    ///
    /// # Errors
    /// When the budget of blocks runs out.
    fn main(
        &self,
        wave: &mut WaveState<W>,
        mask: Mask<W>,
        blocks: u64,
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
    ) -> Result<(), Trap> {
        wave.start(mask);
        let mut left = blocks;
        loop {
            match self.run(wave, host, observer, &mut left) {
                Stop::Done => return Ok(()),
                Stop::Spent => return Err(Trap::Endless(blocks)),
                Stop::Barrier | Stop::Paused => {}
            }
        }
    }
}
