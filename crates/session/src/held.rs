//! An invocation on a thread of its own.
//!
//! A run borrows its program, and a session owns both. So the two live on the stack of a thread, which does what it is
//! asked to until nobody is there to ask; and a fault of the emulator costs that thread, not the session.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use inquiry::{Inputs, Quad};
use shader::version::Stage;

use crate::bench::Bench;
use crate::open::SessionError;
use crate::run::{Run, Walker};

type Job = Box<dyn FnOnce(&mut dyn Walker) + Send>;

/// A run that can be asked things.
pub struct Held {
    jobs: Sender<Job>,
}

impl Held {
    /// Begins an invocation that was given these inputs, with its neighbours around it.
    pub fn alone(bench: Arc<Bench>, inputs: Inputs) -> Result<Held, SessionError> {
        let (jobs, todo) = channel::<Job>();
        let (ready, begun) = channel();
        std::thread::spawn(move || {
            let mut waves = match bench.shading().waves::<4>(&inputs) {
                Ok(waves) => waves,
                Err(error) => return drop(ready.send(Err(SessionError::from(error)))),
            };
            let (wave, world) = waves.begin(&[&inputs], &[Quad::alone(&inputs, 0)]);
            let mut run = Run::new(&bench, vec![wave], world, inputs.lane(), quad_names(bench.stage, &inputs));
            if ready.send(Ok(())).is_ok() {
                serve(&mut run, todo);
            }
        });
        begun.recv().unwrap_or(Err(SessionError::Died))?;
        Ok(Held { jobs })
    }

    /// Has the run do something, and waits for it.
    pub fn ask<R: Send + 'static>(
        &self,
        what: impl FnOnce(&mut dyn Walker) -> R + Send + 'static,
    ) -> Result<R, SessionError> {
        let (answer, done) = channel();
        let job: Job = Box::new(move |run| drop(answer.send(what(run))));
        self.jobs.send(job).map_err(|_| SessionError::Died)?;
        done.recv().map_err(|_| SessionError::Died)
    }
}

fn serve(run: &mut dyn Walker, todo: std::sync::mpsc::Receiver<Job>) {
    for job in todo {
        job(run);
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
