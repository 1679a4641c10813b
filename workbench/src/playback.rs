//! A session as WebAssembly under Node: it must show the same as natively with a driver.
//!
//! A demo is recorded, and a session on it runs natively with the driver of this machine; the driver's answers go to a tape.
//! Under Node the same session runs on the trace's bytes and the tape.

use std::path::Path;

use anyhow::{Context, ensure};
use host::{Host, OpenOptions};
use playback::{RecordingDevice, Tape, report};

use crate::{process, wasm};

/// Recorded programs with their arguments, and a pixel of each.
const DEMOS: &[(&[&str], (u32, u32))] = &[(&["deferred"], (48, 27)), (&["legacy"], (48, 27))];

/// Compares the reports, for `cargo xtask test`.
pub fn run() -> anyhow::Result<String> {
    let programs = process::build_product(false)?;
    wasm::build(wasm::WASI, &["--package", "playback"])?;
    let folder = process::target_dir().join("playback");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut lines = 0;
    for (demo, pixel) in DEMOS {
        lines += compare(demo, *pixel, &programs, &folder).with_context(|| format!("demo {}", demo[0]))?;
    }
    Ok(format!("{} demos, {lines} lines are the same under Node", DEMOS.len()))
}

/// Compares the reports about one demo, and returns the number of their lines.
fn compare(demo: &[&str], pixel: (u32, u32), programs: &Path, folder: &Path) -> anyhow::Result<usize> {
    let (trace, tape_file) = (folder.join("demo.aftr"), folder.join("tape.json"));
    record(demo, programs, &trace)?;
    let host = Host::with_program(programs.join("afterimage"));
    let tape = Tape::default();
    let device = host.pool(&OpenOptions::new(&trace))?.device();
    let device = RecordingDevice::new(Box::new(device), tape.clone());
    let native = report(&host.trace(&trace)?, Box::new(device), pixel)?;
    ensure!(native.contains("\"measured\":\""), "the driver measured nothing:\n{native}");
    std::fs::write(&tape_file, tape.to_bytes()?).with_context(|| format!("cannot write {}", tape_file.display()))?;
    let program = wasm::folder(wasm::WASI).join("playback.wasm");
    let (x, y) = (pixel.0.to_string(), pixel.1.to_string());
    let there = wasm::run(&program, folder, &["/demo.aftr", "/tape.json", &x, &y], "")?;
    for (at, (native, node)) in native.lines().zip(there.lines()).enumerate() {
        ensure!(native == node, "line {} differs\nnatively: {native}\nin Node:  {node}", at + 1);
    }
    let (count, node) = (native.lines().count(), there.lines().count());
    ensure!(count == node, "the report has {count} lines natively and {node} under Node");
    println!("{}: {count} lines, {} questions to the driver", demo[0], tape.len());
    Ok(count)
}

fn record(demo: &[&str], programs: &Path, trace: &Path) -> anyhow::Result<()> {
    // A trace of an earlier run; `record` does not overwrite it.
    if trace.exists() {
        std::fs::remove_file(trace).with_context(|| format!("cannot delete {}", trace.display()))?;
    }
    let (recorder, program) = (programs.join("afterimage"), programs.join(demo[0]));
    let paths = [&recorder, trace, &program].map(|path| path.to_string_lossy().into_owned());
    let mut args = vec!["record", "-q", "-o", &paths[1], "--", &paths[2]];
    args.extend(&demo[1..]);
    args.extend(["--frames", "2", "--size", "96x54"]);
    process::run(&paths[0], &args)
}
