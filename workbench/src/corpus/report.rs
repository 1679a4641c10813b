//! Counts verdicts and prints them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::case::{Case, Verdict};
use super::glsl::List;
use super::known::KnownDisagreement;
use super::ratchet::Share;

/// A case with all verdicts.
pub struct Judged {
    /// The case.
    pub case: Case,
    /// The verdict of our front end.
    pub ours: Verdict,
    /// The driver's verdict, if it was asked.
    pub mesa: Option<Verdict>,
    /// Why the driver's verdict does not count, if so.
    pub incomparable: Option<String>,
    /// The time of our front end.
    pub time: Duration,
}

impl Judged {
    /// Returns whether our verdict is as expected.
    pub fn right(&self) -> bool {
        self.case.expect.holds(self.ours.answer)
    }

    /// Returns the driver's verdict if it counts.
    fn opinion(&self) -> Option<&Verdict> {
        self.mesa.as_ref().filter(|_| self.incomparable.is_none())
    }

    /// Returns whether we and the driver agree; `None` if its verdict does not count.
    pub fn agrees(&self) -> Option<bool> {
        self.opinion().map(|mesa| mesa.answer.agrees(self.ours.answer))
    }

    /// Returns whether the driver's verdict is as expected; `None` if it does not count.
    fn mesa_right(&self) -> Option<bool> {
        self.opinion().map(|mesa| self.case.expect.holds(mesa.answer))
    }
}

/// All cases of a run.
#[derive(Default)]
pub struct Report {
    /// In the order of their names.
    pub judged: Vec<Judged>,
}

#[derive(Clone, Copy, Default)]
struct Row {
    accepted: Share,
    rejected: Share,
    agreed: Share,
    mesa: Share,
}

impl Row {
    fn add(&mut self, judged: &Judged) {
        let share = if judged.case.expect.passes() { &mut self.accepted } else { &mut self.rejected };
        share.add(judged.right());
        if let Some(agrees) = judged.agrees() {
            self.agreed.add(agrees);
        }
        if let Some(right) = judged.mesa_right() {
            self.mesa.add(right);
        }
    }

    fn wrong(&self) -> usize {
        self.accepted.total - self.accepted.right + self.rejected.total - self.rejected.right
    }

    fn disagreed(&self) -> usize {
        self.agreed.total - self.agreed.right
    }
}

impl Report {
    /// Prints the table, worst group first; groups without a fault are summed up in one line.
    pub fn print_groups(&self) {
        let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
        for judged in &self.judged {
            rows.entry(&judged.case.group).or_default().add(judged);
        }
        let mut rows: Vec<(&str, Row)> = rows.into_iter().collect();
        rows.sort_by_key(|(name, row)| (std::cmp::Reverse((row.wrong(), row.disagreed())), *name));
        println!("\n{:48} {:>14} {:>14} {:>14} {:>6}", "group", "must-pass", "must-fail", "as Mesa", "wrong");
        let faultless = rows.iter().filter(|(_, row)| row.wrong() + row.disagreed() == 0).count();
        for (name, row) in rows.iter().filter(|(_, row)| row.wrong() + row.disagreed() > 0) {
            println!("{name:48} {:>14} {:>14} {:>14} {:>6}", row.accepted, row.rejected, row.agreed, row.wrong());
        }
        if faultless > 0 {
            println!("{faultless} further groups without a fault");
        }
    }

    /// Prints the totals, with their denominators.
    pub fn print_totals(&self) {
        let row = self.total();
        println!("\nmust-pass accepted       {}", percent(row.accepted));
        println!("must-fail rejected       {}", percent(row.rejected));
        println!("agreement with Mesa      {}", percent(row.agreed));
        println!("Mesa agrees with corpus  {}", percent(row.mesa));
        let broke = self.judged.iter().filter(|j| j.ours.answer == super::case::Answer::Broke).count();
        if broke > 0 {
            println!("our front end panicked   {broke} times");
        }
        let crashed =
            self.judged.iter().filter(|j| j.mesa.as_ref().is_some_and(|m| m.answer == super::case::Answer::Broke));
        for judged in crashed {
            println!("driver broke on {}: {}", judged.case.name, judged.mesa.as_ref().map_or("", |m| &m.log));
        }
    }

    /// Returns the numbers for the ratchet.
    pub fn numbers(&self) -> Vec<(&'static str, Share)> {
        let row = self.total();
        vec![("accepted", row.accepted), ("rejected", row.rejected), ("agreement", row.agreed)]
    }

    /// Prints how many cases cannot be compared with the driver, by what it lacks.
    pub fn print_incomparable(&self) {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in self.judged.iter().filter_map(|j| j.incomparable.as_deref()) {
            // Piglit tests for some eighty extensions what happens without them; one number is enough.
            let reason = if reason.starts_with('!') { "(supports what the case wants absent)" } else { reason };
            *reasons.entry(reason).or_default() += 1;
        }
        if reasons.is_empty() {
            return;
        }
        let total: usize = reasons.values().sum();
        let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
        println!("\nNot comparable with Mesa, mostly for what it lacks: {total} cases");
        let parts: Vec<String> = reasons.iter().map(|(name, count)| format!("{name} {count}")).collect();
        println!("  {}", parts.join(", "));
    }

    /// Prints each case of a kind.
    pub fn print_list(&self, list: List) {
        let chosen: Vec<&Judged> = match list {
            List::Wrong => self.judged.iter().filter(|j| !j.right()).collect(),
            List::Disagree => self.judged.iter().filter(|j| j.agrees() == Some(false)).collect(),
            List::Mesa => self.judged.iter().filter(|j| j.mesa_right() == Some(false)).collect(),
            List::Skipped => return,
            List::Slow => {
                let mut all: Vec<&Judged> = self.judged.iter().collect();
                all.sort_by_key(|j| std::cmp::Reverse(j.time));
                all.truncate(20);
                println!();
                all.iter().for_each(|j| println!("{:>12.1?} {}", j.time, j.case.name));
                return;
            }
        };
        for judged in chosen {
            println!("\n{} (expected: {:?})", judged.case.name, judged.case.expect);
            println!("  ours: {} {}", judged.ours.answer.name(), judged.ours.log);
            if let Some(mesa) = &judged.mesa {
                let aside = judged.incomparable.as_ref().map(|r| format!(" (not comparable: {r})")).unwrap_or_default();
                println!("  Mesa: {} {}{aside}", mesa.answer.name(), mesa.log);
            }
        }
    }

    /// Prints known disagreements with their reasons; returns the patterns that match no fault of this run.
    pub fn print_known(&self, known: &[KnownDisagreement]) -> Vec<String> {
        let faults: Vec<&Judged> = self.judged.iter().filter(|j| !j.right() || j.agrees() == Some(false)).collect();
        let mut stale = Vec::new();
        let mut explained = 0;
        for (index, entry) in known.iter().enumerate() {
            let first = |name: &str| known.iter().position(|k| k.matches(name)) == Some(index);
            let count = faults.iter().filter(|j| first(&j.case.name)).count();
            if index == 0 {
                println!("\nKnown disagreements (counted as wrong all the same):");
            }
            println!("  {count:6} {}: {}", entry.pattern, entry.reason);
            explained += count;
            if count == 0 {
                stale.push(entry.pattern.clone());
            }
        }
        println!("\n{} faults, {explained} of them known, {} not explained", faults.len(), faults.len() - explained);
        stale
    }

    /// Returns every verdict.
    pub fn json(&self) -> Value {
        let verdict = |v: &Verdict| json!({ "answer": v.answer.name(), "log": v.log });
        let cases: Vec<Value> = self
            .judged
            .iter()
            .map(|j| {
                json!({
                    "name": j.case.name,
                    "group": j.case.group,
                    "expect": format!("{:?}", j.case.expect),
                    "right": j.right(),
                    "agrees": j.agrees(),
                    "ours": verdict(&j.ours),
                    "mesa": j.mesa.as_ref().map(verdict),
                    "incomparable": j.incomparable,
                    "microseconds": j.time.as_secs_f64() * 1e6,
                })
            })
            .collect();
        json!({ "cases": cases })
    }

    fn total(&self) -> Row {
        let mut row = Row::default();
        self.judged.iter().for_each(|judged| row.add(judged));
        row
    }
}

/// Formats a share: `12/13 (92.31 %)`.
pub fn percent(share: Share) -> String {
    if share.total == 0 {
        return "none".to_owned();
    }
    // Rounded down, so that 100 % means all.
    let hundredths = share.right * 10_000 / share.total;
    format!("{share} ({}.{:02} %)", hundredths / 100, hundredths % 100)
}
