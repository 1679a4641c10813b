//! Fragments on the emulator: what they give out, and which texels they read.

use std::collections::BTreeSet;

use emulator::glsl::Sanitizer;
use emulator::ir::{Instruction, LookupId, Register, SiteId};
use emulator::sanitize::Finding;
use emulator::wave::{Interest, Observer, WaveState};
use inquiry::{Inputs, Quad, Shading};
use instrument::InspectError;
use lanes::Mask;
use pipeline::{BoundResources, Port};
use raster::FragmentOutput;
use reenact::Scene;
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
    pub site: Option<SiteId>,
    /// The sampler's value.
    pub handle: u32,
    /// The texel, and its share in the look-up.
    pub texel: Texel,
}

/// Runs fragments, each with its quad around it; neighbours in the same where that makes no difference.
///
/// # Errors
/// When the emulator stopped, with the reason.
pub fn fragments(scene: &Scene, outputs: &Outputs, inputs: &[&Inputs]) -> Result<Vec<Emulated>, String> {
    let surroundings = BoundResources::new(&scene.state);
    let shading = shading(scene, &surroundings, Stage::Fragment);
    let ran = inquiry::spread(&shading.quads(inputs), |quads| part(&shading, outputs, inputs, quads));
    let mut ran = ran.map_err(|error| error.to_string())?;
    ran.sort_unstable_by_key(|(place, _)| *place);
    Ok(ran.into_iter().map(|(_, emulated)| emulated).collect())
}

/// Runs the fragments of some quads, and says whose inputs they had.
fn part(
    shading: &Shading<'_>,
    outputs: &Outputs,
    inputs: &[&Inputs],
    quads: &[Quad],
) -> Result<Vec<(usize, Emulated)>, InspectError> {
    let Some(first) = inputs.first() else { return Ok(Vec::new()) };
    let mut waves = shading.waves::<LANES>(first)?;
    let ports: Vec<(Port<'_>, Scalar, usize)> = shading
        .program
        .outputs(Stage::Fragment)
        .into_iter()
        .map(|port| {
            let element = port.types.as_array(port.ty).map_or(port.ty, |array| array.element);
            let (scalar, components) = components(element);
            (port, scalar, components)
        })
        .collect();
    let mut all = Vec::with_capacity(inputs.len().min(4 * quads.len()));
    let mut reads = Reads::default();
    for quads in quads.chunks(LANES / 4) {
        let own = own_lanes(quads);
        reads.begin(own);
        let wanted = |access: &Access| !access.store && own >> access.lane & 1 == 1;
        let mut accesses = Accesses::new(&wanted);
        let mut done = Vec::new();
        waves.run(
            inputs,
            quads,
            &mut Watch { reads: &mut reads, accesses: &mut accesses },
            &mut |place, wave, lane| {
                let output = pipeline::fragment_output(shading.program, wave, lane).unwrap_or_default();
                let words = |port: &Port<'_>| {
                    let registers = port.registers.iter();
                    registers.map(|register| wave.register(Register(*register))[lane]).collect::<Vec<u32>>()
                };
                let given: Vec<_> =
                    ports.iter().map(|(port, scalar, count)| (port.name, *scalar, *count, words(port))).collect();
                let given = given.iter().map(|(name, scalar, count, words)| (*name, *scalar, *count, &words[..]));
                done.push((place, lane, output, outputs.colours(given)));
            },
        )?;
        for (place, lane, output, colours) in done {
            let loads: BTreeSet<Touched> =
                accesses.list.iter().filter(|access| access.lane == lane).map(|access| access.aspect).collect();
            let (reads, loads) = (reads.lanes[lane].clone(), loads.into_iter().collect());
            all.push((place, Emulated { output, colours, reads, loads }));
        }
    }
    Ok(all)
}

/// The texels that lanes read, in the order in which they did.
#[derive(Default)]
struct Reads {
    own: u64,
    site: Option<SiteId>,
    lanes: [Vec<Read>; LANES],
}

impl Reads {
    /// Forgets everything, and listens to these lanes.
    fn begin(&mut self, own: u64) {
        self.own = own;
        self.lanes.iter_mut().for_each(Vec::clear);
    }
}

/// Watches texels and accesses to memory; which textures are accessed is said by the texels.
struct Watch<'a, 'f> {
    reads: &'a mut Reads,
    accesses: &'a mut Accesses<'f>,
}

impl Observer<LANES> for Watch<'_, '_> {
    fn interest(&self) -> Interest {
        Interest::ALL
    }

    fn before(
        &mut self,
        wave: &WaveState<LANES>,
        instruction: &Instruction,
        origin: Option<SiteId>,
        mask: &Mask<LANES>,
    ) {
        if matches!(instruction, Instruction::Lookup(_)) {
            self.reads.site = origin;
        }
        self.accesses.before(wave, instruction, origin, mask);
    }

    fn texel(&mut self, _: LookupId, handle: u32, lane: usize, texel: Texel) {
        if self.reads.own >> lane & 1 == 1 {
            self.reads.lanes[lane].push(Read { site: self.reads.site, handle, texel });
        }
    }
}

/// What an invocation does that the language leaves undefined, in the order in which it happens.
///
/// # Errors
/// When the emulator stopped, with the reason.
pub fn findings(scene: &Scene, stage: Stage, inputs: &Inputs) -> Result<Vec<Finding>, String> {
    let (Some(lowered), Some(shader)) = (scene.program.lowered(stage), scene.program.shader(stage)) else {
        return Err(none(stage));
    };
    let quads = [Quad::alone(inputs, 0)];
    let mut sanitizer = Sanitizer::new(shader, lowered).only(own_lanes(&quads));
    let surroundings = BoundResources::new(&scene.state);
    let mut waves = shading(scene, &surroundings, stage).waves::<LANES>(inputs).map_err(|error| error.to_string())?;
    waves.run(&[inputs], &quads, &mut sanitizer, &mut |_, _, _| {}).map_err(|error| error.to_string())?;
    Ok(sanitizer.into_findings())
}

fn shading<'a>(scene: &'a Scene, surroundings: &'a BoundResources, stage: Stage) -> Shading<'a> {
    let effort = scene.effort.as_ref();
    Shading { state: &scene.state, moments: &scene.moments, surroundings, program: &scene.program, stage, effort }
}

fn none(stage: Stage) -> String {
    format!("there is no {} shader", stage.name())
}

/// The lanes that are the fragments themselves, and not their neighbours.
fn own_lanes(quads: &[Quad]) -> u64 {
    let lanes = quads.iter().flat_map(|quad| quad.own).enumerate();
    lanes.fold(0, |bits, (lane, own)| bits | u64::from(own) << lane)
}
