//! An X server without a screen, for the duration of a run.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, ensure};

use crate::setup;

/// A running Xvfb; it is stopped when dropped.
pub struct Display {
    server: Child,
    /// The value of DISPLAY for programs.
    pub name: String,
}

impl Display {
    /// Starts a server on the first free number.
    pub fn start() -> anyhow::Result<Display> {
        setup::ensure(&["xvfb", "libgl1-mesa-dri"])?;
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1280x800x24",
                "+extension",
                "GLX",
                "-nolisten",
                "tcp",
                "-noreset",
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start Xvfb")?;
        let output = server.stdout.take().context("Xvfb has no stdout")?;
        let mut number = String::new();
        // The server writes its number when it is ready; if it exits before, there is nothing to read.
        let read = BufReader::new(output).read_line(&mut number);
        let display = Display { server, name: format!(":{}", number.trim()) };
        read?;
        ensure!(!number.trim().is_empty(), "Xvfb exited before it opened a display");
        Ok(display)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
