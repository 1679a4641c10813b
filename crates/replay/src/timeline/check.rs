//! Whether everything is as it should be, whatever was asked before.

use device::Checked;

use super::Timeline;
use crate::ReplayError;
use crate::oracle::Oracle;

/// So many differences are told.
const TOLD: usize = 20;

impl Timeline {
    /// Goes to where a call has been executed and asks the driver all that it can be asked, of which the model knows the
    /// answers; then executes the rest of the trace, and compares what was recorded of it. Of a draw, the copies of
    /// programs that its context's diversions keep are given back before: they have names that the model does not know.
    ///
    /// # Errors
    /// When there is no such call, or replay cannot go on.
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
