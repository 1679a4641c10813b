//! How inputs come into the registers of a wave.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

use emulator::WaveState;
use emulator::ir::{Register, Registers};
use pipeline::{BuiltinUniforms, FixedFunction, Program};
use shader::version::Stage;

use super::quads::Quad;
use crate::Inputs;

/// Where the inputs of a stage are.
pub struct Feeder {
    /// Those that were measured: their number and name, and registers.
    measured: Vec<(usize, String, Registers)>,
    /// Those that say who an invocation is.
    identity: Vec<(Registers, Says)>,
    scratch: Vec<Vec<u32>>,
    later: Option<Later>,
}

/// Built-in uniforms of vertices after a display list changed what they say.
struct Later {
    uniforms: BuiltinUniforms,
    /// What fixed functions are from each of these vertices on.
    moments: Arc<Vec<(u32, FixedFunction)>>,
    /// By the place of a moment: the registers, and their words. Made where a vertex needs them.
    words: BTreeMap<usize, Vec<(Registers, Vec<u32>)>>,
}

/// What a variable of the language says.
#[derive(Clone, Copy)]
enum Says {
    /// A part of the identity.
    Part(usize),
    /// The first three.
    Three,
    /// Where a fragment is: half a pixel from the corner.
    Centre,
}

impl Feeder {
    /// For invocations that were given inputs of the same names as this one.
    pub fn new((program, stage): (&Program, Stage), moments: &Arc<Vec<(u32, FixedFunction)>>, like: &Inputs) -> Feeder {
        let home = |name: &str| program.lowered(stage)?.locate(name);
        let known: &[(&str, Says)] = match stage {
            // Where a fragment is says which fragment it is, even if the shader does not look.
            Stage::Fragment => {
                &[("gl_PrimitiveID", Says::Part(2)), ("gl_SampleID", Says::Part(3)), ("gl_FragCoord", Says::Centre)]
            }
            Stage::Vertex => &[("gl_VertexID", Says::Part(0)), ("gl_InstanceID", Says::Part(1))],
            Stage::Compute => &[("gl_GlobalInvocationID", Says::Three)],
            Stage::Geometry | Stage::TessControl | Stage::TessEvaluation => &[
                ("gl_PrimitiveIDIn", Says::Part(0)),
                ("gl_PrimitiveID", Says::Part(0)),
                ("gl_InvocationID", Says::Part(1)),
            ],
        };
        let identity = known.iter().filter_map(|(name, says)| Some((home(name)?.1, *says))).collect();
        let named = like.named().enumerate();
        let measured = named.filter_map(|(number, (name, _))| Some((number, name.to_owned(), home(name)?.1))).collect();
        let later = (stage == Stage::Vertex && !moments.is_empty()).then(|| Later {
            uniforms: program.builtin_uniforms(stage),
            moments: Arc::clone(moments),
            words: BTreeMap::new(),
        });
        Feeder { measured, identity, scratch: Vec::new(), later }
    }

    /// Gives the lanes of quads their inputs.
    pub fn feed<const W: usize, I: Borrow<Inputs>>(&mut self, wave: &mut WaveState<W>, inputs: &[I], quads: &[Quad]) {
        self.scratch.resize_with(W, Vec::new);
        for (home, says) in &self.identity {
            self.scratch.iter_mut().for_each(Vec::clear);
            for (lane, into) in lanes(quads, &mut self.scratch) {
                says.words(inputs[quads[lane / 4].sources[lane % 4]].borrow(), lane % 4, into);
            }
            set(wave, *home, &self.scratch);
        }
        for (number, name, home) in &self.measured {
            self.scratch.iter_mut().for_each(Vec::clear);
            for (lane, into) in lanes(quads, &mut self.scratch) {
                inputs[quads[lane / 4].sources[lane % 4]].borrow().spread((*number, name), lane % 4, into);
            }
            set(wave, *home, &self.scratch);
        }
        if let Some(later) = &mut self.later {
            for lane in 0..4 * quads.len() {
                later.give(wave, lane, inputs[quads[lane / 4].sources[lane % 4]].borrow());
            }
        }
    }
}

impl Later {
    /// Gives a lane the built-in uniforms of its vertex.
    fn give<const W: usize>(&mut self, wave: &mut WaveState<W>, lane: usize, inputs: &Inputs) {
        let vertex = inputs.who[0].max(0).cast_unsigned();
        let Some(moment) = self.moments.partition_point(|(from, _)| *from <= vertex).checked_sub(1) else { return };
        let (uniforms, fixed) = (&self.uniforms, &self.moments[moment].1);
        let words = self.words.entry(moment).or_insert_with(|| uniforms.words(fixed));
        for (home, words) in words {
            for (register, word) in home.iter().zip(words) {
                let mut all = *wave.register(register);
                all[lane] = *word;
                wave.set(register, all);
            }
        }
    }
}

impl Says {
    fn words(self, inputs: &Inputs, lane: usize, into: &mut Vec<u32>) {
        let who = inputs.who.map(i32::cast_unsigned);
        match self {
            Says::Part(part) => into.push(who[part]),
            Says::Three => into.extend(&who[..3]),
            Says::Centre => {
                let [x, y] = inputs.centre(lane).map(f32::to_bits);
                into.extend([x, y, 0, 1f32.to_bits()]);
            }
        }
    }
}

/// The lanes that quads fill, with what is gathered for them.
fn lanes<'s>(quads: &[Quad], scratch: &'s mut [Vec<u32>]) -> impl Iterator<Item = (usize, &'s mut Vec<u32>)> {
    scratch.iter_mut().enumerate().take(4 * quads.len())
}

fn set<const W: usize>(wave: &mut WaveState<W>, home: Registers, words: &[Vec<u32>]) {
    for (place, register) in home.iter().enumerate() {
        wave.set(Register(register.0), std::array::from_fn(|lane| words[lane].get(place).copied().unwrap_or(0)));
    }
}
