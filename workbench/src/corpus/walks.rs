//! `cargo xtask corpus walks`: checks the laws of stepping in traces of real programs.
//!
//! The walks are those of the debugger's tests: forwards and backwards again, in and out of calls and of earlier
//! passes; the state shown must be that of another session that got there from the start.

use anyhow::{Context, bail};

use super::glmark2;
use super::record::{self, RecordedTrace};
use crate::process;

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Use only programs whose name contains STR.
    #[arg(long, value_name = "STR")]
    filter: Option<String>,
    /// Number of walks in each trace.
    #[arg(long, value_name = "N", default_value_t = WALKS)]
    walks: usize,
    /// Record again what was recorded before.
    #[arg(long)]
    again: bool,
}

/// Scenes of glmark2 for OpenGL ES 2, besides all of those for desktop GL.
const ES: &[&str] = &["glmark2-es2/terrain", "glmark2-es2/shadow", "glmark2-es2/refract"];

/// Walks of a whole run, with [`WALKS`] in each trace, that must cross into an earlier pass. Most traces have only one
/// pass; 136 of 1,328 walks crossed when this number was chosen.
const CROSSINGS: usize = 100;

/// Walks in each trace.
const WALKS: usize = 26;

/// A scene that draws nothing.
const EMPTY: &str = "glmark2/clear";

/// Records, walks, and prints how many traces passed.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let scenes: Vec<String> = glmark2::SCENES.iter().map(|scene| format!("glmark2/{scene}")).collect();
    let programs = record::DEMOS.iter().chain(ES).copied().chain(scenes.iter().map(String::as_str));
    let chosen = |name: &&str| *name != EMPTY && args.filter.as_ref().is_none_or(|filter| name.contains(filter));
    let wanted: Vec<&str> = programs.filter(chosen).collect();
    if wanted.is_empty() {
        bail!("no program's name contains {:?}", args.filter.as_deref().unwrap_or_default());
    }
    let (_, traces) = record::traces(&wanted, &|_| false, args.again)?;
    let (mut walked, mut crossed, mut failed) = (0, 0, Vec::new());
    for (number, trace) in traces.iter().enumerate() {
        println!("{} of {}: {}", number + 1, traces.len(), trace.name);
        match walk(trace, args.walks)? {
            Some([walks, through]) => {
                println!("  {walks} walks, {through} of them through an earlier pass");
                walked += walks;
                crossed += through;
            }
            None => failed.push(trace.name.as_str()),
        }
    }
    let held = traces.len() - failed.len();
    // A selection of traces may have no second pass.
    let least = if args.filter.is_some() { 0 } else { CROSSINGS * args.walks / WALKS };
    println!(
        "{held} of {} traces pass: {walked} walks, {crossed} of them through an earlier pass (at least {least} required)",
        traces.len()
    );
    if !failed.is_empty() {
        bail!("walks differ in {}", failed.join(", "));
    }
    if crossed < least {
        bail!("{crossed} of {walked} walks went through an earlier pass; at least {least} must");
    }
    Ok(())
}

/// Runs the debugger's walk tests on a trace; returns the numbers of walks, and of walks through an earlier pass. The
/// random choice does not always find enough invocations. `None` if something differs, which has then been printed.
fn walk(trace: &RecordedTrace, walks: usize) -> anyhow::Result<Option<[usize; 2]>> {
    let path = trace.trace.display().to_string();
    let name = format!("walks_{path}");
    let args = ["test", "--quiet", "--workspace", "--test", "laws", "--", "--exact", name.as_str()];
    let mut command = process::command("cargo", &args);
    command.env("RUST_BACKTRACE", "0").env("SESSION_WALKS", walks.to_string()).env("SESSION_TRACES", &path);
    let output = command.output()?;
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let counts = text.lines().find_map(|line| {
        let (walks, through) = line.strip_prefix(&path)?.strip_prefix(": ")?.split_once(" walks, ")?;
        Some([walks.parse().ok()?, through.split(' ').next()?.parse().ok()?])
    });
    if !output.status.success() {
        println!("{text}");
        return Ok(None);
    }
    counts.map(Some).with_context(|| format!("no walk through {path} was made: {text}"))
}
