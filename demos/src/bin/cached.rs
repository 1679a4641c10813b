//! A program that keeps its shaders as the driver's binary, as many do to start faster: the first run compiles the text
//! and saves the binary, the next one loads it.
//!
//! It prints what GL says about binaries in each step, so that a test can compare runs with and without a recorder.
#![allow(unsafe_code, reason = "GL reads and writes this program's memory")]
#![allow(clippy::print_stdout, reason = "what GL says is what this program is run for")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Draws a dome by a program that it saves as a binary, and loads in its next run.
///
/// With a radius below 0.7 the corners of the picture are the square root of a negative number.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// The file that the binary is saved to and loaded from: its format in four bytes, then what the driver gave.
    #[arg(long, value_name = "FILE")]
    cache: PathBuf,
    /// Load the file even if GL says that there are no formats.
    #[arg(long)]
    insist: bool,
    /// The radius of the dome.
    #[arg(long, default_value_t = 0.9)]
    radius: f32,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("cached", ContextKind::Core(4, 1), &cli.options, |stage| {
        let gl = &stage.gl;
        let program = match load(gl, &cli) {
            Some(program) => program,
            None => compile(gl, &cli.cache)?,
        };
        gl.BindVertexArray(gl.vertex_array());
        gl.BindBuffer(gl::ARRAY_BUFFER, gl.buffer());
        gl.buffer_data(gl::ARRAY_BUFFER, &[-1_f32, -1., 1., -1., -1., 1., 1., 1.], gl::STATIC_DRAW);
        gl.attribute(0, 2, gl::FLOAT, 8, 0);
        let (radius, place) = (cli.radius, gl.uniform(program, c"radius"));
        Ok(move |stage: &Stage, frame| {
            let gl = &stage.gl;
            gl.Viewport(0, 0, stage.size.width, stage.size.height);
            gl.ClearColor(0., 0., 0., 1.);
            gl.Clear(gl::COLOR_BUFFER_BIT);
            gl.UseProgram(program);
            gl.Uniform1f(place, radius + frame as f32 * 0.01);
            gl.DrawArrays(gl::TRIANGLE_STRIP, 0, 4);
            Ok(())
        })
    })
}

/// Asks for everything that GL says about formats, and prints it. Returns the number of formats of programs.
fn formats(gl: &Gl) -> usize {
    let (mut count, mut long, mut float, mut double, mut truth) = ([0_i32], [0_i64], [0_f32], [0_f64], [0_u8]);
    // SAFETY: it is one integer.
    unsafe { gl.GetIntegerv(gl::NUM_PROGRAM_BINARY_FORMATS, count.as_mut_ptr()) };
    // SAFETY: it is one integer of 64 bits.
    unsafe { gl.GetInteger64v(gl::NUM_PROGRAM_BINARY_FORMATS, long.as_mut_ptr()) };
    // SAFETY: it is one float.
    unsafe { gl.GetFloatv(gl::NUM_PROGRAM_BINARY_FORMATS, float.as_mut_ptr()) };
    // SAFETY: it is one double.
    unsafe { gl.GetDoublev(gl::NUM_PROGRAM_BINARY_FORMATS, double.as_mut_ptr()) };
    // SAFETY: it is one boolean.
    unsafe { gl.GetBooleanv(gl::NUM_PROGRAM_BINARY_FORMATS, truth.as_mut_ptr()) };
    println!("formats {} {} {} {} {}", count[0], long[0], float[0], double[0], truth[0]);
    let count = usize::try_from(count[0]).unwrap_or(0);
    // One more than there are, to see that it is left alone.
    let mut list = vec![-1_i32; count + 1];
    // SAFETY: there is room for all formats.
    unsafe { gl.GetIntegerv(gl::PROGRAM_BINARY_FORMATS, list.as_mut_ptr()) };
    println!("listed {list:?}");
    let mut shaders = [-1_i32];
    // SAFETY: it is one integer.
    unsafe { gl.GetIntegerv(gl::NUM_SHADER_BINARY_FORMATS, shaders.as_mut_ptr()) };
    println!("formats of shaders {}, error {:#x}", shaders[0], gl.GetError());
    count
}

/// Makes the program of the saved binary. `None` if there is none, or the driver refuses it.
fn load(gl: &Gl, cli: &Cli) -> Option<u32> {
    let count = formats(gl);
    let bytes = std::fs::read(&cli.cache).ok()?;
    let (format, binary) = bytes.split_first_chunk()?;
    if count == 0 && !cli.insist {
        return None;
    }
    let program = gl.CreateProgram();
    let length = i32::try_from(binary.len()).ok()?;
    // SAFETY: the driver is told the length of the binary.
    unsafe { gl.ProgramBinary(program, u32::from_le_bytes(*format), binary.as_ptr().cast(), length) };
    let error = gl.GetError();
    let linked = parameter(gl, program, gl::LINK_STATUS);
    println!("loaded: linked {linked}, error {error:#x}");
    (linked != 0).then_some(program)
}

/// Makes the program of its text, and saves its binary.
fn compile(gl: &Gl, cache: &Path) -> anyhow::Result<u32> {
    let program = program::link(gl, include_str!("cached/picture.vert"), include_str!("cached/picture.frag"), &[])?;
    let length = parameter(gl, program, gl::PROGRAM_BINARY_LENGTH);
    println!("compiled: {}", if length > 0 { "has a binary" } else { "has no binary" });
    let (mut written, mut format, mut binary) = (-1, 0, vec![0_u8; usize::try_from(length)?.max(16)]);
    let room = i32::try_from(binary.len())?;
    // SAFETY: the driver is told how much room there is.
    unsafe { gl.GetProgramBinary(program, room, &raw mut written, &raw mut format, binary.as_mut_ptr().cast()) };
    println!("got {}, error {:#x}", if written > 0 { "a binary" } else { "none" }, gl.GetError());
    if written > 0 {
        binary.truncate(usize::try_from(written)?);
        std::fs::write(cache, [&format.to_le_bytes()[..], &binary].concat())?;
    }
    Ok(program)
}

fn parameter(gl: &Gl, program: u32, name: u32) -> i32 {
    let mut value = 0;
    // SAFETY: the parameters that are asked for are one integer each.
    unsafe { gl.GetProgramiv(program, name, &raw mut value) };
    value
}
