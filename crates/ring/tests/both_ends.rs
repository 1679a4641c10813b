//! Producers and consumers of one block, in threads of one process: what goes in comes out, once and in order.

use std::thread;
use std::time::Duration;

use ring::block::{SLOTS, SMALL_RING_SIZE};
use ring::handshake::{Listener, Visitor, attach};
use ring::layout::UNSTAMPED;
use ring::record::{payloads, word};
use ring::{Block, Clock, Consumer, Mapping, Payload, Producer, Record, Records, Settings, StopReason};

const FINGERPRINT: u64 = 77;

/// Less than a ring holds, so that it is read in parts, and a multiple of nothing.
const AT_ONCE: usize = 100_003;

/// Returns a recorder's and a program's view of one block, connected by a real handshake.
fn pair(clock: Clock) -> (Mapping, &'static Block) {
    let listener = Listener::open().unwrap();
    let name = listener.name().to_owned();
    let program = thread::spawn(move || attach(&name, FINGERPRINT).unwrap());
    let Some(Visitor::Client(client)) = listener.accept(FINGERPRINT, Duration::from_secs(5)).unwrap() else {
        panic!("the program did not attach")
    };
    assert_eq!(client.own_pid, std::process::id());
    let mapping = Mapping::create(FINGERPRINT, Settings { hash_frames: true, ..Settings::default() }, clock).unwrap();
    client.welcome(&mapping).unwrap();
    let block = program.join().unwrap();
    assert!(block.recording());
    assert!(block.settings().hash_frames);
    assert_eq!(block.clock(), clock);
    (mapping, block)
}

/// Reads everything available, slot by slot.
fn take(mapping: &Mapping, consumers: &mut [Consumer], mut each: impl FnMut(usize, Record<'_>)) {
    let mut bytes = Vec::new();
    for (slot, consumer) in consumers.iter_mut().enumerate() {
        loop {
            bytes.clear();
            let taken = consumer.take(mapping, AT_ONCE, &mut bytes).unwrap();
            assert!(bytes.len() >= taken.min(AT_ONCE));
            for record in Records::new(&bytes) {
                each(slot, record.unwrap());
            }
            if taken == bytes.len() {
                break;
            }
        }
    }
}

#[test]
fn records_come_out_in_order() {
    for clock in [Clock::choose(), Clock::Monotonic] {
        check_order(clock);
    }
}

fn check_order(clock: Clock) {
    const CALLS: u64 = 200_000;
    let begin = clock.now();
    let (mapping, block) = pair(clock);
    let producers: Vec<_> = (0..2)
        .map(|_| {
            thread::spawn(move || {
                let mut producer = Producer::claim(block).unwrap();
                for call in 0..CALLS {
                    assert!(producer.enter(7, 1, &[call, 3]));
                    assert!(producer.leave(9, call));
                }
                producer.release();
            })
        })
        .collect();

    let mut consumers = Consumer::all();
    // A thread that has not seen another yet does not stamp.
    let mut stamps = [UNSTAMPED; 2];
    let mut entered = [0; 2];
    let mut left = [0; 2];
    while left != [CALLS; 2] {
        mapping.sleep(Duration::from_millis(5));
        take(&mapping, &mut consumers, |slot, record| match record {
            Record::Enter { stamp, command, flags, body } => {
                assert_eq!((command, flags, word(body, 0), word(body, 1)), (7, 1, Some(entered[slot]), Some(3)));
                entered[slot] += 1;
                assert!(std::mem::replace(&mut stamps[slot], stamp) <= stamp, "{clock:?} went backwards");
            }
            Record::Leave { stamp, command, result, .. } => {
                assert_eq!((command, result, stamp), (9, left[slot], UNSTAMPED));
                left[slot] += 1;
            }
            Record::Thread => assert_eq!(entered[slot], 0),
            Record::Piece { .. } => unreachable!("there are no payloads"),
        });
    }
    let end = clock.now();
    assert!(stamps.iter().any(|stamp| (begin..=end).contains(stamp)));
    assert!(stamps.iter().all(|&stamp| stamp <= end));
    producers.into_iter().for_each(|producer| producer.join().unwrap());
    assert!(consumers.iter().all(|consumer| !consumer.in_use(&mapping)));
}

#[test]
fn payloads_arrive_inline_or_in_pieces() {
    let (mapping, block) = pair(Clock::choose());
    let small: Vec<u8> = (0..13).collect();
    let large: Vec<u8> = (0..20_000_003_u32).map(|byte| (byte >> 8) as u8 ^ byte as u8).collect();
    let (sent_small, sent_large) = (small.clone(), large.clone());
    let producer = thread::spawn(move || {
        let mut producer = Producer::claim(block).unwrap();
        let both = [Payload { param: 2, bytes: &sent_small }, Payload { param: 5, bytes: &sent_large }];
        assert!(producer.enter_with(1, 0, &[4], &both));
        let mut stream = producer.stream(3, 10);
        assert!(stream.write(b"01234") && stream.write(b"") && stream.write(b"56789too much"));
        assert!(producer.leave_with(1, 5, &[Payload { param: 0, bytes: b"end" }]));
    });

    let mut consumers = Consumer::all();
    let mut pieces: Vec<(u8, Vec<u8>)> = Vec::new();
    let mut found = Vec::new();
    while found.len() < 2 {
        mapping.sleep(Duration::from_millis(5));
        take(&mapping, &mut consumers, |_, record| match record {
            Record::Piece { param, size, offset, bytes } => {
                if offset == 0 {
                    pieces.push((param, Vec::new()));
                }
                let (_, payload) = pieces.last_mut().unwrap();
                assert_eq!(payload.len() as u64, offset);
                let rest = (size - offset) as usize;
                payload.extend(&bytes[..rest.min(bytes.len())]);
            }
            Record::Thread => {}
            Record::Enter { body, .. } => found.push((word(body, 0), together(&mut pieces, &body[8..]))),
            Record::Leave { result, body, .. } => found.push((Some(result), together(&mut pieces, body))),
        });
    }
    producer.join().unwrap();
    assert!(found[0] == (Some(4), vec![(5, large), (2, small)]));
    assert_eq!(found[1], (Some(5), vec![(3, b"0123456789".to_vec()), (0, b"end".to_vec())]));
}

/// Payloads that arrived in pieces, and those of a record.
fn together(pieces: &mut Vec<(u8, Vec<u8>)>, body: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let inline = payloads(body).map(|(param, bytes)| (param, bytes.to_vec()));
    std::mem::take(pieces).into_iter().chain(inline).collect()
}

#[test]
fn threads_reuse_the_slots_of_ended_threads_before_their_records_are_read() {
    let (mapping, block) = pair(Clock::choose());
    let threads = 3 * SLOTS as u64;
    for number in 0..threads {
        let mut producer = Producer::claim(block).unwrap();
        assert!(producer.enter(1, 0, &[number]) && producer.leave(1, 0));
        producer.release();
    }
    assert_eq!((block.lost_threads(), block.slots()), (0, 1));
    let mut seen = Vec::new();
    take(&mapping, &mut Consumer::all(), |_, record| match record {
        Record::Thread => seen.push(Vec::new()),
        Record::Enter { body, .. } => seen.last_mut().unwrap().extend(word(body, 0)),
        Record::Leave { .. } => {}
        Record::Piece { .. } => unreachable!("there are no payloads"),
    });
    assert!(seen.iter().flatten().copied().eq(0..threads));
    assert!(seen.iter().all(|calls| calls.len() == 1));
}

#[test]
fn many_threads_are_recorded_at_a_time() {
    let (mapping, block) = pair(Clock::choose());
    // More than fits into one of the smaller rings.
    let payload: Vec<u8> = (0..2 * SMALL_RING_SIZE).map(|at| (at / 7) as u8).collect();
    let sent = payload.clone();
    let last = thread::spawn(move || {
        let mut producers: Vec<Producer> = (0..SLOTS).map(|_| Producer::claim(block).unwrap()).collect();
        assert!(Producer::claim(block).is_none());
        assert_eq!(block.lost_threads(), 1);
        for (number, producer) in producers.iter_mut().enumerate() {
            assert!(producer.enter(1, 0, &[number as u64]));
        }
        let last = producers.last_mut().unwrap();
        assert!(last.enter_with(2, 0, &[0], &[Payload { param: 0, bytes: &sent }]));
    });
    let (mut numbers, mut received) = (Vec::new(), Vec::<u8>::new());
    let mut consumers = Consumer::all();
    let (mut done, mut looks_after_it) = (false, 0);
    // Threads are looked at in turn: when the last call of all is seen, earlier ones of threads before it may not be.
    while looks_after_it < 2 {
        looks_after_it += u32::from(done);
        mapping.sleep(Duration::from_millis(5));
        take(&mapping, &mut consumers, |_, record| match record {
            Record::Enter { command: 1, body, .. } => numbers.extend(word(body, 0)),
            Record::Enter { .. } => done = true,
            Record::Piece { bytes, .. } => received.extend(bytes),
            Record::Thread | Record::Leave { .. } => {}
        });
    }
    last.join().unwrap();
    numbers.sort_unstable();
    assert!(numbers.iter().copied().eq(0..SLOTS as u64));
    assert!(received == payload);
}

#[test]
fn the_program_continues_after_the_recorder_dies() {
    let (mapping, block) = pair(Clock::choose());
    let mut producer = Producer::claim(block).unwrap();
    let recorder = thread::spawn(move || {
        // The kernel reports the end of the owning thread just as that of a killed process.
        mapping.take_ownership().unwrap();
        mapping
    });
    let mapping = recorder.join().unwrap();
    while producer.enter(0, 0, &[0; 64]) {}
    assert!(!producer.alive() && !block.recording());
    assert_eq!(mapping.stopped(), Some(StopReason::RecorderDied));
    assert!(Producer::claim(block).is_none());
}

#[test]
fn a_client_of_a_different_build_is_rejected() {
    let listener = Listener::open().unwrap();
    let name = listener.name().to_owned();
    let program = thread::spawn(move || attach(&name, FINGERPRINT + 1).unwrap_err().to_string());
    assert!(listener.accept(FINGERPRINT, Duration::from_secs(5)).is_err());
    assert!(program.join().unwrap().contains("from different builds"));
    let error = attach("afterimage-no-recorder", FINGERPRINT).unwrap_err().to_string();
    assert!(error.contains("no recorder listens"), "{error}");
}

#[test]
fn invalid_records_are_rejected() {
    let mut bytes = vec![0_u8; 64];
    assert!(Records::new(&bytes).next().unwrap().is_err());
    bytes[0] = 72;
    assert!(Records::new(&bytes).next().unwrap().is_err());
    bytes[0] = 64;
    assert!(Records::new(&bytes).next().is_none());
    bytes[4] = 1;
    assert!(matches!(Records::new(&bytes).next(), Some(Ok(Record::Enter { stamp: 0, .. }))));
    bytes[4] = 2;
    assert!(matches!(Records::new(&bytes[..8]).next(), Some(Err(_))));
    bytes[0] = 8;
    let leave = Record::Leave { stamp: UNSTAMPED, command: 0, result: 0, body: &[] };
    assert_eq!(Records::new(&bytes[..8]).next(), Some(Ok(leave)));
    bytes[4] = 4;
    assert!(Records::new(&bytes).next().unwrap().is_err());
}
