//! Programs that several test files need.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Builds the programs to record and the recorder, once, and returns their folder; or returns the folder named by
/// `AFTERIMAGE_PROGRAMS`.
pub fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        if let Some(folder) = std::env::var_os("AFTERIMAGE_PROGRAMS") {
            return folder.into();
        }
        let mut command = Command::new(env!("CARGO"));
        command.arg("product");
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        assert!(command.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
        // The test is in a subfolder.
        std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned()
    })
}
