//! The XML files of the Khronos registry, vendored in `crates/api/registry`.

use anyhow::Context;

use super::parse::Library;
use crate::process;

/// The folder with the files, relative to the root of the repository.
const FOLDER: &str = "crates/api/registry";

/// One file of the registry.
pub struct Source {
    /// The library whose commands it describes.
    pub library: Library,
    /// The file's name, for messages.
    pub name: &'static str,
    /// The XML.
    pub text: String,
}

/// Reads all files.
///
/// # Errors
/// When a file cannot be read.
pub fn read() -> anyhow::Result<Vec<Source>> {
    let folder = process::root().join(FOLDER);
    let files = [(Library::Gl, "gl.xml"), (Library::Glx, "glx.xml"), (Library::Egl, "egl.xml")];
    let read = |(library, name)| {
        let text =
            std::fs::read_to_string(folder.join(name)).with_context(|| format!("cannot read {FOLDER}/{name}"))?;
        Ok(Source { library, name, text })
    };
    files.into_iter().map(read).collect()
}
