//! Labels of objects and groups of commands, in the output of every command.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;
use testing::programs;
use testing::trace::TraceBuilder;

/// Returns a trace of one frame of five passes with labels, recorded once. `KHR_debug` gives them.
fn trace() -> &'static Path {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    TRACE.get_or_init(|| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("labels.aftr");
        programs::recorded(&file, &["chain", "--frames", "1", "--passes", "5", "--labels"]);
        file
    })
}

#[track_caller]
fn output(trace: &Path, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    let output = command.arg(words[0]).arg(trace).args(&words[1..]).output().unwrap();
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {wrong}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn document(trace: &Path, words: &[&str]) -> Value {
    serde_json::from_str(&output(trace, &[words, &["--json"]].concat())).unwrap()
}

/// Checks that each of some lines is in a text.
#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

/// The draw in the innermost group, as text.
fn slanted() -> String {
    let info = document(trace(), &["info"]);
    let draws = info["draws"].as_array().unwrap();
    let draw = draws.iter().find(|draw| draw["groups"] == serde_json::json!(["chain", "pass 2", "slanted half"]));
    draw.unwrap_or_else(|| panic!("{info:#}"))["command"].to_string()
}

#[test]
fn info_names_programs_and_the_groups_of_draws() {
    let text = output(trace(), &["info", "--draws"]);
    has(
        &text,
        &[
            "program 1 \"flat filter\", to framebuffer 1, in \"chain\" > \"pass 0\"",
            "4 \"layered filter\" of context 1",
        ],
    );
    let info = document(trace(), &["info"]);
    assert_eq!(info["programs"][0]["label"], "flat filter");
    assert!(info["programs"][0]["shaders"][0]["label"].is_null());
}

#[test]
fn dump_indents_groups_and_names_objects() {
    let at = slanted();
    let text = output(trace(), &["dump", "--range", "150.."]);
    let line = |part: &str| text.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}:\n{text}"));
    let spaces = |line: &str| line.split_once(' ').unwrap().1.chars().take_while(|letter| *letter == ' ').count();
    let indent = |part: &str| spaces(line(part));
    assert_eq!((indent("message = \"pass 1\""), indent("texture = 1 \"target 0\""), indent("eglTerminate")), (2, 4, 0));
    let pops: Vec<usize> = text.lines().filter(|line| line.contains("glPopDebugGroup")).map(spaces).collect();
    assert_eq!(pops, [2, 2, 2, 2, 0], "{text}");
    has(&text, &["glUseProgram(program = 7 \"filter of levels\")"]);
    // A part of the trace knows what came before it.
    let part = document(trace(), &["dump", "--range", &at]);
    assert_eq!(part["commands"][0]["groups"], serde_json::json!(["chain", "pass 2", "slanted half"]));
}

#[test]
fn graph_names_resources_and_puts_passes_into_groups() {
    let text = output(trace(), &["graph", "--frame", "0"]);
    has(&text, &["in \"chain\" > \"pass 1\"\n", "reads texture 1 \"target 0\"\n", "in no group\n"]);
    let graph = document(trace(), &["graph", "--frame", "0"]);
    let of_pass = graph["passes"].as_array().unwrap().iter().find(|pass| pass["groups"][1] == "pass 3").unwrap();
    assert_eq!(of_pass["writes"][0], "texture 4 \"target 3\"");
    let dot = output(trace(), &["graph", "--frame", "0", "--dot"]);
    has(&dot, &["{ label=\"pass 3\";", "label=\"texture 4 \\\"target 3\\\"\""]);
    assert_eq!(dot.matches('{').count(), dot.matches('}').count(), "{dot}");
}

#[test]
fn state_shows_labels_beside_names_and_the_open_groups() {
    let at = slanted();
    let text = output(trace(), &["state", "--at", &at]);
    has(
        &text,
        &[
            "current_program       program/7 \"filter of levels\"",
            "texture/2 \"target 1\"",
            "(chain, pass 2, slanted half)",
        ],
    );
    let texture = document(trace(), &["state", "--at", &at, "texture/2"]);
    assert_eq!(texture["state"]["label"], "target 1");
}

#[test]
fn histories_and_the_debugger_name_images_and_groups() {
    let pixel = ["--pixel", "100,100"];
    let text = output(trace(), &[&["history", "--depth", "1"][..], &pixel].concat());
    has(&text, &["texture 4 \"target 3\" layer 2", "in \"chain\" > \"pass 3\""]);
    let history = document(trace(), &[&["history", "--depth", "1"][..], &pixel].concat());
    let nodes = history["nodes"].as_array().unwrap();
    assert_eq!(nodes[0]["groups"], serde_json::json!(["chain"]));
    let script = Path::new(env!("CARGO_TARGET_TMPDIR")).join("labels_script");
    std::fs::write(&script, "info sources\ninfo samplers\ninfo draws\nhistory 1\n").unwrap();
    let text = output(trace(), &[&["debug", "--batch", script.to_str().unwrap()][..], &pixel].concat());
    has(
        &text,
        &[
            ", in \"chain\"), frame 0",
            "program 4 \"layered filter\" fragment",
            "before = texture 4 \"target 3\" on unit 0",
            "glDrawArrays in \"chain\" > \"pass 2\" > \"slanted half\"",
        ],
    );
}

#[test]
fn sources_are_labelled() {
    has(&output(trace(), &["sources"]), &["// shader 3 (fragment) of program 1 \"flat filter\", given by command"]);
}

/// Texts of extensions that Mesa does not have, and of hostile programs.
#[test]
fn other_extensions_count_too_and_deleted_objects_lose_their_labels() {
    let mut trace = TraceBuilder::new(16);
    let names = 5_u32.to_le_bytes();
    trace.returning("glGenTextures", &[1, 0x10], 0, &[(1, &names)]);
    trace.call("glBindTexture", &[0x0DE1, 5]);
    trace.reading("glLabelObjectEXT", &[0x1702, 5, 6, 0x10], &[(3, b"shadow map\0")]);
    trace.reading("glPushGroupMarkerEXT", &[0, 0x10], &[(1, b"outer\0")]);
    trace.reading("glStringMarkerGREMEDY", &[6, 0x10], &[(1, b"ma\x1brk!")]);
    let bound = trace.call("glBindTexture", &[0x0DE1, 5]);
    trace.call("glPopGroupMarkerEXT", &[]);
    trace.call("glPopGroupMarkerEXT", &[]);
    trace.reading("glDeleteTextures", &[1, 0x10], &[(1, &names)]);
    trace.returning("glGenTextures", &[1, 0x10], 0, &[(1, &names)]);
    let again = trace.call("glBindTexture", &[0x0DE1, 5]);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("labels_others.aftr");
    trace.save_as(&file);
    let dump = document(&file, &["dump"]);
    let command = |number: u64| &dump["commands"][number as usize];
    assert_eq!(command(bound)["groups"], serde_json::json!(["outer", "ma rk!"]));
    has(command(bound)["text"].as_str().unwrap(), &["texture = 5 \"shadow\""]);
    assert_eq!(command(again)["groups"], serde_json::json!([]));
    assert!(!command(again)["text"].as_str().unwrap().contains("shadow"));
    // The model says the same.
    let state = document(&file, &["state", "--at", &bound.to_string(), "texture/5"]);
    assert_eq!(state["state"]["label"], "shadow");
    let state = document(&file, &["state", "--at", &again.to_string(), "texture/5"]);
    assert!(state["state"]["label"].is_null());
    let groups = document(&file, &["state", "--at", &bound.to_string(), "context/1/debug_groups"]);
    assert_eq!(groups["state"], serde_json::json!(["outer", "ma rk!"]));
}
