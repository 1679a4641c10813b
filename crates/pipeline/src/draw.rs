//! Draw calls.

mod broadcast;
mod feedback;
pub(crate) mod fragment;
mod geometry;
mod tessellate;
mod vertex;

use emulator::wave::Trap;
use raster::Topology;
use shader::version::Stage;

use crate::host::Resources;
use crate::program::{Program, StageProgram};
use crate::run::Records;
use crate::state::State;

pub(crate) use geometry::Emitted;

/// What is assembled from the vertices of a draw call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Points, lines or triangles.
    Primitives(Topology),
    /// Patches of [`crate::Patches::vertices`] vertices.
    Patches,
}

impl From<Topology> for Mode {
    fn from(topology: Topology) -> Mode {
        Mode::Primitives(topology)
    }
}

/// Which vertices are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vertices<'a> {
    /// `glDrawArrays`
    Range {
        /// The first.
        first: u32,
        /// How many.
        count: u32,
    },
    /// `glDrawElementsBaseVertex`; the index that restarts is that of [`raster::Pipeline::restart`].
    Indices {
        /// The indices.
        indices: &'a [u32],
        /// Added to each.
        base: i32,
    },
}

/// A draw call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawCall<'a> {
    /// What is assembled.
    pub mode: Mode,
    /// From which vertices.
    pub vertices: Vertices<'a>,
    /// Instances.
    pub instances: u32,
    /// `gl_BaseInstance`
    pub base_instance: u32,
    /// The only pixels of interest, if not all: see [`raster::Draw::only`].
    pub only: Option<&'a [(u32, u32)]>,
}

impl DrawCall<'_> {
    /// `glDrawArrays`
    #[must_use]
    pub fn new(mode: impl Into<Mode>, first: u32, count: u32) -> DrawCall<'static> {
        let vertices = Vertices::Range { first, count };
        DrawCall { mode: mode.into(), vertices, instances: 1, base_instance: 0, only: None }
    }
}

/// What a draw call did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// `GL_PRIMITIVES_GENERATED`
    pub primitives: u64,
    /// `GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN`
    pub captured: u64,
    /// What the rasteriser counted, all instances together.
    pub raster: raster::Stats,
}

/// Why a draw call was not done, or not to its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DrawError {
    /// A shader did not end.
    #[error("{} shader: {trap}", stage.name())]
    Trap {
        /// The stage.
        stage: Stage,
        /// What stopped it.
        trap: Trap,
    },
    /// Something that is not done here.
    #[error("{0} cannot be drawn")]
    Unsupported(String),
}

/// Vertices on their way from stage to stage, and what is assembled from them.
struct Stream {
    records: Records,
    topology: Topology,
    /// Which of them in which order, if not all as they come.
    indices: Option<Vec<u32>>,
    restart: Option<u32>,
    /// Of each vertex the patch it belongs to; empty without tessellation.
    patches: Vec<u32>,
}

/// Somebody who hears what became of each sample, with the framebuffer as it is after that.
pub type Watch<'w> = dyn FnMut(&raster::SampleEvent, &raster::Framebuffer) + 'w;

/// Draws.
///
/// # Errors
/// A shader does not end, or the program has stages that cannot be drawn with.
pub fn draw(state: &mut State, program: &Program, call: &DrawCall<'_>) -> Result<Stats, DrawError> {
    draw_watched(state, program, call, &mut |_, _| {})
}

/// Draws, and tells what became of each covered sample: what the history of a pixel is made from.
///
/// # Errors
/// As for [`draw`].
pub fn draw_watched(
    state: &mut State,
    program: &Program,
    call: &DrawCall<'_>,
    watch: &mut Watch<'_>,
) -> Result<Stats, DrawError> {
    let mut resources = Resources::take(state);
    let mut job = Job { program, call, watch, stats: Stats::default() };
    let mut done = Ok(());
    for instance in 0..call.instances {
        done = job.instance(state, &mut resources, instance);
        if done.is_err() {
            break;
        }
    }
    resources.give_back(state);
    done.map(|()| job.stats)
}

/// A draw call while it is done.
struct Job<'j, 'w> {
    program: &'j Program,
    call: &'j DrawCall<'j>,
    watch: &'j mut Watch<'w>,
    stats: Stats,
}

impl Job<'_, '_> {
    fn instance(&mut self, state: &mut State, resources: &mut Resources, instance: u32) -> Result<(), DrawError> {
        let (program, call) = (self.program, self.call);
        let Some(stage) = program.stage(Stage::Vertex) else {
            return Err(DrawError::Unsupported("a program without a vertex shader".to_owned()));
        };
        let mut last = stage;
        let mut stream = vertex::run(state, resources, program, stage, call, instance)?;
        match (call.mode, program.stage(Stage::TessEvaluation)) {
            (Mode::Patches, Some(stage)) => {
                stream = tessellate::run(state, resources, program, stage, &stream)?;
                last = stage;
            }
            (Mode::Primitives(topology), None) => stream.topology = topology,
            (Mode::Patches, None) => return Err(DrawError::Unsupported("patches without tessellation".to_owned())),
            (Mode::Primitives(_), Some(_)) => {
                return Err(DrawError::Unsupported("anything but patches with tessellation".to_owned()));
            }
        }
        let streams = match program.stage(Stage::Geometry) {
            Some(stage) => {
                last = stage;
                geometry::run(state, resources, program, stage, &stream)?
            }
            None => vec![stream],
        };
        feedback::run(state, resources, program, &streams, &mut self.stats);
        match streams.first() {
            Some(stream) => fragment::run(state, resources, self, last, stream),
            None => Ok(()),
        }
    }
}

fn trapped(stage: &StageProgram) -> impl Fn(Trap) -> DrawError + use<> {
    let stage = stage.stage;
    move |trap| DrawError::Trap { stage, trap }
}
