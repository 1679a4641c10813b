//! What if a variable held something else?

use emulator::ir::Registers;

use super::Run;

impl<const W: usize> Run<W> {
    /// Goes on from here in a run of its own, in which registers of the followed lane hold other words. What was is kept.
    pub(super) fn set(&mut self, home: Registers, words: &[u32]) {
        let diverted = self.travel.diverted(home, words);
        self.end = None;
        self.truths.push(std::mem::replace(&mut self.travel, diverted));
    }

    /// Back to the run as it was given, where it was left.
    pub(super) fn restore(&mut self) -> bool {
        let lane = self.travel.lane();
        self.end = None;
        match self.truths.drain(..).next() {
            Some(truth) => {
                self.travel = truth;
                self.travel.follow(lane)
            }
            None => false,
        }
    }
}
