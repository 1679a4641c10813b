//! One recorded process, from its greeting to its end.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use api::id;
use ring::handshake::{Guest, gone, thread_runs};
use ring::{Clock, Consumer, Mapping, Reason};

use crate::merge::{Merger, Seen};
use crate::output::{Output, OutputError};
use crate::{Event, Recording, Shared, lock};

/// Everything that was recorded is in the file after this time, whatever happens to the recorder.
const FLUSH: Duration = Duration::from_millis(200);

/// How long to sleep when there was something to do, and when there was nothing. A producer whose ring is half full
/// ends the sleep.
const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_millis(50);

/// So many bytes at once mean that there will soon be more.
const BUSY: usize = ring::block::RING / 4;

/// So many bytes of a lone ring are worked through before the next are copied: they are still in the nearer caches then.
/// Calls of several threads wait for each other, so that all of their rings have to be read.
const AT_ONCE: usize = 256 << 10;

/// How long a process waits for the name of its trace because another made calls before it; that one's rings are looked
/// at far more often.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often to look for threads that ended without a word.
const BURIAL: Duration = Duration::from_secs(1);

/// How far a session is.
#[derive(Debug)]
pub struct State {
    pub pid: u32,
    block: Weak<Mapping>,
    pub calls: AtomicU64,
    pub frames: AtomicU64,
    pub bytes: AtomicU64,
    pub running: AtomicBool,
}

impl State {
    pub fn active(&self) -> bool {
        self.running.load(Relaxed) && self.calls.load(Relaxed) > 0
    }

    /// Whether the process has made calls and none of them is in a trace yet.
    fn begins(&self) -> bool {
        let has_called = || self.block.upgrade().is_some_and(|block| block.claims() > 0 && block.stopped().is_none());
        self.running.load(Relaxed) && self.calls.load(Relaxed) == 0 && has_called()
    }
}

/// A process and what is known of it.
pub struct Session {
    mapping: Arc<Mapping>,
    process: OwnedFd,
    /// Whether thread numbers mean the same to the process and to us.
    same_names: bool,
    state: Arc<State>,
    shared: Arc<Shared>,
    consumers: Vec<Consumer>,
    /// Whether the slot's thread is known to have ended without giving it back.
    dead: Vec<bool>,
    merger: Merger,
    /// The block's clock; what the block itself says of it is the program's to write over.
    clock: Clock,
    troubles: Vec<String>,
}

impl Session {
    /// Gives a guest its block and a thread that serves it.
    pub fn begin(guest: Guest, shared: &Arc<Shared>) -> io::Result<(Weak<Mapping>, JoinHandle<()>)> {
        let clock = Clock::choose();
        let mapping = Arc::new(Mapping::create(api::FINGERPRINT, shared.settings, clock)?);
        let (pid, same_names) = (guest.pid, guest.pid == guest.own_pid);
        let state = Arc::new(State {
            pid,
            block: Arc::downgrade(&mapping),
            calls: AtomicU64::new(0),
            frames: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            running: AtomicBool::new(true),
        });
        let weak = Arc::downgrade(&mapping);
        let shared_by_thread = Arc::clone(shared);
        lock(&shared.sessions).push(Arc::clone(&state));
        let thread = thread::Builder::new().name("record".into()).spawn(move || {
            // The block is owned before the guest has it, so that it never sees one without a recorder.
            let owned = mapping.own();
            let process = owned.and_then(|()| guest.welcome(&mapping));
            match process {
                Ok(process) => {
                    let consumers = Consumer::all();
                    let mut session = Session {
                        mapping,
                        process,
                        same_names,
                        state,
                        shared: shared_by_thread,
                        dead: vec![false; consumers.len()],
                        merger: Merger::new(consumers.len()),
                        consumers,
                        clock,
                        troubles: Vec::new(),
                    };
                    session.serve();
                }
                Err(error) => {
                    state.running.store(false, Relaxed);
                    shared_by_thread.tell(Event::Trouble(format!("process {pid} could not be recorded: {error}")));
                }
            }
        })?;
        Ok((weak, thread))
    }

    /// Records until the process is gone or the recorder is to end.
    fn serve(&mut self) {
        let shared = Arc::clone(&self.shared);
        let mut output = Output::new(&shared.paths);
        let mut announced = false;
        let result = self.record(&mut output, &mut announced);
        let path = output.path().map(ToOwned::to_owned);
        let (calls, frames, mut bytes) = output.written();
        let mut cut_short = self.mapping.stopped().map(|reason| reason.text().to_owned());
        let finished = result.and_then(|()| output.finish());
        match finished {
            Ok(size) => bytes = size.unwrap_or(bytes),
            Err(error) => {
                self.mapping.stop(Reason::WriteFailed);
                let text = error.to_string();
                shared.tell(Event::Trouble(format!("{text}; recording has stopped, the program goes on")));
                cut_short = Some(text);
            }
        }
        self.mapping.stop(Reason::Ended);
        for trouble in self.troubles.drain(..) {
            shared.tell(Event::Trouble(trouble));
        }
        if let Some(path) = path {
            lock(&shared.finished).push(Recording { path, pid: self.state.pid, calls, frames, bytes, cut_short });
        }
        self.state.bytes.store(bytes, Relaxed);
        self.await_end();
        self.mapping.disown();
        self.state.running.store(false, Relaxed);
    }

    /// A recording that failed leaves the program running; the recorder's own end must come after the program's, so
    /// that its exit status can be passed on.
    fn await_end(&self) {
        while !gone(self.process.as_fd()) && !self.shared.ending.load(Relaxed) {
            thread::sleep(LONG);
        }
    }

    fn record(&mut self, output: &mut Output<'_>, announced: &mut bool) -> Result<(), OutputError> {
        let mut last_flush = Instant::now();
        let mut dirty = false;
        let mut last_burial = Instant::now();
        loop {
            // Looked at before the rings: what the process had published by then is drained for certain.
            let last = gone(self.process.as_fd()) || self.shared.ending.load(Relaxed);
            let from = self.clock.now();
            // After the time is taken: a thread that begins meanwhile makes calls that are too young for this round.
            let alone = self.consumers.iter().filter(|consumer| consumer.in_use(&self.mapping)).count() <= 1;
            let most = if alone && !last { AT_ONCE } else { usize::MAX };
            let taken = self.drain(most);
            let last = last || (self.mapping.stopped().is_some() && taken == 0);
            let seen = Seen { from: (!last).then_some(from), to: self.clock.now() };
            if output.path().is_none() && (taken > 0 || self.merger.waits()) {
                self.await_elders();
            }
            self.merger.advance(seen, output)?;
            self.report(output, announced);
            // What was too young to be written is written in the next round.
            dirty |= taken > 0 || self.merger.waits();
            if last {
                return self.conclude(output);
            }
            if dirty && last_flush.elapsed() >= FLUSH {
                output.flush()?;
                last_flush = Instant::now();
                dirty = false;
            }
            if last_burial.elapsed() >= BURIAL {
                self.find_dead_threads();
                last_burial = Instant::now();
            }
            if taken < BUSY.min(most) {
                self.mapping.sleep(if taken > 0 || dirty { SHORT } else { LONG });
            }
        }
    }

    /// Traces are numbered as their processes made calls: one that ended at once may not have been looked at yet when
    /// the next begins. Only older ones are waited for, so that nobody waits in a circle.
    fn await_elders(&self) {
        let elders: Vec<_> = {
            let sessions = lock(&self.shared.sessions);
            sessions.iter().take_while(|other| !Arc::ptr_eq(other, &self.state)).cloned().collect()
        };
        let begin = Instant::now();
        while elders.iter().any(|elder| elder.begins()) && begin.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Takes what is in all rings, or about so much of each; says how much there was.
    fn drain(&mut self, most: usize) -> usize {
        let mut total = 0;
        for slot in 0..self.consumers.len() {
            let consumer = &mut self.consumers[slot];
            if !consumer.in_use(&self.mapping) {
                continue;
            }
            let lane = self.merger.lane(slot);
            if lane.broken() {
                continue;
            }
            // Looked at before the ring, so that nothing comes after what is taken.
            let ended = self.dead[slot] || consumer.released(&self.mapping);
            match consumer.take(&self.mapping, most, lane.inbox()) {
                Ok(taken) => total += taken,
                Err(scribbled) => {
                    lane.break_off();
                    self.mapping.stop(Reason::Scribbled);
                    self.troubles.push(format!("process {}: {scribbled}; recording has stopped", self.state.pid));
                }
            }
            if ended && lane.is_empty() {
                self.merger.end_thread(slot);
                self.consumers[slot].free(&self.mapping);
                self.dead[slot] = false;
            }
        }
        total
    }

    /// Finds the slots of threads that ended without giving them back.
    fn find_dead_threads(&mut self) {
        let owners: Vec<(usize, u32, u64)> = (0..self.consumers.len())
            .filter(|&slot| self.consumers[slot].in_use(&self.mapping))
            .map(|slot| (slot, self.consumers[slot].thread(&self.mapping), self.consumers[slot].claim(&self.mapping)))
            .collect();
        for &(slot, thread, claim) in &owners {
            // The number of a thread that ended may be a younger thread's by now.
            let succeeded = owners.iter().any(|other| other.1 == thread && other.2 > claim);
            self.dead[slot] |= succeeded || !self.runs(slot);
        }
    }

    /// Whether the thread of a slot runs, as far as can be said.
    fn runs(&self, slot: usize) -> bool {
        let consumer = &self.consumers[slot];
        !self.same_names || thread_runs(self.state.pid, consumer.thread(&self.mapping))
    }

    fn report(&self, output: &Output<'_>, announced: &mut bool) {
        let (calls, frames, bytes) = output.written();
        self.state.calls.store(calls, Relaxed);
        self.state.frames.store(frames, Relaxed);
        self.state.bytes.store(bytes, Relaxed);
        if let Some(path) = output.path()
            && !*announced
        {
            *announced = true;
            self.shared.tell(Event::Began { path: path.to_owned(), pid: self.state.pid });
        }
    }

    /// Says in the trace what it lacks.
    fn conclude(&mut self, output: &mut Output<'_>) -> Result<(), OutputError> {
        if output.path().is_none() {
            return Ok(());
        }
        let mut problems = Vec::new();
        if let Some(reason) = self.mapping.stopped() {
            problems.push(format!("Recording stopped before the program ended: {}.", reason.text()));
        }
        let lost = self.mapping.lost_calls();
        if lost > 0 {
            problems.push(format!("{lost} calls are missing: they were made in the middle of other calls."));
        }
        let threads = self.mapping.lost_threads();
        if threads > 0 {
            problems.push(format!(
                "Calls of some threads are missing: more than {} threads made calls at a time ({threads} refusals).",
                self.consumers.len()
            ));
        }
        for problem in problems {
            self.merger.insert(id::afiProblem.0, problem.as_bytes(), output)?;
        }
        self.report(output, &mut true);
        Ok(())
    }
}
