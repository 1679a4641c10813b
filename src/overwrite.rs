//! Files that commands write: none is replaced unless the user says so.

use std::path::Path;

use anyhow::bail;

/// Returns an error if a file is there already and may not be replaced.
///
/// # Errors
/// When it is.
pub fn refuse(path: &Path, force: bool) -> anyhow::Result<()> {
    if path.exists() && !force && !is_device(path) {
        bail!("{} already exists; choose another name, or --force to replace it", path.display());
    }
    Ok(())
}

/// Returns an error if a folder has a file with one of these names and it may not be replaced.
///
/// # Errors
/// When it has one.
pub fn refuse_in(folder: &Path, force: bool, names: impl Fn(&str) -> bool) -> anyhow::Result<()> {
    let Some(entries) = std::fs::read_dir(folder).ok().filter(|_| !force) else { return Ok(()) };
    let found = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).filter(|name| names(name));
    match found.min() {
        Some(name) => {
            let file = folder.join(name);
            bail!("{} already exists; choose another folder, or --force to replace it", file.display())
        }
        None => Ok(()),
    }
}

/// Returns whether a path is something that holds no contents of its own, such as `/dev/full`.
pub fn is_device(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}
