//! `cargo xtask screenshots`: pictures of the debugger in a terminal for the documents, from real runs; with `--terminals`, in
//! terminals that show pictures.

mod ansi;
mod page;
mod terminals;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::{process, setup};

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Update only pictures whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Take pictures of the debugger in kitty, xterm and foot instead, which show whether theirs are right. They are written
    /// to target/screenshots.
    #[arg(long)]
    terminals: bool,
}

/// Keys typed in a terminal, and what must be shown before the next are typed.
struct Shot {
    name: &'static str,
    command: &'static str,
    columns: u16,
    rows: u16,
    /// Keys as tmux names them, and a text that the screen shows once they have taken effect.
    keys: &'static [(&'static str, &'static str)],
}

/// A text that the screen shows when it is idle.
const QUIET: &str = "q quit";

const SHOTS: &[Shot] = &[
    Shot {
        name: "demo",
        command: "AFTERIMAGE demo",
        columns: 168,
        rows: 48,
        keys: &[("", "Press Enter"), ("\n", "world_normal"), ("", QUIET)],
    },
    Shot {
        name: "stepping",
        command: "AFTERIMAGE debug TRACE --pixel 200,60",
        columns: 168,
        rows: 48,
        keys: &[
            ("", QUIET),
            ("n", "main:9"),
            (":display light * 2.0\n", "1: light"),
            ("n", "main:10"),
            ("n", "main:12"),
            ("n", "main:13"),
            ("h", "events behind"),
            ("", QUIET),
        ],
    },
    Shot {
        name: "passes",
        command: "AFTERIMAGE debug TRACE --pixel 200,60",
        columns: 168,
        rows: 48,
        keys: &[
            ("", QUIET),
            (":into-read\n", "entered by"),
            (":break 64 if i == 2\n", "breakpoint 1 at line 64"),
            ("c", "main:64"),
            ("n", "main:65"),
            ("s", "shade:39"),
            ("n", "shade:40"),
            ("", QUIET),
        ],
    },
];

/// Timeout for the screen to become idle.
const TIMEOUT: Duration = Duration::from_secs(240);

/// Creates the pictures.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let own: &[&str] = if args.terminals { terminals::PACKAGES } else { &["tmux", "chromium", "fonts-dejavu-core"] };
    setup::ensure(&[own, &["libgl1-mesa-dri", "libegl1"]].concat())?;
    let built = process::build_product(false)?;
    let folder = process::target_dir().join("screenshots");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let trace = folder.join("deferred.aftr");
    let mut record = Command::new(built.join("afterimage"));
    record.args(["record", "--quiet", "--force", "--output"]).arg(&trace).arg("--").arg(built.join("deferred"));
    let recorded = record.args(["--frames", "8"]).status().context("cannot start afterimage")?;
    anyhow::ensure!(recorded.success(), "cannot record the demo");
    if args.terminals {
        for file in terminals::run(&built.join("afterimage"), &trace, &folder)? {
            println!("{}", file.display());
        }
        return Ok(());
    }
    let wanted = |shot: &&Shot| args.filter.as_ref().is_none_or(|filter| shot.name.contains(filter.as_str()));
    for shot in SHOTS.iter().filter(wanted) {
        let text = screen(shot, &built, &trace)?;
        let file = process::root().join(format!("docs/images/{}.png", shot.name));
        page::picture(&ansi::cells(&text), (shot.columns, shot.rows), &folder, &file)?;
        println!("{}", file.display());
    }
    Ok(())
}

/// A separate terminal, which is closed when dropped.
struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    fn tmux(&self, words: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(["-f", "/dev/null"]).args(words);
        let output = command.output().context("cannot start tmux")?;
        if !output.status.success() {
            bail!("tmux {words:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Waits until the screen shows a text and no longer changes.
    fn settle(&self, wanted: &str) -> anyhow::Result<()> {
        let end = Instant::now() + TIMEOUT;
        let mut before = String::new();
        let mut same = 0;
        while same < 3 {
            sleep(Duration::from_millis(300));
            let now = self.tmux(&["capture-pane", "-p"])?;
            same = if now == before && now.contains(wanted) { same + 1 } else { 0 };
            if Instant::now() > end {
                bail!("the screen never showed `{wanted}`:\n{now}");
            }
            before = now;
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.tmux(&["kill-server"]);
    }
}

/// Returns the final screen, with its colours.
fn screen(shot: &Shot, built: &Path, trace: &Path) -> anyhow::Result<String> {
    let terminal = Terminal { socket: std::env::temp_dir().join(format!("afterimage-shot-{}", std::process::id())) };
    let (columns, rows) = (shot.columns.to_string(), shot.rows.to_string());
    let program = built.join("afterimage");
    let state = std::env::temp_dir().join("afterimage-shot-state");
    let command =
        shot.command.replace("AFTERIMAGE", &program.to_string_lossy()).replace("TRACE", &trace.to_string_lossy());
    let command = format!("COLORTERM=truecolor XDG_STATE_HOME={} exec {command}", state.display());
    terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", &rows, &command])?;
    terminal.tmux(&["set", "-g", "status", "off"])?;
    terminal.tmux(&["resize-window", "-x", &columns, "-y", &rows])?;
    for (keys, wanted) in shot.keys {
        match keys.strip_suffix('\n') {
            Some(line) => {
                terminal.tmux(&["send-keys", "-l", line])?;
                terminal.tmux(&["send-keys", "Enter"])?;
            }
            None if keys.is_empty() => {}
            None => drop(terminal.tmux(&["send-keys", keys])?),
        }
        terminal.settle(wanted)?;
    }
    // Spaces at the ends of lines have a background, too.
    terminal.tmux(&["capture-pane", "-e", "-N", "-p"])
}
