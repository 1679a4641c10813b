//! A shader of the corpus with something to run on.

use std::collections::BTreeMap;

use emulator::host::Space;
use emulator::ir::{Program, Registers};
use emulator::{Host, Wave, lower};
use lanes::{Mask, Numerics};
use shader::Shader;
use shader::qualifier::Storage;
use shader::typed::VarId;
use shader::types::{Scalar, Type};
use testing::random::SplitMix;

use crate::corpus::case::Case;
use crate::corpus::{front_end, piglit};
use crate::setup;

/// Bytes of every buffer.
const BYTES: usize = 512;

/// Buffers that come into being, with numbers in them, when they are asked for.
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

/// A shader and what its inputs and uniforms are.
pub struct Scene {
    /// Its name.
    pub name: String,
    /// It.
    pub shader: Shader,
    /// The world it begins in.
    pub world: World,
    seed: u64,
}

/// Cases that must compile, with the number of one of their shaders, in the order of their hashes.
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
    /// The shader with that number of a case; or why it cannot be run.
    pub fn new(case: &Case, number: usize, seed: u64) -> Result<Scene, String> {
        let source = &case.shaders[number];
        let shader = shader::analyze(&source.strings, &front_end::options(case, source.stage));
        lower(&shader).map_err(|refusal| refusal.what)?;
        Ok(Scene { name: case.name.clone(), shader, world: World::default(), seed })
    }

    /// The shader as a program.
    pub fn program(&self) -> Program {
        lower(&self.shader).expect("lowered before")
    }

    /// Four lanes about to begin, with numbers in all inputs and uniforms.
    pub fn wave<'p>(&self, program: &'p Program) -> Wave<'p, 4> {
        let mut wave = Wave::new(program, Numerics::IEEE);
        // Initializers that do not end leave what they have done so far.
        let _ = wave.initialize(Mask::ALL);
        let mut random = SplitMix::new(self.seed);
        for (index, variable) in self.shader.typed.variables.iter().enumerate() {
            let wanted = matches!(variable.qualifiers.storage, Storage::In | Storage::Uniform);
            let is_input = wanted && variable.constant.is_none() && variable.scope == shader::typed::ScopeId::GLOBAL;
            let Some(home) = program.variable(VarId(index as u32)).filter(|_| is_input) else { continue };
            fill(&mut wave, home, program.variable_types[index], program, &mut random);
        }
        wave.start(Mask::ALL);
        wave
    }
}

fn fill(wave: &mut Wave<'_, 4>, home: Registers, ty: Type, program: &Program, random: &mut SplitMix) {
    let mut kinds = Vec::new();
    scalars(program, ty, &mut kinds);
    let mut at = home.start.0;
    for kind in kinds {
        let words: [u64; 4] = std::array::from_fn(|_| match kind {
            Scalar::Bool => u64::from(random.below(2)),
            Scalar::Int | Scalar::Uint | Scalar::Int64 | Scalar::Uint64 => u64::from(random.below(5)),
            Scalar::Float => u64::from(random.dyadic(-2, 4).to_bits()),
            Scalar::Double => f64::from(random.dyadic(-2, 4)).to_bits(),
        });
        for shift in 0..1 + u32::from(kind.is_64_bit()) {
            wave.set(emulator::ir::Register(at), words.map(|word| (word >> (32 * shift)) as u32));
            at += 1;
        }
    }
}

/// The component types of a type, in order.
fn scalars(program: &Program, ty: Type, all: &mut Vec<Scalar>) {
    if let Some(scalar) = ty.scalar() {
        all.extend(std::iter::repeat_n(scalar, ty.components() as usize));
    } else if let Some(array) = program.types.as_array(ty) {
        (0..array.size.unwrap_or(0)).for_each(|_| scalars(program, array.element, all));
    } else if let Some(structure) = program.types.as_struct(ty) {
        structure.fields.iter().for_each(|field| scalars(program, field.ty, all));
    } else {
        all.push(Scalar::Int);
    }
}
