//! One run of a trace, to any point of it.

mod back;
mod check;
mod checkpoint;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use chronicle::graph::{Cell, Graph};
use chronicle::trim::Wanted;
use device::report::{Problem, Returns, Tally};
use device::{ImageRef, Picture, Rectangle, Until};
use driver::{DeviceChoice, Screen};
use instrument::Device;
use open_trace::OpenTrace;
use state::Model;
use trace::{Call, ReadError, Reader};

use crate::ReplayError;
use crate::inspect::{Can, Copies};
use crate::oracle::Oracle;
use crate::player::{Held, Played, Player, Rewriter};
use back::Pace;
use checkpoint::Checkpoints;

/// A trace and a driver that has executed it up to some call.
pub struct Timeline {
    pub(crate) trace: Arc<OpenTrace>,
    device: DeviceChoice,
    verifying: bool,
    pub(crate) player: Player,
    /// The call that comes next.
    next: u64,
    /// Calls that could not be read on the way.
    lost: u64,
    /// What depends on what, once somebody looks at a single moment.
    graph: Option<Graph>,
    /// Calls that are passed over, in order: nothing depends on them of what is looked at.
    idle: Vec<u64>,
    /// Calls that were passed over since the beginning, in order.
    passed: Vec<u64>,
    /// How many were passed over before the last time the run went back.
    passed_before: u64,
    /// Whoever asks questions in diversions, once somebody does.
    pub(crate) inspector: Option<instrument::inspect::Inspector>,
    /// Copies of programs that diversions made, by context.
    pub(crate) copies: BTreeMap<u32, Copies>,
    /// What contexts can do and offer.
    pub(crate) devices: BTreeMap<u32, (Rc<Can>, Device)>,
    /// What a diversion could not put back, so that all begins anew before the next call.
    pub(crate) spoilt: bool,
    /// Whether checkpoints are kept for going back.
    keeping: bool,
    /// How often visits went back in a row.
    backs: u32,
    checkpoints: Checkpoints,
    returns: Returns,
    /// The state before a call, which was looked at last.
    here: Option<(u64, Model)>,
}

/// Whoever wants to know what happens during a run.
pub(crate) trait Watcher {
    /// A call is about to be executed.
    fn before(&mut self, number: u64);

    /// A call drew.
    ///
    /// # Errors
    /// Whatever shall end the run.
    fn drew(&mut self, number: u64, player: &mut Player) -> Result<(), ReplayError>;

    /// A frame has been presented, and so many in all.
    ///
    /// # Errors
    /// Whatever shall end the run.
    fn presented(&mut self, frames: u64, player: &mut Player) -> Result<(), ReplayError>;
}

/// Nobody wants to know.
struct Nobody;

impl Watcher for Nobody {
    fn before(&mut self, _number: u64) {}

    fn drew(&mut self, _number: u64, _player: &mut Player) -> Result<(), ReplayError> {
        Ok(())
    }

    fn presented(&mut self, _frames: u64, _player: &mut Player) -> Result<(), ReplayError> {
        Ok(())
    }
}

/// Somebody wants to see every draw.
struct Showing<'a>(&'a mut dyn FnMut(u64, Option<Picture>));

impl Watcher for Showing<'_> {
    fn before(&mut self, _number: u64) {}

    fn drew(&mut self, number: u64, player: &mut Player) -> Result<(), ReplayError> {
        (self.0)(number, player.drawn_picture());
        Ok(())
    }

    fn presented(&mut self, _frames: u64, _player: &mut Player) -> Result<(), ReplayError> {
        Ok(())
    }
}

impl Timeline {
    /// Opens a trace on a device, before its first call. When `verifying`, what was recorded of results is compared.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn open(trace: Arc<OpenTrace>, device: &DeviceChoice, verifying: bool) -> Result<Timeline, ReplayError> {
        let player = Player::new(Screen::open(device)?, verifying);
        Ok(Timeline {
            trace,
            device: device.clone(),
            verifying,
            player,
            next: 0,
            lost: 0,
            graph: None,
            idle: Vec::new(),
            passed: Vec::new(),
            passed_before: 0,
            inspector: None,
            copies: BTreeMap::new(),
            devices: BTreeMap::new(),
            spoilt: false,
            keeping: true,
            backs: 0,
            checkpoints: Checkpoints::default(),
            returns: Returns::default(),
            here: None,
        })
    }

    /// The trace.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        self.trace.reader()
    }

    /// The call that would be executed next.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.next
    }

    /// How many frames have been presented.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.player.frames()
    }

    /// How many calls were passed over in all, because nothing that was looked at depends on them.
    #[must_use]
    pub fn passed_over(&self) -> u64 {
        self.passed_before + self.passed.len() as u64
    }

    /// How many calls could not be read so far, because the file is damaged.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// What was compared so far.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.player.tally
    }

    /// What could not be done as recorded so far.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.player.problems
    }

    /// Goes to where the call has been executed and its successor has not. Going back means starting over.
    ///
    /// # Errors
    /// When there is no such call, or replay cannot go on.
    pub fn seek(&mut self, command: u64) -> Result<(), ReplayError> {
        if command >= self.trace.reader().len() {
            return Err(ReplayError::NoSuchCommand { number: command, length: self.trace.reader().len() });
        }
        // What was passed over for another moment may be wanted here.
        if command + 1 < self.next || !self.passed.is_empty() || self.spoilt {
            self.begin_anew()?;
        }
        self.idle.clear();
        // On this way nobody keeps what calls write over.
        self.checkpoints.clear();
        self.run(Until::Command(command), &mut Nobody)?;
        self.be_thread_of(command)
    }

    /// Goes to where the call has been executed, as [`seek`](Self::seek) does, but executes only what the framebuffers that
    /// are bound there depend on. Other contents are not to be relied upon then. Going back begins at a checkpoint where
    /// there is one.
    ///
    /// # Errors
    /// When there is no such call, or replay cannot go on.
    pub fn look_at(&mut self, command: u64) -> Result<(), ReplayError> {
        if command >= self.trace.reader().len() {
            return Err(ReplayError::NoSuchCommand { number: command, length: self.trace.reader().len() });
        }
        let (idle, model) = self.idle_before(command)?;
        let all_passed = self.passed.iter().all(|number| idle.binary_search(number).is_ok());
        if command + 1 < self.next || !all_passed || self.spoilt {
            self.go_back(command, &idle)?;
        }
        self.idle = idle;
        if self.keeping {
            self.run_keeping(command, Pace::Anywhere)?;
        } else {
            self.run(Until::Command(command), &mut Nobody)?;
        }
        self.here = Some((command + 1, model));
        self.be_thread_of(command)
    }

    /// Goes to where the call has been executed, and every call before it, as [`seek`](Self::seek) does. Going back begins
    /// at a checkpoint where there is one; whoever has gone back once is likely to do it again, so that from then on
    /// checkpoints are kept.
    ///
    /// # Errors
    /// When there is no such call, or replay cannot go on.
    pub(crate) fn visit(&mut self, command: u64) -> Result<(), ReplayError> {
        let back = command + 1 < self.next || !self.passed.is_empty() || self.spoilt;
        if back {
            self.know_graph()?;
            self.go_back(command, &[])?;
        }
        if self.graph.is_none() || !self.keeping {
            return self.seek(command);
        }
        self.idle.clear();
        if back {
            self.backs += 1;
        } else if self.works_until(command) >= back::SMALL_STEP {
            self.backs = 0;
        }
        self.run_keeping(command, if back { Pace::Backwards(self.backs) } else { Pace::Forwards })?;
        self.be_thread_of(command)
    }

    /// Makes current what the thread of a call has made current: not every call needs that, but whoever looks does.
    fn be_thread_of(&mut self, command: u64) -> Result<(), ReplayError> {
        if let Ok(held) = self.trace.reader().call_at(command) {
            self.player.world.enter(held.call().thread)?;
        }
        Ok(())
    }

    /// Calls that need not be executed to see the framebuffers that are bound after a call, and the state there.
    fn idle_before(&mut self, command: u64) -> Result<(Vec<u64>, Model), ReplayError> {
        self.know_graph()?;
        let model = self.trace.chronicle().after(command)?;
        let thread = self.trace.reader().call_at(command).map(|held| held.call().thread).ok();
        let idle = match (&self.graph, thread.and_then(|thread| model.view(thread))) {
            (Some(graph), Some(view)) => {
                let group = view.context.group;
                let wanted = view.framebuffer_things().into_iter().map(|thing| Cell::of(group, thing));
                graph.idle(wanted, command + 1)
            }
            _ => Vec::new(),
        };
        Ok((idle, model))
    }

    /// Finds out what depends on what, once.
    pub(crate) fn know_graph(&mut self) -> Result<(), ReplayError> {
        if self.graph.is_none() {
            self.graph = Some(Graph::build(self.trace.reader(), self.trace.reader().len(), &mut |_| {})?);
        }
        Ok(())
    }

    fn begin_anew(&mut self) -> Result<(), ReplayError> {
        self.spoilt = false;
        self.player = Player::new(Screen::open(&self.device)?, self.verifying);
        // Another driver's world has none of them.
        self.copies.clear();
        (self.next, self.lost) = (0, 0);
        self.checkpoints.clear();
        self.passed_before += self.passed.len() as u64;
        self.passed.clear();
        Ok(())
    }

    /// Executes all calls from where the timeline is.
    ///
    /// # Errors
    /// When replay cannot go on.
    pub fn run_all(&mut self) -> Result<(), ReplayError> {
        self.checkpoints.clear();
        self.run(Until::End, &mut Nobody)
    }

    /// Lets somebody change the texts of shaders from now on.
    pub fn set_rewriter(&mut self, rewriter: Box<dyn Rewriter>) {
        self.player.set_rewriter(Some(rewriter));
    }

    /// Executes all calls from where the timeline is, and shows what is drawn to after each draw, with the call's
    /// number.
    ///
    /// # Errors
    /// When replay cannot go on.
    pub fn run_showing(&mut self, show: &mut dyn FnMut(u64, Option<Picture>)) -> Result<(), ReplayError> {
        self.run(Until::End, &mut Showing(show))
    }

    /// What the current thread of the last call draws to, as it is now; nothing when there is no context or nothing to
    /// see.
    pub fn read_pixels(&mut self) -> Option<Picture> {
        // What is in a surface that nobody drew on is anybody's guess, and between `glBegin` and `glEnd` GL tells nothing.
        let begun = self.player.world.current().is_some_and(|(context, _)| context.begun);
        if begun || !self.player.world.drawn() {
            return None;
        }
        // Errors that taking a picture makes are not the program's.
        self.player.keep_errors();
        let picture = self.player.drawn_picture();
        while self.player.take_error() != 0 {}
        picture
    }

    /// Executes calls from where the timeline is.
    ///
    /// A program may look at a front buffer after many frames of not doing so. Front buffers are not kept for programs
    /// that never look, so then all is done again from the start, with them.
    ///
    /// # Errors
    /// When replay cannot go on.
    pub(crate) fn run(&mut self, until: Until, watcher: &mut dyn Watcher) -> Result<(), ReplayError> {
        if self.spoilt {
            let here = self.next;
            self.begin_anew()?;
            if here > 0 {
                self.run(Until::Command(here - 1), &mut Nobody)?;
            }
        }
        let Timeline { trace, player, next, lost, device, verifying, idle, passed, copies, .. } = self;
        let reader = trace.reader();
        let mut calls = reader.calls();
        let mut idle_from = idle.partition_point(|number| number < next);
        // Of calls before this one the watcher knows.
        let mut known = *next;
        calls.seek(*next);
        loop {
            match until {
                Until::Command(last) if *next > last => break,
                Until::Frame(frame) if player.frames() > frame => break,
                _ => {}
            }
            let call: Call<'_> = match calls.next() {
                Ok(Some(call)) => call,
                Ok(None) => break,
                Err(ReadError::Lost { first, last, reason }) => {
                    player.problem(first, &format!("calls {first} to {last} are lost: {reason}"));
                    *lost += last + 1 - first;
                    *next = last + 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            *next = call.number + 1;
            watcher.before(call.number);
            if idle.get(idle_from) == Some(&call.number) {
                idle_from += 1;
                passed.push(call.number);
                continue;
            }
            match player.play(&call, reader)? {
                Played::Drew if call.number >= known => watcher.drew(call.number, player)?,
                Played::Presented(_) if call.number >= known => watcher.presented(player.frames(), player)?,
                Played::Other | Played::Drew | Played::Presented(_) => {}
                Played::MissesFront => {
                    known = call.number;
                    let rewriter = player.take_rewriter();
                    *player = Player::new(Screen::open(device)?, *verifying);
                    copies.clear();
                    player.set_rewriter(rewriter);
                    player.keep_fronts();
                    (*next, *lost, idle_from) = (0, 0, 0);
                    passed.clear();
                    calls.seek(0);
                }
            }
        }
        Ok(())
    }

    /// Compares the model with the driver after the last call that was executed, made by `thread`. False when nothing
    /// can be asked there.
    ///
    /// # Errors
    /// When the thread's context cannot be made current.
    pub fn examine(&mut self, oracle: &mut Oracle, model: &state::Model, thread: u32) -> Result<bool, ReplayError> {
        oracle.examine(&mut self.player, model, (thread, self.next.saturating_sub(1)))
    }

    /// What something holds now. What cannot be found out is a problem like others.
    ///
    /// # Errors
    /// When the driver refuses to make a context.
    pub(crate) fn take(&mut self, wanted: &Wanted) -> Result<Vec<Held>, ReplayError> {
        let taken = self.player.take(wanted)?;
        Ok(taken.unwrap_or_else(|why| {
            let what = match wanted {
                Wanted::Object { space, name, .. } => format!("{space:?} {name}").to_lowercase(),
                Wanted::Surface { surface, .. } => format!("surface {surface}"),
            };
            self.player.problem(self.next, &format!("what {what} holds cannot be read back: {why}"));
            Vec::new()
        }))
    }

    /// What images hold in rectangles now; in words why it cannot be seen.
    ///
    /// # Errors
    /// When the driver refuses to make a context.
    pub fn look(&mut self, sights: &[(ImageRef, Rectangle)]) -> Result<Vec<Result<Vec<Held>, String>>, ReplayError> {
        self.player.look(sights)
    }

    /// Waits until the driver has done all it was told.
    pub fn finish(&mut self) {
        self.player.finish();
    }
}
