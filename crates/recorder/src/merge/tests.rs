use std::convert::Infallible;

use ring::layout::{RecordKind, header, payload_header};

use super::{DrainTime, Entered, Left, Merger, SLACK, Sink};

/// A sink that logs what it receives.
#[derive(Default)]
struct Log {
    lines: Vec<String>,
    calls: u64,
}

impl Sink for Log {
    type Error = Infallible;

    fn parameters(&self, command: u16) -> Option<usize> {
        (command < 100).then_some(1)
    }

    fn max_threads(&self) -> u32 {
        3
    }

    fn enter(&mut self, call: Entered<'_>) -> Result<u64, Infallible> {
        let Entered { thread, command, args, inputs, .. } = call;
        let inputs: Vec<_> = inputs.iter().map(|memory| (memory.param, memory.bytes)).collect();
        self.lines.push(format!("{}: thread {thread} enters {command} {args:?} {inputs:?}", self.calls));
        self.calls += 1;
        Ok(self.calls - 1)
    }

    fn leave(&mut self, call: Left<'_>) -> Result<(), Infallible> {
        let Left { thread, number, abandoned, result, before, .. } = call;
        self.lines
            .push(format!("{number}: thread {thread} leaves with {result}, before {before}, {abandoned} abandoned"));
        Ok(())
    }
}

/// Returns a record with this stamp, in units of `SLACK`.
fn record(kind: RecordKind, command: u16, stamp: u64, body: &[u64]) -> Vec<u8> {
    let words = [header(16 + 8 * body.len(), kind, 0, command), stamp.saturating_mul(SLACK)];
    words.iter().chain(body).flat_map(|word| word.to_le_bytes()).collect()
}

fn enter(command: u16, stamp: u64) -> Vec<u8> {
    record(RecordKind::Enter, command, stamp, &[stamp])
}

/// Returns a leave; stamp 0 means no stamp.
fn leave(command: u16, stamp: u64) -> Vec<u8> {
    record(RecordKind::Leave, command, stamp, &[7])
}

#[track_caller]
fn check(log: &Log, expected: &[&str]) {
    assert_eq!(log.lines, expected);
}

/// Returns the time of a drain that started at this many slacks.
fn seen(from: u64) -> DrainTime {
    DrainTime { from: Some((from + 1) * SLACK), to: (from + 1) * SLACK }
}

/// The last drain.
const ALL: DrainTime = DrainTime { from: None, to: 1000 * SLACK };

#[test]
fn stamps_decide_between_lanes() {
    let mut merger = Merger::default();
    let mut log = Log::default();
    merger.lane(0).inbox().extend([enter(1, 2), leave(1, 4), enter(4, 5), leave(4, 0)].concat());
    merger.lane(1).inbox().extend([enter(2, 1), leave(2, 0), enter(3, 3), leave(3, 6)].concat());
    merger.advance(seen(4), &mut log).unwrap();
    check(
        &log,
        &[
            "0: thread 0 enters 2 [1] []",
            "0: thread 0 leaves with 7, before 1, 0 abandoned",
            "1: thread 1 enters 1 [2] []",
            "2: thread 0 enters 3 [3] []",
            "1: thread 1 leaves with 7, before 3, 0 abandoned",
        ],
    );
    assert!(merger.has_pending());
    log.lines.clear();
    merger.advance(seen(6), &mut log).unwrap();
    check(
        &log,
        &[
            "3: thread 1 enters 4 [5] []",
            "3: thread 1 leaves with 7, before 4, 0 abandoned",
            "2: thread 0 leaves with 7, before 4, 0 abandoned",
        ],
    );
    assert!(!merger.has_pending());
}

#[test]
fn late_records_come_last() {
    let mut merger = Merger::default();
    let mut log = Log::default();
    merger.lane(0).inbox().extend([enter(1, 3), leave(1, 4)].concat());
    merger.advance(seen(4), &mut log).unwrap();
    // The thread was preempted between stamp and publication.
    merger.lane(1).inbox().extend([enter(2, 2), leave(2, 0)].concat());
    merger.lane(0).inbox().extend(enter(3, 5));
    merger.advance(seen(5), &mut log).unwrap();
    check(
        &log,
        &[
            "0: thread 0 enters 1 [3] []",
            "0: thread 0 leaves with 7, before 1, 0 abandoned",
            "1: thread 1 enters 2 [2] []",
            "1: thread 1 leaves with 7, before 2, 0 abandoned",
            "2: thread 0 enters 3 [5] []",
        ],
    );
}

#[test]
fn a_stamp_from_the_future_delays_no_lane() {
    for wrong in [800, u64::MAX / SLACK] {
        let mut merger = Merger::default();
        let mut log = Log::default();
        merger.lane(0).inbox().extend([enter(1, 1), enter(2, wrong), enter(3, 3)].concat());
        merger.lane(1).inbox().extend([enter(4, 2), enter(5, 4)].concat());
        merger.advance(seen(4), &mut log).unwrap();
        let entered: Vec<_> = log.lines.iter().filter_map(|line| line.split(' ').nth(4)).collect();
        assert_eq!(entered, ["1", "2", "4", "3", "5"]);
    }
}

#[test]
fn a_reused_slot_is_a_new_thread() {
    let mut merger = Merger::default();
    let mut log = Log::default();
    let thread = record(RecordKind::Thread, 0, 0, &[]);
    merger.lane(0).inbox().extend([thread.clone(), enter(1, 1)].concat());
    merger.advance(seen(1), &mut log).unwrap();
    // Its clock may be behind: lanes do not remember stamps. The call of the thread before it never returns.
    merger.lane(0).inbox().extend([thread, enter(1, 0), leave(1, 0), leave(1, 0)].concat());
    merger.advance(ALL, &mut log).unwrap();
    check(
        &log,
        &[
            "0: thread 0 enters 1 [1] []",
            "1: thread 1 enters 1 [0] []",
            "1: thread 1 leaves with 7, before 2, 0 abandoned",
        ],
    );
}

#[test]
fn numbers_of_ended_threads_are_used_again_when_there_are_no_others() {
    let mut merger = Merger::default();
    let mut log = Log::default();
    let thread = record(RecordKind::Thread, 0, 0, &[]);
    merger.lane(7).inbox().extend(enter(9, 0));
    for _ in 0..5 {
        merger.lane(0).inbox().extend([thread.clone(), enter(1, 0), leave(1, 0)].concat());
    }
    merger.advance(ALL, &mut log).unwrap();
    let of = |line: &String| line.split(' ').nth(2).map(str::to_owned);
    let threads: Vec<_> = log.lines.iter().filter(|line| line.contains("enters")).filter_map(of).collect();
    assert_eq!(threads, ["0", "1", "2", "0", "1", "2"]);
}

#[test]
fn calls_left_by_a_jump_never_return() {
    let mut merger = Merger::default();
    let mut log = Log::default();
    merger.lane(0).inbox().extend([enter(1, 0), enter(2, 1), enter(3, 2), leave(1, 3), leave(9, 3)].concat());
    merger.advance(ALL, &mut log).unwrap();
    assert_eq!(log.lines[3], "0: thread 0 leaves with 7, before 3, 2 abandoned");
    assert_eq!(log.lines.len(), 4);
}

#[test]
fn payloads_are_reassembled() {
    let mut merger = Merger::default();
    let mut log = Log::default();
    let piece =
        |offset: u64, word: [u8; 8]| record(RecordKind::Piece, 0, 0, &[3, 11, offset, u64::from_le_bytes(word)]);
    let inline = [0, payload_header(0, 3), u64::from_le_bytes(*b"abc\0\0\0\0\0")];
    let records =
        [piece(0, *b"01234567"), piece(8, *b"89A\0\0\0\0\0"), record(RecordKind::Enter, 1, 0, &inline)].concat();
    // However the bytes are split.
    let (first, second) = records.split_at(48);
    merger.lane(0).inbox().extend(first);
    merger.advance(ALL, &mut log).unwrap();
    merger.lane(0).inbox().extend(second);
    merger.advance(ALL, &mut log).unwrap();
    let (long, short) = (b"0123456789A".to_vec(), b"abc".to_vec());
    check(&log, &[&format!("0: thread 0 enters 1 [0] [(3, {long:?}), (0, {short:?})]")]);
}

#[test]
fn a_lane_of_invalid_records_is_abandoned() {
    let mut state = 1_u64;
    for _ in 0..2_000 {
        let mut merger = Merger::default();
        let mut log = Log::default();
        let mut records =
            [enter(1, 0), leave(1, 1), record(RecordKind::Piece, 0, 0, &[0, 8, 0, 1]), enter(2, 1)].concat();
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % records.len();
            records[at] = (state >> 20) as u8;
        }
        merger.lane(0).inbox().extend(&records);
        merger.lane(1).inbox().extend(enter(5, 2));
        merger.advance(ALL, &mut log).unwrap();
        assert!(!merger.has_pending());
        assert!(log.lines.iter().any(|line| line.contains("enters 5")), "{:?}", log.lines);
    }
}
