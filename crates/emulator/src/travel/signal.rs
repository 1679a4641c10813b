//! Between a run and whoever waits for it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far a run is, and whether it is to stop: looked at now and then while it runs, from any thread.
#[derive(Debug, Default)]
pub struct Signal {
    stop: AtomicBool,
    time: AtomicU64,
}

impl Signal {
    /// Whether a run is to stop as soon as it can; stays so until it is said otherwise.
    pub fn set_stop(&self, stop: bool) {
        // Nothing else is handed over with it.
        self.stop.store(stop, Ordering::Relaxed);
    }

    /// Whether it is to stop.
    #[must_use]
    pub fn is_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The time that a run was at when it last looked here.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time.load(Ordering::Relaxed)
    }

    /// Notes the time, and says whether to stop.
    pub(super) fn told(&self, time: u64) -> bool {
        self.time.store(time, Ordering::Relaxed);
        self.is_stop()
    }
}
