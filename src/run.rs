//! `afterimage run`: a shader on the emulator.

mod buffer;
mod compute;
mod fragment;
pub mod picture;
mod report;
mod setting;
mod shader_test;
mod single;
mod vertex;
mod watchers;
mod world;

use clap::ValueEnum;
use lanes::Numerics;

use crate::check::StageName;
use crate::cli::{Color, Outcome};

/// Blocks after which a shader counts as endless.
const BLOCKS: u64 = 100_000_000;

const HELP: &str = "\
Examples:
  afterimage run wood.frag --set roughness=0.3 --set 'light[0].colour=1,0.5,0'
  afterimage run sky.frag --at 320,200 --trace           what one pixel does, step by step
  afterimage run sky.frag --size 320x200 --image sky.png every pixel
  afterimage run wood.frag --texture grain=oak.png --at 10,10 --texels
  afterimage run wave.vert --vertex-data mesh.csv        outputs of every vertex
  afterimage run glsl-fs-loop.shader_test --image loop.png    a test: its commands run and its pixels probed
  afterimage run sum.comp --compute 4 --set data=1,2,3,4 workgroups, and what they leave in buffers

What the language leaves undefined - reading what was never written, an index outside of an array, the root of a negative
number, a derivative in divergent control flow, and so on - is reported where it happens, with the values; --no-sanitize
turns that off.

--set takes components separated by commas: vectors by component, matrices by column, arrays by element, structures by
member; parts are named as in the shader (light[2].colour). Members of blocks are named with or without their block. The
array at the end of a storage block becomes as long as what it is given. What is not set is zero.

--vertex-data takes a file with the names of attributes in its first line and one vertex in each other, separated by
commas or blanks, with as many columns for an attribute as it has components.

Exit status: 0 it ran (a test: it passes), 1 it did not end or did something undefined (a test: it fails), 2 it could
not be run.";

/// Run a shader on the emulator and print its outputs.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// A shader file, or - for stdin; or a .shader_test file, whose commands are run and probed.
    #[arg(value_name = "FILE")]
    file: String,
    /// The stage, if the file's name does not tell.
    #[arg(long, value_enum)]
    stage: Option<StageName>,
    /// Give a uniform, input or member of a block its value.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    values: Vec<String>,
    /// Bind a PNG file to a sampler or image; its top row is at t = 1. NAME=WIDTHxHEIGHT binds an empty one.
    #[arg(long = "texture", value_name = "NAME=FILE")]
    textures: Vec<String>,
    /// Write the texture behind a sampler or image to a PNG file after the run.
    #[arg(long, value_name = "NAME=FILE")]
    save: Vec<String>,
    /// The pixel of a fragment shader (gl_FragCoord is its centre).
    #[arg(long, value_name = "X,Y", default_value = "0,0", conflicts_with = "image")]
    at: String,
    /// How many pixels --image has.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "256x256", requires = "image")]
    size: String,
    /// Run a fragment shader for all pixels and write its first output to a PNG file; of a .shader_test, what it draws.
    #[arg(long, value_name = "FILE")]
    image: Option<String>,
    /// Attributes of vertices, one line each.
    #[arg(long, value_name = "FILE")]
    vertex_data: Option<String>,
    /// How many workgroups of a compute shader to run; axes left out are 1.
    #[arg(long, value_name = "X,Y,Z", default_value = "1")]
    compute: String,
    /// Print each step of the invocation, and what it changes.
    #[arg(long)]
    trace: bool,
    /// Print each value a variable takes on.
    #[arg(long, value_name = "NAME")]
    watch: Option<String>,
    /// Print the texels that look-ups read, with their weights.
    #[arg(long)]
    texels: bool,
    /// Print how often instructions, look-ups, branches, iterations and calls were run, by line.
    #[arg(long)]
    counters: bool,
    /// Do not look for what the language leaves undefined.
    #[arg(long)]
    no_sanitize: bool,
    /// How numbers behave.
    #[arg(long, value_enum, default_value = "ieee")]
    numerics: NumericsName,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
    /// When to use colour.
    #[arg(long, value_enum, default_value = "auto")]
    color: Color,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NumericsName {
    /// As IEEE 754 has it; denormals are kept.
    Ieee,
    /// Denormals become zero.
    Flush,
    /// Products that are added to are not rounded in between, where the shader does not say `precise`.
    Contract,
    /// What is `mediump` or `lowp` has no more range and precision than is promised: what a phone may do.
    Mediump,
}

impl NumericsName {
    fn numerics(self) -> Numerics {
        match self {
            NumericsName::Ieee => Numerics::IEEE,
            NumericsName::Flush => Numerics { flush_denormals: true, ..Numerics::IEEE },
            NumericsName::Contract => Numerics { contract: true, ..Numerics::IEEE },
            NumericsName::Mediump => Numerics { least_precision: true, ..Numerics::IEEE },
        }
    }
}

/// Serves the command.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.file.ends_with(".shader_test") {
        return shader_test::run(args);
    }
    single::run(args)
}
