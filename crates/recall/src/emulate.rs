//! Fragments on the emulator: what they give out, and which texels they read.

use std::collections::BTreeSet;

use emulator::Sanitizer;
use emulator::ir::Register;
use emulator::observe::TexelLog;
use emulator::sanitize::Finding;
use inquiry::{Inputs, Quad, Shading};
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
    let Some(first) = inputs.first() else { return Ok(Vec::new()) };
    let surroundings = Surroundings::new(&scene.state);
    let mut waves =
        shading(scene, &surroundings, Stage::Fragment).waves::<LANES>(first).map_err(|error| error.to_string())?;
    let ports: Vec<(Port<'_>, Scalar, usize)> = scene
        .program
        .outputs(Stage::Fragment)
        .into_iter()
        .map(|port| {
            let element = port.types.as_array(port.ty).map_or(port.ty, |array| array.element);
            let (scalar, components) = components(element);
            (port, scalar, components)
        })
        .collect();
    let mut all = Vec::with_capacity(inputs.len());
    for part in inputs.chunks(LANES / 4) {
        let own = own_lanes(part);
        let mut log = TexelLog::new(own);
        let wanted = |access: &Access| {
            !access.store && own >> access.lane & 1 == 1 && !matches!(access.spot, Touched::Sampler(_))
        };
        let mut accesses = Accesses::new(&wanted);
        let mut done = Vec::new();
        waves
            .run(part, &quads(part), &mut (&mut log, &mut accesses), &mut |_, wave, lane| {
                let output = pipeline::fragment_output(&scene.program, wave, lane).unwrap_or_default();
                let words = |port: &Port<'_>| {
                    let registers = port.registers.iter();
                    registers.map(|register| wave.register(Register(*register))[lane]).collect::<Vec<u32>>()
                };
                let given: Vec<_> =
                    ports.iter().map(|(port, scalar, count)| (port.name, *scalar, *count, words(port))).collect();
                let given = given.iter().map(|(name, scalar, count, words)| (*name, *scalar, *count, &words[..]));
                done.push((lane, output, outputs.colours(given)));
            })
            .map_err(|error| error.to_string())?;
        for (lane, output, colours) in done {
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

/// What an invocation does that the language leaves undefined, in the order in which it happens.
///
/// # Errors
/// In words why the emulator stopped.
pub fn findings(scene: &Scene, stage: Stage, inputs: &Inputs) -> Result<Vec<Finding>, String> {
    let (Some(lowered), Some(shader)) = (scene.program.lowered(stage), scene.program.shader(stage)) else {
        return Err(none(stage));
    };
    let part = [inputs];
    let mut sanitizer = Sanitizer::new(shader, lowered).only(own_lanes(&part));
    let surroundings = Surroundings::new(&scene.state);
    let mut waves = shading(scene, &surroundings, stage).waves::<LANES>(inputs).map_err(|error| error.to_string())?;
    waves.run(&part, &quads(&part), &mut sanitizer, &mut |_, _, _| {}).map_err(|error| error.to_string())?;
    Ok(sanitizer.into_findings())
}

fn shading<'a>(scene: &'a Scene, surroundings: &'a Surroundings, stage: Stage) -> Shading<'a> {
    Shading { state: &scene.state, surroundings, program: &scene.program, stage }
}

/// Each by itself: what a fragment reads is asked of it alone.
fn quads(part: &[&Inputs]) -> Vec<Quad> {
    part.iter().enumerate().map(|(place, inputs)| Quad::alone(inputs, place)).collect()
}

fn none(stage: Stage) -> String {
    format!("there is no {} shader", stage.name())
}

/// The lanes that are the fragments themselves, and not their neighbours.
fn own_lanes(part: &[&Inputs]) -> u64 {
    part.iter().enumerate().fold(0, |bits, (quad, one)| bits | 1 << (4 * quad + one.lane()))
}
