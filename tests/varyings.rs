//! Shaders of GLSL 1.10 and 1.20 whose varyings the vertex shader writes in part: what the driver accepted can be asked.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use testing::programs::recorded;

/// Runs a command that prints a document.
#[track_caller]
fn ask(trace: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    let output = command.arg(arguments[0]).arg(trace).args(&arguments[1..]).arg("--json").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[track_caller]
fn check(language: &str, cells: usize) {
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("varyings-{language}.aftr"));
    let width = 160 / cells;
    recorded(&trace, &["varyings", "--frames=1", "--size=160x32", "--language", language]);
    let draws = ask(&trace, &["info"])["draws"].as_array().unwrap().clone();
    assert_eq!(draws.len(), cells);
    for (cell, draw) in draws.iter().enumerate() {
        let (at, pixel) = (draw["command"].to_string(), format!("{},9", cell * width + 5));
        let values = ask(&trace, &["inspect", "--at", &at, "--pixel", &pixel, "--verify"]);
        let moments = values["moments"].as_array().unwrap();
        assert!(!moments.is_empty() && values["first_divergence"].is_null(), "cell {cell}: {values}");
        let colour = moments.iter().find(|moment| moment["text"].as_str().unwrap().starts_with("gl_FragColor"));
        assert_eq!(colour.unwrap()["verdict"], "equal", "cell {cell}: {values}");
        // Histories measure the same inputs, whatever the version.
        if language != "glsl120" {
            continue;
        }
        let history = ask(&trace, &["history", "--pixel", &pixel]);
        let nodes = history["nodes"].as_array().unwrap();
        assert_eq!(nodes[0]["verdict"], "equal", "cell {cell}: {history}");
        assert!(nodes.iter().all(|node| node["verdict"] != "different"), "cell {cell}: {history}");
    }
}

#[test]
fn varyings_written_in_part_can_be_asked_in_glsl_110() {
    check("glsl110", 10);
}

#[test]
fn varyings_written_in_part_can_be_asked_in_glsl_120() {
    check("glsl120", 10);
}

#[test]
fn varyings_written_in_part_can_be_asked_in_glsl_es_100() {
    check("es100", 8);
}
