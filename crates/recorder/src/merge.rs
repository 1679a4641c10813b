//! From the records of many threads to calls in the order in which they were entered.
//!
//! Each thread is a lane of records, which keep the order they have in it. Between lanes, stamps decide. Only those
//! records go to the sink that are older than the moment at which the recorder began to look into the lanes: what a
//! thread publishes later had not been called by then, so it comes behind them whatever its stamp says.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ring::layout::{BY_CAPTURE, UNSTAMPED};
use ring::record::{payloads, word};
use ring::{Record, Records};

/// Where calls go.
pub trait Sink {
    /// Why a call could not be taken.
    type Error;

    /// How many parameters a command has; nothing when there is no such command.
    fn parameters(&self, command: u16) -> Option<usize>;

    /// A call begins. Returns its number.
    fn enter(&mut self, call: Entered<'_>) -> Result<u64, Self::Error>;

    /// A call has returned.
    fn leave(&mut self, call: Left<'_>) -> Result<(), Self::Error>;
}

/// A call that begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entered<'a> {
    /// Threads are numbered from 0 in order of appearance.
    pub thread: u32,
    /// What is called.
    pub command: u16,
    /// Whether capture put it in.
    pub by_capture: bool,
    /// One word for each parameter.
    pub args: &'a [u64],
    /// Memory that it reads.
    pub inputs: &'a [Memory<'a>],
}

/// A call that has returned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Left<'a> {
    /// Its thread.
    pub thread: u32,
    /// What was called.
    pub command: u16,
    /// What [`Sink::enter`] returned for it.
    pub number: u64,
    /// How many calls of the thread began after it and will never return.
    pub abandoned: usize,
    /// What it returned.
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

/// Puts calls in order.
#[derive(Debug, Default)]
pub struct Merger {
    lanes: Vec<Lane>,
    threads: u32,
    /// Calls that have gone to the sink.
    calls: u64,
    /// Kept from call to call, so that it is allocated once.
    args: Vec<u64>,
}

/// When the lanes were filled, by the clock of the stamps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Before the first was looked at; nothing when no more will come.
    pub from: Option<u64>,
    /// After the last was.
    pub to: u64,
}

/// By so much a stamp may be early or the counters of two processors differ, in ticks of whatever clock: some
/// microseconds, a hundred times what has been seen.
const SLACK: u64 = 1 << 14;

impl Seen {
    /// The last stamp that may be sent on.
    fn last(self) -> u64 {
        self.from.map_or(u64::MAX, |from| from.saturating_sub(SLACK))
    }

    /// The stamp to go by. One that was still to come when the record had been published is not its producer's: the
    /// program wrote over it, or the machine slept and its counter began anew. Then the record follows the one before it.
    fn believe(self, stamp: u64) -> u64 {
        if stamp > self.to.saturating_add(SLACK) { UNSTAMPED } else { stamp }
    }
}

/// The records of one thread that have not gone to the sink yet.
#[derive(Debug, Default)]
pub struct Lane {
    /// Records, of which the first `at` bytes are done.
    bytes: Vec<u8>,
    at: usize,
    thread: Option<u32>,
    /// The number after that of the last call that has begun.
    begun: u64,
    /// Calls that have begun: command and number.
    open: Vec<(u16, u64)>,
    /// Long payloads for the next record.
    pieces: Vec<Piece>,
    broken: bool,
}

#[derive(Debug)]
struct Piece {
    param: u8,
    size: u64,
    bytes: Vec<u8>,
}

/// Memory for so many bytes of a payload is taken before they have come.
const MOST_AT_ONCE: usize = 64 << 20;

/// Long payloads of one record; no command has as many parameters.
const MAX_PIECES: usize = 64;

impl Lane {
    /// Whether everything has gone to the sink.
    pub fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Whether it held what is no record; it takes no more then.
    pub fn broken(&self) -> bool {
        self.broken
    }

    /// Gives up on this lane: the memory it comes from is not to be believed any more.
    pub fn break_off(&mut self) {
        self.broken = true;
        self.bytes.clear();
        self.at = 0;
    }

    /// Where new records are to be appended.
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
    /// One lane for each slot of a block.
    pub fn new(lanes: usize) -> Self {
        Self { lanes: (0..lanes).map(|_| Lane::default()).collect(), ..Self::default() }
    }

    /// The lane of a slot.
    pub fn lane(&mut self, slot: usize) -> &mut Lane {
        &mut self.lanes[slot]
    }

    /// Whether any lane holds records that were too young to be sent on.
    pub fn waits(&self) -> bool {
        self.lanes.iter().any(|lane| !lane.is_empty())
    }

    /// The thread of a slot has ended: whoever gets the slot next is another thread.
    pub fn end_thread(&mut self, slot: usize) {
        self.lanes[slot] = Lane::default();
    }

    /// Sends on, in order of their stamps, all records that no other can come before.
    ///
    /// # Errors
    /// As the sink.
    pub fn advance<S: Sink>(&mut self, seen: Seen, sink: &mut S) -> Result<(), S::Error> {
        let mut lanes = std::mem::take(&mut self.lanes);
        let result = self.advance_lanes(&mut lanes, seen, sink);
        self.lanes = lanes;
        result
    }

    fn advance_lanes<S: Sink>(&mut self, lanes: &mut [Lane], seen: Seen, sink: &mut S) -> Result<(), S::Error> {
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

    /// Puts a call of the recorder's own between the others.
    ///
    /// # Errors
    /// As the sink.
    pub fn insert<S: Sink>(&mut self, command: u16, input: &[u8], sink: &mut S) -> Result<(), S::Error> {
        let inputs = [Memory { param: 0, bytes: input }];
        let entered = Entered { thread: 0, command, by_capture: true, args: &[0], inputs: &inputs };
        let number = sink.enter(entered)?;
        self.calls = number + 1;
        sink.leave(Left { thread: 0, command, number, abandoned: 0, result: 0, outputs: &[], before: number + 1 })
    }

    /// Sends records of one lane up to a stamp. Returns the stamp of the next, if there is one.
    fn run_lane<S: Sink>(
        &mut self,
        lane: &mut Lane,
        limit: u64,
        seen: Seen,
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
                Ok(Record::Piece { .. }) => UNSTAMPED,
                Ok(Record::Enter { stamp, .. } | Record::Leave { stamp, .. }) => seen.believe(stamp),
            };
            if stamp > limit {
                lane.at = bytes.len() - rest;
                result = Ok(Some(stamp));
                break;
            }
            let done = match record {
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

    /// False when the record cannot be one.
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
        let thread = *lane.thread.get_or_insert_with(|| {
            self.threads += 1;
            self.threads - 1
        });
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
            // Everything that has gone to the sink was called before this stamp, or published before this record.
            let before = if stamp == UNSTAMPED { lane.begun } else { self.calls };
            sink.leave(Left { thread, command, number, abandoned, result, outputs: &memory, before })?;
        }
        lane.pieces.clear();
        Ok(true)
    }
}

/// The payloads of a record: those that came before it in pieces, and those in it.
fn gather<'a>(pieces: &'a [Piece], rest: &'a [u8]) -> Vec<Memory<'a>> {
    let whole = pieces.iter().filter(|piece| piece.bytes.len() as u64 == piece.size);
    let pieces = whole.map(|piece| Memory { param: piece.param, bytes: &piece.bytes });
    pieces.chain(payloads(rest).map(|(param, bytes)| Memory { param, bytes })).collect()
}

/// False when the piece cannot be one.
fn add_piece(lane: &mut Lane, param: u8, size: u64, offset: u64, bytes: &[u8]) -> bool {
    if offset == 0 {
        if lane.pieces.len() == MAX_PIECES {
            return false;
        }
        // Room for the whole, as long as its size is one that programs have.
        let capacity = usize::try_from(size).unwrap_or(usize::MAX).min(MOST_AT_ONCE);
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
