//! Reading returns what was written, and damaged data is never read as something else.

#[path = "laws/sample.rs"]
mod sample;

use api::Command;
use sample::{COMMANDS, Event, Owned, Source, play, read_all, write, write_with_setup};
use trace::{Data, Loss, ReadError, Reader, Writer};

fn open(bytes: &[u8]) -> Result<Reader, ReadError> {
    Reader::new(Box::new(bytes.to_vec()), COMMANDS)
}

#[test]
fn reading_returns_what_was_written() {
    for seed in 0..200 {
        let events = Source::new(seed).events(400);
        let reader = open(&write(&events)).unwrap();
        assert!(reader.is_complete());
        assert_eq!(reader.losses(), []);
        let (calls, errors) = read_all(&reader);
        assert!(errors.is_empty(), "seed {seed}: {errors:?}");
        assert_eq!(calls, play(&events), "seed {seed}");
        for number in [0, reader.len() / 2, reader.len() - 1] {
            let held = reader.call_at(number).unwrap();
            assert_eq!(sample::owned(&reader, &held.call()).unwrap(), calls[number as usize]);
        }
        assert!(matches!(reader.call_at(reader.len()), Err(ReadError::NoSuchCall(_))));
    }
}

#[test]
fn frames_end_at_presents() {
    let events = Source::new(7).events(300);
    let reader = open(&write(&events)).unwrap();
    let mut next = 0;
    assert_eq!(reader.frame_count(), reader.presents().len());
    for index in 0..reader.frame_count() {
        let frame = reader.frame(index).unwrap();
        assert_eq!(frame.start, next);
        next = frame.end;
        assert_eq!(reader.frame_of(frame.start), Some(index));
        assert_eq!(reader.frame_of(frame.end - 1), Some(index));
        assert_eq!(reader.call_at(frame.end - 1).unwrap().call().name(), "afiPresent");
    }
    let rest = reader.after_last_frame();
    assert_eq!(rest, next..reader.len());
    assert!(!rest.is_empty(), "the sample has calls after its last present");
    assert_eq!(reader.frame_of(rest.start), None);
    assert_eq!(reader.frame(reader.frame_count()), None);
}

#[test]
fn the_setup_of_a_trimmed_trace_is_no_frame() {
    let events = Source::new(7).events(300);
    let whole = open(&write(&events)).unwrap();
    let first = whole.presents()[0];
    for setup in [1, first, first + 40] {
        let reader = open(&write_with_setup(&events, setup)).unwrap();
        // A setup that goes beyond the first present ends before it.
        let end = setup.min(first);
        assert_eq!(reader.before_first_frame(), 0..end);
        assert_eq!(reader.frame(0), Some(end..first + 1));
        assert_eq!((reader.frame_of(end - 1), reader.frame_of(end)), (None, Some(0)));
        assert_eq!((reader.len(), reader.frame_count()), (whole.len(), whole.frame_count()));
        assert_eq!(reader.frame(1), whole.frame(1));
    }
}

#[test]
fn a_trace_without_presents_is_one_frame() {
    let events: Vec<_> = Source::new(7).events(300).into_iter().take_while(|event| !is_present(event)).collect();
    let reader = open(&write(&events)).unwrap();
    assert!(reader.presents().is_empty() && !reader.is_empty());
    assert_eq!((reader.frame_count(), reader.frame(0)), (1, Some(0..reader.len())));
    assert_eq!((reader.frame_of(0), reader.frame_of(reader.len() - 1)), (Some(0), Some(0)));
    assert!(reader.after_last_frame().is_empty());
    let empty = open(&write(&[])).unwrap();
    assert_eq!((empty.frame_count(), empty.frame(0), empty.frame_of(0)), (0, None, None));
}

fn is_present(event: &Event) -> bool {
    matches!(event, Event::Enter { command, .. } if COMMANDS[usize::from(*command)].name == "afiPresent")
}

/// Returns the call as it reads when its outcome is lost: as if it never returned.
fn without_outcome(call: &Owned) -> Owned {
    Owned { outcome: None, ..call.clone() }
}

#[test]
fn a_truncated_file_has_the_calls_before_the_cut() {
    let events = Source::new(3).events(30);
    let whole = play(&events);
    let bytes = write(&events);
    let mut most = 0;
    for end in 0..bytes.len() {
        let reader = match open(&bytes[..end]) {
            Ok(reader) => reader,
            Err(ReadError::NotATrace { .. }) if end < 200 => continue,
            Err(error) => panic!("cut at {end}: {error}"),
        };
        assert!(!reader.is_complete());
        let (calls, errors) = read_all(&reader);
        assert!(errors.is_empty(), "cut at {end}: {errors:?}");
        assert!(calls.len() >= most, "cut at {end}: a longer file has fewer calls");
        most = calls.len();
        for (call, expected) in calls.iter().zip(&whole) {
            assert!(call == expected || *call == without_outcome(expected), "cut at {end}: {call:?}");
        }
    }
    assert_eq!(most, whole.len());
}

#[test]
fn a_flipped_bit_loses_calls_but_alters_none() {
    let events = Source::new(3).events(30);
    let whole = play(&events);
    let mut bytes = write(&events);
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let reader = open(&bytes).unwrap_or_else(|error| panic!("bit {bit}: {error}"));
        let (calls, errors) = read_all(&reader);
        let reported = !errors.is_empty() || !reader.losses().is_empty() || !reader.is_complete();
        assert!(reported || calls == whole, "bit {bit}: calls are missing and no loss is reported");
        for call in &calls {
            let expected = &whole[call.number as usize];
            assert!(call == expected || *call == without_outcome(expected), "bit {bit}: {call:?}");
        }
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn damage_in_the_middle_spares_both_sides() {
    let events: Vec<Event> =
        (0..30).flat_map(|_| [call_of(1, vec![3, 0, 0, 0, 0]), vec![Event::Flush]].concat()).collect();
    let bytes = write(&events);
    for unfinished in [false, true] {
        let mut bytes = bytes.clone();
        if unfinished {
            bytes.truncate(bytes.len() - 1);
        }
        let middle = bytes.len() / 2;
        bytes[middle..middle + 10].fill(0xaa);
        let reader = open(&bytes).unwrap();
        let (calls, _) = read_all(&reader);
        assert!(calls.len() >= 27 && calls.len() < 30);
        assert_eq!((calls[0].number, calls.last().unwrap().number), (0, 29));
        let lost = (0..30).find(|number| !calls.iter().any(|call| call.number == *number)).unwrap();
        assert!(matches!(reader.call_at(lost), Err(ReadError::Lost { .. })));
    }
}

#[test]
fn removed_bytes_are_reported() {
    let events: Vec<Event> =
        (0..30).flat_map(|_| [call_of(1, vec![3, 0, 0, 0, 0]), vec![Event::Flush]].concat()).collect();
    let mut bytes = write(&events);
    let middle = bytes.len() / 2;
    bytes.drain(middle..middle + 7);
    let reader = open(&bytes).unwrap();
    let (calls, _) = read_all(&reader);
    assert_eq!((calls.len(), calls[0].number, calls[28].number), (29, 0, 29));
    assert!(reader.losses().iter().any(|loss| matches!(loss, Loss::Calls { .. })));
}

#[test]
fn a_removed_chunk_is_reported() {
    let events: Vec<Event> =
        (0..30).flat_map(|_| [call_of(1, vec![3, 0, 0, 0, 0]), vec![Event::Flush]].concat()).collect();
    let mut bytes = write(&events);
    let starts: Vec<usize> = (0..bytes.len() - 8).filter(|at| bytes[*at..*at + 5] == *b"\x89AFTR").collect();
    bytes.drain(starts[10]..starts[11]);
    let reader = open(&bytes).unwrap();
    assert!(reader.losses().contains(&Loss::Chunks { at: starts[10] as u64 }));
    assert_eq!(read_all(&reader).0.len(), 29);
}

#[test]
fn a_trace_embedded_in_a_trace_is_not_read() {
    let inner = write(&Source::new(5).events(100));
    let events = [call_of(2, vec![0; 4]), vec![Event::Flush], call_of(3, vec![])].concat();
    let mut events = events;
    if let Event::Enter { inputs, .. } = &mut events[0] {
        // Noise in front keeps the compressor from compressing it.
        let mut source = Source::new(9);
        let noise = (0..4096).flat_map(|_| source.number().to_le_bytes()).collect::<Vec<u8>>();
        inputs.push((2, [noise, inner].concat(), false));
    }
    let origin = trace::Origin { identity: 99, ..sample::origin() };
    let mut writer = Writer::new(Vec::new(), COMMANDS, &origin).unwrap();
    sample::feed(&mut writer, &events);
    let mut bytes = writer.finish().unwrap().1;
    let blob = bytes.windows(8).position(|window| window == [3, 0, 2, 0, 99, 0, 0, 0]).unwrap();
    bytes[blob] ^= 1;
    bytes.truncate(bytes.len() - 1);
    let (calls, errors) = read_all(&open(&bytes).unwrap());
    assert_eq!(calls.len(), 1);
    assert!(matches!(errors[..], [ReadError::LostBlob { .. }]));
}

#[test]
fn large_and_repeated_payloads_are_blobs() {
    let bytes: Vec<u8> = (0..9_000_000u32).map(|at| (at / 1000) as u8).collect();
    let small = vec![7u8; 600];
    let mut events = Vec::new();
    for _ in 0..3 {
        for payload in [&bytes, &small] {
            let mut call = call_of(2, vec![0; 4]);
            if let Event::Enter { inputs, .. } = &mut call[0] {
                inputs.push((2, payload.clone(), false));
            }
            events.extend(call);
        }
    }
    let file = write(&events);
    assert!(file.len() < 100_000, "{}", file.len());
    let reader = open(&file).unwrap();
    assert_eq!(read_all(&reader).0, play(&events));
    let held = reader.call_at(4).unwrap();
    assert_eq!(held.call().input(2), Some(Data::Blob { number: 0, size: 9_000_000 }));
    assert!(matches!(reader.blob(2), Err(ReadError::NoSuchBlob(2))));
}

#[test]
fn many_threads_and_chunks_keep_their_order() {
    const THREADS: u32 = 300;
    const CALLS: u64 = 40_000;
    let mut writer = Writer::new(Vec::new(), COMMANDS, &sample::origin()).unwrap();
    // Every thread is always inside a call, and enters the next one right after returning.
    for number in 0..CALLS {
        let thread = (number % u64::from(THREADS)) as u32;
        if number >= u64::from(THREADS) {
            writer.leave(thread, number, &[], number).unwrap();
        }
        assert_eq!(writer.enter(thread, api::CommandId(5), false, &[number * 3], &[]).unwrap(), number);
    }
    let reader = open(&writer.finish().unwrap().1).unwrap();
    let mut calls = reader.calls();
    let mut number = 0;
    while let Some(call) = calls.next().unwrap() {
        assert_eq!((call.number, u64::from(call.thread)), (number, number % u64::from(THREADS)));
        assert_eq!(call.args, [number * 3]);
        let next = number + u64::from(THREADS);
        let outcome = call.outcome.map(|outcome| (outcome.result, outcome.before));
        assert_eq!(outcome, (next < CALLS).then_some((next, next)));
        number += 1;
    }
    assert_eq!((number, reader.presents().len() as u64), (CALLS, CALLS));
}

#[test]
fn another_build_finds_commands_by_name() {
    // The other build lists the commands in another order, has one with fewer parameters, and lacks one.
    static OTHER: &[Command] = &[
        sample::command("glGetError", &[], api::Scalar::U32),
        sample::command("glFlush", &[], api::Scalar::Void),
        sample::command("glGetIntegerv", &[sample::param("pname", api::Scalar::U32)], api::Scalar::Void),
    ];
    let events = [call_of(0, vec![]), call_of(3, vec![]), call_of(4, vec![1, 2]), call_of(5, vec![9])].concat();
    let reader = Reader::new(Box::new(write(&events)), OTHER).unwrap();
    assert_eq!(read_all(&reader).0, play(&events));
    let commands: Vec<_> = (0..4).map(|at| reader.call_at(at).unwrap().call().command.map(|id| id.0)).collect();
    assert_eq!(commands, [Some(1), Some(0), None, None]);
    let held = reader.call_at(2).unwrap();
    assert_eq!(&*held.call().signature.params[1].name, "data");
}

/// Returns a call on thread 0 that returns at once.
fn call_of(command: u16, args: Vec<u64>) -> Vec<Event> {
    let enter = Event::Enter { thread: 0, command, by_capture: false, args, inputs: Vec::new() };
    vec![enter, Event::Leave { thread: 0, result: 0, outputs: Vec::new(), before: 1 }]
}

/// Returns a trace of many chunks.
fn many_chunks() -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), COMMANDS, &sample::origin()).unwrap();
    for number in 0..3000u64 {
        writer.enter(0, api::CommandId(0), false, &vec![number; COMMANDS[0].params.len()], &[]).unwrap();
        writer.leave(0, 0, &[], number + 1).unwrap();
        if number % 100 == 99 {
            writer.flush().unwrap();
        }
    }
    writer.finish().unwrap().1
}

/// Returns what a cursor hands out from a call on, up to and without another: numbers of calls, and of the last call that is
/// lost in each gap.
fn handed_out(reader: &Reader, from: u64, end: u64) -> Vec<Result<u64, u64>> {
    let mut all = Vec::new();
    let mut calls = reader.calls();
    calls.seek(from);
    let walked = calls.each(end, |read| {
        all.push(match read {
            Ok(call) => Ok(call.number),
            Err(ReadError::Lost { last, .. }) => Err(*last),
            Err(error) => panic!("{error}"),
        });
        Ok::<(), ReadError>(())
    });
    walked.unwrap();
    all
}

#[test]
fn chunks_that_are_decoded_ahead_are_handed_out_in_order() {
    let mut bytes = many_chunks();
    let reader = open(&bytes).unwrap();
    for (from, end) in [(0, 3000), (0, 5000), (50, 2950), (100, 200), (2999, 3000), (3000, 3000)] {
        let expected: Vec<_> = (from..end.min(3000)).map(Ok).collect();
        assert_eq!(handed_out(&reader, from, end), expected, "{from} to {end}");
    }
    // A chunk in the middle is damaged: its calls are lost, once, and no others.
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    let reader = open(&bytes).unwrap();
    let all = handed_out(&reader, 0, 3000);
    let lost: Vec<u64> = all.iter().filter_map(|read| read.err()).collect();
    assert_eq!((all.len(), lost.len()), (2901, 1));
    let gap = lost[0] - 99..=lost[0];
    let expected: Vec<u64> = (0..3000).filter(|number| !gap.contains(number)).collect();
    assert_eq!(all.iter().filter_map(|read| read.ok()).collect::<Vec<_>>(), expected);
}

#[test]
fn a_walk_over_calls_ends_when_its_work_fails_or_panics() {
    let bytes = many_chunks();
    let reader = open(&bytes).unwrap();
    let mut calls = reader.calls();
    let failed = calls.each(3000, |_| Err(ReadError::NoSuchCall(7)));
    assert!(matches!(failed, Err(ReadError::NoSuchCall(7))));
    assert_eq!(calls.position(), 1, "it goes on after the call that failed");
    assert_eq!(calls.next().unwrap().unwrap().number, 1);
    // The thread that decodes ahead must not wait for ever.
    let walk = std::panic::AssertUnwindSafe(|| {
        reader.calls().each(3000, |_| -> Result<(), ReadError> { panic!("on purpose") })
    });
    let panicked = std::panic::catch_unwind(walk);
    assert!(panicked.is_err());
}
