//! Going back in a run: to a checkpoint, and from there on.

use std::collections::{BTreeMap, BTreeSet};

use api::id;
use chronicle::graph::{Cell, Graph};
use chronicle::rewind;
use device::report::Returns;
use device::{Until, contents_of};
use state::{Model, Thing};

use super::checkpoint::Checkpoint;
use super::{Nobody, Timeline};
use crate::ReplayError;
use crate::player::Played;

/// The last checkpoint lies so many calls that touch contents before a command that is looked at; those before it lie
/// farther and farther apart.
const NEAREST: u64 = 2;
const FARTHER: u64 = 4;

/// From this distance on checkpoints lie at the beginning of frames, where there is less to keep.
const FRAMES: u64 = 64;

/// A step forwards of fewer calls that touch contents is a small one.
pub(super) const SMALL_STEP: usize = 16;

/// Whoever goes forwards in small steps has a checkpoint for so many calls that touch contents.
const MILESTONES: usize = 64;

/// Whoever goes back has so many checkpoints, one before each of the last calls that touch contents; the number doubles so
/// often for whoever keeps going back.
const FEWEST: u64 = 4;
const MOST_DOUBLED: u32 = 3;

/// Whoever visits moments has a checkpoint before each of the last passes, up to so many.
const PASSES: usize = 24;

/// How whoever visits moments gets from one to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// In any way.
    Anywhere,
    /// On: who goes forwards in small steps is not going to go back by one of them, so that few checkpoints will do.
    Forwards,
    /// Back, after having gone back so often already: the next step is likely to lead back as well, a little, and each that
    /// finds a checkpoint executes nothing again.
    Backwards(u32),
}

/// Where nobody can return to, so many other places before it are tried.
const TRIES: usize = 6;

/// What is replaced as a whole by one of so many calls behind a checkpoint is not kept.
const SOON: u64 = 64;

/// So many calls behind the end of a run are taken into account: something may have begun that is ended to go back.
const BEYOND: usize = 4;

impl Timeline {
    /// How runs came to earlier commands so far.
    #[must_use]
    pub fn returns(&self) -> Returns {
        Returns {
            checkpoints: self.checkpoints.list.len() as u64,
            bytes: self.checkpoints.bytes(),
            most_bytes: self.checkpoints.most_bytes,
            ..self.returns.clone()
        }
    }

    /// Whether checkpoints are kept, from now on.
    pub fn keep_checkpoints(&mut self, keep: bool) {
        self.keeping = keep;
        self.checkpoints.clear();
    }

    /// Goes back to a checkpoint from which a command can be reached that passes over `idle` calls. Where that is not
    /// possible, all begins anew.
    pub(super) fn go_back(&mut self, command: u64, idle: &[u64]) -> Result<(), ReplayError> {
        // What a diversion could not put back, a checkpoint does not have.
        if self.keeping && !self.spoilt {
            match self.try_back(command, idle)? {
                Ok(()) => {
                    self.returns.by_checkpoint += 1;
                    return Ok(());
                }
                Err(why) => self.returns.started_over(why),
            }
        }
        self.begin_anew()
    }

    fn try_back(&mut self, command: u64, idle: &[u64]) -> Result<Result<(), String>, ReplayError> {
        let fits = |checkpoint: &Checkpoint| {
            checkpoint.position <= command + 1
                && checkpoint.valid_from <= command + 1
                && self.passed[..checkpoint.passed].iter().all(|number| idle.binary_search(number).is_ok())
        };
        let Some(place) = self.checkpoints.list.iter().rposition(fits) else {
            return Ok(Err("there is no checkpoint before it".to_owned()));
        };
        let here = self.model_here()?;
        let (Some(graph), Some(checkpoint)) = (&self.graph, self.checkpoints.list.get(place)) else {
            return Ok(Err("there is no checkpoint before it".to_owned()));
        };
        if let Some(number) = graph.first_lasting(checkpoint.position..self.next) {
            let name = self
                .trace
                .reader()
                .call_at(number)
                .map_or("a lost call".to_owned(), |held| held.call().name().to_owned());
            return Ok(Err(format!("what {name} did cannot be taken back")));
        }
        if !self.player.was_inside_since(&checkpoint.bearings) || self.player.world.fronts {
            return Ok(Err("the window system did something that cannot be taken back".to_owned()));
        }
        let made = match rewind::rewind(&here, &checkpoint.model, self.trace.reader(), checkpoint.position) {
            Ok(made) => made,
            Err(obstacle) => return Ok(Err(obstacle.0)),
        };
        let mut held = BTreeMap::new();
        for later in &self.checkpoints.list[place..] {
            for (key, saved) in &later.saved {
                held.entry(*key).or_insert(saved);
            }
        }
        let mut contents = Vec::new();
        for saved in held.into_values() {
            match saved {
                Ok(held) => contents.extend(held),
                Err(why) => return Ok(Err(why.clone())),
            }
        }
        for call in made.iter() {
            if call.command == Some(id::glGetError) {
                self.player.forget_errors(call.thread)?;
            } else if self.player.play(&call, self.trace.reader())? == Played::MissesFront {
                return Ok(Err("it would have to keep front buffers".to_owned()));
            }
        }
        if let Err(why) = self.player.give_each(contents)? {
            return Ok(Err(why));
        }
        self.player.set_bearings(&checkpoint.bearings);
        self.passed_before += (self.passed.len() - checkpoint.passed) as u64;
        self.passed.truncate(checkpoint.passed);
        self.next = checkpoint.position;
        self.checkpoints.return_to(place);
        Ok(Ok(()))
    }

    /// The state before the call that comes next.
    fn model_here(&mut self) -> Result<Model, ReplayError> {
        match &self.here {
            Some((next, model)) if *next == self.next => Ok(model.clone()),
            _ => Ok(self.trace.chronicle().before(self.next)?),
        }
    }

    /// Executes calls up to a command, and keeps checkpoints on the way.
    pub(super) fn run_keeping(&mut self, command: u64, pace: Pace) -> Result<(), ReplayError> {
        if self.player.world.fronts {
            self.checkpoints.clear();
            return self.run(Until::Command(command), &mut Nobody);
        }
        let near = !self.checkpoints.list.is_empty() && self.works_until(command) < SMALL_STEP;
        let plan = match pace {
            Pace::Forwards if near => self.milestone(command)?,
            Pace::Anywhere => self.plan(command, (0, 0))?,
            Pace::Forwards => self.plan(command, (0, PASSES))?,
            Pace::Backwards(times) => self.plan(command, (FEWEST << times.min(MOST_DOUBLED), PASSES))?,
        };
        let mut plan = plan.into_iter().peekable();
        loop {
            let end = plan.peek().map_or(command + 1, |(position, _)| *position);
            self.cover(end, plan.peek().is_none())?;
            if end > self.next {
                self.run(Until::Command(end - 1), &mut Nobody)?;
            }
            if self.player.world.fronts {
                self.checkpoints.clear();
            }
            let Some((position, model)) = plan.next() else { return Ok(()) };
            if self.next == position && !self.player.world.fronts {
                self.checkpoints.list.push(Checkpoint {
                    position,
                    passed: self.passed.len(),
                    bearings: self.player.bearings(),
                    model,
                    saved: BTreeMap::new(),
                    replaced: BTreeSet::new(),
                    valid_from: position,
                });
            }
        }
    }

    /// How many calls that touch contents lie between here and a command.
    pub(super) fn works_until(&self, command: u64) -> usize {
        let works = self.graph.as_ref().map_or(&[][..], |graph| graph.works());
        let passed = works.partition_point(|work| work.call < self.next);
        works.partition_point(|work| work.call <= command).saturating_sub(passed)
    }

    /// A checkpoint on the way to a command, if the last one lies far behind.
    fn milestone(&mut self, command: u64) -> Result<Vec<(u64, Model)>, ReplayError> {
        let works = self.graph.as_ref().map_or(&[][..], |graph| graph.works());
        let next = works.partition_point(|work| work.call < self.next);
        let last = self.checkpoints.list.last().map_or(0, |last| last.position);
        let behind = next - works.partition_point(|work| work.call < last).min(next);
        let Some(work) = works.get(next).filter(|work| work.call <= command && behind >= MILESTONES) else {
            return Ok(Vec::new());
        };
        let Some(position) = self.place_before(work.call) else { return Ok(Vec::new()) };
        let model = self.trace.chronicle().before(position)?;
        Ok(if rewind::can_return_to(&model).is_ok() { vec![(position, model)] } else { Vec::new() })
    }

    /// Where to make checkpoints on the way to a command, and the state there: so many of the last calls that touch
    /// contents have one each, and so many of the last passes.
    fn plan(&mut self, command: u64, (dense, passes): (u64, usize)) -> Result<Vec<(u64, Model)>, ReplayError> {
        let Some(graph) = &self.graph else { return Ok(Vec::new()) };
        let works = graph.works();
        let first = works.partition_point(|work| work.call < self.next);
        let end = works.partition_point(|work| work.call <= command);
        let mut begun = if passes > 0 { begun(graph, first..end) } else { Vec::new() };
        begun.drain(..begun.len().saturating_sub(passes));
        let (mut plan, mut cost, mut distance) = (Vec::new(), 0, NEAREST);
        let mut nearest = command + 1;
        for place in (first..end).rev() {
            if self.idle.binary_search(&works[place].call).is_ok() {
                continue;
            }
            cost += 1;
            let close = cost <= dense || begun.binary_search(&place).is_ok();
            if cost < distance && !close {
                continue;
            }
            let far = distance >= FRAMES && !close;
            if cost >= distance {
                distance *= FARTHER;
            }
            let tries = (0..TRIES).map_while(|at| place.checked_sub((1 << at) - 1).filter(|place| *place >= first));
            for place in tries {
                let frame = self
                    .trace
                    .reader()
                    .frame(self.trace.reader().frame_of(works[place].call))
                    .map_or(0, |frame| frame.start);
                let position = if far && frame > self.next { frame } else { works[place].call };
                let Some(position) = self.place_before(position) else { continue };
                if position >= nearest || self.checkpoints.list.last().is_some_and(|last| last.position == position) {
                    continue;
                }
                let model = self.trace.chronicle().before(position)?;
                if rewind::can_return_to(&model).is_ok() && model.contexts.iter().any(Option::is_some) {
                    nearest = position;
                    plan.push((position, model));
                    break;
                }
            }
        }
        // From the first frame on nobody need begin anew.
        if let Some(position) = self.trace.reader().frame(1).map(|frame| frame.start)
            && position > self.next
            && position < nearest
            && self.checkpoints.list.is_empty()
        {
            let model = self.trace.chronicle().before(position)?;
            if rewind::can_return_to(&model).is_ok() {
                plan.push((position, model));
            }
        }
        plan.reverse();
        Ok(plan)
    }

    /// Where a checkpoint before a call lies. There is none for whoever stands between a draw and what capture specified
    /// for it: that place has been passed.
    fn place_before(&self, call: u64) -> Option<u64> {
        let position = before_capture(self.trace.reader(), call);
        (position >= self.next).then_some(position)
    }

    /// Keeps, in the last checkpoint, what things hold that calls up to `end` will write to.
    fn cover(&mut self, end: u64, beyond: bool) -> Result<(), ReplayError> {
        let (Some(graph), Some((last, earlier))) = (&self.graph, self.checkpoints.list.split_last_mut()) else {
            return Ok(());
        };
        let works = graph.works();
        let first = works.partition_point(|work| work.call < self.next);
        let stop = works.partition_point(|work| work.call < end);
        let beyond = if beyond { (stop + BEYOND).min(works.len()) } else { stop };
        let replacing = last.position == self.next;
        let (mut touched, mut wanted) = (BTreeSet::new(), BTreeMap::new());
        for (place, work) in works[..beyond].iter().enumerate().skip(first) {
            let idle = place < stop && self.idle.binary_search(&work.call).is_ok();
            let soon = replacing && place < stop && !idle && work.call < last.position + SOON;
            if replacing {
                touched.extend(graph.reads(work));
            }
            for (cell, whole) in graph.writes(work) {
                let first = replacing && touched.insert(cell);
                if idle || last.replaced.contains(&cell) || wanted.contains_key(&cell) {
                    continue;
                }
                if first && whole && soon && !earlier.last().is_some_and(|before| before.lacks(cell)) {
                    last.replaced.insert(cell);
                    last.valid_from = last.valid_from.max(work.call + 1);
                } else {
                    wanted.insert(cell, ());
                }
            }
        }
        let mut takes = BTreeMap::new();
        for cell in wanted.into_keys() {
            if let Some((key, wanted)) = contents_of(&last.model, cell)
                && !last.saved.contains_key(&key)
            {
                takes.insert(key, wanted);
            }
        }
        let known: Vec<_> = takes.values().filter_map(|wanted| wanted.as_ref().ok().copied()).collect();
        let mut taken = self.player.take_each(&known)?.into_iter();
        for (key, wanted) in takes {
            let saved = match wanted {
                Ok(_) => taken.next().unwrap_or_else(|| Err("nothing was read back".to_owned())),
                Err(why) => Err(why),
            };
            self.checkpoints.add(key, saved);
        }
        self.checkpoints.keep_budget(self.next);
        Ok(())
    }
}

/// Places among calls that touch contents where a pass begins: none of those since the last such place wrote to what this
/// one writes to. So a checkpoint there costs nothing that the one before it would not: what is written between two of
/// them is kept once.
fn begun(graph: &Graph, places: std::ops::Range<usize>) -> Vec<usize> {
    let (mut found, mut written) = (Vec::new(), BTreeSet::new());
    for place in places {
        let work = &graph.works()[place];
        let own: BTreeSet<Cell> = graph.writes(work).filter_map(|(cell, _)| kept_whole(cell)).collect();
        if own.is_empty() {
            continue;
        }
        if own.is_disjoint(&written) {
            found.push(place);
            written = own;
        } else {
            written.extend(own);
        }
    }
    found
}

/// What is taken and given back together with a cell; nothing if that holds no contents.
fn kept_whole(cell: Cell) -> Option<Cell> {
    let thing = match cell.thing {
        Thing::Image { object, .. } => Thing::Image { object, level: 0, layer: 0 },
        Thing::Object { .. } | Thing::ClientArray { .. } | Thing::Result { .. } => return None,
        thing => thing,
    };
    Some(Cell { thing, ..cell })
}

/// Right before a draw capture specifies arrays with what the draw fetches from the program's memory; whoever returns to
/// the draw must make those calls again.
fn before_capture(reader: &trace::Reader, mut position: u64) -> u64 {
    let by_capture = |number: u64| {
        reader.call_at(number).is_ok_and(|held| held.call().by_capture && !held.call().signature.is_of_capture())
    };
    while position > 0 && by_capture(position - 1) {
        position -= 1;
    }
    position
}
