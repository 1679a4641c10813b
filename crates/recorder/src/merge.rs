//! Merges the records of all threads into calls in the order in which they were entered.
//!
//! Each thread is a lane of records, whose order is kept. Stamps order records of different lanes. Only records older
//! than the start of a drain go to the sink: what a thread publishes later had not been called by then, so it comes
//! after them whatever its stamp says.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use ring::layout::{BY_CAPTURE, UNSTAMPED};
use ring::record::{payloads, word};
use ring::{Record, Records};

/// Receives calls in order.
pub trait Sink {
    /// Why a call could not be accepted.
    type Error;

    /// Returns the number of parameters of a command, or `None` when there is no such command.
    fn parameters(&self, command: u16) -> Option<usize>;

    /// Returns how many threads can be told apart.
    fn max_threads(&self) -> u32;

    /// Accepts the start of a call and returns its number.
    fn enter(&mut self, call: Entered<'_>) -> Result<u64, Self::Error>;

    /// Accepts the return of a call.
    fn leave(&mut self, call: Left<'_>) -> Result<(), Self::Error>;
}

/// The start of a call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entered<'a> {
    /// Threads are numbered from 0 in order of appearance. When a trace can have no more numbers, those of threads that
    /// have ended are used again.
    pub thread: u32,
    /// The command's number.
    pub command: u16,
    /// Whether capture inserted it.
    pub by_capture: bool,
    /// One word for each parameter.
    pub args: &'a [u64],
    /// Memory that it reads.
    pub inputs: &'a [Memory<'a>],
}

/// The return of a call.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Left<'a> {
    /// Its thread.
    pub thread: u32,
    /// The command's number.
    pub command: u16,
    /// The number that [`Sink::enter`] returned for it.
    pub number: u64,
    /// Calls of the thread that began after it and will never return.
    pub abandoned: usize,
    /// Its result.
    pub result: u64,
    /// Memory that it wrote.
    pub outputs: &'a [Memory<'a>],
    /// Calls with lower numbers had begun when it returned.
    pub before: u64,
}

/// Memory behind a parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Memory<'a> {
    /// The parameter's index.
    pub param: u8,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// Orders calls.
#[derive(Debug, Default)]
pub struct Merger {
    lanes: Vec<Lane>,
    threads: u32,
    /// Numbers of threads that have ended, oldest first.
    ended: VecDeque<u32>,
    /// Calls that have gone to the sink.
    calls: u64,
    /// Scratch memory.
    args: Vec<u64>,
}

/// When the lanes were filled, by the clock of the stamps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrainTime {
    /// The time before the first ring was read; `None` in the last drain, after which no more records come.
    pub from: Option<u64>,
    /// The time after the last ring was read.
    pub to: u64,
}

/// How much a stamp may be early, or the counters of two processors differ, in ticks of any clock: some microseconds, a
/// hundred times what was observed.
const SLACK: u64 = 1 << 14;

impl DrainTime {
    /// Returns the highest stamp that may go to the sink.
    fn last(self) -> u64 {
        self.from.map_or(u64::MAX, |from| from.saturating_sub(SLACK))
    }

    /// Returns the stamp to sort by. A stamp in the future of its record's publication is not from the producer: the
    /// program overwrote it, or the machine slept and its counter restarted. The record then follows the one before it.
    fn plausible(self, stamp: u64) -> u64 {
        if stamp > self.to.saturating_add(SLACK) { UNSTAMPED } else { stamp }
    }
}

/// The records of one thread that have not gone to the sink yet.
#[derive(Debug, Default)]
pub struct Lane {
    /// Records, of which the first `at` bytes are processed.
    bytes: Vec<u8>,
    at: usize,
    thread: Option<u32>,
    /// One more than the number of the last call that has begun.
    begun: u64,
    /// Open calls: command and number.
    open: Vec<(u16, u64)>,
    /// Long payloads of the next record.
    pieces: Vec<Piece>,
    broken: bool,
}

#[derive(Debug)]
struct Piece {
    param: u8,
    size: u64,
    bytes: Vec<u8>,
}

/// At most this much memory is allocated for a payload before its bytes have arrived.
const MAX_PREALLOCATED: usize = 64 << 20;

/// Maximum number of long payloads of a record; no command has as many parameters.
const MAX_PIECES: usize = 64;

impl Lane {
    /// Returns whether everything has gone to the sink.
    pub fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Returns whether the lane contained an invalid record; it then accepts no more.
    pub fn broken(&self) -> bool {
        self.broken
    }

    /// Gives up on this lane: the memory that it comes from cannot be trusted any more.
    pub fn break_off(&mut self) {
        self.broken = true;
        self.bytes.clear();
        self.at = 0;
    }

    /// Returns the buffer to append new records to.
    pub fn inbox(&mut self) -> &mut Vec<u8> {
        if self.is_empty() {
            self.bytes.clear();
            self.at = 0;
        } else if self.at > self.bytes.len() / 2 {
            self.bytes.drain(..self.at);
            self.at = 0;
        }
        &mut self.bytes
    }
}

impl Merger {
    /// Returns the lane of a slot.
    pub fn lane(&mut self, slot: usize) -> &mut Lane {
        if self.lanes.len() <= slot {
            self.lanes.resize_with(slot + 1, Lane::default);
        }
        &mut self.lanes[slot]
    }

    /// Returns whether any lane holds records that were too recent for the sink.
    pub fn has_pending(&self) -> bool {
        self.lanes.iter().any(|lane| !lane.is_empty())
    }

    /// Sends all records that no other can precede to the sink, in order of their stamps.
    ///
    /// # Errors
    /// When the sink fails.
    pub fn advance<S: Sink>(&mut self, seen: DrainTime, sink: &mut S) -> Result<(), S::Error> {
        let mut lanes = std::mem::take(&mut self.lanes);
        let result = self.advance_lanes(&mut lanes, seen, sink);
        self.lanes = lanes;
        result
    }

    fn advance_lanes<S: Sink>(&mut self, lanes: &mut [Lane], seen: DrainTime, sink: &mut S) -> Result<(), S::Error> {
        let last = seen.last();
        let mut waiting = BinaryHeap::new();
        for (slot, lane) in lanes.iter_mut().enumerate().filter(|(_, lane)| !lane.is_empty()) {
            let stamp = self.run_lane(lane, UNSTAMPED, seen, sink)?;
            waiting.extend(stamp.filter(|&stamp| stamp <= last).map(|stamp| Reverse((stamp, slot))));
        }
        while let Some(Reverse((_, slot))) = waiting.pop() {
            let limit = waiting.peek().map_or(last, |Reverse((stamp, _))| *stamp);
            let stamp = self.run_lane(&mut lanes[slot], limit, seen, sink)?;
            waiting.extend(stamp.filter(|&stamp| stamp <= last).map(|stamp| Reverse((stamp, slot))));
        }
        Ok(())
    }

    /// Inserts a call made by the recorder itself.
    ///
    /// # Errors
    /// When the sink fails.
    pub fn insert<S: Sink>(&mut self, command: u16, input: &[u8], sink: &mut S) -> Result<(), S::Error> {
        let inputs = [Memory { param: 0, bytes: input }];
        let entered = Entered { thread: 0, command, by_capture: true, args: &[0], inputs: &inputs };
        let number = sink.enter(entered)?;
        self.calls = number + 1;
        sink.leave(Left { thread: 0, command, number, abandoned: 0, result: 0, outputs: &[], before: number + 1 })
    }

    /// Sends a call of which only the arguments are known, because the program ended while its memory was read. Returns
    /// whether there is such a call, and it is not in the lane.
    ///
    /// # Errors
    /// When the sink fails.
    pub fn interrupted<S: Sink>(
        &mut self,
        slot: usize,
        command: u16,
        args: &[u64],
        sink: &mut S,
    ) -> Result<bool, S::Error> {
        let lane = self.lane(slot);
        let is_entered = lane.open.last().is_some_and(|open| open.0 == command);
        if lane.broken || is_entered || sink.parameters(command) != Some(args.len()) {
            return Ok(false);
        }
        let thread = match lane.thread {
            Some(thread) => thread,
            None => self.new_thread(sink.max_threads()),
        };
        let number = sink.enter(Entered { thread, command, by_capture: false, args, inputs: &[] })?;
        self.calls = number + 1;
        Ok(true)
    }

    /// Sends the records of one lane up to a stamp. Returns the stamp of the next record, if there is one.
    fn run_lane<S: Sink>(
        &mut self,
        lane: &mut Lane,
        limit: u64,
        seen: DrainTime,
        sink: &mut S,
    ) -> Result<Option<u64>, S::Error> {
        let bytes = std::mem::take(&mut lane.bytes);
        let mut records = Records::new(bytes.get(lane.at..).unwrap_or_default());
        let mut result = Ok(None);
        loop {
            let rest = records.rest();
            let Some(record) = records.next() else {
                lane.at = bytes.len();
                break;
            };
            let stamp = match record {
                Err(_) => {
                    lane.broken = true;
                    break;
                }
                Ok(Record::Piece { .. } | Record::Thread) => UNSTAMPED,
                Ok(Record::Enter { stamp, .. } | Record::Leave { stamp, .. }) => seen.plausible(stamp),
            };
            if stamp > limit {
                lane.at = bytes.len() - rest;
                result = Ok(Some(stamp));
                break;
            }
            let done = match record {
                Ok(Record::Thread) => {
                    self.begin_thread(lane);
                    Ok(true)
                }
                Ok(Record::Enter { command, flags, body, .. }) => self.enter(lane, command, flags, body, sink),
                Ok(Record::Leave { command, result, body, .. }) => {
                    self.leave(lane, stamp, command, (result, body), sink)
                }
                Ok(Record::Piece { param, size, offset, bytes }) => Ok(add_piece(lane, param, size, offset, bytes)),
                Err(_) => Ok(false),
            };
            match done {
                Ok(true) => {}
                Ok(false) => {
                    lane.broken = true;
                    break;
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        lane.bytes = bytes;
        if lane.broken || result.is_err() {
            lane.break_off();
        }
        result
    }

    /// Ends the lane's thread, if it has one: what follows is another's.
    fn begin_thread(&mut self, lane: &mut Lane) {
        self.ended.extend(lane.thread.take());
        lane.open.clear();
        lane.pieces.clear();
    }

    /// Returns the number of a thread that makes its first call.
    fn new_thread(&mut self, most: u32) -> u32 {
        if self.threads >= most
            && let Some(number) = self.ended.pop_front()
        {
            return number;
        }
        self.threads += 1;
        self.threads - 1
    }

    /// Returns false when the record is invalid.
    fn enter<S: Sink>(
        &mut self,
        lane: &mut Lane,
        command: u16,
        flags: u8,
        body: &[u8],
        sink: &mut S,
    ) -> Result<bool, S::Error> {
        let Some(count) = sink.parameters(command) else { return Ok(false) };
        let Some((words, rest)) = body.split_at_checked(8 * count) else { return Ok(false) };
        self.args.clear();
        self.args.extend((0..count).filter_map(|index| word(words, index)));
        let thread = *lane.thread.get_or_insert_with(|| self.new_thread(sink.max_threads()));
        let memory = gather(&lane.pieces, rest);
        let by_capture = flags & BY_CAPTURE != 0;
        let entered = Entered { thread, command, by_capture, args: &self.args, inputs: &memory };
        let number = sink.enter(entered)?;
        lane.pieces.clear();
        lane.open.push((command, number));
        lane.begun = number + 1;
        self.calls = number + 1;
        Ok(true)
    }

    fn leave<S: Sink>(
        &mut self,
        lane: &mut Lane,
        stamp: u64,
        command: u16,
        (result, body): (u64, &[u8]),
        sink: &mut S,
    ) -> Result<bool, S::Error> {
        let memory = gather(&lane.pieces, body);
        // Calls above it were left by a jump (`longjmp`, `pthread_exit`, an exception) and never returned.
        if let Some(at) = lane.open.iter().rposition(|open| open.0 == command) {
            let (_, number) = lane.open[at];
            let abandoned = lane.open.len() - at - 1;
            lane.open.truncate(at);
            let thread = lane.thread.unwrap_or(0);
            // Everything in the sink was called before this stamp, or published before this record.
            let before = if stamp == UNSTAMPED { lane.begun } else { self.calls };
            sink.leave(Left { thread, command, number, abandoned, result, outputs: &memory, before })?;
        }
        lane.pieces.clear();
        Ok(true)
    }
}

/// Returns the payloads of a record: those that preceded it in pieces, and those in it.
fn gather<'a>(pieces: &'a [Piece], rest: &'a [u8]) -> Vec<Memory<'a>> {
    let whole = pieces.iter().filter(|piece| piece.bytes.len() as u64 == piece.size);
    let pieces = whole.map(|piece| Memory { param: piece.param, bytes: &piece.bytes });
    pieces.chain(payloads(rest).map(|(param, bytes)| Memory { param, bytes })).collect()
}

/// Returns false when the piece is invalid.
fn add_piece(lane: &mut Lane, param: u8, size: u64, offset: u64, bytes: &[u8]) -> bool {
    if offset == 0 {
        if lane.pieces.len() == MAX_PIECES {
            return false;
        }
        // Allocates the whole payload at once, if its size is plausible.
        let capacity = usize::try_from(size).unwrap_or(usize::MAX).min(MAX_PREALLOCATED);
        lane.pieces.push(Piece { param, size, bytes: Vec::with_capacity(capacity) });
    }
    let Some(piece) = lane.pieces.last_mut() else { return false };
    if piece.param != param || piece.size != size || piece.bytes.len() as u64 != offset {
        return false;
    }
    let rest = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX);
    piece.bytes.extend_from_slice(&bytes[..rest.min(bytes.len())]);
    true
}

#[cfg(test)]
mod tests;
