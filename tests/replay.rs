//! `afterimage replay` on hand-written traces: its messages, and that no driver failure crashes it.

use std::path::Path;
use std::process::{Command, Output};

use api::constant as c;
use testing::trace::{TraceBuilder, TraceFile};

/// Writes a trace with a compatibility context and a surface of 4x4, and what `add` adds.
fn trace(name: &str, add: impl FnOnce(&mut TraceBuilder)) -> TraceFile {
    let mut trace = TraceBuilder::new(4);
    add(&mut trace);
    trace.save(&format!("replay-{name}"))
}

fn replay(trace: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_afterimage")).arg("replay").arg(trace).args(options).output().unwrap()
}

#[track_caller]
fn check(output: &Output, status: i32, stderr: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{said}{}", String::from_utf8_lossy(&output.stdout));
    assert!(said.contains(stderr), "{said}");
}

#[test]
fn a_crash_of_the_driver_is_reported_with_its_call() {
    let trace = trace("crash", |trace| {
        trace.call("glEnableClientState", &[0x8074]);
        trace.call("glVertexPointer", &[4, 0x1406, 0, 0x10]);
        trace.call("glDrawArrays", &[4, 0, 30]);
    });
    check(&replay(&trace, &[]), 2, "at command 5: glDrawArrays(");
    let output = replay(&trace, &["--json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["crash"]["command"], 5);
    // It can be replayed up to the command before.
    check(&replay(&trace, &["--to", "4"]), 0, "");
}

#[test]
fn a_hanging_driver_times_out() {
    let trace = trace("hang", |trace| {
        let corners = [0u8; 24];
        trace.call("glEnableClientState", &[0x8074]);
        trace.reading("glVertexPointer", &[2, 0x1406, 0, 0x7F00_0000_2000], &[(3, &corners)]);
        trace.call("glDrawArraysInstanced", &[4, 0, 3, i32::MAX as u64]);
        trace.call("glFinish", &[]);
    });
    check(
        &replay(&trace, &["--timeout", "1"]),
        2,
        "the driver made no progress for 1 s at command 5: glDrawArraysInstanced(",
    );
}

#[test]
fn nothing_to_compare_is_not_a_success() {
    let trace = trace("empty", |trace| _ = trace.call("glClear", &[0x4000]));
    check(&replay(&trace, &["--verify"]), 2, "no hashes of frames and no readbacks to compare");
    check(&replay(&trace, &[]), 0, "");
}

#[test]
fn what_is_not_compared_is_said_before_and_named_after() {
    let trace = trace("unhashed", |trace| {
        trace.call("glClear", &[0x4000]);
        trace.returning("glGetError", &[], 0, &[]);
        // Nothing is read back of no pixels.
        trace.returning("glReadPixels", &[0, 0, 1, 1, 0x1234, 0x1401, 0x7F00_0000_3000], 0, &[(6, &[1, 2, 3, 4])]);
        trace.returning("glReadPixels", &[0, 0, 1, 1, 0x1908, 0x1401, 0x7F00_0000_3000], 0, &[(6, &[0, 0, 0, 0])]);
        trace.call("afiPresent", &[1]);
    });
    let output = replay(&trace, &["--verify"]);
    check(&output, 0, "the trace has no hashes of frames, so only what calls returned is compared");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("1 more result of calls could not be compared:\n  glReadPixels (command "), "{said}");
    assert!(said.contains("): the driver wrote nothing\n"), "{said}");
}

/// A trace of an OpenGL ES on this renderer that draws a point with a sum that half precision cannot hold, and reads it back as
/// 32 bits make it.
fn sum_on(renderer: &str) -> TraceFile {
    let mut trace = TraceBuilder::empty();
    trace.call("afiContext", &[1, 0, 0x7F00_0000_1000, c::EGL_OPENGL_ES_API.into(), 2, 0, 0, 0]);
    let texts = ["Google Inc.", renderer, "OpenGL ES 2.0 (ANGLE 2.1)", ""].map(|text| format!("{text}\0"));
    let described: Vec<(u8, &[u8])> = (1..).zip(texts.iter().map(String::as_bytes)).collect();
    trace.reading("afiDescribe", &[1, 1, 1, 1, 1], &described);
    trace.surface(1, 1, 1);
    trace.call("afiCurrent", &[1, 1, 1]);
    // This is an error without EXT_multisample_compatibility, which ANGLE has there.
    trace.call("glEnable", &[c::GL_MULTISAMPLE.into()]);
    trace.returning("glGetError", &[], 0, &[]);
    trace.returning("glCreateProgram", &[], 3, &[]);
    let vertex = "varying mediump float some;
        void main() { gl_Position = vec4(0.0, 0.0, 0.0, 1.0); gl_PointSize = 1.0; some = 0.5; }";
    let fragment = "precision mediump float;
        varying float some;
        void main() { float sum = some + 2048.0; gl_FragColor = vec4((sum - 2048.0) * 2.0); }";
    for (shader, kind, text) in [(1, c::GL_VERTEX_SHADER, vertex), (2, c::GL_FRAGMENT_SHADER, fragment)] {
        trace.shader(shader, kind, text);
        trace.call("glAttachShader", &[3, shader]);
    }
    trace.call("glLinkProgram", &[3]);
    trace.call("glUseProgram", &[3]);
    trace.call("glDrawArrays", &[c::GL_POINTS.into(), 0, 1]);
    trace.returning("glReadPixels", &[0, 0, 1, 1, 0x1908, 0x1401, 0x7F00_0000_3000], 0, &[(6, &[255; 4])]);
    trace.save("replay-sum")
}

#[test]
fn what_angle_computed_in_32_bits_is_computed_so_again() {
    let device = "Mesa/X.org, llvmpipe (LLVM 15.0.6 256 bits)";
    check(&replay(&sum_on(&format!("ANGLE ({device}, OpenGL 4.5)")), &["--verify"]), 0, "");
    // On OpenGL ES, this driver computes as the one below ANGLE did.
    let es = replay(&sum_on(&format!("ANGLE ({device}, OpenGL ES 3.2)")), &["--verify"]);
    let plain = replay(&sum_on("llvmpipe"), &["--verify"]);
    assert_eq!(es.status.code(), plain.status.code());
}

#[test]
fn a_difference_is_a_failure() {
    let story = |pixel: u8| {
        move |trace: &mut TraceBuilder| {
            trace.call("glClear", &[0x4000]);
            trace.reading("afiImage", &[0, 1, 4, 4, 0x7F00_0000_3000], &[(4, &[pixel; 64])]);
            trace.call("afiPresent", &[1]);
        }
    };
    let (same, other) = (trace("same", story(0)), trace("other", story(1)));
    check(&replay(&same, &["--verify"]), 0, "");
    let output = replay(&other, &["--verify"]);
    check(&output, 1, "differs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("frames: 0 of 1 equal"), "{said}");
    assert!(said.contains("64 of 64 bytes differ, by at most 1 (by 1: 64)"), "{said}");
}

#[test]
fn a_damaged_trace_is_never_taken_for_a_complete_one() {
    let trace = trace("damaged", |trace| {
        for _ in 0..100 {
            trace.call("glClear", &[0x4000]);
        }
        trace.reading("afiImage", &[0, 1, 4, 4, 0x7F00_0000_3000], &[(4, &[0; 64])]);
    });
    let whole = std::fs::read(&trace).unwrap();
    let mut lost = 0;
    for at in (0..whole.len()).step_by(whole.len() / 12) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xFF;
        std::fs::write(&trace, damaged).unwrap();
        let output = replay(&trace, &["--verify"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 2)), "byte {at}: {said}");
        lost += usize::from(said.contains("lost, so this is not what was recorded"));
    }
    assert!(lost > 0);
}

#[test]
fn pictures_are_written_to_files() {
    let trace = trace("pictures", |trace| {
        for _ in 0..2 {
            trace.call("glClear", &[0x4000]);
            trace.call("afiPresent", &[1]);
        }
    });
    let folder = std::env::temp_dir().join(format!("afterimage-pictures-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    check(&replay(&trace, &["--images", folder.to_str().unwrap()]), 0, "");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    // They are replaced only on request, and others are no obstacle.
    let again = ["--images", folder.to_str().unwrap()];
    check(&replay(&trace, &again), 2, "frame-0000.png already exists; choose another folder, or --force to replace it");
    check(&replay(&trace, &[&again[..], &["--frame", "1"]].concat()), 2, "frame-0001.png already exists");
    check(&replay(&trace, &[&again[..], &["--per-draw"]].concat()), 0, "");
    check(&replay(&trace, &[&again[..], &["--force"]].concat()), 0, "");
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(names, ["frame-0000.png", "frame-0001.png"]);
}

#[test]
fn missing_things_are_explained_in_one_sentence() {
    check(&replay(Path::new("/nowhere/to.aftr"), &[]), 2, "cannot open /nowhere/to.aftr");
    let trace = trace("short", |_| {});
    check(&replay(&trace, &["--to", "99"]), 2, "the trace has 3 commands, so there is no command 99");
    check(&replay(&trace, &["--frame", "7"]), 2, "the trace has no frame 7");
    check(&replay(&trace, &["--device", "no such thing"]), 2, "there is no usable device no such thing");
}
