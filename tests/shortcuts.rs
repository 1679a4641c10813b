//! Seeking leaves out what earlier frames drew where nothing of it is left, and only there.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use testing::programs;

fn recorded(name: &str, words: &[&str]) -> PathBuf {
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shortcuts-{name}.aftr"));
    programs::recorded(&trace, &[words, &["--frames=60", "--size=64x48"]].concat());
    trace
}

fn asked(words: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_afterimage")).args(words).arg("--json").output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: {output:?}"))
}

/// Takes pictures of late commands, of earlier ones and of late ones again, with everything executed and without. Returns the
/// numbers of shortcuts that were taken and of experiments that allowed none.
#[track_caller]
fn compare(name: &str, words: &[&str]) -> [u64; 2] {
    let trace = recorded(name, words);
    let trace = trace.to_str().unwrap();
    let draws = asked(&["info", trace])["draws"].as_array().unwrap().clone();
    let places = [1, 2, 5, draws.len() / 2, draws.len() / 2 + 3, draws.len() / 5, 3, 40];
    let places: Vec<String> = places.map(|back| draws[draws.len() - back]["command"].to_string()).to_vec();
    let pictures = |folder: &str, more: &[&str]| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shortcuts-{name}-{folder}"));
        let mut words = vec!["replay", trace, "--force", "--images", folder.to_str().unwrap()];
        words.extend(places.iter().flat_map(|place| ["--at", place]));
        words.extend(more);
        let report = asked(&words);
        assert_eq!(report["result"], "done", "{report}");
        let read = |name: &Value| std::fs::read(folder.join(name.as_str().unwrap())).unwrap();
        let images: Vec<Vec<u8>> = report["pictures"].as_array().unwrap().iter().map(read).collect();
        assert!(images.len() >= places.len(), "{report}");
        (images, report)
    };
    let (short, report) = pictures("short", &[]);
    let (whole, _) = pictures("whole", &["--no-skip"]);
    assert!(short == whole, "{name}: {report}");
    ["shortcuts", "detours"].map(|key| report["back"][key].as_u64().unwrap())
}

#[test]
fn frames_that_are_drawn_over_need_no_earlier_ones() {
    let [shortcuts, detours] = compare("nothing", &["repaint"]);
    assert!(shortcuts > 0 && detours == 0, "{shortcuts} {detours}");
}

#[test]
fn what_shines_through_needs_all_earlier_frames() {
    for keep in ["trail", "depth"] {
        // A shortcut that leaves out the mirror alone is right.
        let [_, detours] = compare(keep, &["repaint", "--keep", keep]);
        assert!(detours > 0, "{keep}");
    }
}

#[test]
fn what_shaders_read_of_earlier_frames_needs_them() {
    let [shortcuts, detours] = compare("average", &["repaint", "--keep", "average"]);
    assert!(shortcuts == 0 && detours > 0, "{shortcuts} {detours}");
    // A simulation that forgets any start but the recorded one: shaders compute the same from all patterns.
    let [shortcuts, detours] = compare("pingpong", &["pingpong"]);
    assert!(shortcuts == 0 && detours > 0, "{shortcuts} {detours}");
}

#[test]
fn a_history_behind_a_shortcut_is_the_same() {
    let trace = recorded("history", &["repaint"]);
    let trimmed = trace.with_extension("trimmed.aftr");
    let (trace, trimmed) = (trace.to_str().unwrap(), trimmed.to_str().unwrap());
    let trim = ["trim", trace, "--frames", "55..60", "--force", "-o", trimmed];
    let output = Command::new(env!("CARGO_BIN_EXE_afterimage")).args(trim).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    for pixel in ["20,14", "33,30", "60,5"] {
        // The trimmed trace is too short for shortcuts.
        let nodes = |trace: &str| {
            let history = asked(&["history", trace, "--pixel", pixel]);
            assert!(history["nodes"].as_array().is_some_and(|nodes| !nodes.is_empty()), "{history}");
            let told = |node: &Value| ["kind", "before", "after", "verdict"].map(|key| node[key].clone());
            history["nodes"].as_array().unwrap().iter().take(3).map(told).collect::<Vec<_>>()
        };
        assert_eq!(nodes(trace), nodes(trimmed), "{pixel}");
    }
}
