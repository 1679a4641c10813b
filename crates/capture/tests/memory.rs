//! Memory that a program passes to GL is in the rings, and the program is not affected.

#[path = "programs/harness.rs"]
#[allow(dead_code, reason = "not every test uses all of it")]
mod harness;

use harness::{Call, Recording, compile, record, run};

const SKIPPED: u8 = 255;

fn recorded() -> Recording {
    let path = compile("memory.c", &["-l:libEGL.so.1", "-l:libGL.so.1"]);
    let plain = run(&path);
    assert_eq!(String::from_utf8_lossy(&plain.stderr), "");
    assert_eq!(plain.status.code(), Some(0));
    let recording = record(&path);
    assert_eq!(recording.output, plain);
    assert_eq!(recording.problems(), Vec::<String>::new());
    recording
}

/// Returns vertices of the program as bytes.
fn vertices(range: std::ops::Range<usize>) -> Vec<u8> {
    range.flat_map(|at| [at as f32, (at % 3) as f32]).flat_map(f32::to_le_bytes).collect()
}

/// Returns the calls by capture right before one of the program's.
fn before<'a>(recording: &'a Recording, name: &str, nth: usize) -> Vec<&'a Call> {
    let calls = &recording.calls;
    let at = (0..calls.len()).filter(|at| calls[*at].name == name && !calls[*at].by_capture).nth(nth).unwrap();
    let mut found: Vec<_> = calls[..at].iter().rev().take_while(|call| call.by_capture).collect();
    found.reverse();
    found
}

#[test]
fn memory_is_recorded() {
    let recording = recorded();
    arrays(&recording);
    strings_and_pixels(&recording);
    maps(&recording);
}

fn arrays(recording: &Recording) {
    let [first] = before(recording, "glDrawArrays", 0)[..] else { panic!("exactly one array is specified") };
    assert_eq!((first.name, &first.inputs[&3]), ("glVertexPointer", &vertices(0..3)));
    let far = before(recording, "glDrawArrays", 1)[0];
    assert_eq!(far.inputs[&3], vertices(3000..3003));
    assert_eq!(far.inputs[&SKIPPED], (3000_u64 * 8).to_le_bytes());

    let with_indices = before(recording, "glDrawElements", 0)[0];
    assert_eq!(with_indices.inputs[&3], vertices(10..31));
    let draws: Vec<_> = recording.of("glDrawElements").collect();
    assert_eq!(draws[0].inputs[&3], [20, 0, 10, 0, 30, 0]);
    let from_buffer = before(recording, "glDrawElements", 1)[0];
    assert_eq!(from_buffer.inputs[&3], vertices(10..31));
    assert!(draws[1].inputs.is_empty(), "indices in a buffer are not recorded with the draw call");

    let names: Vec<_> = before(recording, "glDrawArrays", 2).iter().map(|call| call.name).collect();
    let expected = ["glVertexPointer", "glClientActiveTexture", "glTexCoordPointer", "glClientActiveTexture"];
    assert_eq!(names, expected);

    // Within a primitive arrays cannot be specified, so it is started again.
    let names: Vec<_> = before(recording, "glArrayElement", 0).iter().map(|call| call.name).collect();
    assert_eq!(names, ["glEnd", "glVertexPointer", "glBegin"]);
    let window = &before(recording, "glArrayElement", 0)[1].inputs[&3];
    assert!(window.starts_with(&vertices(0..3)));
}

fn strings_and_pixels(recording: &Recording) {
    let source = recording.of("glShaderSource").next().unwrap();
    let mut expected = Vec::new();
    for text in ["void ma", "in() {}", "// end\n"] {
        expected.extend((text.len() as u32).to_le_bytes());
        expected.extend(text.bytes());
    }
    assert_eq!(source.inputs[&2], expected);
    let images: Vec<_> = recording.of("glTexImage2D").collect();
    // Two rows of five pixels, padded to two bytes each, and three pixels.
    assert_eq!(images[0].inputs[&8].len(), 16 + 16 + 9);
    assert!(images[1].inputs.is_empty());
}

fn maps(recording: &Recording) {
    let written: Vec<_> = recording.of("afiMemory").map(|call| (call.args[1], call.inputs[&3].clone())).collect();
    let expected = [
        (500, vec![7; 10]),
        (0, vec![8; 50]),
        (30, vec![9; 4]),
        (1, vec![1]),
        (20_000, b"mem".to_vec()),
        (70_000, vec![5]),
    ];
    assert_eq!(written, expected);
    let readable: Vec<_> = recording.of("afiMapped").map(|call| call.inputs[&3].len()).collect();
    assert_eq!(readable, [1000]);
    let last = recording.of("glMapBufferRange").last().unwrap();
    assert_eq!(recording.of("afiMemory").last().unwrap().args[0], last.result.unwrap());
}
