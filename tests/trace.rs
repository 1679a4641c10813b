//! `afterimage info` and `afterimage dump` as programs: their output and exit status.

use std::path::PathBuf;
use std::process::Command;

use api::{constant, id};
use testing::trace::{TraceBuilder, source};

/// Runs the program; the exit status is the last line.
fn afterimage(arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_afterimage")).args(arguments).output().expect("the program can be started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    format!(
        "{}{}> {}",
        text(output.stdout),
        text(output.stderr),
        output.status.code().expect("the program was not killed")
    )
}

/// Writes two frames of one triangle each, and an end.
fn triangle(name: &str) -> String {
    let mut trace = TraceBuilder::empty();
    trace.reading(id::afiProcess, &[7, 1, 2, 3], &[(1, b"/bin/draw\0"), (2, b"draw --fast\0"), (3, b"/home\0")]);
    let es = u64::from(constant::EGL_OPENGL_ES_API);
    trace.call(id::afiContext, &[1, 0, 0x5000, es, 2, 0, 0, 0]);
    trace.call(id::afiCurrent, &[1, 1, 1]);
    let described: [(u8, &[u8]); 4] = [(1, b"Vendor\0"), (2, b"Renderer\0"), (3, b"OpenGL ES 2.0 none\0"), (4, b"\0")];
    trace.reading(id::afiDescribe, &[1, 1, 1, 1, 1], &described);
    trace.returning(id::glCreateShader, &[constant::GL_VERTEX_SHADER.into()], 1, &[]);
    let source = source("void main() {\n    gl_Position = vec4(0);\n}\n");
    trace.reading(id::glShaderSource, &[1, 1, 0x6000, 0], &[(2, &source)]);
    trace.returning(id::glCreateProgram, &[], 2, &[]);
    trace.call(id::glAttachShader, &[2, 1]);
    trace.call(id::glLinkProgram, &[2]);
    for _ in 0..2 {
        trace.call(id::glUseProgram, &[2]);
        trace.call(id::glDrawArrays, &[constant::GL_TRIANGLES.into(), 0, 3]);
        trace.call(id::afiPresent, &[1]);
    }
    trace.reading(id::afiProblem, &[0x7000], &[(0, b"something was too fast\0")]);
    trace.enter(id::glFinish, &[]);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    trace.save_as(&path);
    path.into_os_string().into_string().expect("the path is UTF-8")
}

#[test]
fn info_summarises_a_trace() {
    let path = triangle("info.aftr");
    let found = afterimage(&["info", &path, "--frames", "--draws"]);
    let (first, rest) = found.split_once('\n').expect("the output has lines");
    assert!(first.starts_with(&format!("{path}: 17 calls of 1 thread, ")), "{first}");
    let expected = "\
recorded  /bin/draw (draw --fast)
context   1: OpenGL ES 2.0 none, Renderer (Vendor)
frames    2 frames, 2 draws: 1 in each
frame     0: commands 0 to 11, 1 draw
frame     1: commands 12 to 14, 1 draw
          after the last frame: commands 15 to 16, 0 draws
draw      10 in frame 0: glDrawArrays GL_TRIANGLES, 3 vertices, program 2; new: program
draw      13 in frame 1: glDrawArrays GL_TRIANGLES, 3 vertices, program 2; new: program
program   2 of context 1, linked at 8: vertex 1 (3 lines at 5)
problem   something was too fast
> 0";
    assert_eq!(rest, expected);
}

#[test]
fn draws_are_listed_by_frame_and_program() {
    let path = triangle("info-filter.aftr");
    let listed = |options: &[&str]| {
        let said = afterimage(&[&["info", &path, "--draws"], options].concat());
        let draws: Vec<&str> =
            said.lines().filter_map(|line| line.strip_prefix("draw      ")?.split(' ').next()).collect();
        draws.join(" ") + said.lines().last().unwrap()
    };
    assert_eq!(listed(&["--frame", "1"]), "13> 0");
    assert_eq!(listed(&["--program", "2"]), "10 13> 0");
    assert_eq!(listed(&["--frame", "2"]), "> 2");
    assert_eq!(listed(&["--program", "3"]), "> 2");
    let said = afterimage(&["info", &path, "--json", "--draws", "--frame", "0"]);
    assert!(said.contains("\"count\": 3") && !said.contains("\"command\": 13"), "{said}");
}

#[test]
fn info_as_json_has_the_documented_keys() {
    let found = afterimage(&["info", &triangle("info-json.aftr"), "--json"]);
    let (document, status) = found.rsplit_once("> ").expect("there is an exit status");
    assert_eq!(status, "0");
    let document: serde_json::Value = serde_json::from_str(document).expect("JSON");
    assert_eq!(
        document["frames"][1],
        serde_json::json!({ "index": 1, "first_command": 12, "last_command": 14, "draws": 1 })
    );
    assert_eq!(
        document["draws"][0],
        serde_json::json!({
            "command": 10, "frame": 0, "name": "glDrawArrays", "program": 0, "mode": "GL_TRIANGLES", "count": 3,
            "instances": null, "work_groups": null, "framebuffer": 0, "framebuffer_label": null, "changed": ["program"],
            "groups": []
        })
    );
    assert_eq!(document["programs"][0]["shaders"][0]["source"], 5);
    assert_eq!(document["contexts"][0]["renderer"], "Renderer");
    assert_eq!(document["problems"], serde_json::json!(["something was too fast"]));
}

#[test]
fn dump_prints_the_selected_calls() {
    let path = triangle("dump.aftr");
    let expected = "\
10 glDrawArrays(mode = GL_TRIANGLES, first = 0, count = 3)
13 glDrawArrays(mode = GL_TRIANGLES, first = 0, count = 3)
> 0";
    assert_eq!(afterimage(&["dump", &path, "--name", "glDraw*"]), expected);
    assert_eq!(afterimage(&["dump", &path, "--range", "8", "--program-only"]), "8 glLinkProgram(program = 2)\n> 0");
    assert_eq!(afterimage(&["dump", &path, "--range", "16.."]), "16 glFinish() // never returned\n> 0");
    let frame = afterimage(&["dump", &path, "--frame", "1", "--context", "1", "--program-only"]);
    assert_eq!(frame.lines().count(), 3, "{frame}");
    assert_eq!(afterimage(&["dump", &path, "--context", "5"]), "afterimage: no command is as asked for\n> 1");
    assert_eq!(afterimage(&["dump", &path, "--name", "glFoo"]), "afterimage: no such command is named glFoo\n> 1");
    let reason = "afterimage: the trace has no frame 9: they are numbered from 0 to 1\n> 2";
    assert_eq!(afterimage(&["dump", &path, "--frame", "9"]), reason);
    let reason = "afterimage: the trace has no such commands: they are numbered from 0 to 16\n> 2";
    assert_eq!(afterimage(&["dump", &path, "--range", "900..950"]), reason);
}

#[test]
fn a_file_that_is_not_a_trace_is_rejected_in_one_sentence() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no.aftr");
    std::fs::write(&path, "something else").expect("the file can be written");
    let path = path.to_str().expect("the path is UTF-8");
    let expected = format!("afterimage: {path} is not an Afterimage trace; record one with `afterimage record`\n> 2");
    assert_eq!(afterimage(&["info", path]), expected);
    assert_eq!(afterimage(&["dump", path]), expected);
}

#[test]
fn a_damaged_trace_is_shown_as_far_as_possible() {
    let path = triangle("damaged.aftr");
    let mut bytes = std::fs::read(&path).expect("the trace was written");
    bytes.truncate(bytes.len() - 100);
    std::fs::write(&path, bytes).expect("the file can be written");
    assert_eq!(afterimage(&["dump", &path]).lines().count(), 18);
    let info = afterimage(&["info", &path]);
    assert!(info.contains("problem   the recording was not finished, or its end is damaged\n"), "{info}");
}
