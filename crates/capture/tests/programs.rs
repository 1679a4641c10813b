//! Programs behave the same with and without the library, and what they call is in the rings.

#[path = "programs/harness.rs"]
mod harness;

use harness::{compile, program, record, record_with, run};
use ring::Settings;

const EGL: &[&str] = &["-l:libEGL.so.1", "-l:libGL.so.1"];

#[test]
fn frames_are_recorded_with_what_replay_must_know() {
    let path = compile("frames.c", EGL);
    let plain = run(&path);
    let recording = record(&path);
    assert_eq!(recording.output, plain);
    assert_eq!(plain.status.code(), Some(7));
    let names = recording.names();
    assert_eq!(names[..4], ["afiProcess", "eglGetDisplay", "eglInitialize", "eglBindAPI"]);
    let after = |name: &str| {
        let index = names.iter().position(|other| *other == name).unwrap();
        names[index + 1..].iter().take(4).copied().collect::<Vec<_>>()
    };
    assert_eq!(after("eglCreateContext")[..1], ["afiContext"]);
    assert_eq!(after("eglMakeCurrent")[..3], ["afiSurface", "afiDescribe", "afiCurrent"]);
    assert_eq!(recording.of("afiPresent").count(), 3);
    assert_eq!(after("eglSwapBuffers")[..1], ["afiPresent"]);

    let context = recording.of("afiContext").next().unwrap();
    assert_eq!(context.args[..2], [1, 0]);
    assert_eq!(context.args[2], recording.of("eglCreateContext").next().unwrap().result.unwrap());
    assert_eq!(context.args[3..], [0x30a2, 3, 3, 2, 0]);
    let surface = recording.of("afiSurface").next().unwrap();
    assert_eq!(surface.args[2..12], [1, 32, 16, 8, 8, 8, 8, 24, surface.args[10], 0]);
    let described = recording.of("afiDescribe").next().unwrap();
    assert!(String::from_utf8_lossy(&described.inputs[&4]).contains("GL_KHR_debug"));
    let current: Vec<_> = recording.of("afiCurrent").map(|call| call.args.clone()).collect();
    assert_eq!(current, [[1, 1, 1], [0, 0, 0]]);
    assert!(recording.calls.iter().all(|call| call.by_capture == call.name.starts_with("afi")));
    assert!(recording.calls.iter().all(|call| call.result.is_some()));
    assert_eq!(recording.lost, 0);
}

#[test]
fn frames_are_read_back_when_asked_for() {
    let path = compile("frames.c", EGL);
    let plain = run(&path);
    let recording = record_with(program(&path), Settings { hash_frames: true });
    assert_eq!(recording.output, plain);
    let images: Vec<_> = recording.of("afiImage").collect();
    assert_eq!(images.len(), 3);
    for (image, red) in images.iter().zip(1..) {
        assert_eq!(image.args[..4], [0, 1, 32, 16]);
        let pixels = &image.inputs[&4];
        assert_eq!(pixels.len(), 32 * 16 * 4);
        assert!(pixels.chunks(4).all(|pixel| pixel[0] == red && pixel[2] == 255));
    }
}
