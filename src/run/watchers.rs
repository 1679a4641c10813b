//! The observers that the options ask for.

use std::sync::Arc;

use anyhow::bail;
use emulator::glsl::Sanitizer;
use emulator::ir::{Registers, TypeId};
use emulator::observe::{Counters, TexelLog, Trace, Watch};
use emulator::wave::{Observer, Trap};
use emulator::{Wave, WaveState};
use lanes::Mask;

use super::BLOCKS;
use super::single::Job;
use super::world::World;

/// Steps of a trace that are kept.
const MAX_STEPS: usize = 100_000;

/// Those that are wanted, all others absent.
#[derive(Default)]
pub struct Watchers<'a> {
    pub sanitizer: Option<Sanitizer<'a>>,
    pub trace: Option<Trace>,
    pub counters: Option<Counters>,
    pub texels: Option<TexelLog>,
    pub watch: Option<Watch>,
}

impl<'a> Watchers<'a> {
    /// For these lanes; steps and values are those of one of them.
    pub fn start(&mut self, job: &Job<'a>, lanes: u64, lane: usize) -> anyhow::Result<()> {
        let args = job.args;
        self.sanitizer = (!args.no_sanitize).then(|| Sanitizer::new(job.shader, job.program).only(lanes));
        if args.trace || args.counters {
            let map = Arc::new(emulator::glsl::source_map(job.shader));
            self.trace = args.trace.then(|| Trace::new(&map, job.program, lane, MAX_STEPS));
            self.counters = args.counters.then(|| Counters::new(&map, lanes));
        }
        self.texels = args.texels.then(|| TexelLog::new(lanes));
        if let Some(name) = &args.watch {
            let Some((ty, home)) = variable(job, name) else {
                bail!("the shader has no variable {name}, or never uses it; variables in buffers cannot be watched");
            };
            self.watch = Some(Watch::new(ty, home, lane));
        }
        Ok(())
    }

    fn none(&self) -> bool {
        self.sanitizer.is_none()
            && self.trace.is_none()
            && self.counters.is_none()
            && self.texels.is_none()
            && self.watch.is_none()
    }

    /// Runs `main` to its end, watched.
    pub fn main<const W: usize>(&mut self, wave: &mut Wave<W>, mask: Mask<W>, world: &mut World) -> Result<(), Trap> {
        if self.none() {
            return wave.main(mask, BLOCKS, world, &mut ());
        }
        let ended = wave.main(mask, BLOCKS, world, &mut self.all());
        if ended.is_ok() {
            self.finish(wave, mask.bits());
        }
        self.end_trace(wave);
        ended
    }

    /// All of them as one observer.
    pub fn all<const W: usize>(&mut self) -> impl Observer<W> {
        let rest = (&mut self.counters, (&mut self.texels, &mut self.watch));
        (&mut self.sanitizer, (&mut self.trace, rest))
    }

    /// The lanes of a wave are done.
    pub fn finish<const W: usize>(&mut self, wave: &WaveState<W>, lanes: u64) {
        if let Some(sanitizer) = &mut self.sanitizer {
            sanitizer.finish(wave);
        }
        if let Some(counters) = &mut self.counters {
            counters.finish(lanes);
        }
    }

    /// The invocation whose steps are noted is done.
    pub fn end_trace<const W: usize>(&mut self, wave: &WaveState<W>) {
        if let Some(trace) = &mut self.trace {
            trace.finish(wave);
        }
    }

    /// Another wave of the group runs.
    pub fn select(&mut self, wave: usize) {
        if let Some(sanitizer) = &mut self.sanitizer {
            sanitizer.select(wave);
        }
        if let Some(counters) = &mut self.counters {
            counters.select(wave);
        }
    }

    /// Other invocations begin.
    pub fn restart(&mut self, batch: u64) {
        if let Some(sanitizer) = &mut self.sanitizer {
            sanitizer.restart(batch);
        }
    }
}

/// A variable by its name: a global one or part of one, else the first local one.
fn variable(job: &Job<'_>, name: &str) -> Option<(TypeId, Registers)> {
    job.program.locate(name).or_else(|| {
        let mut named = job.program.variables.iter().filter(|row| row.name == name);
        named.find_map(|row| Some((row.ty, row.registers()?)))
    })
}
