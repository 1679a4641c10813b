//! `afterimage run`: one invocation of a shader on the emulator, or a whole `.shader_test`.

mod shader_test;

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context, bail};
use emulator::ir::{Marker, Program, Registers};
use emulator::wave::{Flow, Observer};
use emulator::{Wave, locate};
use lanes::{Mask, Numerics};
use serde_json::json;
use shader::Shader;
use shader::ast::{NodeId, StmtId};
use shader::types::{Scalar, Type};
use shader::version::{Options, Stage};

use crate::check::{StageName, input};
use crate::cli::Outcome;

/// Blocks after which a shader counts as endless.
const BLOCKS: u64 = 100_000_000;

/// Run a shader on the emulator and print its outputs.
#[derive(clap::Args)]
#[command(after_help = concat!(
    "Examples:\n",
    "  afterimage run wood.frag --set roughness=0.3 --set 'light[0].colour=1,0.5,0'\n",
    "  afterimage run sky.frag --at 320,200 --trace\n",
    "  afterimage run glsl-fs-loop.shader_test --image loop.png\n\n",
    "Exit status: 0 it ran (a test: it passes), 1 it did not end (a test: it fails), 2 it could not be run."
))]
pub struct Args {
    /// A shader file, or - for stdin; or a .shader_test file, whose commands are run and probed.
    #[arg(value_name = "FILE")]
    file: String,
    /// The stage, if the file's name does not tell.
    #[arg(long, value_enum)]
    stage: Option<StageName>,
    /// Give a uniform or input its value: components separated by commas. What is not set is zero.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    values: Vec<String>,
    /// The pixel of a fragment shader (gl_FragCoord is its centre).
    #[arg(long, value_name = "X,Y", default_value = "0,0")]
    at: String,
    /// Print each statement as it is reached.
    #[arg(long)]
    trace: bool,
    /// Write what a .shader_test draws to a PNG file; every pixel is shaded then, not only those probed.
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,
    /// Print one JSON document (docs/json.md).
    #[arg(long)]
    json: bool,
}

/// Serves the command.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.file.ends_with(".shader_test") {
        return shader_test::run(args);
    }
    if args.image.is_some() {
        bail!("--image takes a .shader_test file; a single shader runs for one pixel");
    }
    let shader = read(args)?;
    let program = emulator::lower(&shader).map_err(|refusal| refused(&shader, args, &refusal))?;
    let mut wave: Wave<'_, 4> = Wave::new(&program, Numerics::IEEE);
    let quad = Mask::from_bits(0b1111);
    wave.initialize(quad)?;
    place_quad(&mut wave, &shader, &program, &args.at)?;
    for assignment in &args.values {
        set(&mut wave, &shader, &program, assignment)?;
    }
    let mut trace = Trace { shader: &shader, lines: Vec::new(), on: args.trace };
    let ended = wave.main(quad, BLOCKS, &mut (), &mut trace);
    print(args, &shader, &program, &wave, &trace.lines)?;
    match ended {
        Ok(()) => Ok(Outcome::Done),
        Err(trap) => {
            crate::cli::complain(&trap.to_string());
            Ok(Outcome::No)
        }
    }
}

fn read(args: &Args) -> anyhow::Result<Shader> {
    let file = &args.file;
    let stage = match args.stage {
        Some(stage) => stage.stage(),
        None => input::stage_by_name(file)
            .with_context(|| format!("the name of {file} does not tell its stage; use --stage"))?,
    };
    let shader = shader::analyze(&[input::text(file)?], &Options::new(stage));
    if shader.has_errors() {
        bail!("{file} has errors; `afterimage check {file}` shows them");
    }
    Ok(shader)
}

fn refused(shader: &Shader, args: &Args, refusal: &emulator::Unsupported) -> anyhow::Error {
    let place = refusal.node.map(|node| shader.sources.locate(shader.written(node).start));
    let line = place.map(|p| format!(":{}", p.line)).unwrap_or_default();
    anyhow::anyhow!("{}{line}: {refusal}", args.file)
}

/// Gives the four lanes of a quad their pixels, the chosen one first.
fn place_quad(wave: &mut Wave<'_, 4>, shader: &Shader, program: &Program, at: &str) -> anyhow::Result<()> {
    let numbers: Vec<u32> = at.split(',').map_while(|n| n.trim().parse().ok()).collect();
    let [x, y] = numbers[..] else { bail!("--at takes a pixel such as 320,200, not {at:?}") };
    if let (Stage::Fragment, Some((_, home))) = (shader.stage, locate(shader, program, "gl_FragCoord")) {
        let centre = |n: u32, step: u32| ((n + step) as f32 + 0.5).to_bits();
        wave.set(home.at(0), [0, 1, 0, 1].map(|step| centre(x, step)));
        wave.set(home.at(1), [0, 0, 1, 1].map(|step| centre(y, step)));
        wave.set(home.at(3), [1f32.to_bits(); 4]);
    }
    Ok(())
}

fn set(wave: &mut Wave<'_, 4>, shader: &Shader, program: &Program, assignment: &str) -> anyhow::Result<()> {
    let Some((name, value)) = assignment.split_once('=') else {
        bail!("--set takes NAME=VALUE, not {assignment:?}");
    };
    let Some((ty, home)) = locate(shader, program, name.trim()) else {
        bail!("the shader has no variable {name}, or never uses it");
    };
    let words: Vec<&str> = value.split(',').map(str::trim).collect();
    if words.len() != home.len as usize {
        let wanted = shader.type_name(ty);
        bail!("{name} is {wanted}, {} components; {assignment:?} gives {}", home.len, words.len());
    }
    for (register, word) in home.iter().zip(words) {
        let bits = match (word, ty.scalar()) {
            ("true", _) => Some(1),
            ("false", _) => Some(0),
            (_, Some(Scalar::Float)) => word.parse::<f32>().ok().map(f32::to_bits),
            (_, Some(Scalar::Int | Scalar::Bool)) => word.parse::<i32>().ok().map(|n| n as u32),
            (_, Some(Scalar::Uint)) => word.trim_end_matches('u').parse().ok(),
            _ => bail!("{name} is a {}; set its members or elements one by one", shader.type_name(ty)),
        };
        let Some(bits) = bits else { bail!("{word:?} is no {} for {name}", shader.type_name(ty)) };
        wave.set(register, [bits; 4]);
    }
    Ok(())
}

/// Statements passed by the first lane.
struct Trace<'a> {
    shader: &'a Shader,
    lines: Vec<(u32, String)>,
    on: bool,
}

impl Observer<4> for Trace<'_> {
    fn marker(&mut self, _: &Wave<'_, 4>, marker: Marker, mask: &Mask<4>) -> Flow {
        if let (true, Marker::Statement(id), 1) = (self.on, marker, mask.bits() & 1) {
            self.lines.push(statement(self.shader, id));
        }
        Flow::Continue
    }
}

/// Line and first line of text of a statement.
fn statement(shader: &Shader, id: StmtId) -> (u32, String) {
    let span = shader.written(NodeId::Stmt(id));
    let text = shader.sources.slice(span);
    (shader.sources.locate(span.start).line, text.lines().next().unwrap_or_default().trim_end().to_owned())
}

fn print(
    args: &Args,
    shader: &Shader,
    program: &Program,
    wave: &Wave<'_, 4>,
    trace: &[(u32, String)],
) -> anyhow::Result<()> {
    let discarded = wave.alive().bits() & 1 == 0;
    let outputs = emulator::outputs(shader, program);
    let mut out = std::io::stdout().lock();
    if args.json {
        let values: Vec<_> = outputs
            .iter()
            .map(|(name, ty, home)| {
                json!({ "name": name, "type": shader.type_name(*ty), "value": components(wave, *ty, *home) })
            })
            .collect();
        let steps: Vec<_> = trace.iter().map(|(line, text)| json!({ "line": line, "text": text })).collect();
        let document = json!({ "discarded": discarded, "outputs": values, "trace": steps });
        writeln!(out, "{document:#}")?;
        return Ok(());
    }
    for (line, text) in trace {
        writeln!(out, "{line:6}  {text}")?;
    }
    for (name, ty, home) in outputs {
        writeln!(out, "{name} = {}({})", shader.type_name(ty), components(wave, ty, home).join(", "))?;
    }
    if discarded {
        writeln!(out, "discarded")?;
    }
    Ok(())
}

/// The components of the first lane's value, as text that keeps every bit of them.
fn components(wave: &Wave<'_, 4>, ty: Type, home: Registers) -> Vec<String> {
    let text = |word: u32| match ty.scalar() {
        Some(Scalar::Float) => f32::from_bits(word).to_string(),
        Some(Scalar::Int) => (word as i32).to_string(),
        Some(Scalar::Bool) => (word != 0).to_string(),
        _ => word.to_string(),
    };
    home.iter().map(|register| text(wave.register(register)[0])).collect()
}
