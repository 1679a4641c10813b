//! Packages and corpora that tasks need.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use xtask::setup::privilege;

use crate::{files, process};

/// Installs the named Debian packages if they are missing.
pub fn ensure(names: &[&str]) -> anyhow::Result<()> {
    Ok(xtask::setup::ensure(names)?)
}

/// Installs what several steps of `cargo xtask test` need, so that their times are their own.
pub fn for_tests() -> anyhow::Result<()> {
    xtask::setup::run(xtask::setup::Options::default())?;
    ensure(&["libglx-mesa0", "clang"])?;
    ensure_piglit()
}

/// Downloads and unpacks piglit's shaders if they are missing.
pub fn ensure_piglit() -> anyhow::Result<()> {
    if piglit_dir().is_dir() {
        return Ok(());
    }
    if !process::exists("dpkg-deb") || !process::exists("apt-get") {
        bail!("piglit's shaders come from Debian's package, which needs apt-get and dpkg-deb");
    }
    piglit()
}

/// Returns the folder of piglit's shaders, once unpacked.
pub fn piglit_dir() -> PathBuf {
    process::corpus_dir().join("piglit")
}

/// Downloads piglit's package and unpacks its shaders; nothing is installed.
///
/// The generated `vs_in` folders are left out: they are nine tenths of the bytes and vary only vertex formats.
fn piglit() -> anyhow::Result<()> {
    let patterns =
        ["--exclude=*/vs_in/*", "--exclude=*/bin/*", "--wildcards", "*/piglit/tests/*", "*/piglit/generated_tests/*"];
    unpack_piglit("piglit's shaders", &piglit_dir(), "tests", &patterns)
}

/// Returns the folder of piglit's C programs and libraries: `bin` and `lib`. Downloads and unpacks them the first time.
pub fn piglit_programs() -> anyhow::Result<PathBuf> {
    let target = process::corpus_dir().join("piglit-programs");
    unpack_piglit("piglit's programs", &target, "bin", &["--wildcards", "*/piglit/bin/*", "*/piglit/lib/*"])?;
    Ok(target)
}

/// Unpacks part of piglit's package, unless `folder` of it exists already.
fn unpack_piglit(what: &str, target: &std::path::Path, folder: &str, patterns: &[&str]) -> anyhow::Result<()> {
    if target.is_dir() {
        return Ok(());
    }
    println!("downloading {what} (34 MB) into target/corpus");
    let download = process::corpus_dir().join("download");
    let package = fetch("piglit", &download)?;
    // Unpacks to a temporary folder and renames it, so that an incomplete download is never taken for a complete one.
    let partial = target.with_extension("partial");
    if partial.exists() {
        std::fs::remove_dir_all(&partial)?;
    }
    std::fs::create_dir_all(&partial)?;
    let mut unpack = Command::new("dpkg-deb").arg("--fsys-tarfile").arg(&package).stdout(Stdio::piped()).spawn()?;
    let stream = unpack.stdout.take().context("dpkg-deb gave no output")?;
    let status = Command::new("tar").arg("-x").args(patterns).current_dir(&partial).stdin(stream).status()?;
    let unpacked = unpack.wait()?;
    if !status.success() || !unpacked.success() {
        bail!("cannot unpack {}; delete target/corpus and try again", package.display());
    }
    let found = find_piglit(&partial, folder).with_context(|| format!("piglit's package has no folder `{folder}`"))?;
    std::fs::rename(found, target)?;
    std::fs::remove_dir_all(&partial)?;
    std::fs::remove_dir_all(&download)?;
    Ok(())
}

/// Downloads a Debian package into a folder, created if needed, without installing it; returns the package's file.
fn fetch(package: &str, directory: &std::path::Path) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let attempt = || {
        Command::new("apt-get")
            // As root, apt would drop privileges and then fail to write into the user's folder.
            .args(["download", "-o", "APT::Sandbox::User=root", package])
            .current_dir(directory)
            .stdin(Stdio::null())
            .output()
    };
    let mut output = attempt().context("cannot start apt-get")?;
    if !output.status.success()
        && let Some(prefix) = privilege()
    {
        // A fresh machine has no package lists yet.
        let update = prefix.map_or(vec!["apt-get", "update"], |sudo| vec![sudo, "apt-get", "update"]);
        process::output(update[0], &update[1..])?;
        output = attempt()?;
    }
    if !output.status.success() {
        bail!("`apt-get download {package}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let mut files = std::fs::read_dir(directory)?.filter_map(|entry| Some(entry.ok()?.path()));
    let file = files.find(|path| files::extension(path) == "deb");
    file.with_context(|| format!("apt-get downloaded {package} but left no package file"))
}

/// Returns the folder `usr/lib/TRIPLET/piglit` in the unpacked package that contains the named one.
fn find_piglit(unpacked: &std::path::Path, folder: &str) -> Option<PathBuf> {
    let library = unpacked.join("usr/lib");
    let entries = std::fs::read_dir(&library).ok()?;
    let nested = entries.filter_map(|entry| Some(entry.ok()?.path().join("piglit")));
    nested.chain([library.join("piglit")]).find(|path| path.join(folder).is_dir())
}
