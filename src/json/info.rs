//! `afterimage info --json`.

use serde::Serialize;

/// What is in a trace.
#[derive(Serialize)]
pub struct Document<'a> {
    pub product: &'a str,
    pub bytes: u64,
    pub calls: u64,
    pub threads: u32,
    pub process: Option<Process<'a>>,
    pub frames: Vec<Frame>,
    pub draws: Vec<Draw>,
    pub contexts: Vec<Context<'a>>,
    pub programs: Vec<Program<'a>>,
    pub problems: &'a [String],
}

/// The recorded program.
#[derive(Serialize)]
pub struct Process<'a> {
    pub pid: u64,
    pub program: &'a str,
    pub arguments: &'a str,
    pub directory: &'a str,
}

/// A frame.
#[derive(Serialize)]
pub struct Frame {
    pub index: usize,
    pub first_command: u64,
    pub last_command: u64,
    pub draws: u64,
}

/// A draw or dispatch.
#[derive(Serialize)]
pub struct Draw {
    pub command: u64,
    pub frame: usize,
    pub name: &'static str,
    pub program: Option<usize>,
}

/// A context.
#[derive(Serialize)]
pub struct Context<'a> {
    pub number: u32,
    pub share: Option<u32>,
    pub api: &'static str,
    pub major: i64,
    pub minor: i64,
    pub profile: Option<&'static str>,
    pub vendor: &'a str,
    pub renderer: &'a str,
    pub version: &'a str,
}

/// A program of the recorded program.
#[derive(Serialize)]
pub struct Program<'a> {
    pub index: usize,
    pub name: u32,
    pub context: u32,
    pub created: u64,
    pub links: &'a [u64],
    pub shaders: Vec<Shader<'a>>,
}

/// A shader of a program.
#[derive(Serialize)]
pub struct Shader<'a> {
    pub name: Option<u32>,
    pub stage: &'a str,
    pub source: Option<u64>,
    pub lines: usize,
}
