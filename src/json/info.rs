//! `afterimage info --json`.

use serde::Serialize;

use super::Stream;

/// What is in a trace.
#[derive(Serialize)]
pub struct Document<'a> {
    /// The program that wrote the trace.
    pub product: &'a str,
    /// The size of the file.
    pub bytes: u64,
    /// How many calls it has.
    pub calls: u64,
    /// How many threads made them.
    pub threads: u32,
    /// The recorded program; null if the trace does not name it.
    pub process: Option<Process<'a>>,
    /// The frames. A frame ends with a present; a trace in which nothing is presented is one frame.
    pub frames: Stream<'a, Frame>,
    /// The commands that the first frame of a trimmed trace needs from before it; they belong to no frame. Null in others.
    pub before_first_frame: Option<FramelessCommands>,
    /// The commands after the last present, which belong to no frame; null if there are none.
    pub after_last_frame: Option<FramelessCommands>,
    /// The draws and dispatches; with `--frame` and `--program` only those.
    pub draws: Stream<'a, Draw>,
    /// The contexts.
    pub contexts: Vec<Context<'a>>,
    /// The GL programs, in the order of their creation.
    pub programs: Stream<'a, Program<'a>>,
    /// What the recording lacks and what cannot be read, one sentence each.
    pub problems: &'a [String],
}

/// The recorded program.
#[derive(Serialize)]
pub struct Process<'a> {
    /// Its process id.
    pub pid: u64,
    /// The path of its executable.
    pub program: &'a str,
    /// Its arguments.
    pub arguments: &'a str,
    /// Its working directory.
    pub directory: &'a str,
}

/// A frame.
#[derive(Serialize)]
pub struct Frame {
    /// Its number.
    pub index: usize,
    /// Its first command.
    pub first_command: u64,
    /// Its last command.
    pub last_command: u64,
    /// How many draws it has.
    pub draws: u64,
}

/// The commands before the first frame, or after the last.
#[derive(Serialize)]
pub struct FramelessCommands {
    /// The first of them.
    pub first_command: u64,
    /// The last of them.
    pub last_command: u64,
    /// How many draws are among them.
    pub draws: u64,
}

/// A draw or dispatch.
#[derive(Serialize)]
pub struct Draw {
    /// Its command.
    pub command: u64,
    /// Its frame; null before the first frame and after the last.
    pub frame: Option<usize>,
    /// The function that it calls.
    pub name: &'static str,
    /// The `index` of its program in `programs`; null if none was in use.
    pub program: Option<usize>,
    /// The sort of primitives, such as `GL_TRIANGLES`; null where another call gives it.
    pub mode: Option<&'static str>,
    /// How many vertices or indices it draws; null where that is in memory.
    pub count: Option<u64>,
    /// How many instances; null if the call does not say.
    pub instances: Option<u64>,
    /// How many work groups in each direction; null if it is no dispatch, or they are in memory.
    pub work_groups: Option<[u64; 3]>,
    /// The framebuffer object that it draws to, as GL names it; 0 for a surface.
    pub framebuffer: u32,
    /// The label that the recorded program gave the framebuffer; null without one.
    pub framebuffer_label: Option<String>,
    /// What changed since the last draw of the context: `program`, `target`, `uniforms`, `textures` and the like.
    pub changed: Vec<&'static str>,
    /// The debug groups that are open there, the outermost first.
    pub groups: Vec<String>,
}

/// A context.
#[derive(Serialize)]
pub struct Context<'a> {
    /// Its number.
    pub number: u32,
    /// The number of a context whose objects it shares; null for none.
    pub share: Option<u32>,
    /// The API.
    pub api: &'static str,
    /// The major version that was asked for.
    pub major: i64,
    /// The minor version that was asked for.
    pub minor: i64,
    /// The profile that was asked for.
    pub profile: Option<&'static str>,
    /// The driver's `GL_VENDOR`; empty if the context was never current.
    pub vendor: &'a str,
    /// The driver's `GL_RENDERER`; empty if the context was never current.
    pub renderer: &'a str,
    /// The driver's `GL_VERSION`; empty if the context was never current.
    pub version: &'a str,
}

/// A program of the recorded program.
#[derive(Serialize)]
pub struct Program<'a> {
    /// Its place in the list.
    pub index: usize,
    /// GL's name for it.
    pub name: u32,
    /// The label that the recorded program gave it last; null without one.
    pub label: Option<&'a str>,
    /// The context that created it.
    pub context: u32,
    /// The command that created it.
    pub created: u64,
    /// The commands that linked it.
    pub links: &'a [u64],
    /// The command that loaded it as a binary, so that the trace has no text of it; null if it was linked from shaders.
    pub loaded: Option<u64>,
    /// The shaders that it was last linked from.
    pub shaders: Vec<Shader<'a>>,
}

/// A shader of a program.
#[derive(Serialize)]
pub struct Shader<'a> {
    /// GL's name for it; null if it has none.
    pub name: Option<u32>,
    /// The label that the recorded program gave it last; null without one.
    pub label: Option<&'a str>,
    /// `vertex`, `tess_control`, `tess_evaluation`, `geometry`, `fragment` or `compute`.
    pub stage: &'a str,
    /// The command that set its source; null if the trace has none.
    pub source: Option<u64>,
    /// How many lines its source has.
    pub lines: usize,
}
