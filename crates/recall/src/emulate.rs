//! Fragments on the emulator: what they give out, and which texels they read.

use std::collections::BTreeSet;

use emulator::ir::Register;
use emulator::observe::TexelLog;
use inquiry::Inputs;
use lanes::Mask;
use pipeline::{Port, Surroundings};
use raster::FragmentOutput;
use reenact::Scene;
use shader::ast::ExprId;
use shader::types::Scalar;
use shader::version::Stage;
use texture::Texel;

use crate::accesses::{Access, Accesses, Touched};
use crate::outputs::{Colours, Outputs, components};

/// Lanes of a wave: four quads.
const LANES: usize = 16;

/// Blocks of instructions after which an invocation counts as endless.
const BUDGET: u64 = 50_000_000;

/// What became of a fragment on the emulator.
#[derive(Clone, Debug)]
pub struct Emulated {
    /// What it gives out besides colours.
    pub output: FragmentOutput,
    /// The colours.
    pub colours: Colours,
    /// The texels that it read.
    pub reads: Vec<Read>,
    /// What it read of blocks and images.
    pub loads: Vec<Touched>,
}

/// A texel that a fragment read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Read {
    /// The look-up.
    pub expr: Option<ExprId>,
    /// The sampler's value.
    pub handle: u32,
    /// The texel, and its share in the look-up.
    pub texel: Texel,
}

/// Runs fragments, each with its quad around it.
///
/// # Errors
/// In words why the emulator stopped.
pub fn fragments(scene: &Scene, outputs: &Outputs, inputs: &[&Inputs]) -> Result<Vec<Emulated>, String> {
    let stage = Stage::Fragment;
    let program = &scene.program;
    let stopped = |why: &dyn std::fmt::Display| format!("the emulator stopped: {why}");
    let prepared = pipeline::solo::<LANES>(&scene.state, program, stage).map_err(|trap| stopped(&trap))?;
    let wave = prepared.ok_or("there is no fragment shader")?;
    let world = Surroundings::new(&scene.state).world(&scene.state, program, stage);
    let world = world.ok_or("there is no fragment shader")?;
    let (Some(lowered), Some(shader)) = (program.lowered(stage), program.shader(stage)) else {
        return Err("there is no fragment shader".to_owned());
    };
    // All of one draw have the same inputs.
    let names: Vec<&str> = inputs.first().map_or(Vec::new(), |first| first.named().map(|(name, _)| name).collect());
    let homes: Vec<(&str, Vec<Register>)> = names
        .into_iter()
        .filter_map(|name| Some((name, emulator::locate(shader, lowered, name)?.1.iter().collect())))
        .collect();
    let primitive = emulator::locate(shader, lowered, "gl_PrimitiveID").map(|(_, home)| home);
    let ports: Vec<(Port<'_>, Scalar, usize)> = program
        .outputs(stage)
        .into_iter()
        .map(|port| {
            let element = port.types.as_array(port.ty).map_or(port.ty, |array| array.element);
            let (scalar, components) = components(element);
            (port, scalar, components)
        })
        .collect();
    let mut all = Vec::with_capacity(inputs.len());
    for part in inputs.chunks(LANES / 4) {
        let (mut wave, mut world) = (wave.clone(), world.clone());
        let own = own_lanes(part);
        let mut log = TexelLog::new(own);
        let wanted = |access: &Access| {
            !access.store && own >> access.lane & 1 == 1 && !matches!(access.spot, Touched::Sampler(_))
        };
        let mut accesses = Accesses::new(&wanted);
        for (name, home) in &homes {
            let words: Vec<Vec<u32>> = (0..LANES)
                .map(|lane| part.get(lane / 4).and_then(|one| one.words(name, lane % 4)).unwrap_or_default())
                .collect();
            for (place, register) in home.iter().enumerate() {
                wave.set(*register, std::array::from_fn(|lane| words[lane].get(place).copied().unwrap_or(0)));
            }
        }
        for register in primitive.iter().flat_map(|home| home.iter()) {
            let number = |lane: usize| part.get(lane / 4).map_or(0, |one| one.who[2].cast_unsigned());
            wave.set(register, std::array::from_fn(number));
        }
        wave.set_helpers(Mask::from_bits(!own & ((1 << LANES) - 1)));
        wave.main(Mask::ALL, BUDGET, &mut world, &mut (&mut log, &mut accesses)).map_err(|trap| stopped(&trap))?;
        for (quad, one) in part.iter().enumerate() {
            let lane = 4 * quad + one.lane();
            let output = pipeline::fragment_output(program, &wave, lane);
            let (output, _) = output.ok_or("there is no fragment shader")?;
            let given: Vec<(&str, Scalar, usize, Vec<u32>)> = ports
                .iter()
                .map(|(port, scalar, components)| {
                    let words = port.registers.iter().map(|register| wave.register(Register(*register))[lane]);
                    (port.name, *scalar, *components, words.collect())
                })
                .collect();
            let given = given.iter().map(|(name, scalar, components, words)| (*name, *scalar, *components, &words[..]));
            let colours = outputs.colours(given);
            let records = log.records().iter().filter(|record| record.lane == lane);
            let reads = records.flat_map(|record| {
                record.texels.iter().map(|texel| Read { expr: record.expr, handle: record.handle, texel: *texel })
            });
            let loads: BTreeSet<Touched> =
                accesses.list.iter().filter(|access| access.lane == lane).map(|access| access.spot).collect();
            all.push(Emulated { output, colours, reads: reads.collect(), loads: loads.into_iter().collect() });
        }
    }
    Ok(all)
}

/// The lanes that are the fragments themselves, and not their neighbours.
fn own_lanes(part: &[&Inputs]) -> u64 {
    part.iter().enumerate().fold(0, |bits, (quad, one)| bits | 1 << (4 * quad + one.lane()))
}
