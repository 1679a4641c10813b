//! npm packages: installed below `target`, with the exact versions of a `package.json`.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, bail};

use crate::process;

/// Installs the packages of a `package.json` of the repository, unless they are installed, and returns the folder.
pub fn install(package: &Path) -> anyhow::Result<PathBuf> {
    let wanted = std::fs::read_to_string(package).with_context(|| format!("cannot read {}", package.display()))?;
    let name = package.parent().and_then(Path::file_name).unwrap_or_default();
    let folder = process::target_dir().join("npm").join(name);
    let done = folder.join("installed.json");
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    if !process::exists("npm") {
        bail!("cannot find npm; install Debian's package npm");
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    std::fs::write(folder.join("package.json"), &wanted)?;
    println!("installing npm packages for {}", name.display());
    let words = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    let mut command = process::command("npm", &words);
    let status = command.current_dir(&folder).stdin(Stdio::null()).status().context("cannot start npm")?;
    if !status.success() {
        bail!("npm could not install the packages of {} ({status})", package.display());
    }
    std::fs::write(done, wanted)?;
    Ok(folder)
}
