//! `cargo xtask wheel`: the Python package.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::{process, setup};

/// The package, which other steps leave out: only maturin builds it, so that what it needs of Python is built once.
pub const PACKAGE: &str = "afterimage-python";

/// What builds wheels: the version that CI uses.
const MATURIN: &str = "maturin==1.16.0";

/// What the tests of the package need besides.
const NUMPY: &str = "numpy";

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Build without optimisation, from the crates that tests have built.
    #[arg(long)]
    pub dev: bool,
}

/// Builds the wheel, and prints its path.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let wheel = build(args.dev)?;
    println!("{}", wheel.display());
    Ok(())
}

/// Builds the wheel, installs it into a fresh environment and runs its tests. Returns the size of the wheel.
pub fn test() -> anyhow::Result<String> {
    process::run("cargo", &["clippy", "--package", PACKAGE, "--", "--deny", "warnings"])?;
    let programs = process::build_product(false)?;
    let wheel = build(true)?;
    let environment = environment("test", NUMPY)?;
    let python = environment.join("bin/python");
    let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall", "--no-deps"];
    let mut install = Command::new(&python);
    checked(install.args(words).arg(&wheel), "pip")?;
    let mut tests = Command::new(&python);
    tests.arg(process::root().join("bindings/python/tests/test_package.py"));
    tests
        .env("AFTERIMAGE_PROGRAMS", programs)
        .env("AFTERIMAGE_ROOT", process::root())
        .env("PYTHONDONTWRITEBYTECODE", "1");
    checked(&mut tests, "the tests of the Python package")?;
    let size = std::fs::metadata(&wheel)?.len() as f64 / f64::from(1 << 20);
    Ok(format!("{} ({size:.1} MB)", wheel.file_name().unwrap_or_default().display()))
}

fn build(dev: bool) -> anyhow::Result<PathBuf> {
    let maturin = environment("maturin", MATURIN)?.join("bin/maturin");
    let (profile, folder) = if dev { ("dev", "debug") } else { ("release", "release") };
    if dev {
        process::build_product(false)?;
    } else {
        // Together, so that the crates have the features that maturin's build asks for.
        process::run("cargo", &["build", "--release", "--package", "afterimage-c", "--package", PACKAGE, "--bins"])?;
    }
    // The package's own folder is where maturin takes files from.
    let package = process::root().join("bindings/python");
    let worker = package.join("python/afterimage/afterimage-worker");
    std::fs::copy(process::target_dir().join(folder).join("afterimage-worker"), &worker)
        .with_context(|| format!("cannot write {}", worker.display()))?;
    if !dev {
        // Tables for debuggers are most of a release; only people who build it themselves use them.
        process::run("strip", &[path(&worker)?])?;
    }
    let out = process::target_dir().join("python/wheels").join(folder);
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    let mut command = Command::new(maturin);
    command.args(["build", "--quiet", "--profile", profile, "--out"]).arg(&out);
    command.args((!dev).then_some("--strip")).arg("--target-dir").arg(process::target_dir()).current_dir(&package);
    checked(&mut command, "maturin")?;
    let mut wheels = std::fs::read_dir(&out)?.filter_map(|entry| Some(entry.ok()?.path()));
    wheels.next().context("maturin wrote no wheel")
}

/// Returns a virtual environment below `target` that has a package installed, made on first use.
fn environment(name: &str, package: &str) -> anyhow::Result<PathBuf> {
    let folder = process::target_dir().join("python").join(name);
    let done = folder.join("installed");
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == package) {
        return Ok(folder);
    }
    // Debian's Python has its parts in several packages.
    if process::output("python3", &["-c", "import venv, ensurepip"]).is_err() {
        setup::ensure(&["python3", "python3-venv"])?;
    }
    let path = path(&folder)?;
    process::run("python3", &["-m", "venv", "--clear", path])?;
    let words = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", package];
    checked(Command::new(folder.join("bin/python")).args(words), "pip")?;
    std::fs::write(done, package)?;
    Ok(folder)
}

fn checked(command: &mut Command, what: &str) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot start {what}"))?;
    if !status.success() {
        bail!("{what} failed ({status})");
    }
    Ok(())
}

fn path(path: &Path) -> anyhow::Result<&str> {
    path.to_str().context("the path of the build folder is not valid UTF-8")
}
