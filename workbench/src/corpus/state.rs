//! `cargo xtask corpus state`: compares a driver with the model by all queries, at random commands of real traces.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use super::ratchet::{Ratchet, Share};
use super::{pool, record};

/// The programs whose traces are examined, besides the demos.
const PROGRAMS: &[&str] = &[
    "gears/glxgears",
    "gears/es2gears_x11",
    "glmark2/build:use-vbo=false",
    "glmark2/texture:texture-filter=mipmap",
    "glmark2/shading:shading=phong",
    "glmark2/desktop:effect=shadow:windows=4",
    "glmark2/buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=map",
    "glmark2/shadow",
    "glmark2/refract",
    "glmark2-es2/bump:bump-render=normals",
    "glmark2-es2/jellyfish",
    "glmark2-es2/terrain",
    "piglit/spec@arb_shader_image_load_store@qualifiers",
    "piglit/spec@nv_primitive_restart@primitive-restart-draw-mode-line_strip",
    "piglit/shaders@glsl-reload-source",
    "piglit/spec@arb_framebuffer_object@fbo-generatemipmap-cubemap s3tc_dxt1",
];

/// Numbers about texels in reports.
const TEXELS: [&str; 5] = ["compared", "equal", "by_gpu", "looks", "changes"];

/// Those that `cargo xtask test` examines.
const CI_FILTER: &str = "demos/";

/// Which programs to compare, and what to do with the results.
#[derive(clap::Args, Default)]
pub struct Common {
    /// Use only programs whose name contains STR.
    #[arg(long, value_name = "STR")]
    pub filter: Option<String>,
    /// Record all programs again.
    #[arg(long)]
    pub again: bool,
    /// Number of kinds of differences to show.
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub show: usize,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    pub update_ratchet: bool,
}

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Also use programs of piglit whose name contains STR.
    #[arg(long, value_name = "STR")]
    piglit: Option<String>,
    /// Number of commands of each trace.
    #[arg(long, value_name = "N", default_value_t = 50)]
    samples: usize,
    /// Seed of the random choice of commands.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// A class of differences: how often, and an example.
#[derive(Default)]
struct DifferenceClass {
    times: u64,
    traces: u64,
    example: String,
}

/// The sums over all traces.
#[derive(Default)]
struct Sums {
    asked: u64,
    equal: u64,
    unknown: u64,
    texels: [u64; 5],
    kinds: BTreeMap<String, DifferenceClass>,
}

impl Sums {
    /// Prints the numbers of a trace and adds them.
    fn add(&mut self, name: &str, report: &Value) {
        let driver = &report["driver"];
        let number = |key: &str| driver[key].as_u64().unwrap_or(0);
        println!(
            "{:60} {:3} places {:8} queried {:8} different {:6} unknown",
            name.chars().take(60).collect::<String>(),
            number("places"),
            number("asked"),
            number("different"),
            number("unknown")
        );
        for (sum, key) in self.texels.iter_mut().zip(TEXELS) {
            *sum += driver["texels"][key].as_u64().unwrap_or(0);
        }
        self.asked += number("asked");
        self.equal += number("equal");
        self.unknown += number("unknown");
        for difference in driver["differences"].as_array().into_iter().flatten() {
            let kind = self.kinds.entry(difference["query"].as_str().unwrap_or_default().to_owned()).or_default();
            kind.times += difference["times"].as_u64().unwrap_or(0);
            kind.traces += 1;
            if kind.example.is_empty() {
                kind.example = format!("{name}: {}", difference["text"].as_str().unwrap_or_default());
            }
        }
        for unmodelled in report["unmodelled"].as_array().into_iter().flatten() {
            let key = format!("not modelled: {}", unmodelled["name"].as_str().unwrap_or_default());
            let kind = self.kinds.entry(key).or_default();
            kind.times += unmodelled["calls"].as_u64().unwrap_or(0);
            kind.traces += 1;
        }
    }
}

/// Compares all traces.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let wanted = programs(args.common.filter.as_deref());
    let piglit =
        |program: &record::Program| args.piglit.as_ref().is_some_and(|part| program.name.contains(part.as_str()));
    let (afterimage, traces) = record::traces(&wanted, &piglit, args.common.again)?;
    let reports = pool::each(
        &traces,
        2,
        || (),
        |(), kept| {
            report(
                &afterimage,
                &kept.trace,
                &["--driver", "--samples", &args.samples.to_string(), "--seed", &args.seed.to_string()],
            )
        },
    )?;
    let mut sums = Sums::default();
    for (kept, report) in traces.iter().zip(&reports) {
        match report {
            Ok(report) => sums.add(&kept.name, report),
            Err(reason) => {
                println!("{:60} {reason}", kept.name);
                sums.kinds.entry("no report".to_owned()).or_default().times += 1;
            }
        }
    }
    let Sums { asked, equal, unknown, texels, kinds } = sums;
    println!("{asked} questions, {equal} equal, {} different, {unknown} unknown", asked - equal - unknown);
    let [compared, same, by_gpu, looks, changes] = texels;
    println!("{compared} texels in the trace, {same} equal to the driver's; {by_gpu} that only a driver knows");
    println!("{looks} images read back again, {changes} of them changed");
    let mut sorted: Vec<_> = kinds.iter().collect();
    sorted.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.times));
    for (name, kind) in sorted.iter().take(args.common.show) {
        println!("{:8} in {:2} traces  {name}\n           {}", kind.times, kind.traces, kind.example);
    }
    if asked == 0 {
        bail!("no query could be made");
    }
    let all = args.common.filter.as_deref().is_none_or(|filter| filter == CI_FILTER);
    if all && (compared == 0 || changes == 0) {
        bail!("no texels could be compared");
    }
    let share = Share { right: equal as usize, total: asked as usize };
    let texels = Share { right: same as usize, total: compared as usize };
    if args.common.filter.is_none() && args.piglit.is_none() {
        Ratchet::read()?.settle("state", &[("equal", share), ("texels", texels)], args.common.update_ratchet)?;
    }
    if asked != equal + unknown || !kinds.is_empty() {
        bail!("model and driver differ");
    }
    Ok(())
}

/// Runs a few commands of the demos, for `cargo xtask test`: state queries, and images with skipped execution.
pub fn run_sample() -> anyhow::Result<()> {
    let filter = Some(CI_FILTER.to_owned());
    let common = Common { filter: filter.clone(), again: true, show: 40, ..Common::default() };
    run(&Args { common, samples: 6, seed: 1, ..Args::default() })?;
    super::skip::run(&super::skip::Args { filter, samples: 5, seed: 1, again: false })
}

/// Returns the programs, or those whose name contains a filter.
pub fn programs(filter: Option<&str>) -> Vec<&'static str> {
    PROGRAMS
        .iter()
        .chain(record::DEMOS)
        .copied()
        .filter(|name| filter.is_none_or(|filter| name.contains(filter)))
        .collect()
}

/// Returns the output of `afterimage report` for a trace; an error message when it prints none.
pub fn report(afterimage: &Path, trace: &Path, options: &[&str]) -> anyhow::Result<Result<Value, String>> {
    let output = Command::new(afterimage)
        .arg("report")
        .arg(trace)
        .arg("--json")
        .args(options)
        .output()
        .with_context(|| format!("cannot start {}", afterimage.display()))?;
    if output.stdout.is_empty() {
        return Ok(Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let value = serde_json::from_slice(&output.stdout).context("afterimage report did not print JSON")?;
    if output.status.code().is_none() {
        bail!("afterimage report was killed");
    }
    Ok(Ok(value))
}
