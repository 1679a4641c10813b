//! Runs a case on the emulator: each column of its values through both shaders.
//!
//! The shaders themselves compare: the runner's fragment shader writes 1 if every output is close enough to its
//! reference. So a column is right when the colour is 1.

use std::sync::Arc;

use emulator::ir::{Program, Registers, Scalar};
use emulator::{Wave, WaveState};
use lanes::{Mask, Numerics};

use super::super::case::Case;
use super::super::front_end;
use super::parse::{Role, Spec};

/// Enough blocks for any case of the suite; one that needs more does not terminate.
const BLOCKS: u64 = 1_000_000;

/// The result of a case.
pub enum Outcome {
    /// Every column is right.
    Right,
    /// A column is wrong: its number and colour.
    Wrong(String),
    /// The emulator does not support something yet.
    Unsupported(String),
}

/// Runs every column of a case that is expected to draw.
pub fn run(case: &Case, spec: &Spec) -> Outcome {
    let mut stages = Vec::new();
    for source in &case.shaders {
        let shader = shader::analyze(&source.strings, &front_end::options(case, source.stage));
        match emulator::glsl::lower(&shader) {
            Ok(program) => stages.push(program),
            Err(refusal) => return Outcome::Unsupported(refusal.what),
        }
    }
    let columns = spec.values.iter().map(|v| v.columns.len()).max().unwrap_or(1);
    for column in 0..columns {
        match run_column(&stages, spec, column) {
            Ok(colour) if colour.iter().all(|c| *c > 0.99) => {}
            Ok(colour) => return Outcome::Wrong(format!("column {column}: colour {colour:?}")),
            Err(why) => return Outcome::Wrong(format!("column {column}: {why}")),
        }
    }
    Outcome::Right
}

fn run_column(stages: &[Arc<Program>], spec: &Spec, column: usize) -> Result<[f32; 3], String> {
    let mut passed: Vec<(String, Vec<u32>)> = Vec::new();
    let mut colour = [0.0; 3];
    for program in stages {
        let mut wave: Wave<4> = Wave::new(program, Numerics::IEEE);
        let all = Mask::from_bits(0b1111);
        wave.initialize(all).map_err(|t| t.to_string())?;
        for value in &spec.values {
            let Some(numbers) = value.columns.get(column).or(value.columns.first()) else { continue };
            let names = match value.role {
                Role::Input => vec![value.name.clone(), format!("a_{}", value.name)],
                Role::Uniform => vec![value.name.clone()],
                Role::Output => vec![format!("ref_{}", value.name)],
            };
            for name in names {
                if let Some((ty, home)) = program.locate(&name) {
                    set(&mut wave, program.types.scalar(ty), home, numbers);
                }
            }
        }
        for (name, words) in &passed {
            if let Some((_, home)) = program.locate(name) {
                home.iter().zip(words).for_each(|(register, word)| wave.set(register, [*word; 4]));
            }
        }
        wave.main(all, BLOCKS, &mut (), &mut ()).map_err(|t| t.to_string())?;
        let words = |home: Registers| home.iter().map(|r| wave.register(r)[0]).collect();
        passed = program.outputs().map(|(variable, home)| (variable.name.clone(), words(home))).collect();
        for name in ["gl_FragColor", "dEQP_FragColor"] {
            if let Some((_, home)) = program.locate(name) {
                colour = std::array::from_fn(|i| f32::from_bits(wave.register(home.at(i as u32))[0]));
            }
        }
    }
    Ok(colour)
}

/// Sets every lane to the same value; the suite writes matrices column by column, as GLSL does.
fn set(wave: &mut WaveState<4>, scalar: Option<Scalar>, home: Registers, numbers: &[f64]) {
    for (register, &number) in home.iter().zip(numbers) {
        let word = match scalar {
            Some(Scalar::F32) => (number as f32).to_bits(),
            Some(Scalar::U32) => number as u32,
            Some(Scalar::BOOL) => u32::from(number != 0.0),
            _ => number as i32 as u32,
        };
        wave.set(register, [word; 4]);
    }
}
