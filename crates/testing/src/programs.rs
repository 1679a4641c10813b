//! The programs of the workspace, built and recorded.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Builds the programs of the workspace, once in a process, and returns the folder they are in.
///
/// The environment variable `AFTERIMAGE_PROGRAMS` names a folder that is used as it is instead.
///
/// # Panics
/// When they cannot be built.
#[must_use]
pub fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        if let Some(folder) = std::env::var_os("AFTERIMAGE_PROGRAMS") {
            return folder.into();
        }
        let mut command = Command::new(env!("CARGO"));
        command.args(["product", "--quiet"]);
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        let status = command.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo can be started");
        assert!(status.success(), "the programs of the workspace cannot be built");
        // The test lies in a folder below.
        let test = std::env::current_exe().expect("a test has a path");
        test.ancestors().nth(2).expect("a test lies in a folder").to_owned()
    })
}

/// Records a program of the workspace with its arguments into a new file.
///
/// # Panics
/// When the recorder cannot be started.
#[must_use]
pub fn record(file: &Path, program: &[&str]) -> Output {
    // What an earlier run of the test left.
    let _ = std::fs::remove_file(file);
    let mut command = Command::new(built().join("afterimage"));
    command.args(["record", "-q", "-o"]).arg(file).arg("--").arg(built().join(program[0])).args(&program[1..]);
    command.output().expect("the recorder can be started")
}

/// Records a program as [`record`] does.
///
/// # Panics
/// When recording fails.
#[track_caller]
pub fn recorded(file: &Path, program: &[&str]) {
    let output = record(file, program);
    assert!(output.status.success(), "{program:?} cannot be recorded: {output:?}");
}
