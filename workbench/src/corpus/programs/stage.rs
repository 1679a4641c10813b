//! Where programs run: an X server, a Wayland compositor, or neither.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::corpus::record::Display;
use crate::{process, setup};

/// A kind of place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// An X server without a screen.
    X11,
    /// A Wayland compositor in a window of that server. Without a window it has no seat, and SDL 2.26 crashes.
    Wayland,
    /// None: for programs that draw off-screen.
    Bare,
}

/// The servers that have been started; they end with this.
#[derive(Default)]
pub struct Stages {
    wayland: Option<Weston>,
    x11: Option<Display>,
}

impl Stages {
    /// Returns the environment variables for a stage, and starts its server if need be.
    pub fn variables(&mut self, stage: Stage) -> anyhow::Result<Vec<(&'static str, String)>> {
        match stage {
            Stage::X11 => {
                let display = match self.x11.take() {
                    Some(display) => display,
                    None => Display::start()?,
                };
                let name = display.name.clone();
                self.x11 = Some(display);
                Ok(vec![("DISPLAY", name)])
            }
            Stage::Wayland => {
                let x11 = self.variables(Stage::X11)?;
                let weston = match self.wayland.take() {
                    Some(weston) => weston,
                    None => Weston::start(&x11)?,
                };
                let folder = weston.folder.to_string_lossy().into_owned();
                self.wayland = Some(weston);
                let wayland = |name| (name, "wayland".to_owned());
                let kinds = ["XDG_SESSION_TYPE", "GDK_BACKEND", "SDL_VIDEODRIVER", "QT_QPA_PLATFORM"].map(wayland);
                let mut variables = vec![("WAYLAND_DISPLAY", SOCKET.to_owned()), ("XDG_RUNTIME_DIR", folder)];
                variables.extend(kinds);
                Ok(variables)
            }
            Stage::Bare => Ok(Vec::new()),
        }
    }
}

/// The name of the compositor's socket.
const SOCKET: &str = "afterimage-0";

/// A running weston; it is stopped when dropped.
struct Weston {
    server: Child,
    folder: std::path::PathBuf,
}

impl Weston {
    fn start(x11: &[(&str, String)]) -> anyhow::Result<Weston> {
        setup::ensure(&["weston", "libgl1-mesa-dri"])?;
        // Sockets have short paths only, so this is not in target.
        let folder = std::env::temp_dir().join(format!("afterimage-wayland-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        let log = std::fs::File::create(folder.join("log"))?;
        let server = Command::new("weston")
            .args(["--backend=x11-backend.so", "--width=1280", "--height=800", "--idle-time=0"])
            .arg(format!("--socket={SOCKET}"))
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .envs(x11.iter().map(|(name, value)| (name, value)))
            .env("XDG_RUNTIME_DIR", &folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start weston")?;
        let weston = Weston { server, folder };
        let begin = Instant::now();
        while !weston.folder.join(SOCKET).exists() {
            ensure!(begin.elapsed() < Duration::from_secs(20), "weston opened no socket within 20 s");
            std::thread::sleep(Duration::from_millis(50));
        }
        ensure!(process::exists("weston"), "weston is not installed");
        Ok(weston)
    }
}

impl Drop for Weston {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
