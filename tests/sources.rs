//! `afterimage sources`, compared with what `state` knows of the same shaders.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use testing::programs;

fn trace() -> &'static Path {
    static TRACE: OnceLock<PathBuf> = OnceLock::new();
    TRACE.get_or_init(|| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sources.aftr");
        programs::recorded(&file, &["deferred", "--frames", "1"]);
        file
    })
}

fn afterimage(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.arg(words[0]).arg(trace()).args(&words[1..]).output().unwrap()
}

#[track_caller]
fn document(words: &[&str]) -> Value {
    let output = afterimage(&[words, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: {output:?}"))
}

#[test]
fn every_shader_is_there_with_all_of_its_text() {
    let all = document(&["sources"]);
    let sources = all["sources"].as_array().unwrap();
    let info = document(&["info"]);
    let shaders = info["programs"].as_array().unwrap().iter().flat_map(|one| one["shaders"].as_array().unwrap());
    assert_eq!(shaders.count(), sources.len());
    for source in sources {
        let text = source["text"].as_str().unwrap();
        assert_eq!(text.lines().count() as u64, source["lines"]);
        // `state` prints the whole text behind its first line, which says where.
        let path = format!("shader/{}/source", source["shader"]);
        let state = afterimage(&["state", "--at", "frame:0", &path]);
        let state = String::from_utf8(state.stdout).unwrap();
        assert_eq!(state.split_once('\n').unwrap().1, text, "{path}");
    }
    let printed = String::from_utf8(afterimage(&["sources"]).stdout).unwrap();
    for source in sources {
        assert!(printed.contains(source["text"].as_str().unwrap().trim_end()));
    }
}

#[test]
fn files_have_the_texts_and_are_not_overwritten() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sources_files");
    let _ = std::fs::remove_dir_all(&folder);
    let words = ["sources", "--program", "16", "-o", folder.to_str().unwrap()];
    let written = document(&words);
    let sources = written["sources"].as_array().unwrap();
    assert_eq!(sources.len(), 2);
    let texts = document(&["sources", "--program", "16"]);
    for (source, text) in sources.iter().zip(texts["sources"].as_array().unwrap()) {
        assert_eq!(source["programs"], serde_json::json!([16]));
        let file = PathBuf::from(source["file"].as_str().unwrap());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text["text"].as_str().unwrap());
        let name = file.file_name().unwrap().to_str().unwrap();
        assert_eq!(
            name,
            format!(
                "command-{}-shader-{}.{}",
                source["command"],
                source["shader"],
                &source["stage"].as_str().unwrap()[..4]
            )
        );
    }
    let again = afterimage(&words);
    let wrong = String::from_utf8_lossy(&again.stderr);
    assert_eq!(again.status.code(), Some(2), "{wrong}");
    assert!(wrong.contains("choose another folder") && wrong.lines().count() == 1, "{wrong}");
    // A link in the place of a file leads nowhere.
    let file = PathBuf::from(sources[0]["file"].as_str().unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    let elsewhere = folder.join("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    assert_eq!(afterimage(&words).status.code(), Some(2));
    assert!(!elsewhere.exists());
}

#[test]
fn programs_that_are_not_there_are_refused() {
    let output = afterimage(&["sources", "--program", "999"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no program 999"));
}
