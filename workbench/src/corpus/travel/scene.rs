//! A shader of the corpus with an environment to run in.

use std::collections::BTreeMap;
use std::sync::Arc;

use emulator::glsl::lower;
use emulator::host::Space;
use emulator::ir::{Program, Registers, Scalar, TypeId};
use emulator::{Host, Wave, WaveState};
use lanes::{Mask, Numerics};
use shader::Shader;
use shader::qualifier::Storage;
use testing::random::SplitMix;

use crate::corpus::case::Case;
use crate::corpus::{front_end, piglit};
use crate::setup;

/// Size of every buffer in bytes.
const BYTES: usize = 512;

/// Buffers that are created with pseudo-random contents at first use.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct World(BTreeMap<(Space, u32), Vec<u8>>);

impl Host for World {
    fn copy_bytes(&self) -> usize {
        self.0.len() * (BYTES + 64)
    }

    fn buffer(&mut self, space: Space, slot: u32) -> &mut [u8] {
        self.0.entry((space, slot)).or_insert_with(|| {
            let mut random = SplitMix::new(u64::from(slot));
            (0..BYTES / 4).flat_map(|_| random.dyadic(0, 2).to_le_bytes()).collect()
        })
    }
}

/// A shader with its inputs and uniforms.
pub struct Scene {
    /// Its name.
    pub name: String,
    /// The shader.
    pub shader: Arc<Shader>,
    /// Its initial environment.
    pub world: World,
    seed: u64,
}

/// Returns cases that must compile, with the index of one of their shaders, in the order of their hashes.
pub fn subjects(seed: u64) -> anyhow::Result<Vec<(Case, usize)>> {
    let mut all = Vec::new();
    for case in piglit::read(&setup::piglit_dir())?.cases {
        if !case.expect.passes() {
            continue;
        }
        all.extend((0..case.shaders.len()).map(|number| (case.clone(), number)));
    }
    all.sort_by_cached_key(|(case, stage)| {
        *blake3::hash(format!("{seed} {stage} {}", case.name).as_bytes()).as_bytes()
    });
    Ok(all)
}

impl Scene {
    /// Creates a scene from the shader with that index of a case; or returns why it cannot be run.
    pub fn new(case: &Case, number: usize, seed: u64) -> Result<Scene, String> {
        let source = &case.shaders[number];
        let shader = Arc::new(shader::analyze(&source.strings, &front_end::options(case, source.stage)));
        lower(&shader).map_err(|refusal| refusal.what)?;
        Ok(Scene { name: case.name.clone(), shader, world: World::default(), seed })
    }

    /// Returns the lowered program.
    pub fn program(&self) -> Arc<Program> {
        lower(&self.shader).expect("the shader was lowered before")
    }

    /// Returns four lanes at their start, with values in all inputs and uniforms.
    pub fn wave(&self, program: &Arc<Program>) -> Wave<4> {
        let mut wave = Wave::new(program, Numerics::IEEE);
        // Initializers that do not terminate leave their results so far.
        let _ = wave.initialize(Mask::ALL);
        let mut random = SplitMix::new(self.seed);
        for (variable, row) in self.shader.typed.variables.iter().zip(program.unit_variables(0)) {
            let wanted = matches!(variable.qualifiers.storage, Storage::In | Storage::Uniform);
            let is_input = wanted && variable.constant.is_none() && variable.scope == shader::typed::ScopeId::GLOBAL;
            let Some(home) = row.registers().filter(|_| is_input) else { continue };
            fill(&mut wave, home, row.ty, program, &mut random);
        }
        wave.start(Mask::ALL);
        wave
    }
}

fn fill(wave: &mut WaveState<4>, home: Registers, ty: TypeId, program: &Program, random: &mut SplitMix) {
    let mut at = home.start.0;
    for kind in program.types.scalars(ty) {
        let words: [u64; 4] = std::array::from_fn(|_| match kind {
            Scalar::BOOL => u64::from(random.below(2)),
            Scalar::F32 => u64::from(random.dyadic(-2, 4).to_bits()),
            Scalar::F64 => f64::from(random.dyadic(-2, 4)).to_bits(),
            _ => u64::from(random.below(5)),
        });
        for shift in 0..kind.width.registers() {
            wave.set(emulator::ir::Register(at), words.map(|word| (word >> (32 * shift)) as u32));
            at += 1;
        }
    }
}
