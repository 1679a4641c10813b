//! Probes: files of small shaders with a browser's verdict, one rule each.
//!
//! A probe starts with a line `== NAME STAGE CONTEXT accept|refuse`; its source goes up to the next such line.

use std::path::Path;

use anyhow::{Context, bail};
use shader::version::Stage;

use super::Shader;

/// Returns all probes in the `.txt` files of a folder.
pub fn read(folder: &Path) -> anyhow::Result<Vec<Shader>> {
    let mut files = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "txt") {
            files.push(path);
        }
    }
    files.sort_unstable();
    let mut shaders: Vec<Shader> = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        let group = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let first = shaders.len();
        for line in text.lines() {
            if let Some(header) = line.strip_prefix("== ") {
                shaders.push(head(header, &group)?);
            } else if let Some(shader) = shaders[first..].last_mut() {
                shader.text.push_str(line);
                shader.text.push('\n');
            }
        }
    }
    Ok(shaders)
}

fn head(header: &str, group: &str) -> anyhow::Result<Shader> {
    let words: Vec<&str> = header.split_whitespace().collect();
    let [name, stage, context, expect] = words[..] else { bail!("`{header}` is not the header of a probe") };
    let stage = match stage {
        "vertex" => Stage::Vertex,
        "fragment" => Stage::Fragment,
        _ => bail!("`{stage}` is not a stage of WebGL"),
    };
    let context = context.parse().ok().filter(|c| (1..=2).contains(c)).context("the WebGL version must be 1 or 2")?;
    let expect = match expect {
        "accept" => true,
        "refuse" => false,
        _ => bail!("`{expect}` is neither `accept` nor `refuse`"),
    };
    Ok(Shader {
        name: name.to_owned(),
        group: group.to_owned(),
        context,
        stage,
        text: String::new(),
        expect: Some(expect),
    })
}
