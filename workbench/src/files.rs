//! Files in folders.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// Returns all files below a folder, in the order of their paths.
pub fn below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    walk(folder, &mut files).with_context(|| format!("cannot read {}", folder.display()))?;
    files.sort_unstable();
    Ok(files)
}

/// Returns the extension of a file's name; empty if there is none.
pub fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Copies a folder and all below it.
///
/// # Errors
/// When a file cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for path in below(from)? {
        let copied = to.join(path.strip_prefix(from)?);
        if let Some(folder) = copied.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::copy(&path, &copied).with_context(|| format!("cannot copy {}", path.display()))?;
    }
    Ok(())
}
