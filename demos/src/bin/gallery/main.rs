//! Shaders of other programs, drawn with inputs that are made up: a torus per pair of shaders, one frame each.
//!
//! Engines write shaders of thousands of lines. This program draws those without the engine: it asks GL for the inputs of
//! each program, and chooses values by type and name.

mod inputs;
mod textures;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use clap::Parser;
use demos::mesh::Mesh;
use demos::options::Size;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

use inputs::Inputs;

/// Draws a torus with each pair of shaders in a folder (`NAME.vert` and `NAME.frag`), with made-up inputs; one frame per
/// pair, in the order of the names.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// Folder with the shaders.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Use OpenGL with the compatibility profile, for desktop GLSL, instead of OpenGL ES 3.0.
    #[arg(long)]
    desktop: bool,
}

/// A program with its inputs.
struct Exhibit {
    name: String,
    program: u32,
    inputs: Inputs,
}

fn main() -> ExitCode {
    let mut cli = Cli::parse();
    let pairs = match pairs(&cli.folder) {
        Ok(pairs) => pairs,
        Err(error) => {
            eprintln!("gallery: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    cli.options.frames = u32::try_from(pairs.len()).unwrap_or(u32::MAX);
    let kind = if cli.desktop { ContextKind::Compatibility(3, 0) } else { ContextKind::Es(3, 0) };
    play("gallery", kind, &cli.options, |stage| {
        let exhibits: Vec<Option<Exhibit>> = pairs.iter().map(|pair| exhibit(&stage.gl, pair)).collect();
        ensure!(exhibits.iter().any(Option::is_some), "the driver links no pair");
        let torus = Mesh::torus(48, 24, 0.6, 0.25);
        Ok(move |stage: &Stage, frame: u32| {
            show(stage, exhibits[frame as usize % exhibits.len()].as_ref(), &torus);
            Ok(())
        })
    })
}

/// Returns the paths of all pairs in a folder, without their extensions, sorted.
fn pairs(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    let is_pair =
        |path: &PathBuf| path.extension().is_some_and(|e| e == "vert") && path.with_extension("frag").is_file();
    let mut pairs: Vec<PathBuf> = files.into_iter().filter(is_pair).map(|path| path.with_extension("")).collect();
    pairs.sort();
    ensure!(!pairs.is_empty(), "{} has no pair of files NAME.vert and NAME.frag", folder.display());
    Ok(pairs)
}

/// Makes a program; one that cannot be made is reported, and its frame stays empty.
fn exhibit(gl: &Gl, pair: &Path) -> Option<Exhibit> {
    let name = pair.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let made = link(gl, pair).and_then(|program| Ok((program, Inputs::of(gl, program)?)));
    match made {
        Ok((program, inputs)) => Some(Exhibit { name, program, inputs }),
        Err(error) => {
            eprintln!("gallery: {name} is not drawn: {error:#}");
            None
        }
    }
}

fn link(gl: &Gl, pair: &Path) -> anyhow::Result<u32> {
    let read = |extension| {
        let path = pair.with_extension(extension);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    program::link(gl, &read("vert")?, &read("frag")?, &[])
}

fn show(stage: &Stage, exhibit: Option<&Exhibit>, torus: &Mesh) {
    let gl = &stage.gl;
    let Size { width, height } = stage.size;
    gl.Viewport(0, 0, width, height);
    gl.ClearColor(0.1, 0.1, 0.15, 1.);
    gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT);
    gl.Enable(gl::DEPTH_TEST);
    // Passes that fill the background draw at the far plane.
    gl.DepthFunc(gl::LEQUAL);
    let Some(exhibit) = exhibit else { return };
    gl.mark(&exhibit.name);
    gl.UseProgram(exhibit.program);
    exhibit.inputs.bind(gl, torus, [width as f32, height as f32]);
    gl.draw_indexed(gl::TRIANGLES, torus.indices.len() as i32, gl::UNSIGNED_SHORT, 0);
}
