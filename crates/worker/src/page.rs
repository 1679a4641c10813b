//! The shared page with a worker's progress.

use device::Progress;
use driver::Page;
use replay::ProgressSink;

/// The number of the call being executed, plus 1.
const COMMAND: usize = 0;
/// Frames presented.
const FRAMES: usize = 1;
/// The number of calls of the trace.
const TOTAL: usize = 2;
/// A counter that a worker increments between calls.
const BEAT: usize = 3;
/// Not 0 if the worker died for lack of memory.
pub const OUT_OF_MEMORY: usize = 4;
/// Not 0 once the worker has begun.
const BEGUN: usize = 5;

/// A page as the supervisor sees it.
pub struct Watched<'a>(pub &'a Page);

impl Watched<'_> {
    /// Returns how far the worker is.
    pub fn progress(&self) -> Progress {
        let [command, total, frames] = [COMMAND, TOTAL, FRAMES].map(|word| self.0.load(word));
        Progress { command, total, frames }
    }

    /// Returns a value that changes as long as the worker makes progress.
    pub fn pulse(&self) -> (u64, u64) {
        (self.0.load(COMMAND), self.0.load(BEAT))
    }

    /// Returns the call that the worker is executing; `None` if it has not begun.
    pub fn command(&self) -> Option<u64> {
        self.0.load(COMMAND).checked_sub(1)
    }

    /// Returns whether the process has become a worker: another program would not know the page.
    pub fn has_begun(&self) -> bool {
        self.0.load(BEGUN) != 0
    }

    /// Returns whether the worker died for lack of memory.
    pub fn is_out_of_memory(&self) -> bool {
        self.0.load(OUT_OF_MEMORY) != 0
    }
}

/// A page as the worker writes it.
pub struct Reported<'a>(pub &'a Page);

impl Reported<'_> {
    /// This process is a worker.
    pub fn begin(&self) {
        self.0.store(BEGUN, 1);
    }
}

impl ProgressSink for Reported<'_> {
    fn executing(&self, command: u64) {
        self.0.store(COMMAND, command + 1);
    }

    fn presented(&self, frames: u64) {
        self.0.store(FRAMES, frames);
    }

    fn opened(&self, calls: u64) {
        self.0.store(TOTAL, calls);
    }

    fn beat(&self) {
        self.0.store(BEAT, self.0.load(BEAT) + 1);
    }
}
