//! The run of an invocation, kept apart from the session so that a panic in the emulator does not end the session.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use emulator::travel::Signal;
use inquiry::{DispatchSize, Inputs, Quad};
use shader::version::Stage;

use crate::bench::Bench;
use crate::error::SessionError;
use crate::run::{Run, Walker};

/// A run, whatever the width of its waves.
pub struct OwnedRun {
    run: Guarded<Box<dyn Walker + Send>>,
}

impl OwnedRun {
    /// Begins an invocation that was given these inputs, with its neighbours around it.
    ///
    /// # Errors
    /// When it cannot be emulated.
    pub fn alone(bench: Arc<Bench>, inputs: &Inputs, signal: Arc<Signal>) -> Result<OwnedRun, SessionError> {
        OwnedRun::begin(|| {
            let mut waves = bench.shading().waves::<4>(inputs)?;
            let (wave, world) = waves.begin(&[inputs], &[Quad::alone(inputs, 0)]);
            let names = quad_names(bench.stage, inputs);
            Ok(Box::new(Run::new(bench, (vec![wave], world), inputs.lane(), names, signal)))
        })
    }

    /// Begins the workgroup of a compute shader that has an invocation, by its number among all.
    ///
    /// # Errors
    /// When there is no such invocation, or it cannot be emulated.
    pub fn workgroup(
        bench: Arc<Bench>,
        size: DispatchSize,
        invocation: [u32; 3],
        signal: Arc<Signal>,
    ) -> Result<OwnedRun, SessionError> {
        OwnedRun::begin(|| {
            let Bench { scene, surroundings, stage, .. } = &*bench;
            let group = pipeline::workgroup(&scene.state, &scene.program, size.groups, size.group_size, invocation)
                .map_err(|error| SessionError::NoSuchThread {
                    command: bench.work.command,
                    id: invocation,
                    why: error.to_string(),
                })?;
            let world = surroundings.world(&scene.state, &scene.program, *stage).ok_or(SessionError::EmulatorFailed)?;
            let own = group.invocations.iter().position(|id| *id == invocation).ok_or(SessionError::EmulatorFailed)?;
            let names = group.invocations.iter().map(|[x, y, z]| format!("{x},{y},{z}")).collect();
            Ok(Box::new(Run::new(bench, (group.waves, world), own, names, signal)))
        })
    }

    fn begin(make: impl FnOnce() -> Result<Box<dyn Walker + Send>, SessionError>) -> Result<OwnedRun, SessionError> {
        Ok(OwnedRun { run: Guarded::new(caught(make)??) })
    }

    /// Calls a function with the run and returns its result.
    ///
    /// # Errors
    /// When the emulator panics, or did so before.
    pub fn ask<R>(&self, what: impl FnOnce(&mut dyn Walker) -> R) -> Result<R, SessionError> {
        self.run.ask(|run| what(&mut **run))
    }
}

/// A value that is dropped when a call with it panics: every later call fails.
struct Guarded<T>(Mutex<Option<T>>);

impl<T> Guarded<T> {
    fn new(value: T) -> Guarded<T> {
        Guarded(Mutex::new(Some(value)))
    }

    fn ask<R>(&self, what: impl FnOnce(&mut T) -> R) -> Result<R, SessionError> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // It is put back only after success: what panicked half-way is not used again.
        let mut value = place.take().ok_or(SessionError::EmulatorFailed)?;
        let answer = caught(|| what(&mut value))?;
        *place = Some(value);
        Ok(answer)
    }
}

/// Calls a function; a panic in it becomes an error, except on targets where panics abort.
fn caught<R>(call: impl FnOnce() -> R) -> Result<R, SessionError> {
    // What the call changes is dropped if it panics.
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| SessionError::EmulatorFailed)
}

/// What the lanes of a quad are called.
fn quad_names(stage: Stage, inputs: &Inputs) -> Vec<String> {
    let own = inputs.lane();
    let name = |lane: usize| {
        let at = |axis: usize| inputs.who[axis] + (lane >> axis & 1) as i32 - (own >> axis & 1) as i32;
        format!("{},{}", at(0), at(1))
    };
    match stage == Stage::Fragment {
        true => (0..4).map(name).collect(),
        false => vec![format!("{}", inputs.who[0])],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_run_and_nothing_else() {
        let guarded = Guarded::new(5);
        assert_eq!(guarded.ask(|number| std::mem::replace(number, 7)).ok(), Some(5));
        assert_eq!(guarded.ask(|number| *number).ok(), Some(7));
        let died = guarded.ask(|number| assert_eq!(*number, 0, "this panic is part of the test"));
        assert!(matches!(died, Err(SessionError::EmulatorFailed)));
        assert!(matches!(guarded.ask(|number| *number), Err(SessionError::EmulatorFailed)));
        assert_eq!(Guarded::new(1).ask(|number| *number).ok(), Some(1));
    }
}
