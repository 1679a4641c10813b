//! Interrupting a question to a device from another thread, and watching how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A handle on the questions of one user of a device. Clones are the same handle.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    interrupted: AtomicBool,
    command: AtomicU64,
    total: AtomicU64,
    frames: AtomicU64,
}

/// How far a device has replayed a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Calls executed.
    pub command: u64,
    /// How many calls there are; 0 while that is not known.
    pub total: u64,
    /// Frames presented.
    pub frames: u64,
}

impl Control {
    /// Ends the question at hand, and those after it, until [`Control::clear`] is called.
    pub fn interrupt(&self) {
        self.0.interrupted.store(true, Ordering::Relaxed);
    }

    /// Lets questions be answered again.
    pub fn clear(&self) {
        self.0.interrupted.store(false, Ordering::Relaxed);
    }

    /// Returns whether questions are to end.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.0.interrupted.load(Ordering::Relaxed)
    }

    /// Returns how far the device was when it last reported.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Progress { command: load(&self.0.command), total: load(&self.0.total), frames: load(&self.0.frames) }
    }

    /// Notes how far the device is. Devices call this; others read [`Control::progress`].
    pub fn report(&self, progress: Progress) {
        let store = |number: &AtomicU64, value: u64| number.store(value, Ordering::Relaxed);
        store(&self.0.command, progress.command);
        store(&self.0.total, progress.total);
        store(&self.0.frames, progress.frames);
    }
}
