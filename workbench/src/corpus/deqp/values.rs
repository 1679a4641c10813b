//! Draws a case on the emulator, once for each column of its values.
//!
//! The shaders themselves compare: the last one writes 1 if every output is close enough to its reference. So a column
//! is right when a quad that covers the picture leaves no other colour.

use std::sync::Arc;

use pipeline::{Array, Attribute, DrawCall, DrawError, Mode, Program, State};
use raster::{Color, Framebuffer, PixelFormat, Topology};
use shader::link::LinkOptions;
use shader::version::Stage;

use super::super::case::Case;
use super::super::front_end;
use super::parse::{Role, Spec, Value};

/// Width and height of the picture.
const SIDE: u32 = 4;
/// Two triangles that cover the picture: (x, y) of each corner.
const QUAD: [[f32; 2]; 6] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];

/// The result of a case.
pub enum Outcome {
    /// Every column is right.
    Right,
    /// A column is wrong: its number and colour.
    Wrong(String),
    /// The emulator does not support something yet.
    Unsupported(String),
}

/// Draws every column of a case that is expected to draw.
pub fn run(case: &Case, spec: &Spec) -> Outcome {
    if spec.output_color.is_some() || spec.pipeline {
        return Outcome::Unsupported("colours read by the runner, or pipelines".to_owned());
    }
    let shaders: Vec<Arc<shader::Shader>> = case
        .shaders
        .iter()
        .map(|source| Arc::new(shader::analyze(&source.strings, &front_end::options(case, source.stage))))
        .collect();
    let options = LinkOptions { limits: case.limits.clone(), ..LinkOptions::default() };
    let mut program = match Program::new(shaders, &options) {
        Ok(program) => program,
        Err(refusal) => return Outcome::Unsupported(refusal.to_string()),
    };
    let columns = spec.values.iter().map(|v| v.columns.len()).max().unwrap_or(1);
    for column in 0..columns {
        let colours = match draw(&mut program, spec, column) {
            Ok(colours) => colours,
            Err(DrawError::Unsupported(what)) => return Outcome::Unsupported(what),
            Err(error) => return Outcome::Wrong(format!("column {column}: {error}")),
        };
        if let Some(wrong) = colours.iter().find(|colour| colour[..3].iter().any(|c| *c < 0.99)) {
            return Outcome::Wrong(format!("column {column}: colour {wrong:?}"));
        }
    }
    Outcome::Right
}

/// Returns the colours of all pixels.
fn draw(program: &mut Program, spec: &Spec, column: usize) -> Result<Vec<[f32; 4]>, DrawError> {
    let mut state = State::new(Framebuffer::new(SIDE, SIDE).with_color(PixelFormat::RGBA8));
    let positions: Vec<f32> = QUAD.into_iter().flat_map(|[x, y]| [x, y, 0.0, 1.0]).collect();
    attribute(&mut state, program, "dEQP_Position", 0, &positions, 4);
    for value in &spec.values {
        let Some(numbers) = value.columns.get(column).or(value.columns.first()) else { continue };
        match value.role {
            Role::Input => input(&mut state, program, value, numbers),
            Role::Uniform => uniform(program, &value.name, value, numbers),
            Role::Output => uniform(program, &format!("ref_{}", value.name), value, numbers),
        }
    }
    state.patches.vertices = 3;
    let tessellates = program.has_stage(Stage::TessEvaluation);
    let mode = if tessellates { Mode::Patches } else { Mode::Primitives(Topology::Triangles) };
    pipeline::draw(&mut state, program, &DrawCall::new(mode, 0, QUAD.len() as u32))?;
    let pixels = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
    Ok(pixels
        .map(|(x, y)| match state.framebuffer.color(0, x, y) {
            Some(Color::Float(colour)) => colour,
            _ => [0.0; 4],
        })
        .collect())
}

/// Gives every vertex the same value; the suite writes matrices column by column, as GLSL does.
fn input(state: &mut State, program: &Program, value: &Value, numbers: &[f64]) {
    let rows = match value.kind.strip_prefix("mat") {
        Some(shape) => shape.rsplit('x').next().and_then(|rows| rows.parse().ok()).unwrap_or(4),
        None => numbers.len().max(1),
    };
    for name in [value.name.clone(), format!("a_{}", value.name)] {
        for (column, numbers) in (0..).zip(numbers.chunks(rows)) {
            let each: Vec<f32> = QUAD.iter().flat_map(|_| numbers.iter().map(|n| *n as f32)).collect();
            attribute(state, program, &name, column, &each, rows as u8);
        }
    }
}

fn attribute(state: &mut State, program: &Program, name: &str, column: u32, values: &[f32], size: u8) {
    let Some(location) = program.attribute(name) else { return };
    let buffer = state.add_buffer(values.iter().flat_map(|value| value.to_le_bytes()).collect());
    state.arrays.enabled.insert(Attribute::Generic(location + column), Array::floats(buffer, size));
}

fn uniform(program: &mut Program, name: &str, value: &Value, numbers: &[f64]) {
    let word = |number: f64| match value.kind.as_bytes() {
        [b'b', ..] => u32::from(number != 0.0),
        [b'u', ..] => number as u32,
        [b'i', ..] => number as i32 as u32,
        _ => (number as f32).to_bits(),
    };
    let words: Vec<u32> = numbers.iter().map(|number| word(*number)).collect();
    // A uniform that the program does not use is not active.
    program.set_uniform(name, &words);
}
