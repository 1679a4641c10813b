//! `cargo xtask setup`: packages that tasks need.
//!
//! On Debian and its relatives they are installed. On other distributions that are known, the user is told which to install, by
//! the names they have there.

use std::process::Stdio;

use crate::error::{Context, Error, Result};
use crate::process;
use crate::system::{Manager, System};

/// A Debian package.
struct Package {
    name: &'static str,
    why: &'static str,
    group: Group,
}

/// When a package is installed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// By every `setup`: without it there is no demo.
    Demo,
    /// By `setup --all`, or by the task that needs it.
    Extra,
}

const fn demo(name: &'static str, why: &'static str) -> Package {
    Package { name, why, group: Group::Demo }
}

const fn extra(name: &'static str, why: &'static str) -> Package {
    Package { name, why, group: Group::Extra }
}

const PICTURES: &str = "pictures of the debugger in real terminals";

const PACKAGES: &[Package] = &[
    demo("libgl1-mesa-dri", "llvmpipe, the GL driver that runs without a GPU"),
    demo("libegl1", "EGL, with which contexts are created"),
    demo("libegl-mesa0", "Mesa's EGL, with headless displays"),
    demo("libgles2", "OpenGL ES entry points"),
    demo("libgl1", "desktop GL entry points"),
    extra("libglx-mesa0", "Mesa's GLX, for programs that use X"),
    extra("clang", "compiles zstd for WebAssembly"),
    extra("python3", "runs the tests of the Python package"),
    extra("python3-venv", "installs what builds and tests the Python package"),
    extra("glslang-tools", "a second opinion on GLSL"),
    extra("glslang-dev", "the peer in the front end's benchmark"),
    extra("apitrace", "dumps the shaders that programs compile"),
    extra("python3-renderdoc", "RenderDoc, the peer in the benchmark of histories"),
    extra("glmark2-x11", "real desktop GL 2 programs"),
    extra("glmark2-es2-x11", "real OpenGL ES 2 programs"),
    extra("xvfb", "an X server without a screen, for glmark2"),
    extra("xauth", "xvfb-run asks for it"),
    extra("mesa-utils", "glxgears and es2gears, programs to record"),
    extra("tmux", "a terminal for pictures of the debugger"),
    extra("xterm", PICTURES),
    extra("kitty", PICTURES),
    extra("xdotool", PICTURES),
    extra("imagemagick", PICTURES),
    extra("foot", PICTURES),
    extra("sway", PICTURES),
    extra("grim", PICTURES),
    extra("wtype", PICTURES),
    extra("chromium", "renders these pictures"),
    extra("fonts-dejavu-core", "the font of these pictures"),
    extra("libwaffle-1-0", "piglit's programs create contexts with it"),
    extra("libxkbcommon0", "piglit's programs are linked with it"),
];

/// What the demo's packages are called elsewhere: by dnf, zypper, pacman and apk. Several may be one package.
const ELSEWHERE: &[(&str, [&str; 4])] = &[
    ("libgl1-mesa-dri", ["mesa-dri-drivers", "Mesa-dri", "mesa", "mesa-dri-gallium"]),
    ("libegl1", ["libglvnd-egl", "libglvnd", "libglvnd", "mesa-egl"]),
    ("libegl-mesa0", ["mesa-libEGL", "Mesa-libEGL1", "mesa", "mesa-egl"]),
    ("libgles2", ["libglvnd-gles", "libglvnd", "libglvnd", "mesa-gles"]),
    ("libgl1", ["libglvnd-glx", "Mesa-libGL1", "libglvnd", "mesa-gl"]),
];

/// What `setup` is asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Change nothing; fail with a list if something is missing.
    pub check: bool,
    /// Include what only some tasks need.
    pub all: bool,
}

/// Installs what is missing.
///
/// # Errors
/// When something is missing and cannot be installed, or must not be.
pub fn run(options: Options) -> Result<()> {
    let wanted = PACKAGES.iter().filter(|p| options.all || p.group == Group::Demo);
    let wanted: Vec<&str> = wanted.map(|p| p.name).collect();
    let missing = missing(&wanted)?;
    if options.check && !missing.is_empty() {
        let lines: Vec<String> = missing.iter().map(|p| format!("  {}: {}", p.name, p.why)).collect();
        let all = if options.all { " --all" } else { "" };
        return Err(Error::new(format!("missing, run `cargo xtask setup{all}`:\n{}", lines.join("\n"))));
    }
    install(&missing)
}

/// Installs the named packages of the table if they are missing.
///
/// # Errors
/// When one is missing and cannot be installed.
pub fn ensure(names: &[&str]) -> Result<()> {
    install(&missing(names)?)
}

/// Returns how to become root: `None` when that is not possible without a password, otherwise the prefix command, if
/// any.
#[must_use]
pub fn privilege() -> Option<Option<&'static str>> {
    if process::output("id", &["-u"]).is_ok_and(|id| id.trim() == "0") {
        return Some(None);
    }
    process::output("sudo", &["--non-interactive", "true"]).is_ok().then_some(Some("sudo"))
}

/// Returns which packages are missing on Debian and its relatives. Elsewhere, fails if one is.
fn missing(names: &[&str]) -> Result<Vec<&'static Package>> {
    let system = System::here();
    if system.manager == Some(Manager::Apt) {
        let wanted = PACKAGES.iter().filter(|package| names.contains(&package.name));
        return Ok(wanted.filter(|package| !Manager::Apt.has(package.name)).collect());
    }
    match elsewhere(&system, names, &|manager, name| manager.has(name), &has_egl) {
        Advice::Fine => Ok(Vec::new()),
        Advice::Perhaps(sentence) => {
            eprintln!("xtask: {sentence}");
            Ok(Vec::new())
        }
        Advice::Missing(sentence) => Err(Error::refused(sentence)),
    }
}

/// What to tell a user whose distribution is not Debian.
#[derive(PartialEq, Eq, Debug)]
enum Advice {
    Fine,
    /// Something may be missing.
    Perhaps(String),
    Missing(String),
}

fn elsewhere(
    system: &System,
    names: &[&str],
    has: &dyn Fn(Manager, &str) -> bool,
    has_egl: &dyn Fn() -> bool,
) -> Advice {
    let name = &system.name;
    let column = match system.manager {
        Some(Manager::Dnf) => 0,
        Some(Manager::Zypper) => 1,
        Some(Manager::Pacman) => 2,
        Some(Manager::Apk) => 3,
        Some(Manager::Apt) | None if has_egl() => return Advice::Fine,
        Some(Manager::Apt) | None => {
            return Advice::Missing(format!(
                "this is {name}, whose packages this task does not know; install Mesa with its software driver (llvmpipe) and \
                 the libraries libEGL.so.1, libGL.so.1 and libGLESv2.so.2, and try again"
            ));
        }
    };
    let (mut missing, mut unknown) = (Vec::new(), Vec::new());
    for wanted in names {
        match (ELSEWHERE.iter().find(|(debian, _)| debian == wanted), system.manager) {
            (Some((_, there)), Some(manager)) => {
                if !missing.contains(&there[column]) && !has(manager, there[column]) {
                    missing.push(there[column]);
                }
            }
            _ => unknown.push(*wanted),
        }
    }
    if let (Some(manager), false) = (system.manager, missing.is_empty()) {
        let musl = if manager == Manager::Apk { " (with musl, Afterimage has not been tried)" } else { "" };
        let (install, packages) = (manager.install(), missing.join(" "));
        return Advice::Missing(format!(
            "this is {name}, where this task installs nothing by itself; run `sudo {install} {packages}` and try again{musl}"
        ));
    }
    if unknown.is_empty() {
        return Advice::Fine;
    }
    let plural = if unknown.len() == 1 { "a package" } else { "packages" };
    Advice::Perhaps(format!(
        "this is {name}; if the task fails, it may lack {plural} that Debian calls {}",
        unknown.join(" ")
    ))
}

/// Whether EGL's library is where the dynamic linker looks, as far as that can be told without loading it.
fn has_egl() -> bool {
    let listed = process::output("ldconfig", &["-p"]).is_ok_and(|list| list.contains("libEGL.so.1"));
    let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    listed || std::env::split_paths(&path).any(|folder| folder.join("libEGL.so.1").exists())
}

fn install(missing: &[&Package]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|p| p.name).collect();
    let install = format!("{} {}", Manager::Apt.install(), names.join(" "));
    let Some(prefix) = privilege() else {
        let packages = if names.len() == 1 { "a package".to_owned() } else { format!("{} packages", names.len()) };
        return Err(Error::refused(format!(
            "this task needs {packages} and has no permission to install; run `sudo {install}` and try again"
        )));
    };
    for package in missing {
        println!("installing {}: {}", package.name, package.why);
    }
    let script = format!("export DEBIAN_FRONTEND=noninteractive; {install} || (apt-get update && {install})");
    let mut command = match prefix {
        Some(sudo) => process::command(sudo, &["--non-interactive", "sh", "-c", &script]),
        None => process::command("sh", &["-c", &script]),
    };
    let output = command.stdin(Stdio::null()).output().context("cannot start sh")?;
    if !output.status.success() {
        return Err(Error::new(format!("`{install}` failed: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(manager: Option<Manager>, names: &[&str], installed: &[&str]) -> Advice {
        let system = System { name: "X".to_owned(), manager };
        elsewhere(&system, names, &|_, name| installed.contains(&name), &|| false)
    }

    #[track_caller]
    fn says(advice: Advice, words: &str) {
        match advice {
            Advice::Missing(sentence) | Advice::Perhaps(sentence) => assert!(sentence.contains(words), "{sentence}"),
            Advice::Fine => panic!("nothing was said"),
        }
    }

    #[test]
    fn every_package_of_the_demo_has_names_elsewhere() {
        let demo: Vec<&str> = PACKAGES.iter().filter(|p| p.group == Group::Demo).map(|p| p.name).collect();
        assert_eq!(demo, ELSEWHERE.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_missing_elsewhere_is_named_once_by_its_name_there() {
        let two = &["libegl1", "libgles2", "libgl1-mesa-dri"];
        says(advice(Some(Manager::Pacman), two, &[]), "`sudo pacman -S --needed libglvnd mesa`");
        says(advice(Some(Manager::Dnf), two, &["libglvnd-egl"]), "`sudo dnf install libglvnd-gles mesa-dri-drivers`");
        says(advice(Some(Manager::Zypper), &["libegl-mesa0"], &[]), "`sudo zypper install Mesa-libEGL1`");
        says(advice(Some(Manager::Apk), &["libegl1"], &[]), "musl");
        assert_eq!(advice(Some(Manager::Pacman), two, &["mesa", "libglvnd"]), Advice::Fine);
    }

    #[test]
    fn what_has_no_name_elsewhere_is_mentioned() {
        says(advice(Some(Manager::Dnf), &["apitrace"], &[]), "Debian calls apitrace");
        assert!(matches!(advice(None, &["libegl1"], &[]), Advice::Missing(_)));
    }
}
