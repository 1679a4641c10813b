//! All invocations of a stage on the emulator, beside what the device said.

use std::collections::{BTreeMap, VecDeque};

use anyhow::Context;
use inquiry::verdict::{self, Verdict};
use inquiry::{Inputs, Work};
use instrument::inspect::Identity;
use instrument::variant::Reading;
use instrument::{Question, Scope};
use serde_json::{Value as Json, json};
use shader::types::TypeTable;
use shader::version::Stage;

use super::asking::Asker;
use super::compared::ENOUGH;
use crate::progress::Progress;

/// What the emulator says of each invocation.
pub struct Beside {
    /// Fragments of one primitive, or of several instances of it, may be the same by name: they answer in turn.
    readings: BTreeMap<Identity, VecDeque<Reading>>,
    /// What the emulator lacks.
    pub missing: Vec<String>,
}

/// How invocations compare.
pub struct Compared {
    all: usize,
    same: usize,
    first: Option<Identity>,
}

impl Beside {
    /// Asks the emulator what the device was asked, from what the device gave each invocation.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn emulate(asker: &mut Asker<'_>, work: &Work, stage: Stage, question: &Question) -> anyhow::Result<Beside> {
        let changes = asker.changes(work)?;
        let given = asker.measure(work, stage, &Question::LiveIns, (Scope::At, [-1; 4]))?;
        let inputs = Inputs::all(stage, &given.result);
        let first = inputs.first().context("nothing runs, so there is nothing to emulate")?;
        let mut emulated = asker.inquiry.emulated(work, stage, first.clone(), &changes)?;
        let mut progress = Progress::new(inputs.len() as u64, "invocations emulated");
        let result =
            asker.inquiry.emulate_all(work, &mut emulated, question, &inputs, &mut |done| progress.step(done as u64));
        progress.clear();
        let mut readings: BTreeMap<Identity, VecDeque<Reading>> = BTreeMap::new();
        for (who, reading) in result?.readings {
            readings.entry(who).or_default().push_back(reading);
        }
        Ok(Beside { readings, missing: emulated.missing().to_vec() })
    }

    /// How the next invocation of that name compares: the worst of its values.
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

impl Compared {
    /// Counts verdicts.
    pub fn of(verdicts: impl Iterator<Item = (Identity, Verdict)>) -> Compared {
        let mut compared = Compared { all: 0, same: 0, first: None };
        for (who, verdict) in verdicts {
            compared.all += 1;
            match verdict {
                Verdict::Equal | Verdict::Within(_) => compared.same += 1,
                Verdict::Divergent(_) => compared.first = compared.first.or(Some(who)),
            }
        }
        compared
    }

    /// Whether so many are the same that the rest may be rounding.
    pub fn is_enough(&self) -> bool {
        self.same as f64 * 100.0 >= self.all as f64 * ENOUGH
    }

    /// For scripts.
    pub fn json(&self) -> Json {
        let share = if self.all == 0 { 1.0 } else { self.same as f64 / self.all as f64 };
        json!({ "within": self.same, "all": self.all, "share": share, "first": self.first })
    }

    /// For people.
    pub fn text(&self, stage: Stage) -> String {
        let first =
            self.first.map_or(String::new(), |[a, b, c, d]| format!("; the first that is not is {a},{b},{c},{d}"));
        format!("{} of {} {} invocations within rounding of the emulator's{first}\n", self.same, self.all, stage.name())
    }
}
