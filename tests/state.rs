//! `afterimage state`: a recorded program's state as text and as JSON, by path, and the differences of two states.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::{Value, json};

/// Records the demo `deferred`, once, and returns the path of the trace.
fn trace() -> &'static str {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    let path = TRACE.get_or_init(|| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("state.aftr");
        testing::programs::recorded(&file, &["deferred"]);
        file
    });
    path.to_str().unwrap()
}

fn state(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_afterimage")).args(["state", trace()]).args(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = state(&[arguments, &["--json"]].concat());
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn the_state_is_shown_by_names() {
    let page = json(&["--at", "frame:2"]);
    assert_eq!(page["at"]["frame"], 2);
    let (context, share) = (&page["state"]["context"]["1"], &page["state"]["share"]["1"]);
    assert_eq!(context["api"], "OpenGL, core profile");
    assert_eq!(context["raster"]["cull_face"], true);
    assert_eq!(context["blend"], Value::Null, "no blend state is set");
    assert_eq!(context["framebuffer"]["2"]["draw_buffers"][2], "GL_COLOR_ATTACHMENT2");
    assert_eq!(context["framebuffer"]["2"]["color"]["1"], json!({ "value": "texture/3" }));
    assert_eq!(share["texture"]["3"]["level"]["0"]["format"], "GL_RGBA16F");
    assert_eq!(share["texture"]["3"]["level"]["0"]["size"], json!([480, 270]));
    let lamps = &share["program"]["7"]["uniforms"]["lamp_colors"];
    assert_eq!(lamps[0], json!([3.2, 0.9, 0.3]));
}

#[test]
fn a_path_selects_and_a_wrong_one_lists_the_alternatives() {
    let page = json(&["--at", "-1", "texture/1"]);
    assert_eq!(page["path"], "share/1/texture/1");
    assert_eq!(page["state"]["target"], "GL_TEXTURE_2D");
    let depth = json(&["--at", "-1", "context/1/depth", "--all"]);
    assert_eq!(depth["state"]["depth_func"], "GL_LESS");
    for (path, sentence) in [
        ("texture/77", "there is no `77` in share/1/texture; choose one of: 1, 2, 3"),
        ("nonsense", "there is no `nonsense` at the top; choose one of: thread, surface, context, share"),
    ] {
        let output = state(&["--at", "frame:2", path]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(sentence), "{said}");
        assert_eq!(output.status.code(), Some(2));
    }
    let output = state(&["--at", "99999999"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no command 99999999"));
}

#[test]
fn two_states_differ_by_what_the_frame_changed() {
    let page = json(&["--at", "frame:1", "--diff", "frame:2", "program/1"]);
    let differences = page["differences"].as_array().unwrap();
    assert!(!differences.is_empty());
    for difference in differences {
        assert_eq!(difference["kind"], "changed");
        assert!(difference["path"].as_str().unwrap().starts_with("share/1/program/1/uniforms/"), "{difference}");
        assert_ne!(difference["before"], difference["after"]);
    }
    let text = String::from_utf8(state(&["--at", "frame:1", "--diff", "frame:2", "program/1"]).stdout).unwrap();
    assert!(text.lines().any(|line| line.starts_with("  - ")) && text.lines().any(|line| line.starts_with("  + ")));
    let same = state(&["--at", "frame:1", "--diff", "frame:1"]);
    assert_eq!(same.status.code(), Some(1));
}

#[test]
fn the_whole_state_is_strict_json() {
    // Numbers that JSON does not support would be words without quotes, which any parser rejects.
    let page = json(&["--at", "-1", "--all"]);
    assert!(page["state"]["context"]["1"]["limits"]["max_texture_size"].as_u64().unwrap() >= 1024);
    assert_eq!(page["state"]["context"]["1"]["blend"]["blend_src_rgb"]["0"], "GL_ONE");
}

#[test]
fn the_passes_of_a_frame_and_their_dependencies() {
    let output = Command::new(env!("CARGO_BIN_EXE_afterimage"))
        .args(["graph", trace(), "--frame", "2", "--json"])
        .output()
        .unwrap();
    let graph: Value = serde_json::from_slice(&output.stdout).unwrap();
    let kinds: Vec<&str> =
        graph["passes"].as_array().unwrap().iter().filter_map(|pass| pass["kind"].as_str()).collect();
    assert_eq!(kinds, [["render"; 7].as_slice(), &["present"]].concat());
    // The shadow map is drawn first and read by the lighting pass.
    let shadow = json!({ "from": 1, "to": 3, "resource": "texture 1" });
    assert!(graph["edges"].as_array().unwrap().contains(&shadow), "{graph:#}");
}

#[test]
fn a_program_without_errors_is_reported_as_such() {
    let output = Command::new(env!("CARGO_BIN_EXE_afterimage")).args(["report", trace()]).output().unwrap();
    let page = String::from_utf8_lossy(&output.stdout);
    assert_eq!((output.status.code(), page.trim()), (Some(0), "No call was refused by GL."));
}
