//! Traces written by hand, replayed on the driver of this machine.

use std::path::Path;

use device::report::Tally;
use driver::DeviceChoice;
use open_trace::OpenTrace;
use replay::Timeline;
use testing::trace::{TraceBuilder, float, names};

const COLOR_BUFFER_BIT: u64 = 0x4000;
const RGBA: u64 = 0x1908;
const UNSIGNED_BYTE: u64 = 0x1401;
const TEXTURE_2D: u64 = 0x0DE1;
const SCISSOR_TEST: u64 = 0x0C11;
const FRAMEBUFFER: u64 = 0x8D40;
const FRONT: u64 = 0x0404;
const BACK: u64 = 0x0405;
const FRONT_AND_BACK: u64 = 0x0408;

/// Pictures of a surface of 8x8.
trait Pictures {
    /// A picture of the surface, all of one colour, as capture would have taken it.
    fn image(&mut self, pixel: [u8; 4]);

    fn clear(&mut self, colour: [f32; 3]);

    /// The program has read the surface and found these rows, of one colour each.
    fn reads(&mut self, buffer: u64, rows: [[u8; 3]; 8]);
}

impl Pictures for TraceBuilder {
    fn image(&mut self, pixel: [u8; 4]) {
        self.reading("afiImage", &[0, 1, 8, 8, 0x7F00_0000_3000], &[(4, &pixel.repeat(64))]);
        self.call("afiPresent", &[1]);
    }

    fn clear(&mut self, [red, green, blue]: [f32; 3]) {
        self.call("glClearColor", &[float(red), float(green), float(blue), float(1.0)]);
        self.call("glClear", &[COLOR_BUFFER_BIT]);
    }

    fn reads(&mut self, buffer: u64, rows: [[u8; 3]; 8]) {
        self.call("glReadBuffer", &[buffer]);
        let pixels: Vec<u8> = rows.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255].repeat(8)).collect();
        let args = [0, 0, 8, 8, RGBA, UNSIGNED_BYTE, 0x7F00_0000_6000];
        self.returning("glReadPixels", &args, 0, &[(6, &pixels)]);
    }
}

fn open(path: &Path) -> Timeline {
    Timeline::open(OpenTrace::open(path).unwrap(), worker::open_egl(&DeviceChoice::First), true).unwrap()
}

#[track_caller]
fn verify(trace: &Path) -> Tally {
    let mut timeline = open(trace);
    timeline.run_all().unwrap();
    assert_eq!(timeline.problems(), []);
    timeline.tally().clone()
}

#[test]
fn frames_are_compared_with_the_recording() {
    let mut trace = TraceBuilder::new(8);
    for red in [0.0f32, 1.0, 0.2] {
        trace.call("glClearColor", &[float(red), 0, 0, float(1.0)]);
        trace.call("glClear", &[COLOR_BUFFER_BIT]);
        let byte = (red * 255.0).round() as u8;
        trace.image([byte, 0, 0, 255]);
    }
    trace.image([9, 9, 9, 9]);
    let tally = verify(&trace.save("written-frames"));
    assert_eq!((tally.frames.compared, tally.frames.equal), (4, 3));
    assert_eq!(tally.differences.len(), 1);
    assert!(tally.differences[0].text.starts_with("256 of 256 bytes differ, by at most 246"), "{tally:?}");
}

#[test]
fn front_and_back_buffer_are_two() {
    let mut trace = TraceBuilder::new(8);
    trace.call("glDrawBuffer", &[BACK]);
    trace.clear([1.0, 0.0, 0.0]);
    trace.call("glPushAttrib", &[COLOR_BUFFER_BIT]);
    trace.call("glDrawBuffer", &[FRONT]);
    trace.clear([0.0, 1.0, 0.0]);
    trace.reads(FRONT, [[0, 255, 0]; 8]);
    trace.reads(BACK, [[255, 0, 0]; 8]);
    // Drawn to both where they differ.
    trace.call("glDrawBuffer", &[FRONT_AND_BACK]);
    trace.call("glEnable", &[SCISSOR_TEST]);
    trace.call("glScissor", &[0, 0, 8, 2]);
    trace.clear([0.0, 0.0, 1.0]);
    trace.call("glDisable", &[SCISSOR_TEST]);
    let (blue, red, green) = ([0, 0, 255], [255, 0, 0], [0, 255, 0]);
    trace.reads(FRONT, [blue, blue, green, green, green, green, green, green]);
    trace.reads(BACK, [blue, blue, red, red, red, red, red, red]);
    // And then everywhere, and a little more by a draw.
    trace.clear([0.0, 0.0, 0.0]);
    trace.call("glColor3f", &[float(1.0), float(1.0), float(1.0)]);
    trace.call("glRectf", &[float(-1.0), float(-1.0), float(1.0), float(0.0)]);
    let (white, black) = ([255, 255, 255], [0, 0, 0]);
    let half = [white, white, white, white, black, black, black, black];
    trace.reads(FRONT, half);
    trace.call("glPopAttrib", &[]);
    trace.clear([1.0, 1.0, 0.0]);
    trace.reads(FRONT, half);
    trace.reads(BACK, [[255, 255, 0]; 8]);
    let tally = verify(&trace.save("written-front"));
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (7, 7), "{tally:?}");
}

#[test]
fn what_was_shown_is_in_front_of_what_is_drawn_next() {
    let mut trace = TraceBuilder::new(8);
    for red in [0.2f32, 1.0] {
        trace.clear([red, 0.0, 0.0]);
        trace.image([(red * 255.0).round() as u8, 0, 0, 255]);
    }
    trace.clear([0.0, 0.0, 1.0]);
    // Nothing announced this question before.
    trace.reads(FRONT, [[255, 0, 0]; 8]);
    trace.reads(BACK, [[0, 0, 255]; 8]);
    trace.image([0, 0, 255, 255]);
    trace.reads(FRONT, [[0, 0, 255]; 8]);
    let tally = verify(&trace.save("written-shown"));
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (3, 3), "{tally:?}");
    assert_eq!((tally.frames.compared, tally.frames.equal), (3, 3), "{tally:?}");
}

#[test]
fn front_and_back_buffer_share_their_depth() {
    const DEPTH_TEST: u64 = 0x0B71;
    let mut trace = TraceBuilder::new(8);
    trace.call("glEnable", &[DEPTH_TEST]);
    trace.call("glClear", &[COLOR_BUFFER_BIT | 0x0100]);
    // The lower half is near, so that nothing is drawn there behind it, in the other buffer either.
    trace.call("glBegin", &[7]);
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (-1.0, 0.0)] {
        trace.call("glVertex3f", &[float(x), float(y), float(-0.5)]);
    }
    trace.call("glEnd", &[]);
    trace.call("glDrawBuffer", &[FRONT]);
    trace.clear([0.0, 0.0, 0.0]);
    trace.call("glColor3f", &[float(1.0), 0, 0]);
    trace.call("glRectf", &[float(-1.0), float(-1.0), float(1.0), float(1.0)]);
    let (red, black) = ([255, 0, 0], [0, 0, 0]);
    trace.reads(FRONT, [black, black, black, black, red, red, red, red]);
    let tally = verify(&trace.save("written-depth"));
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn a_surface_with_one_buffer_has_no_other() {
    let mut trace = TraceBuilder::new(8);
    trace.call("afiSurface", &[2, 0x7F00_0000_2100, 0, 8, 8, 8, 8, 8, 8, 24, 8, 0, 0, 0]);
    trace.call("afiCurrent", &[1, 2, 2]);
    trace.call("glDrawBuffer", &[FRONT]);
    trace.clear([0.0, 1.0, 0.0]);
    trace.reads(FRONT, [[0, 255, 0]; 8]);
    let tally = verify(&trace.save("written-single"));
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn a_pbuffer_becomes_a_texture() {
    let mut trace = TraceBuilder::new(8);
    let handle = 0x7F00_0000_2200;
    let attributes: Vec<u8> =
        [0x3080, 0x305D, 0x3081, 0x305F, 0x3038].iter().flat_map(|word: &i32| word.to_ne_bytes()).collect();
    trace.record(0, "eglCreatePbufferSurface", &[1, 1, 0x7F00_0000_2300], &[(2, &attributes)], handle, &[]);
    trace.call("afiSurface", &[2, handle, 1, 2, 1, 8, 8, 8, 8, 0, 0, 0, 0, 0]);
    trace.call("afiCurrent", &[1, 2, 2]);
    trace.call("glClearColor", &[float(1.0), 0, float(0.2), float(0.4)]);
    trace.call("glClear", &[COLOR_BUFFER_BIT]);
    trace.call("afiCurrent", &[1, 1, 1]);
    trace.clear([0.0, 0.0, 0.0]);
    trace.returning("glGenTextures", &[1, 0x7F00_0000_4000], 0, &[(1, &names(&[5]))]);
    trace.call("glBindTexture", &[TEXTURE_2D, 5]);
    trace.returning("eglBindTexImage", &[1, handle, 0x3084], 1, &[]);
    let texels = [255, 0, 51, 255, 255, 0, 51, 255];
    trace.returning("glGetTexImage", &[TEXTURE_2D, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_4000], 0, &[(4, &texels)]);
    // The context reads from its own surface as before.
    trace.reads(BACK, [[0, 0, 0]; 8]);
    let tally = verify(&trace.save("written-pbuffer"));
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (2, 2), "{tally:?}");
}

#[test]
fn names_are_what_the_driver_gives() {
    let mut trace = TraceBuilder::new(8);
    // No driver generates these names.
    trace.returning("glGenTextures", &[2, 0x7F00_0000_4000], 0, &[(1, &names(&[900, 70_000]))]);
    for (name, colour) in [(900, [10, 20, 30, 255]), (70_000, [40, 50, 60, 255])] {
        trace.call("glBindTexture", &[TEXTURE_2D, name]);
        let args = [TEXTURE_2D, 0, RGBA, 1, 1, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_5000];
        trace.reading("glTexImage2D", &args, &[(8, &colour)]);
    }
    let args = [TEXTURE_2D, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_6000];
    trace.call("glBindTexture", &[TEXTURE_2D, 900]);
    trace.returning("glGetTexImage", &args, 0, &[(4, &[10, 20, 30, 255])]);
    trace.reading("glDeleteTextures", &[1, 0x7F00_0000_7000], &[(1, &names(&[900]))]);
    trace.call("glBindTexture", &[TEXTURE_2D, 70_000]);
    trace.returning("glGetTexImage", &args, 0, &[(4, &[40, 50, 60, 255])]);
    trace.returning("glGetError", &[], 0, &[]);
    let tally = verify(&trace.save("written-names"));
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (2, 2), "{tally:?}");
    assert_eq!((tally.errors.compared, tally.errors.equal), (1, 1));
}

#[test]
fn a_second_context_shares_textures_on_another_thread() {
    let mut trace = TraceBuilder::new(8);
    trace.context(2, 1, api::constant::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT);
    trace.record(1, "afiCurrent", &[2, 0, 0], &[], 0, &[]);
    trace.record(1, "glGenTextures", &[1, 0x7F00_0000_4000], &[], 0, &[(1, &names(&[55]))]);
    trace.record(1, "glBindTexture", &[TEXTURE_2D, 55], &[], 0, &[]);
    let args = [TEXTURE_2D, 0, RGBA, 1, 1, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_5000];
    trace.record(1, "glTexImage2D", &args, &[(8, &[1, 2, 3, 4])], 0, &[]);
    let args = [TEXTURE_2D, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_6000];
    // The first thread has nothing bound yet: what its context has bound is its own.
    trace.call("glBindTexture", &[TEXTURE_2D, 55]);
    trace.returning("glGetTexImage", &args, 0, &[(4, &[1, 2, 3, 4])]);
    let tally = verify(&trace.save("written-threads"));
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn maps_are_written_where_the_driver_has_them() {
    const ARRAY_BUFFER: u64 = 0x8892;
    const WRITE_ONLY: u64 = 0x88B9;
    let (address, data) = (0x7E00_0000_0000, 0x7F00_0000_8000);
    let mut trace = TraceBuilder::new(8);
    trace.call("glBindBuffer", &[ARRAY_BUFFER, 77]);
    trace.reading("glBufferData", &[ARRAY_BUFFER, 8, data, 0x88E4], &[(2, &[0; 8])]);
    trace.returning("glMapBuffer", &[ARRAY_BUFFER, WRITE_ONLY], address, &[]);
    trace.reading("afiMemory", &[address, 2, 3, data], &[(3, &[7, 8, 9])]);
    trace.returning("glUnmapBuffer", &[ARRAY_BUFFER], 1, &[]);
    trace.returning("glGetBufferSubData", &[ARRAY_BUFFER, 0, 8, data], 0, &[(3, &[0, 0, 7, 8, 9, 0, 0, 0])]);
    let file = trace.save("written-maps");
    let tally = verify(&file);
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn memory_that_is_not_mapped_is_not_written() {
    let mut trace = TraceBuilder::new(8);
    trace.reading("afiMemory", &[0x7E00_0000_0000, 2, 3, 0x7F00_0000_8000], &[(3, &[7, 8, 9])]);
    let file = trace.save("written-unmapped");
    let mut timeline = open(&file);
    timeline.run_all().unwrap();
    assert_eq!(timeline.problems().len(), 1);
}

#[test]
fn padding_between_rows_does_not_count() {
    let mut trace = TraceBuilder::new(8);
    trace.call("glClearColor", &[float(1.0), 0, 0, float(1.0)]);
    trace.call("glClear", &[COLOR_BUFFER_BIT]);
    // Three pixels of three bytes a row, padded to twelve: what is between rows was in the program's memory before.
    let row = [255, 0, 0, 255, 0, 0, 255, 0, 0, 1, 2, 3];
    let args = [0, 0, 3, 2, 0x1907, UNSIGNED_BYTE, 0x7F00_0000_9000];
    trace.returning("glReadPixels", &args, 0, &[(6, &row.repeat(2)[..21])]);
    let tally = verify(&trace.save("written-padding"));
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn client_arrays_are_kept_for_the_draw() {
    const FLOAT: u64 = 0x1406;
    const VERTEX_ARRAY: u64 = 0x8074;
    let mut trace = TraceBuilder::new(8);
    let corners: Vec<u8> =
        [-1.0f32, -1.0, 3.0, -1.0, -1.0, 3.0].iter().flat_map(|coordinate| coordinate.to_ne_bytes()).collect();
    trace.call("glClear", &[COLOR_BUFFER_BIT]);
    trace.call("glColor4f", &[float(0.0), float(1.0), float(0.0), float(1.0)]);
    trace.call("glEnableClientState", &[VERTEX_ARRAY]);
    trace.reading("glVertexPointer", &[2, FLOAT, 0, 0x7F00_0000_A000], &[(3, &corners)]);
    trace.call("glDrawArrays", &[4, 0, 3]);
    trace.image([0, 255, 0, 255]);
    let tally = verify(&trace.save("written-arrays"));
    assert_eq!((tally.frames.compared, tally.frames.equal), (1, 1), "{tally:?}");
}

#[test]
fn going_back_gives_what_going_forward_gave() {
    let mut trace = TraceBuilder::new(8);
    let mut clears = Vec::new();
    for red in [0.2f32, 0.6, 1.0] {
        trace.call("glClearColor", &[float(red), 0, 0, float(1.0)]);
        clears.push(trace.call("glClear", &[COLOR_BUFFER_BIT]));
    }
    let file = trace.save("written-seek");
    let mut timeline = open(&file);
    let mut red = |command: u64| {
        timeline.seek(command).unwrap();
        timeline.read_pixels().unwrap().rgba[0]
    };
    let forward: Vec<u8> = clears.iter().map(|&command| red(command)).collect();
    let backward: Vec<u8> = clears.iter().rev().map(|&command| red(command)).collect();
    assert_eq!(forward, [51, 153, 255]);
    assert!(backward.iter().rev().eq(&forward));
    assert!(timeline.seek(1000).is_err());
}

/// State, contents and objects that come and go, looked at in any order, look as they do from the start.
#[test]
fn a_walk_back_and_forth_sees_what_was_seen_on_the_way() {
    let mut trace = TraceBuilder::new(8);
    // New surfaces and textures have undefined contents.
    trace.call("glClear", &[COLOR_BUFFER_BIT]);
    trace.returning("glGenTextures", &[1, 0x7F00_0000_0000], 0, &[(1, &names(&[3]))]);
    trace.call("glBindTexture", &[TEXTURE_2D, 3]);
    trace.call("glTexImage2D", &[TEXTURE_2D, 0, 0x8058, 8, 8, 0, RGBA, UNSIGNED_BYTE, 0]);
    trace.returning("glGenFramebuffers", &[1, 0x7F00_0000_0000], 0, &[(1, &names(&[5]))]);
    trace.call("glBindFramebuffer", &[FRAMEBUFFER, 5]);
    trace.call("glFramebufferTexture2D", &[FRAMEBUFFER, 0x8CE0, TEXTURE_2D, 3, 0]);
    trace.call("glClear", &[COLOR_BUFFER_BIT]);
    trace.call("glEnable", &[SCISSOR_TEST]);
    let mut looks = Vec::new();
    for frame in 0..6u64 {
        for (framebuffer, shift) in [(5, 0), (0, 1)] {
            trace.call("glBindFramebuffer", &[FRAMEBUFFER, framebuffer]);
            trace.returning("glGenTextures", &[1, 0x7F00_0000_0000], 0, &[(1, &names(&[9]))]);
            trace.call("glBindTexture", &[TEXTURE_2D, 9]);
            for place in 0..4 {
                trace.call("glScissor", &[place + shift, frame, 3, 2]);
                let colour = [place as f32 / 4.0, frame as f32 / 6.0, shift as f32, 1.0].map(float);
                trace.call("glClearColor", &colour);
                looks.push(trace.call("glClear", &[COLOR_BUFFER_BIT]));
            }
            trace.reading("glDeleteTextures", &[1, 0x7F00_0000_0000], &[(1, &names(&[9]))]);
            looks.push(trace.call("glBindTexture", &[TEXTURE_2D, 3]));
        }
        trace.call("afiPresent", &[1]);
    }
    let file = trace.save("written-walk");
    let mut walk = open(&file);
    let (count, mut at) = (looks.len(), looks.len() - 1);
    for step in 0..60 {
        let number = looks[at];
        walk.look_at(number).unwrap();
        let mut fresh = open(&file);
        fresh.seek(number).unwrap();
        assert_eq!(walk.read_pixels(), fresh.read_pixels(), "after command {number}");
        // Mostly a few steps back, now and then far away.
        at = if step % 9 == 8 { (at * 7 + 5) % count } else { (at + count - 1 - step % 3) % count };
    }
    let returns = walk.returns();
    assert!(returns.by_checkpoint > 10, "{returns:?}");
    assert!(returns.anew.iter().any(|restart| restart.reason == "a texture was deleted since"), "{returns:?}");
}

#[test]
fn a_window_may_change_its_size() {
    let mut trace = TraceBuilder::new(8);
    trace.call("glClear", &[COLOR_BUFFER_BIT]);
    trace.surface(1, 4, 2);
    trace.call("glClearColor", &[float(1.0), float(1.0), float(1.0), float(1.0)]);
    trace.call("glClear", &[COLOR_BUFFER_BIT]);
    trace.reading("afiImage", &[0, 1, 4, 2, 0x7F00_0000_3000], &[(4, &[255; 32])]);
    let tally = verify(&trace.save("written-size"));
    assert_eq!((tally.frames.compared, tally.frames.equal), (1, 1), "{tally:?}");
}

#[test]
fn nonsense_is_refused() {
    let mut trace = TraceBuilder::new(8);
    trace.call("afiCurrent", &[7, 0, 0]);
    let file = trace.save("written-nonsense");
    let error = open(&file).run_all().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the trace makes context 7 current, but says nothing of it; it lacks its beginning or is damaged"
    );
}
