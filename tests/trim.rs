//! `afterimage trim`: frames that are cut out of a trace look as in the whole trace.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use testing::programs::built;
use testing::trace::TraceBuilder;

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
    for &(first, last) in ranges {
        assert!(last < frames, "{demo} has {frames} frames");
        let part = folder.0.join(format!("{first}-{last}.aftr"));
        let range = format!("{first}..={last}");
        let cut = afterimage(&["trim", text(&whole), "--frames", &range, "-o", text(&part), "--json"]);
        assert_eq!(cut["problems"], Value::Array(Vec::new()), "{demo} {range}");
        let compared = afterimage(&["replay", text(&part), "--verify", "--json"]);
        let counted = &compared["verify"]["frames"];
        assert_eq!(counted["compared"], last + 1 - first, "{demo} {range}: {compared:#}");
        assert_eq!(compared["result"], "done", "{demo} {range}: {compared:#}");
        let number = |key: &str| cut["bytes"][key].as_u64().unwrap();
        assert!(number("trace") - number("contents") <= number("whole"), "{demo} {range}: {cut:#}");
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
        String::from_utf8_lossy(&output.stderr)
            .contains("the trace has 0 frames, counted from 0, so it has no frame 3"),
        "{output:?}"
    );
}
