//! `cargo xtask corpus weave`: compares instrumented variants of piglit's shaders with the originals, on the emulator.
//!
//! Every shader of piglit that the emulator runs by itself is recorded from start to end by a variant of it, with both
//! levels of detail, and queried for values at moments of its run. Markers, values and outputs must be those of the
//! original.

#[path = "../../../crates/instrument/tests/weave/compare.rs"]
mod compare;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use anyhow::bail;
use instrument::Detail;
use shader::version::Options;

use super::front_end;
use super::travel::subjects;
use crate::setup;
use compare::{Outcome, compare, compare_values, compare_watches, raised};

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Number of shaders.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    limit: usize,
    /// Seed of the choice of shaders.
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Use only shaders whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Number of moments of each shader to query, each with its own variant.
    #[arg(long, default_value_t = 3, value_name = "N")]
    moments: usize,
    /// Print each shader with its outcome.
    #[arg(long)]
    list: bool,
}

#[derive(Default)]
struct Tally {
    shaders: usize,
    recordings: usize,
    markers: usize,
    values: usize,
    unknown: usize,
    asked: usize,
    bytes: (usize, usize),
    left_out: BTreeMap<String, usize>,
    refused: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

/// Runs the fixed sample for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run(&Args { limit: 150, seed: 0, filter: None, moments: 2, list: false })
}

/// Checks all shaders; any difference is a failure.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure_piglit()?;
    let start = Instant::now();
    let mut tally = Tally::default();
    for (case, number) in subjects(args.seed)? {
        if tally.shaders >= args.limit {
            break;
        }
        if args.filter.as_ref().is_some_and(|filter| !case.name.contains(filter.as_str())) {
            continue;
        }
        let source = &case.shaders[number];
        let options = front_end::options(&case, source.stage);
        let strings: Vec<String> = source.strings.iter().map(|text| raised(text)).collect();
        let tried = catch_unwind(AssertUnwindSafe(|| tally.try_shader(&case.name, &strings, &options, args)));
        if tried.is_err() {
            tally.wrong.push(format!("{}: a panic", case.name));
        }
    }
    tally.print(start);
    if !tally.wrong.is_empty() {
        bail!("{} variants are wrong", tally.wrong.len());
    }
    Ok(())
}

impl Tally {
    fn try_shader(&mut self, name: &str, strings: &[String], options: &Options, args: &Args) {
        for detail in [Detail::Statements, Detail::Expressions] {
            match compare(strings, options, detail.clone()) {
                Outcome::Unfit(why) => {
                    *self.left_out.entry(why).or_default() += 1;
                    return;
                }
                Outcome::Refused(why) => {
                    self.shaders += usize::from(detail == Detail::Statements);
                    *self.refused.entry(why.clone()).or_default() += 1;
                    self.log(args, || format!("{name}: {detail:?}: refused: {why}"));
                    return;
                }
                Outcome::Broken(why) => self.wrong.push(format!("{name}: {detail:?}: {why}")),
                Outcome::Compared(counts) => {
                    self.recordings += 1;
                    self.markers += counts.markers;
                    self.values += counts.values;
                    self.unknown += counts.unknown;
                    self.bytes.0 += counts.bytes.0;
                    self.bytes.1 += counts.bytes.1;
                    self.log(args, || {
                        format!("{name}: {detail:?}: {} markers, {} values", counts.markers, counts.values)
                    });
                    self.wrong.extend(counts.differences.iter().take(2).map(|d| format!("{name}: {detail:?}: {d}")));
                }
            }
        }
        self.shaders += 1;
        for outcome in [compare_values(strings, options, args.moments), compare_watches(strings, options, args.moments)]
        {
            match outcome {
                Outcome::Unfit(_) => {}
                Outcome::Refused(why) | Outcome::Broken(why) => self.wrong.push(format!("{name}: {why}")),
                Outcome::Compared(counts) => {
                    self.asked += counts.values;
                    for why in counts.refusals {
                        *self.refused.entry(why).or_default() += 1;
                    }
                    self.wrong.extend(counts.differences.iter().take(2).map(|d| format!("{name}: {d}")));
                }
            }
        }
    }

    fn log(&self, args: &Args, text: impl Fn() -> String) {
        if args.list {
            println!("{}", text());
        }
    }

    fn print(&self, start: Instant) {
        println!(
            "{} shaders, {} recordings: {} markers and {} values as on the emulator, {} unknown to it",
            self.shaders, self.recordings, self.markers, self.values, self.unknown
        );
        println!("{} queries of moments as on the emulator", self.asked);
        let (before, after) = self.bytes;
        println!("{before} bytes became {after}");
        for (why, count) in &self.refused {
            println!("  {count} refused: {why}");
        }
        for (why, count) in &self.left_out {
            println!("  {count} left out: {why}");
        }
        println!("{} wrong, in {:.1?}", self.wrong.len(), start.elapsed());
        self.wrong.iter().take(40).for_each(|wrong| println!("{wrong}"));
    }
}
