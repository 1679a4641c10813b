//! An X server without a screen, for as long as a run takes.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, ensure};

use crate::setup;

/// A running Xvfb; it ends when dropped.
pub struct Display {
    server: Child,
    /// What programs find in DISPLAY.
    pub name: String,
}

impl Display {
    /// Starts a server on the first number that is free.
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
            .context("Xvfb cannot be started")?;
        let output = server.stdout.take().context("Xvfb has no stdout")?;
        let mut number = String::new();
        // The server writes its number when it answers; if it ends before, there is nothing to read.
        let read = BufReader::new(output).read_line(&mut number);
        let display = Display { server, name: format!(":{}", number.trim()) };
        read?;
        ensure!(!number.trim().is_empty(), "Xvfb ended before it had a display");
        Ok(display)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // A server that is gone already is as good.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
