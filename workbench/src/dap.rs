//! `cargo xtask dap`: sessions with the debug adapter, driven by a third-party client.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, bail};

use crate::{files, npm, process};

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Run only tests whose name matches this regular expression.
    #[arg(long, value_name = "PATTERN")]
    only: Option<String>,
    /// Use the programs that are already built.
    #[arg(long)]
    no_build: bool,
}

/// Traces for sessions: a name, and the demo to record.
const TRACES: &[(&str, &[&str])] = &[
    ("deferred", &["deferred", "--frames", "2"]),
    ("chain", &["chain", "--frames", "2"]),
    ("particles", &["particles", "--compute", "--frames", "2"]),
];

/// Runs all tests; returns their number.
pub fn run(args: &Args) -> anyhow::Result<String> {
    let tests = process::root().join("tests/dap");
    let packages = npm::install(&tests.join("package.json"))?;
    if !args.no_build {
        process::build_product(false)?;
    }
    let programs = process::target_dir().join("debug");
    let traces = process::target_dir().join("dap");
    std::fs::create_dir_all(&traces).with_context(|| format!("cannot create {}", traces.display()))?;
    for (name, demo) in TRACES {
        record(&programs, &traces.join(format!("{name}.aftr")), demo)?;
    }
    let mut command = process::command("node", &["--test", "--test-concurrency=1", "--test-reporter=tap"]);
    if let Some(pattern) = &args.only {
        command.arg(format!("--test-name-pattern={pattern}"));
    }
    let list = files::below(&tests)?;
    let mut list: Vec<_> = list.iter().filter(|file| file.to_string_lossy().ends_with(".test.js")).collect();
    list.sort();
    let output = command
        .args(list)
        .env("NODE_PATH", packages.join("node_modules"))
        .env("AFTERIMAGE", programs.join("afterimage"))
        .env("AFTERIMAGE_ROOT", process::root())
        .env("AFTERIMAGE_TRACES", &traces)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start Node; install Debian's package nodejs")?;
    let report = String::from_utf8_lossy(&output.stdout);
    println!("{report}");
    let (passed, failed, skipped) = (count(&report, "pass"), count(&report, "fail"), count(&report, "skipped"));
    // A skipped test has the reason in its line.
    let left_out: Vec<&str> = report.lines().filter(|line| line.contains("# SKIP")).map(str::trim).collect();
    let mut summary = format!("{passed} passed; {failed} failed; {skipped} skipped");
    if !left_out.is_empty() {
        summary += &format!(" ({})", left_out.join("; "));
    }
    if !output.status.success() || failed > 0 || passed == 0 {
        bail!("sessions with the debug adapter: {summary}");
    }
    Ok(summary)
}

fn record(programs: &Path, trace: &Path, demo: &[&str]) -> anyhow::Result<()> {
    let afterimage = programs.join("afterimage");
    let afterimage = afterimage.to_str().context("the path of the build folder is not valid UTF-8")?;
    let mut command = process::command(afterimage, &["record", "--force", "--quiet", "-o"]);
    command.arg(trace).arg("--").arg(programs.join(demo[0])).args(&demo[1..]).stdout(Stdio::null());
    let status = command.status().context("cannot start afterimage")?;
    if !status.success() {
        bail!("the demo {} could not be recorded ({status})", demo[0]);
    }
    Ok(())
}

/// Returns the number after a word in the closing lines of a report: `# pass 12`.
fn count(report: &str, word: &str) -> usize {
    let found = report.lines().rev().find_map(|line| line.strip_prefix("# ")?.strip_prefix(word)?.trim().parse().ok());
    found.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn closing_lines_are_parsed() {
        let report = "ok 1 - it works\n# tests 3\n# pass 2\n# fail 1\n# skipped 0\n";
        assert_eq!((count(report, "pass"), count(report, "fail"), count(report, "skipped")), (2, 1, 0));
    }
}
