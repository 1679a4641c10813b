//! The debugger in real terminals: kitty's protocol for pictures, and sixels in xterm and foot. There is no test that can
//! see whether a picture is where it should be; these are for people to look at.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::process;

/// The X server's number, which nothing else uses.
const DISPLAY: &str = ":97";

/// How long a terminal may take until its picture no longer changes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What is needed.
pub const PACKAGES: &[&str] =
    &["xvfb", "xterm", "kitty", "xdotool", "imagemagick", "fonts-dejavu-core", "foot", "sway", "grim", "wtype"];

const FONT: &str = "DejaVu Sans Mono";

/// A program that ends when it is dropped.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> anyhow::Result<Running> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Ok(Running(child.with_context(|| format!("cannot start {name}"))?))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Takes a picture of the debugger at its start, with a pixel taken and with the keys shown, in each terminal. Returns
/// the files.
pub fn run(program: &Path, trace: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let server = Running::start(Command::new("Xvfb").args([DISPLAY, "-screen", "0", "1300x850x24"]))?;
    sleep(Duration::from_secs(1));
    let mut xterm = Command::new("xterm");
    xterm.args(["-ti", "vt340", "-geometry", "150x52+0+0", "-fa", FONT, "-fs", "8", "-e"]);
    let mut kitty = Command::new("kitty");
    kitty.args(["--config", "NONE", "-o", "initial_window_width=1300", "-o", "initial_window_height=850"]);
    kitty.args(["-o", "remember_window_size=no", "-o", "font_size=9", "-o", "update_check_interval=0"]);
    kitty.arg("-o").arg(format!("font_family={FONT}"));
    for (name, mut terminal) in [("xterm", xterm), ("kitty", kitty)] {
        terminal.env("DISPLAY", DISPLAY).env("LIBGL_ALWAYS_SOFTWARE", "1").env("LANG", "C.UTF-8");
        terminal.env("XDG_STATE_HOME", folder).arg(program).arg("debug").arg(trace);
        let _terminal = Running::start(&mut terminal)?;
        let take =
            |file: &Path| run_on(Command::new("import").args(["-window", "root"]).arg(file).env("DISPLAY", DISPLAY));
        let press = |key: &str| run_on(Command::new("xdotool").args(["key", key]).env("DISPLAY", DISPLAY));
        files.extend(views(name, folder, &take, &press)?);
    }
    drop(server);
    files.extend(foot(program, trace, folder)?);
    Ok(files)
}

/// The same under a Wayland compositor without a screen.
fn foot(program: &Path, trace: &Path, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let runtime = folder.join("wayland");
    let _ = std::fs::remove_dir_all(&runtime);
    std::fs::create_dir_all(&runtime).with_context(|| format!("cannot create {}", runtime.display()))?;
    let config = runtime.join("sway");
    let words = [program, Path::new("debug"), trace].map(|word| format!("'{}'", word.display())).join(" ");
    let text = format!(
        "xwayland disable\noutput HEADLESS-1 resolution 1300x850\ndefault_border none\nexec foot --font '{FONT}:size=8' {words}\n"
    );
    std::fs::write(&config, text).with_context(|| format!("cannot write {}", config.display()))?;
    // sway refuses to run as root, and wants a folder that is its own.
    let root = process::output("id", &["-u"])?.trim() == "0";
    let own = Command::new("chmod").arg("700").arg(&runtime).status().context("cannot start chmod")?;
    ensure!(own.success(), "cannot change {}", runtime.display());
    if root {
        run_on(Command::new("chown").args(["-R", "nobody:nogroup"]).arg(&runtime))?;
    }
    let as_user = |name: &str| {
        let mut command = Command::new(if root { "setpriv" } else { name });
        if root {
            command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups", name]);
        }
        command.env("XDG_RUNTIME_DIR", &runtime).env("XDG_STATE_HOME", &runtime).env("HOME", &runtime);
        command.env("WAYLAND_DISPLAY", "wayland-1").env("LANG", "C.UTF-8").env_remove("DISPLAY");
        command
    };
    let mut sway = as_user("sway");
    sway.env_remove("WAYLAND_DISPLAY").envs([("WLR_BACKENDS", "headless"), ("WLR_RENDERER", "pixman")]);
    let _compositor = Running::start(sway.env("WLR_LIBINPUT_NO_DEVICES", "1").arg("-c").arg(&config))?;
    sleep(Duration::from_secs(2));
    let take = |file: &Path| {
        let shot = runtime.join("shot.png");
        run_on(as_user("grim").arg(&shot))?;
        std::fs::copy(&shot, file).with_context(|| format!("cannot write {}", file.display())).map(drop)
    };
    // The compositor needs a moment to know a keyboard before it has keys.
    let press = |key: &str| run_on(as_user("wtype").args(["-s", "500", "-k", key, "-s", "500"]));
    views("foot", folder, &take, &press)
}

/// Takes the pictures of one terminal.
fn views(
    name: &str,
    folder: &Path,
    take: &dyn Fn(&Path) -> anyhow::Result<()>,
    press: &dyn Fn(&str) -> anyhow::Result<()>,
) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (view, keys) in [("start", &[][..]), ("zoomed", &["plus", "plus"]), ("stop", &["Return"]), ("keys", &["F1"])] {
        for key in keys {
            press(key)?;
        }
        let file = folder.join(format!("{name}-{view}.png"));
        settle(&file, take).with_context(|| format!("{name}, {view}"))?;
        files.push(file);
    }
    Ok(files)
}

/// Takes pictures until one is like the three before it.
fn settle(file: &Path, take: &dyn Fn(&Path) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let end = Instant::now() + TIMEOUT;
    let (mut before, mut same) = (Vec::new(), 0);
    // A terminal that has not yet drawn anything does not change, either.
    sleep(Duration::from_secs(3));
    while same < 3 {
        take(file)?;
        let now = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        same = if now == before { same + 1 } else { 0 };
        before = now;
        if Instant::now() > end {
            bail!("the terminal's picture does not come to rest");
        }
        sleep(Duration::from_millis(700));
    }
    Ok(())
}

fn run_on(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    ensure!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}
