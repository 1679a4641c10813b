//! Running invocations of a stage.

use std::borrow::Borrow;
use std::sync::Arc;

use emulator::ir::{Register, Registers};
use emulator::wave::{Observer, Stop, Trap};
use emulator::{Wave, WaveState};
use instrument::InspectError;
use lanes::Mask;
use pipeline::{BoundResources, Counted, Effort, FixedFunction, Program, State, World};
use shader::version::Stage;

use super::feed::Feeder;
use super::quads::{self, Quad};
use crate::Inputs;

/// Blocks of instructions after which a wave counts as endless.
const BUDGET: u64 = 50_000_000;

/// Lanes of a wave of many invocations.
const WIDE: usize = 16;

/// Quads that are worth a thread.
const SHARE: usize = 128;

/// What an invocation gives on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shaded {
    /// The fragment was thrown away.
    pub discarded: bool,
    /// The outputs that the shader mentions, by name, with the words of their values.
    pub outputs: Vec<(String, Vec<u32>)>,
}

impl Shaded {
    pub(super) fn new<const W: usize>(program: &Program, stage: Stage, wave: &WaveState<W>, lane: usize) -> Shaded {
        let word = |&register: &u32| wave.register(Register(register))[lane];
        let outputs = program.outputs(stage);
        let outputs = outputs.iter().map(|port| (port.name.to_owned(), port.registers.iter().map(word).collect()));
        // A lane that was demoted is a helper from then on, and writes nothing either.
        let gone = wave.alive().bits() >> lane & 1 == 0 || wave.helpers().bits() >> lane & 1 == 1;
        Shaded { discarded: gone, outputs: outputs.collect() }
    }
}

/// A stage of a program in a draw.
#[derive(Clone, Copy)]
pub struct Shading<'a> {
    /// Everything that is bound.
    pub state: &'a State,
    /// What fixed functions are from each of these vertices on.
    pub moments: &'a Arc<Vec<(u32, FixedFunction)>>,
    /// Everything that is bound, for worlds.
    pub surroundings: &'a BoundResources,
    /// The program, with its uniforms.
    pub program: &'a Program,
    /// The stage.
    pub stage: Stage,
    /// What its invocations may take, if that is limited.
    pub effort: Option<&'a Arc<Effort>>,
}

impl Shading<'_> {
    /// The windows that a variant leaves in its arrays of integers and floats, for each of these inputs.
    pub(super) fn windows(&self, inputs: &[Inputs], memory: (&[String], u32)) -> Result<Vec<Vec<u32>>, InspectError> {
        let mut all = vec![Vec::new(); inputs.len()];
        let found = if inputs.len() == 1 || self.minds_company() {
            self.part::<4>(inputs, &quads::singles(inputs), memory)?
        } else {
            spread(&self.quads(inputs), |part| self.part::<WIDE>(inputs, part, memory))?
        };
        for (index, words) in found {
            all[index] = words;
        }
        Ok(all)
    }

    /// Which invocations run side by side: as many in the same quads as makes no difference.
    #[must_use]
    pub fn quads<I: Borrow<Inputs>>(&self, inputs: &[I]) -> Vec<Quad> {
        let Some(first) = inputs.first().filter(|_| !self.minds_company()) else { return quads::singles(inputs) };
        let names = first.borrow().named().map(|(name, _)| name);
        let used: Vec<&str> = names.filter(|name| self.home(name).is_some()).collect();
        quads::shared(self.stage, inputs, &used)
    }

    fn minds_company(&self) -> bool {
        self.program.lowered(self.stage).is_none_or(|lowered| lowered.minds_company())
    }

    /// The windows of some quads, with the numbers of their inputs.
    fn part<const W: usize>(
        &self,
        inputs: &[Inputs],
        quads: &[Quad],
        (names, window): (&[String], u32),
    ) -> Result<Vec<(usize, Vec<u32>)>, InspectError> {
        let homes = self.homes(names);
        let mut all = Vec::with_capacity(inputs.len().min(4 * quads.len()));
        self.run::<W>(inputs, quads, &mut (), &mut |index, wave, lane| {
            all.push((index, read(wave, lane, &homes, window)));
        })?;
        Ok(all)
    }

    /// The window that a variant leaves for one invocation, when global arrays of its lane begin with these words; in the
    /// lanes of its neighbours they begin with zeros.
    pub(super) fn window_given(
        &self,
        inputs: &Inputs,
        (names, window): (&[String], u32),
        presets: &[(String, &[u32])],
    ) -> Result<Vec<u32>, InspectError> {
        let homes = self.homes(names);
        let mut waves = self.waves::<4>(inputs)?;
        let lane = inputs.lane();
        for (name, words) in presets {
            let home = self.home(name).ok_or_else(|| InspectError::Failed(format!("there is no {name} to preset")))?;
            for (register, &word) in home.iter().zip(*words) {
                waves.ready.set(register, std::array::from_fn(|of| if of == lane { word } else { 0 }));
            }
        }
        let mut found = Vec::new();
        let quad = Quad::alone(inputs, 0);
        waves.run(std::slice::from_ref(inputs), &[quad], &mut (), &mut |_, wave, lane| {
            found = read(wave, lane, &homes, window);
        })?;
        Ok(found)
    }

    fn homes(&self, names: &[String]) -> Vec<Registers> {
        names.iter().filter_map(|name| self.home(name)).collect()
    }

    /// Runs quads, and shows each wave that is done with the lane of each invocation.
    pub(super) fn run<const W: usize>(
        &self,
        inputs: &[Inputs],
        quads: &[Quad],
        observer: &mut dyn Observer<W>,
        done: &mut impl FnMut(usize, &WaveState<W>, usize),
    ) -> Result<(), InspectError> {
        let Some(first) = inputs.first() else { return Ok(()) };
        let mut waves = self.waves::<W>(first)?;
        for quads in quads.chunks(W / 4) {
            waves.run(inputs, quads, observer, done)?;
        }
        Ok(())
    }

    /// Everything that waves have in common whose invocations were given inputs of the same names as this one.
    ///
    /// # Errors
    /// When the program has no such stage, or its global variables have no end.
    pub fn waves<const W: usize>(&self, like: &Inputs) -> Result<Waves<W>, InspectError> {
        let none = || InspectError::Failed("the program has no such stage".to_owned());
        let ready = pipeline::solo::<W>(self.state, self.program, self.stage).map_err(failed)?.ok_or_else(none)?;
        let around = self.surroundings.world(self.state, self.program, self.stage).ok_or_else(none)?;
        let feeder = Feeder::new((self.program, self.stage), self.moments, like);
        Ok(Waves { wave: ready.clone(), ready, around, feeder, effort: self.effort.cloned() })
    }

    fn home(&self, name: &str) -> Option<Registers> {
        self.program.lowered(self.stage)?.locate(name).map(|(_, home)| home)
    }
}

/// Runs quads on as many threads as they are worth; what comes of them is in their order.
///
/// # Errors
/// The first that one of them has.
pub fn spread<T: Send>(
    quads: &[Quad],
    run: impl Fn(&[Quad]) -> Result<Vec<T>, InspectError> + Sync,
) -> Result<Vec<T>, InspectError> {
    // Most calls have a few quads, and asking the system how many threads there may be takes longer than running those.
    let worth = quads.len() / SHARE;
    let threads = if worth < 2 { 1 } else { std::thread::available_parallelism().map_or(1, usize::from).min(worth) };
    if threads == 1 {
        return run(quads);
    }
    std::thread::scope(|scope| {
        // Whole waves, so that as much is done as on one thread.
        let parts = quads.chunks(quads.len().div_ceil(threads).next_multiple_of(WIDE / 4));
        let started: Vec<_> = parts.map(|part| scope.spawn(|| run(part))).collect();
        let ended = started.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err(InspectError::Failed("a thread of the emulator died".to_owned())))
        });
        ended.collect::<Result<Vec<_>, InspectError>>().map(|parts| parts.into_iter().flatten().collect())
    })
}

/// Waves of one stage of one draw, one after the other.
pub struct Waves<const W: usize> {
    /// As they begin.
    ready: Wave<W>,
    wave: Wave<W>,
    around: World,
    feeder: Feeder,
    effort: Option<Arc<Effort>>,
}

impl<const W: usize> Waves<W> {
    /// A wave of as many quads as there is room for that is about to begin, and the world around it, to step
    /// through.
    pub fn begin<I: Borrow<Inputs>>(&mut self, inputs: &[I], quads: &[Quad]) -> (Wave<W>, World) {
        let there = self.fill(inputs, quads);
        let mut wave = self.wave.clone();
        wave.start(there);
        (wave, self.around.clone())
    }

    /// Runs as many quads as there is room for to their end, and shows the wave with the lane of each invocation.
    ///
    /// # Errors
    /// When they have no end.
    pub fn run<I: Borrow<Inputs>>(
        &mut self,
        inputs: &[I],
        quads: &[Quad],
        observer: &mut dyn Observer<W>,
        done: &mut impl FnMut(usize, &WaveState<W>, usize),
    ) -> Result<(), InspectError> {
        let there = self.fill(inputs, quads);
        let Waves { wave, around, effort, .. } = self;
        // Invocations do not see each other's writes: they run at the same time.
        match effort {
            None => wave.main(there, BUDGET, &mut around.clone(), observer).map_err(failed)?,
            Some(effort) => within(effort, wave, there, &mut around.clone(), observer)?,
        }
        for lane in (0..W).filter(|&lane| is_own(quads, lane)) {
            done(quads[lane / 4].sources[lane % 4], wave, lane);
        }
        Ok(())
    }

    /// Gives the lanes their inputs, and says which are there.
    fn fill<I: Borrow<Inputs>>(&mut self, inputs: &[I], quads: &[Quad]) -> Mask<W> {
        let Waves { ready, wave, feeder, .. } = self;
        wave.reset_to(ready);
        feeder.feed(wave, inputs, quads);
        let bits = |on: &dyn Fn(usize) -> bool| (0..W).filter(|&lane| on(lane)).fold(0, |all, lane| all | 1 << lane);
        let there = bits(&|lane| lane < 4 * quads.len());
        wave.set_helpers(Mask::from_bits(there & !bits(&|lane| is_own(quads, lane))));
        Mask::from_bits(there)
    }
}

/// Runs a wave to its end, as far as an effort goes.
fn within<const W: usize>(
    effort: &Effort,
    wave: &mut Wave<W>,
    there: Mask<W>,
    world: &mut World,
    observer: &mut dyn Observer<W>,
) -> Result<(), InspectError> {
    let mut counted = Counted::new(observer, effort);
    let mut blocks = BUDGET;
    wave.start(there);
    let ended = loop {
        match wave.run(world, &mut counted, &mut blocks) {
            Stop::Done => break Ok(()),
            Stop::Spent => break Err(failed(Trap::Endless(BUDGET))),
            Stop::Paused if counted.is_over() => break Ok(()),
            Stop::Barrier | Stop::Paused => {}
        }
    };
    if !effort.spend(counted.units()) {
        return Err(InspectError::Failed("it takes more work than may be done for one question".to_owned()));
    }
    ended
}

/// The words of a window that lies in arrays of which all but one have zero.
fn read<const W: usize>(wave: &WaveState<W>, lane: usize, homes: &[Registers], window: u32) -> Vec<u32> {
    let word = |place: u32| {
        let of = |home: &Registers| wave.register(Register(home.start.0 + place))[lane];
        homes.iter().map(of).fold(0, |word, bits| word | bits)
    };
    (0..window).map(word).collect()
}

/// Whether a lane is one of the invocations themselves.
fn is_own(quads: &[Quad], lane: usize) -> bool {
    quads.get(lane / 4).is_some_and(|quad| quad.own[lane % 4])
}

fn failed(trap: impl std::fmt::Display) -> InspectError {
    InspectError::Failed(format!("the emulator stopped: {trap}"))
}
