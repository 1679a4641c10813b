//! `cargo xtask corpus errors`: compares the results of glGetError in piglit's programs with the model.

use std::collections::BTreeMap;

use anyhow::bail;
use serde_json::Value;

use super::ratchet::{Ratchet, Share};
use super::record::Program;
use super::{pool, record, state};

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    #[command(flatten)]
    common: state::Common,
}

/// Totals of all programs with errors.
#[derive(Default)]
struct Total {
    programs: usize,
    right_programs: usize,
    /// The same error in both.
    same: usize,
    /// Another error, or none, in the model.
    missed: usize,
    /// An error only in the model, or another one.
    invented: usize,
    none: usize,
    kinds: BTreeMap<String, (usize, String)>,
}

/// Compares.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let wanted = |program: &Program| {
        args.common.filter.as_ref().is_none_or(|filter| program.name.contains(filter.as_str()))
            && checks_errors(program)
    };
    let (afterimage, traces) = record::traces(&[], &wanted, args.common.again)?;
    println!("{} traces", traces.len());
    let reports = pool::each(&traces, 2, || (), |(), kept| state::report(&afterimage, &kept.trace, &[]))?;
    let mut total = Total::default();
    for (kept, report) in traces.iter().zip(&reports) {
        match report {
            Ok(report) => total.add(&kept.name, &report["errors"]),
            Err(reason) => println!("{}: {reason}", kept.name),
        }
    }
    total.print(args.common.show);
    if total.same == 0 {
        bail!("no program got an error, so there was nothing to compare");
    }
    if args.common.filter.is_none() {
        Ratchet::read()?.settle("errors", &total.shares(), args.common.update_ratchet)?;
    }
    Ok(())
}

/// Returns whether a program of piglit expects errors: whether GL_INVALID_ENUM, _VALUE, _OPERATION or
/// _FRAMEBUFFER_OPERATION is the first argument of a call, as for piglit's `piglit_check_gl_error`. On x86-64 that is
/// `mov edi, 0x500` and so on.
fn checks_errors(program: &Program) -> bool {
    const ERRORS: [u8; 4] = [0x00, 0x01, 0x02, 0x06];
    let Some(Ok(bytes)) = program.command.first().map(std::fs::read) else { return false };
    bytes.windows(5).any(|code| {
        let [0xBF, error, 0x05, 0x00, 0x00] = code else { return false };
        ERRORS.contains(error)
    })
}

impl Total {
    fn add(&mut self, name: &str, errors: &Value) {
        let list = |key: &str| errors[key].as_array().cloned().unwrap_or_default();
        let (missed, invented) = (list("missed"), list("invented"));
        let same = errors["same"].as_u64().unwrap_or(0) as usize;
        // Programs without errors say nothing about how well errors are predicted, but the model may report false ones.
        if same == 0 && missed.is_empty() && invented.is_empty() {
            return;
        }
        self.programs += 1;
        self.right_programs += usize::from(missed.is_empty() && invented.is_empty());
        self.same += same;
        self.none += errors["none"].as_u64().unwrap_or(0) as usize;
        for difference in &missed {
            self.missed += 1;
            // A different error counts as both: one that was missed, and a false one.
            self.invented += usize::from(difference["model"] != "GL_NO_ERROR");
        }
        self.invented += invented.len();
        for difference in missed.iter().chain(&invented) {
            let before = difference["before"]["name"].as_str().unwrap_or("nothing");
            let why = difference["blamed"]["why"].as_str().map_or_else(|| format!("after {before}"), str::to_owned);
            let text = |key: &str| difference[key].as_str().unwrap_or_default().to_owned();
            let kind = format!("recorded {}, expected {}: {why}", text("recorded"), text("model"));
            let entry = self.kinds.entry(kind).or_insert((0, format!("{name} at {}", difference["command"])));
            entry.0 += 1;
        }
    }

    fn shares(&self) -> [(&'static str, Share); 2] {
        let precision = Share { right: self.same, total: self.same + self.invented };
        let recall = Share { right: self.same, total: self.same + self.missed };
        [("precision", precision), ("recall", recall)]
    }

    fn print(&self, show: usize) {
        println!("{} programs with errors, {} of them with none wrong", self.programs, self.right_programs);
        for (name, share) in self.shares() {
            println!("{name} {share} = {:.2} %", 100.0 * share.right as f64 / share.total.max(1) as f64);
        }
        println!("{} times no error, in both", self.none);
        let mut kinds: Vec<_> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, (times, _))| std::cmp::Reverse(*times));
        for (kind, (times, example)) in kinds.iter().take(show) {
            println!("{times:6}  {kind}\n        {example}");
        }
    }
}
