//! Programs that tests of several files need.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Builds what is recorded and what records, once, and says where it is.
pub fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let afterimage = Path::new(env!("CARGO_BIN_EXE_afterimage"));
        let mut command = Command::new(env!("CARGO"));
        command.args(["build", "--quiet", "--package", "capture", "--package", "demos"]);
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        assert!(command.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
        afterimage.parent().unwrap().to_owned()
    })
}
