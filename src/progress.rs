//! A line on the terminal while something takes long.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use session::{Control, Session};

/// Work shorter than this needs no line.
pub const PATIENCE: Duration = Duration::from_secs(2);
/// A person cannot read faster.
const PAUSE: Duration = Duration::from_millis(100);

/// A line on stderr that is written over and over, if that is a terminal.
pub struct Line {
    /// When it may be written next.
    next: Option<Instant>,
    shown: bool,
}

impl Line {
    /// A line that appears when some time has gone by.
    pub fn after(patience: Duration) -> Line {
        Line { next: stderr().is_terminal().then(|| Instant::now() + patience), shown: false }
    }

    /// Shows a text, unless that was done a moment ago.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        self.next = Some(now + PAUSE);
        self.shown = true;
        write(&format!("\r\x1b[K{}", crate::out::one_line(&text())));
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            write("\r\x1b[K");
        }
    }
}

/// Counts on such a line.
pub struct Progress {
    total: u64,
    /// What is counted, and what is done with it: "files checked".
    what: &'static str,
    line: Line,
}

impl Progress {
    /// Starts counting.
    pub fn new(total: u64, what: &'static str) -> Progress {
        Progress { total, what, line: Line::after(PATIENCE) }
    }

    /// Shows how many are done.
    pub fn step(&mut self, done: u64) {
        if self.total > 1 {
            self.line.show(|| format!("{done} of {} {}", self.total, self.what));
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        self.line.clear();
    }
}

/// Does `work` on this thread, and calls `show` on another ten times a second meanwhile.
pub fn watched<R>(show: &mut (dyn FnMut() + Send), work: impl FnOnce() -> R) -> R {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                std::thread::park_timeout(PAUSE);
                show();
            }
        });
        let result = work();
        is_done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        result
    })
}

/// Asks a session something that may take long, and shows its progress on a line.
pub fn asked<R>(session: &mut Session, ask: impl FnOnce(&mut Session) -> R) -> R {
    let control = session.control();
    shown(&control, || ask(session))
}

/// Does what `control` knows the progress of, and shows it on a line.
pub fn shown<R>(control: &Control, work: impl FnOnce() -> R) -> R {
    let mut line = Line::after(PATIENCE);
    let answer = watched(&mut || line.show(|| control.progress().text()), work);
    line.clear();
    answer
}

fn write(text: &str) {
    let mut err = stderr().lock();
    // Progress is a courtesy: if it cannot be shown, the work goes on.
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
