//! Going back in a run: to a checkpoint, and from there on.

use std::collections::{BTreeMap, BTreeSet};

use api::id;
use chronicle::graph::{Cell, Graph};
use chronicle::rewind;
use device::report::Returns;
use device::{Until, contents_of};
use state::{ContentsRef, Model};

use super::checkpoint::Checkpoint;
use super::{Timeline, Unwatched};
use crate::ReplayError;
use crate::player::{Played, Purpose};

/// Distance, in calls that access contents, of the last checkpoint before a visited command; the distance of each earlier
/// one grows by a factor of `FARTHER`.
const NEAREST: u64 = 2;
const FARTHER: u64 = 4;

/// From this distance, checkpoints lie at the start of frames, where there are fewer contents to keep.
const FRAMES: u64 = 64;

/// A step forwards is small if it has fewer calls that access contents.
pub(super) const SMALL_STEP: usize = 16;

/// Calls that access contents between two checkpoints, when visits go forwards in small steps.
const MILESTONES: usize = 64;

/// Number of checkpoints when visits go back: one before each of the last calls that access contents. The number doubles
/// with each consecutive visit that goes back, up to `MOST_DOUBLED` times.
const FEWEST: u64 = 4;
const MOST_DOUBLED: u32 = 3;

/// Maximum number of checkpoints before passes, for visits in a direction.
const PASSES: usize = 24;

/// The direction of visits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// None.
    Anywhere,
    /// Forwards: small steps forwards are rarely followed by a small step back, so few checkpoints are enough.
    Forwards,
    /// Back, after this many consecutive steps back: the next step is likely to go back a little as well, and executes
    /// nothing again if it finds a checkpoint.
    Backwards(u32),
}

/// Number of earlier positions that are tried when a run cannot return to a position.
const TRIES: usize = 6;

/// Contents that one of this many calls after a checkpoint replaces completely are not kept.
const SOON: u64 = 64;

/// Number of calls after the end of a run whose writes are kept as well: going back may have to end what has begun.
const BEYOND: usize = 4;

impl Timeline {
    /// Returns how the run went back to earlier commands so far.
    #[must_use]
    pub fn returns(&self) -> Returns {
        Returns {
            checkpoints: self.checkpoints.list.len() as u64,
            bytes: self.checkpoints.bytes(),
            most_bytes: self.checkpoints.most_bytes,
            ..self.returns.clone()
        }
    }

    /// Turns checkpoints on or off, and drops existing ones.
    pub fn keep_checkpoints(&mut self, keep: bool) {
        self.keeping = keep;
        self.checkpoints.clear();
    }

    /// Goes back to a checkpoint before a command at which only `idle` calls had been skipped. If that is not possible, the
    /// run starts over.
    pub(super) fn go_back(&mut self, command: u64, idle: &[u64]) -> Result<(), ReplayError> {
        // A checkpoint does not have what a diversion could not restore.
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
            return Ok(Err(format!("the effect of {name} cannot be undone")));
        }
        if !self.player.was_inside_since(&checkpoint.bearings) || self.player.world.fronts {
            return Ok(Err("an effect of the window system cannot be undone".to_owned()));
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
        if let Err(why) = self.player.write_all_contents(contents)? {
            return Ok(Err(why));
        }
        self.player.set_bearings(&checkpoint.bearings);
        self.passed_before += (self.passed.len() - checkpoint.passed) as u64;
        self.passed.truncate(checkpoint.passed);
        self.next = checkpoint.position;
        self.checkpoints.return_to(place);
        Ok(Ok(()))
    }

    /// Returns the state before the next call.
    fn model_here(&mut self) -> Result<Model, ReplayError> {
        match &self.here {
            Some((next, model)) if *next == self.next => Ok(model.clone()),
            _ => Ok(self.trace.chronicle().before(self.next)?),
        }
    }

    /// Executes calls up to a command, and makes checkpoints on the way.
    pub(super) fn run_keeping(&mut self, command: u64, pace: Pace) -> Result<(), ReplayError> {
        if self.player.world.fronts {
            self.checkpoints.clear();
            return self.run(Until::Command(command), &mut Unwatched);
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
                self.run(Until::Command(end - 1), &mut Unwatched)?;
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

    /// Returns the number of calls that access contents between here and a command.
    pub(super) fn works_until(&self, command: u64) -> usize {
        let works = self.graph.as_ref().map_or(&[][..], |graph| graph.works());
        let passed = works.partition_point(|work| work.call < self.next);
        works.partition_point(|work| work.call <= command).saturating_sub(passed)
    }

    /// Returns a position for a checkpoint on the way to a command, if the last checkpoint is far away.
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

    /// Returns positions for checkpoints on the way to a command, and the state there: one before each of the last `dense`
    /// calls that access contents, and one before each of the last `passes` passes.
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
                let reader = self.trace.reader();
                let frame = reader.frame_of(works[place].call).and_then(|frame| reader.frame(frame));
                let frame = frame.unwrap_or_else(|| reader.after_last_frame()).start;
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
        // With a checkpoint at the second frame, the run need not start over.
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

    /// Returns the position of a checkpoint before a call; `None` between the calls that capture inserted for a draw and the
    /// draw, because that position has been passed.
    fn place_before(&self, call: u64) -> Option<u64> {
        let position = before_capture(self.trace.reader(), call);
        (position >= self.next).then_some(position)
    }

    /// Saves, in the last checkpoint, contents that calls up to `end` will write to.
    pub(super) fn cover(&mut self, end: u64, beyond: bool) -> Result<(), ReplayError> {
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
        let mut taken = self.player.read_all_contents(&known, Purpose::Keep)?.into_iter();
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

/// Returns the indices of calls that access contents at which a pass begins: no call since the previous such index wrote to
/// what this one writes to. A checkpoint there costs no more than the one before it would: contents that are written
/// between two of them are saved once.
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

/// Returns what is saved and restored together with a cell; `None` if it has no contents.
fn kept_whole(cell: Cell) -> Option<Cell> {
    let thing = match cell.thing {
        ContentsRef::Image { object, .. } => ContentsRef::Image { object, level: 0, layer: 0 },
        ContentsRef::Object { .. } | ContentsRef::ClientArray { .. } | ContentsRef::Result { .. } => return None,
        thing => thing,
    };
    Some(Cell { thing, ..cell })
}

/// Returns the position of the calls that capture inserted before a draw, or the draw's own: capture specifies arrays with
/// what the draw fetches from the program's memory, so a run that returns to the draw has to repeat those calls.
fn before_capture(reader: &trace::Reader, mut position: u64) -> u64 {
    let by_capture = |number: u64| {
        reader.call_at(number).is_ok_and(|held| held.call().by_capture && !held.call().signature.is_of_capture())
    };
    while position > 0 && by_capture(position - 1) {
        position -= 1;
    }
    position
}
