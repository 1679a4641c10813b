//! The vertices of a draw: measured, and emulated where they are asked for.

use std::collections::BTreeMap;

use chronicle::Ledger;
use device::Changes;
use inquiry::{DrawSnapshot, Inputs, Inquiry};
use open_trace::Single;
use reenact::Scene;
use shader::version::Stage;

use crate::bench::{Bench, Ran, may_store};
use crate::bounds;
use crate::memo::Memo;
use crate::middle::Middle;
use crate::setters::Singles;
use crate::shape::{RecordedCall, Shape};
use crate::visit::scene_weight;

/// Bytes that the measured inputs of an invocation take, about.
pub const INVOCATION: usize = 1 << 10;

/// A vertex of a draw.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Number {
    /// The part of the draw.
    pub part: u32,
    /// `gl_VertexID`.
    pub vertex: i32,
    /// `gl_InstanceID`.
    pub instance: i32,
}

/// Everything that is needed to follow fragments of a draw to their vertices.
pub struct Corners {
    /// What makes primitives of vertices.
    pub shape: Shape,
    /// The stages between vertices and fragments.
    pub middle: Middle,
    /// What each vertex was given: by number and instance, and of several parts of the draw.
    inputs: BTreeMap<(i32, i32), Vec<Inputs>>,
    /// Whether vertices say which part of the draw they are of.
    parted: bool,
    scene: Scene,
    /// Which calls gave its vertices their attributes, where they are specified one by one.
    pub singles: Option<Singles>,
}

impl Corners {
    /// Measures all vertices of a draw, and the stages behind them.
    ///
    /// # Errors
    /// When they cannot be measured or emulated, with the reason.
    pub fn gather(
        inquiry: &mut Inquiry,
        work: &DrawSnapshot,
        ledger: &Ledger,
        memo: &mut Memo,
    ) -> Result<Corners, String> {
        let (shape, singles) = shape(inquiry, work, ledger, memo)?;
        let reader = inquiry.reader();
        let singles = singles.map(|singles| Singles::build(reader, work.command, &singles)).transpose()?;
        // Vertices have many inputs, and are counted before.
        let measured = inquiry
            .within(4 * bounds::words(), |inquiry| inquiry.all_inputs(work, Stage::Vertex, &Changes::default()))
            .map_err(|error| error.to_string())?;
        let parted = measured.iter().any(|one| one.who[2] > 0);
        let mut inputs: BTreeMap<(i32, i32), Vec<Inputs>> = BTreeMap::new();
        for one in measured {
            inputs.entry((one.who[0], one.who[1])).or_default().push(one);
        }
        if singles.is_some() {
            // Where drivers begin to count such vertices is their affair.
            inputs = inputs.into_values().enumerate().map(|(place, one)| ((place as i32, 0), one)).collect();
        }
        let scene = memo.scene_of(inquiry, work, ledger, Stage::Vertex).map_err(|error| error.to_string())?;
        let middle = Middle::gather(inquiry, work, ledger, memo)?;
        Ok(Corners { shape, middle, inputs, parted, scene, singles })
    }

    /// What could not be brought to the emulator.
    pub fn missing(&self) -> impl Iterator<Item = &String> {
        self.scene.missing.iter().chain(self.middle.missing())
    }

    /// About how many bytes it takes.
    pub fn weight(&self) -> usize {
        let vertices: usize = self.inputs.values().map(Vec::len).sum();
        vertices * INVOCATION + scene_weight(&self.scene) + self.middle.weight()
    }

    /// Scenes of all stages.
    pub fn scenes_mut(&mut self) -> impl Iterator<Item = &mut Scene> {
        std::iter::once(&mut self.scene).chain(self.middle.scenes_mut())
    }

    /// What a vertex was given.
    pub fn given(&self, number: Number) -> Option<&Inputs> {
        let list = self.inputs.get(&(number.vertex, number.instance))?;
        let part = number.part.cast_signed();
        list.iter().find(|one| self.parted && one.who[2] == part).or_else(|| list.first())
    }

    /// All its vertices.
    pub fn numbers(&self) -> Vec<Number> {
        let mut all = std::collections::BTreeSet::new();
        for (part, own) in (0..).zip(&self.shape.parts) {
            for vertex in own.vertices() {
                let number = |instance| Number { part, vertex: vertex.cast_signed(), instance };
                all.extend((0..own.instances.max(1).cast_signed()).map(number));
            }
        }
        all.into_iter().collect()
    }

    /// What the vertex shader finds around it.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Whether the vertex shader may store something.
    pub fn stores(&self) -> bool {
        may_store(&self.scene, Stage::Vertex)
    }

    /// Binding points of the vertex shader's blocks.
    pub fn bindings(&self) -> Vec<(emulator::host::Space, u32)> {
        self.scene.program.bindings(Stage::Vertex)
    }

    /// Whether vertices of different parts have the same numbers, and cannot be told apart.
    pub fn confused(&self) -> bool {
        !self.parted && self.shape.parts.len() > 1 && self.inputs.values().any(|list| list.len() > 1)
    }
}

/// What makes primitives of the vertices of a draw, and its calls where vertices are specified one by one.
///
/// # Errors
/// When that is unknown, with the reason.
pub fn shape(
    inquiry: &mut Inquiry,
    work: &DrawSnapshot,
    ledger: &Ledger,
    memo: &mut Memo,
) -> Result<(Shape, Option<Vec<Single>>), String> {
    let view = work.view().map_err(|error| error.to_string())?;
    if let Some(singles) = open_trace::split_into_singles(&view, &work.calls, inquiry.reader()) {
        return Ok((Shape::of_singles(&singles, work)?, Some(singles)));
    }
    let told = RecordedCall::of(inquiry.reader(), work)?;
    let shape = Shape::of(&told, work, &mut |name| memo.buffer(inquiry, work, ledger, name))?;
    Ok((shape, None))
}

/// Vertices on the emulator; each is run once.
pub struct Vertices<'c> {
    pub corners: &'c Corners,
    pub bench: Bench<'c>,
    known: BTreeMap<Number, Option<Ran>>,
    /// Why the emulator stopped.
    pub failed: Option<String>,
}

impl<'c> Vertices<'c> {
    /// Those of a draw.
    pub fn new(corners: &'c Corners) -> Vertices<'c> {
        let bench = Bench::new(&corners.scene, Stage::Vertex);
        Vertices { corners, bench, known: BTreeMap::new(), failed: None }
    }

    /// Runs vertices that have not been run.
    pub fn run(&mut self, numbers: impl IntoIterator<Item = Number>) {
        for number in numbers {
            if self.known.contains_key(&number) {
                continue;
            }
            let ran = self.corners.given(number).map(|inputs| self.bench.run(inputs));
            let ran = ran.and_then(|ran| ran.map_err(|why| self.failed = Some(why)).ok());
            self.known.insert(number, ran);
        }
    }

    /// One that was run; nothing where it could not be.
    pub fn get(&self, number: Number) -> Option<&Ran> {
        self.known.get(&number)?.as_ref()
    }
}
