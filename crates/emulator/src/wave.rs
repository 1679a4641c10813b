//! Running a program on lanes in lockstep.
//!
//! A [`WaveState`] is `W` invocations with one program counter: registers, masks and where the lanes are, as plain data. An
//! [`Engine`] advances it; the [`Interpreter`] is one. Where a branch divides the lanes, one side runs and then the other,
//! and they reconverge at the branch's post-dominator; lanes that do not take part keep their registers. For fragments
//! each four lanes are a quad: left, right, below left, below right.
//!
//! A run can stop and go on later: at barriers, where an observer asks for it, or when its budget is spent. All there is
//! to a wave is in its state, so a copy of the state is a checkpoint, and another engine can go on from it.

mod engine;
mod interpret;
mod observe;
mod state;
#[cfg(test)]
mod tests;

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use lanes::{Mask, Numerics};

use crate::host::Host;
use crate::ir::Program;
pub use engine::Engine;
pub use interpret::Interpreter;
pub use observe::{Fault, Flow, Interest, Observer, ProgramCounter};
pub use state::{ResolvedAddress, WaveState};

/// What ends a run early. This is no error of the emulator: the shader caused it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Trap {
    /// The budget of blocks ran out: an endless loop, or one that is as good as endless.
    #[error("the shader did not end within {0} blocks")]
    Endless(u64),
}

/// Why a run stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// All lanes are done.
    Done,
    /// The lanes wait for the other waves of their group.
    Barrier,
    /// The observer asked for it.
    Paused,
    /// The budget of blocks is spent.
    Spent,
}

/// A wave together with the engine that runs it. It can be read and set like its state.
#[derive(Clone)]
pub struct Wave<const W: usize, E = Interpreter> {
    state: WaveState<W>,
    engine: E,
}

impl<const W: usize> Wave<W> {
    /// Returns invocations with all registers zero, before anything has run, to be run by the interpreter.
    #[must_use]
    pub fn new(program: &Arc<Program>, numerics: Numerics) -> Wave<W> {
        Wave::of(Interpreter::new(numerics), WaveState::new(program))
    }
}

impl<const W: usize, E: Engine<W>> Wave<W, E> {
    /// Returns a wave in a state, to be run by an engine.
    #[must_use]
    pub fn of(engine: E, state: WaveState<W>) -> Wave<W, E> {
        Wave { state, engine }
    }

    /// Returns the engine and the state.
    #[must_use]
    pub fn into_parts(self) -> (E, WaveState<W>) {
        (self.engine, self.state)
    }

    /// Returns the engine.
    #[must_use]
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// Runs initializers of global variables for these lanes; see [`Engine::initialize`].
    ///
    /// # Errors
    /// When the budget of blocks runs out.
    pub fn initialize(&mut self, mask: Mask<W>) -> Result<(), Trap> {
        self.engine.initialize(&mut self.state, mask)
    }

    /// Runs the entry function for these lanes to its end; see [`Engine::main`].
    ///
    /// # Errors
    /// When the budget of blocks runs out.
    pub fn main(
        &mut self,
        mask: Mask<W>,
        blocks: u64,
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
    ) -> Result<(), Trap> {
        self.engine.main(&mut self.state, mask, blocks, host, observer)
    }

    /// Runs until there is a reason to stop; see [`Engine::run`].
    pub fn run(&mut self, host: &mut dyn Host, observer: &mut dyn Observer<W>, budget: &mut u64) -> Stop {
        self.engine.run(&mut self.state, host, observer, budget)
    }
}

impl<const W: usize, E> Deref for Wave<W, E> {
    type Target = WaveState<W>;

    fn deref(&self) -> &WaveState<W> {
        &self.state
    }
}

impl<const W: usize, E> DerefMut for Wave<W, E> {
    fn deref_mut(&mut self) -> &mut WaveState<W> {
        &mut self.state
    }
}
