//! One invocation, forwards and backwards.

mod edit;
mod reads;
mod search;
mod undefined;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use emulator::WaveState;
use emulator::glsl::Evaluator;
use emulator::glsl::evaluate::{self, Expression};
use emulator::host::{Host as _, Space};
use emulator::ir::{Register, Registers};
use emulator::sanitize::Finding;
use emulator::travel::{Arrival, Lane, Limits, Signal, Travel};
use emulator::value::Value;
use emulator::wave::{Interpreter, Wave};
use moment::{Moment, Step as Way};
use pipeline::World;
use shader::typed::VarId;

use crate::bench::Bench;
use crate::data::place;
use crate::data::stop::Step;
use crate::data::value::Shown;
use crate::look::Viewpoint;
pub use reads::LookedUp;
pub use search::{Armed, Hit, Hits, Piece, Search, Watched, Written};

/// Where a run is.
#[derive(Clone, PartialEq, Debug)]
pub struct At {
    pub time: u64,
    /// The statement about to run, and the way there; nothing if the followed lane never begins.
    pub moment: Option<Moment>,
    pub ended: bool,
    pub discarded: bool,
    pub depth: usize,
    /// It is the first statement, and nothing was set.
    pub is_first: bool,
}

/// What an expression came to.
#[derive(Clone)]
pub struct Came {
    pub value: Value,
    pub words: Vec<u32>,
    pub type_name: String,
    pub text: String,
    /// Names and values of its parts.
    pub parts: Vec<Part>,
    expression: Arc<Expression>,
}

impl Came {
    /// The value as the emulator has it.
    pub fn shown(&self) -> Shown {
        let numbers = self.value.numbers(self.expression.types());
        Shown { emulated: Some(self.text.clone()), numbers, ..Shown::default() }
    }

    /// Something to say about the value.
    pub fn note(&self) -> Option<String> {
        self.expression.is_half().then(|| "mediump, computed in half precision as the driver does".to_owned())
    }

    /// The value beside one that was measured.
    pub fn beside(&self, measured: &moment::glsl::Value) -> Shown {
        crate::look::shown(self.expression.types(), &self.value, Some(measured))
    }
}

/// A part of a value: a component, an element, a member.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// How it is put behind the whole: `[2]`, `.x`.
    pub suffix: String,
    pub type_name: String,
    pub text: String,
    pub numbers: Vec<f64>,
    pub value: Value,
    pub children: usize,
}

/// A run, whatever the width of its waves.
pub trait Walker {
    /// Steps within the invocation. [`Step::Continue`] and its reverse know nothing of breakpoints here.
    fn step(&mut self, step: Step) -> Arrival;
    /// To a time it has been at, or one it will come to.
    fn go_to(&mut self, time: u64) -> Arrival;
    /// Where it is.
    fn at(&mut self) -> At;
    /// What variables hold that live in registers.
    fn variables(&self, ids: &[VarId]) -> Vec<Option<Value>>;
    /// What an expression comes to at a frame of the stack.
    fn evaluate(&mut self, at: &Moment, text: &str) -> Result<Came, evaluate::Error>;
    /// Whose values these are, and when.
    fn seen(&self) -> Viewpoint;
    /// All lanes.
    fn lanes(&self) -> Vec<place::Lane>;
    /// Looks at another lane from here on.
    fn follow(&mut self, number: usize) -> bool;
    /// To a breakpoint.
    fn search(&mut self, search: &Search) -> Hit;
    /// To where the followed lane is at a moment, before or after now.
    fn run_to(&mut self, moment: &Moment) -> Arrival;
    /// Who wrote a variable last.
    fn last_write(&mut self, watched: &Watched) -> Option<Written>;
    /// What the followed lane does that is undefined, from start to end; nothing if it was told to stop before that.
    fn findings(&mut self) -> Option<Vec<Finding>>;
    /// The look-ups of the statement at hand.
    fn reads(&self) -> Vec<LookedUp>;
    /// Those of the statement before it.
    fn last_reads(&mut self) -> Vec<LookedUp>;
    /// Gives registers of the followed lane other words, from here on.
    fn divert(&mut self, home: Registers, words: &[u32]);
    /// Forgets everything that was set; false if nothing was.
    fn undo(&mut self) -> bool;
    /// Whether anything was set.
    fn is_diverted(&self) -> bool;
    /// A number that tells states apart: that of all lanes' registers, and where they are.
    fn fingerprint(&self) -> u64;
    /// What lies in a buffer, or in memory that a workgroup shares.
    fn memory(&self, space: Space, slot: u32) -> Vec<u8>;
}

/// A run of waves of one width.
pub struct Run<const W: usize> {
    bench: Arc<Bench>,
    travel: Travel<W, World>,
    /// What it is diverted from, the truth first.
    truths: Vec<Travel<W, World>>,
    evaluator: Evaluator,
    names: Vec<String>,
    /// The time of the first statement.
    first: u64,
    /// The lane that was chosen.
    own: Lane,
    /// Everything as it begins.
    begin: (Vec<WaveState<W>>, World),
    findings: Option<(Lane, Vec<Finding>)>,
    /// Where a lane was last in `main`, of the run as it is now.
    end: Option<(Lane, Option<Moment>)>,
    /// Says when to stop.
    signal: Arc<Signal>,
}

impl<const W: usize> Run<W> {
    /// A run about to begin; it goes to the first statement of a lane.
    pub fn new(
        bench: Arc<Bench>,
        (waves, world): (Vec<Wave<W>>, World),
        own: usize,
        names: Vec<String>,
        signal: Arc<Signal>,
    ) -> Run<W> {
        let lowering = bench.scene.quirks.lowering(bench.shader().preprocessed.version);
        let evaluator = Evaluator::new(bench.shader(), &bench.options, bench.lowered()).lowered_with(lowering);
        let engine = waves.first().map_or_else(Interpreter::default, |wave| wave.engine().clone());
        let waves: Vec<WaveState<W>> = waves.into_iter().map(|wave| wave.into_parts().1).collect();
        let begin = (waves.clone(), world.clone());
        let mut travel = Travel::new(engine, waves, world, Limits::default());
        let own = Lane { wave: own / W, lane: own % W };
        travel.use_signal(Arc::clone(&signal));
        travel.follow(own);
        travel.step_into();
        let first = travel.time();
        Run {
            bench,
            travel,
            truths: Vec::new(),
            evaluator,
            names,
            first,
            own,
            begin,
            findings: None,
            end: None,
            signal,
        }
    }

    /// Back at the first statement: there is nothing to look at before it.
    fn started(&mut self, arrival: Arrival) -> Arrival {
        if self.travel.time() == 0 {
            self.travel.step_into();
            return Arrival::Start;
        }
        arrival
    }

    /// The last statement of `main` that the followed lane came to, at the end: what it passed last may have been in a
    /// function that `main` called.
    fn end_moment(&mut self) -> Option<Moment> {
        let lane = self.travel.lane();
        if self.end.as_ref().is_none_or(|(known, _)| *known != lane) {
            let here = self.travel.time();
            let last = match self.travel.back_over() {
                Arrival::There => self.travel.moment(),
                _ => None,
            };
            self.travel.go_to(here);
            self.end = Some((lane, last.or_else(|| self.travel.moment())));
        }
        self.end.as_ref().and_then(|(_, moment)| moment.clone())
    }

    fn lane(&self, number: usize) -> Lane {
        Lane { wave: number / W, lane: number % W }
    }

    fn is_discarded(&self, lane: Lane) -> bool {
        let wave = &self.travel.waves()[lane.wave];
        wave.alive().bits() >> lane.lane & 1 == 0
    }
}

impl<const W: usize> Walker for Run<W> {
    fn step(&mut self, step: Step) -> Arrival {
        let arrival = match step {
            Step::Over => self.travel.step_over(),
            Step::Into => self.travel.step_into(),
            Step::Out => self.travel.step_out(),
            Step::BackOver => self.travel.back_over(),
            Step::BackInto => self.travel.back_into(),
            Step::BackOut => self.travel.back_out(),
            Step::Continue | Step::ToEnd => self.travel.to_end(),
            Step::ReverseContinue | Step::ToStart => self.travel.to_start(),
        };
        self.started(arrival)
    }

    fn go_to(&mut self, time: u64) -> Arrival {
        let arrival = self.travel.go_to(time);
        self.started(arrival)
    }

    fn at(&mut self) -> At {
        At {
            time: self.travel.time(),
            moment: if self.travel.is_at_end() { self.end_moment() } else { self.travel.moment() },
            ended: self.travel.is_at_end(),
            discarded: self.is_discarded(self.travel.lane()),
            depth: self.travel.depth(),
            is_first: self.travel.time() == self.first && self.truths.is_empty(),
        }
    }

    fn variables(&self, ids: &[VarId]) -> Vec<Option<Value>> {
        let (program, wave, lane) = (self.bench.lowered(), self.travel.wave(), self.travel.lane().lane);
        let value = |id: &VarId| {
            let variable = program.variable(emulator::glsl::variable(*id));
            Some(Value::of_registers(wave, variable.ty, variable.registers()?, lane))
        };
        ids.iter().map(value).collect()
    }

    fn evaluate(&mut self, at: &Moment, text: &str) -> Result<Came, evaluate::Error> {
        came(&self.travel, &mut self.evaluator, Some(at), text)
    }

    fn seen(&self) -> Viewpoint {
        Viewpoint {
            moment: self.travel.moment().filter(|_| !self.travel.is_at_end()),
            recorded: self.travel.lane() == self.own && self.truths.is_empty(),
        }
    }

    fn lanes(&self) -> Vec<place::Lane> {
        let (followed, together) = (self.travel.lane(), self.travel.together());
        let beside = |(number, name): (usize, &String)| {
            let lane = self.lane(number);
            place::Lane {
                number,
                name: name.clone(),
                followed: lane == followed,
                helper: self.travel.waves()[lane.wave].helpers().bits() >> lane.lane & 1 == 1,
                discarded: self.is_discarded(lane),
                together: lane.wave == followed.wave && together.bits() >> lane.lane & 1 == 1,
                location: self.travel.moment_of(lane).map(|moment| self.bench.location(moment.site)),
            }
        };
        self.names.iter().enumerate().map(beside).collect()
    }

    fn follow(&mut self, number: usize) -> bool {
        number < self.names.len() && self.travel.follow(self.lane(number))
    }

    fn search(&mut self, search: &Search) -> Hit {
        let mut hit = self.search_for(search);
        hit.arrival = self.started(hit.arrival);
        hit
    }

    fn run_to(&mut self, moment: &Moment) -> Arrival {
        self.travel.run_to(moment)
    }

    fn last_write(&mut self, watched: &Watched) -> Option<Written> {
        self.write_before(watched)
    }

    fn findings(&mut self) -> Option<Vec<Finding>> {
        self.undefined()
    }

    fn reads(&self) -> Vec<LookedUp> {
        self.looked_up()
    }

    fn last_reads(&mut self) -> Vec<LookedUp> {
        let here = self.travel.time();
        let before = self.travel.back_over();
        let reads = if before == Arrival::There { self.looked_up() } else { Vec::new() };
        self.travel.go_to(here);
        reads
    }

    fn divert(&mut self, home: Registers, words: &[u32]) {
        self.set(home, words);
    }

    fn undo(&mut self) -> bool {
        self.restore()
    }

    fn is_diverted(&self) -> bool {
        !self.truths.is_empty()
    }

    fn memory(&self, space: Space, slot: u32) -> Vec<u8> {
        // A world is asked for memory to write to; a copy of one shares everything until that is done.
        let mut world = self.travel.host().clone();
        world.buffer(space, slot).to_vec()
    }

    fn fingerprint(&self) -> u64 {
        let lanes = (0..self.names.len()).map(|number| self.travel.moment_of(self.lane(number)));
        let mut state = DefaultHasher::new();
        (self.travel.time(), self.travel.is_at_end(), lanes.collect::<Vec<_>>()).hash(&mut state);
        for wave in self.travel.waves() {
            (0..wave.program().registers).for_each(|register| wave.register(Register(register)).hash(&mut state));
        }
        state.finish()
    }
}

/// What an expression comes to for the followed lane, at a frame of the stack or where it is.
fn came<const W: usize>(
    travel: &Travel<W, World>,
    evaluator: &mut Evaluator,
    at: Option<&Moment>,
    text: &str,
) -> Result<Came, evaluate::Error> {
    let here = travel.moment();
    let at = at.or(here.as_ref()).ok_or(evaluate::Error::Unreachable)?;
    let expression = evaluator.expression(at, text)?;
    let answer = expression.run(travel)?;
    let words = answer.lane(travel.lane().lane).ok_or(evaluate::Error::Unreachable)?;
    let types = expression.types();
    let value = Value::of_words(types, answer.ty, words.iter().copied());
    let parts = crate::look::parts(types, &value);
    let (type_name, text) = (expression.type_name().to_owned(), value.text(types));
    Ok(Came { type_name, text, parts, value, words, expression })
}

/// The frames of a stack at a moment, the innermost first: of each the way there, to the statement or call it is at.
pub fn frames(moment: &Moment) -> Vec<Moment> {
    let mut all = vec![moment.clone()];
    for (place, way) in moment.path.iter().enumerate().rev() {
        if let Way::Call(call) = way {
            all.push(Moment { site: *call, path: moment.path[..place].to_vec() });
        }
    }
    all
}
