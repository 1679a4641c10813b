//! The vertices of a draw: measured, emulated, and what lies between them.

use std::collections::{BTreeMap, BTreeSet};

use chronicle::Ledger;
use inquiry::{Inputs, Inquiry, Work};
use raster::assemble::{Kind, Primitive};
use reenact::Scene;
use replay::inspect::Changes;
use shader::qualifier::Interpolation;
use shader::types::Scalar;
use shader::version::Stage;
use state::variable as var;

use crate::accesses::{Access, Accesses, Touched};
use crate::history::Verdict;
use crate::memo::Memo;
use crate::shape::{Shape, corners};

/// A vertex of a draw: `gl_VertexID` and `gl_InstanceID`.
pub type Number = (i32, i32);

/// Everything that is needed to follow fragments of a draw to their vertices.
pub struct Corners {
    /// What makes primitives of vertices.
    pub shape: Shape,
    /// What each vertex was given.
    pub inputs: BTreeMap<Number, Inputs>,
    scene: Scene,
}

/// A vertex that the emulator ran.
pub struct Corner {
    /// Its outputs by name, with the kind of their components.
    pub outputs: Vec<(String, Scalar, Vec<u32>)>,
    /// What it read of memory.
    pub loads: Vec<Touched>,
    /// What it read of textures.
    pub texels: Vec<(u32, texture::Texel)>,
}

/// How inputs of a fragment come from the corners of its primitive.
pub struct Blend {
    /// The share of each corner, where the perspective counts; together 1.
    pub weights: Vec<f64>,
    /// Whether the fragment was given what that makes of the vertices' outputs.
    pub verdict: Verdict,
    /// By how much it was not, for whoever has to choose.
    pub distance: f64,
}

/// Samples lie in a pixel, and corners are moved to a grid before they are drawn; this far, in pixels, what is compared
/// may be from where it should be.
const GRID: f64 = 1.0 / 128.0;

impl Corners {
    /// Measures all vertices of a draw.
    ///
    /// # Errors
    /// In words why they cannot be had.
    pub fn gather(inquiry: &mut Inquiry, work: &Work, ledger: &Ledger, memo: &mut Memo) -> Result<Corners, String> {
        for stage in [Stage::Geometry, Stage::TessEvaluation] {
            if work.facts(stage).is_ok() {
                let name = stage.name();
                return Err(format!("a {name} shader runs after the vertices, so fragments are not followed to them"));
            }
        }
        let shape = {
            let mut elements = None;
            if let Ok(view) = work.view()
                && let Some(array) = view.context.vertex_arrays.get(&view.context.vertex_array)
                && !array.elements.is_none()
                && work.calls.name.contains("Elements")
            {
                elements = Some(memo.buffer(inquiry, work, ledger, array.elements.name)?);
            }
            Shape::of(inquiry.reader(), work, |_| elements.ok_or_else(|| "there are no indices".to_owned()))?
        };
        let measured =
            inquiry.all_inputs(work, Stage::Vertex, &Changes::default()).map_err(|error| error.to_string())?;
        let mut inputs: BTreeMap<Number, Inputs> =
            measured.into_iter().map(|one| ((one.who[0], one.who[1]), one)).collect();
        if work.calls.name == "glEnd" {
            // Where drivers begin to count vertices of immediate mode is their affair.
            inputs = inputs.into_values().enumerate().map(|(place, one)| ((place as i32, 0), one)).collect();
        }
        let scene = memo.scene_of(inquiry, work, ledger, Stage::Vertex).map_err(|error| error.to_string())?;
        Ok(Corners { shape, inputs, scene })
    }

    /// What could not be brought to the emulator.
    pub fn missing(&self) -> &[String] {
        &self.scene.missing
    }

    /// Binding points of the vertex shader's blocks.
    pub fn bindings(&self) -> Vec<(emulator::host::Space, u32)> {
        self.scene.program.bindings(Stage::Vertex)
    }

    /// Runs vertices.
    ///
    /// # Errors
    /// In words why the emulator stopped.
    pub fn emulate(
        self,
        inquiry: &Inquiry,
        work: &Work,
        wanted: &BTreeSet<Number>,
    ) -> Result<BTreeMap<Number, Corner>, String> {
        let Some(first) = self.inputs.values().next().cloned() else { return Ok(BTreeMap::new()) };
        let kinds: Vec<Scalar> = self
            .scene
            .program
            .outputs(Stage::Vertex)
            .iter()
            .map(|port| port.ty.scalar().unwrap_or(Scalar::Float))
            .collect();
        let emulated =
            inquiry.emulated_in(work, Stage::Vertex, first, self.scene).map_err(|error| error.to_string())?;
        let mut all = BTreeMap::new();
        for number in wanted {
            let Some(inputs) = self.inputs.get(number) else { continue };
            let own = |access: &Access| access.lane == 0 && !access.store;
            let mut accesses = Accesses::new(&own);
            let shaded = emulated.shade(inputs, &mut accesses).map_err(|error| error.to_string())?;
            let outputs = shaded.outputs.into_iter().zip(&kinds).map(|((name, words), kind)| (name, *kind, words));
            let loads: BTreeSet<Touched> = accesses.list.iter().map(|access| access.spot).collect();
            let texels = accesses.texels.into_iter().map(|(_, handle, texel)| (handle, texel)).collect();
            all.insert(*number, Corner { outputs: outputs.collect(), loads: loads.into_iter().collect(), texels });
        }
        Ok(all)
    }
}

impl Corner {
    /// The words of an output.
    pub fn output(&self, name: &str) -> Option<&[u32]> {
        self.outputs.iter().find(|(own, ..)| own == name).map(|(.., words)| &words[..])
    }

    /// Where it is, in clip coordinates.
    fn position(&self) -> Option<[f64; 4]> {
        let words = self.output("gl_Position")?;
        (words.len() == 4).then(|| std::array::from_fn(|at| f64::from(f32::from_bits(words[at]))))
    }
}

impl Blend {
    /// That of a fragment of a primitive; nothing when a corner has no place. `loose` are pixels of several samples.
    pub fn new(
        work: &Work,
        (primitive, instance): (&Primitive, i32),
        vertices: &BTreeMap<Number, Corner>,
        fragment: &Inputs,
        loose: bool,
    ) -> Option<Blend> {
        let found: Option<Vec<&Corner>> =
            corners(primitive).iter().map(|corner| vertices.get(&(corner.cast_signed(), instance))).collect();
        let found = found?;
        let provoking = vertices.get(&(primitive.provoking.cast_signed(), instance))?;
        let places: Option<Vec<[f64; 4]>> = found.iter().map(|corner| corner.position()).collect();
        let places = places?;
        let view = work.view().ok()?;
        let port: [f64; 4] = std::array::from_fn(|at| view.context.vars.value(var::VIEWPORT, 0)[at]);
        let slack = if loose { 0.75 } else { GRID };
        let at = [f64::from(fragment.who[0]) + 0.5, f64::from(fragment.who[1]) + 0.5];
        let [here, right, above] = [[0.0, 0.0], [slack, 0.0], [0.0, slack]]
            .map(|by| weights(primitive.kind, &places, port, [at[0] + by[0], at[1] + by[1]]));
        let (mut worst, mut units, mut distance, mut compared) = (0, 0, 0.0f64, false);
        let manners = manners(work);
        for (name, value) in fragment.named() {
            if name.starts_with("gl_") {
                continue;
            }
            let outputs: Option<Vec<&[u32]>> = found.iter().map(|corner| corner.output(name)).collect();
            let (Some(outputs), Some(fixed)) = (outputs, provoking.output(name)) else { continue };
            let manner = manners.get(name).copied();
            let float = value.ty.scalar() == Some(Scalar::Float);
            for (place, bits) in value.scalars.iter().enumerate() {
                compared = true;
                let measured = f32::from_bits(*bits as u32);
                if !float || manner == Some(Interpolation::Flat) {
                    let same = fixed.get(place) == Some(&(*bits as u32))
                        || float && measured.is_nan() && fixed.get(place).is_some_and(|w| f32::from_bits(*w).is_nan());
                    if !same {
                        (worst, units, distance) = (2, u64::MAX, f64::INFINITY);
                    }
                    continue;
                }
                let number = |words: &[u32]| words.get(place).map_or(0.0, |word| f64::from(f32::from_bits(*word)));
                let sum = |(perspective, linear): &(Vec<f64>, Vec<f64>)| {
                    let shares = if manner == Some(Interpolation::NoPerspective) { linear } else { perspective };
                    shares.iter().zip(&outputs).map(|(share, words)| share * number(words)).sum::<f64>()
                };
                let expected = sum(&here);
                let most = outputs.iter().map(|words| number(words).abs()).fold(0.0, f64::max);
                let slope = (sum(&right) - expected).abs() + (sum(&above) - expected).abs();
                let apart = (expected - f64::from(measured)).abs();
                if expected.is_nan() || measured.is_nan() {
                    if expected.is_nan() != measured.is_nan() {
                        (worst, units, distance) = (2, u64::MAX, f64::INFINITY);
                    }
                    continue;
                }
                let steps = ulps(expected as f32, measured);
                let own = match () {
                    () if steps == 0 => 0,
                    () if apart <= slope + 1e-5 * most + 1e-6 => 1,
                    () => 2,
                };
                worst = worst.max(own);
                units = units.max(steps);
                distance = distance.max(apart / (1e-5 * most + slope + 1e-6));
            }
        }
        let verdict = match (compared, worst) {
            (false, _) => Verdict::Unchecked("the fragment shader takes nothing that vertices give".to_owned()),
            (true, 0) => Verdict::Equal,
            (true, 1) => Verdict::Within(units),
            (true, _) => Verdict::Differs(units),
        };
        // Whoever has to choose takes the primitive that the fragment lies in.
        let outside = here.0.iter().map(|share| (-share).max(0.0)).fold(0.0, f64::max);
        Some(Blend { weights: here.0, verdict, distance: distance + 100.0 * outside })
    }
}

/// Steps between two floats.
pub fn ulps(one: f32, other: f32) -> u64 {
    let order = |value: f32| {
        let bits = i64::from(value.to_bits().cast_signed());
        if bits < 0 { i64::from(i32::MIN) - bits } else { bits }
    };
    order(one).abs_diff(order(other))
}

/// How the fragment shader wants its inputs.
fn manners(work: &Work) -> BTreeMap<String, Interpolation> {
    let Ok(facts) = work.facts(Stage::Fragment) else { return BTreeMap::new() };
    let symbols = &facts.shader.preprocessed.symbols;
    let variables = facts.shader.typed.variables.iter();
    let named = variables
        .filter_map(|variable| Some((symbols.name(variable.name).to_owned(), variable.qualifiers.interpolation?)));
    named.collect()
}

/// Shares of corners at a place in the window: with perspective, and without (GL 4.6, 14.6.1).
fn weights(kind: Kind, places: &[[f64; 4]], [x, y, width, height]: [f64; 4], at: [f64; 2]) -> (Vec<f64>, Vec<f64>) {
    // In normalised device coordinates.
    let goal = [(at[0] - x) / width * 2.0 - 1.0, (at[1] - y) / height * 2.0 - 1.0];
    let (perspective, linear) = match kind {
        Kind::Point => (vec![1.0], vec![1.0]),
        Kind::Line => {
            let screen = |place: &[f64; 4]| [place[0] / place[3] * width, place[1] / place[3] * height];
            let (from, to) = (screen(&places[0]), screen(&places[1]));
            let way = [to[0] - from[0], to[1] - from[1]];
            let own = [goal[0] * width - from[0], goal[1] * height - from[1]];
            let length = way[0] * way[0] + way[1] * way[1];
            let along = if length > 0.0 { (own[0] * way[0] + own[1] * way[1]) / length } else { 0.0 };
            let linear = vec![1.0 - along, along];
            let divided = linear.iter().zip(places).map(|(share, place)| share / place[3]).collect();
            (divided, linear)
        }
        Kind::Triangle => {
            // The point of the plane through the corners that is seen at the goal: nothing is left of x - goal w.
            let row =
                |axis: usize| -> [f64; 3] { std::array::from_fn(|at| places[at][axis] - goal[axis] * places[at][3]) };
            let (a, b) = (row(0), row(1));
            let cross = vec![a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            let linear = cross.iter().zip(places).map(|(share, place)| share * place[3]).collect();
            (cross, linear)
        }
    };
    (whole(perspective), whole(linear))
}

/// Shares that are 1 together.
fn whole(shares: Vec<f64>) -> Vec<f64> {
    let sum: f64 = shares.iter().sum();
    let even = 1.0 / shares.len() as f64;
    shares.iter().map(|share| if sum == 0.0 || !sum.is_finite() { even } else { share / sum }).collect()
}
