//! `cargo xtask corpus glmark2`: the shaders of a real program. Its files are templates, so apitrace dumps the strings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use driver::{Api, Includes};
use shader::version::Stage;

use super::case::{Answer, Case, Expect, Linking, Source};
use super::glsl::judge_all;
use super::mesa;
use super::ratchet::{Ratchet, Share};
use super::report::percent;
use crate::{process, setup};

/// Options.
#[derive(clap::Args)]
pub struct Args {
    /// Run glmark2 again even if its shaders were dumped before.
    #[arg(long)]
    again: bool,
    /// Write today's numbers to corpus/ratchet.toml.
    #[arg(long)]
    update_ratchet: bool,
}

/// Scenes with the options that change their shaders.
pub const SCENES: &[&str] = &[
    "build:use-vbo=false",
    "build:use-vbo=true",
    "texture:texture-filter=nearest",
    "texture:texture-filter=linear",
    "texture:texture-filter=mipmap",
    "texture:texture-gen=true",
    "shading:shading=gouraud",
    "shading:shading=blinn-phong-inf",
    "shading:shading=phong",
    "shading:shading=phong:num-lights=5",
    "shading:shading=cel",
    "bump:bump-render=off",
    "bump:bump-render=high-poly",
    "bump:bump-render=normals",
    "bump:bump-render=normals-tangent",
    "bump:bump-render=height",
    "bump:bump-render=height-tangent",
    "effect2d:kernel=0,1,0;1,-4,1;0,1,0;",
    "effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;",
    "effect2d:kernel=blur",
    "effect2d:kernel=edge",
    "pulsar:light=false:quads=5:texture=false",
    "pulsar:light=true:quads=5:texture=true",
    "desktop:effect=blur:blur-radius=5:passes=1:separable=true:windows=4",
    "desktop:effect=blur:blur-radius=3:passes=1:separable=false:windows=4",
    "desktop:effect=shadow:windows=4",
    "buffer:columns=200:interleave=false:update-dispersion=0.9:update-fraction=0.5:update-method=map",
    "buffer:columns=200:interleave=true:update-dispersion=0.9:update-fraction=0.5:update-method=subdata",
    "ideas:speed=duration",
    "jellyfish",
    "terrain",
    "shadow",
    "refract",
    "clear",
    "conditionals:fragment-steps=0:vertex-steps=0",
    "conditionals:fragment-steps=5:vertex-steps=5",
    "conditionals:fragment-conditionals=false:fragment-steps=5:vertex-conditionals=false:vertex-steps=5",
    "function:fragment-complexity=low:fragment-steps=5",
    "function:fragment-complexity=medium:fragment-steps=5:vertex-complexity=medium:vertex-steps=5",
    "function:fragment-function=false:fragment-steps=5:vertex-function=false:vertex-steps=5",
    "loop:fragment-loop=false:fragment-steps=5:vertex-steps=5",
    "loop:fragment-loop=true:fragment-steps=5:fragment-uniform=false:vertex-steps=5:vertex-uniform=false",
    "loop:fragment-loop=true:fragment-steps=5:fragment-uniform=true:vertex-loop=true:vertex-steps=5:vertex-uniform=true",
];

/// Returns the shaders of both builds of glmark2, dumping them if needed.
pub fn cases(again: bool) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for (program, api) in [("glmark2", Api::DesktopCompatibility), ("glmark2-es2", Api::Es)] {
        let folder = process::corpus_dir().join("glmark2").join(program);
        if again || !folder.is_dir() {
            dump(program, &folder)?;
        }
        cases.extend(read(program, &folder, api)?);
    }
    Ok(cases)
}

/// Checks that we accept all shaders.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let cases = cases(args.again)?;
    let borrowed: Vec<&Case> = cases.iter().collect();
    // The program ran, so its driver accepted every string; one that it rejects now was damaged by the dump.
    if let Some(at) = mesa::judge(&borrowed)?.verdicts.iter().position(|v| v.answer != Answer::Accepted) {
        bail!("Mesa rejects {}, so the dump is damaged; run again with --again", cases[at].name);
    }
    let mut accepted = Share::default();
    for (case, (verdict, _)) in cases.iter().zip(judge_all(&borrowed)?) {
        let right = verdict.answer == Answer::Accepted;
        accepted.add(right);
        if !right {
            println!("{}: {} {}", case.name, verdict.answer.name(), verdict.log);
        }
    }
    println!("glmark2's shaders accepted  {}", percent(accepted));
    Ratchet::read()?.settle("glmark2", &[("accepted", accepted)], args.update_ratchet)
}

fn read(program: &str, folder: &Path, api: Api) -> anyhow::Result<Vec<Case>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?.filter_map(|e| Some(e.ok()?.path())).collect();
    files.sort_unstable();
    let mut cases = Vec::new();
    for path in files {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(stage) = name.rsplit_once('.').and_then(|(_, e)| Stage::from_extension(e)) else { continue };
        cases.push(Case {
            name: format!("{program}/{name}"),
            group: program.to_owned(),
            shaders: vec![Source { stage, strings: vec![std::fs::read_to_string(&path)?] }],
            linking: Linking::No,
            expect: Expect::Pass,
            api,
            glsl: if api == Api::Es { 100 } else { 110 },
            requires: Vec::new(),
            absent: Vec::new(),
            limits: Vec::new(),
            geometry_input: None,
            includes: Includes::default(),
        });
    }
    if cases.is_empty() {
        bail!("{} contains no shaders; run again with --again", folder.display());
    }
    Ok(cases)
}

/// Runs the scenes under apitrace and writes each distinct shader to its own file.
fn dump(program: &str, folder: &Path) -> anyhow::Result<()> {
    setup::ensure(&["apitrace", "glmark2-x11", "glmark2-es2-x11", "xvfb", "xauth", "libgl1-mesa-dri"])?;
    println!("running {program} under apitrace");
    let work = process::corpus_dir().join("glmark2");
    std::fs::create_dir_all(&work)?;
    let trace = work.join(format!("{program}.trace"));
    let trace_name = trace.to_string_lossy().into_owned();
    let api = if program == "glmark2" { "gl" } else { "egl" };
    let mut arguments: Vec<String> =
        ["-a", "apitrace", "trace", "--api", api, "-o", &trace_name, program, "--size", "32x32"]
            .map(str::to_owned)
            .into();
    for scene in SCENES {
        arguments.extend(["-b".to_owned(), format!("{scene}:duration=0.01")]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    process::output("xvfb-run", &arguments)?;
    let text = process::output("apitrace", &["dump", "--color=never", &trace_name])?;
    let shaders = sources(&text)?;
    std::fs::remove_file(&trace)?;
    if shaders.is_empty() {
        bail!("apitrace recorded no shader of {program}");
    }
    // Written to a temporary folder and renamed, so that an incomplete dump is never taken for a complete one.
    let partial = work.join(format!("{program}.partial"));
    std::fs::create_dir_all(&partial)?;
    for (index, (stage, text)) in shaders.iter().enumerate() {
        std::fs::write(partial.join(format!("{index:03}.{}", stage.extension())), text)?;
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::rename(&partial, folder)?;
    Ok(())
}

/// Returns every distinct source passed to glShaderSource in a dump, with the stage of its shader.
fn sources(dump: &str) -> anyhow::Result<Vec<(Stage, String)>> {
    let mut stages = std::collections::BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut rest = dump;
    loop {
        let create = rest.find("glCreateShader(type = ");
        let source = rest.find("glShaderSource(shader = ");
        match (create, source) {
            (Some(at), source) if source.is_none_or(|s| at < s) => {
                rest = &rest[at + "glCreateShader(type = ".len()..];
                let (kind, after) = rest.split_once(") = ").context("a glCreateShader call has no result")?;
                let name: String = after.chars().take_while(char::is_ascii_digit).collect();
                let stage = match kind {
                    "GL_VERTEX_SHADER" => Stage::Vertex,
                    "GL_FRAGMENT_SHADER" => Stage::Fragment,
                    other => bail!("glmark2 created a shader of unexpected type {other}"),
                };
                stages.insert(name, stage);
            }
            (_, Some(at)) => {
                rest = &rest[at + "glShaderSource(shader = ".len()..];
                let name: String = rest.chars().take_while(char::is_ascii_digit).collect();
                let (_, after) =
                    rest.split_once("string = &\"").context("a glShaderSource call does not have one string")?;
                let (text, after) = after.split_once("\", length = ").context("a glShaderSource string has no end")?;
                rest = after;
                let stage = *stages.get(&name).context("glShaderSource names an unknown shader")?;
                let text = text.replace("\\\"", "\"").replace("\\\\", "\\");
                if seen.insert((stage, text.clone())) {
                    found.push((stage, text));
                }
            }
            (_, None) => return Ok(found),
        }
    }
}
