//! Checks that questions have left no trace in the replay.

use device::Checked;

use super::Timeline;
use crate::ReplayError;
use crate::oracle::Oracle;

/// Maximum number of reported differences.
const TOLD: usize = 20;

impl Timeline {
    /// Goes to just after a call and compares the driver's answers to all queries with the model's; then executes the rest of
    /// the trace, and compares it with the recording. Copies of programs that diversions keep in the context are deleted
    /// first: the model does not know their names.
    ///
    /// # Errors
    /// When there is no such call, or replay fails.
    pub fn check(&mut self, command: u64) -> Result<Checked, ReplayError> {
        if let Ok(mut draw) = self.divert(command) {
            draw.release();
        }
        self.visit(command)?;
        let model = self.trace.chronicle().after(command)?;
        let mut checked = Checked::default();
        if let Ok(held) = self.trace.reader().call_at(command) {
            let mut oracle = Oracle::default();
            self.examine(&mut oracle, &model, held.call().thread)?;
            checked.asked = oracle.findings.asked;
            let found = oracle.findings.differences.iter().map(|(what, finding)| format!("{what}: {finding:?}"));
            checked.differences.extend(found.take(TOLD));
        }
        self.player.verify(true);
        let run = self.run_all();
        self.finish();
        let tally = self.tally();
        for count in [tally.frames, tally.last, tally.readbacks, tally.errors] {
            checked.compared += count.compared;
            checked.equal += count.equal;
        }
        checked.differences.extend(tally.differences.iter().take(TOLD).map(|difference| format!("{difference:?}")));
        self.player.verify(self.verifying);
        run.map(|()| checked)
    }
}
