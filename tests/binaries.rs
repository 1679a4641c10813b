//! Programs that cache their shaders as binaries give their texts while they are recorded; with `--keep-binaries` they do
//! not, and the answers say what they lack.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use testing::programs::built;

/// A folder with the binary that a run without a recorder has saved. The radius lets the corners of the picture be NaN.
struct Folder {
    path: PathBuf,
    plain: String,
}

const NAN: [&str; 4] = ["--frames=1", "--size=64x48", "--radius", "0.6"];

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("binaries-{name}"));
        // What an earlier run of the test left.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let mut folder = Self { path, plain: String::new() };
        let first = folder.output(Command::new(built().join("cached")).args(folder.arguments(&[])));
        assert!(text(&first.stdout).contains("got a binary"), "{first:?}");
        let second = folder.output(Command::new(built().join("cached")).args(folder.arguments(&[])));
        folder.plain = text(&second.stdout);
        assert!(folder.plain.contains("formats 1 1 1 1 1\nlisted [34655, -1]"), "{second:?}");
        assert!(folder.plain.contains("loaded: linked 1, error 0x0"), "{second:?}");
        folder
    }

    fn arguments(&self, more: &[&str]) -> Vec<String> {
        let cache = format!("--cache={}", self.path.join("shaders.bin").display());
        std::iter::once(cache).chain(NAN.iter().chain(more).map(|one| (*one).to_owned())).collect()
    }

    fn output(&self, command: &mut Command) -> Output {
        let output = command.current_dir(&self.path).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output
    }

    /// Records the demo; returns what it printed.
    fn record(&self, options: &[&str], more: &[&str]) -> String {
        let mut command = Command::new(built().join("afterimage"));
        command.args(["record", "-q", "--force", "--hash-frames", "-o", "cached.aftr"]).args(options).arg("--");
        text(&self.output(command.arg(built().join("cached")).args(self.arguments(more))).stdout)
    }

    /// Runs `afterimage` on the recording.
    fn ask(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
        command.arg(arguments[0]).arg("cached.aftr").args(&arguments[1..]).current_dir(&self.path);
        command.output().unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn check(output: &Output, status: i32, stdout: &str, stderr: &str) {
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    assert!(text(&output.stdout).contains(stdout), "{stdout:?} is not in {}", text(&output.stdout));
    assert!(text(&output.stderr).contains(stderr), "{stderr:?} is not in {}", text(&output.stderr));
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The recording is what was recorded, and the model of GL has no other answers than the program got.
#[track_caller]
fn is_consistent(folder: &Folder) {
    check(&folder.ask(&["replay", "--verify"]), 0, "frames: 1 of 1 equal", "");
    let draw = json(&folder.ask(&["info", "--json"]))["draws"][0]["command"].to_string();
    let compared = folder.ask(&["replay", "--at", &draw, "--images", "pictures", "--compare-state", "--json"]);
    let found = &json(&compared)["model"];
    assert!(found["equal"].as_u64().unwrap() > 1000, "{found}");
    assert_eq!(found["different"], 0, "{found}");
}

#[test]
fn a_cached_program_gives_its_texts() {
    let folder = Folder::new("hidden");
    let said = folder.record(&[], &[]);
    let expected = "formats 0 0 0 0 0\nlisted [-1]\nformats of shaders 0, error 0x0\ncompiled: has no binary\n\
                    got none, error 0x502\n";
    assert_eq!(said, expected);
    check(&folder.ask(&["info"]), 0, "linked at", "");
    assert!(!text(&folder.ask(&["info"]).stdout).contains("no text"));
    is_consistent(&folder);
    check(&folder.ask(&["history", "--nan"]), 1, "`sqrt` of a negative number", "");
    let why = "GL_INVALID_OPERATION: there are no formats for program binaries; `record` hides those of the driver";
    check(&folder.ask(&["report"]), 1, why, "");
}

#[test]
fn a_binary_of_a_hidden_format_is_refused() {
    let folder = Folder::new("refused");
    let said = folder.record(&[], &["--insist"]);
    assert!(said.contains("loaded: linked 0, error 0x500\ncompiled: has no binary\n"), "{said}");
    is_consistent(&folder);
    check(&folder.ask(&["info"]), 0, "1 of context 1, never linked: no shaders", "");
    check(&folder.ask(&["report"]), 1, "GL_INVALID_ENUM: there are no formats for program binaries", "");
}

#[test]
fn binaries_are_kept_on_request_and_named_where_texts_are_missing() {
    let folder = Folder::new("kept");
    assert_eq!(folder.record(&["--keep-binaries"], &[]), folder.plain);
    is_consistent(&folder);
    check(&folder.ask(&["report"]), 0, "No call was refused", "");
    let info = folder.ask(&["info"]);
    check(&info, 0, "a binary, without text\nno text   1 program cannot be shown, measured or stepped through (1)", "");
    let loaded = json(&folder.ask(&["info", "--json"]))["programs"][0]["loaded"].as_u64().unwrap();
    assert!(text(&info.stdout).contains(&format!("loaded at {loaded}: ")), "{info:?}");
    let nan = folder.ask(&["history", "--nan"]);
    check(&nan, 2, "no NaN reaches an image in the 0 draws that could be searched", "it was loaded as a binary");
    check(&nan, 2, "", "1 of 1 draw could not be searched, so it is not known whether there is one");
}
