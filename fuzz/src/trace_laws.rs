//! What holds for every file that claims to be a trace, however hostile.

use trace::{Call, ReadError, Reader};

/// Blobs that are read of one file: each may take time and memory, as large ones do.
const BLOBS: usize = 24;

/// Reads a file in every way there is, and panics if a law is broken.
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
                assert_eq!(call.number, next, "calls come in order, and what is missing is reported");
                next += 1;
                assert_eq!(call.args.len(), call.signature.params.len());
                look_at_memory(&reader, &call, &mut blobs);
                if seen.len() < 8 || call.number % 61 == 0 {
                    seen.push((call.number, fingerprint(&call)));
                }
            }
            Err(ReadError::Lost { first, last, .. }) => {
                assert!(first == next && last >= first, "a loss is where the next call would be");
                next = last + 1;
            }
            Err(error) => panic!("memory can be read: {error}"),
        }
    }
    assert_eq!(next, reader.len(), "all calls come, or are reported lost");
    for (number, expected) in seen.iter().rev().take(32) {
        let held = reader.call_at(*number).expect("it was there before");
        assert_eq!(fingerprint(&held.call()), *expected, "a call is the same however it is asked for");
        calls.seek(*number);
        let again = calls.next().expect("it was there before").expect("it was there before");
        assert_eq!(fingerprint(&again), *expected);
    }
    let mut end = 0;
    for index in 0..reader.frame_count().min(100) {
        let frame = reader.frame(index).expect("frames are counted");
        assert!(frame.start == end && frame.end > frame.start && frame.end <= reader.len());
        assert_eq!((reader.frame_of(frame.start), reader.frame_of(frame.end - 1)), (index, index));
        end = frame.end;
    }
    assert!(reader.losses().iter().all(|loss| !loss.to_string().is_empty()));
}

fn look_at_memory(reader: &Reader, call: &Call<'_>, blobs: &mut usize) {
    let outputs = call.outcome.map(|outcome| outcome.outputs);
    for payload in call.inputs.iter().chain(outputs.iter().flat_map(|outputs| outputs.iter())) {
        if let trace::Data::Blob { .. } = payload.data {
            *blobs += 1;
            if *blobs > BLOBS {
                continue;
            }
        }
        // A blob may be missing or damaged; that is an answer.
        if let Ok(Some(bytes)) = reader.bytes(payload.data) {
            std::hint::black_box(bytes.len());
        }
    }
}

/// A number for everything that a call says.
fn fingerprint(call: &Call<'_>) -> u64 {
    xxhash_rust::xxh3::xxh3_64(format!("{call:?}").as_bytes())
}
