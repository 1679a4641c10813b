//! Programs that tests of several files need.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Builds what is recorded and what records, once, and says where it is: or takes the folder that `AFTERIMAGE_PROGRAMS` names.
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
        // The test lies in a folder below.
        std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned()
    })
}
