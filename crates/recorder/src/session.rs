//! One recorded process, from its handshake to its end.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use api::id;
use ring::handshake::{Client, gone, thread_runs};
use ring::{Clock, Consumer, Mapping, StopReason};
use trace::Stored;

use crate::merge::{DrainTime, Merger};
use crate::output::{Output, OutputError};
use crate::{Event, Recording, Shared, lock, redact};

/// Everything recorded is in the file after this time, whatever happens to the recorder.
const FLUSH: Duration = Duration::from_millis(200);

/// How long to sleep after a drain that found records, and after one that found none. A producer whose ring is half
/// full ends the sleep early.
const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_millis(50);

/// A drain of this many bytes means that more will follow soon.
const BUSY: usize = ring::block::RING_SIZE / 4;

/// Bytes of a lone ring that are processed before the next are copied, while they are still in the nearer caches. Calls
/// of several threads wait for each other, so all of their rings have to be read.
const AT_ONCE: usize = 256 << 10;

/// How long a process waits with naming its trace because another made calls before it. That one's rings are read far
/// more often.
const NAME_TIMEOUT: Duration = Duration::from_secs(1);

/// How often to look for threads that ended without releasing their slot.
const DEAD_THREAD_CHECK: Duration = Duration::from_secs(1);

/// The progress of a session.
#[derive(Debug)]
pub struct State {
    pub pid: u32,
    block: Weak<Mapping>,
    pub calls: AtomicU64,
    /// Frames that can be read from its trace.
    pub frames: AtomicU64,
    pub running: AtomicBool,
}

impl State {
    pub fn active(&self) -> bool {
        self.running.load(Relaxed) && self.calls.load(Relaxed) > 0
    }

    /// Returns whether the process has made calls of which none is in a trace yet.
    fn is_starting(&self) -> bool {
        let has_called = || self.block.upgrade().is_some_and(|block| block.claims() > 0 && block.stopped().is_none());
        self.running.load(Relaxed) && self.calls.load(Relaxed) == 0 && has_called()
    }
}

/// A recorded process.
pub struct Session {
    mapping: Arc<Mapping>,
    process: OwnedFd,
    /// Whether the process and the recorder are in the same PID namespace, so that thread ids agree.
    same_pid_namespace: bool,
    state: Arc<State>,
    shared: Arc<Shared>,
    consumers: Vec<Consumer>,
    /// By slot, whether its thread is known to have ended without releasing it.
    dead: Vec<bool>,
    merger: Merger,
    /// The block's clock. The copy in the block may have been overwritten by the program.
    clock: Clock,
    problems: Vec<String>,
}

impl Session {
    /// Gives a client its block and starts a thread that serves it.
    pub fn begin(client: Client, shared: &Arc<Shared>) -> io::Result<(Weak<Mapping>, JoinHandle<()>)> {
        let clock = Clock::choose();
        let mapping = Arc::new(Mapping::create(api::FINGERPRINT, shared.settings, clock)?);
        let (pid, same_pid_namespace) = (client.pid, client.pid == client.own_pid);
        let state = Arc::new(State {
            pid,
            block: Arc::downgrade(&mapping),
            calls: AtomicU64::new(0),
            frames: AtomicU64::new(0),
            running: AtomicBool::new(true),
        });
        let weak = Arc::downgrade(&mapping);
        let shared_by_thread = Arc::clone(shared);
        lock(&shared.sessions).push(Arc::clone(&state));
        let thread = thread::Builder::new().name("record".into()).spawn(move || {
            // The block is owned before the client has it, so that the client never sees one without a recorder.
            let owned = mapping.take_ownership();
            let process = owned.and_then(|()| client.welcome(&mapping));
            match process {
                Ok(process) => {
                    let consumers = Consumer::all();
                    let mut session = Session {
                        mapping,
                        process,
                        same_pid_namespace,
                        state,
                        shared: shared_by_thread,
                        dead: vec![false; consumers.len()],
                        merger: Merger::default(),
                        consumers,
                        clock,
                        problems: Vec::new(),
                    };
                    session.serve();
                }
                Err(error) => {
                    state.running.store(false, Relaxed);
                    shared_by_thread.send(Event::Problem(format!("process {pid} cannot be recorded: {error}")));
                }
            }
        })?;
        Ok((weak, thread))
    }

    /// Records until the process ends or the recorder is stopped.
    fn serve(&mut self) {
        let shared = Arc::clone(&self.shared);
        let mut output = Output::new(&shared.destination, shared.redact);
        let mut announced = false;
        let result = self.record(&mut output, &mut announced);
        let path = output.path().map(ToOwned::to_owned);
        let mut cut_short = self.mapping.stopped().map(|reason| reason.text().to_owned());
        if let Err(error) = result.and_then(|()| output.finish()) {
            self.mapping.stop(StopReason::WriteFailed);
            let text = error.to_string();
            shared.failed.store(true, Relaxed);
            shared.send(Event::Problem(format!("{text}; recording has stopped, the program keeps running")));
            cut_short = Some(text);
        }
        self.mapping.stop(StopReason::Ended);
        for problem in self.problems.drain(..) {
            shared.send(Event::Problem(problem));
        }
        if let Some(path) = path {
            let Stored { calls, frames, bytes } = output.stored();
            self.state.frames.store(frames, Relaxed);
            shared.failed.fetch_or(cut_short.is_some(), Relaxed);
            lock(&shared.finished).push(Recording { path, pid: self.state.pid, calls, frames, bytes, cut_short });
        }
        self.await_end();
        self.mapping.release_ownership();
        self.state.running.store(false, Relaxed);
    }

    /// Waits for the process to end. A failed recording leaves the program running, and the recorder must end after the
    /// program so that its exit status can be passed on.
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
            // Checked before the rings are read, so that everything the process had published by then is drained.
            let last = gone(self.process.as_fd()) || self.shared.ending.load(Relaxed);
            let from = self.clock.now();
            // Checked after the time is taken: calls of a thread that starts meanwhile are too recent for this round.
            let alone = self.used().filter(|consumer| consumer.in_use(&self.mapping)).count() <= 1;
            let most = if alone && !last { AT_ONCE } else { usize::MAX };
            let taken = self.drain(most);
            let last = last || (self.mapping.stopped().is_some() && taken == 0);
            let seen = DrainTime { from: (!last).then_some(from), to: self.clock.now() };
            if output.path().is_none() && (taken > 0 || self.merger.has_pending()) {
                self.await_earlier_processes();
            }
            self.merger.advance(seen, output)?;
            self.report(output, announced);
            // What was too recent to be written is written in the next round.
            dirty |= taken > 0 || self.merger.has_pending();
            if last {
                return self.conclude(output);
            }
            if dirty && last_flush.elapsed() >= FLUSH {
                output.flush()?;
                last_flush = Instant::now();
                dirty = false;
            }
            if last_burial.elapsed() >= DEAD_THREAD_CHECK {
                self.find_dead_threads();
                last_burial = Instant::now();
            }
            if taken < BUSY.min(most) {
                self.mapping.sleep(if taken > 0 || dirty { SHORT } else { LONG });
            }
        }
    }

    /// Waits until earlier processes have named their traces: traces are numbered in the order in which their processes
    /// made calls, and one that ended at once may not have been drained yet when the next starts. Only earlier
    /// processes are waited for, which rules out a deadlock.
    fn await_earlier_processes(&self) {
        let earlier: Vec<_> = {
            let sessions = lock(&self.shared.sessions);
            sessions.iter().take_while(|other| !Arc::ptr_eq(other, &self.state)).cloned().collect()
        };
        let begin = Instant::now();
        while earlier.iter().any(|other| other.is_starting()) && begin.elapsed() < NAME_TIMEOUT {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns the consumers of slots that threads have used.
    fn used(&self) -> impl Iterator<Item = &Consumer> {
        self.consumers.iter().take(self.mapping.slots())
    }

    /// Drains all rings, or about `most` bytes of each; returns the number of bytes.
    fn drain(&mut self, most: usize) -> usize {
        let mut total = 0;
        for (slot, consumer) in self.consumers.iter_mut().enumerate().take(self.mapping.slots()) {
            let lane = self.merger.lane(slot);
            // A thread must not wait for room in a ring that is no longer read.
            if lane.broken() {
                self.mapping.stop(StopReason::Corrupted);
                continue;
            }
            // Checked before the ring is read, so that nothing can follow what is read.
            let dead = self.dead[slot];
            match consumer.take(&self.mapping, most, lane.inbox()) {
                Ok(taken) => total += taken,
                Err(error) => {
                    lane.break_off();
                    self.mapping.stop(StopReason::Corrupted);
                    self.problems.push(format!("process {}: {error}; recording has stopped", self.state.pid));
                }
            }
            if dead && lane.is_empty() {
                consumer.release(&self.mapping);
                self.dead[slot] = false;
            }
        }
        total
    }

    /// Finds the slots of threads that ended without releasing them.
    fn find_dead_threads(&mut self) {
        let owners: Vec<(usize, u32, u64)> = self
            .used()
            .enumerate()
            .filter(|(_, consumer)| consumer.is_claimed(&self.mapping))
            .map(|(slot, consumer)| (slot, consumer.thread(&self.mapping), consumer.claim(&self.mapping)))
            .collect();
        // By thread, its last claim: the id of a thread that ended may have been reused by a newer thread.
        let mut last = HashMap::new();
        for &(_, thread, claim) in &owners {
            let newest = last.entry(thread).or_insert(claim);
            *newest = claim.max(*newest);
        }
        for &(slot, thread, claim) in &owners {
            let has_ended = last.get(&thread).is_some_and(|&newest| newest > claim) || !self.runs(thread);
            // A thread that has ended and still owns its slot never releases it. Meanwhile it may have released the slot
            // and another may have it.
            let consumer = &self.consumers[slot];
            let still_owns = consumer.is_claimed(&self.mapping) && consumer.claim(&self.mapping) == claim;
            self.dead[slot] |= has_ended && still_owns;
        }
    }

    /// Returns whether a thread is running, as far as can be known.
    fn runs(&self, thread: u32) -> bool {
        !self.same_pid_namespace || thread_runs(self.state.pid, thread)
    }

    fn report(&self, output: &Output<'_>, announced: &mut bool) {
        self.state.calls.store(output.calls(), Relaxed);
        self.state.frames.store(output.stored().frames, Relaxed);
        if let Some(path) = output.path()
            && !*announced
        {
            *announced = true;
            self.shared.send(Event::Started { path: path.to_owned(), pid: self.state.pid });
        }
    }

    /// Records the calls at whose memory the program ended. Returns what to say about them.
    fn record_interrupted(&mut self, output: &mut Output<'_>) -> Result<Vec<String>, OutputError> {
        let mut problems = Vec::new();
        for slot in 0..self.mapping.slots() {
            let Some((command, args)) = self.consumers[slot].announced(&self.mapping) else { continue };
            if self.merger.interrupted(slot, command, &args, output)? {
                let name = api::COMMANDS.get(usize::from(command)).map_or("?", |command| command.name);
                problems.push(format!(
                    "The program ended while the memory of {name}, its last call, was read: the call is recorded without \
                     it. It was killed then, or it passed an invalid pointer."
                ));
            }
        }
        Ok(problems)
    }

    /// Reports in the trace what is missing from it.
    fn conclude(&mut self, output: &mut Output<'_>) -> Result<(), OutputError> {
        if output.path().is_none() {
            return Ok(());
        }
        let mut problems = Vec::new();
        if gone(self.process.as_fd()) {
            problems.extend(self.record_interrupted(output)?);
        }
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
        if self.shared.redact {
            problems.push(format!("Recorded with --redact: {}.", redact::NOTICE));
        }
        for problem in problems {
            self.merger.insert(id::afiProblem.0, problem.as_bytes(), output)?;
        }
        self.report(output, &mut true);
        Ok(())
    }
}
