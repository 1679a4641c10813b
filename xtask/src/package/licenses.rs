//! The licenses of third-party crates whose code is in the programs of a package.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Context, Error, Result};
use crate::process;

/// Beginnings of the names of files with licenses and notices.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// Returns the names of all crates with their licenses, and every text once.
pub fn text() -> Result<String> {
    let mut args = vec!["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}\t{l}"];
    args.extend(process::PRODUCT);
    let tree = process::output("cargo", &args)?;
    let metadata = process::output("cargo", &["metadata", "--format-version", "1"])?;
    let manifests: Vec<&str> =
        metadata.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut crates: BTreeMap<String, &str> = BTreeMap::new();
    for line in tree.lines() {
        // A crate that was listed before ends with a mark; crates of this workspace have a path.
        let Some((name, license)) = line.trim_end_matches(" (*)").split_once('\t') else { continue };
        let mut words = name.split_whitespace();
        if let (Some(name), Some(version), false) = (words.next(), words.next(), name.contains('/')) {
            crates.insert(format!("{name}-{}", version.trim_start_matches('v')), license);
        }
    }
    let mut texts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in crates.keys() {
        let manifest = manifests.iter().find(|path| path.ends_with(&format!("/{name}/Cargo.toml")));
        let folder = manifest.and_then(|path| Path::new(path).parent());
        let folder = folder.ok_or_else(|| Error::new(format!("cargo metadata does not list {name}")))?;
        for file in license_files(folder)? {
            let text = String::from_utf8_lossy(&fs::read(&file).context(file.display())?).trim().to_owned();
            texts.entry(text).or_default().push(name);
        }
    }
    let mut out =
        "Crates from crates.io in the programs of this package, and the licenses that their authors give:\n\n"
            .to_owned();
    for (name, license) in &crates {
        out += &format!("{name}: {license}\n");
    }
    for (text, names) in texts {
        out += &format!("\n{}\n{}\n\n{text}\n", "-".repeat(100), names.join(", "));
    }
    Ok(out)
}

fn license_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).context(folder.display())? {
        let path = entry.context(folder.display())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_file() && NAMES.iter().any(|beginning| name.starts_with(beginning)) {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}
