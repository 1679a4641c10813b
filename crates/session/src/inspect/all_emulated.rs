//! All invocations of a stage on the emulator, beside what the device said.

use std::collections::{BTreeMap, VecDeque};

use inquiry::{DrawSnapshot, Inputs};
use instrument::Question;
use instrument::inspect::Identity;
use instrument::variant::Reading;
use shader::types::TypeTable;
use shader::version::Stage;
use verdict::Verdict;

use super::{Whose, changes};
use crate::control::Activity;
use crate::data::inspect::TableComparison;
use crate::data::measure::MeasureOptions;
use crate::error::SessionError;
use crate::open::Session;

/// What the emulator says of each invocation.
pub struct AllEmulated {
    /// Fragments of one primitive, or of several instances of it, may have the same identity: they answer in turn.
    readings: BTreeMap<Identity, VecDeque<Reading>>,
    /// What the emulator had no contents for.
    pub missing: Vec<String>,
}

impl AllEmulated {
    /// Asks the emulator what the device was asked, from the inputs that the device gave each invocation.
    pub fn new(
        session: &mut Session,
        work: &DrawSnapshot,
        stage: Stage,
        question: &Question,
        options: &MeasureOptions,
    ) -> Result<AllEmulated, SessionError> {
        let changes = changes(work, &options.overrides)?;
        let given = session.measured(work, stage, &Question::LiveIns, Whose::EVERY, options)?;
        let inputs = Inputs::all(stage, &given);
        let none = SessionError::NoInvocations { command: work.command, stage: stage.name() };
        let first = inputs.first().ok_or(none)?;
        let mut emulated = session.inquiry.emulated(work, stage, first.clone(), &changes)?;
        let (control, all) = (session.control.clone(), Some(inputs.len() as u64));
        let step = &mut |done| control.tell(Activity::Emulating, done as u64, all);
        let result = session.inquiry.emulate_all(work, &mut emulated, question, &inputs, step)?;
        let mut readings: BTreeMap<Identity, VecDeque<Reading>> = BTreeMap::new();
        for (who, reading) in result.readings {
            readings.entry(who).or_default().push_back(reading);
        }
        Ok(AllEmulated { readings, missing: emulated.missing().to_vec() })
    }

    /// Returns how the next invocation of an identity compares: the worst of its values.
    pub fn verdict(&mut self, types: &TypeTable, who: Identity, reading: &Reading) -> Verdict {
        let Some(other) = self.readings.get_mut(&who).and_then(VecDeque::pop_front) else {
            return Verdict::Divergent(u32::MAX);
        };
        let comparison = verdict::compare(types, reading, &other);
        let worst = comparison.rows.iter().filter_map(|row| row.verdict).max().unwrap_or(Verdict::Equal);
        match comparison.first_divergence {
            Some(_) => worst.max(Verdict::Divergent(0)),
            None => worst,
        }
    }
}

impl TableComparison {
    /// Counts verdicts.
    pub(super) fn of(verdicts: impl Iterator<Item = (Identity, Verdict)>) -> TableComparison {
        let (mut all, mut within, mut first) = (0, 0, None);
        for (who, verdict) in verdicts {
            all += 1;
            match verdict {
                Verdict::Equal | Verdict::Within(_) => within += 1,
                Verdict::Divergent(_) => first = first.or(Some(who)),
            }
        }
        let share = if all == 0 { 1.0 } else { within as f64 / all as f64 };
        TableComparison { within, all, share, first }
    }
}
