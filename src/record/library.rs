//! The capture library: where it is, and how a program gets it.

use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::embedded::{CAPTURE, Unpacked};

const NAME: &str = "libafterimage_capture.so";

/// Finds the library: where AFTERIMAGE_CAPTURE says, beside this program, where an installation puts it, or in this program.
pub fn find() -> anyhow::Result<Unpacked> {
    if let Some(path) = env::var_os("AFTERIMAGE_CAPTURE") {
        let path = PathBuf::from(path);
        let path = path.canonicalize().with_context(|| format!("AFTERIMAGE_CAPTURE names {}", path.display()))?;
        return Ok(Unpacked::found(path));
    }
    let program = env::current_exe().context("this program cannot find itself")?;
    let folder = program.parent().context("this program has no folder")?;
    let places = [folder.join(NAME), folder.join("deps").join(NAME), folder.join("../lib/afterimage").join(NAME)];
    for place in &places {
        if let Ok(path) = place.canonicalize() {
            return Ok(Unpacked::found(path));
        }
    }
    match CAPTURE.unpack().context("the capture library cannot be unpacked")? {
        Some(unpacked) => Ok(unpacked),
        None => bail!(
            "{NAME} is not in {}; build it with `cargo build --package capture` or say where it is with AFTERIMAGE_CAPTURE",
            folder.display()
        ),
    }
}

/// The value of LD_PRELOAD. What others have put there stays in front, because tools such as sanitizers insist on being
/// first, and because recording nearest to the driver sees what they add.
pub fn preload(library: &Path, others: Option<OsString>) -> anyhow::Result<OsString> {
    if library.as_os_str().as_bytes().iter().any(|byte| b": ".contains(byte)) {
        bail!("{} cannot be preloaded, because its path has a space or a colon", library.display());
    }
    let Some(mut list) = others.filter(|others| !others.is_empty()) else { return Ok(library.into()) };
    let names = list.as_bytes().split(|byte| b": ".contains(byte));
    if !names.into_iter().any(|name| name == library.as_os_str().as_bytes()) {
        list.push(":");
        list.push(library);
    }
    Ok(list)
}
