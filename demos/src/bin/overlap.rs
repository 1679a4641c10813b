//! Many overlapping draw calls, each blended with what is below it, in a different colour.
//!
//! Some of them do not reach the framebuffer: they fail the depth or stencil test, are scissored, masked or culled, or
//! discard their fragments in the middle. This follows from their numbers, so that a test can check the history of the
//! pixel in the middle.

use std::process::ExitCode;

use anyhow::ensure;
use clap::Parser;
use demos::math::noise;
use demos::target::Target;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Makes many overlapping, blended draw calls that all cover the pixel in the middle
///
/// Every frame is the same: a clear, then the draws. Of each twelve draws numbered from 0, 2 fails the depth test, 4 is
/// scissored, 6 writes no colour, 8 discards its fragments around the middle, 9 fails the stencil test, 11 is culled.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
    /// Number of draws.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    draws: u32,
    /// Number of triangles of each draw that cover the pixel in the middle.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    layers: u16,
    /// Let every draw blend: no tests, no masks, nothing discarded.
    #[arg(long)]
    plain: bool,
    /// Render to a texture, and copy it to the screen at the end.
    #[arg(long)]
    texture: bool,
    /// Have the texture bound, and not the screen, when the screen is presented.
    #[arg(long, requires = "texture")]
    stay: bool,
    /// Let the fragment shader count rows from above (`origin_upper_left`), and colour by row.
    #[arg(long)]
    upper_left: bool,
}

/// Why a draw does not reach the pixel in the middle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Blends,
    Behind,
    ScissoredAway,
    Masked,
    Discards,
    FailsStencil,
    Culled,
}

const DEPTH: f32 = 0.;
const BEHIND: f32 = 0.5;

struct Pile {
    program: u32,
    colour: i32,
    place: i32,
    depth: i32,
    hole: i32,
    /// Number of vertices of all triangles of a draw.
    vertices: i32,
    draws: u32,
    plain: bool,
    /// The framebuffer to render to, 0 for the screen.
    target: u32,
    /// The framebuffer that is bound at the end.
    last: u32,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("overlap", ContextKind::Core(3, 3), &cli.options, |stage| {
        let pile = Pile::new(stage, &cli)?;
        Ok(move |stage: &Stage, _| {
            pile.draw(stage);
            Ok(())
        })
    })
}

impl Pile {
    fn new(stage: &Stage, cli: &Cli) -> anyhow::Result<Pile> {
        let gl = &stage.gl;
        let target = if cli.texture { texture(stage)? } else { 0 };
        let (vertex, fragment) = (include_str!("overlap/pile.vert"), include_str!("overlap/pile.frag"));
        let fragment = if cli.upper_left { include_str!("overlap/upper_left.frag") } else { fragment };
        let program = program::link(gl, vertex, fragment, &["corner"])?;
        // A square of four triangles around a centre: each of its points is in one of them.
        let corners: [[f32; 2]; 4] = [[1., 0.], [0., 1.], [-1., 0.], [0., -1.]];
        let square = (0..4).flat_map(|i| [[0., 0.], corners[i], corners[(i + 1) % 4]]).flatten();
        let layers: Vec<f32> = (0..cli.layers).flat_map(|_| square.clone()).collect();
        gl.BindVertexArray(gl.vertex_array());
        gl.BindBuffer(gl::ARRAY_BUFFER, gl.buffer());
        gl.buffer_data(gl::ARRAY_BUFFER, &layers, gl::STATIC_DRAW);
        gl.attribute(0, 2, gl::FLOAT, 8, 0);
        let at = |name| gl.uniform(program, name);
        Ok(Pile {
            program,
            colour: at(c"colour"),
            place: at(c"place"),
            depth: at(c"depth"),
            hole: at(c"hole"),
            vertices: i32::from(cli.layers) * 12,
            draws: cli.draws,
            plain: cli.plain,
            target,
            last: if cli.stay { target } else { 0 },
        })
    }

    fn draw(&self, stage: &Stage) {
        let gl = &stage.gl;
        let (width, height) = (stage.size.width, stage.size.height);
        gl.BindFramebuffer(gl::FRAMEBUFFER, self.target);
        gl.Viewport(0, 0, width, height);
        gl.ClearColor(0.1, 0.1, 0.12, 1.);
        gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT | gl::STENCIL_BUFFER_BIT);
        gl.UseProgram(self.program);
        gl.Enable(gl::BLEND);
        gl.BlendFunc(gl::SRC_ALPHA, gl::ONE_MINUS_SRC_ALPHA);
        if !self.plain {
            gl.Enable(gl::DEPTH_TEST);
            gl.DepthFunc(gl::LEQUAL);
            gl.Enable(gl::STENCIL_TEST);
            gl.StencilFunc(gl::ALWAYS, 0, 0xFF);
        }
        gl.Uniform1f(self.hole, 0.);
        for number in 0..self.draws {
            let fate = if self.plain { Fate::Blends } else { fate(number) };
            self.begin(stage, fate);
            self.one(gl, number, if fate == Fate::Behind { BEHIND } else { DEPTH });
            self.end(gl, fate);
        }
        if self.target != 0 {
            gl.BindFramebuffer(gl::DRAW_FRAMEBUFFER, 0);
            gl.BlitFramebuffer(0, 0, width, height, 0, 0, width, height, gl::COLOR_BUFFER_BIT, gl::NEAREST);
            gl.BindFramebuffer(gl::FRAMEBUFFER, self.last);
        }
    }

    /// Makes one draw near the middle, with random rotation and size, that always covers the middle.
    fn one(&self, gl: &Gl, number: u32, depth: f32) {
        let chance = |what: u32| noise(number * 8 + what);
        let (sin, cos) = (chance(0) * std::f32::consts::TAU).sin_cos();
        // The sides of a square of this half diagonal are at least 0.35 from its centre, which is at most 0.22 from the
        // middle.
        let size = 0.5 + 0.4 * chance(1);
        gl.Uniform4f(self.place, cos * size, sin * size, chance(2) * 0.3 - 0.15, chance(3) * 0.3 - 0.15);
        gl.Uniform4f(self.colour, chance(4), chance(5), chance(6), 0.15 + 0.5 * chance(7));
        gl.Uniform1f(self.depth, depth);
        gl.DrawArrays(gl::TRIANGLES, 0, self.vertices);
    }

    fn begin(&self, stage: &Stage, fate: Fate) {
        let gl = &stage.gl;
        match fate {
            Fate::Blends | Fate::Behind => {}
            Fate::ScissoredAway => {
                gl.Enable(gl::SCISSOR_TEST);
                gl.Scissor(0, 0, stage.size.width / 3, stage.size.height);
            }
            Fate::Masked => gl.ColorMask(0, 0, 0, 0),
            Fate::Discards => gl.Uniform1f(self.hole, 0.2),
            Fate::FailsStencil => gl.StencilFunc(gl::NEVER, 0, 0xFF),
            Fate::Culled => {
                gl.Enable(gl::CULL_FACE);
                gl.CullFace(gl::FRONT);
            }
        }
    }

    fn end(&self, gl: &Gl, fate: Fate) {
        match fate {
            Fate::Blends | Fate::Behind => {}
            Fate::ScissoredAway => gl.Disable(gl::SCISSOR_TEST),
            Fate::Masked => gl.ColorMask(1, 1, 1, 1),
            Fate::Discards => gl.Uniform1f(self.hole, 0.),
            Fate::FailsStencil => gl.StencilFunc(gl::ALWAYS, 0, 0xFF),
            Fate::Culled => gl.Disable(gl::CULL_FACE),
        }
    }
}

/// Creates a framebuffer with a colour texture, and the buffers that the tests need.
fn texture(stage: &Stage) -> anyhow::Result<u32> {
    let gl = &stage.gl;
    let target = Target::new(gl, stage.size, &[gl::RGBA8], false)?;
    let depth_and_stencil = gl.renderbuffer();
    gl.BindRenderbuffer(gl::RENDERBUFFER, depth_and_stencil);
    gl.RenderbufferStorage(gl::RENDERBUFFER, gl::DEPTH24_STENCIL8, stage.size.width, stage.size.height);
    gl.FramebufferRenderbuffer(gl::FRAMEBUFFER, gl::DEPTH_STENCIL_ATTACHMENT, gl::RENDERBUFFER, depth_and_stencil);
    let status = gl.CheckFramebufferStatus(gl::FRAMEBUFFER);
    ensure!(
        status == gl::FRAMEBUFFER_COMPLETE,
        "the driver cannot render to a target that this demo needs (0x{status:04x})"
    );
    Ok(target.framebuffer)
}

fn fate(number: u32) -> Fate {
    match number % 12 {
        2 => Fate::Behind,
        4 => Fate::ScissoredAway,
        6 => Fate::Masked,
        8 => Fate::Discards,
        9 => Fate::FailsStencil,
        11 => Fate::Culled,
        _ => Fate::Blends,
    }
}
