//! `cargo xtask codegen`: writes tables of commands and enums, hooks and thunks, from the Khronos registry and
//! `crates/api/overlay.toml`.
//!
//! Three steps, one module each: [`parse`] reads the registry without interpreting it, [`resolve`] combines it with the
//! overlay into the commands of crate `api`, and [`emit`] writes those as Rust.

mod emit;
mod overlay;
mod parse;
mod resolve;
mod sources;

use std::collections::BTreeMap;

use anyhow::{Context, bail};

use crate::{files, process};

/// What to generate.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Change nothing; fail when a committed file differs from what would be generated.
    #[arg(long)]
    pub check: bool,
    /// List every pointer whose length neither the registry nor the overlay gives.
    #[arg(long)]
    pub unknown: bool,
}

/// The contents of files, by path relative to the root.
type Files = BTreeMap<String, String>;

/// Folders that contain only generated files.
const FOLDERS: &[&str] = &["crates/api/src/generated", "crates/capture/src/generated", "crates/driver/src/generated"];

/// Generates the files, or compares them with those that exist.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let registry = parse::registry(&sources::read()?)?;
    let overlay = overlay::read(&process::root().join("crates/api/overlay.toml"))?;
    let model = resolve::model(&registry, &overlay)?;
    let files = emit::files(&model);
    report(&model, args.unknown);
    let stale = stale(&files)?;
    if args.check {
        if !stale.is_empty() {
            bail!("{} generated files are stale; run `cargo xtask codegen`: {}", stale.len(), stale.join(" "));
        }
        return Ok(());
    }
    for path in &stale {
        let full = process::root().join(path);
        match files.get(path) {
            Some(text) => {
                if let Some(folder) = full.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                std::fs::write(&full, text).with_context(|| format!("cannot write {path}"))?;
            }
            None => std::fs::remove_file(&full).with_context(|| format!("cannot remove {path}"))?,
        }
    }
    println!("codegen: {} files, {} changed", files.len(), stale.len());
    Ok(())
}

/// Returns files that differ from what would be generated, and files that would not be generated.
fn stale(files: &Files) -> anyhow::Result<Vec<String>> {
    let root = process::root();
    let differs =
        |(path, text): &(&String, &String)| std::fs::read_to_string(root.join(path)).ok().as_ref() != Some(*text);
    let mut stale: Vec<String> = files.iter().filter(differs).map(|(path, _)| path.clone()).collect();
    for folder in FOLDERS.iter().map(|folder| root.join(folder)).filter(|folder| folder.is_dir()) {
        for path in files::below(&folder)? {
            let relative = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned();
            if !files.contains_key(&relative) {
                stale.push(relative);
            }
        }
    }
    Ok(stale)
}

fn report(model: &resolve::Model, list: bool) {
    let unknown = model.unknown();
    println!(
        "codegen: {} commands, {} parameters, {} enum names in {} groups, {} shapes of calls; {} pointers of unknown extent",
        model.commands.len(),
        model.commands.iter().map(|c| c.params.len()).sum::<usize>(),
        model.enums.len(),
        model.groups.len(),
        model.shapes.len(),
        unknown.len()
    );
    if list {
        unknown.iter().for_each(|(core, name)| println!("  {}{name}", if *core { "core " } else { "" }));
    }
}
