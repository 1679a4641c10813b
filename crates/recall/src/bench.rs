//! Invocations of the stages before fragments, on the emulator.

use std::collections::{BTreeMap, BTreeSet};

use emulator::host::Space;
use emulator::ir::{Instruction, Register, SiteId};
use emulator::wave::{Interest, Observer, WaveState};
use inquiry::{Inputs, Quad, Shading};
use lanes::Mask;
use pipeline::{BoundResources, Port};
use reenact::Scene;
use shader::version::Stage;

use crate::accesses::{Access, Accesses, Touched, place};
use crate::ports::{Output, output};

/// Lanes of a patch: as many as it may have vertices.
const PATCH: usize = 32;

/// A stage of a draw, ready to be run.
pub struct Bench<'s> {
    scene: &'s Scene,
    stage: Stage,
    surroundings: BoundResources,
    ports: Vec<Port<'s>>,
}

/// What an invocation did.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// What it gives on in the end.
    pub outputs: Vec<Output>,
    /// What it gave on with every vertex that it emitted, with its stream.
    pub emitted: Vec<(Vec<Output>, u32)>,
    /// What it read of memory.
    pub loads: Vec<Touched>,
    /// What it read of textures.
    pub texels: Vec<(u32, texture::Texel)>,
}

/// What the control shader made of a patch.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// Words of its outputs by the byte they begin with, and the invocation that wrote them last.
    words: BTreeMap<u32, (u32, usize)>,
    /// What each invocation read.
    pub ran: Vec<Ran>,
}

impl<'s> Bench<'s> {
    /// That of a stage.
    pub fn new(scene: &'s Scene, stage: Stage) -> Bench<'s> {
        let surroundings = BoundResources::new(&scene.state);
        Bench { scene, stage, surroundings, ports: scene.program.outputs(stage) }
    }

    /// Binding points of the stage's blocks.
    pub fn bindings(&self) -> Vec<(Space, u32)> {
        self.scene.program.bindings(self.stage)
    }

    fn shading(&self) -> Shading<'_> {
        let Bench { scene, stage, surroundings, .. } = self;
        let effort = scene.effort.as_ref();
        Shading {
            state: &scene.state,
            moments: &scene.moments,
            surroundings,
            program: &scene.program,
            stage: *stage,
            effort,
        }
    }

    /// Runs an invocation by itself.
    ///
    /// # Errors
    /// When the emulator stopped, with the reason.
    pub fn run(&self, inputs: &Inputs) -> Result<Ran, String> {
        let own = |access: &Access| access.lane == inputs.lane() && !access.store;
        let mut accesses = Accesses::new(&own);
        let mut emissions = Emissions { ports: &self.ports, list: Vec::new() };
        let mut waves = self.shading().waves::<4>(inputs).map_err(|error| error.to_string())?;
        let mut outputs = Vec::new();
        let quad = Quad::alone(inputs, 0);
        let mut watch = (&mut accesses, &mut emissions);
        let ended = waves.run(&[inputs], &[quad], &mut watch, &mut |_, wave, lane| {
            outputs = self.ports.iter().map(|port| output(port, registers(port, wave, lane))).collect();
        });
        ended.map_err(|error| error.to_string())?;
        let emitted = emissions.list;
        Ok(ran(outputs, emitted, accesses))
    }

    /// Runs all invocations of a patch together, in their order.
    ///
    /// # Errors
    /// When the emulator stopped, with the reason.
    pub fn patch(&self, inputs: &[&Inputs]) -> Result<Patch, String> {
        let Some(first) = inputs.first() else { return Ok(Patch::default()) };
        let mut waves = self.shading().waves::<PATCH>(first).map_err(|error| error.to_string())?;
        let list: Vec<&Inputs> = inputs.iter().take(PATCH).copied().collect();
        let quads: Vec<Quad> = (0..list.len())
            .step_by(4)
            .map(|first| Quad {
                sources: std::array::from_fn(|lane| (first + lane).min(list.len() - 1)),
                own: std::array::from_fn(|lane| first + lane < list.len()),
            })
            .collect();
        let mut written = Written::default();
        let own = |access: &Access| !access.store;
        let mut accesses = Accesses::new(&own);
        accesses.number_lanes();
        let mut watch = (&mut accesses, &mut written);
        waves.run(&list, &quads, &mut watch, &mut |_, _, _| {}).map_err(|error| error.to_string())?;
        let loads = |lane: usize| -> Vec<Touched> {
            let own = accesses.list.iter().filter(|access| access.lane == lane).map(|access| access.aspect);
            own.collect::<BTreeSet<Touched>>().into_iter().collect()
        };
        let texels = |lane: usize| {
            let own = accesses.texels.iter().filter(|(who, ..)| who[0] as usize == lane);
            own.map(|(_, handle, texel)| (*handle, *texel)).collect()
        };
        let ran =
            (0..list.len()).map(|lane| Ran { loads: loads(lane), texels: texels(lane), ..Ran::default() }).collect();
        Ok(Patch { words: written.words, ran })
    }

    /// What a patch's control shader gave on: for its vertices, then what belongs to all of it.
    pub fn patch_outputs(&self, patch: &Patch, vertex: Option<u32>) -> Vec<Output> {
        let ports = self.ports.iter().filter(|port| (port.stride != 0) == vertex.is_some());
        let word = |place: &u32, stride: u32| {
            let at = 4 * (place + vertex.unwrap_or(0) * stride);
            patch.words.get(&at).map_or(0, |(word, _)| *word)
        };
        ports.map(|port| output(port, port.registers.iter().map(|place| word(place, port.stride)).collect())).collect()
    }

    /// Which invocations of the control shader wrote what belongs to a vertex, or to the whole patch.
    pub fn writers(&self, patch: &Patch, vertex: Option<u32>) -> BTreeSet<usize> {
        let ports = self.ports.iter().filter(|port| (port.stride != 0) == vertex.is_some());
        let places = ports
            .flat_map(|port| port.registers.iter().map(move |place| 4 * (place + vertex.unwrap_or(0) * port.stride)));
        places.filter_map(|at| patch.words.get(&at).map(|(_, lane)| *lane)).collect()
    }
}

/// Whether invocations of a stage may store anything that others can read.
pub fn may_store(scene: &Scene, stage: Stage) -> bool {
    let outside = |space: Space| matches!(space, Space::Storage | Space::Counter | Space::Generic);
    let stores = |instruction: &Instruction| match instruction {
        Instruction::Write(_, address, _) => outside(address.space),
        Instruction::Atomic(_, _, address, _) | Instruction::WideAtomic(_, _, address, _) => outside(address.space),
        Instruction::Image(_) => true,
        _ => false,
    };
    let Some(lowered) = scene.program.lowered(stage) else { return false };
    let blocks = lowered.functions.iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| &block.instructions).any(stores)
}

/// What invocations of a stage store, of what is wanted: the place of each in the list, and its access.
///
/// # Errors
/// When the emulator stopped, with the reason.
pub fn stores(
    scene: &Scene,
    stage: Stage,
    list: &[&Inputs],
    wanted: &dyn Fn(&Access) -> bool,
) -> Result<Vec<(usize, Access)>, String> {
    let Some(first) = list.first() else { return Ok(Vec::new()) };
    let bench = Bench::new(scene, stage);
    let mut waves = bench.shading().waves::<4>(first).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (place, inputs) in list.iter().enumerate() {
        let own = |access: &Access| access.lane == inputs.lane() && wanted(access);
        let mut accesses = Accesses::new(&own);
        let ended = waves.run(&[*inputs], &[Quad::alone(inputs, 0)], &mut accesses, &mut |_, _, _| {});
        ended.map_err(|error| error.to_string())?;
        all.extend(accesses.list.into_iter().map(|access| (place, access)));
    }
    Ok(all)
}

fn ran(outputs: Vec<Output>, emitted: Vec<(Vec<Output>, u32)>, accesses: Accesses<'_>) -> Ran {
    let loads: BTreeSet<Touched> = accesses.list.iter().map(|access| access.aspect).collect();
    let texels = accesses.texels.into_iter().map(|(_, handle, texel)| (handle, texel)).collect();
    Ran { outputs, emitted, loads: loads.into_iter().collect(), texels }
}

fn registers<const W: usize>(port: &Port<'_>, wave: &WaveState<W>, lane: usize) -> Vec<u32> {
    port.registers.iter().map(|register| wave.register(Register(*register))[lane]).collect()
}

/// What the first lane emits.
struct Emissions<'p> {
    ports: &'p [Port<'p>],
    list: Vec<(Vec<Output>, u32)>,
}

impl<const W: usize> Observer<W> for Emissions<'_> {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<W>) {
        if let Instruction::Emit(stream) = instruction
            && mask.bits() & 1 == 1
        {
            let outputs = self.ports.iter().map(|port| output(port, registers(port, wave, 0))).collect();
            self.list.push((outputs, wave.register(*stream)[0]));
        }
    }
}

/// Who wrote words of a patch.
#[derive(Default)]
struct Written {
    words: BTreeMap<u32, (u32, usize)>,
}

impl<const W: usize> Observer<W> for Written {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn before(&mut self, wave: &WaveState<W>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<W>) {
        let Instruction::Write(width, address, from) = instruction else { return };
        if address.space != Space::Patch {
            return;
        }
        for lane in (0..W).filter(|lane| mask.bits() >> lane & 1 == 1 && wave.helpers().bits() >> lane & 1 == 0) {
            for half in 0..width.registers() {
                if let Some(Touched::Block(_, _, at, _)) = place(wave, address, lane, (half * 4, 4)) {
                    self.words.insert(at, (wave.register(Register(from.0 + half))[lane], lane));
                }
            }
        }
    }
}
