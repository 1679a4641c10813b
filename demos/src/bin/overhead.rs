//! Timed loops of one GL call each: the difference between a recorded and a plain run is the overhead of recording.
#![allow(unsafe_code, reason = "writes through a pointer from GL")]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block)]
#![allow(clippy::print_stdout, reason = "the time is this program's output")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};

use anyhow::{Context, ensure};
use clap::{Parser, Subcommand};
use demos::counter::{Counters, count, thread_cpu};
use demos::hostile::{Faults, close_descriptors, fork, unreadable};
use demos::options::Size;
use demos::stage::Shared;
use demos::{ContextKind, Gl, Options, Stage, gl, program};

/// Calls one GL function repeatedly and prints the CPU time of the calling thread per call.
#[derive(Parser, Clone)]
struct Cli {
    #[command(subcommand)]
    what: Benchmark,
    /// Count completed calls in this file: one 64-bit number for each thread, 128 bytes apart, valid even if the
    /// program is killed.
    #[arg(long, value_name = "FILE", global = true)]
    count: Option<PathBuf>,
    /// Present a frame after every N calls; 0 means only at the end.
    #[arg(long, value_name = "N", default_value_t = 0, global = true)]
    present_every: u64,
    /// Close all file descriptors from 3 on before the calls, like programs that start others.
    #[arg(long, global = true)]
    close_descriptors: bool,
    /// Install a SIGSEGV handler and fault once every thousand calls, like programs that manage memory with page faults.
    #[arg(long, global = true)]
    fault: bool,
    /// Fork before the first GL call; the child does the same as its parent.
    #[arg(long, global = true)]
    fork: bool,
    /// Fork after the first GL calls; the child calls `glGetError`.
    #[arg(long, global = true)]
    fork_late: bool,
}

#[derive(Subcommand, Clone, Copy)]
enum Benchmark {
    /// `glUniform4f`, N times.
    Uniform {
        /// Number of calls.
        n: u64,
    },
    /// `glUniform4f`, N times on each of two threads with their own contexts.
    Uniform2 {
        /// Number of calls on each thread.
        n: u64,
    },
    /// `glGetIntegerv`, N times.
    Getinteger {
        /// Number of calls.
        n: u64,
    },
    /// `glTexSubImage2D` of the same 256 KiB, N times.
    Upload {
        /// Number of calls.
        #[arg(default_value_t = 600)]
        n: u64,
    },
    /// Typical calls between draws: N calls that bind, enable and set, with one draw call in twenty.
    Mixed {
        /// Number of calls.
        n: u64,
    },
    /// `glClearColor` once on each of N threads, which live one after another.
    Threads {
        /// Number of threads.
        n: u64,
        /// Number of threads that live at the same time.
        #[arg(long, value_name = "N", default_value_t = 1)]
        at_once: u64,
    },
    /// `glBufferData` of N bytes, of which the last page cannot be read.
    Unreadable {
        /// Number of bytes.
        n: u64,
    },
    /// `glMapBufferRange` of 64 KiB, 4 KiB written, `glUnmapBuffer`, N times.
    Map {
        /// Number of maps.
        n: u64,
    },
}

const VERTEX: &str = "#version 330 core\nuniform vec4 place;\nvoid main() { gl_Position = place; }\n";
const FRAGMENT: &str = "#version 330 core\nout vec4 color;\nvoid main() { color = vec4(1.0); }\n";
/// 256 times 256 pixels of four bytes are 256 KiB.
const SIDE: i32 = 256;
const MAPPED: isize = 64 * 1024;
const TOUCHED: usize = 4 * 1024;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("overhead: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let options =
        Options { frames: 1, size: Size { width: 64, height: 64 }, window: false, png: None, no_present: false };
    let counters = match &cli.count {
        Some(path) => Counters::in_file(path)?,
        None => Counters::in_memory(),
    };
    if cli.fork {
        fork(|| run(&Cli { fork: false, count: None, ..cli.clone() }))?;
    }
    let stage = Stage::open("overhead", ContextKind::Core(3, 3), &options)?;
    if cli.fork_late {
        fork(|| {
            stage.gl.GetError();
            Ok(())
        })?;
    }
    if cli.close_descriptors {
        close_descriptors();
    }
    let faults = if cli.fault { Some(Faults::install()?) } else { None };
    let present = |done: u64| -> anyhow::Result<()> {
        if let Some(faults) = &faults
            && done.is_multiple_of(1000)
        {
            faults.fault();
        }
        if cli.present_every > 0 && done.is_multiple_of(cli.present_every) { stage.present() } else { Ok(()) }
    };
    let cell = counters.cell(0);
    let (name, calls, spent) = match cli.what {
        Benchmark::Uniform { n } => ("glUniform4f", n, uniforms(&stage.gl, n, cell, None, present)?),
        Benchmark::Uniform2 { n } => {
            let shared = stage.share()?;
            let other = counters.cell(1);
            let start = Arc::new(Barrier::new(2));
            let their_start = Arc::clone(&start);
            let thread = std::thread::spawn(move || -> anyhow::Result<u64> {
                let gl = shared.enter()?;
                let spent = uniforms(&gl, n, other, Some(&their_start), |_| Ok(()))?;
                shared.leave()?;
                Ok(spent)
            });
            let mine = uniforms(&stage.gl, n, cell, Some(&start), present)?;
            let theirs = thread.join().ok().context("the second thread panicked")??;
            ("glUniform4f on two threads", 2 * n, mine + theirs)
        }
        Benchmark::Getinteger { n } => {
            ("glGetIntegerv", n, timed(n, cell, present, |_| stage.gl.integer(gl::MAX_TEXTURE_SIZE))?)
        }
        Benchmark::Upload { n } => ("glTexSubImage2D", n, uploads(&stage.gl, n, cell, present)?),
        Benchmark::Mixed { n } => ("binds, enables, uniforms and draws", n, mixed(&stage.gl, n, cell, present)?),
        Benchmark::Threads { n, at_once } => ("glClearColor on threads", n, threads(&stage, n, at_once)?),
        Benchmark::Unreadable { n } => {
            stage.gl.BindBuffer(gl::ARRAY_BUFFER, stage.gl.buffer());
            let memory = unreadable(n as usize)?;
            // SAFETY: the memory is there, and cannot be read to its end, which ends the program.
            unsafe { stage.gl.BufferData(gl::ARRAY_BUFFER, n as isize, memory.cast(), gl::STATIC_DRAW) };
            ("glBufferData", 1, 0)
        }
        Benchmark::Map { n } => ("glMapBufferRange and glUnmapBuffer", n, maps(&stage.gl, n, cell, present)?),
    };
    stage.present()?;
    if let Some(faults) = &faults {
        println!("{} faults", faults.count());
    }
    println!("{name}: {:.1} ns per call, {calls} calls", spent as f64 / calls.max(1) as f64);
    Ok(())
}

/// Times a loop and counts its iterations.
fn timed<T>(
    n: u64,
    cell: &AtomicU64,
    present: impl Fn(u64) -> anyhow::Result<()>,
    mut call: impl FnMut(u64) -> T,
) -> anyhow::Result<u64> {
    let begin = thread_cpu();
    for i in 0..n {
        std::hint::black_box(call(i));
        count(cell);
        present(i + 1)?;
    }
    Ok(thread_cpu() - begin)
}

/// Starts threads that make one call each, the next ones when all of these have.
fn threads(stage: &Stage, n: u64, at_once: u64) -> anyhow::Result<u64> {
    let mut contexts = (0..at_once).map(|_| stage.share()).collect::<anyhow::Result<Vec<_>>>()?;
    let spent = AtomicU64::new(0);
    for first in (0..n).step_by(at_once.max(1) as usize) {
        let count = at_once.min(n - first) as usize;
        let all_called = Barrier::new(count);
        let call = |number: u64, context: &mut Shared| -> anyhow::Result<()> {
            let begin = thread_cpu();
            let gl = context.enter()?;
            gl.ClearColor(number as f32, 0., 0., 1.);
            all_called.wait();
            context.leave()?;
            spent.fetch_add(thread_cpu() - begin, Ordering::Relaxed);
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads = (first..).zip(contexts.iter_mut().take(count));
            let threads = threads.map(|(number, context)| scope.spawn(move || call(number, context)));
            let threads: Vec<_> = threads.collect();
            threads.into_iter().try_for_each(|thread| thread.join().ok().context("a thread panicked")?)
        })?;
    }
    Ok(spent.into_inner())
}

/// Waits for the other thread, if there is one, so that both call at the same time.
fn uniforms(
    gl: &Gl,
    n: u64,
    cell: &AtomicU64,
    start: Option<&Barrier>,
    present: impl Fn(u64) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let program = program::link(gl, VERTEX, FRAGMENT, &[])?;
    gl.UseProgram(program);
    let place = gl.uniform(program, c"place");
    if let Some(start) = start {
        start.wait();
    }
    timed(n, cell, present, |i| gl.Uniform4f(place, (i % 1024) as f32, 2., 3., 4.))
}

/// Changes objects from draw to draw, as between the materials and meshes of a scene.
fn mixed(gl: &Gl, n: u64, cell: &AtomicU64, present: impl Fn(u64) -> anyhow::Result<()>) -> anyhow::Result<u64> {
    let programs = [program::link(gl, VERTEX, FRAGMENT, &[])?, program::link(gl, VERTEX, FRAGMENT, &[])?];
    let places = programs.map(|program| gl.uniform(program, c"place"));
    let textures: [u32; 8] = std::array::from_fn(|_| gl.texture());
    for texture in textures {
        gl.BindTexture(gl::TEXTURE_2D, texture);
        gl.tex_image::<u8>(gl::TEXTURE_2D, 0, gl::RGBA8, (4, 4), (gl::RGBA, gl::UNSIGNED_BYTE), None);
    }
    let buffers: [u32; 4] = std::array::from_fn(|_| gl.buffer());
    for buffer in buffers {
        gl.BindBuffer(gl::ARRAY_BUFFER, buffer);
        gl.buffer_space(gl::ARRAY_BUFFER, 256, gl::STATIC_DRAW);
    }
    gl.BindVertexArray(gl.vertex_array());
    timed(n, cell, present, |i| {
        let draw = i / 20;
        let (which, shade) = ((draw % 2) as usize, (draw % 97) as f32 / 97.);
        match i % 20 {
            0 => gl.UseProgram(programs[which]),
            1 => gl.BindBuffer(gl::ARRAY_BUFFER, buffers[(draw % 4) as usize]),
            2 => gl.EnableVertexAttribArray(0),
            3 => gl.attribute(0, 4, gl::FLOAT, 16, (draw % 4) as usize * 16),
            4 | 6 | 8 => gl.ActiveTexture(gl::TEXTURE0 + (i % 20 / 2 - 2) as u32),
            5 | 7 | 9 => gl.BindTexture(gl::TEXTURE_2D, textures[((draw + i) % 8) as usize]),
            10 => gl.Enable(gl::BLEND),
            11 => gl.BlendFunc(gl::SRC_ALPHA, if which == 0 { gl::ONE } else { gl::ONE_MINUS_SRC_ALPHA }),
            12 => gl.Enable(gl::DEPTH_TEST),
            13 => gl.DepthMask((draw % 2) as u8),
            14..17 => gl.Uniform4f(places[which], shade, (i % 20) as f32, 0., 1.),
            17 => gl.DrawArrays(gl::POINTS, 0, 1),
            18 => gl.Disable(gl::BLEND),
            _ => gl.DisableVertexAttribArray(0),
        }
    })
}

fn uploads(gl: &Gl, n: u64, cell: &AtomicU64, present: impl Fn(u64) -> anyhow::Result<()>) -> anyhow::Result<u64> {
    // Every pixel differs from its neighbours, so that the single blob does not compress easily.
    let pixels: Vec<u8> = (0..SIDE * SIDE * 4).map(|i| (demos::math::noise(i.cast_unsigned()) * 255.) as u8).collect();
    gl.BindTexture(gl::TEXTURE_2D, gl.texture());
    let layout = (gl::RGBA, gl::UNSIGNED_BYTE);
    gl.tex_image::<u8>(gl::TEXTURE_2D, 0, gl::RGBA8, (SIDE, SIDE), layout, None);
    timed(n, cell, present, |_| gl.tex_sub_image(gl::TEXTURE_2D, 0, (0, 0), (SIDE, SIDE), layout, &pixels))
}

fn maps(gl: &Gl, n: u64, cell: &AtomicU64, present: impl Fn(u64) -> anyhow::Result<()>) -> anyhow::Result<u64> {
    gl.BindBuffer(gl::ARRAY_BUFFER, gl.buffer());
    gl.buffer_space(gl::ARRAY_BUFFER, MAPPED, gl::STREAM_DRAW);
    let mut failed = false;
    let spent = timed(n, cell, present, |i| {
        // SAFETY: a buffer of that size is bound and not mapped.
        let memory = unsafe { gl.MapBufferRange(gl::ARRAY_BUFFER, 0, MAPPED, gl::MAP_WRITE_BIT) };
        failed |= memory.is_null();
        if !memory.is_null() {
            // SAFETY: the map has 64 KiB, of which the first 4 KiB are written before it ends.
            unsafe { memory.cast::<u8>().write_bytes((i % 251) as u8, TOUCHED) };
        }
        gl.UnmapBuffer(gl::ARRAY_BUFFER);
    })?;
    ensure!(!failed, "glMapBufferRange returned null (GL error 0x{:04x})", gl.GetError());
    Ok(spent)
}
