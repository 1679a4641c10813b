//! One run of a trace, to any command.

mod back;
mod check;
mod checkpoint;
mod shortcut;
mod skip;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use chronicle::graph::{Cell, Graph};
use chronicle::trim::DriverContents;
use device::report::{Problem, Returns, Tally};
use device::{ImageRef, Picture, Rectangle, Until};
use instrument::Device;
use open_trace::OpenTrace;
use state::Model;
use trace::{Call, ReadError, Reader};

use crate::ReplayError;
use crate::answer::ProgressSink;
use crate::gl::GlFactory;
use crate::inspect::{Capabilities, Copies};
use crate::oracle::Oracle;
use crate::player::{Contents, Played, Player, Rewriter};
use back::Pace;
use checkpoint::Checkpoints;
use shortcut::Shortcuts;

/// A trace and a driver that has executed it up to some call.
pub struct Timeline {
    pub(crate) trace: Arc<OpenTrace>,
    open_gl: GlFactory,
    verifying: bool,
    pub(crate) player: Player,
    /// The call that comes next.
    next: u64,
    /// Calls that could not be read on the way.
    lost: u64,
    /// Dependencies between calls; built on the first visit of a single command.
    graph: Option<Graph>,
    /// Calls to skip, in order, because the visited result does not depend on them.
    idle: Vec<u64>,
    /// Calls skipped since the start, in order.
    passed: Vec<u64>,
    /// The number of calls skipped before the run last went back.
    passed_before: u64,
    /// Whether visits of draws skip calls that the draw does not depend on.
    skipping: bool,
    /// What is known about shortcuts to late frames.
    shortcuts: Shortcuts,
    /// The cache of diversions' questions; created for the first one.
    pub(crate) inspector: Option<instrument::inspect::Inspector>,
    /// Copies of programs made by diversions, by context.
    pub(crate) copies: BTreeMap<u32, Copies>,
    /// Capabilities of contexts.
    pub(crate) devices: BTreeMap<u32, (Rc<Capabilities>, Device)>,
    /// A diversion could not restore everything, so the run starts over before the next call.
    pub(crate) spoilt: bool,
    /// Whether checkpoints may be kept for going back.
    keeping: bool,
    /// Whether a visit has gone back, or is expected to: checkpoints are worth their cost only then.
    returning: bool,
    /// The number of consecutive visits that went back.
    backs: u32,
    checkpoints: Checkpoints,
    returns: Returns,
    /// The state before the call that was visited last.
    here: Option<(u64, Model)>,
    /// Receives how far the way to a call is.
    progress: Rc<dyn ProgressSink>,
}

/// Observes a run.
pub(crate) trait Watcher {
    /// A call drew.
    ///
    /// # Errors
    /// An error ends the run.
    fn drew(&mut self, number: u64, player: &mut Player) -> Result<(), ReplayError>;

    /// A frame has been presented; `frames` is the number of frames so far.
    ///
    /// # Errors
    /// An error ends the run.
    fn presented(&mut self, frames: u64, player: &mut Player) -> Result<(), ReplayError>;
}

/// Ignores everything.
struct Unwatched;

impl Watcher for Unwatched {
    fn drew(&mut self, _number: u64, _player: &mut Player) -> Result<(), ReplayError> {
        Ok(())
    }

    fn presented(&mut self, _frames: u64, _player: &mut Player) -> Result<(), ReplayError> {
        Ok(())
    }
}

/// Passes the framebuffer to a function after every draw.
struct Showing<'a>(&'a mut dyn FnMut(u64, Option<Picture>));

impl Watcher for Showing<'_> {
    fn drew(&mut self, number: u64, player: &mut Player) -> Result<(), ReplayError> {
        (self.0)(number, player.drawn_picture());
        Ok(())
    }

    fn presented(&mut self, _frames: u64, _player: &mut Player) -> Result<(), ReplayError> {
        Ok(())
    }
}

impl Timeline {
    /// Opens a GL and stops before the trace's first call. With `verifying`, results are compared with the recording.
    ///
    /// # Errors
    /// When the GL cannot be opened.
    pub fn open(trace: Arc<OpenTrace>, open_gl: GlFactory, verifying: bool) -> Result<Timeline, ReplayError> {
        let player = Player::new(open_gl()?, verifying);
        Ok(Timeline {
            trace,
            open_gl,
            verifying,
            player,
            next: 0,
            lost: 0,
            graph: None,
            idle: Vec::new(),
            passed: Vec::new(),
            passed_before: 0,
            skipping: false,
            shortcuts: Shortcuts::default(),
            inspector: None,
            copies: BTreeMap::new(),
            devices: BTreeMap::new(),
            spoilt: false,
            keeping: true,
            returning: false,
            backs: 0,
            checkpoints: Checkpoints::default(),
            returns: Returns::default(),
            here: None,
            progress: Rc::new(()),
        })
    }

    /// Reports from now on how far it is on its way to a call.
    pub(crate) fn report_to(&mut self, progress: &Rc<dyn ProgressSink>) {
        self.progress = Rc::clone(progress);
    }

    /// Returns the trace.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        self.trace.reader()
    }

    /// Returns the call that is executed next.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.next
    }

    /// Returns the number of presented frames.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.player.frames()
    }

    /// Returns the number of calls skipped so far because no visited result depends on them.
    #[must_use]
    pub fn passed_over(&self) -> u64 {
        self.passed_before + self.passed.len() as u64
    }

    /// Returns the number of calls that could not be read so far, because the file is damaged.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost + self.player.lost()
    }

    /// Returns the results of comparisons so far.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.player.tally
    }

    /// Returns what could not be replayed as recorded so far.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.player.problems
    }

    /// Goes to just after a call. To go back, the run starts over.
    ///
    /// # Errors
    /// When there is no such call, or replay fails.
    pub fn seek(&mut self, command: u64) -> Result<(), ReplayError> {
        if command >= self.trace.reader().len() {
            return Err(ReplayError::NoSuchCommand { number: command, length: self.trace.reader().len() });
        }
        // A call skipped for another command may be needed here.
        if command + 1 < self.next || !self.passed.is_empty() || self.spoilt {
            self.begin_anew()?;
        }
        self.idle.clear();
        // On this way, overwritten contents are not kept for checkpoints.
        self.checkpoints.clear();
        self.run(Until::Command(command), &mut Unwatched)?;
        self.be_thread_of(command)
    }

    /// Goes to just after a call, as [`seek`](Self::seek) does, but executes only calls that the framebuffers bound there
    /// depend on; other contents are unreliable afterwards. To go back, the run returns to a checkpoint if there is one.
    ///
    /// # Errors
    /// When there is no such call, or replay fails.
    pub fn look_at(&mut self, command: u64) -> Result<(), ReplayError> {
        if command >= self.trace.reader().len() {
            return Err(ReplayError::NoSuchCommand { number: command, length: self.trace.reader().len() });
        }
        let (idle, model) = self.idle_before(command)?;
        if command + 1 < self.next || !self.skipped_only(&idle) || self.spoilt {
            self.go_back(command, &idle)?;
        }
        self.shorten(command, &idle)?;
        self.idle = idle;
        if self.keeping {
            self.run_keeping(command, Pace::Anywhere)?;
        } else {
            self.run(Until::Command(command), &mut Unwatched)?;
        }
        self.here = Some((command + 1, model));
        self.be_thread_of(command)
    }

    /// Goes to just after a call, with every call before it executed, as [`seek`](Self::seek) does. To go back, the run
    /// returns to a checkpoint if there is one; after the first way back, which is likely to be followed by others,
    /// checkpoints are kept.
    ///
    /// # Errors
    /// When there is no such call, or replay fails.
    pub(crate) fn visit(&mut self, command: u64) -> Result<(), ReplayError> {
        let back = command + 1 < self.next || !self.passed.is_empty() || self.spoilt;
        self.skipping &= self.passed.is_empty();
        if back {
            self.expect_returns()?;
            self.go_back(command, &[])?;
        }
        self.shorten(command, &[])?;
        if !self.returning || !self.keeping {
            return self.seek(command);
        }
        self.idle.clear();
        self.run_visit(command, back)?;
        self.be_thread_of(command)
    }

    /// Executes calls up to a visited command, after the run went back or not, and makes checkpoints on the way.
    fn run_visit(&mut self, command: u64, back: bool) -> Result<(), ReplayError> {
        if back {
            self.backs += 1;
        } else if self.works_until(command) >= back::SMALL_STEP {
            self.backs = 0;
        }
        self.run_keeping(command, if back { Pace::Backwards(self.backs) } else { Pace::Forwards })
    }

    /// Makes current what the thread of a call has made current: not every call needs it, but reading results does.
    fn be_thread_of(&mut self, command: u64) -> Result<(), ReplayError> {
        if let Ok(held) = self.trace.reader().call_at(command) {
            self.player.world.enter(held.call().thread)?;
        }
        Ok(())
    }

    /// Returns the calls that the framebuffers bound after a call do not depend on, and the state there.
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

    /// Prepares for visits that go back: checkpoints are kept from now on.
    pub(crate) fn expect_returns(&mut self) -> Result<(), ReplayError> {
        self.returning = true;
        self.know_graph()
    }

    /// Builds the graph of dependencies, once.
    pub(super) fn know_graph(&mut self) -> Result<(), ReplayError> {
        if self.graph.is_none() {
            let (reader, progress) = (self.trace.reader(), &self.progress);
            self.graph = Some(Graph::build(reader, reader.len(), &mut |_| progress.beat())?);
        }
        Ok(())
    }

    fn begin_anew(&mut self) -> Result<(), ReplayError> {
        self.spoilt = false;
        self.shortcuts.leave();
        self.player = Player::new((self.open_gl)()?, self.verifying);
        // They belong to the GL that was closed.
        self.copies.clear();
        (self.next, self.lost) = (0, 0);
        self.checkpoints.clear();
        self.passed_before += self.passed.len() as u64;
        self.passed.clear();
        Ok(())
    }

    /// Executes all remaining calls.
    ///
    /// # Errors
    /// When replay fails.
    pub fn run_all(&mut self) -> Result<(), ReplayError> {
        self.checkpoints.clear();
        self.run(Until::End, &mut Unwatched)
    }

    /// Sets a rewriter that replaces the sources of shaders from now on.
    pub fn set_rewriter(&mut self, rewriter: Box<dyn Rewriter>) {
        self.player.set_rewriter(Some(rewriter));
    }

    /// Executes all remaining calls, and passes the number of each draw and its framebuffer to a function.
    ///
    /// # Errors
    /// When replay fails.
    pub fn run_showing(&mut self, show: &mut dyn FnMut(u64, Option<Picture>)) -> Result<(), ReplayError> {
        self.run(Until::End, &mut Showing(show))
    }

    /// Returns the draw framebuffer of the last call's thread; `None` when there is no context or nothing was drawn.
    pub fn read_pixels(&mut self) -> Option<Picture> {
        self.picture(Player::drawn_picture)
    }

    /// Returns the surface of the last call's thread; `None` when there is no context or nothing was drawn.
    pub fn read_surface(&mut self) -> Option<Picture> {
        self.picture(Player::surface_picture)
    }

    fn picture(&mut self, taken: fn(&mut Player) -> Option<Picture>) -> Option<Picture> {
        // A surface that was never drawn to is undefined, and between `glBegin` and `glEnd` GL returns no pixels.
        let begun = self.player.world.current().is_some_and(|(context, _)| context.begun);
        if begun || !self.player.world.drawn() {
            return None;
        }
        // Errors from reading pixels are not the program's.
        self.player.keep_errors();
        let picture = taken(&mut self.player);
        while self.player.take_error() != 0 {}
        picture
    }

    /// Returns what is in all colour buffers that are drawn to, with their numbers.
    pub fn read_all_pixels(&mut self) -> Vec<(u32, Picture)> {
        let Some(first) = self.read_pixels() else { return Vec::new() };
        let (width, height) = (first.width, first.height);
        let mut all = vec![(0, first)];
        self.player.keep_errors();
        for (number, buffer) in self.player.further_buffers() {
            let picture = self.player.buffer_picture(buffer, width, height);
            // Integers cannot be shown as colours, which the driver says.
            let failed = self.player.take_error() != 0;
            while self.player.take_error() != 0 {}
            all.extend(picture.filter(|_| !failed).map(|picture| (number, picture)));
        }
        all
    }

    /// Executes calls from the current position.
    ///
    /// A program may use a front buffer for the first time after many frames. Front buffers are not kept until then, so the
    /// run starts over and keeps them.
    ///
    /// # Errors
    /// When replay fails.
    pub(crate) fn run(&mut self, until: Until, watcher: &mut dyn Watcher) -> Result<(), ReplayError> {
        if self.spoilt {
            let here = self.next;
            self.begin_anew()?;
            if here > 0 {
                self.run(Until::Command(here - 1), &mut Unwatched)?;
            }
        }
        let Timeline { trace, player, next, lost, open_gl, verifying, idle, passed, copies, progress, .. } = self;
        let reader = trace.reader();
        let mut calls = reader.calls();
        let mut idle_from = idle.partition_point(|number| number < next);
        // The watcher has seen the calls before this one.
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
            progress.executing(call.number);
            if idle.get(idle_from) == Some(&call.number) {
                idle_from += 1;
                passed.push(call.number);
                continue;
            }
            let played = player.play(&call, reader)?;
            if let Played::Presented(_) = played {
                progress.presented(player.frames());
            }
            match played {
                Played::Drew if call.number >= known => watcher.drew(call.number, player)?,
                Played::Presented(_) if call.number >= known => watcher.presented(player.frames(), player)?,
                Played::Other | Played::Drew | Played::Presented(_) => {}
                Played::MissesFront => {
                    known = call.number;
                    let rewriter = player.take_rewriter();
                    *player = Player::new(open_gl()?, *verifying);
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

    /// Compares the model with the driver after the last executed call, made by `thread`. Returns false when no query is
    /// possible there.
    ///
    /// # Errors
    /// When the thread's context cannot be made current.
    pub fn examine(&mut self, oracle: &mut Oracle, model: &state::Model, thread: u32) -> Result<bool, ReplayError> {
        oracle.examine(&mut self.player, model, (thread, self.next.saturating_sub(1)))
    }

    /// Returns the contents of an object or surface. Contents that cannot be read are added to the problems.
    ///
    /// # Errors
    /// When a context cannot be created.
    pub(crate) fn read_contents(&mut self, wanted: &DriverContents) -> Result<Vec<Contents>, ReplayError> {
        let taken = self.player.read_contents(wanted)?;
        Ok(taken.unwrap_or_else(|why| {
            let what = match wanted {
                DriverContents::Object { space, name, .. } => format!("{space:?} {name}").to_lowercase(),
                DriverContents::Surface { surface, .. } => format!("surface {surface}"),
            };
            self.player.problem(self.next, &format!("the contents of {what} cannot be read back: {why}"));
            Vec::new()
        }))
    }

    /// Returns the contents of an object or surface, or why they cannot be read back.
    ///
    /// # Errors
    /// When a context cannot be created.
    pub(crate) fn contents(&mut self, wanted: &DriverContents) -> Result<Result<Vec<Contents>, String>, ReplayError> {
        self.player.read_contents(wanted)
    }

    /// Returns the contents of rectangles of images, or for each image why it cannot be read back.
    ///
    /// # Errors
    /// When a context cannot be created.
    pub fn look(
        &mut self,
        sights: &[(ImageRef, Rectangle)],
    ) -> Result<Vec<Result<Vec<Contents>, String>>, ReplayError> {
        self.player.look(sights)
    }

    /// Waits until the driver has executed all commands.
    pub fn finish(&mut self) {
        self.player.finish();
    }
}
