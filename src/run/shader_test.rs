//! `afterimage run x.shader_test`: a test's commands on the emulator, and its verdict.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context, bail};
use runner::{Failure, Options, Picture, Report};

use super::Args;
use crate::check::input;
use crate::cli::Outcome;
use crate::json;
use crate::json::run::TestDocument;

/// Runs a test and prints what came of it.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.stage.is_some() || args.trace || !args.values.is_empty() {
        bail!("{}: a test sets its own values; --stage, --set and --trace are for single shaders", args.file);
    }
    let text = input::text(&args.file)?;
    let options = Options { whole_image: args.image.is_some(), ..Options::default() };
    let report = runner::run(&text, &options);
    if let Some(path) = &args.image {
        let Some(picture) = &report.picture else { bail!("{}: nothing was drawn", args.file) };
        write(Path::new(path), picture).with_context(|| format!("{path} cannot be written"))?;
    }
    if args.json {
        json::print(&document(&report))?;
    } else {
        let mut out = crate::out::text();
        for failure in &report.failures {
            let Failure { line, what, expected, found } = failure;
            let line = if *line == 0 { String::new() } else { format!(":{line}") };
            writeln!(out, "{}{line}: {what}: expected {expected}, got {found}", args.file)?;
        }
        let probes = format!("{} probe{}", report.probes, if report.probes == 1 { "" } else { "s" });
        match &report.outcome {
            runner::Outcome::Pass => writeln!(out, "pass: {probes}")?,
            runner::Outcome::Fail => writeln!(out, "fail: {} of {probes}", report.failures.len())?,
            runner::Outcome::Unsupported(_) | runner::Outcome::Skip(_) => {}
        }
    }
    Ok(match &report.outcome {
        runner::Outcome::Pass => Outcome::Done,
        runner::Outcome::Fail => Outcome::No,
        runner::Outcome::Unsupported(what) => {
            crate::cli::complain(&format!("{}: this cannot be run: {what}", args.file));
            Outcome::Unserved
        }
        runner::Outcome::Skip(reason) => {
            crate::cli::complain(&format!("{}: this test is not for the emulator: {reason}", args.file));
            Outcome::Unserved
        }
    })
}

fn document(report: &Report) -> TestDocument<'_> {
    let (result, reason) = match &report.outcome {
        runner::Outcome::Pass => ("pass", None),
        runner::Outcome::Fail => ("fail", None),
        runner::Outcome::Unsupported(reason) | runner::Outcome::Skip(reason) => ("unsupported", Some(&**reason)),
    };
    let failures = report.failures.iter().map(|Failure { line, what, expected, found }| json::run::Failure {
        line: *line,
        what,
        expected,
        found,
    });
    TestDocument { result, reason, probes: report.probes, failures: failures.collect() }
}

fn write(path: &Path, picture: &Picture) -> anyhow::Result<()> {
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.pixels)?;
    writer.finish()?;
    Ok(())
}
