//! The Debian package.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{DPKG, VERSION, tree};
use crate::error::{Context, Error, Result};
use crate::process;

/// Libraries that programs are linked with, and the packages that have them. The C library is asked for with a version.
const PACKAGES: &[(&str, &str)] = &[("libgcc_s.so.1", "libgcc-s1")];

/// Parts of the C library.
const C_LIBRARY: [&str; 6] =
    ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"];

/// What is loaded at run time: EGL's library, and a driver behind it. Mesa's needs no GPU.
const LOADED: [&str; 2] = ["libegl1", "libgl1-mesa-dri | libegl-nvidia0"];

const DESCRIPTION: &str = "\
debugger for OpenGL, OpenGL ES and WebGL programs
 Afterimage records a program without changing it and replays its frames bit
 for bit. It measures the values in the program's shaders on the GPU, checks
 them against an emulator, and steps forwards, backwards and across render
 passes through every shader invocation that made a pixel.
 .
 `afterimage demo` shows it on a scene with a broken pixel.";

/// Makes the package of a tree and returns its path.
pub fn package(folder: &Path, root: &Path) -> Result<PathBuf> {
    let usr = root.join("usr");
    let control = root.join("DEBIAN");
    fs::create_dir_all(&control).context(control.display())?;
    fs::write(control.join("control"), self::control(&usr)?).context("DEBIAN/control")?;
    fs::write(control.join("md5sums"), sums(root, &usr)?).context("DEBIAN/md5sums")?;
    let file = folder.join(format!("afterimage_{VERSION}_{}.deb", architecture()?));
    let (from, to) = (root.to_string_lossy(), file.to_string_lossy());
    process::output(DPKG, &["--root-owner-group", "--build", &from, &to])?;
    Ok(file)
}

/// Returns the package's description of itself.
pub fn control(usr: &Path) -> Result<String> {
    let mut kilobytes = 0;
    for file in tree::below(usr)? {
        kilobytes += fs::metadata(&file).context(file.display())?.len().div_ceil(1024);
    }
    let mut linked = String::new();
    for binary in tree::binaries(usr) {
        linked += &process::output("readelf", &["--dynamic", "--version-info", "--wide", &binary.to_string_lossy()])?;
    }
    let mut depends: Vec<String> = dependencies(&linked)?.into_iter().collect();
    depends.extend(LOADED.map(str::to_owned));
    Ok(format!(
        "Package: afterimage\nVersion: {VERSION}\nArchitecture: {}\nMaintainer: The Afterimage authors\n\
         Section: devel\nPriority: optional\nInstalled-Size: {kilobytes}\nDepends: {}\nDescription: {DESCRIPTION}\n",
        architecture()?,
        depends.join(", ")
    ))
}

/// Returns the packages with the libraries that `readelf` lists.
fn dependencies(linked: &str) -> Result<BTreeSet<String>> {
    let mut depends = BTreeSet::new();
    let mut newest = (0, 0);
    for line in linked.lines() {
        if let Some(library) = line.split("Shared library: [").nth(1).and_then(|rest| rest.split(']').next()) {
            match PACKAGES.iter().find(|(name, _)| *name == library) {
                Some((_, package)) => drop(depends.insert((*package).to_owned())),
                None if C_LIBRARY.contains(&library) => {}
                None => {
                    return Err(Error::new(format!("no Debian package is known for {library}; add it to PACKAGES")));
                }
            }
        }
        for version in line.split("GLIBC_").skip(1) {
            let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse::<u32>().ok());
            if let (Some(Some(major)), Some(Some(minor))) = (numbers.next(), numbers.next()) {
                newest = newest.max((major, minor));
            }
        }
    }
    if newest == (0, 0) {
        return Err(Error::new("readelf shows no version of the C library"));
    }
    depends.insert(format!("libc6 (>= {}.{})", newest.0, newest.1));
    Ok(depends)
}

/// Returns Debian's name of this machine's architecture.
fn architecture() -> Result<&'static str> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("amd64"),
        other => Err(Error::refused(format!("packages for {other} have not been tried"))),
    }
}

/// Returns the sums by which `dpkg --verify` finds changed files.
fn sums(root: &Path, usr: &Path) -> Result<String> {
    let files = tree::below(usr)?;
    let relative = files.iter().map(|file| file.strip_prefix(root).unwrap_or(file));
    let output =
        process::command("md5sum", &[]).args(relative).current_dir(root).output().context("cannot start md5sum")?;
    if !output.status.success() {
        return Err(Error::new("md5sum failed"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_follow_from_linked_libraries() {
        let linked = " 0x1 (NEEDED)  Shared library: [libgcc_s.so.1]\n 0x1 (NEEDED)  Shared library: [libc.so.6]\n  \
                      0x00c0:   Name: GLIBC_2.9  Flags: none  Version: 3\n  0x00d0:   Name: GLIBC_2.34  Flags: none  Version: 2\n  \
                      Name: GLIBC_2.2.5  Flags: none\n";
        let found: Vec<String> = dependencies(linked).unwrap().into_iter().collect();
        assert_eq!(found, ["libc6 (>= 2.34)", "libgcc-s1"]);
        assert!(dependencies("Shared library: [libfoo.so.1]\nGLIBC_2.4").is_err());
        assert!(dependencies("").is_err());
    }
}
