//! Interrupting a run from another thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far a run is and whether it should stop. The run checks it regularly; any thread may use it.
#[derive(Debug, Default)]
pub struct Signal {
    stop: AtomicBool,
    time: AtomicU64,
}

impl Signal {
    /// Tells runs to stop as soon as they can, or lets them go on. It stays set until it is changed.
    pub fn set_stop(&self, stop: bool) {
        // No other memory depends on it.
        self.stop.store(stop, Ordering::Relaxed);
    }

    /// Returns whether runs should stop.
    #[must_use]
    pub fn is_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the time at which a run last checked the signal.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time.load(Ordering::Relaxed)
    }

    /// Stores the current time, and returns whether to stop.
    pub(super) fn report(&self, time: u64) -> bool {
        self.time.store(time, Ordering::Relaxed);
        self.is_stop()
    }
}
