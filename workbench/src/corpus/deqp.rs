//! `cargo xtask corpus deqp DIR`: the shader cases of the Khronos conformance suites.

mod parse;
mod specialize;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::case::{Case, Linking};
use parse::Expectation;

use super::glsl::{List, judge_all};
use super::ratchet::{Ratchet, Share};
use super::report::{Judged, Report, percent};
use super::{known, mesa};
use crate::files;

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// A folder with `.test` files, at any depth.
    directory: PathBuf,
    /// Run only cases whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Print each case of this kind, with our first error and Mesa's.
    #[arg(long, value_enum, value_name = "KIND")]
    list: Vec<List>,
    /// Print the shaders of each selected case, as passed to the compilers.
    #[arg(long)]
    show: bool,
    /// Write every verdict to a file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
    /// Run the cases that draw on the emulator and compare their values, instead of compiling.
    #[arg(long)]
    values: bool,
    /// Do not use a driver.
    #[arg(long)]
    no_mesa: bool,
}

/// Returns all cases in the `.test` files below a folder.
pub fn cases(folder: &Path) -> anyhow::Result<Vec<Case>> {
    Ok(read(folder)?.into_iter().map(|(case, _)| case).collect())
}

/// Returns the fragment shaders of all cases that draw, with colours made from their outputs instead of verdicts.
pub fn value_fragments(folder: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for file in files(folder)? {
        for spec in parse::read(&file)? {
            found.extend(specialize::value_fragment(&spec).map(|text| (format!("{} (value)", spec.name), text)));
        }
    }
    Ok(found)
}

fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = files::below(folder)?;
    files.retain(|path| files::extension(path) == "test");
    // Lists of calls of the suite's coverage tests, in XML, have the same extension and no shaders.
    let before = files.len();
    let mut cases = Vec::with_capacity(before);
    for path in files {
        if !parse::is_xml(&path)? {
            cases.push(path);
        }
    }
    let mut files = cases;
    if files.len() < before {
        println!("{} files in XML are left out", before - files.len());
    }
    let imported = files.iter().map(|path| parse::imports(path)).collect::<anyhow::Result<Vec<_>>>()?.concat();
    // Their cases belong to the groups that import them.
    files.retain(|path| !imported.contains(path));
    Ok(files)
}

/// Returns all cases, each with its specification.
fn read(folder: &Path) -> anyhow::Result<Vec<(Case, parse::Spec)>> {
    let mut cases = Vec::new();
    for file in &files(folder)? {
        let group = file.strip_prefix(folder).unwrap_or(file).to_string_lossy().into_owned();
        for spec in parse::read(file)? {
            cases.extend(specialize::cases(&group, &spec)?.into_iter().map(|case| (case, spec.clone())));
        }
    }
    Ok(cases)
}

/// Runs all cases below the folder.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.values {
        return run_values(args);
    }
    let mut cases = cases(&args.directory)?;
    if cases.is_empty() {
        bail!("{} contains no .test files", args.directory.display());
    }
    if let Some(filter) = &args.filter {
        cases.retain(|case| case.name.contains(filter.as_str()));
    }
    if args.show {
        for case in &cases {
            println!("== {} (expected: {:?})", case.name, case.expect);
            case.shaders.iter().for_each(|s| println!("-- {}\n{}", s.stage.extension(), s.strings.concat()));
        }
    }
    let mesa = if args.no_mesa { None } else { Some(mesa::judge(&cases.iter().collect::<Vec<_>>())?) };
    let demanded: Vec<Vec<(String, i32)>> = cases.iter().map(|case| case.limits.clone()).collect();
    if let Some(mesa) = &mesa {
        mesa.apply_limits(&mut cases);
    }
    let borrowed: Vec<&Case> = cases.iter().collect();
    let mut report = Report::default();
    for (index, (case, (ours, time))) in borrowed.iter().zip(judge_all(&borrowed)?).enumerate() {
        let opinion = |m: &mesa::Verdicts| {
            let offer = m.offers.get(&case.api)?;
            if case.linking == Linking::Pipeline {
                return Some("pipelines, which it is not asked to validate".to_owned());
            }
            unlike(&demanded[index], offer).or_else(|| mesa::incomparable(case, &m.offers, &m.verdicts[index]))
        };
        let incomparable = mesa.as_ref().and_then(opinion);
        let theirs = mesa.as_ref().map(|m| m.verdicts[index].clone());
        report.judged.push(Judged { case: (*case).clone(), ours, mesa: theirs, incomparable, time });
    }
    let known = known::read("deqp")?;
    report.print_groups();
    report.print_incomparable();
    for &list in &args.list {
        report.print_list(list);
    }
    let stale = report.print_known(&known);
    report.print_totals();
    let mut right = Share::default();
    report.judged.iter().for_each(|j| right.add(j.right()));
    println!("verdicts right           {}", percent(right));
    if let Some(path) = &args.json {
        std::fs::write(path, format!("{:#}\n", report.json()))?;
    }
    if args.filter.is_some() || args.no_mesa {
        return Ok(());
    }
    if !stale.is_empty() {
        bail!("corpus/known.toml lists cases that no longer occur; remove: {}", stale.join(", "));
    }
    let mut numbers = report.numbers();
    numbers.push(("right", right));
    Ratchet::read()?.settle("deqp", &numbers, args.update_ratchet)
}

/// Returns the first limit of a case that a driver does not have.
fn unlike(demanded: &[(String, i32)], offer: &mesa::Offer) -> Option<String> {
    let offered = |name: &str| offer.limits.iter().find(|limit| limit.0 == name).map(|limit| limit.1);
    // A case demands one draw buffer, or at least so many of anything else.
    let lacks = |(name, value): &&(String, i32)| {
        offered(name).is_some_and(|n| if name == "gl_MaxDrawBuffers" { n != *value } else { n < *value })
    };
    demanded.iter().find(lacks).map(|(name, value)| format!("{name} {value}"))
}

/// Runs every case that should draw something on the emulator.
fn run_values(args: &Args) -> anyhow::Result<()> {
    let mut right = Share::default();
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    let mut undrawn = 0;
    let chosen = |name: &str| args.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));
    for (case, spec) in read(&args.directory)? {
        if spec.expect != Expectation::Pass || !chosen(&case.name) {
            continue;
        }
        // The desktop suite draws once for each column of its values: without any, never.
        if !spec.version.es && spec.values.is_empty() {
            undrawn += 1;
            continue;
        }
        let outcome = values::run(&case, &spec);
        right.add(matches!(outcome, values::Outcome::Right));
        match outcome {
            values::Outcome::Right => {}
            values::Outcome::Wrong(why) => println!("{}: {why}", case.name),
            values::Outcome::Unsupported(what) => *missing.entry(what).or_default() += 1,
        }
    }
    if undrawn > 0 {
        println!("{undrawn:8} desktop cases have no values to compare");
    }
    for (what, count) in missing {
        println!("{count:8} not run: {what}");
    }
    println!("values right             {}", percent(right));
    if args.filter.is_some() {
        return Ok(());
    }
    Ratchet::read()?.settle("deqp-values", &[("right", right)], args.update_ratchet)
}
