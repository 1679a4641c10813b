//! Laws that hold for every file that claims to be a trace, however hostile.

use trace::{Call, ReadError, Reader};

/// Maximum number of blobs read per file: large ones take time and memory.
const BLOBS: usize = 24;

/// Reads a file in every possible way, and panics if a law is violated.
pub fn check(data: &[u8]) {
    let Ok(reader) = Reader::new(Box::new(data.to_vec()), api::COMMANDS) else { return };
    let mut blobs = 0;
    let mut next = 0;
    let mut seen: Vec<(u64, u64)> = Vec::new();
    let mut calls = reader.calls();
    loop {
        match calls.next() {
            Ok(None) => break,
            Ok(Some(call)) => {
                assert_eq!(call.number, next, "calls must be in order, and missing ones reported");
                next += 1;
                assert_eq!(call.args.len(), call.signature.params.len());
                read_memory(&reader, &call, &mut blobs);
                if seen.len() < 8 || call.number % 61 == 0 {
                    seen.push((call.number, fingerprint(&call)));
                }
            }
            Err(ReadError::Lost { first, last, .. }) => {
                assert!(first == next && last >= first, "a loss must be where the next call would be");
                next = last + 1;
            }
            Err(error) => panic!("reading from memory must not fail: {error}"),
        }
    }
    assert_eq!(next, reader.len(), "all calls must be returned or reported lost");
    for (number, expected) in seen.iter().rev().take(32) {
        let held = reader.call_at(*number).expect("the call was read before");
        assert_eq!(fingerprint(&held.call()), *expected, "a call must be the same however it is read");
        calls.seek(*number);
        let again = calls.next().expect("the call was read before").expect("the call was read before");
        assert_eq!(fingerprint(&again), *expected);
    }
    let mut end = 0;
    for index in 0..reader.frame_count().min(100) {
        let frame = reader.frame(index).expect("every counted frame exists");
        assert!(frame.start == end && frame.end > frame.start && frame.end <= reader.len());
        assert_eq!((reader.frame_of(frame.start), reader.frame_of(frame.end - 1)), (Some(index), Some(index)));
        end = frame.end;
    }
    assert!(reader.losses().iter().all(|loss| !loss.to_string().is_empty()));
}

fn read_memory(reader: &Reader, call: &Call<'_>, blobs: &mut usize) {
    let outputs = call.outcome.map(|outcome| outcome.outputs);
    for payload in call.inputs.iter().chain(outputs.iter().flat_map(|outputs| outputs.iter())) {
        if let trace::Data::Blob { .. } = payload.data {
            *blobs += 1;
            if *blobs > BLOBS {
                continue;
            }
        }
        // A blob may be missing or damaged; that is a valid result.
        if let Ok(Some(bytes)) = reader.bytes(payload.data) {
            std::hint::black_box(bytes.len());
        }
    }
}

/// Returns a number that depends on the whole call.
fn fingerprint(call: &Call<'_>) -> u64 {
    xxhash_rust::xxh3::xxh3_64(format!("{call:?}").as_bytes())
}
