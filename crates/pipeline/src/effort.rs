//! How much may be done to answer one question.
//!
//! A shader of a few lines can loop for hours, and a pixel can depend on millions of others. So a question comes
//! with an effort, everything that is done takes its units from it, and nothing is done when none are left. Units are
//! counted and not timed, so that a question has the same answer on every machine.

mod counted;

use std::sync::atomic::{AtomicU64, Ordering};

pub use counted::Counted;

/// Units of work that are left: a unit is an instruction of the emulator for all lanes of a wave, about 20 nanoseconds.
#[derive(Debug)]
pub struct Effort {
    left: AtomicU64,
}

impl Effort {
    /// Returns an effort of so many units.
    #[must_use]
    pub fn of(units: u64) -> Effort {
        Effort { left: AtomicU64::new(units) }
    }

    /// Returns how many units are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes units. Returns whether there were so many; if there were not, none are left.
    pub fn spend(&self, units: u64) -> bool {
        let taken = |left: u64| Some(left.saturating_sub(units));
        // The closure always gives a number, so both arms hold what was there before.
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken) {
            Ok(before) | Err(before) => before >= units,
        }
    }

    /// Returns whether nothing is left.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.left() == 0
    }
}

impl Default for Effort {
    /// As much as anyone could need.
    fn default() -> Effort {
        Effort::of(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_taken_until_none_are_left() {
        let effort = Effort::of(10);
        assert!(effort.spend(4));
        assert_eq!(effort.left(), 6);
        assert!(!effort.spend(7));
        assert!(effort.is_spent());
        assert!(!effort.spend(1));
        assert!(effort.spend(0));
    }
}
