//! Visits of draws that skip calls which the draw does not depend on: most of them, in a trace with many frames.

use std::ops::RangeInclusive;

use chronicle::graph::Cell;
use device::Until;

use super::{Timeline, Unwatched};
use crate::ReplayError;

impl Timeline {
    /// From now on, visits of draws skip calls that the draw does not depend on. Contents that the draw does not read
    /// are unreliable then.
    pub fn skip_idle_calls(&mut self) {
        self.skipping = true;
    }

    /// From now on, visits of draws execute every call.
    pub(crate) fn skip_nothing(&mut self) {
        self.skipping = false;
    }

    /// Goes to just before the calls of a draw.
    ///
    /// Skipping ends when a visit needs a call that was skipped for an earlier one. The run starts over then, and it would
    /// do so again and again if it went on skipping.
    ///
    /// # Errors
    /// When there is no such call, or replay fails.
    pub(crate) fn visit_draw(&mut self, calls: &RangeInclusive<u64>) -> Result<(), ReplayError> {
        let first = *calls.start();
        let Some(before) = first.checked_sub(1) else { return Ok(()) };
        // A run that has executed everything so far can serve any question, and continues so.
        let has_executed_all = self.next > 0 && self.passed.is_empty();
        if !self.skipping || has_executed_all {
            return self.visit(before);
        }
        self.know_graph()?;
        let Some(graph) = &self.graph else { return self.visit(before) };
        let idle = graph.idle(graph.reads_of(calls.clone()), first);
        if !self.skipped_only(&idle) {
            // This also ends skipping.
            return self.visit(before);
        }
        let back = first < self.next || self.spoilt;
        if back {
            self.go_back(before, &idle)?;
        }
        if self.shorten(before, &idle)? {
            return self.visit(before);
        }
        self.idle = idle;
        self.returning |= back;
        if self.returning && self.keeping {
            self.run_visit(before, back)?;
        } else {
            self.checkpoints.clear();
            self.run(Until::Command(before), &mut Unwatched)?;
        }
        self.be_thread_of(before)
    }

    /// Returns whether contents are as recorded at the current position, although calls may have been skipped. `chosen`
    /// chooses the contents.
    pub(crate) fn is_reliable(&self, chosen: impl Fn(Cell) -> bool) -> bool {
        if self.passed.is_empty() {
            return true;
        }
        self.graph.as_ref().is_some_and(|graph| {
            let wanted = graph.cells().iter().copied().filter(|cell| chosen(*cell));
            self.skipped_only(&graph.idle(wanted, self.next))
        })
    }

    /// Returns whether all calls that were skipped are among these.
    pub(super) fn skipped_only(&self, idle: &[u64]) -> bool {
        self.passed.iter().all(|number| idle.binary_search(number).is_ok())
    }
}
