//! `cargo xtask setup`: Debian packages and corpora.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::{files, process};

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Change nothing; fail with a list if something is missing.
    #[arg(long)]
    pub check: bool,
    /// Also install what only some tasks need: apitrace, glmark2, glslang, a virtual X server.
    #[arg(long)]
    pub all: bool,
}

/// A package and its purpose.
struct Package {
    name: &'static str,
    why: &'static str,
    group: Group,
}

/// When a package is installed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// By every `setup`.
    Base,
    /// By `setup --all`, or by the task that needs it.
    Extra,
}

const PACKAGES: &[Package] = &[
    Package { name: "libgl1-mesa-dri", why: "llvmpipe, the GL driver that runs without a GPU", group: Group::Base },
    Package { name: "libegl1", why: "EGL, with which crate `driver` creates contexts", group: Group::Base },
    Package { name: "libegl-mesa0", why: "Mesa's EGL, with headless displays", group: Group::Base },
    Package { name: "libgles2", why: "OpenGL ES entry points", group: Group::Base },
    Package { name: "libgl1", why: "desktop GL entry points", group: Group::Base },
    Package { name: "libglx-mesa0", why: "Mesa's GLX, for programs that use X", group: Group::Base },
    Package { name: "clang", why: "compiles zstd for WebAssembly", group: Group::Base },
    Package { name: "python3", why: "runs the tests of the Python package", group: Group::Extra },
    Package { name: "python3-venv", why: "installs what builds and tests the Python package", group: Group::Extra },
    Package { name: "glslang-tools", why: "a second opinion on GLSL", group: Group::Extra },
    Package { name: "glslang-dev", why: "the peer in the front end's benchmark", group: Group::Extra },
    Package { name: "apitrace", why: "dumps the shaders that programs compile", group: Group::Extra },
    Package {
        name: "python3-renderdoc",
        why: "RenderDoc, the peer in the benchmark of histories",
        group: Group::Extra,
    },
    Package { name: "glmark2-x11", why: "real desktop GL 2 programs", group: Group::Extra },
    Package { name: "glmark2-es2-x11", why: "real OpenGL ES 2 programs", group: Group::Extra },
    Package { name: "xvfb", why: "an X server without a screen, for glmark2", group: Group::Extra },
    Package { name: "xauth", why: "xvfb-run asks for it", group: Group::Extra },
    Package { name: "mesa-utils", why: "glxgears and es2gears, programs to record", group: Group::Extra },
    Package { name: "tmux", why: "a terminal for pictures of the debugger", group: Group::Extra },
    Package { name: "xterm", why: "pictures of the debugger in real terminals", group: Group::Extra },
    Package { name: "kitty", why: "pictures of the debugger in real terminals", group: Group::Extra },
    Package { name: "xdotool", why: "pictures of the debugger in real terminals", group: Group::Extra },
    Package { name: "imagemagick", why: "pictures of the debugger in real terminals", group: Group::Extra },
    Package { name: "foot", why: "pictures of the debugger in real terminals", group: Group::Extra },
    Package { name: "sway", why: "pictures of the debugger in real terminals", group: Group::Extra },
    Package { name: "grim", why: "pictures of the debugger in real terminals", group: Group::Extra },
    Package { name: "wtype", why: "pictures of the debugger in real terminals", group: Group::Extra },
    Package { name: "chromium", why: "renders these pictures", group: Group::Extra },
    Package { name: "fonts-dejavu-core", why: "the font of these pictures", group: Group::Extra },
    Package { name: "libwaffle-1-0", why: "piglit's programs create contexts with it", group: Group::Extra },
    Package { name: "libxkbcommon0", why: "piglit's programs are linked with it", group: Group::Extra },
];

/// Installs what is missing.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let wanted: Vec<&Package> = PACKAGES.iter().filter(|p| args.all || p.group == Group::Base).collect();
    let missing = missing(&wanted)?;
    if args.check {
        let mut lines: Vec<String> = missing.iter().map(|p| format!("  {}: {}", p.name, p.why)).collect();
        if !piglit_dir().is_dir() {
            lines.push("  piglit's shaders: `cargo xtask setup` unpacks them into target/corpus".to_owned());
        }
        if lines.is_empty() {
            return Ok(());
        }
        bail!("missing, run `cargo xtask setup{}`:\n{}", if args.all { " --all" } else { "" }, lines.join("\n"));
    }
    install(&missing)?;
    piglit()
}

/// Installs the named packages of the table if they are missing.
pub fn ensure(names: &[&str]) -> anyhow::Result<()> {
    let wanted: Vec<&Package> = PACKAGES.iter().filter(|p| names.contains(&p.name)).collect();
    install(&missing(&wanted)?)
}

/// Runs the basic `setup` if piglit's shaders are missing.
pub fn ensure_piglit() -> anyhow::Result<()> {
    if piglit_dir().is_dir() { Ok(()) } else { run(&Args::default()) }
}

/// Returns the folder of piglit's shaders, once unpacked.
pub fn piglit_dir() -> PathBuf {
    process::corpus_dir().join("piglit")
}

fn missing<'a>(wanted: &[&'a Package]) -> anyhow::Result<Vec<&'a Package>> {
    if !process::exists("dpkg-query") {
        let names: Vec<&str> = wanted.iter().map(|p| p.name).collect();
        bail!("this is not a Debian system; install the equivalents of these packages: {}", names.join(" "));
    }
    Ok(wanted.iter().copied().filter(|p| !installed(p.name)).collect())
}

fn installed(package: &str) -> bool {
    process::output("dpkg-query", &["--show", "--showformat=${db:Status-Status}", package])
        .is_ok_and(|status| status.trim() == "installed")
}

fn install(missing: &[&Package]) -> anyhow::Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|p| p.name).collect();
    let install = format!("apt-get install --yes --no-install-recommends {}", names.join(" "));
    let Some(prefix) = privilege() else {
        bail!("this task needs {} package(s) and has no permission to install them; run `sudo {install}`", names.len());
    };
    for package in missing {
        println!("installing {}: {}", package.name, package.why);
    }
    let script = format!("export DEBIAN_FRONTEND=noninteractive; {install} || (apt-get update && {install})");
    let mut command = match prefix {
        Some(sudo) => {
            let mut command = process::command(sudo, &["--non-interactive", "sh", "-c"]);
            command.arg(&script);
            command
        }
        None => process::command("sh", &["-c", &script]),
    };
    let output = command.stdin(Stdio::null()).output().context("cannot start sh")?;
    if !output.status.success() {
        bail!("`{install}` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Returns how to become root: `None` when that is not possible without a password, otherwise the prefix command, if
/// any.
fn privilege() -> Option<Option<&'static str>> {
    if process::output("id", &["-u"]).is_ok_and(|id| id.trim() == "0") {
        return Some(None);
    }
    process::output("sudo", &["--non-interactive", "true"]).is_ok().then_some(Some("sudo"))
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
