//! `cargo xtask vscode`: checks, compiles and packages the extension for VS Code.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, bail};

use crate::{npm, process};

/// Options.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Only compile, without packaging.
    #[arg(long)]
    no_pack: bool,
}

/// The files of the package besides compiled ones.
const PARTS: &[&str] = &[
    "package.json",
    "README.md",
    ".vscodeignore",
    "media/picker.html",
    "media/picker.js",
    "syntaxes/glsl.language.json",
    "syntaxes/glsl.tmLanguage.json",
];

/// Builds the extension; returns its path.
pub fn run(args: &Args) -> anyhow::Result<String> {
    let source = process::root().join("editors/vscode");
    let tools = npm::install(&source.join("package.json"))?;
    let out = process::target_dir().join("vscode");
    if out.exists() {
        std::fs::remove_dir_all(&out)?;
    }
    for part in PARTS {
        copy(&source.join(part), &out.join(part))?;
    }
    copy(&process::root().join("LICENSE-MIT"), &out.join("LICENSE.txt"))?;
    // The compiler looks for types beside the sources; they are where the tools are.
    let types = tools.join("node_modules/@types");
    node(
        &tools,
        "typescript/bin/tsc",
        &source,
        &[
            "--project".as_ref(),
            ".".as_ref(),
            "--typeRoots".as_ref(),
            types.as_path(),
            "--outDir".as_ref(),
            out.join("out").as_path(),
        ],
    )?;
    if args.no_pack {
        return Ok(String::new());
    }
    let package = out.join("afterimage.vsix");
    node(
        &tools,
        "@vscode/vsce/vsce",
        &out,
        &[
            "package".as_ref(),
            "--no-dependencies".as_ref(),
            "--allow-missing-repository".as_ref(),
            "--out".as_ref(),
            package.as_path(),
        ],
    )?;
    let bytes = std::fs::metadata(&package).context("the package was not created")?.len();
    let shown = package.strip_prefix(process::root()).unwrap_or(&package).display().to_string();
    println!("{shown}: {bytes} bytes; install it with `code --install-extension {shown}`");
    Ok(format!("{shown}, {bytes} bytes"))
}

/// Runs an npm program.
fn node(tools: &Path, program: &str, folder: &Path, words: &[&Path]) -> anyhow::Result<()> {
    let program: PathBuf = tools.join("node_modules").join(program);
    let mut command = process::command("node", &[]);
    command.arg(&program).args(words).current_dir(folder).stdin(Stdio::null());
    command.env("NODE_PATH", tools.join("node_modules"));
    let status = command.status().context("cannot start Node; install Debian's package nodejs")?;
    if !status.success() {
        bail!("`{}` failed ({status})", program.display());
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    std::fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}
