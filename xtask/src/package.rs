//! `cargo xtask package`: a tarball and a Debian package of a release build.
//!
//! Both hold the same tree, made by [`tree`]. The program finds its library and the scene of its demo relative to itself, so that
//! the tarball can be unpacked anywhere.

mod debian;
mod licenses;
mod tree;
mod trial;

use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result};
use crate::process;

/// Of the product.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The tool that makes Debian packages.
const DPKG: &str = "dpkg-deb";

/// Builds the packages and returns their paths; with `try_it`, installs the Debian package in a new system and uses it there.
///
/// # Errors
/// When something cannot be built, or does not work in the new system.
pub fn run(try_it: bool) -> Result<()> {
    println!("Building afterimage for release (minutes), then a tarball and a Debian package in target/package.");
    let mut cargo = process::command("cargo", &["build", "--release"]);
    cargo.args(process::PRODUCT).args(process::PARTS);
    // In packages, library and scene are files.
    process::run_command(cargo.env("AFTERIMAGE_EMBED", "0"))?;
    let folder = process::target_dir().join("package");
    empty(&folder)?;
    let root = folder.join("root");
    tree::stage(&process::target_dir().join("release"), &root.join("usr"), true)?;
    let mut made = vec![tarball(&folder, &root)?];
    if process::exists(DPKG) {
        made.push(debian::package(&folder, &root)?);
    } else {
        println!("no Debian package, because {DPKG} is missing (Debian's package dpkg)");
    }
    for file in &made {
        let bytes = std::fs::metadata(file).context(file.display())?.len();
        println!("{}: {:.1} MB", process::shown(file), bytes as f64 / 1e6);
    }
    match made.get(1) {
        Some(package) if try_it => trial::run(package, &folder.join("trial")),
        None if try_it => Err(Error::refused("there is no Debian package to try")),
        _ => Ok(()),
    }
}

/// Makes the tree of a package from programs that are built already, and uses it, for `cargo xtask test`: what a package has is
/// there, and the program in it records and debugs. Nothing is built for release, packed or installed.
///
/// # Errors
/// When something is missing or does not work.
pub fn check(programs: &Path) -> Result<String> {
    let folder = process::target_dir().join("package-check");
    empty(&folder)?;
    let usr = folder.join("usr");
    tree::stage(programs, &usr, false)?;
    let files = tree::check(&usr)?;
    let program = usr.join("bin/afterimage");
    let story = process::output(
        &program.to_string_lossy(),
        &["demo", "--text", "--output", &folder.join("demo.aftr").to_string_lossy()],
    )?;
    if !story.contains(GUILTY) {
        return Err(Error::new(format!("the packaged demo does not come to `{GUILTY}`:\n{story}")));
    }
    let control = debian::control(&usr)?;
    Ok(format!("{files} files; {}", control.lines().find(|line| line.starts_with("Depends:")).unwrap_or_default()))
}

/// The guilty line of the demo's scene.
const GUILTY: &str = "normalize(mat3(model) * normal)";

/// Packs the tree below a folder with the version in its name.
fn tarball(folder: &Path, root: &Path) -> Result<PathBuf> {
    let name = format!("afterimage-{VERSION}-{}-linux", std::env::consts::ARCH);
    let file = folder.join(format!("{name}.tar.gz"));
    // The same tree gives the same bytes.
    let time = std::env::var("SOURCE_DATE_EPOCH")
        .or_else(|_| process::output("git", &["log", "-1", "--format=%ct"]).map(|t| t.trim().to_owned()));
    let mut tar =
        process::command("tar", &["--create", "--gzip", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--mtime=@{}", time.unwrap_or_else(|_| "0".to_owned()))).arg("--file").arg(&file);
    tar.arg(format!("--transform=s,^usr,{name},")).arg("--directory").arg(root).arg("usr");
    process::run_command(&mut tar)?;
    Ok(file)
}

fn empty(folder: &Path) -> Result<()> {
    remove(folder)?;
    std::fs::create_dir_all(folder).context(format!("cannot create {}", folder.display()))
}

/// Deletes a folder with all that is in it, but nothing that is mounted there: a trial has this machine's devices in it.
fn remove(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let mounts = std::fs::read_to_string("/proc/self/mounts").context("/proc/self/mounts")?;
    let folder = folder.canonicalize().context(folder.display())?;
    if let Some(place) =
        mounts.lines().filter_map(|line| line.split(' ').nth(1)).find(|place| Path::new(place).starts_with(&folder))
    {
        return Err(Error::refused(format!("{place} is mounted; unmount it first")));
    }
    std::fs::remove_dir_all(&folder).context(format!("cannot delete {}", folder.display()))
}
