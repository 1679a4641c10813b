//! Traces that no program could have recorded: what they make GL do stays within memory that is theirs, and what is not
//! done is reported with its call.

use api::constant as c;
use driver::DeviceChoice;
use open_trace::OpenTrace;
use replay::Timeline;
use testing::trace::{TraceBuilder, float, names};

/// An address in the memory of the recorded program.
const ADDRESS: u64 = 0x7F00_0000_4000;

/// Replays a trace to its end. Returns what was not done, with the numbers of the calls.
#[track_caller]
fn problems(trace: TraceBuilder, name: &str) -> Vec<(u64, String)> {
    let file = trace.save(name);
    let trace = OpenTrace::open(&file).unwrap();
    let mut timeline = Timeline::open(trace, worker::open_egl(&DeviceChoice::First), true).unwrap();
    timeline.run_all().unwrap();
    timeline.problems().iter().map(|problem| (problem.command, problem.text.clone())).collect()
}

/// Replays a trace in which one call is not done, for this reason.
#[track_caller]
fn refused(trace: TraceBuilder, name: &str, call: u64, why: &str) {
    let problems = problems(trace, name);
    assert!(problems.iter().any(|(number, text)| *number == call && text.contains(why)), "{problems:?}");
}

fn word(value: u32) -> u64 {
    u64::from(value)
}

/// Adds an array of three vertices in the program's memory, whose first `skipped` bytes were left out.
fn array(trace: &mut TraceBuilder, stride: u64, skipped: u64) {
    let args = [0, 2, word(c::GL_FLOAT), 0, stride, ADDRESS];
    let memory: &[(u8, &[u8])] = &[(5, &[0; 24]), (api::SKIPPED, &skipped.to_le_bytes())];
    trace.reading("glVertexAttribPointer", &args, memory);
    trace.call("glEnableVertexAttribArray", &[0]);
}

/// Adds a mapped buffer.
fn mapped(trace: &mut TraceBuilder) {
    trace.returning("glGenBuffers", &[1, ADDRESS], 0, &[(1, &names(&[1]))]);
    trace.call("glBindBuffer", &[word(c::GL_ARRAY_BUFFER), 1]);
    trace.call("glBufferData", &[word(c::GL_ARRAY_BUFFER), 1 << 20, 0, word(c::GL_STATIC_DRAW)]);
    trace.returning("glMapBuffer", &[word(c::GL_ARRAY_BUFFER), word(c::GL_WRITE_ONLY)], ADDRESS, &[]);
}

#[test]
fn a_map_ends_with_the_storage_of_its_buffer() {
    let ends: [fn(&mut TraceBuilder); 3] = [
        |trace| {
            trace.call("glBufferData", &[word(c::GL_ARRAY_BUFFER), 16, 0, word(c::GL_STATIC_DRAW)]);
        },
        |trace| {
            trace.reading("glDeleteBuffers", &[1, ADDRESS], &[(1, &names(&[1]))]);
        },
        |trace| {
            trace.returning("glUnmapBuffer", &[word(c::GL_ARRAY_BUFFER)], 1, &[]);
        },
    ];
    for end in ends {
        let mut trace = TraceBuilder::new(8);
        mapped(&mut trace);
        trace.reading("afiMemory", &[ADDRESS, 0, 4, ADDRESS], &[(3, b"good")]);
        end(&mut trace);
        let call = trace.reading("afiMemory", &[ADDRESS, 65536, 4, ADDRESS], &[(3, b"evil")]);
        refused(trace, "hostile-map", call, "no buffer is mapped here");
    }
    let mut trace = TraceBuilder::new(8);
    mapped(&mut trace);
    let call = trace.reading("afiMemory", &[ADDRESS, (1 << 20) - 2, 4, ADDRESS], &[(3, b"evil")]);
    refused(trace, "hostile-map-end", call, "no buffer is mapped here");
}

#[test]
fn texels_that_a_trace_does_not_have_are_zeros() {
    let mut trace = TraceBuilder::new(8);
    trace.call("glTexParameteri", &[word(c::GL_TEXTURE_2D), word(c::GL_TEXTURE_MIN_FILTER), word(c::GL_NEAREST)]);
    let [target, format, kind] = [c::GL_TEXTURE_2D, c::GL_RGBA, c::GL_UNSIGNED_BYTE].map(word);
    let args = [target, 0, format, 256, 256, 0, format, kind, ADDRESS];
    trace.reading("glTexImage2D", &args, &[(8, &[7; 16])]);
    let mut texels = vec![0; 256 * 256 * 4];
    texels[..16].fill(7);
    trace.returning("glGetTexImage", &[target, 0, format, kind, ADDRESS], 0, &[(4, &texels)]);
    let file = trace.save("hostile-texels");
    let trace = OpenTrace::open(&file).unwrap();
    let mut timeline = Timeline::open(trace, worker::open_egl(&DeviceChoice::First), true).unwrap();
    timeline.run_all().unwrap();
    let readbacks = &timeline.tally().readbacks;
    assert_eq!((readbacks.compared, readbacks.equal), (1, 1), "{:?}", timeline.tally());
}

#[test]
fn readbacks_have_room_for_all_that_is_read() {
    let mut trace = TraceBuilder::new(64);
    trace.call("glPixelStorei", &[word(c::GL_PACK_ROW_LENGTH), 100_000]);
    trace.call("glPixelStorei", &[word(c::GL_PACK_SKIP_ROWS), 50]);
    let args = [0, 0, 64, 64, word(c::GL_RGBA), word(c::GL_FLOAT), ADDRESS];
    trace.returning("glReadPixels", &args, 0, &[(6, &[0; 16])]);
    // More than there can be.
    trace.call("glPixelStorei", &[word(c::GL_PACK_ROW_LENGTH), 0x7FFF_FFFF]);
    let call = trace.returning("glReadPixels", &args, 0, &[(6, &[0; 16])]);
    refused(trace, "hostile-readback", call, "too much memory");
}

#[test]
fn feedback_stays_in_its_buffer() {
    let mut trace = TraceBuilder::new(8);
    let feedback =
        |trace: &mut TraceBuilder, size: u64| trace.call("glFeedbackBuffer", &[size, word(c::GL_3D), ADDRESS]);
    feedback(&mut trace, 1 << 20);
    trace.call("glRenderMode", &[word(c::GL_FEEDBACK)]);
    // GL rejects these, and goes on with the first.
    feedback(&mut trace, 4);
    feedback(&mut trace, 1 << 22);
    array(&mut trace, 0, 0);
    trace.call("glBegin", &[word(c::GL_POINTS)]);
    for _ in 0..2000 {
        trace.call("glVertex2f", &[0, 0]);
    }
    trace.call("glEnd", &[]);
    trace.call("glRenderMode", &[word(c::GL_RENDER)]);
    let call = feedback(&mut trace, 1 << 30);
    let problems = problems(trace, "hostile-feedback");
    assert!(problems.iter().any(|(number, _)| *number == call), "{problems:?}");
}

#[test]
fn draws_stay_in_their_arrays() {
    let outside = "outside of the memory of its arrays";
    let mut trace = TraceBuilder::new(8);
    array(&mut trace, 0, 0);
    let call = trace.call("glDrawArrays", &[word(c::GL_POINTS), 0x7FFF_0000, 3]);
    refused(trace, "hostile-first", call, outside);

    let mut trace = TraceBuilder::new(8);
    array(&mut trace, 0, 0);
    let args = [word(c::GL_POINTS), 1, word(c::GL_UNSIGNED_INT), ADDRESS];
    let call = trace.reading("glDrawElements", &args, &[(3, &[255; 4])]);
    refused(trace, "hostile-index", call, outside);

    let mut trace = TraceBuilder::new(8);
    array(&mut trace, 1 << 30, 0);
    let call = trace.call("glDrawArrays", &[word(c::GL_POINTS), 0, 1000]);
    refused(trace, "hostile-stride", call, outside);

    // An array that begins somewhere else than its bytes.
    for skipped in [1 << 40, u64::MAX, u64::MAX - 63] {
        let mut trace = TraceBuilder::new(8);
        array(&mut trace, 0, skipped);
        trace.call("glDrawArrays", &[word(c::GL_POINTS), 0, 3]);
        let problems = problems(trace, "hostile-skipped");
        assert!(problems[0].1.contains("not enough memory for a vertex array"), "{problems:?}");
    }
}

#[test]
fn handles_of_the_recorded_process_are_not_used() {
    let why = "a handle or an address of the recorded process";
    let mut trace = TraceBuilder::new(8);
    let call = trace.call("glImportMemoryFdEXT", &[1, 4096, word(c::GL_HANDLE_TYPE_OPAQUE_FD_EXT), 0]);
    refused(trace, "hostile-fd", call, why);
    let mut trace = TraceBuilder::new(8);
    let call = trace.call("glBufferAddressRangeNV", &[word(c::GL_VERTEX_ATTRIB_ARRAY_ADDRESS_NV), 0, ADDRESS, 4096]);
    refused(trace, "hostile-address", call, why);
    let mut trace = TraceBuilder::new(8);
    let target = word(c::GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD);
    let args = [target, 16, ADDRESS, word(c::GL_STATIC_DRAW)];
    let call = trace.reading("glBufferData", &args, &[(2, &[0; 16])]);
    refused(trace, "hostile-pinned", call, "as an address");
}

#[test]
fn a_draw_after_refused_ones_is_drawn() {
    let mut trace = TraceBuilder::new(8);
    array(&mut trace, 0, 0);
    trace.call("glDrawArrays", &[word(c::GL_POINTS), 0x7FFF_0000, 3]);
    trace.call("glDisableVertexAttribArray", &[0]);
    trace.call("glColor3f", &[float(1.0), 0, 0]);
    trace.call("glRectf", &[float(-1.0), float(-1.0), float(1.0), float(1.0)]);
    let pixels = [255, 0, 0, 255].repeat(64);
    let args = [0, 0, 8, 8, word(c::GL_RGBA), word(c::GL_UNSIGNED_BYTE), ADDRESS];
    trace.returning("glReadPixels", &args, 0, &[(6, &pixels)]);
    let file = trace.save("hostile-after");
    let trace = OpenTrace::open(&file).unwrap();
    let mut timeline = Timeline::open(trace, worker::open_egl(&DeviceChoice::First), true).unwrap();
    timeline.run_all().unwrap();
    assert_eq!((timeline.problems().len(), timeline.tally().readbacks.equal), (1, 1), "{:?}", timeline.tally());
}
