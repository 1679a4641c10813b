//! `afterimage trim`: frames that are cut out of a trace look as in the whole trace.

use std::path::{Path, PathBuf};
use std::process::Command;

use api::constant as c;
use serde_json::Value;
use testing::programs::built;
use testing::trace::{TraceBuilder, float, names};
use trace::{Data, Payloads, Reader};

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn afterimage(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_afterimage")).args(arguments).output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Records a demo, cuts ranges of frames out of it, and compares them with the recording.
#[track_caller]
fn check(demo: &str, ranges: &[(u64, u64)]) {
    let program = built().join(demo);
    let folder = Folder(std::env::temp_dir().join(format!("afterimage-trim-{demo}-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let whole = folder.0.join("whole.aftr");
    let recorded = afterimage(&["record", "--hash-frames", "--json", "-q", "-o", text(&whole), "--", text(&program)]);
    let frames = recorded["traces"][0]["frames"].as_u64().unwrap();
    let draws = |trace: &Path| -> Vec<u64> {
        let info = afterimage(&["info", text(trace), "--json"]);
        info["frames"].as_array().unwrap().iter().map(|frame| frame["draws"].as_u64().unwrap()).collect()
    };
    for &(first, last) in ranges {
        assert!(last < frames, "{demo} has {frames} frames");
        let part = folder.0.join(format!("{first}-{last}.aftr"));
        let range = format!("{first}..={last}");
        let cut = afterimage(&["trim", text(&whole), "--frames", &range, "-o", text(&part), "--json"]);
        assert_eq!(cut["problems"], Value::Array(Vec::new()), "{demo} {range}");
        // What the first frame needs from before is not of it.
        assert_eq!(draws(&part), draws(&whole)[first as usize..=last as usize], "{demo} {range}");
        let compared = afterimage(&["replay", text(&part), "--verify", "--json"]);
        let counted = &compared["verify"]["frames"];
        assert_eq!(counted["compared"], last + 1 - first, "{demo} {range}: {compared:#}");
        assert_eq!(compared["result"], "done", "{demo} {range}: {compared:#}");
        let number = |key: &str| cut["bytes"][key].as_u64().unwrap();
        assert!(number("trace") <= number("whole"), "{demo} {range}: {cut:#}");
        let verified = &cut["verified"];
        assert_eq!(
            (&verified["compared"], &verified["equal"]),
            (&counted["compared"], &counted["compared"]),
            "{cut:#}"
        );
    }
}

#[test]
fn contents_of_rendered_textures_are_stored() {
    check("deferred", &[(0, 1), (3, 4), (7, 7)]);
}

#[test]
fn es_is_trimmed_like_desktop_gl() {
    check("gles2", &[(2, 3), (7, 7)]);
}

#[test]
fn a_simulation_continues_where_it_was() {
    check("pingpong", &[(1, 2), (6, 7)]);
}

#[test]
fn all_samples_of_pixels_are_stored() {
    check("samples", &[(0, 0), (3, 4), (7, 7)]);
}

#[test]
fn transform_feedback_output_is_stored() {
    check("particles", &[(1, 1), (4, 7)]);
}

#[test]
fn lists_matrices_and_lights_are_restored() {
    check("legacy", &[(1, 2), (7, 7)]);
}

#[test]
fn recording_some_frames_keeps_them_and_what_they_need() {
    let program = built().join("pingpong");
    let folder = Folder(std::env::temp_dir().join(format!("afterimage-trim-record-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let part = folder.0.join("part.aftr");
    let options = ["record", "--hash-frames", "--json", "-q", "--frames", "3..5", "-o", text(&part), "--"];
    let recorded = afterimage(&[&options[..], &[text(&program)]].concat());
    assert_eq!(recorded["traces"][0]["frames"], 2, "{recorded:#}");
    let compared = afterimage(&["replay", text(&part), "--verify", "--json"]);
    assert_eq!(compared["verify"]["frames"]["compared"], 2, "{compared:#}");
    assert_eq!(compared["result"], "done", "{compared:#}");
    // The full recording is removed.
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
}

/// Returns the calls of a trace with their memory, without arguments, some of which are addresses.
fn memory_of_calls(path: &Path) -> Vec<String> {
    let reader = Reader::open(path, api::COMMANDS).unwrap();
    let memory = |payloads: Payloads<'_>| {
        let one = |data: Data<'_>| match reader.bytes(data).unwrap() {
            Some(bytes) => format!("{:?}", &*bytes),
            None => "digest".to_owned(),
        };
        payloads.iter().map(|payload| format!(" {}: {}", payload.param, one(payload.data))).collect::<String>()
    };
    let (mut list, mut calls) = (Vec::new(), reader.calls());
    while let Some(call) = calls.next().unwrap() {
        // The last ones say how the trace was redacted. Configurations of EGL are addresses.
        if call.command != Some(api::id::afiProblem) && call.name() != "eglChooseConfig" {
            let outputs = call.outcome.map_or(String::new(), |outcome| memory(outcome.outputs));
            list.push(format!("{}{} ={outputs}", call.name(), memory(call.inputs)));
        }
    }
    list
}

#[test]
fn a_stripped_trace_has_what_a_redacted_recording_has() {
    let folder = Folder(std::env::temp_dir().join(format!("afterimage-trim-strip-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let file = |name: &str| folder.0.join(name);
    let record = |name: &str, option: &[&str], demo: &str| {
        let (path, program) = (file(name), built().join(demo));
        let options = [&["record", "--json", "-q", "-o", text(&path)], option, &["--", text(&program)]].concat();
        afterimage(&options);
        path
    };
    let redacted = memory_of_calls(&record("redacted.aftr", &["--redact"], "gles2"));
    let whole = record("whole.aftr", &[], "gles2");
    assert_ne!(memory_of_calls(&whole), redacted);
    let stripped = file("stripped.aftr");
    let cut = afterimage(&["trim", text(&whole), "--strip", "-o", text(&stripped), "--json"]);
    assert_eq!((&cut["stripped"], &cut["problems"]), (&Value::Bool(true), &Value::Array(Vec::new())), "{cut:#}");
    let found = memory_of_calls(&stripped);
    assert_eq!(found.len(), redacted.len());
    for (found, expected) in found.iter().zip(&redacted) {
        assert_eq!(found, expected);
    }

    // Hashes of frames and contents that are read back for cut frames are contents, too.
    let hashed = record("hashed.aftr", &["--hash-frames"], "pingpong");
    let part = file("part.aftr");
    let cut = afterimage(&["trim", text(&hashed), "--frames", "2..=3", "--strip", "-o", text(&part), "--json"]);
    assert!(!cut["contents"].as_array().unwrap().is_empty(), "{cut:#}");
    let mut blank = 0;
    for call in memory_of_calls(&part) {
        assert!(!call.starts_with("afiImage"), "{call}");
        let contents = ["afiContents", "glBufferData", "glTexImage2D"].iter().any(|name| call.starts_with(name));
        if let Some((_, bytes)) = call.split_once('[').filter(|_| contents) {
            assert!(bytes.trim_start_matches(['0', ',', ' ']).starts_with(']'), "{}", &call[..call.len().min(200)]);
            blank += 1;
        }
    }
    assert!(blank > 0);
    let info = afterimage(&["info", text(&part), "--json"]);
    let problem = info["problems"][0].as_str().unwrap();
    assert!(problem.starts_with("Stripped with `afterimage trim --strip`"), "{info:#}");
    let replayed = afterimage(&["replay", text(&part), "--json"]);
    assert_eq!((&replayed["result"], &replayed["frames"]), (&Value::from("done"), &Value::from(2)), "{replayed:#}");
}

#[test]
fn parts_of_a_buffer_that_were_mapped_one_after_the_other_are_written_again() {
    const TARGET: u64 = c::GL_ARRAY_BUFFER as u64;
    let folder = Folder(std::env::temp_dir().join(format!("afterimage-trim-maps-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let (whole, part) = (folder.0.join("whole.aftr"), folder.0.join("part.aftr"));
    let mut trace = TraceBuilder::new(8);
    trace.returning("glGenBuffers", &[1, 1], 0, &[(1, &names(&[1]))]);
    trace.call("glBindBuffer", &[TARGET, 1]);
    trace.reading("glBufferData", &[TARGET, 8, 1, c::GL_STATIC_DRAW.into()], &[(2, &[0; 8])]);
    for (offset, text, address) in [(0, b"abcd", 0x1000), (4, b"efgh", 0x2000)] {
        trace.returning("glMapBufferRange", &[TARGET, offset, 4, c::GL_MAP_WRITE_BIT.into()], address, &[]);
        trace.reading("afiMemory", &[address, 0, 4, 1], &[(3, text)]);
        trace.returning("glUnmapBuffer", &[TARGET], 1, &[]);
    }
    // A map that nothing is written through is not needed.
    trace.returning("glMapBufferRange", &[TARGET, 0, 8, c::GL_MAP_READ_BIT.into()], 0x3000, &[]);
    trace.returning("glUnmapBuffer", &[TARGET], 1, &[]);
    trace.call("afiPresent", &[1]);
    trace.returning("glGetBufferSubData", &[TARGET, 0, 8, 1], 0, &[(3, b"abcdefgh")]);
    trace.call("afiPresent", &[1]);
    trace.save_as(&whole);
    let cut = afterimage(&["trim", text(&whole), "--frames", "1", "-o", text(&part), "--json"]);
    assert_eq!(cut["problems"], Value::Array(Vec::new()), "{cut:#}");
    // Whatever the new trace has, these are the calls that the frame needs.
    let reader = Reader::open(&whole, api::COMMANDS).unwrap();
    let setup = chronicle::trim::setup(&reader, &reader.frame(1).unwrap(), &mut |_| {}).unwrap();
    let name = |number: &u64| reader.call_at(*number).unwrap().call().name().to_owned();
    let maps: Vec<String> = setup.calls.iter().map(name).filter(|name| name.contains("apBuffer")).collect();
    assert_eq!(maps, ["glMapBufferRange", "glUnmapBuffer", "glMapBufferRange", "glUnmapBuffer"]);
    let compared = afterimage(&["replay", text(&part), "--verify", "--json"]);
    assert_eq!(compared["verify"]["readbacks"]["equal"], 1, "{compared:#}");
    assert_eq!((&compared["result"], &compared["problems"]), (&Value::from("done"), &serde_json::json!([])));
}

/// A window that is painted once, with a picture that takes more room than the few calls that paint it.
#[test]
fn calls_that_take_less_room_than_what_they_draw_are_kept() {
    const SIZE: u64 = 64;
    let folder = Folder(std::env::temp_dir().join(format!("afterimage-trim-calls-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let (whole, part) = (folder.0.join("whole.aftr"), folder.0.join("part.aftr"));
    let mut trace = TraceBuilder::new(SIZE);
    trace.call("glClear", &[c::GL_COLOR_BUFFER_BIT.into()]);
    trace.call("afiPresent", &[1]);
    trace.call("glEnable", &[c::GL_SCISSOR_TEST.into()]);
    for place in 0..SIZE {
        let shade = |factor: u64| float((place * factor % 61) as f32 / 61.0);
        trace.call("glScissor", &[place, 0, 1, place * 7 % SIZE]);
        trace.call("glClearColor", &[shade(1), shade(5), shade(11), float(1.0)]);
        trace.call("glClear", &[c::GL_COLOR_BUFFER_BIT.into()]);
    }
    trace.call("afiPresent", &[1]);
    // The last frame goes on with what the one before has drawn.
    trace.call("glScissor", &[0, 0, 9, 9]);
    trace.call("glClear", &[c::GL_COLOR_BUFFER_BIT.into()]);
    trace.call("afiPresent", &[1]);
    trace.save_as(&whole);
    let cut = afterimage(&["trim", text(&whole), "--frames", "2", "-o", text(&part), "--json"]);
    assert_eq!((&cut["all_calls"], &cut["problems"]), (&Value::Bool(true), &Value::Array(Vec::new())), "{cut:#}");
    assert_eq!((&cut["verified"]["equal"], &cut["contents"]), (&Value::from(1), &Value::Array(Vec::new())), "{cut:#}");
    // Its list of commands names one more, `afiSwap`, and a chunk says how many calls are before its frame.
    let [bytes, whole_bytes] = ["trace", "whole"].map(|key| cut["bytes"][key].as_u64().unwrap());
    assert!(bytes <= whole_bytes + 104, "{cut:#}");
    let info = afterimage(&["info", text(&part), "--json"]);
    assert_eq!(info["frames"].as_array().unwrap().len(), 1, "the frames before end none: {info:#}");
    // Without a comparison, nothing is said about it.
    let again = ["trim", text(&whole), "--frames", "2", "-o", text(&part), "--force", "--no-verify", "--json"];
    assert_eq!(afterimage(&again)["verified"], Value::Null);
}

/// What a query counted before the frames is not brought back, so that a clear which depends on it is left out.
#[test]
fn frames_that_differ_are_named() {
    let folder = Folder(std::env::temp_dir().join(format!("afterimage-trim-differs-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let (whole, part) = (folder.0.join("whole.aftr"), folder.0.join("part.aftr"));
    let mut trace = TraceBuilder::new(8);
    let color = |trace: &mut TraceBuilder, red: f32, green: f32| {
        trace.call("glClearColor", &[float(red), float(green), float(0.0), float(1.0)]);
    };
    color(&mut trace, 0.0, 0.0);
    trace.call("glClear", &[c::GL_COLOR_BUFFER_BIT.into()]);
    trace.returning("glGenQueries", &[1, 1], 0, &[(1, &names(&[1]))]);
    trace.call("glBeginQuery", &[c::GL_SAMPLES_PASSED.into(), 1]);
    trace.call("glRectf", &[float(-1.0), float(-1.0), float(0.5), float(0.5)]);
    trace.call("glEndQuery", &[c::GL_SAMPLES_PASSED.into()]);
    // Calls that take more room than what is on the screen.
    for step in 0..4000u32 {
        color(&mut trace, (step.wrapping_mul(2_654_435_761) >> 8) as f32, (step * 7 % 97) as f32);
    }
    trace.call("afiPresent", &[1]);
    color(&mut trace, 1.0, 0.0);
    trace.call("glBeginConditionalRender", &[1, c::GL_QUERY_WAIT.into()]);
    trace.call("glClear", &[c::GL_COLOR_BUFFER_BIT.into()]);
    trace.call("glEndConditionalRender", &[]);
    trace.call("afiPresent", &[1]);
    trace.save_as(&whole);
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    let output = command.args(["trim", text(&whole), "--frames", "1", "-o", text(&part), "--json"]).output().unwrap();
    let cut: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &cut["all_calls"]), (Some(1), &Value::Bool(false)), "{cut:#}");
    assert_eq!(
        (&cut["verified"]["compared"], &cut["verified"]["equal"]),
        (&Value::from(1), &Value::from(0)),
        "{cut:#}"
    );
    let problems = cut["problems"].as_array().unwrap();
    let named = |text: &str| problems.iter().any(|problem| problem.as_str().unwrap().contains(text));
    assert!(named("frame 1 looks different from the whole trace's") && named("query 1"), "{cut:#}");
}

#[test]
fn missing_frames_are_rejected() {
    let folder = Folder(std::env::temp_dir().join(format!("afterimage-trim-none-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let whole = folder.0.join("whole.aftr");
    TraceBuilder::empty().save_as(&whole);
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    let output = command.args(["trim", text(&whole), "--frames", "3..4"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("the trace has no frames, so there is no frame 3"),
        "{output:?}"
    );
}
