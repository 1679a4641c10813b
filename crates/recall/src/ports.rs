//! What goes from one stage to the next, by names that both know.

use inquiry::Inputs;
use instrument::variant::{Reading, What};
use pipeline::{Port, Program};
use shader::qualifier::Interpolation;
use shader::types::Scalar;
use shader::version::Stage;

use crate::history::Verdict;
use crate::walk::{words, worse};

/// A value that an invocation gives on.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// Its name; members of blocks have the block's in front.
    pub name: String,
    /// Location and component, if the shader says so.
    pub location: Option<(u32, u32)>,
    /// What it is made of.
    pub scalar: Scalar,
    /// Its words.
    pub words: Vec<u32>,
}

/// A value that an invocation was given.
#[derive(Clone, PartialEq, Debug)]
pub struct Taken {
    /// The name that it has for the stage before.
    pub name: String,
    /// Location and component, if the shader says so.
    pub location: Option<(u32, u32)>,
    /// The vertex of the primitive or patch that it is of, from 0.
    pub vertex: u32,
    /// The word of the value that it begins with.
    pub first: usize,
    /// What it is made of.
    pub scalar: Scalar,
    /// How a fragment shader wants it.
    pub manner: Option<Interpolation>,
    /// Belongs to a patch as a whole.
    pub patch: bool,
    /// Its words.
    pub words: Vec<u32>,
}

/// More vertices no patch has (GL 4.6, table 23.58).
const PATCH: u32 = 32;

/// Finds ports by names as a shader spells them.
struct Finder<'p> {
    program: &'p Program,
    stage: Stage,
    ports: Vec<Port<'p>>,
}

impl<'p> Finder<'p> {
    fn new(program: &'p Program, stage: Stage, ports: Vec<Port<'p>>) -> Finder<'p> {
        Finder { program, stage, ports }
    }

    /// The port, the vertex and the word that a name stands for.
    fn find(&self, name: &str) -> Option<(&Port<'p>, u32, usize)> {
        let (_, home) = self.program.lowered(self.stage)?.locate(name)?;
        self.ports.iter().find_map(|port| {
            let vertices = if port.stride == 0 { 1 } else { PATCH };
            (0..vertices).find_map(|vertex| {
                let own = |register: &u32| register + vertex * port.stride == home.start.0;
                port.registers.iter().position(own).map(|word| (port, vertex, word))
            })
        })
    }
}

/// What an invocation of a stage was given, by the ports of its program.
pub fn taken(program: &Program, stage: Stage, inputs: &Inputs) -> Vec<Taken> {
    let finder = Finder::new(program, stage, program.inputs(stage));
    let one = |name: &str| {
        let (port, vertex, first) = finder.find(name)?;
        Some(Taken {
            name: port.name.to_owned(),
            location: port.location,
            vertex,
            first,
            scalar: scalar(port),
            manner: port.interpolation,
            patch: port.patch || port.name.starts_with("gl_TessLevel"),
            words: inputs.words(name, inputs.lane())?,
        })
    };
    inputs.named().filter_map(|(name, _)| one(name)).collect()
}

/// What invocations gave on, as measured: once, or with every vertex that they emitted, with its stream and the number of
/// the strip it is of.
pub fn given(program: &Program, stage: Stage, reading: &Reading) -> Vec<(Vec<Output>, u32, u32)> {
    let finder = Finder::new(program, stage, program.outputs(stage));
    let (mut all, mut now, mut strip) = (Vec::new(), Vec::new(), 0);
    for record in &reading.records {
        match (&record.what, &record.value) {
            (What::Output(name), Some(value)) => {
                let Some((port, _, first)) = finder.find(name) else { continue };
                let wide = value.ty.scalar().is_some_and(Scalar::is_64_bit);
                let mut words = Vec::new();
                for bits in &value.scalars {
                    words.push(*bits as u32);
                    if wide {
                        words.push((*bits >> 32) as u32);
                    }
                }
                put(&mut now, port, first, words);
            }
            (What::Emit(stream), _) => all.push((std::mem::take(&mut now), *stream, strip)),
            (What::Cut(_), _) => strip += 1,
            _ => {}
        }
    }
    if stage != Stage::Geometry {
        all.push((now, 0, 0));
    }
    all
}

/// Puts words where they are in the value of a port: members of structures come one by one.
fn put(outputs: &mut Vec<Output>, port: &Port<'_>, first: usize, words: Vec<u32>) {
    let known = outputs.iter().position(|output| output.name == port.name);
    let place = known.unwrap_or_else(|| {
        outputs.push(output(port, vec![0; port.registers.len()]));
        outputs.len() - 1
    });
    let own = outputs[place].words.iter_mut().skip(first);
    own.zip(words).for_each(|(own, word)| *own = word);
}

/// A port with a value.
pub fn output(port: &Port<'_>, words: Vec<u32>) -> Output {
    Output { name: port.name.to_owned(), location: port.location, scalar: scalar(port), words }
}

fn scalar(port: &Port<'_>) -> Scalar {
    let mut ty = port.ty;
    while let Some(array) = port.types.as_array(ty) {
        ty = array.element;
    }
    ty.scalar().unwrap_or(Scalar::Float)
}

impl Taken {
    /// The words of the stage before that it should be.
    pub fn source<'o>(&self, outputs: &'o [Output]) -> Option<&'o [u32]> {
        let named = outputs.iter().find(|output| output.name == self.name);
        let placed = || outputs.iter().find(|output| self.location.is_some() && output.location == self.location);
        named.or_else(placed)?.words.get(self.first..self.first + self.words.len())
    }
}

/// Whether what was taken of a vertex is what that one gives on, and how many words are not. Nothing is said of what it
/// does not give on.
pub fn compare(taken: &[Taken], vertex: u32, outputs: &[Output]) -> (Verdict, usize) {
    let mut verdict = Verdict::Unchecked("the next stage takes nothing that this one gives on".to_owned());
    let mut wrong = 0;
    for one in taken.iter().filter(|one| one.vertex == vertex && !one.patch) {
        let Some(source) = one.source(outputs) else { continue };
        for (made, real) in source.iter().zip(&one.words) {
            let word = words(one.scalar == Scalar::Float, *made, *real);
            wrong += usize::from(!word.holds());
            verdict = worse(verdict, word);
        }
    }
    (verdict, wrong)
}

/// Whether two lists of outputs are the same; what only one has does not count.
pub fn same(made: &[Output], real: &[Output]) -> Verdict {
    let mut verdict = Verdict::Unchecked("nothing is given on".to_owned());
    for real in real {
        let Some(made) = made.iter().find(|made| made.name == real.name) else { continue };
        for (made, word) in made.words.iter().zip(&real.words) {
            verdict = worse(verdict, words(real.scalar == Scalar::Float, *made, *word));
        }
    }
    verdict
}

/// Numbers for people.
pub fn shown(scalar: Scalar, words: &[u32]) -> Vec<f64> {
    if scalar == Scalar::Double {
        let wide = |pair: &[u32]| f64::from_bits(u64::from(pair[0]) | u64::from(pair[1]) << 32);
        return words.chunks_exact(2).map(wide).collect();
    }
    let number = |word: &u32| match scalar {
        Scalar::Float => f64::from(f32::from_bits(*word)),
        Scalar::Int => f64::from(word.cast_signed()),
        _ => f64::from(*word),
    };
    words.iter().map(number).collect()
}
