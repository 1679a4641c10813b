//! Bytes of buffers, resolved from the calls of a small trace.

#[path = "contents/texels.rs"]
mod texels;

use std::sync::Arc;

use api::{CommandId, constant as c, id};
use chronicle::{Chronicle, Piece, PieceContents};
use testing::trace::{TraceBuilder, names};
use trace::Reader;

const MAP: u64 = 0x7000_0000_0000;

struct Recording(TraceBuilder);

impl Recording {
    fn call(&mut self, command: CommandId, args: &[u64], input: Option<(u8, &[u8])>, result: u64) {
        self.full(command, args, input, None, result);
    }

    fn full(
        &mut self,
        command: CommandId,
        args: &[u64],
        input: Option<(u8, &[u8])>,
        output: Option<(u8, &[u8])>,
        result: u64,
    ) {
        let (inputs, outputs) = (Vec::from_iter(input), Vec::from_iter(output));
        self.0.record(0, command, args, &inputs, result, &outputs);
    }

    /// Ends the trace, and opens it.
    fn end(self) -> Reader {
        Reader::new(Box::new(self.0.bytes()), api::COMMANDS).expect("what was written can be read")
    }
}

fn begin() -> Recording {
    let mut recording = Recording(TraceBuilder::empty());
    recording.call(id::afiContext, &[1, 0, 0, c::EGL_OPENGL_API.into(), 4, 5, 2, 0], None, 0);
    recording.call(id::afiCurrent, &[1, 0, 0], None, 0);
    recording.full(id::glGenBuffers, &[2, 0x1000], None, Some((1, &names(&[1, 2]))), 0);
    recording
}

fn pieces(recording: Recording, name: u32, from: u64, to: u64) -> Vec<Piece> {
    let reader = recording.end();
    let last = reader.len() - 1;
    let chronicle = Chronicle::new(Arc::new(reader));
    let model = chronicle.after(last).expect("there is a last call");
    let context = model.context(1).expect("there is a context");
    let object = model.groups[context.group].buffers[&name].object;
    chronicle.contents(&model, context.group, object, from, to).expect("the trace can be read")
}

const ARRAY: u64 = c::GL_ARRAY_BUFFER as u64;
const COPY: u64 = c::GL_COPY_WRITE_BUFFER as u64;
const STATIC: u64 = c::GL_STATIC_DRAW as u64;

#[test]
fn later_calls_write_over_earlier_ones() {
    let mut recording = begin();
    recording.call(id::glBindBuffer, &[ARRAY, 1], None, 0);
    recording.call(id::glBufferData, &[ARRAY, 8, 0x1000, STATIC], Some((2, &[1, 2, 3, 4, 5, 6, 7, 8])), 0);
    recording.call(id::glBufferSubData, &[ARRAY, 2, 3, 0x1000], Some((3, &[30, 40, 50])), 0);
    let found = pieces(recording, 1, 1, 8);
    let bytes: Vec<_> = found.iter().map(|piece| (piece.from, piece.call, piece.found.clone())).collect();
    assert_eq!(
        bytes,
        [
            (1, Some(4), PieceContents::Bytes(vec![2])),
            (2, Some(5), PieceContents::Bytes(vec![30, 40, 50])),
            (5, Some(4), PieceContents::Bytes(vec![6, 7, 8])),
        ]
    );
}

#[test]
fn copies_are_followed_to_what_was_there_then() {
    let mut recording = begin();
    recording.call(id::glBindBuffer, &[ARRAY, 1], None, 0);
    recording.call(id::glBindBuffer, &[COPY, 2], None, 0);
    recording.call(id::glBufferData, &[ARRAY, 4, 0x1000, STATIC], Some((2, &[1, 2, 3, 4])), 0);
    recording.call(id::glBufferData, &[COPY, 4, 0, STATIC], None, 0);
    recording.call(id::glCopyBufferSubData, &[ARRAY, COPY, 1, 0, 3], None, 0);
    recording.call(id::glBufferSubData, &[ARRAY, 0, 4, 0x1000], Some((3, &[9, 9, 9, 9])), 0);
    let found = pieces(recording, 2, 0, 4);
    assert_eq!(
        found,
        [
            Piece { from: 0, to: 3, call: Some(7), found: PieceContents::Bytes(vec![2, 3, 4]) },
            Piece { from: 3, to: 4, call: Some(6), found: PieceContents::Unwritten },
        ]
    );
}

#[test]
fn maps_are_written_through() {
    let mut recording = begin();
    recording.call(id::glBindBuffer, &[ARRAY, 1], None, 0);
    recording.call(id::glBufferData, &[ARRAY, 8, 0, STATIC], None, 0);
    let writing = c::GL_MAP_WRITE_BIT.into();
    recording.call(id::glMapBufferRange, &[ARRAY, 4, 4, writing], None, MAP);
    recording.call(id::afiMemory, &[MAP, 1, 2, 0x1000], Some((3, &[7, 8])), 0);
    recording.call(id::glUnmapBuffer, &[ARRAY], None, 1);
    let found = pieces(recording, 1, 0, 8);
    assert_eq!(
        found,
        [
            Piece { from: 0, to: 5, call: Some(4), found: PieceContents::Unwritten },
            Piece { from: 5, to: 7, call: Some(6), found: PieceContents::Bytes(vec![7, 8]) },
            Piece { from: 7, to: 8, call: Some(4), found: PieceContents::Unwritten },
        ]
    );
}

#[test]
fn clears_repeat_their_value() {
    let mut recording = begin();
    recording.call(id::glBindBuffer, &[ARRAY, 1], None, 0);
    recording.call(id::glBufferData, &[ARRAY, 8, 0, STATIC], None, 0);
    let [format, client, kind] = [c::GL_RG8UI, c::GL_RG_INTEGER, c::GL_UNSIGNED_BYTE].map(u64::from);
    recording.call(id::glClearBufferSubData, &[ARRAY, format, 2, 4, client, kind, 0x1000], Some((6, &[5, 6])), 0);
    let found = pieces(recording, 1, 3, 6);
    assert_eq!(found, [Piece { from: 3, to: 6, call: Some(5), found: PieceContents::Bytes(vec![6, 5, 6]) }]);
}
