//! What is written is what is read.

#[path = "laws/sample.rs"]
mod sample;

use sample::{COMMANDS, Event, Source, play, write};
use trace::{ReadError, Reader};

#[test]
fn reading_gives_what_was_written() {
    for seed in 0..200 {
        let events = Source::new(seed).events(400);
        let bytes = write(&events);
        let reader = Reader::new(Box::new(bytes), COMMANDS).unwrap();
        assert!(reader.is_complete());
        assert_eq!(reader.losses(), []);
        assert_eq!(sample::read_all(&reader), play(&events), "seed {seed}");
        for number in [0, reader.len() / 2, reader.len() - 1] {
            let held = reader.call_at(number).unwrap();
            assert_eq!(sample::owned(&reader, &held.call()), play(&events)[number as usize]);
        }
        assert!(matches!(reader.call_at(reader.len()), Err(ReadError::NoSuchCall(_))));
    }
}

#[test]
fn frames_end_at_presents() {
    let events: Vec<Event> = Source::new(7).events(300);
    let reader = Reader::new(Box::new(write(&events)), COMMANDS).unwrap();
    let mut next = 0;
    for index in 0..reader.frame_count() {
        let frame = reader.frame(index).unwrap();
        assert_eq!(frame.start, next);
        next = frame.end;
        assert_eq!(reader.frame_of(frame.start), index);
        assert_eq!(reader.frame_of(frame.end - 1), index);
        let last = reader.call_at(frame.end - 1).unwrap().call().signature.name.to_string();
        assert!(last == "afiPresent" || index + 1 == reader.frame_count());
    }
    assert_eq!(next, reader.len());
    assert_eq!(reader.frame(reader.frame_count()), None);
}
