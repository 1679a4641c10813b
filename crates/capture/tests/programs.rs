//! Programs behave the same with and without the library, and their calls are in the rings.

#[path = "programs/harness.rs"]
mod harness;

use api::constant as c;
use harness::{compile, library, program, record, record_with, run};
use ring::Settings;

const EGL: &[&str] = &["-l:libEGL.so.1", "-l:libGL.so.1"];

#[test]
fn frames_are_recorded_with_what_replay_needs() {
    let path = compile("frames.c", EGL);
    let plain = run(&path);
    let recording = record(&path);
    assert_eq!(recording.output, plain);
    assert_eq!(plain.status.code(), Some(7));
    let names: Vec<_> = recording.names().into_iter().filter(|name| *name != "afiProblem").collect();
    assert_eq!(names[..4], ["afiProcess", "eglGetDisplay", "eglInitialize", "eglChooseConfig"]);
    let after = |name: &str| {
        let index = names.iter().position(|other| *other == name).unwrap();
        names[index + 1..].iter().take(4).copied().collect::<Vec<_>>()
    };
    assert_eq!(after("eglCreateContext")[..1], ["afiContext"]);
    assert_eq!(after("eglMakeCurrent")[..4], ["afiDescribe", "afiLimits", "afiSurface", "afiCurrent"]);
    assert_eq!(recording.of("afiPresent").count(), 3);
    assert_eq!(after("eglSwapBuffers")[..1], ["afiPresent"]);

    let context = recording.of("afiContext").next().unwrap();
    assert_eq!(context.args[..2], [1, 0]);
    assert_eq!(context.args[2], recording.of("eglCreateContext").next().unwrap().result.unwrap());
    assert_eq!(context.args[3..], [u64::from(c::EGL_OPENGL_API), 3, 3, 2, 0]);
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
fn frames_are_read_back_on_request() {
    let path = compile("frames.c", EGL);
    let plain = run(&path);
    let recording = record_with(program(&path), Settings { hash_frames: true, ..Settings::default() });
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

#[test]
fn a_tracer_takes_part_in_calls() {
    let path = compile("traced.c", EGL);
    let plain = String::from_utf8(run(&path).stdout).unwrap();
    assert_eq!(
        plain, "pixel 0 0 255 255\nscissor test 0\nscissor box 1 2 3 4\nprogram 1\nviewport 0 0 32 16\nerror 0\n",
        "the output without tracers"
    );
    let changed = "pixel 255 0 255 255\nscissor test 1\nscissor box 0 0 32 16\nprogram 77\nviewport 5 6 7 8\n\
                   paired 1, own data 1, enough 1, after destroy 0\ndestroy in own call 1\nerror 0\n";
    let tracer = compile("tracer.c", &["-shared", "-fPIC"]);

    // The same without a recorder.
    let mut traced = program(&path);
    traced.env("LD_PRELOAD", library()).env("AFTERIMAGE_TRACER", &tracer);
    let output = traced.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), changed);

    let mut traced = program(&path);
    traced.env("AFTERIMAGE_TRACER", &tracer);
    let recording = record_with(traced, Settings::default());
    assert_eq!(recording.stdout(), changed);
    // The trace contains what the driver got.
    let colour = recording.of("glClearColor").next().unwrap();
    assert_eq!(colour.args[0], u64::from(1.0_f32.to_bits()));
    assert_eq!(recording.of("glScissor").count(), 0);
    assert_eq!(recording.of("glCreateProgram").count(), 0);
    assert_eq!(recording.of("glViewport").count(), 0);
    assert_eq!(recording.of("glIsEnabled").next().unwrap().result, Some(0));
    let names = recording.names();
    let clear = names.iter().position(|name| *name == "glClear").unwrap();
    assert_eq!(names[clear - 1], "glLineWidth", "an injected call precedes the one it was injected into");
    assert_eq!(recording.of("glDepthMask").count(), 80_000);
    assert_eq!(recording.of("glDepthMask").filter(|call| call.thread == recording.calls[0].thread).count(), 40_000);
}

#[test]
fn children_of_a_process_that_used_gl_are_not_recorded_and_say_so() {
    let path = compile("fork.c", EGL);
    let plain = run(&path);
    assert!(plain.status.success(), "{plain:?}");
    let recording = record(&path);
    assert_eq!(recording.output, plain);
    assert_eq!(recording.of("glGetError").count(), 1);
    assert_eq!(recording.of("glFinish").count(), 1);
    assert_eq!(recording.lost, 0);
    // The child that makes no call does not, and neither does the one that starts another program.
    assert_eq!(recording.unrecorded, 2);
}

#[test]
fn calls_of_signal_handlers_are_recorded_or_counted() {
    let path = compile("signals.c", EGL);
    let recording = record(&path);
    assert!(recording.output.status.success(), "{:?}", recording.output);
    let handled: u64 = recording.stdout().trim_start_matches("handled ").trim().parse().unwrap();
    let in_trace = recording.of("glGetError").count() as u64;
    assert_eq!(in_trace + recording.lost, handled);
    assert!(recording.calls.iter().all(|call| call.result.is_some()));
    // The interrupted calls are complete.
    let scissors: Vec<_> = recording.of("glScissor").map(|call| &call.args).collect();
    assert!(scissors.iter().all(|args| args[1] == args[0] + 1 && args[3] == args[0] + 3));
    let starts = scissors.iter().filter(|args| args[0] == 0).count();
    let steps = scissors.windows(2).filter(|pair| pair[1][0] == pair[0][0] + 1).count();
    assert_eq!((starts, steps), (2, scissors.len() - 2));
}

#[test]
fn calls_may_be_left_by_jumps() {
    let path = compile("jumps.c", EGL);
    let plain = run(&path);
    assert!(plain.status.success(), "{plain:?}");
    let recording = record(&path);
    assert_eq!(recording.output, plain);
    // One call of the callback, inside another, was not recorded.
    assert_eq!(recording.lost, 1);
    assert_eq!(recording.of("glGetError").count(), 0);
    // Three jumps and the end of a thread.
    let unreturned: Vec<_> =
        recording.calls.iter().filter(|call| call.result.is_none()).map(|call| call.name).collect();
    assert_eq!(unreturned, ["glEnable"; 4]);
    assert_eq!(recording.of("glFinish").count(), 1);
}

#[test]
fn functions_may_be_looked_up_in_every_way() {
    let path = compile("loads.c", &["-ldl"]);
    let plain = run(&path);
    assert!(plain.status.success(), "{plain:?}");
    let recording = record(&path);
    assert_eq!(recording.output, plain);
    let names: Vec<_> = recording.names().into_iter().filter(|name| !name.starts_with("afi")).collect();
    let expected = [
        "eglGetDisplay",
        "eglInitialize",
        "eglBindAPI",
        "eglChooseConfig",
        "eglCreateContext",
        "eglMakeCurrent",
        "glFinish",
        "glFlush",
    ];
    assert_eq!(names, expected);
    let context = recording.of("afiContext").next().unwrap();
    assert_eq!(context.args[3..6], [u64::from(c::EGL_OPENGL_ES_API), 2, 0]);
    assert!(recording.problems().iter().all(|text| !text.contains("glNoSuchFunctionAFI")), "it was never called");
}

#[test]
fn functions_without_an_implementation_do_nothing() {
    let path = compile("without.c", &["-ldl"]);
    let recording = record(&path);
    assert_eq!(recording.stdout(), "0 0 0.000000\n");
    assert!(recording.output.status.success());
    assert_eq!(recording.problems().len(), 2, "{:?}", recording.problems());
    let inert = program(&path).env("LD_PRELOAD", library()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&inert.stdout), "0 0 0.000000\n");
    assert_eq!(String::from_utf8_lossy(&inert.stderr), "");
}

#[test]
fn threads_come_and_go() {
    let path = compile("threads.c", EGL);
    let plain = run(&path);
    assert!(plain.status.success(), "{plain:?}");
    let recording = record(&path);
    assert_eq!(recording.output, plain);
    assert_eq!(recording.of("glScissor").count(), 30 * 4 * 500);
    assert_eq!(recording.of("afiContext").count(), 121);
    let released = recording.of("afiCurrent").filter(|call| call.args == [0, 0, 0]).count();
    assert_eq!(released, 120, "threads that end release their context");
    assert!(recording.of("afiContext").skip(1).all(|call| call.args[1] == 1), "all contexts share with the first");
    assert!(recording.calls.iter().all(|call| call.result.is_some()));
}

#[test]
fn a_missing_recorder_is_reported() {
    let path = compile("frames.c", EGL);
    let plain = run(&path);
    let mut orphan = program(&path);
    orphan.env("LD_PRELOAD", library()).env("AFTERIMAGE_SOCKET", "no-such-recorder");
    let output = orphan.output().unwrap();
    assert_eq!((output.status, &output.stdout), (plain.status, &plain.stdout));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("afterimage: this program is not recorded: ") && said.lines().count() == 1, "{said}");
}

#[test]
fn two_implementations_in_one_process_are_distinguished() {
    let path = compile("providers.c", &["-ldl", EGL[0], EGL[1]]);
    let folder = path.with_extension("libraries");
    std::fs::create_dir_all(&folder).unwrap();
    let libraries = [("provider_gles.c", "libGLESv2.so"), ("provider_egl.c", "libEGL.so")].map(|(source, name)| {
        let library = folder.join(name);
        std::fs::rename(compile(source, &["-shared", "-fPIC", "-ldl"]), &library).unwrap();
        library
    });
    let command = || {
        let mut command = program(&path);
        command.args(&libraries);
        command
    };
    let plain = command().output().unwrap();
    assert!(plain.status.success(), "{plain:?}");
    assert_eq!(
        String::from_utf8_lossy(&plain.stdout),
        "0x1002 0\n0x2000 0x3000\n1 0\n54328.875000\n54328.875000\n54328.875000\n"
    );
    let recording = record_with(command(), Settings::default());
    assert_eq!(recording.output, plain);
    assert_eq!(recording.of("glFlush").count(), 3);
    assert_eq!(recording.of("glIsProgram").count(), 2);
    let unknown = recording.problems().into_iter().filter(|text| text.contains("AFI")).collect::<Vec<_>>();
    assert_eq!(unknown, ["calls to glUnknownAFI are not recorded because the function is not in the registry"]);
}

#[test]
fn reading_frames_back_changes_nothing_for_the_program() {
    let path = compile("states.c", EGL);
    let plain = run(&path);
    assert!(plain.status.success(), "{plain:?}");
    let recording = record_with(program(&path), Settings { hash_frames: true, ..Settings::default() });
    assert_eq!(recording.output, plain);
    let image = recording.of("afiImage").next().unwrap();
    assert_eq!(image.args[..4], [0, 1, 8, 4]);
    assert!(image.inputs[&4].chunks(4).all(|pixel| pixel == [0, 255, 0, 255]), "{:?}", image.inputs[&4]);
}

#[test]
fn the_debug_callback_hears_of_the_programs_own_errors_only() {
    let path = compile("told.c", EGL);
    let plain = run(&path);
    assert_eq!(String::from_utf8_lossy(&plain.stdout), "1 messages, output 1, error 0x500\n");
    let recording = record_with(program(&path), Settings { hash_frames: true, ..Settings::default() });
    assert_eq!(recording.output, plain);
    // What is bound cannot be read, so the pbuffer is.
    let images: Vec<_> = recording.of("afiImage").map(|image| image.args[0]).collect();
    assert_eq!(images, [2, 2]);
}

#[test]
fn programs_that_present_nothing_are_read_back_at_their_end() {
    let path = compile("offscreen.c", EGL);
    let plain = run(&path);
    assert!(plain.status.success(), "{plain:?}");
    let recording = record_with(program(&path), Settings { hash_frames: true, ..Settings::default() });
    assert_eq!(recording.output, plain);
    let images: Vec<_> = recording.of("afiImage").collect();
    assert_eq!(images.len(), 2);
    assert_eq!(images[0].args[..4], [1, 1, 8, 4]);
    assert!(images[0].inputs[&4].chunks(4).all(|pixel| pixel == [0, 255, 0, 255]));
    assert_eq!(images[1].args[..4], [1, 0, 16, 16]);
    assert!(images[1].inputs[&4].chunks(4).all(|pixel| pixel == [255, 0, 0, 255]));
}
