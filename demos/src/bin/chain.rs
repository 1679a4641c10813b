//! A chain of full-screen passes, each a filter of nine or more taps over the output of the previous pass.
//!
//! A shown pixel depends on about a hundred texels a few passes back, and on thousands at the start of the chain. The
//! passes render to typical targets: plain textures, half floats, a layer of an array, a level that mipmaps are
//! generated from, a multisampled renderbuffer that is resolved by a blit. The targets repeat every eight passes.

#[path = "chain/link.rs"]
mod link;

use std::ffi::CString;
use std::process::ExitCode;

use clap::Parser;
use demos::math::noise;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};
use link::{Link, Surface};

/// Draws a chain of full-screen passes, each with nine or more taps on the previous one, and shows the last.
///
/// The first pass reads an uploaded image. The others render in turn to an 8-bit texture, one with mipmaps, a
/// renderbuffer with four samples that is then resolved, a layer of an array, and half floats. Every frame is the same.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// Number of passes, including the one that is shown.
    #[arg(long, value_name = "N", default_value_t = 17, value_parser = clap::value_parser!(u16).range(1..=1000))]
    passes: u16,
    /// Render only to textures with 8 bits per channel, which some drivers also filter with 8 bits.
    #[arg(long)]
    bytes: bool,
    /// Label textures and programs, and group the commands of each pass, for debuggers (`KHR_debug`).
    #[arg(long)]
    labels: bool,
}

/// The targets of passes, in order; each appears twice, so that passes alternate between two of them.
const ROUND: [Surface; 8] = [
    Surface::Bytes,
    Surface::Mipmapped,
    Surface::Multisampled,
    Surface::Layer,
    Surface::Halves,
    Surface::Bytes,
    Surface::Mipmapped,
    Surface::Halves,
];

/// Width and height of the image that the first pass reads.
const IMAGE: i32 = 64;

struct Chain {
    labels: bool,
    passes: u16,
    image: Link,
    links: Vec<Link>,
    programs: Programs,
}

/// Programs by the type of texture that they read.
struct Programs {
    flat: u32,
    layered: u32,
    levels: u32,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("chain", ContextKind::Core(3, 3), &cli.options, |stage| {
        let chain = Chain::new(stage, &cli)?;
        Ok(move |stage: &Stage, _| {
            chain.draw(stage);
            Ok(())
        })
    })
}

impl Chain {
    fn new(stage: &Stage, cli: &Cli) -> anyhow::Result<Chain> {
        let gl = &stage.gl;
        let pass = |fragment| program::link(gl, include_str!("chain/screen.vert"), fragment, &[]);
        let programs = Programs {
            flat: pass(include_str!("chain/flat.frag"))?,
            layered: pass(include_str!("chain/layered.frag"))?,
            levels: pass(include_str!("chain/levels.frag"))?,
        };
        let shown = 1;
        let targets = usize::from(cli.passes - shown).min(ROUND.len() * 2);
        let links = (0..targets).map(|i| Link::new(gl, stage.size, ROUND[i % ROUND.len()], cli.bytes));
        let links = links.collect::<anyhow::Result<_>>()?;
        gl.BindVertexArray(gl.vertex_array());
        if cli.labels {
            gl.label(gl::PROGRAM, programs.flat, c"flat filter");
            gl.label(gl::PROGRAM, programs.layered, c"layered filter");
            gl.label(gl::PROGRAM, programs.levels, c"filter of levels");
        }
        Ok(Chain { labels: cli.labels, passes: cli.passes, image: Link::image(gl, IMAGE, &image()), links, programs })
    }

    fn draw(&self, stage: &Stage) {
        let gl = &stage.gl;
        let mut before = &self.image;
        if self.labels {
            gl.label(gl::TEXTURE, before.texture, c"noise");
            gl.push_group("chain");
        }
        for pass in 0..self.passes - 1 {
            let link = &self.links[usize::from(pass) % self.links.len()];
            if self.labels {
                gl.label(gl::TEXTURE, link.texture, &CString::new(format!("target {pass}")).unwrap_or_default());
                gl.push_group(&format!("pass {pass}"));
            }
            link.bind(gl);
            self.filter(gl, before, pass);
            if link.surface == Surface::Multisampled {
                // Uses another filter in a slanted half of the image: along its edge the samples of a pixel differ.
                self.weigh(gl, before, pass + 2);
                if self.labels {
                    gl.mark("slanted half");
                }
                gl.DrawArrays(gl::TRIANGLES, 3, 3);
            }
            link.finish(gl);
            if self.labels {
                gl.PopDebugGroup();
            }
            before = link;
        }
        gl.BindFramebuffer(gl::FRAMEBUFFER, 0);
        gl.Viewport(0, 0, stage.size.width, stage.size.height);
        self.filter(gl, before, self.passes - 1);
        if self.labels {
            gl.PopDebugGroup();
        }
    }

    fn filter(&self, gl: &Gl, before: &Link, pass: u16) {
        let program = self.program(before);
        gl.UseProgram(program);
        gl.ActiveTexture(gl::TEXTURE0);
        gl.BindTexture(before.kind(), before.texture);
        gl.Uniform1i(gl.uniform(program, c"before"), 0);
        let stride = before.stride();
        gl.Uniform2f(
            gl.uniform(program, c"stride"),
            stride / before.size.width as f32,
            stride / before.size.height as f32,
        );
        self.weigh(gl, before, pass);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
    }

    fn weigh(&self, gl: &Gl, before: &Link, pass: u16) {
        gl.uniform_numbers(gl.uniform(self.program(before), c"weights"), &weights(pass));
    }

    fn program(&self, before: &Link) -> u32 {
        match before.surface {
            Surface::Layer => self.programs.layered,
            Surface::Mipmapped => self.programs.levels,
            Surface::Bytes | Surface::Multisampled | Surface::Halves => self.programs.flat,
        }
    }
}

/// Returns nine weights whose sum is one. Passes alternately blur and sharpen, so that some of the image is left at the
/// end.
fn weights(pass: u16) -> [f32; 9] {
    let around: [f32; 8] = std::array::from_fn(|i| {
        let size = 0.04 + 0.05 * noise(u32::from(pass) * 8 + i as u32);
        if pass.is_multiple_of(2) { size } else { -size }
    });
    let middle = 1. - around.iter().sum::<f32>();
    let [a, b, c, d, e, f, g, h] = around;
    [a, b, c, d, middle, e, f, g, h]
}

/// Returns blobs of noise over a colour gradient.
fn image() -> Vec<u8> {
    let texel = |i: i32| {
        let (x, y) = (i % IMAGE, i / IMAGE);
        let blot = noise(((y / 4) * IMAGE + x / 4).unsigned_abs());
        let fine = noise(100_000 + i.unsigned_abs());
        let colour = [x as f32 / IMAGE as f32, blot, y as f32 / IMAGE as f32].map(|c| 0.2 + 0.5 * c + 0.2 * fine);
        // Between 51 and 230, so that sharpening has headroom.
        let bytes = colour.map(|c| (c * 255.) as u8);
        [bytes[0], bytes[1], bytes[2], 255]
    };
    (0..IMAGE * IMAGE).flat_map(texel).collect()
}
