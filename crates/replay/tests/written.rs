//! Traces written by hand, replayed on the driver of this machine.

use std::path::{Path, PathBuf};

use device::report::Tally;
use driver::DeviceChoice;
use open_trace::OpenTrace;
use replay::Timeline;
use trace::{Content, Writer};

const COLOR_BUFFER_BIT: u64 = 0x4000;
const RGBA: u64 = 0x1908;
const UNSIGNED_BYTE: u64 = 0x1401;
const TEXTURE_2D: u64 = 0x0DE1;
const SCISSOR_TEST: u64 = 0x0C11;
const FRAMEBUFFER: u64 = 0x8D40;
const FRONT: u64 = 0x0404;
const BACK: u64 = 0x0405;
const FRONT_AND_BACK: u64 = 0x0408;

/// A trace being written.
struct Story {
    writer: Writer,
    path: PathBuf,
    calls: u64,
}

impl Story {
    /// A trace with a context and a surface of 8x8, both current.
    fn new(name: &str) -> Story {
        let path = std::env::temp_dir().join(format!("afterimage-written-{name}-{}.aftr", std::process::id()));
        let mut story = Story { writer: Writer::create(&path, api::COMMANDS).unwrap(), path, calls: 0 };
        story.context(1, 0, 2);
        story.surface(1, 8, 8);
        story.call("afiCurrent", &[1, 1, 1]);
        story
    }

    fn context(&mut self, number: u64, share: u64, profile: u64) {
        self.call("afiContext", &[number, share, 0x7F00_0000_1000, 0x30A2, 3, 2, profile, 0]);
    }

    fn surface(&mut self, number: u64, width: u64, height: u64) {
        self.call("afiSurface", &[number, 0x7F00_0000_2000, 0, width, height, 8, 8, 8, 8, 24, 8, 0, 1, 0]);
    }

    fn call(&mut self, name: &str, args: &[u64]) -> u64 {
        self.full(0, name, args, &[], 0, &[])
    }

    fn with(&mut self, name: &str, args: &[u64], param: u8, bytes: &[u8]) -> u64 {
        self.full(0, name, args, &[(param, bytes)], 0, &[])
    }

    fn gives(&mut self, name: &str, args: &[u64], result: u64, outputs: &[(u8, &[u8])]) -> u64 {
        self.full(0, name, args, &[], result, outputs)
    }

    fn full(
        &mut self,
        thread: u32,
        name: &str,
        args: &[u64],
        inputs: &[(u8, &[u8])],
        result: u64,
        outputs: &[(u8, &[u8])],
    ) -> u64 {
        let id = api::find(name).unwrap_or_else(|| panic!("{name}"));
        let contents = |list: &[(u8, &[u8])]| -> Vec<Content<'static>> {
            // Tests are short, and so is what they leak.
            let leak = |bytes: &[u8]| -> &'static [u8] { Box::leak(bytes.to_vec().into_boxed_slice()) };
            list.iter().map(|&(param, bytes)| Content { param, bytes: leak(bytes), digest_only: false }).collect()
        };
        let number = self.writer.enter(thread, id, false, args, &contents(inputs)).unwrap();
        self.calls = number + 1;
        self.writer.leave(thread, result, &contents(outputs), number + 1).unwrap();
        number
    }

    /// A picture of the surface, all of one colour, as capture would have taken it.
    fn image(&mut self, pixel: [u8; 4]) {
        let pixels = pixel.repeat(64);
        self.with("afiImage", &[0, 1, 8, 8, 0x7F00_0000_3000], 4, &pixels);
        self.call("afiPresent", &[1]);
    }

    fn clear(&mut self, [red, green, blue]: [f32; 3]) {
        self.call("glClearColor", &[float(red), float(green), float(blue), float(1.0)]);
        self.call("glClear", &[COLOR_BUFFER_BIT]);
    }

    /// The program has read the surface and found these rows, of one colour each.
    fn reads(&mut self, buffer: u64, rows: [[u8; 3]; 8]) {
        self.call("glReadBuffer", &[buffer]);
        let pixels: Vec<u8> = rows.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255].repeat(8)).collect();
        let args = [0, 0, 8, 8, RGBA, UNSIGNED_BYTE, 0x7F00_0000_6000];
        self.gives("glReadPixels", &args, 0, &[(6, &pixels)]);
    }

    fn end(self) -> Trace {
        self.writer.finish().unwrap();
        Trace(self.path)
    }
}

/// A trace that is removed when the test is over.
struct Trace(PathBuf);

impl Drop for Trace {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn open(path: &Path) -> Timeline {
    Timeline::open(OpenTrace::open(path).unwrap(), worker::open_egl(&DeviceChoice::First), true).unwrap()
}

#[track_caller]
fn verify(trace: &Trace) -> Tally {
    let mut timeline = open(&trace.0);
    timeline.run_all().unwrap();
    assert_eq!(timeline.problems(), []);
    timeline.tally().clone()
}

fn float(value: f32) -> u64 {
    u64::from(value.to_bits())
}

fn names(names: &[u32]) -> Vec<u8> {
    names.iter().flat_map(|name| name.to_ne_bytes()).collect()
}

#[test]
fn frames_are_compared_with_the_recording() {
    let mut story = Story::new("frames");
    for red in [0.0f32, 1.0, 0.2] {
        story.call("glClearColor", &[float(red), 0, 0, float(1.0)]);
        story.call("glClear", &[COLOR_BUFFER_BIT]);
        let byte = (red * 255.0).round() as u8;
        story.image([byte, 0, 0, 255]);
    }
    story.image([9, 9, 9, 9]);
    let tally = verify(&story.end());
    assert_eq!((tally.frames.compared, tally.frames.equal), (4, 3));
    assert_eq!(tally.differences.len(), 1);
    assert!(tally.differences[0].text.starts_with("256 of 256 bytes differ, by at most 246"), "{tally:?}");
}

#[test]
fn front_and_back_buffer_are_two() {
    let mut story = Story::new("front");
    story.call("glDrawBuffer", &[BACK]);
    story.clear([1.0, 0.0, 0.0]);
    story.call("glPushAttrib", &[COLOR_BUFFER_BIT]);
    story.call("glDrawBuffer", &[FRONT]);
    story.clear([0.0, 1.0, 0.0]);
    story.reads(FRONT, [[0, 255, 0]; 8]);
    story.reads(BACK, [[255, 0, 0]; 8]);
    // Drawn to both where they differ.
    story.call("glDrawBuffer", &[FRONT_AND_BACK]);
    story.call("glEnable", &[SCISSOR_TEST]);
    story.call("glScissor", &[0, 0, 8, 2]);
    story.clear([0.0, 0.0, 1.0]);
    story.call("glDisable", &[SCISSOR_TEST]);
    let (blue, red, green) = ([0, 0, 255], [255, 0, 0], [0, 255, 0]);
    story.reads(FRONT, [blue, blue, green, green, green, green, green, green]);
    story.reads(BACK, [blue, blue, red, red, red, red, red, red]);
    // And then everywhere, and a little more by a draw.
    story.clear([0.0, 0.0, 0.0]);
    story.call("glColor3f", &[float(1.0), float(1.0), float(1.0)]);
    story.call("glRectf", &[float(-1.0), float(-1.0), float(1.0), float(0.0)]);
    let (white, black) = ([255, 255, 255], [0, 0, 0]);
    let half = [white, white, white, white, black, black, black, black];
    story.reads(FRONT, half);
    story.call("glPopAttrib", &[]);
    story.clear([1.0, 1.0, 0.0]);
    story.reads(FRONT, half);
    story.reads(BACK, [[255, 255, 0]; 8]);
    let tally = verify(&story.end());
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (7, 7), "{tally:?}");
}

#[test]
fn what_was_shown_is_in_front_of_what_is_drawn_next() {
    let mut story = Story::new("shown");
    for red in [0.2f32, 1.0] {
        story.clear([red, 0.0, 0.0]);
        story.image([(red * 255.0).round() as u8, 0, 0, 255]);
    }
    story.clear([0.0, 0.0, 1.0]);
    // Nobody knew before that this would be asked for.
    story.reads(FRONT, [[255, 0, 0]; 8]);
    story.reads(BACK, [[0, 0, 255]; 8]);
    story.image([0, 0, 255, 255]);
    story.reads(FRONT, [[0, 0, 255]; 8]);
    let tally = verify(&story.end());
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (3, 3), "{tally:?}");
    assert_eq!((tally.frames.compared, tally.frames.equal), (3, 3), "{tally:?}");
}

#[test]
fn front_and_back_buffer_share_their_depth() {
    const DEPTH_TEST: u64 = 0x0B71;
    let mut story = Story::new("depth");
    story.call("glEnable", &[DEPTH_TEST]);
    story.call("glClear", &[COLOR_BUFFER_BIT | 0x0100]);
    // The lower half is near, so that nothing is drawn there behind it, in the other buffer either.
    story.call("glBegin", &[7]);
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 0.0), (-1.0, 0.0)] {
        story.call("glVertex3f", &[float(x), float(y), float(-0.5)]);
    }
    story.call("glEnd", &[]);
    story.call("glDrawBuffer", &[FRONT]);
    story.clear([0.0, 0.0, 0.0]);
    story.call("glColor3f", &[float(1.0), 0, 0]);
    story.call("glRectf", &[float(-1.0), float(-1.0), float(1.0), float(1.0)]);
    let (red, black) = ([255, 0, 0], [0, 0, 0]);
    story.reads(FRONT, [black, black, black, black, red, red, red, red]);
    let tally = verify(&story.end());
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn a_surface_with_one_buffer_has_no_other() {
    let mut story = Story::new("single");
    story.call("afiSurface", &[2, 0x7F00_0000_2100, 0, 8, 8, 8, 8, 8, 8, 24, 8, 0, 0, 0]);
    story.call("afiCurrent", &[1, 2, 2]);
    story.call("glDrawBuffer", &[FRONT]);
    story.clear([0.0, 1.0, 0.0]);
    story.reads(FRONT, [[0, 255, 0]; 8]);
    let tally = verify(&story.end());
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn a_pbuffer_becomes_a_texture() {
    let mut story = Story::new("pbuffer");
    let handle = 0x7F00_0000_2200;
    let attributes: Vec<u8> =
        [0x3080, 0x305D, 0x3081, 0x305F, 0x3038].iter().flat_map(|word: &i32| word.to_ne_bytes()).collect();
    story.full(0, "eglCreatePbufferSurface", &[1, 1, 0x7F00_0000_2300], &[(2, &attributes)], handle, &[]);
    story.call("afiSurface", &[2, handle, 1, 2, 1, 8, 8, 8, 8, 0, 0, 0, 0, 0]);
    story.call("afiCurrent", &[1, 2, 2]);
    story.call("glClearColor", &[float(1.0), 0, float(0.2), float(0.4)]);
    story.call("glClear", &[COLOR_BUFFER_BIT]);
    story.call("afiCurrent", &[1, 1, 1]);
    story.clear([0.0, 0.0, 0.0]);
    story.gives("glGenTextures", &[1, 0x7F00_0000_4000], 0, &[(1, &names(&[5]))]);
    story.call("glBindTexture", &[TEXTURE_2D, 5]);
    story.gives("eglBindTexImage", &[1, handle, 0x3084], 1, &[]);
    let texels = [255, 0, 51, 255, 255, 0, 51, 255];
    story.gives("glGetTexImage", &[TEXTURE_2D, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_4000], 0, &[(4, &texels)]);
    // The context reads from its own surface as before.
    story.reads(BACK, [[0, 0, 0]; 8]);
    let tally = verify(&story.end());
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (2, 2), "{tally:?}");
}

#[test]
fn names_are_what_the_driver_gives() {
    let mut story = Story::new("names");
    // Nobody's driver gives these names.
    story.gives("glGenTextures", &[2, 0x7F00_0000_4000], 0, &[(1, &names(&[900, 70_000]))]);
    for (name, colour) in [(900, [10, 20, 30, 255]), (70_000, [40, 50, 60, 255])] {
        story.call("glBindTexture", &[TEXTURE_2D, name]);
        let args = [TEXTURE_2D, 0, RGBA, 1, 1, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_5000];
        story.with("glTexImage2D", &args, 8, &colour);
    }
    let args = [TEXTURE_2D, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_6000];
    story.call("glBindTexture", &[TEXTURE_2D, 900]);
    story.gives("glGetTexImage", &args, 0, &[(4, &[10, 20, 30, 255])]);
    story.with("glDeleteTextures", &[1, 0x7F00_0000_7000], 1, &names(&[900]));
    story.call("glBindTexture", &[TEXTURE_2D, 70_000]);
    story.gives("glGetTexImage", &args, 0, &[(4, &[40, 50, 60, 255])]);
    story.gives("glGetError", &[], 0, &[]);
    let tally = verify(&story.end());
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (2, 2), "{tally:?}");
    assert_eq!((tally.errors.compared, tally.errors.equal), (1, 1));
}

#[test]
fn a_second_context_shares_textures_on_another_thread() {
    let mut story = Story::new("threads");
    story.context(2, 1, 2);
    story.full(1, "afiCurrent", &[2, 0, 0], &[], 0, &[]);
    story.full(1, "glGenTextures", &[1, 0x7F00_0000_4000], &[], 0, &[(1, &names(&[55]))]);
    story.full(1, "glBindTexture", &[TEXTURE_2D, 55], &[], 0, &[]);
    let args = [TEXTURE_2D, 0, RGBA, 1, 1, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_5000];
    story.full(1, "glTexImage2D", &args, &[(8, &[1, 2, 3, 4])], 0, &[]);
    let args = [TEXTURE_2D, 0, RGBA, UNSIGNED_BYTE, 0x7F00_0000_6000];
    // The first thread has nothing bound yet: what its context has bound is its own.
    story.call("glBindTexture", &[TEXTURE_2D, 55]);
    story.gives("glGetTexImage", &args, 0, &[(4, &[1, 2, 3, 4])]);
    let tally = verify(&story.end());
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn maps_are_written_where_the_driver_has_them() {
    const ARRAY_BUFFER: u64 = 0x8892;
    const WRITE_ONLY: u64 = 0x88B9;
    let (address, data) = (0x7E00_0000_0000, 0x7F00_0000_8000);
    let mut story = Story::new("maps");
    story.call("glBindBuffer", &[ARRAY_BUFFER, 77]);
    story.with("glBufferData", &[ARRAY_BUFFER, 8, data, 0x88E4], 2, &[0; 8]);
    story.gives("glMapBuffer", &[ARRAY_BUFFER, WRITE_ONLY], address, &[]);
    story.with("afiMemory", &[address, 2, 3, data], 3, &[7, 8, 9]);
    story.gives("glUnmapBuffer", &[ARRAY_BUFFER], 1, &[]);
    story.gives("glGetBufferSubData", &[ARRAY_BUFFER, 0, 8, data], 0, &[(3, &[0, 0, 7, 8, 9, 0, 0, 0])]);
    let trace = story.end();
    let tally = verify(&trace);
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn memory_that_is_not_mapped_is_not_written() {
    let mut story = Story::new("unmapped");
    story.with("afiMemory", &[0x7E00_0000_0000, 2, 3, 0x7F00_0000_8000], 3, &[7, 8, 9]);
    let trace = story.end();
    let mut timeline = open(&trace.0);
    timeline.run_all().unwrap();
    assert_eq!(timeline.problems().len(), 1);
}

#[test]
fn padding_between_rows_does_not_count() {
    let mut story = Story::new("padding");
    story.call("glClearColor", &[float(1.0), 0, 0, float(1.0)]);
    story.call("glClear", &[COLOR_BUFFER_BIT]);
    // Three pixels of three bytes a row, padded to twelve: what is between rows was in the program's memory before.
    let row = [255, 0, 0, 255, 0, 0, 255, 0, 0, 1, 2, 3];
    let args = [0, 0, 3, 2, 0x1907, UNSIGNED_BYTE, 0x7F00_0000_9000];
    story.gives("glReadPixels", &args, 0, &[(6, &row.repeat(2)[..21])]);
    let tally = verify(&story.end());
    assert_eq!((tally.readbacks.compared, tally.readbacks.equal), (1, 1), "{tally:?}");
}

#[test]
fn client_arrays_are_kept_for_the_draw() {
    const FLOAT: u64 = 0x1406;
    const VERTEX_ARRAY: u64 = 0x8074;
    let mut story = Story::new("arrays");
    let corners: Vec<u8> =
        [-1.0f32, -1.0, 3.0, -1.0, -1.0, 3.0].iter().flat_map(|coordinate| coordinate.to_ne_bytes()).collect();
    story.call("glClear", &[COLOR_BUFFER_BIT]);
    story.call("glColor4f", &[float(0.0), float(1.0), float(0.0), float(1.0)]);
    story.call("glEnableClientState", &[VERTEX_ARRAY]);
    story.with("glVertexPointer", &[2, FLOAT, 0, 0x7F00_0000_A000], 3, &corners);
    story.call("glDrawArrays", &[4, 0, 3]);
    story.image([0, 255, 0, 255]);
    let tally = verify(&story.end());
    assert_eq!((tally.frames.compared, tally.frames.equal), (1, 1), "{tally:?}");
}

#[test]
fn going_back_gives_what_going_forward_gave() {
    let mut story = Story::new("seek");
    let mut clears = Vec::new();
    for red in [0.2f32, 0.6, 1.0] {
        story.call("glClearColor", &[float(red), 0, 0, float(1.0)]);
        clears.push(story.call("glClear", &[COLOR_BUFFER_BIT]));
    }
    let trace = story.end();
    let mut timeline = open(&trace.0);
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
    let mut story = Story::new("walk");
    story.call("glEnable", &[SCISSOR_TEST]);
    story.gives("glGenTextures", &[1, 0x7F00_0000_0000], 0, &[(1, &names(&[3]))]);
    story.call("glBindTexture", &[TEXTURE_2D, 3]);
    story.call("glTexImage2D", &[TEXTURE_2D, 0, 0x8058, 8, 8, 0, RGBA, UNSIGNED_BYTE, 0]);
    story.gives("glGenFramebuffers", &[1, 0x7F00_0000_0000], 0, &[(1, &names(&[5]))]);
    story.call("glBindFramebuffer", &[FRAMEBUFFER, 5]);
    story.call("glFramebufferTexture2D", &[FRAMEBUFFER, 0x8CE0, TEXTURE_2D, 3, 0]);
    let mut looks = Vec::new();
    for frame in 0..6u64 {
        for (framebuffer, shift) in [(5, 0), (0, 1)] {
            story.call("glBindFramebuffer", &[FRAMEBUFFER, framebuffer]);
            story.gives("glGenTextures", &[1, 0x7F00_0000_0000], 0, &[(1, &names(&[9]))]);
            story.call("glBindTexture", &[TEXTURE_2D, 9]);
            for place in 0..4 {
                story.call("glScissor", &[place + shift, frame, 3, 2]);
                let colour = [place as f32 / 4.0, frame as f32 / 6.0, shift as f32, 1.0].map(float);
                story.call("glClearColor", &colour);
                looks.push(story.call("glClear", &[COLOR_BUFFER_BIT]));
            }
            story.with("glDeleteTextures", &[1, 0x7F00_0000_0000], 1, &names(&[9]));
            looks.push(story.call("glBindTexture", &[TEXTURE_2D, 3]));
        }
        story.call("afiPresent", &[1]);
    }
    let trace = story.end();
    let mut walk = open(&trace.0);
    let (count, mut at) = (looks.len(), looks.len() - 1);
    for step in 0..60 {
        let number = looks[at];
        walk.look_at(number).unwrap();
        let mut fresh = open(&trace.0);
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
    let mut story = Story::new("size");
    story.call("glClear", &[COLOR_BUFFER_BIT]);
    story.surface(1, 4, 2);
    story.call("glClearColor", &[float(1.0), float(1.0), float(1.0), float(1.0)]);
    story.call("glClear", &[COLOR_BUFFER_BIT]);
    story.with("afiImage", &[0, 1, 4, 2, 0x7F00_0000_3000], 4, &[255; 32]);
    let tally = verify(&story.end());
    assert_eq!((tally.frames.compared, tally.frames.equal), (1, 1), "{tally:?}");
}

#[test]
fn nonsense_is_refused() {
    let mut story = Story::new("nonsense");
    story.call("afiCurrent", &[7, 0, 0]);
    let trace = story.end();
    let error = open(&trace.0).run_all().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the trace makes context 7 current, but says nothing of it; it lacks its beginning or is damaged"
    );
}
