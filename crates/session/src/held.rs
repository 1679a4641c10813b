//! The run of an invocation, kept apart from the session so that a panic in the emulator does not end the session.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use emulator::travel::Signal;
use inquiry::{Inputs, Quad};
use shader::version::Stage;

use crate::bench::Bench;
use crate::open::SessionError;
use crate::run::{Run, Walker};

/// How large a dispatch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DispatchSize {
    /// Workgroups along each axis.
    pub groups: [u32; 3],
    /// Invocations of each, where the call says so.
    pub group_size: Option<[u32; 3]>,
}

/// A run. After a panic of the emulator there is none any more, and every request fails.
pub struct Held {
    run: Mutex<Option<Box<dyn Walker + Send>>>,
}

impl Held {
    /// Begins an invocation that was given these inputs, with its neighbours around it.
    ///
    /// # Errors
    /// When it cannot be emulated.
    pub fn alone(bench: Arc<Bench>, inputs: &Inputs, signal: Arc<Signal>) -> Result<Held, SessionError> {
        Held::begin(|| {
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
    ) -> Result<Held, SessionError> {
        Held::begin(|| {
            let Bench { scene, surroundings, stage, .. } = &*bench;
            let group = pipeline::workgroup(&scene.state, &scene.program, size.groups, size.group_size, invocation)
                .map_err(|error| SessionError::NotThere(error.to_string()))?;
            let world = surroundings.world(&scene.state, &scene.program, *stage).ok_or(SessionError::Died)?;
            let own = group.invocations.iter().position(|id| *id == invocation).ok_or(SessionError::Died)?;
            let names = group.invocations.iter().map(|[x, y, z]| format!("{x},{y},{z}")).collect();
            Ok(Box::new(Run::new(bench, (group.waves, world), own, names, signal)))
        })
    }

    fn begin(make: impl FnOnce() -> Result<Box<dyn Walker + Send>, SessionError>) -> Result<Held, SessionError> {
        let run = caught(make)??;
        Ok(Held { run: Mutex::new(Some(run)) })
    }

    /// Calls a function with the run and returns its result.
    ///
    /// # Errors
    /// When the emulator panics, or did so before.
    pub fn ask<R>(&self, what: impl FnOnce(&mut dyn Walker) -> R) -> Result<R, SessionError> {
        let mut held = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        // It is put back only after success: a run that panicked half-way is not used again.
        let mut run = held.take().ok_or(SessionError::Died)?;
        let answer = caught(|| what(&mut *run))?;
        *held = Some(run);
        Ok(answer)
    }
}

/// Calls a function; a panic in it becomes an error, except on targets where panics abort.
fn caught<R>(call: impl FnOnce() -> R) -> Result<R, SessionError> {
    // What the call changes is dropped if it panics.
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| SessionError::Died)
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
