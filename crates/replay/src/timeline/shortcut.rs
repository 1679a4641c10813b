//! Shortcuts to late frames. Games rarely clear the colours of what they draw to: they draw over all of it in each frame. So,
//! as far as the calls tell, each frame depends on all frames before it. An experiment shows that it does not:
//!
//! 1. The run skips draws of earlier frames that only change the images that the frames before the wanted one draw to.
//! 2. It fills these images with a pattern in which each component is the least or the greatest, at random, and executes two
//!    frames. It does the same with the opposite of the pattern, and with random values.
//! 3. Before a shader or a copy reads such an image, and at the end, the contents are compared with those of the other runs.
//!
//! If they are always the same, the wanted frame begins as it does when every call is executed. Only blending and tests have
//! seen the patterns, each pixel its own: no shader computed with one. Otherwise the run starts over, and executes what it
//! skipped.

mod dependence;
mod pattern;

use std::collections::{BTreeMap, BTreeSet};

use chronicle::graph::{Cell, Graph};
use chronicle::rewind;
use chronicle::trim::DriverContents;
use device::{ContentsKey, Until, contents_of};
use state::Model;

use super::checkpoint::Checkpoint;
use super::{Timeline, Unwatched};
use crate::ReplayError;
use crate::player::{Contents, Purpose};
use dependence::Live;
use pattern::Pattern;

/// Frames of an experiment. In the first one, the depth and stencil values of the pattern may decide about draws. What these
/// leave behind would have to come through the second one unnoticed.
const FRAMES: usize = 2;

/// The most frames of an experiment, where images are drawn in some frames only.
const MOST_FRAMES: usize = 24;

/// A shortcut is taken if it skips this many times as many draws as the frames of the experiment have.
const WORTH: usize = 8;

/// Experiments for one shortcut: after the first, images that did depend on the pattern are drawn as recorded.
const TRIES: usize = 2;

/// The number of frames before the wanted one at which a shortcut ends, once one ended too late for a later question, and how
/// this number grows.
const MARGIN: usize = 4;
const MARGIN_GROWTH: usize = 4;

/// What is known about shortcuts in a trace.
#[derive(Default)]
pub(super) struct Shortcuts {
    /// Whether none is tried any more: experiments failed.
    given_up: bool,
    /// Images that an experiment showed to depend on earlier frames.
    dependent: BTreeSet<ContentsKey>,
    /// The end of the last shortcut: contents are as recorded only from there on.
    end: Option<u64>,
    /// The number of frames before the wanted one at which the next shortcut ends.
    margin: usize,
}

impl Shortcuts {
    /// Records that the run starts over: later questions are likely to go back a little as well.
    pub(super) fn leave(&mut self) {
        if self.end.take().is_some() {
            self.margin = (self.margin * MARGIN_GROWTH).max(MARGIN);
        }
    }
}

/// What to read back from the driver.
type Wanted = BTreeMap<ContentsKey, DriverContents>;

/// What was read back, in that order.
type Taken = Vec<Vec<Contents>>;

/// An experiment.
struct Experiment {
    /// The first call of the frames that are executed several times.
    from: u64,
    /// The call after them.
    to: u64,
    /// The state before the first call.
    model: Model,
    /// The images that are filled with patterns.
    filled: Wanted,
    /// The levels of these that are filled; nothing where all of it is.
    parts: BTreeSet<(ContentsKey, Option<u32>)>,
    /// What is compared before which call, in order; at last, before the one after the frames.
    exams: Vec<(u64, Wanted)>,
}

/// How an experiment ended.
enum Outcome {
    /// Nothing depends on the pattern.
    Independent,
    /// These contents do.
    Depends(BTreeSet<ContentsKey>),
    /// The driver does not return, or not take, some contents.
    Unknown,
}

impl Timeline {
    /// Takes a shortcut on the way to a command if it is worth it: afterwards the next call is one of an earlier frame, and
    /// contents are as if every call before it had been executed. `idle` are calls that the visit would skip in any case.
    /// Returns whether it did.
    ///
    /// # Errors
    /// When replay fails.
    pub(super) fn shorten(&mut self, command: u64, idle: &[u64]) -> Result<bool, ReplayError> {
        let possible = !self.shortcuts.given_up && self.keeping && self.passed.is_empty() && !self.player.world.fronts;
        if !possible || !self.is_far(command, idle)? {
            return Ok(false);
        }
        for _ in 0..TRIES {
            let Some((experiment, skipped)) = self.prepare(command, idle)? else { return Ok(false) };
            self.idle = skipped;
            self.checkpoints.clear();
            let outcome = self.experiment(&experiment)?;
            self.idle.clear();
            self.checkpoints.clear();
            if let Outcome::Independent = outcome {
                self.returns.shortcuts += 1;
                self.passed_before += self.passed.len() as u64;
                self.passed.clear();
                self.shortcuts.end = Some(experiment.to);
                return Ok(true);
            }
            self.returns.detours += 1;
            self.begin_anew()?;
            let Outcome::Depends(contents) = outcome else { break };
            let known = self.shortcuts.dependent.len();
            self.shortcuts.dependent.extend(contents);
            if self.shortcuts.dependent.len() == known {
                break;
            }
        }
        self.shortcuts.given_up = true;
        Ok(false)
    }

    /// Returns whether there are many calls to execute on the way to a command, compared with those of an experiment.
    fn is_far(&mut self, command: u64, idle: &[u64]) -> Result<bool, ReplayError> {
        self.know_graph()?;
        let Some(graph) = &self.graph else { return Ok(false) };
        let Some((from, to)) = self.frames_before(command, graph) else { return Ok(false) };
        let skipped = idle.partition_point(|call| *call < from) - idle.partition_point(|call| *call < self.next);
        let draws = dependence::draws_in(graph, self.next..from).saturating_sub(skipped);
        Ok(draws > WORTH * dependence::draws_in(graph, from..to).max(1))
    }

    /// Returns the first call of the frames of an experiment, and the call after them, if they are ahead.
    ///
    /// Some images are drawn only now and then, like those of reflections. The frames go back to where they were drawn.
    fn frames_before(&self, command: u64, graph: &Graph) -> Option<(u64, u64)> {
        let reader = self.trace.reader();
        let frame = reader.frame_of(command).unwrap_or_else(|| reader.frame_count());
        let end = frame.checked_sub(self.shortcuts.margin)?;
        let to = reader.frame(end.checked_sub(1)?)?.end;
        let mut from = reader.frame(end.checked_sub(FRAMES)?)?.start;
        let earliest = reader.frame(end.saturating_sub(MOST_FRAMES))?.start;
        while from > self.next {
            let Some(draw) = dependence::last_other_draw(graph, earliest..from, to) else { return Some((from, to)) };
            from = reader.frame(reader.frame_of(draw)?)?.start;
        }
        None
    }

    /// Returns the experiment that allows a shortcut to a command, and the calls that it skips; `None` if it is not worth it,
    /// or not possible. Images that are known to depend on earlier frames are drawn as recorded.
    fn prepare(&mut self, command: u64, idle: &[u64]) -> Result<Option<(Experiment, Vec<u64>)>, ReplayError> {
        let Some(graph) = &self.graph else { return Ok(None) };
        let Some((from, to)) = self.frames_before(command, graph) else { return Ok(None) };
        let model = self.trace.chronicle().before(from)?;
        if graph.first_lasting(from..to).is_some() || rewind::can_return_to(&model).is_err() {
            return Ok(None);
        }
        let fits = |cell: &Cell| {
            contents_of(&model, *cell)
                .is_some_and(|(key, wanted)| wanted.is_ok() && !self.shortcuts.dependent.contains(&key))
        };
        let cells: BTreeSet<Cell> = dependence::targets(graph, from..to).into_iter().filter(fits).collect();
        let live = Live::of(&model);
        let kept = graph.cells().iter().copied().filter(|cell| !cells.contains(cell) && live.has(&model, cell));
        let skipped = graph.idle(kept, from);
        let ahead = &skipped[skipped.partition_point(|call| *call < self.next)..];
        let saved = ahead.iter().filter(|call| idle.binary_search(call).is_err()).count();
        if saved < WORTH * dependence::draws_in(graph, from..to).max(1) {
            return Ok(None);
        }
        let Some(filled) = dependence::readable(&model, &cells) else { return Ok(None) };
        let parts = cells.iter().filter_map(|cell| dependence::part(&model, *cell)).collect();
        let (asked, left) = dependence::exams(graph, from..to, cells);
        let exams = asked.iter().map(|(call, cells)| Some((*call, dependence::readable(&model, cells)?)));
        let Some(mut exams) = exams.collect::<Option<Vec<_>>>() else { return Ok(None) };
        let Some(last) = dependence::readable_of_living(&self.trace.chronicle().before(to)?, &left) else {
            return Ok(None);
        };
        exams.push((to, last));
        Ok(Some((Experiment { from, to, model, filled, parts, exams }, skipped)))
    }

    fn experiment(&mut self, experiment: &Experiment) -> Result<Outcome, ReplayError> {
        let Some((first, seen)) = self.perform(experiment, Pattern::Extremes)? else { return Ok(Outcome::Unknown) };
        for pattern in [Pattern::Opposite, Pattern::Random] {
            let idle = std::mem::take(&mut self.idle);
            self.go_back(experiment.from - 1, &idle)?;
            self.idle = idle;
            let Some((filled, seen_now)) = self.perform(experiment, pattern)? else { return Ok(Outcome::Unknown) };
            if pattern == Pattern::Opposite && !pattern::differs_everywhere(&first, &filled) {
                return Ok(Outcome::Unknown);
            }
            let keys = experiment.exams.iter().flat_map(|(_, wanted)| wanted.keys());
            let compared = keys.zip(seen.iter().zip(&seen_now));
            let depending: BTreeSet<_> = compared.filter(|(_, (a, b))| a != b).map(|(key, _)| *key).collect();
            if !depending.is_empty() {
                return Ok(Outcome::Depends(depending));
            }
        }
        Ok(Outcome::Independent)
    }

    /// Goes to the start of the frames, fills in a pattern, and executes the frames. Returns what was in the images after they
    /// were filled, and what is to be compared; `None` if that is not possible.
    fn perform(
        &mut self,
        experiment: &Experiment,
        pattern: Pattern,
    ) -> Result<Option<(Vec<Contents>, Taken)>, ReplayError> {
        if self.next < experiment.from {
            self.run(Until::Command(experiment.from - 1), &mut Unwatched)?;
        }
        let Some(taken) = self.take(&experiment.filled)? else { return Ok(None) };
        let mut contents = experiment.chosen(taken);
        for one in &mut contents {
            pattern.fill(&mut one.bytes, one.pixel_type);
        }
        if self.player.write_all_contents(&contents)?.is_err() {
            return Ok(None);
        }
        let Some(taken) = self.take(&experiment.filled)? else { return Ok(None) };
        let filled = experiment.chosen(taken);
        if self.checkpoints.list.is_empty() {
            self.checkpoints.list.push(Checkpoint {
                position: experiment.from,
                passed: self.passed.len(),
                bearings: self.player.bearings(),
                model: experiment.model.clone(),
                saved: BTreeMap::new(),
                replaced: BTreeSet::new(),
                valid_from: experiment.from,
            });
            self.cover(experiment.to, true)?;
            // What the frames replace before they read it need not be kept.
            if let Some(last) = self.checkpoints.list.last_mut() {
                last.valid_from = experiment.from;
            }
        }
        let mut seen = Vec::new();
        for (call, wanted) in &experiment.exams {
            if *call > self.next {
                self.run(Until::Command(call - 1), &mut Unwatched)?;
            }
            if self.player.world.fronts {
                return Ok(None);
            }
            let Some(taken) = self.take(wanted)? else { return Ok(None) };
            seen.extend(taken);
        }
        Ok(Some((filled, seen)))
    }

    /// Reads contents back; returns `None` if that is not possible.
    fn take(&mut self, wanted: &Wanted) -> Result<Option<Taken>, ReplayError> {
        let wanted: Vec<DriverContents> = wanted.values().copied().collect();
        Ok(self.player.read_all_contents(&wanted, Purpose::Look)?.into_iter().collect::<Result<_, _>>().ok())
    }
}

impl Experiment {
    /// Returns the parts of images, as they were read back, that patterns go into.
    fn chosen(&self, taken: Taken) -> Vec<Contents> {
        let with_keys = self.filled.keys().zip(taken);
        let parts = with_keys.flat_map(|(key, parts)| parts.into_iter().map(|part| (*key, part)));
        let is_filled = |(key, part): &(ContentsKey, Contents)| {
            self.parts.contains(&(*key, None)) || self.parts.contains(&(*key, Some(part.level)))
        };
        parts.filter(is_filled).map(|(_, part)| part).collect()
    }
}
