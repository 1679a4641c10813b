//! `--set name=value`.

use anyhow::{Context, bail};
use emulator::glsl::Stage;
use emulator::ir::{Program, Registers, Scalar, TypeId};
use emulator::{Value, WaveState};
use shader::Shader;

use super::world::World;

/// Words for registers.
pub struct Assignment {
    pub home: Registers,
    pub words: Vec<u32>,
}

impl Assignment {
    /// Puts the words into every lane.
    pub fn apply<const W: usize>(&self, wave: &mut WaveState<W>) {
        for (register, &word) in self.home.iter().zip(&self.words) {
            wave.set(register, [word; W]);
        }
    }
}

/// Reads all assignments: those to variables are returned, those to blocks are done.
pub fn all(shader: &Shader, lowered: &Stage, world: &mut World, texts: &[String]) -> anyhow::Result<Vec<Assignment>> {
    let program = &lowered.program;
    let mut made = Vec::new();
    for text in texts {
        let Some((name, given)) = text.split_once('=') else {
            bail!("--set takes NAME=VALUE, not {text:?}");
        };
        let (name, given) = (name.trim(), given.trim());
        if let Some((ty, home)) = program.locate(name) {
            let value = parse(program, name, ty, given)?;
            made.push(Assignment { home, words: value.words(&program.types) });
        } else if !world.set(shader, &lowered.units[0].types, name, given)? {
            bail!("the shader has no variable {name}, or never uses it");
        }
    }
    Ok(made)
}

/// A value of a type from its components.
pub fn parse(program: &Program, name: &str, ty: TypeId, text: &str) -> anyhow::Result<Value> {
    let kinds = program.types.scalars(ty);
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    // A word that is no number is what is wrong, however many there are.
    let of = |place: usize| kinds.get(place).or(kinds.last()).copied();
    let scalars = words.iter().enumerate().filter_map(|(place, word)| Some(scalar(word, of(place)?, name)));
    let scalars = scalars.collect::<anyhow::Result<Vec<u64>>>()?;
    if words.len() != kinds.len() {
        let wanted = program.types.name(ty);
        bail!("{name} is {wanted}, {} components; it is given {}", kinds.len(), words.len());
    }
    Ok(Value { ty, scalars })
}

/// The bits of a number or truth value.
pub fn scalar(word: &str, kind: Scalar, name: &str) -> anyhow::Result<u64> {
    let number = word.trim_end_matches(['u', 'U']);
    let hex = number.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let bits = match (word, kind) {
        ("true", _) => Some(number_bits(1.0, kind)),
        ("false", _) => Some(0),
        (_, Scalar::F32) => word.parse::<f32>().ok().map(|n| u64::from(n.to_bits())),
        (_, Scalar::F64) => word.parse::<f64>().ok().map(f64::to_bits),
        (_, Scalar::BOOL) => number.parse::<i64>().ok().map(|n| u64::from(n != 0)),
        (_, Scalar::I32) => {
            let hex = hex.and_then(|n| u32::try_from(n).ok());
            number.parse::<i32>().ok().map(|n| n as u32).or(hex).map(u64::from)
        }
        (_, Scalar::U32) => number.parse::<u32>().ok().or(hex.and_then(|n| u32::try_from(n).ok())).map(u64::from),
        (_, Scalar::I64) => number.parse::<i64>().ok().map(|n| n as u64).or(hex),
        (_, Scalar::U64) => number.parse::<u64>().ok().or(hex),
        _ => None,
    };
    bits.with_context(|| format!("{word:?} is no {} for {name}", kind_name(kind)))
}

fn number_bits(number: f64, kind: Scalar) -> u64 {
    match kind {
        Scalar::F32 => u64::from((number as f32).to_bits()),
        Scalar::F64 => number.to_bits(),
        _ => number as u64,
    }
}

fn kind_name(kind: Scalar) -> &'static str {
    match kind {
        Scalar::BOOL => "bool",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::I64 => "int64_t",
        Scalar::U64 => "uint64_t",
        _ => "number",
    }
}
