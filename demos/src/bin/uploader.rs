//! Two threads with contexts that share objects: one uploads textures and vertices, the other draws them.
//!
//! A fence after each upload tells the drawing thread when the data is there, and a fence after each frame tells the
//! uploading thread when it may overwrite it. Both wait, so every run draws the same frames.

use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use anyhow::{Context, ensure};
use clap::Parser;
use demos::gl::Fence;
use demos::stage::Shared;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Uploads in one thread and draws in another, with two contexts that share objects.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

const VERTEX: &str = "#version 330 core
in vec2 position;
in vec2 uv;
out vec2 surface;
void main() {
    surface = uv;
    gl_Position = vec4(position, 0.0, 1.0);
}
";
const FRAGMENT: &str = "#version 330 core
in vec2 surface;
uniform sampler2D image;
out vec4 color;
void main() {
    color = texture(image, surface);
}
";

/// Textures in flight: one is drawn while the next is filled.
const SLOTS: usize = 3;
const SIDE: i32 = 128;
const TILES: usize = 12;

/// A message between the threads: the upload for a frame has started, or a frame that used a slot has.
struct Turn {
    texture: u32,
    vertices: u32,
    fence: Fence,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let frames = cli.options.frames;
    play("uploader", ContextKind::Core(3, 3), &cli.options, |stage| {
        let shared = stage.share()?;
        let (to_drawer, uploads) = channel();
        let (to_uploader, done) = channel();
        let mut uploader =
            Some(std::thread::spawn(move || upload(&shared, frames, &to_drawer, &done).map(|()| shared)));
        let gl = &stage.gl;
        let program = program::link(gl, VERTEX, FRAGMENT, &["position", "uv"])?;
        // Vertex arrays are not shared between contexts (GL 4.6, chapter 5), so this thread creates its own.
        gl.BindVertexArray(gl.vertex_array());
        Ok(move |stage: &Stage, frame| {
            let turn = match uploads.recv() {
                Ok(turn) => turn,
                Err(_) => {
                    return finish(uploader.take()).and(Err(anyhow::anyhow!("the uploading thread stopped early")));
                }
            };
            let turn = draw(stage, program, turn);
            // The uploader does not receive the last frames: it has ended by then.
            let _ = to_uploader.send(turn);
            if frame + 1 == frames { finish(uploader.take()) } else { Ok(()) }
        })
    })
}

/// Waits for the uploading thread and releases its context.
fn finish(uploader: Option<JoinHandle<anyhow::Result<Shared>>>) -> anyhow::Result<()> {
    let Some(uploader) = uploader else { return Ok(()) };
    uploader.join().ok().context("the uploading thread panicked")?.map(drop)
}

fn upload(shared: &Shared, frames: u32, to_drawer: &Sender<Turn>, done: &Receiver<Turn>) -> anyhow::Result<()> {
    let gl = shared.enter()?;
    for frame in 0..frames {
        let (texture, vertices) = if (frame as usize) < SLOTS {
            (new_texture(&gl), gl.buffer())
        } else {
            let Ok(turn) = done.recv() else { break };
            ensure!(gl.await_fence(turn.fence), "the driver did not finish a frame within ten seconds");
            (turn.texture, turn.vertices)
        };
        gl.BindTexture(gl::TEXTURE_2D, texture);
        let layout = (gl::RGBA, gl::UNSIGNED_BYTE);
        gl.tex_sub_image(gl::TEXTURE_2D, 0, (0, 0), (SIDE, SIDE), layout, &pattern(frame));
        gl.GenerateMipmap(gl::TEXTURE_2D);
        gl.BindBuffer(gl::ARRAY_BUFFER, vertices);
        gl.buffer_data(gl::ARRAY_BUFFER, &tiles(frame), gl::STREAM_DRAW);
        let fence = gl.fence();
        // Without a flush the other context might never see the fence (GL 4.6, 4.1.2).
        gl.Flush();
        if to_drawer.send(Turn { texture, vertices, fence }).is_err() {
            break;
        }
    }
    shared.leave()
}

fn draw(stage: &Stage, program: u32, turn: Turn) -> Turn {
    let gl = &stage.gl;
    gl.server_await(turn.fence);
    gl.Viewport(0, 0, stage.size.width, stage.size.height);
    gl.ClearColor(0.07, 0.08, 0.1, 1.);
    gl.Clear(gl::COLOR_BUFFER_BIT);
    gl.UseProgram(program);
    gl.Uniform1i(gl.uniform(program, c"image"), 0);
    gl.BindTexture(gl::TEXTURE_2D, turn.texture);
    gl.BindBuffer(gl::ARRAY_BUFFER, turn.vertices);
    gl.attribute(0, 2, gl::FLOAT, 16, 0);
    gl.attribute(1, 2, gl::FLOAT, 16, 8);
    gl.DrawArrays(gl::TRIANGLES, 0, (TILES * 6) as i32);
    let fence = gl.fence();
    gl.Flush();
    Turn { fence, ..turn }
}

fn new_texture(gl: &Gl) -> u32 {
    let texture = gl.texture();
    gl.BindTexture(gl::TEXTURE_2D, texture);
    gl.tex_image::<u8>(gl::TEXTURE_2D, 0, gl::RGBA8, (SIDE, SIDE), (gl::RGBA, gl::UNSIGNED_BYTE), None);
    gl.TexParameteri(gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::LINEAR_MIPMAP_LINEAR.cast_signed());
    texture
}

/// Returns rings that move outwards.
fn pattern(frame: u32) -> Vec<u8> {
    let phase = frame as f32 * 0.5;
    let pixel = |x: i32, y: i32| {
        let (dx, dy) = ((x - SIDE / 2) as f32, (y - SIDE / 2) as f32);
        let wave = ((dx * dx + dy * dy).sqrt() * 0.25 - phase).sin() * 0.5 + 0.5;
        let shade = |from: f32, to: f32| (from + (to - from) * wave) as u8;
        [shade(20., 255.), shade(60., 190.), shade(110., 90.), 255]
    };
    (0..SIDE * SIDE).flat_map(|i| pixel(i % SIDE, i / SIDE)).collect()
}

/// Returns squares that swing up and down: six vertices each, with position and texture coordinates.
fn tiles(frame: u32) -> Vec<f32> {
    let tile = |i: usize| {
        let angle = i as f32 * 0.55 + frame as f32 * 0.35;
        let x = (i as f32 + 0.5) / TILES as f32 * 1.8 - 0.9;
        let (y, half) = (angle.sin() * 0.45, 0.11 + 0.03 * angle.cos());
        [[0., 0.], [1., 0.], [1., 1.], [0., 0.], [1., 1.], [0., 1.]]
            .into_iter()
            .flat_map(move |[u, v]: [f32; 2]| [x + (u * 2. - 1.) * half, y + (v * 2. - 1.) * half * 1.7, u, v])
    };
    (0..TILES).flat_map(tile).collect()
}
