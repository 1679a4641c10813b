//! `cargo xtask wasm`: crates and programs as WebAssembly, built, and run under Node.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::{playback, process, setup};

/// Without an operating system, as in a browser.
pub const BROWSER: &str = "wasm32-unknown-unknown";

/// With files, arguments and standard streams.
pub const WASI: &str = "wasm32-wasip1";

/// Crates that must build without an operating system.
const CRATES: &[&str] = &[
    "api",
    "assembly",
    "chronicle",
    "device",
    "emulator",
    "fixed",
    "inquiry",
    "instrument",
    "lanes",
    "moment",
    "open_trace",
    "pipeline",
    "raster",
    "recall",
    "reenact",
    "replay",
    "runner",
    "session",
    "shader",
    "state",
    "texture",
    "trace",
    "verdict",
];

/// Runs a WASI program with standard input and output, and one folder as its root.
const NODE: &str = "
const { WASI } = require('node:wasi');
const [program, folder, ...args] = process.argv.slice(1);
const wasi = new WASI({ version: 'preview1', args: [program, ...args], preopens: { '/': folder }, returnOnExit: true });
WebAssembly.instantiate(require('node:fs').readFileSync(program), wasi.getImportObject())
    .then(({ instance }) => process.exit(wasi.start(instance)));
";

/// Builds all crates that must build, and compares a session under Node with a native one.
pub fn run_all() -> anyhow::Result<()> {
    println!("built for {BROWSER}: {}", build_crates()?);
    println!("{}", playback::run()?);
    Ok(())
}

/// Builds the crates that must build without an operating system, and returns their names.
pub fn build_crates() -> anyhow::Result<String> {
    let args: Vec<&str> = CRATES.iter().flat_map(|name| ["--package", name]).collect();
    build(BROWSER, &args)?;
    Ok(CRATES.join(", "))
}

/// Builds packages for a target; `args` are further arguments of `cargo build`.
pub fn build(target: &str, args: &[&str]) -> anyhow::Result<()> {
    run_cargo(&mut cargo(target, args)?)
}

fn cargo(target: &str, args: &[&str]) -> anyhow::Result<Command> {
    process::add_target(target)?;
    // zstd is C, which GCC does not compile to WebAssembly.
    setup::ensure(&["clang"])?;
    let mut command = process::command("cargo", &["build", "--quiet", "--target", target]);
    // What is built runs for seconds, if at all: optimising it takes three times as long as building it.
    command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
    // Most of these builds are the only one in their folder, and no debugger looks at them.
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "false");
    let suffix = target.replace('-', "_");
    command.args(args).env(format!("CC_{suffix}"), "clang");
    // Crate `zstd-sys` brings the headers that it needs; this machine's are for another platform.
    command.env(format!("CFLAGS_{suffix}"), "-nostdlibinc");
    Ok(command)
}

fn run_cargo(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().context("cannot start cargo")?;
    if !status.success() {
        let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
        bail!("`cargo {}` failed ({status})", args.join(" "));
    }
    Ok(())
}

/// Returns the folder of what [`build`] builds.
pub fn folder(target: &str) -> PathBuf {
    process::target_dir().join(target).join("debug")
}

/// Runs a WASI program under Node and returns its output. `folder` is its root folder.
pub fn run(program: &Path, folder: &Path, args: &[&str], input: &str) -> anyhow::Result<String> {
    let mut child = process::command("node", &["--no-warnings", "-e", NODE])
        .arg(program)
        .arg(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start Node; install Debian's package nodejs")?;
    let mut pipe = child.stdin.take().context("Node has no stdin")?;
    let input = input.to_owned();
    let feeder = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output()?;
    let fed = feeder.join().ok().context("the thread that writes to Node failed")?;
    if !output.status.success() {
        bail!("Node exited with {}", output.status);
    }
    fed.context("Node did not read its input")?;
    Ok(String::from_utf8(output.stdout)?)
}
