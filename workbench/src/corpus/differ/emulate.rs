//! The emulator's image of a scene.

use emulator::host::{At, Host};
use emulator::ir::{Instruction, Register, SiteId};
use emulator::wave::{Interest, Observer};
use emulator::{Wave, WaveState};
use lanes::{Mask, Numerics, Op2, Op3};
use raster::{Draw, Fragment, Framebuffer, Pipeline, QuadOutput, Topology, Vertex};

use texture::{Filtering, Sampler, Texture};

use lab::surround::Word;
use testing::random::SplitMix;

use super::scene::{BuiltinInput, Scene};
use super::values::{SIDE, TILES, tile_at};

/// Lanes at a time: four quads.
const LANES: usize = 16;
/// Maximum number of blocks before a shader counts as not terminating.
const BLOCKS: u64 = 200_000;
/// The value of an unwritten output: a NaN that is never computed.
const UNWRITTEN: u32 = 0x7fb5_a7e1;

/// A pixel of one output.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Pixel {
    /// Its words.
    pub words: [u32; 4],
    /// Bits of the words that the shader wrote.
    pub written: u8,
}

/// An image: for each output its pixels, rows from the bottom up.
pub struct Picture {
    /// By output.
    pub outputs: Vec<Vec<Pixel>>,
    /// Pixels that were discarded.
    pub discarded: Vec<bool>,
}

impl Picture {
    /// Returns a hash of its bits; all NaNs are equal, because their payloads are not guaranteed.
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for pixel in self.outputs.iter().flatten() {
            for word in pixel.words {
                let word = if f32::from_bits(word).is_nan() { f32::NAN.to_bits() } else { word };
                hasher.update(&word.to_le_bytes());
            }
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

/// How to run; the default is unperturbed.
#[derive(Clone, Default)]
struct Run<'a> {
    numerics: Numerics,
    /// Perturbs inputs, unless zero.
    seed: u64,
    /// The only pixels of interest, in order; the others of their quads are drawn too.
    only: Option<&'a [usize]>,
    /// How textures are filtered.
    filtering: Filtering,
}

/// The words of each uniform, tile by tile.
type Uniforms = Vec<Vec<Vec<u32>>>;

/// What is the same for a whole image.
struct Setting<'a> {
    scene: &'a Scene,
    uniforms: Uniforms,
    /// The samplers of the scene's textures, with the filtering of the run.
    samplers: Vec<Sampler>,
}

struct QuadInputs {
    fragments: [Fragment; 4],
    varyings: Vec<[f32; 4]>,
    primitive: u32,
}

/// Draws a scene.
///
/// # Errors
/// When the shader did not terminate.
pub fn picture(scene: &Scene) -> Result<Picture, String> {
    watched(scene, &Run::default(), &mut (), &mut |(), _, _| {})
}

/// Draws some pixels of a scene with perturbed numbers: float inputs and uniforms are moved by one ulp, up or down
/// depending on the seed, and operations as `numerics` does.
///
/// # Errors
/// When the shader did not terminate.
pub fn disturbed(scene: &Scene, numerics: Numerics, seed: u64, only: &[usize]) -> Result<Picture, String> {
    watched(scene, &Run { numerics, seed, only: Some(only), filtering: Filtering::Exact }, &mut (), &mut |(), _, _| {})
}

/// Draws a scene with hardware-like texture filtering: eight bits for the position between two texels.
///
/// # Errors
/// When the shader did not terminate.
pub fn coarsely_filtered(scene: &Scene, only: &[usize]) -> Result<Picture, String> {
    watched(
        scene,
        &Run { only: Some(only), filtering: Filtering::WeightBits(8), ..Run::default() },
        &mut (),
        &mut |(), _, _| {},
    )
}

/// Draws a scene and finds the pixels that depend on something undefined.
///
/// # Errors
/// When the shader did not terminate.
pub fn undefined(scene: &Scene, only: &[usize]) -> Result<Vec<bool>, String> {
    let mut found = vec![false; usize::from(SIDE) * usize::from(SIDE)];
    let mut note = |seen: &mut Undefined, lane: usize, at: usize| found[at] |= seen.0 >> lane & 1 == 1;
    watched(scene, &Run { only: Some(only), ..Run::default() }, &mut Undefined(0), &mut note)?;
    Ok(found)
}

/// Draws, and passes the observer's result for each lane that is a pixel.
fn watched<O: Observer<LANES> + Reset>(
    scene: &Scene,
    run: &Run<'_>,
    observer: &mut O,
    note: &mut dyn FnMut(&mut O, usize, usize),
) -> Result<Picture, String> {
    let mut quads = quads(scene);
    if let Some(only) = run.only {
        quads.retain(|quad| quad.fragments.iter().any(|f| !f.is_helper() && only.binary_search(&place(f)).is_ok()));
    }
    let count = usize::from(SIDE) * usize::from(SIDE);
    let mut picture =
        Picture { outputs: vec![vec![Pixel::default(); count]; scene.outputs.len()], discarded: vec![false; count] };
    let tiles = u32::from(TILES) * u32::from(TILES);
    let setting = Setting {
        scene,
        uniforms: scene.leaves.iter().map(|leaf| (0..tiles).map(|tile| leaf.words(tile)).collect()).collect(),
        samplers: scene.textures.iter().map(|(_, s)| Sampler { filtering: run.filtering, ..*s }).collect(),
    };
    for batch in quads.chunks(LANES / 4) {
        observer.reset();
        shade(&setting, run, batch, &mut picture, observer)?;
        for lane in 0..batch.len() * 4 {
            let fragment = &batch[lane / 4].fragments[lane % 4];
            if !fragment.is_helper() {
                note(observer, lane, place(fragment));
            }
        }
    }
    Ok(picture)
}

/// Returns the quads of two triangles that cover the image, with the ramps among the inputs.
fn quads(scene: &Scene) -> Vec<QuadInputs> {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let vertex = |(x, y): (f32, f32)| {
        let ramp = |(_, word): &(_, Word)| match *word {
            Word::Ramp { base, right, up } => base + right * x + up * y,
            Word::Flat { .. } | Word::FlatInteger { .. } => 0.0,
        };
        Vertex::new([x, y, 0.0, 1.0], scene.words.iter().map(ramp).collect())
    };
    let vertices: Vec<Vertex> = corners.into_iter().map(vertex).collect();
    let side = u32::from(SIDE);
    let pipeline = Pipeline::new(side, side);
    let draw =
        Draw { pipeline: &pipeline, topology: Topology::TriangleFan, vertices: &vertices, indices: None, only: None };
    let mut found = Vec::new();
    let mut framebuffer = Framebuffer::new(side, side);
    raster::draw(
        &draw,
        &mut |quad| {
            let (fragments, varyings) = (quad.fragments, quad.varyings.to_vec());
            found.push(QuadInputs { fragments, varyings, primitive: quad.primitive.id });
            QuadOutput::default()
        },
        &mut framebuffer,
    );
    found
}

fn shade(
    setting: &Setting<'_>,
    run: &Run<'_>,
    batch: &[QuadInputs],
    picture: &mut Picture,
    observer: &mut dyn Observer<LANES>,
) -> Result<(), String> {
    let scene = setting.scene;
    let bits = (1u64 << (batch.len() * 4)) - 1;
    let all: Mask<LANES> = Mask::from_bits(bits);
    let mut wave: Wave<LANES> = Wave::new(&scene.program, run.numerics.clone());
    // Before the initializers, which may read them, and after, because a uniform's own would win.
    set_inputs(setting, run.seed, batch, &mut wave);
    wave.initialize(all).map_err(|trap| trap.to_string())?;
    set_inputs(setting, run.seed, batch, &mut wave);
    let helper = |lane: usize| u64::from(batch[lane / 4].fragments[lane % 4].is_helper()) << lane;
    wave.set_helpers(Mask::from_bits((0..batch.len() * 4).map(helper).sum()));
    for home in &scene.results {
        home.iter().for_each(|register| wave.set(register, [UNWRITTEN; LANES]));
    }
    wave.main(all, BLOCKS, &mut Surroundings { setting, batch }, observer).map_err(|trap| trap.to_string())?;
    // A demoted fragment is a helper invocation from then on.
    let (alive, helpers) = (wave.alive().bits(), wave.helpers().bits());
    for lane in 0..batch.len() * 4 {
        let fragment = &batch[lane / 4].fragments[lane % 4];
        if fragment.is_helper() {
            continue;
        }
        let at = place(fragment);
        picture.discarded[at] = alive >> lane & 1 == 0 || helpers >> lane & 1 == 1;
        for (output, home) in scene.results.iter().enumerate() {
            let pixel = &mut picture.outputs[output][at];
            for (i, register) in home.iter().take(4).enumerate() {
                let word = wave.register(register)[lane];
                pixel.words[i] = word;
                pixel.written |= u8::from(word != UNWRITTEN) << i;
            }
        }
    }
    Ok(())
}

fn place(fragment: &Fragment) -> usize {
    fragment.y as usize * usize::from(SIDE) + fragment.x as usize
}

/// Observers that are reset with each wave.
trait Reset {
    fn reset(&mut self) {}
}

impl Reset for () {}

/// Lanes that computed something undefined: an index out of bounds, an integer division by zero, a remainder of
/// negative numbers, a shift that is too wide, a clamp to an empty range, interpolation outside of the pixel, a
/// conversion out of range, anything that gives NaN.
struct Undefined(u64);

impl Reset for Undefined {
    fn reset(&mut self) {
        self.0 = 0;
    }
}

impl Observer<LANES> for Undefined {
    fn interest(&self) -> Interest {
        Interest::INSTRUCTIONS
    }

    fn before(&mut self, wave: &WaveState<LANES>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<LANES>) {
        let word = |register: Register, lane: usize| wave.register(register)[lane];
        let float = |register: Register, lane: usize| f32::from_bits(word(register, lane));
        let bad = |lane: usize| match *instruction {
            Instruction::Bound(_, index, count) => word(index, lane) >= count,
            Instruction::Binary(Op2::SDiv | Op2::UDiv | Op2::URem, _, _, b) => word(b, lane) == 0,
            Instruction::Binary(Op2::SRem, _, a, b) => (word(a, lane) as i32) < 0 || word(b, lane) as i32 <= 0,
            Instruction::Binary(Op2::Shl | Op2::SShr | Op2::UShr, _, _, b) => word(b, lane) >= 32,
            Instruction::Ternary(Op3::FClamp, _, _, low, high) => float(low, lane) > float(high, lane),
            Instruction::Ternary(Op3::SClamp, _, _, low, high) => word(low, lane) as i32 > word(high, lane) as i32,
            Instruction::Ternary(Op3::UClamp, _, _, low, high) => word(low, lane) > word(high, lane),
            // Implementations need not support larger offsets (GLSL 4.60, 8.14.2; MIN_FRAGMENT_INTERPOLATION_OFFSET).
            Instruction::AtOffset(_, _, x, y) => [x, y].iter().any(|r| float(*r, lane).abs() >= 0.5),
            Instruction::Convert(lanes::Scalar::F32, lanes::Scalar::I32, _, a) => {
                !(-2_147_483_648.0..2_147_483_648.0).contains(&f32::from_bits(word(a, lane)))
            }
            Instruction::Convert(lanes::Scalar::F32, lanes::Scalar::U32, _, a) => {
                !(-1.0..4_294_967_296.0).contains(&f32::from_bits(word(a, lane)))
            }
            _ => false,
        };
        self.0 |= bits_where(bad) & mask.bits();
    }

    fn after(&mut self, wave: &WaveState<LANES>, instruction: &Instruction, _: Option<SiteId>, mask: &Mask<LANES>) {
        let (name, to) = match *instruction {
            Instruction::Unary(op, to, _) => (format!("{op:?}"), to),
            Instruction::Binary(op, to, ..) => (format!("{op:?}"), to),
            Instruction::Ternary(op, to, ..) => (format!("{op:?}"), to),
            _ => return,
        };
        // Names of float operations start with F; those that find a bit are not among them.
        if name.starts_with('F') && !name.starts_with("Find") {
            self.0 |= bits_where(|lane| f32::from_bits(wave.register(to)[lane]).is_nan()) & mask.bits();
        }
    }
}

fn bits_where(holds: impl Fn(usize) -> bool) -> u64 {
    (0..LANES).map(|lane| u64::from(holds(lane)) << lane).sum()
}

fn set_inputs(setting: &Setting<'_>, seed: u64, batch: &[QuadInputs], wave: &mut WaveState<LANES>) {
    let scene = setting.scene;
    let fragment = |lane: usize| batch.get(lane / 4).map(|quad| &quad.fragments[lane % 4]);
    let tile = |lane: usize| fragment(lane).map_or(0, |f| tile_at(f.x, f.y));
    let mut nudge = Nudge::new(seed);
    for (index, (register, word)) in scene.words.iter().enumerate() {
        let values = std::array::from_fn(|lane| {
            let Some(quad) = batch.get(lane / 4) else { return 0 };
            match *word {
                Word::Ramp { .. } => quad.varyings[index][lane % 4].to_bits(),
                Word::Flat { base, step } => (base + step * tile(lane) as f32).to_bits(),
                Word::FlatInteger { base, step } => base.wrapping_add(step * tile(lane) as i32) as u32,
            }
        });
        let float = !matches!(word, Word::FlatInteger { .. });
        wave.set(*register, if float { nudge.apply(values) } else { values });
    }
    let tiles: [usize; LANES] = std::array::from_fn(|lane| tile(lane) as usize);
    for ((leaf, home), words) in
        scene.leaves.iter().zip(&scene.homes).zip(&setting.uniforms).filter(|((_, home), _)| home.len > 0)
    {
        for (i, register) in home.iter().enumerate() {
            let values = tiles.map(|tile| words[tile][i]);
            let float = leaf.channel == driver::Channel::Float;
            wave.set(register, if float { nudge.apply(values) } else { values });
        }
    }
    for (number, register) in (0..).zip(&scene.samplers) {
        wave.set(*register, [number; LANES]);
    }
    for (home, builtin) in &scene.builtins {
        for (i, register) in home.iter().enumerate() {
            let values = std::array::from_fn(|lane| {
                let Some(f) = fragment(lane) else { return 0 };
                match builtin {
                    BuiltinInput::FragCoord => frag_coord(scene, f)[i].to_bits(),
                    BuiltinInput::FrontFacing => 1,
                    BuiltinInput::PrimitiveId => batch[lane / 4].primitive,
                    BuiltinInput::HelperInvocation => u32::from(f.is_helper()),
                    BuiltinInput::Zero => 0,
                    BuiltinInput::SamplePosition => 0.5f32.to_bits(),
                    BuiltinInput::SampleMaskIn => u32::from(!f.is_helper()),
                    BuiltinInput::DepthRange => [0f32, 1.0, 1.0][i.min(2)].to_bits(),
                }
            });
            wave.set(register, values);
        }
    }
}

/// What fragments can query besides their inputs: inputs at other positions of the pixel.
struct Surroundings<'a> {
    setting: &'a Setting<'a>,
    batch: &'a [QuadInputs],
}

impl Host for Surroundings<'_> {
    fn texture(&self, handle: u32) -> Option<(&Texture, &Sampler)> {
        let (texture, _) = self.setting.scene.textures.get(handle as usize)?;
        Some((texture, self.setting.samplers.get(handle as usize)?))
    }

    fn interpolate(&self, input: Register, lane: usize, at: At) -> Option<u32> {
        let fragment = &self.batch.get(lane / 4)?.fragments[lane % 4];
        let (_, word) = self.setting.scene.words.iter().find(|(register, _)| *register == input)?;
        let Word::Ramp { base, right, up } = *word else { return None };
        // With one sample per pixel, sample and centroid are its centre.
        let offset = if let At::Offset(offset) = at { offset } else { [0.0; 2] };
        let place =
            |pixel: u32, offset: f32| (f64::from(pixel) + 0.5 + f64::from(offset)) * 2.0 / f64::from(SIDE) - 1.0;
        let (x, y) = (place(fragment.x, offset[0]), place(fragment.y, offset[1]));
        Some(((f64::from(base) + f64::from(right) * x + f64::from(up) * y) as f32).to_bits())
    }
}

/// Returns `gl_FragCoord` by the conventions of the shader (GLSL 1.50, 4.3.8.1).
fn frag_coord(scene: &Scene, fragment: &Fragment) -> [f32; 4] {
    let stage = &scene.shader.typed.stage;
    let [mut x, mut y, z, w] = fragment.coord;
    if stage.origin_upper_left {
        y = f32::from(SIDE) - y;
    }
    if stage.pixel_center_integer {
        (x, y) = (x - 0.5, y - 0.5);
    }
    [x, y, z, w]
}

/// Moves floats by one ulp, each register in its own direction.
struct Nudge(Option<SplitMix>);

impl Nudge {
    fn new(seed: u64) -> Nudge {
        Nudge((seed != 0).then(|| SplitMix::new(seed)))
    }

    fn apply(&mut self, values: [u32; LANES]) -> [u32; LANES] {
        let Some(random) = &mut self.0 else { return values };
        let up = random.number() & 1 == 1;
        values.map(|word| {
            let magnitude = word & 0x7fff_ffff;
            // Zeros stay: their neighbours are not close in any sense that matters to a division.
            if magnitude == 0 || magnitude >= 0x7f7f_ffff {
                word
            } else if up {
                word + 1
            } else {
                word - 1
            }
        })
    }
}
