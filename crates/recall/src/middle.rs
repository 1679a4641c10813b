//! The stages between vertices and fragments: tessellation and geometry shaders.

use std::collections::BTreeMap;

use chronicle::Ledger;
use device::Changes;
use inquiry::{DrawSnapshot, Inputs, Inquiry};
use instrument::inspect::Ask;
use instrument::{Question, Scope};
use raster::assemble::{Primitive, PrimitiveKind, Provoking, assemble};
use raster::{Topology, tessellate::Tessellator};
use reenact::Scene;
use shader::typed;
use shader::version::Stage;
use state::variable as var;

use crate::bench::{Bench, Patch, Ran, may_store};
use crate::bounds;
use crate::corners::INVOCATION;
use crate::memo::Memo;
use crate::ports::{self, Output, Taken, compare};
use crate::shape::{corners, provoking};
use crate::visit::scene_weight;

/// What runs between vertices and fragments in a draw.
pub struct Middle {
    pub control: Option<Runs>,
    pub evaluation: Option<Runs>,
    pub geometry: Option<Runs>,
    provoking: Provoking,
    /// Levels of tessellation where no control shader gives them: outer and inner.
    levels: ([f32; 4], [f32; 2]),
}

/// All invocations of a stage.
pub struct Runs {
    pub stage: Stage,
    pub scene: Scene,
    pub list: Vec<Run>,
    /// Invocations of one primitive or patch that were given the same: those of one instance.
    groups: Vec<Group>,
}

/// An invocation as the device ran it.
pub struct Run {
    pub inputs: Inputs,
    pub taken: Vec<Taken>,
    /// What it gave on: once, or with every vertex that it emitted. Nothing of control shaders.
    pub emitted: Vec<Emission>,
}

/// A vertex that an invocation gives on.
pub struct Emission {
    pub outputs: Vec<Output>,
    pub stream: u32,
    strip: u32,
}

struct Group {
    primitive: i32,
    runs: Vec<usize>,
}

/// An invocation, and which of the vertices that it gave on.
pub type VertexRef = (usize, usize);

/// A primitive of what a stage gives on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facet {
    pub kind: PrimitiveKind,
    pub corners: Vec<VertexRef>,
    pub provoking: VertexRef,
}

/// What stands for a cut between strips.
const CUT: u32 = u32::MAX;

/// Coordinates in a patch that are no farther apart are the same.
const NEAR: f32 = 1e-4;

impl Middle {
    /// About how many bytes it takes.
    pub fn weight(&self) -> usize {
        let runs = [&self.control, &self.evaluation, &self.geometry].into_iter().flatten();
        runs.map(|runs| 2 * runs.list.len() * INVOCATION + scene_weight(&runs.scene)).sum()
    }

    /// Scenes of all its stages.
    pub fn scenes_mut(&mut self) -> impl Iterator<Item = &mut Scene> {
        [&mut self.control, &mut self.evaluation, &mut self.geometry].into_iter().flatten().map(|runs| &mut runs.scene)
    }

    /// Measures all invocations of the stages that there are.
    ///
    /// # Errors
    /// When they cannot be measured or emulated, with the reason.
    pub fn gather(
        inquiry: &mut Inquiry,
        work: &DrawSnapshot,
        ledger: &Ledger,
        memo: &mut Memo,
    ) -> Result<Middle, String> {
        let mut stage = |stage: Stage| {
            let there = work.facts(stage).is_ok();
            there.then(|| Runs::gather(inquiry, work, ledger, memo, stage)).transpose()
        };
        let view = work.view().map_err(|error| error.to_string())?;
        let vars = &view.context.vars;
        let outer = vars.value(var::PATCH_DEFAULT_OUTER_LEVEL, 0);
        let inner = vars.value(var::PATCH_DEFAULT_INNER_LEVEL, 0);
        let level = |list: &[f64], at: usize| list.get(at).map_or(1.0, |level| *level as f32);
        Ok(Middle {
            control: stage(Stage::TessControl)?,
            evaluation: stage(Stage::TessEvaluation)?,
            geometry: stage(Stage::Geometry)?,
            provoking: provoking(work),
            levels: (std::array::from_fn(|at| level(outer, at)), std::array::from_fn(|at| level(inner, at))),
        })
    }

    /// The last stage before fragments, if it is none of vertices.
    pub fn last(&self) -> Option<&Runs> {
        self.geometry.as_ref().or(self.evaluation.as_ref())
    }

    /// A stage that may store something that others can read.
    pub fn stores(&self) -> Option<Stage> {
        let stages = [&self.control, &self.evaluation, &self.geometry];
        stages.into_iter().flatten().find(|runs| may_store(&runs.scene, runs.stage)).map(|runs| runs.stage)
    }

    /// What could not be brought to the emulator.
    pub fn missing(&self) -> impl Iterator<Item = &String> {
        let stages = [&self.control, &self.evaluation, &self.geometry];
        stages.into_iter().flatten().flat_map(|runs| &runs.scene.missing)
    }
}

impl Runs {
    fn gather(
        inquiry: &mut Inquiry,
        work: &DrawSnapshot,
        ledger: &Ledger,
        memo: &mut Memo,
        stage: Stage,
    ) -> Result<Runs, String> {
        let ask = Ask { scope: Scope::All, pick: [-1; 4], transport: None };
        let measured = inquiry.within(4 * bounds::words(), |inquiry| {
            inquiry.measure(work, stage, &Question::Ends, &ask, &Changes::default())
        });
        let measured = measured.map_err(|error| error.to_string())?;
        inquiry::whole(&measured.result, stage).map_err(|error| error.to_string())?;
        let scene = memo.scene_of(inquiry, work, ledger, stage).map_err(|error| error.to_string())?;
        let program = &scene.program;
        let inputs = Inputs::all(stage, &measured);
        let mut list = Vec::with_capacity(inputs.len());
        for (inputs, (_, reading)) in inputs.into_iter().zip(&measured.result.readings) {
            let emitted = match stage {
                Stage::TessControl => Vec::new(),
                _ => ports::given(program, stage, reading),
            };
            let emitted = emitted.into_iter().map(|(outputs, stream, strip)| Emission { outputs, stream, strip });
            list.push(Run { taken: ports::taken(program, stage, &inputs), inputs, emitted: emitted.collect() });
        }
        let groups = groups(&list);
        Ok(Runs { stage, scene, list, groups })
    }

    /// Invocations for a primitive, or patch, of this number.
    pub fn of(&self, primitive: i32) -> impl Iterator<Item = usize> {
        let runs = self.list.iter().enumerate();
        runs.filter(move |(_, run)| run.inputs.who[0] == primitive).map(|(place, _)| place)
    }
}

/// Invocations that were given the same but for which of them they are.
fn groups(list: &[Run]) -> Vec<Group> {
    let mut all: BTreeMap<(i32, Vec<u32>), Vec<usize>> = BTreeMap::new();
    for (place, run) in list.iter().enumerate() {
        let own = |taken: &&Taken| !matches!(&taken.name[..], "gl_TessCoord" | "gl_InvocationID");
        let words = run.taken.iter().filter(own).flat_map(|taken| taken.words.iter().copied()).collect();
        all.entry((run.inputs.who[0], words)).or_default().push(place);
    }
    let group = |((primitive, _), mut runs): ((i32, Vec<u32>), Vec<usize>)| {
        runs.sort_by_key(|place| list[*place].inputs.who[1]);
        Group { primitive, runs }
    };
    all.into_iter().map(group).collect()
}

/// The stages between vertices and fragments on the emulator.
pub struct Between<'c> {
    pub middle: &'c Middle,
    pub control: Option<Bench<'c>>,
    pub evaluation: Option<Bench<'c>>,
    pub geometry: Option<Bench<'c>>,
    patches: BTreeMap<usize, Option<Patch>>,
    meshes: BTreeMap<usize, Vec<Facet>>,
    /// What the geometry shader emits, by the number that fragments see; empty until it is asked for.
    emitted: BTreeMap<i32, Vec<Facet>>,
    /// Why the emulator stopped.
    pub failed: Option<String>,
}

impl<'c> Between<'c> {
    /// Those of a draw.
    pub fn new(middle: &'c Middle) -> Between<'c> {
        let bench = |runs: &'c Option<Runs>| runs.as_ref().map(|runs| Bench::new(&runs.scene, runs.stage));
        Between {
            middle,
            control: bench(&middle.control),
            evaluation: bench(&middle.evaluation),
            geometry: bench(&middle.geometry),
            patches: BTreeMap::new(),
            meshes: BTreeMap::new(),
            emitted: BTreeMap::new(),
            failed: None,
        }
    }

    /// Primitives that fragments may be of: those of this number, or all.
    pub fn facets(&mut self, id: Option<u32>) -> Vec<Facet> {
        match &self.middle.geometry {
            Some(geometry) => {
                if self.emitted.is_empty() {
                    let runs = 0..geometry.list.len();
                    let all: Vec<Facet> = runs.flat_map(|run| self.strips(geometry, run)).collect();
                    for facet in all {
                        self.emitted.entry(number(geometry, &facet)).or_default().push(facet);
                    }
                }
                match id {
                    Some(id) => self.emitted.get(&id.cast_signed()).cloned().unwrap_or_default(),
                    None => self.emitted.values().flatten().cloned().collect(),
                }
            }
            None => self.mesh_facets(id),
        }
    }

    /// Primitives that the tessellator makes of patches: those of this number, or all.
    pub fn mesh_facets(&mut self, id: Option<u32>) -> Vec<Facet> {
        let middle = self.middle;
        let Some(evaluation) = &middle.evaluation else { return Vec::new() };
        let groups = evaluation.groups.iter().enumerate();
        let own = groups.filter(|(_, group)| id.is_none_or(|id| group.primitive == id.cast_signed()));
        let own: Vec<usize> = own.map(|(place, _)| place).collect();
        own.into_iter().flat_map(|group| self.mesh(evaluation, group)).collect()
    }

    /// The primitives that an invocation of the geometry shader emits for fragments.
    pub fn strips(&self, geometry: &Runs, run: usize) -> Vec<Facet> {
        let shader = geometry.scene.program.shader(Stage::Geometry);
        let topology = match shader.and_then(|shader| shader.typed.stage.output_primitive) {
            Some(typed::Primitive::Points) => Topology::Points,
            Some(typed::Primitive::LineStrip) => Topology::LineStrip,
            _ => Topology::TriangleStrip,
        };
        let mut stream = Vec::new();
        let mut strip = 0;
        for (place, emission) in geometry.list[run].emitted.iter().enumerate().filter(|(_, own)| own.stream == 0) {
            if emission.strip != strip {
                stream.push(CUT);
                strip = emission.strip;
            }
            stream.push(place as u32);
        }
        let primitives = assemble(topology, &stream, Some(CUT), self.middle.provoking);
        primitives.iter().map(|primitive| facet(primitive, &|place| (run, place as usize))).collect()
    }

    /// The primitives of a patch.
    fn mesh(&mut self, evaluation: &Runs, group: usize) -> Vec<Facet> {
        if let Some(known) = self.meshes.get(&group) {
            return known.clone();
        }
        let made = self.tessellated(evaluation, group).unwrap_or_default();
        self.meshes.insert(group, made.clone());
        made
    }

    fn tessellated(&mut self, evaluation: &Runs, group: usize) -> Option<Vec<Facet>> {
        let tessellator: Tessellator = evaluation.scene.program.tessellator()?;
        let runs = &evaluation.groups[group].runs;
        let (outer, inner) = match &self.middle.control {
            Some(_) => {
                let patch = self.patch_of(*runs.first()?)?;
                let bench = self.control.as_ref()?;
                let outputs = bench.patch_outputs(self.patches.get(&patch)?.as_ref()?, None);
                let level = |name: &str, at: usize| {
                    let words = outputs.iter().find(|output| output.name == name).map(|output| &output.words);
                    f32::from_bits(words.and_then(|words| words.get(at).copied()).unwrap_or(0))
                };
                let outer = std::array::from_fn(|at| level("gl_TessLevelOuter", at));
                (outer, std::array::from_fn(|at| level("gl_TessLevelInner", at)))
            }
            None => self.middle.levels,
        };
        let mesh = tessellator.run(outer, inner);
        let at = |run: usize| {
            let [_, x, y, _] = evaluation.list[run].inputs.who;
            [x, y].map(|bits| f32::from_bits(bits.cast_unsigned()))
        };
        let exact: BTreeMap<[u32; 2], usize> = runs.iter().map(|run| (at(*run).map(f32::to_bits), *run)).collect();
        let find = |coords: &[f32; 3]| {
            let known = exact.get(&[coords[0].to_bits(), coords[1].to_bits()]).copied();
            let near = |run: &&usize| {
                let own = at(**run);
                (own[0] - coords[0]).abs() < NEAR && (own[1] - coords[1]).abs() < NEAR
            };
            known.or_else(|| runs.iter().find(near).copied())
        };
        let points: Vec<Option<usize>> = mesh.coords.iter().map(find).collect();
        let primitives = assemble(mesh.topology, &mesh.indices, None, self.middle.provoking);
        let whole = |primitive: &&Primitive| corners(primitive).iter().all(|corner| points[*corner as usize].is_some());
        let aspect = |place: u32| (points[place as usize].unwrap_or(0), 0);
        Some(primitives.iter().filter(whole).map(|primitive| facet(primitive, &aspect)).collect())
    }

    /// The patch of the control shader that an invocation of the evaluation shader works on.
    pub fn patch_of(&mut self, run: usize) -> Option<usize> {
        let middle = self.middle;
        let (control, evaluation) = (middle.control.as_ref()?, middle.evaluation.as_ref()?);
        let run = &evaluation.list[run];
        let groups = control.groups.iter().enumerate();
        let own: Vec<usize> =
            groups.filter(|(_, group)| group.primitive == run.inputs.who[0]).map(|(place, _)| place).collect();
        own.into_iter().min_by_key(|group| {
            self.ran_patch(*group);
            self.wrong(*group, &run.taken)
        })
    }

    /// How many words of what an evaluation shader was given are not what a patch gave on.
    fn wrong(&self, group: usize, taken: &[Taken]) -> usize {
        let (Some(Some(patch)), Some(bench)) = (self.patches.get(&group), &self.control) else { return usize::MAX };
        let vertices = taken.iter().map(|taken| taken.vertex + 1).max().unwrap_or(0);
        let of = |vertex: u32| compare(taken, vertex, &bench.patch_outputs(patch, Some(vertex))).1;
        (0..vertices).map(of).sum()
    }

    fn ran_patch(&mut self, group: usize) {
        let (Some(control), Some(bench)) = (&self.middle.control, &self.control) else { return };
        if self.patches.contains_key(&group) {
            return;
        }
        let inputs: Vec<&Inputs> = control.groups[group].runs.iter().map(|run| &control.list[*run].inputs).collect();
        let patch = bench.patch(&inputs).map_err(|why| self.failed = Some(why)).ok();
        self.patches.insert(group, patch);
    }

    /// What an invocation of the control shader did: what it read, and what it gave on for its own vertex.
    pub fn control_of(&self, run: usize) -> Option<(Ran, Vec<Output>)> {
        let control = self.middle.control.as_ref()?;
        let group = control.groups.iter().position(|group| group.runs.contains(&run))?;
        let (patch, runs) = self.patch(group)?;
        let lane = runs.iter().position(|own| *own == run)?;
        let vertex = u32::try_from(control.list[run].inputs.who[1]).ok();
        Some((patch.ran.get(lane)?.clone(), self.control.as_ref()?.patch_outputs(patch, vertex)))
    }

    /// A patch that was run, and its invocations in order.
    pub fn patch(&self, group: usize) -> Option<(&Patch, &[usize])> {
        let control = self.middle.control.as_ref()?;
        Some((self.patches.get(&group)?.as_ref()?, &control.groups[group].runs))
    }
}

fn facet(primitive: &Primitive, aspect: &dyn Fn(u32) -> VertexRef) -> Facet {
    Facet {
        kind: primitive.kind,
        corners: corners(primitive).iter().map(|corner| aspect(*corner)).collect(),
        provoking: aspect(primitive.provoking),
    }
}

/// The number that fragments of an emitted primitive see: what the shader wrote for it, or else that of its own.
fn number(geometry: &Runs, facet: &Facet) -> i32 {
    let (run, emission) = facet.provoking;
    let run = &geometry.list[run];
    let written = run.emitted[emission].outputs.iter().find(|output| output.name == "gl_PrimitiveID");
    written.and_then(|output| output.words.first()).map_or(run.inputs.who[0], |word| word.cast_signed())
}
