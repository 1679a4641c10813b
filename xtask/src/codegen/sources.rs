//! Where the registry comes from: Debian's package `khronos-api` for GL and GLX, crate `khronos_api` for EGL.
//!
//! The package is newer than the crate and says which parameters are names of objects, but it has no EGL.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};

use super::parse::Library;
use crate::{process, setup};

/// One file of the registry.
pub struct Source {
    /// Whose commands it has.
    pub library: Library,
    /// What to call it in messages.
    pub name: &'static str,
    /// The XML.
    pub text: String,
}

/// All files, the better description of a command before the worse.
pub fn read() -> anyhow::Result<Vec<Source>> {
    let folder = ensure()?;
    let file = |library, name: &'static str| -> anyhow::Result<Source> {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        Ok(Source { library, name, text })
    };
    let embedded =
        |library, name, bytes: &[u8]| Source { library, name, text: String::from_utf8_lossy(bytes).into_owned() };
    Ok(vec![
        file(Library::Gl, "gl.xml")?,
        file(Library::Glx, "glx.xml")?,
        embedded(Library::Egl, "egl.xml of crate khronos_api", khronos_api::EGL_XML),
        embedded(Library::Gl, "gl.xml of crate khronos_api", khronos_api::GL_XML),
        embedded(Library::Glx, "glx.xml of crate khronos_api", khronos_api::GLX_XML),
    ])
}

/// Where the files of Debian's package are, once unpacked.
pub fn folder() -> PathBuf {
    process::root().join("target/registry")
}

/// The folder with the files of Debian's package, downloaded when it is not there. Nothing is installed.
pub fn ensure() -> anyhow::Result<PathBuf> {
    let folder = folder();
    if folder.join("gl.xml").is_file() && folder.join("glx.xml").is_file() {
        return Ok(folder);
    }
    println!("downloading the Khronos registry into target/registry");
    let download = folder.join("download");
    let package = setup::fetch("khronos-api", &download)?;
    let status = Command::new("dpkg-deb").arg("-x").arg(&package).arg(&download).status()?;
    if !status.success() {
        bail!("{} could not be unpacked; delete target/registry and try again", package.display());
    }
    for name in ["gl.xml", "glx.xml"] {
        std::fs::rename(download.join("usr/share/khronos-api").join(name), folder.join(name))
            .with_context(|| format!("package khronos-api holds no {name}"))?;
    }
    std::fs::remove_dir_all(&download)?;
    Ok(folder)
}
