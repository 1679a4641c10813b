//! `cargo xtask corpus differ`: compares fragment shaders on the emulator and on a real driver, pixel by pixel.
//!
//! Each fragment shader gets a generated vertex shader, whose outputs are planes over the image with short
//! coefficients, so that every interpolation is exact, and uniforms that change from tile to tile. The shader itself is
//! not changed, except for tests that only output right or wrong: those output the value instead.

mod compare;
mod disturb;
pub mod draw;
mod emulate;
mod generate;
mod offline;
mod race;
mod report;
mod sampled;
mod scene;
mod subject;
mod values;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::mesa::{self, Worker};
use super::pool;
use super::ratchet::Ratchet;
use crate::{process, setup};
pub use race::race;
pub use subject::colour_of;

use report::{Judged, Outcome, Report};
pub use sampled::image;
pub use scene::Scene;
pub use subject::Subject;
pub use values::{Leaf, Range, SIDE, tile_at};

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// A folder with dEQP's `.test` files; without it, dEQP's shaders are left out.
    #[arg(long, value_name = "DIR")]
    deqp: Option<PathBuf>,
    /// Compare N generated shaders.
    #[arg(long, value_name = "N", default_value_t = 600)]
    generated: u64,
    /// Compare only shaders whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Compare at most N shaders, chosen by the hash of their names.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Compare the fixed sample of `cargo xtask test`.
    #[arg(long)]
    fixed: bool,
    /// Print each shader that is not run, or below 99 %.
    #[arg(long)]
    list: bool,
    /// Print the sources of the selected shaders and the pixels that differ.
    #[arg(long)]
    show: bool,
    /// Write the compared shaders to a folder, for `--check` on another machine.
    #[arg(long, value_name = "DIR")]
    offline: Option<PathBuf>,
    /// Compare the shaders of such a folder: needs only this program and a driver.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["offline", "deqp", "generated"])]
    check: Option<PathBuf>,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// Timeout of the driver for one image.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Numbers of piglit's and of generated shaders that `cargo xtask test` compares.
const CI_SAMPLE: (usize, u64) = (600, 40);
/// Images with fewer distinct pixels than this are not meaningful.
const DISTINCT: usize = 64;

/// Runs the fixed sample for `cargo xtask test`.
pub fn run_sample() -> anyhow::Result<()> {
    run_fixed(false)
}

fn run_fixed(update_ratchet: bool) -> anyhow::Result<()> {
    let mut subjects = chosen(subject::of_piglit()?, CI_SAMPLE.0);
    subjects.extend((0..CI_SAMPLE.1).map(generate::subject));
    let report = judge_all(&subjects, false)?;
    report.print(false);
    Ratchet::read()?.settle("differ-sample", &report.numbers(), update_ratchet)
}

/// Returns the shaders of all corpora, for other tests.
pub fn subjects(
    deqp: Option<&std::path::Path>,
    generated: u64,
    filter: Option<&str>,
    sample: Option<usize>,
) -> anyhow::Result<Vec<Subject>> {
    let mut subjects = subject::all(deqp)?;
    if let Some(sample) = sample {
        subjects = chosen(subjects, sample);
    }
    subjects.extend((0..generated).map(generate::subject));
    subjects.retain(|s| filter.is_none_or(|filter| s.name.contains(filter)));
    Ok(subjects)
}

/// Returns whether something undefined by the language is computed for a pixel of a scene.
pub fn undefined_at(scene: &Scene, (x, y): (u32, u32)) -> bool {
    let pixel = y as usize * usize::from(SIDE) + x as usize;
    emulate::undefined(scene, &[pixel]).is_ok_and(|found| found.get(pixel) == Some(&true))
}

/// Returns this many shaders, by the hash of their names.
fn chosen(mut subjects: Vec<Subject>, count: usize) -> Vec<Subject> {
    subjects.sort_by_cached_key(|s| *blake3::hash(s.name.as_bytes()).as_bytes());
    subjects.truncate(count);
    subjects
}

/// Compares every shader.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let start = Instant::now();
    if let Some(folder) = &args.check {
        let mut expected = offline::read(folder)?;
        expected.retain(|(s, _)| args.filter.as_ref().is_none_or(|filter| s.name.contains(filter.as_str())));
        let subjects: Vec<Subject> = expected.iter().map(|(subject, _)| subject.clone()).collect();
        let report = judge_all(&subjects, args.show)?;
        report.print(args.list);
        report.numbers();
        println!("in {:.1?}", start.elapsed());
        return offline::same_pictures(&expected, &report.judged);
    }
    setup::ensure_piglit()?;
    if args.fixed {
        return run_fixed(args.update_ratchet);
    }
    let mut subjects = subject::all(args.deqp.as_deref())?;
    subjects.extend((0..args.generated).map(generate::subject));
    if let Some(filter) = &args.filter {
        subjects.retain(|s| s.name.contains(filter.as_str()));
    }
    if let Some(sample) = args.sample {
        subjects = chosen(subjects, sample);
    }
    let report = judge_all(&subjects, args.show)?;
    report.print(args.list);
    println!("in {:.1?}", start.elapsed());
    if let Some(folder) = &args.offline {
        offline::write(folder, &subjects, &report.judged)?;
    }
    if args.filter.is_some() || args.sample.is_some() {
        return Ok(());
    }
    Ratchet::read()?.settle("differ", &report.numbers(), args.update_ratchet)
}

fn judge_all(subjects: &[Subject], show: bool) -> anyhow::Result<Report> {
    let judged = pool::each(
        subjects,
        pool::cores().min(2),
        || None,
        |worker, subject| {
            let outcome = judge(subject, worker, show).with_context(|| subject.name.clone())?;
            Ok(Judged { name: subject.name.clone(), group: subject.group.clone(), outcome })
        },
    )?;
    Ok(Report { judged })
}

fn judge(subject: &Subject, worker: &mut Option<Worker>, show: bool) -> anyhow::Result<Outcome> {
    let scene = match Scene::new(subject) {
        Ok(scene) => scene,
        Err(why) => return Ok(Outcome::NotRun(why)),
    };
    if scene.leaves.is_empty() && scene.words.is_empty() && scene.builtins.is_empty() {
        return Ok(Outcome::Constant);
    }
    let folder = process::corpus_dir().join("mesa-machine-code");
    let reply = match mesa::ask_frame(worker, &draw::job(&scene), Some(&folder), TIMEOUT)? {
        Ok(reply) => reply,
        Err(why) => return Ok(Outcome::NotRun(format!("driver: {why}"))),
    };
    let theirs = match draw::pictures(&reply) {
        Ok(pictures) => pictures,
        Err(why) => {
            if show {
                println!("== {}\n{}\n{why}", subject.name, scene.vertex);
            }
            return Ok(Outcome::NotRun(format!("driver: {why}")));
        }
    };
    if compare::distinct(&theirs) < DISTINCT {
        return Ok(Outcome::Constant);
    }
    let ours = match emulate::picture(&scene) {
        Ok(picture) => picture,
        Err(why) => return Ok(Outcome::NotRun(format!("emulator: {why}"))),
    };
    let mut comparison = compare::compare(&scene, &ours, &theirs);
    comparison.picture = ours.hash();
    if let Err(why) = compare::explain(&subject.name, &scene, &ours, &theirs, &mut comparison) {
        return Ok(Outcome::NotRun(format!("emulator, disturbed: {why}")));
    }
    if show {
        report::show(subject, &scene, &ours, &theirs, &comparison);
    }
    Ok(Outcome::Compared(Box::new(comparison)))
}
