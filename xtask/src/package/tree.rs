//! The files of a package, as they lie below `/usr` or where the tarball is unpacked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::licenses;
use crate::error::{Context, Error, Result};
use crate::process;

/// Programs and libraries: what cargo builds, and its place.
const BINARIES: &[(&str, &str)] = &[
    ("afterimage", "bin/afterimage"),
    ("libafterimage_capture.so", "lib/afterimage/libafterimage_capture.so"),
    ("deferred", "lib/afterimage/deferred"),
];

/// Files of the repository, and their places.
const FILES: &[(&str, &str)] = &[
    ("xtask/package/afterimage.desktop", "share/applications/afterimage.desktop"),
    ("xtask/package/afterimage.xml", "share/mime/packages/afterimage.xml"),
    ("README.md", "share/doc/afterimage/README.md"),
    ("docs/tutorial.md", "share/doc/afterimage/tutorial.md"),
    ("docs/privacy.md", "share/doc/afterimage/privacy.md"),
    ("docs/editors.md", "share/doc/afterimage/editors.md"),
    ("docs/json.md", "share/doc/afterimage/json.md"),
    ("LICENSE-MIT", "share/doc/afterimage/LICENSE-MIT"),
    ("LICENSE-APACHE", "share/doc/afterimage/LICENSE-APACHE"),
];

/// Shells, and where each looks for completions.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/afterimage"),
    ("zsh", "share/zsh/vendor-completions/_afterimage"),
    ("fish", "share/fish/vendor_completions.d/afterimage.fish"),
];

const MANUAL: &str = "share/man/man1";
const LICENSES: &str = "share/doc/afterimage/third-party-licenses";
const COPYRIGHT: &str = "share/doc/afterimage/copyright";

/// Makes the tree from the programs in a folder. With `strip`, debug information is left out.
pub fn stage(programs: &Path, usr: &Path, strip: bool) -> Result<()> {
    for (name, place) in BINARIES {
        let to = copy(&programs.join(name), usr, place)?;
        if strip {
            // Names of functions stay, for backtraces.
            process::run("strip", &["--strip-debug", &to.to_string_lossy()])?;
        }
    }
    for (file, place) in FILES {
        copy(&process::root().join(file), usr, place)?;
    }
    let program = programs.join("afterimage");
    let program = program.to_string_lossy();
    for (shell, place) in COMPLETIONS {
        write(usr, place, &process::output(&program, &["completions", shell])?)?;
    }
    let manual = usr.join(MANUAL);
    process::run(&program, &["man-pages", &manual.to_string_lossy()])?;
    for page in below(&manual)? {
        process::run("gzip", &["-9", "--no-name", &page.to_string_lossy()])?;
    }
    write(usr, LICENSES, &licenses::text()?)?;
    write(usr, COPYRIGHT, &copyright()?)?;
    // Every user may read a package's files, whatever the umask of who builds it.
    for file in below(usr)? {
        let is_program = BINARIES.iter().any(|(_, place)| file == usr.join(place));
        set_mode(&file, if is_program { 0o755 } else { 0o644 })?;
        for folder in file.ancestors().skip(1).take_while(|folder| folder.starts_with(usr)) {
            set_mode(folder, 0o755)?;
        }
    }
    Ok(())
}

/// Checks that the tree is complete and that shells and `man` accept their files; returns the number of files.
pub fn check(usr: &Path) -> Result<usize> {
    let files = below(usr)?;
    if let Some(empty) = files.iter().find(|file| fs::metadata(file).is_ok_and(|found| found.len() == 0)) {
        return Err(Error::new(format!("{} is empty", empty.display())));
    }
    process::run("bash", &["-n", &usr.join(COMPLETIONS[0].1).to_string_lossy()])?;
    let help = process::output(&usr.join("bin/afterimage").to_string_lossy(), &["--help"])?;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> =
        listed.filter_map(|line| line.split_whitespace().next()).filter(|c| *c != "help").collect();
    if commands.is_empty() {
        return Err(Error::new(format!("the packaged program lists no commands:\n{help}")));
    }
    for command in commands {
        let page = usr.join(MANUAL).join(format!("afterimage-{command}.1.gz"));
        if !page.is_file() {
            return Err(Error::new(format!("the manual has no page of `afterimage {command}`")));
        }
        for (shell, place) in COMPLETIONS {
            let script = fs::read_to_string(usr.join(place)).context(place)?;
            if !script.contains(command) {
                return Err(Error::new(format!("the completions for {shell} lack `{command}`")));
            }
        }
    }
    Ok(files.len())
}

/// Returns the places of programs and libraries.
pub fn binaries(usr: &Path) -> Vec<PathBuf> {
    BINARIES.iter().map(|(_, place)| usr.join(place)).collect()
}

/// Returns all files below a folder, in the order of their paths.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).context(folder.display())? {
            let path = entry.context(folder.display())?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn copyright() -> Result<String> {
    let mit = fs::read_to_string(process::root().join("LICENSE-MIT")).context("LICENSE-MIT")?;
    Ok(format!(
        "Afterimage may be used under the MIT license or the Apache License 2.0, at your option. On Debian systems, the latter is\n\
         in /usr/share/common-licenses/Apache-2.0. Parts of its programs are other people's; `third-party-licenses` beside this\n\
         file has their licenses.\n\n{mit}"
    ))
}

fn copy(from: &Path, usr: &Path, place: &str) -> Result<PathBuf> {
    let to = usr.join(place);
    make_folder(&to)?;
    fs::copy(from, &to).context(format!("cannot copy {}", from.display()))?;
    Ok(to)
}

fn write(usr: &Path, place: &str, text: &str) -> Result<()> {
    let to = usr.join(place);
    make_folder(&to)?;
    fs::write(&to, text).context(format!("cannot write {}", to.display()))
}

/// Makes the folders above a file.
fn make_folder(file: &Path) -> Result<()> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder).context(format!("cannot create {}", folder.display()))
}

fn set_mode(path: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).context(format!("cannot change {}", path.display()))
}
