//! `cargo xtask corpus spans`: checks the spans of all expressions.
//!
//! Every value in a shader is put in parentheses by span edits, all at once and one at a time. If the spans are
//! correct, the driver accepts the result and draws the same image, and our own tree is the same except for the
//! parentheses.

mod macros;
mod tally;
mod wrap;

use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, bail};
use serde_json::Value;

use super::answers::{self, Answers};
use super::case::{Answer, Case, Linking};
use super::mesa::{self, Offers, Worker};
use super::ratchet::Ratchet;
use super::{piglit, pool, worker};
use crate::{process, setup};
use tally::Tally;
use wrap::{Wrapped, Wrapping};

/// Default number of programs.
const SAMPLE: usize = 2000;
/// Number of programs that `cargo xtask test` runs.
const CI_SAMPLE: usize = 150;
/// Number of expressions of each shader that it wraps one at a time.
const CI_LIMIT: usize = 8;
/// Variants per job; a job must be done within the driver's timeout.
const BATCH: usize = 12;

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Number of programs.
    #[arg(long, value_name = "N", default_value_t = SAMPLE)]
    sample: usize,
    /// Seed of the choice of programs.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Use only cases whose path contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Wrap at most N expressions of each shader one at a time, evenly spread.
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: usize,
    /// Of each program draw only N of those, evenly spread; all are compiled.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pictures: usize,
    /// Move every statement into macros first, so that nearly all expressions come from macros.
    #[arg(long)]
    macros: bool,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
    /// Print each case that changed, was left out or could not be compared.
    #[arg(long)]
    list: bool,
}

/// Runs the fixed sample for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    for macros in [false, true] {
        run(&Args {
            sample: CI_SAMPLE,
            seed: 0,
            filter: None,
            limit: CI_LIMIT,
            pictures: CI_LIMIT,
            macros,
            update_ratchet: false,
            list: false,
        })?;
    }
    Ok(())
}

/// Runs the sample; any change is a failure.
pub fn run(args: &Args) -> anyhow::Result<()> {
    setup::ensure_piglit()?;
    let start = Instant::now();
    let (cases, offers) = choose(args)?;
    let cache = Mutex::new(Answers::open("mesa-spans", &offers)?);
    let asker = || Asker { worker: None, cache: &cache };
    let tallies = pool::each(&cases, pool::cores(), asker, |asker, case| {
        judge(case, args, asker).with_context(|| case.name.clone())
    })?;
    let mut tally = Tally::default();
    tallies.into_iter().for_each(|one| tally.add(one));
    tally.print(args.list);
    println!("in {:.1?}", start.elapsed());
    tally.verdict()?;
    // Nothing may change, whatever the sample; how much is tried of the fixed samples must not fall.
    let section = match (args.sample, args.macros) {
        (CI_SAMPLE, false) => "spans-sample",
        (CI_SAMPLE, true) => "spans-macros-sample",
        (_, false) => "spans",
        (_, true) => "spans-macros",
    };
    if args.seed == 0 && args.filter.is_none() && (args.sample == CI_SAMPLE || args.sample == SAMPLE) {
        Ratchet::read()?.settle(section, &tally.numbers(), args.update_ratchet)?;
    }
    Ok(())
}

/// Returns the programs to try: those that piglit expects to be accepted and the driver accepts, the first by hash of
/// seed and path.
fn choose(args: &Args) -> anyhow::Result<(Vec<Case>, Offers)> {
    let mut cases = piglit::read(&setup::piglit_dir())?.cases;
    cases.retain(|case| case.expect.passes() && args.filter.as_ref().is_none_or(|f| case.name.contains(f.as_str())));
    cases.sort_by_cached_key(|case| *blake3::hash(format!("{} {}", args.seed, case.name).as_bytes()).as_bytes());
    // Nearly all of those are accepted, so a few more than requested are enough.
    cases.truncate(args.sample.saturating_mul(2).saturating_add(50));
    let verdicts = mesa::judge(&cases.iter().collect::<Vec<_>>())?;
    verdicts.apply_limits(&mut cases);
    let mut accepted = verdicts.verdicts.iter().map(|v| v.answer == Answer::Accepted);
    cases.retain(|_| accepted.next().unwrap_or(false));
    cases.truncate(args.sample);
    if cases.is_empty() {
        bail!("no case matches {:?}", args.filter.as_deref().unwrap_or_default());
    }
    Ok((cases, verdicts.offers))
}

/// Wraps one case's expressions and judges each result.
fn judge(case: &Case, args: &Args, asker: &mut Asker<'_>) -> anyhow::Result<Tally> {
    let mut tally = Tally { programs: 1, ..Tally::default() };
    let moved = args.macros.then(|| macros::through_macros(case));
    let unmoved = case;
    let case = moved.as_ref().unwrap_or(case);
    let Some(wrapping) = wrap::wrap(case, args.limit) else {
        tally.refused.push(case.name.clone());
        return Ok(tally);
    };
    let Wrapping { all, single, wrapped, from_macros, in_macros, left_out, failures } = &wrapping;
    tally.wrapped = *wrapped;
    tally.from_macros = *from_macros;
    tally.in_macros = *in_macros;
    tally.left_out = *left_out;
    tally.changed.extend(failures.iter().map(|failure| format!("{}: {failure}", case.name)));
    let change = |w: &Wrapped| (w.shader, w.strings.clone());
    // Drawn twice, to know whether it is deterministic; the second time without the inserted macros.
    let plainly = unmoved.shaders.iter().map(|s| s.strings.clone()).enumerate().collect();
    let at_once = [vec![], if args.macros { plainly } else { vec![] }, all.iter().map(change).collect()];
    let drawable = case.linking == Linking::Program && case.includes.strings.is_empty();
    let replies = asker.ask(case, &at_once, drawable)?;
    let original = &replies[0];
    if original.answer != Answer::Accepted {
        tally.broken.push(format!("{}: {}", case.name, original.log));
        return Ok(tally);
    }
    let steady = original.picture.is_some() && original.picture == replies[1].picture;
    match &original.picture {
        None => tally.undrawn += 1,
        Some(_) if !steady => tally.unsteady.push(case.name.clone()),
        Some(picture) if picture == "blank" => tally.blank += 1,
        Some(_) => tally.drawn += 1,
    }
    if !all.is_empty() {
        let place = format!("{}: all", case.name);
        tally.compare(&place, steady.then_some(original.picture.as_ref()).flatten(), &replies[2], false);
    }
    // For a blank image, single variants give no more information.
    let expected = original.picture.as_ref().filter(|picture| steady && *picture != "blank");
    let pictures = if expected.is_some() { args.pictures.min(single.len()) } else { 0 };
    let is_drawn = |index: usize| index * pictures / single.len() != (index + 1) * pictures / single.len();
    for expected in [expected.filter(|_| pictures > 0), None].into_iter().skip(usize::from(pictures == 0)) {
        let indexed = single.iter().enumerate();
        let part: Vec<&Wrapped> = indexed.filter(|(i, _)| is_drawn(*i) == expected.is_some()).map(|(_, w)| w).collect();
        for batch in part.chunks(BATCH) {
            let variants: Vec<_> = batch.iter().map(|w| vec![change(w)]).collect();
            for (wrapped, reply) in batch.iter().zip(asker.ask(case, &variants, expected.is_some())?) {
                let extension = case.shaders[wrapped.shader].stage.extension();
                let place = format!("{}: {extension}:{}", case.name, wrapped.what);
                tally.compare(&place, expected, &reply, wrapped.in_macro);
                tally.single += 1;
            }
        }
    }
    Ok(tally)
}

/// The driver's reply for one variant.
struct Reply {
    answer: Answer,
    log: String,
    picture: Option<String>,
}

/// A variant: sources by shader.
type Variant = Vec<(usize, Vec<String>)>;

/// Queries the driver through the cache.
struct Asker<'a> {
    worker: Option<Worker>,
    cache: &'a Mutex<Answers>,
}

impl Asker<'_> {
    fn ask(&mut self, case: &Case, variants: &[Variant], draw: bool) -> anyhow::Result<Vec<Reply>> {
        let job = worker::variants_job(case, variants, draw);
        let key = answers::key(&job);
        let lock = || self.cache.lock().map_err(|_| anyhow::anyhow!("another thread failed"));
        let known = lock()?.get(&key).map(str::to_owned);
        let frame = match known.and_then(|text| serde_json::from_str(&text).ok()) {
            Some(frame) => frame,
            None => {
                let folder = process::corpus_dir().join("mesa-machine-code");
                // A single program gets the time that compiling it on a busy machine may take.
                let timeout = mesa::TIMEOUT * if variants.len() == 1 { 12 } else { 1 };
                let frame = match mesa::ask_frame(&mut self.worker, &job, Some(&folder), timeout)? {
                    Ok(frame) => frame,
                    // Not cached: the machine may be less busy in the next run.
                    Err(log) if variants.len() == 1 => {
                        return Ok(vec![Reply { answer: Answer::Broke, log: log.to_owned(), picture: None }]);
                    }
                    // One of them broke the driver; alone it affects no other.
                    Err(_) => {
                        let mut replies = Vec::new();
                        for variant in variants {
                            replies.extend(self.ask(case, std::slice::from_ref(variant), draw)?);
                        }
                        return Ok(replies);
                    }
                };
                lock()?.store(&key, frame.to_string())?;
                frame
            }
        };
        let replies = frame.as_array().context("a worker sent an invalid reply")?;
        if replies.len() != variants.len() {
            bail!("a worker answered {} variants of {}", replies.len(), variants.len());
        }
        replies.iter().map(read_reply).collect()
    }
}

fn read_reply(frame: &Value) -> anyhow::Result<Reply> {
    let verdict = mesa::read_verdict(frame)?;
    Ok(Reply { answer: verdict.answer, log: verdict.log, picture: frame["picture"].as_str().map(str::to_owned) })
}
