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

/// How the vertices of a draw call are assembled.
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

/// The vertices of a draw call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vertices<'a> {
    /// `glDrawArrays`
    Range {
        /// The first vertex.
        first: u32,
        /// The number of vertices.
        count: u32,
    },
    /// `glDrawElementsBaseVertex`; the restart index is [`raster::Pipeline::restart`].
    Indices {
        /// The indices.
        indices: &'a [u32],
        /// The base vertex, added to each index.
        base: i32,
    },
}

/// A draw call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawCall<'a> {
    /// How vertices are assembled.
    pub mode: Mode,
    /// The vertices.
    pub vertices: Vertices<'a>,
    /// The number of instances.
    pub instances: u32,
    /// `gl_BaseInstance`
    pub base_instance: u32,
    /// The pixels of interest, if not all: see [`raster::Draw::only`].
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

/// Statistics of a draw call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// `GL_PRIMITIVES_GENERATED`
    pub primitives: u64,
    /// `GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN`
    pub captured: u64,
    /// The rasteriser's statistics, for all instances together.
    pub raster: raster::Stats,
}

/// Why a draw call failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DrawError {
    /// A shader did not terminate.
    #[error("{} shader: {trap}", stage.name())]
    Trap {
        /// The stage.
        stage: Stage,
        /// What stopped it.
        trap: Trap,
    },
    /// The observer had seen enough before the end.
    #[error("it takes more work than may be done for one question")]
    TooMuch,
    /// An unsupported feature.
    #[error("{0} cannot be drawn")]
    Unsupported(String),
}

/// Vertices between stages, and how they are assembled.
struct Stream {
    records: Records,
    topology: Topology,
    /// The indices, if the vertices are not used in order.
    indices: Option<Vec<u32>>,
    restart: Option<u32>,
    /// The patch of each vertex; empty without tessellation.
    patches: Vec<u32>,
}

/// Called with the outcome for each sample, and the framebuffer after it.
pub type SampleWatcher<'w> = dyn FnMut(&raster::SampleEvent, &raster::Framebuffer) + 'w;

/// Executes a draw call.
///
/// # Errors
/// When a shader does not terminate, or the program's stages do not allow this draw.
pub fn draw(state: &mut State, program: &Program, call: &DrawCall<'_>) -> Result<Stats, DrawError> {
    draw_watched(state, program, call, &mut |_, _| {})
}

/// Executes a draw call, and reports the outcome for each covered sample, which is the basis of pixel history.
///
/// # Errors
/// As for [`draw`].
pub fn draw_watched(
    state: &mut State,
    program: &Program,
    call: &DrawCall<'_>,
    watch: &mut SampleWatcher<'_>,
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

/// A draw call in progress.
struct Job<'j, 'w> {
    program: &'j Program,
    call: &'j DrawCall<'j>,
    watch: &'j mut SampleWatcher<'w>,
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
