//! An invocation on a thread of its own.
//!
//! A run borrows its program, and a session owns both. So the two live on the stack of a thread, which does what it is
//! asked to until nobody is there to ask; and a fault of the emulator costs that thread, not the session.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use emulator::travel::Signal;
use inquiry::{DispatchSize, Inputs, Quad};
use shader::version::Stage;

use crate::bench::Bench;
use crate::error::SessionError;
use crate::run::{Run, Walker};

type Job = Box<dyn FnOnce(&mut dyn Walker) + Send>;

/// A run that can be asked things.
pub struct Held {
    jobs: Sender<Job>,
}

impl Held {
    /// Begins an invocation that was given these inputs, with its neighbours around it.
    pub fn alone(bench: Arc<Bench>, inputs: Inputs, signal: Arc<Signal>) -> Result<Held, SessionError> {
        Held::begin(move |ready, todo| {
            let mut waves = match bench.shading().waves::<4>(&inputs) {
                Ok(waves) => waves,
                Err(error) => return drop(ready.send(Err(error.into()))),
            };
            let (wave, world) = waves.begin(&[&inputs], &[Quad::alone(&inputs, 0)]);
            let names = quad_names(bench.stage, &inputs);
            serve(Run::new(&bench, (vec![wave], world), inputs.lane(), names, signal), &ready, todo);
        })
    }

    /// Begins a compute shader's workgroup: the one that has an invocation, by its number among all.
    pub fn workgroup(
        bench: Arc<Bench>,
        size: DispatchSize,
        invocation: [u32; 3],
        signal: Arc<Signal>,
    ) -> Result<Held, SessionError> {
        Held::begin(move |ready, todo| {
            let Bench { scene, surroundings, stage, .. } = &*bench;
            let made = pipeline::workgroup(&scene.state, &scene.program, size.groups, size.group_size, invocation);
            let world = surroundings.world(&scene.state, &scene.program, *stage);
            let (group, world) = match (made, world) {
                (Ok(group), Some(world)) => (group, world),
                (Err(error), _) => {
                    let (command, why) = (bench.work.command, error.to_string());
                    return drop(ready.send(Err(SessionError::NoSuchThread { command, id: invocation, why })));
                }
                (_, None) => return drop(ready.send(Err(SessionError::EmulatorFailed))),
            };
            let Some(own) = group.invocations.iter().position(|id| *id == invocation) else {
                return drop(ready.send(Err(SessionError::EmulatorFailed)));
            };
            let names = group.invocations.iter().map(|[x, y, z]| format!("{x},{y},{z}")).collect();
            serve(Run::new(&bench, (group.waves, world), own, names, signal), &ready, todo);
        })
    }

    /// Starts a thread, and waits until it is ready.
    fn begin(
        make: impl FnOnce(Sender<Result<(), SessionError>>, Receiver<Job>) + Send + 'static,
    ) -> Result<Held, SessionError> {
        let (jobs, todo) = channel::<Job>();
        let (ready, begun) = channel();
        std::thread::spawn(move || make(ready, todo));
        begun.recv().unwrap_or(Err(SessionError::EmulatorFailed))?;
        Ok(Held { jobs })
    }

    /// Has the run do something, and waits for it.
    pub fn ask<R: Send + 'static>(
        &self,
        what: impl FnOnce(&mut dyn Walker) -> R + Send + 'static,
    ) -> Result<R, SessionError> {
        let (answer, done) = channel();
        let job: Job = Box::new(move |run| drop(answer.send(what(run))));
        self.jobs.send(job).map_err(|_| SessionError::EmulatorFailed)?;
        done.recv().map_err(|_| SessionError::EmulatorFailed)
    }
}

/// Does what it is asked to until nobody is there to ask.
fn serve<const W: usize>(mut run: Run<'_, W>, ready: &Sender<Result<(), SessionError>>, todo: Receiver<Job>) {
    if ready.send(Ok(())).is_ok() {
        for job in todo {
            job(&mut run);
        }
    }
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
