//! From the records of many threads to calls in the order in which they were entered.
//!
//! Each thread is a lane of records. An enter goes to the sink when all enters with lower order numbers have gone
//! there; a leave, when all calls have that had begun before it. A number that no thread can still publish is skipped.

use ring::layout::BY_CAPTURE;
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
    /// All enters with lower orders have gone to the sink, or never will.
    frontier: u64,
    /// From each of these orders on, numbers follow orders: pairs of order and number.
    numbering: Vec<(u64, u64)>,
    threads: u32,
    /// Orders that were taken by threads that never published them.
    skipped: u64,
    /// Calls that have gone to the sink.
    calls: u64,
    /// Kept from call to call, so that it is allocated once.
    args: Vec<u64>,
}

/// The records of one thread that have not gone to the sink yet.
#[derive(Debug)]
pub struct Lane {
    /// Records, of which the first `at` bytes are done.
    bytes: Vec<u8>,
    at: usize,
    /// The order for which its next record waits; [`NOTHING`] when there is none.
    awaits: u64,
    thread: Option<u32>,
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

const NOTHING: u64 = u64::MAX;

/// Memory for so many bytes of a payload is taken before they have come.
const MOST_AT_ONCE: usize = 64 << 20;

/// Long payloads of one record; no command has as many parameters.
const MAX_PIECES: usize = 64;

impl Default for Lane {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            at: 0,
            awaits: NOTHING,
            thread: None,
            open: Vec::new(),
            pieces: Vec::new(),
            broken: false,
        }
    }
}

impl Lane {
    /// Whether everything has gone to the sink.
    pub fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Bytes that wait.
    pub fn waiting(&self) -> usize {
        self.bytes.len() - self.at
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
        self.awaits = NOTHING;
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
        self.awaits = 0;
        &mut self.bytes
    }
}

impl Merger {
    /// One lane for each slot of a block.
    pub fn new(lanes: usize) -> Self {
        Self { lanes: (0..lanes).map(|_| Lane::default()).collect(), numbering: vec![(0, 0)], ..Self::default() }
    }

    /// The lane of a slot.
    pub fn lane(&mut self, slot: usize) -> &mut Lane {
        &mut self.lanes[slot]
    }

    /// Whether any lane holds records that wait for an order nobody has published yet.
    pub fn waits(&self) -> bool {
        self.lanes.iter().any(|lane| !lane.is_empty())
    }

    /// Orders that nobody published.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The thread of a slot has ended: whoever gets the slot next is another thread.
    pub fn end_thread(&mut self, slot: usize) {
        self.lanes[slot] = Lane::default();
    }

    /// Sends on what can be sent.
    ///
    /// # Errors
    /// As the sink.
    pub fn advance<S: Sink>(&mut self, sink: &mut S) -> Result<(), S::Error> {
        loop {
            let mut moved = false;
            for slot in 0..self.lanes.len() {
                if self.lanes[slot].awaits <= self.frontier {
                    self.run(slot, sink)?;
                    moved = true;
                }
            }
            if !moved {
                return Ok(());
            }
        }
    }

    /// Gives up on the orders before the first that any lane has: no thread holds them. Afterwards there is something
    /// to [`advance`](Self::advance), if any lane waits.
    pub fn skip(&mut self) {
        let first = self.lanes.iter().filter(|lane| !lane.is_empty()).map(|lane| lane.awaits).min();
        if let Some(first) = first
            && first != NOTHING
            && first > self.frontier
        {
            self.skipped += first - self.frontier;
            self.frontier = first;
        }
    }

    /// Puts a call of the recorder's own between the others.
    ///
    /// # Errors
    /// As the sink.
    pub fn insert<S: Sink>(&mut self, command: u16, input: &[u8], sink: &mut S) -> Result<(), S::Error> {
        let inputs = [Memory { param: 0, bytes: input }];
        let entered = Entered { thread: 0, command, by_capture: true, args: &[0], inputs: &inputs };
        let number = sink.enter(entered)?;
        self.number(None, number);
        sink.leave(Left { thread: 0, command, number, abandoned: 0, result: 0, outputs: &[], before: number + 1 })
    }

    /// Sends records of one lane until one has to wait.
    fn run<S: Sink>(&mut self, slot: usize, sink: &mut S) -> Result<(), S::Error> {
        let mut lane = std::mem::take(&mut self.lanes[slot]);
        let result = self.run_lane(&mut lane, sink);
        self.lanes[slot] = lane;
        result
    }

    fn run_lane<S: Sink>(&mut self, lane: &mut Lane, sink: &mut S) -> Result<(), S::Error> {
        let bytes = std::mem::take(&mut lane.bytes);
        let mut records = Records::new(bytes.get(lane.at..).unwrap_or_default());
        let mut result = Ok(());
        lane.awaits = NOTHING;
        loop {
            let rest = records.rest();
            let Some(record) = records.next() else {
                lane.at = bytes.len();
                break;
            };
            let order = match record {
                Err(_) => {
                    lane.broken = true;
                    break;
                }
                Ok(Record::Piece { .. }) => 0,
                Ok(Record::Enter { order, .. } | Record::Leave { order, .. }) => order,
            };
            if order > self.frontier {
                lane.awaits = order;
                lane.at = bytes.len() - rest;
                break;
            }
            let done = match record {
                Ok(Record::Enter { order, command, flags, body }) => {
                    self.enter(lane, order, command, flags, body, sink)
                }
                Ok(Record::Leave { order, command, body }) => self.leave(lane, order, command, body, sink),
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
        order: u64,
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
        self.number(Some(order), number);
        Ok(true)
    }

    fn leave<S: Sink>(
        &mut self,
        lane: &mut Lane,
        order: u64,
        command: u16,
        body: &[u8],
        sink: &mut S,
    ) -> Result<bool, S::Error> {
        let (Some(result), Some(rest)) = (word(body, 0), body.get(8..)) else { return Ok(false) };
        let memory = gather(&lane.pieces, rest);
        // Calls above it were left by a jump (`longjmp`, `pthread_exit`, an exception) and never returned.
        if let Some(at) = lane.open.iter().rposition(|open| open.0 == command) {
            let (_, number) = lane.open[at];
            let abandoned = lane.open.len() - at - 1;
            lane.open.truncate(at);
            let thread = lane.thread.unwrap_or(0);
            let before = self.number_of(order).max(number + 1);
            sink.leave(Left { thread, command, number, abandoned, result, outputs: &memory, before })?;
        }
        lane.pieces.clear();
        Ok(true)
    }

    /// Notes the number of an order that has just gone to the sink, or of a call that has no order.
    fn number(&mut self, order: Option<u64>, number: u64) {
        let expected = self.numbering.last().is_some_and(|last| number == last.1 + (self.frontier - last.0));
        if order != Some(self.frontier) {
            self.numbering.push((self.frontier, number + 1));
        } else {
            if !expected {
                self.numbering.push((self.frontier, number));
            }
            self.frontier += 1;
        }
        self.calls = number + 1;
    }

    /// How many calls that have gone to the sink have lower orders.
    fn number_of(&self, order: u64) -> u64 {
        let mut limit = self.calls;
        for &(from, number) in self.numbering.iter().rev() {
            if from <= order {
                return limit.min(number + (order - from));
            }
            limit = number;
        }
        0
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
