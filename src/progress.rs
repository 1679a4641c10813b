//! A line on the terminal while something takes long.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Work shorter than this needs no line.
const PATIENCE: Duration = Duration::from_secs(2);
/// A person cannot read faster.
const PAUSE: Duration = Duration::from_millis(100);

/// Counts on stderr, if that is a terminal.
pub struct Progress {
    total: u64,
    /// What is counted, and what is done with it: "files checked".
    what: &'static str,
    next: Option<Instant>,
    shown: bool,
}

impl Progress {
    /// Starts counting.
    pub fn new(total: u64, what: &'static str) -> Progress {
        let visible = total > 1 && std::io::stderr().is_terminal();
        Progress { total, what, next: visible.then(|| Instant::now() + PATIENCE), shown: false }
    }

    /// So many are done.
    pub fn step(&mut self, done: u64) {
        let Some(next) = self.next else { return };
        let now = Instant::now();
        if now < next {
            return;
        }
        self.next = Some(now + PAUSE);
        self.shown = true;
        self.write(&format!("\r{done} of {} {}", self.total, self.what));
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.shown {
            self.write("\r\x1b[K");
        }
    }

    fn write(&self, text: &str) {
        let mut err = std::io::stderr().lock();
        // Progress is a courtesy: if it cannot be shown, the work goes on.
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}
