//! The programs to record.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;

use crate::corpus::glmark2;
use crate::process;

/// The origin of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Group {
    /// glxgears and es2gears.
    Gears,
    /// Every scene of glmark2 on desktop GL.
    Glmark2,
    /// Every scene of glmark2 on OpenGL ES 2.
    Glmark2Es2,
    /// The programs of this repository.
    Demos,
    /// Piglit's C programs.
    Piglit,
}

impl Group {
    /// All groups.
    pub const ALL: [Group; 5] = [Group::Gears, Group::Glmark2, Group::Glmark2Es2, Group::Demos, Group::Piglit];

    /// Returns its name on the command line and in the ratchet.
    pub fn name(self) -> &'static str {
        match self {
            Group::Gears => "gears",
            Group::Glmark2 => "glmark2",
            Group::Glmark2Es2 => "glmark2-es2",
            Group::Demos => "demos",
            Group::Piglit => "piglit",
        }
    }
}

/// A program with its arguments.
#[derive(Clone, Debug)]
pub struct Program {
    /// `group/name`.
    pub name: String,
    /// Its origin.
    pub group: Group,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Additional environment variables.
    pub variables: Vec<(&'static str, String)>,
    /// How it ends.
    pub ends: Ends,
}

/// How a program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// By itself.
    ByItself,
    /// By SIGTERM, after this time.
    AfterSigterm(Duration),
}

impl Program {
    /// Returns the file name of the program.
    pub fn file_name(&self) -> String {
        let first = self.command.first().map(Path::new).and_then(Path::file_name);
        first.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Returns the gears programs, which run until they are stopped.
pub fn gears() -> Vec<Program> {
    let gears = |name: &str| Program {
        name: format!("gears/{name}"),
        group: Group::Gears,
        command: vec![name.to_owned()],
        variables: Vec::new(),
        ends: Ends::AfterSigterm(Duration::from_secs(4)),
    };
    vec![gears("glxgears"), gears("es2gears_x11")]
}

/// Returns every scene of one build of glmark2, with the options that make a difference.
pub fn glmark2(group: Group) -> anyhow::Result<Vec<Program>> {
    let binary = group.name();
    let known = process::output(binary, &["--list-scenes"])?;
    let scenes = known.lines().filter_map(|line| line.strip_prefix("[Scene] "));
    // A scene that this version has and the list does not is run without options.
    let unlisted = scenes.filter(|scene| !glmark2::SCENES.iter().any(|listed| listed.split(':').next() == Some(scene)));
    let all = glmark2::SCENES.iter().copied().chain(unlisted);
    Ok(all
        .map(|scene| Program {
            name: format!("{binary}/{scene}"),
            group,
            command: [binary, "--size", "320x240", "-b", &format!("{scene}:nframes=6")].map(str::to_owned).into(),
            variables: Vec::new(),
            ends: Ends::ByItself,
        })
        .collect())
}

/// Builds and returns the demos; off-screen, and two of them also in a window.
pub fn demos() -> anyhow::Result<Vec<Program>> {
    let folder = process::build_product(false)?;
    let runs: &[&[&str]] = &[
        &["deferred"],
        &["deferred", "--window"],
        &["pingpong"],
        &["particles"],
        &["particles", "--compute"],
        &["gles2"],
        &["gles2", "--window"],
        &["legacy"],
        &["legacy", "--window"],
        &["samples"],
        &["overdraw"],
        &["uploader"],
        &["streamer"],
        &["chain"],
        &["chain", "--passes", "64", "--size", "64x64"],
        &["overlap"],
        &["overlap", "--plain", "--layers", "3"],
        &["primitives"],
    ];
    runs.iter().map(|words| demo(&folder, words)).collect()
}

fn demo(folder: &Path, words: &[&str]) -> anyhow::Result<Program> {
    let [name, arguments @ ..] = words else { bail!("a demo must have a name") };
    let path: PathBuf = folder.join(name);
    let command = std::iter::once(path.to_string_lossy().into_owned());
    Ok(Program {
        name: format!("demos/{}", words.join(" ")),
        group: Group::Demos,
        command: command.chain(arguments.iter().map(|word| (*word).to_owned())).collect(),
        variables: Vec::new(),
        ends: Ends::ByItself,
    })
}
