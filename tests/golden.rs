//! Recordings of earlier builds replay on this one: the promise of docs/trace-format.md.

use std::path::{Path, PathBuf};
use std::process::Command;

use api::reflection::{Reflection, answers};
use serde_json::Value;
use trace::Reader;

/// Runs the program, and returns its document.
fn afterimage(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_afterimage")).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {said}"))
}

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/trace/tests/golden/recorded");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "aftr"));
    assert!(files.len() >= 3, "recordings are missing from {}", folder.display());
    files
}

/// The pixels are not compared: those of another driver, or of llvmpipe on another processor, may differ from the recorded
/// ones.
#[test]
fn recordings_of_earlier_builds_replay() {
    for path in recordings() {
        let file = path.to_str().unwrap();
        let info = afterimage(&["info", file, "--json"]);
        assert_eq!(info["problems"], Value::Array(Vec::new()), "{file}: {info:#}");
        assert_eq!(info["frames"].as_array().unwrap().len(), 2, "{file}: {info:#}");
        let replayed = afterimage(&["replay", file, "--json"]);
        assert_eq!(replayed["result"], "done", "{file}: {replayed:#}");
        assert_eq!(replayed["frames"], 2, "{file}: {replayed:#}");
        assert_eq!(replayed["problems"], Value::Array(Vec::new()), "{file}: {replayed:#}");
    }
}

/// What capture records about contexts, shaders and programs has an encoding of its own, which has to stay readable too.
#[test]
fn answers_of_the_driver_in_recordings_can_be_decoded() {
    let mut decoded = [("afiLimits", 0), ("afiShader", 0), ("afiProgram", 0)];
    for path in recordings() {
        let reader = Reader::open(&path, api::COMMANDS).unwrap();
        let mut calls = reader.calls();
        while let Some(call) = calls.next().unwrap() {
            let Some(count) = decoded.iter_mut().find(|(name, _)| *name == call.name()) else { continue };
            let bytes = reader.bytes(call.input(2).unwrap()).unwrap().unwrap();
            let readable = match call.command {
                Some(api::id::afiProgram) => {
                    Reflection::decode(&bytes).is_ok_and(|program| !program.interfaces.is_empty())
                }
                _ => answers::decode(&bytes).is_ok_and(|answers| !answers.is_empty()),
            };
            assert!(readable, "{}: {} (call {})", path.display(), call.name(), call.number);
            count.1 += 1;
        }
    }
    assert_eq!(decoded, [("afiLimits", 3), ("afiShader", 16), ("afiProgram", 8)]);
}

#[test]
fn a_newer_file_is_refused_in_one_sentence() {
    let mut bytes = std::fs::read(&recordings()[0]).unwrap();
    // The version in the head of the first chunk, and the head's checksum.
    bytes[10] = 2;
    let check = xxhash_rust::xxh3::xxh3_64(&bytes[..48]);
    bytes[48..56].copy_from_slice(&check.to_le_bytes());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("newer.aftr");
    std::fs::write(&path, bytes).unwrap();
    let commands: [&[&str]; 5] = [&["info"], &["dump"], &["replay"], &["state", "--at", "0"], &["report"]];
    for command in commands {
        let mut program = Command::new(env!("CARGO_BIN_EXE_afterimage"));
        let output = program.args(command).arg(&path).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{command:?}: {output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("was written by a newer Afterimage"), "{command:?}: {said}");
        assert_eq!((said.lines().count(), output.stdout.len()), (1, 0), "{command:?}: {said}");
    }
}
