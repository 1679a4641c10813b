//! Who runs variants, and what comes of it.

mod cache;
mod gather;
mod inspector;

use serde::{Deserialize, Serialize};
use shader::version::Stage;

use crate::device::Device;
use crate::question::{Question, Scope, Subject};
use crate::stream::Facts;
use crate::variant::{Reading, Refusal, Variant};

pub use cache::CacheStatistics;
pub use gather::Limits;
pub use inspector::{Inspector, Weaver};

/// What is set before a variant is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Whether probes are on.
    pub on: bool,
    /// Whose answers are wanted, as [`crate::Controls::pick`] has it.
    pub pick: [i32; 4],
    /// The first word of the window.
    pub base: u32,
    /// Words of a region of a storage block, and how many regions there is room for.
    pub room: [u32; 2],
}

/// What a run of a variant brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Raw {
    /// The words of a storage block.
    Block(Vec<u32>),
    /// A window for each place of a grid - pixels from the lower left, row by row - all of the same number of words.
    Grid {
        /// Left, bottom, width and height.
        rectangle: [u32; 4],
        /// The words, place by place.
        words: Vec<u32>,
    },
    /// For each vertex or primitive that was captured, in order: its identity and a window.
    List(Vec<u32>),
}

/// A device that runs programs and questions: replayed GL, an emulator, a page in a browser, a live process.
pub trait InspectContext {
    /// What the device offers.
    fn device(&self) -> &Device;

    /// About how many invocations will answer, where that is known.
    fn expected(&self) -> Option<u32> {
        None
    }

    /// Runs the program with a variant in the place of its stage, on the draw or dispatch at hand, and puts everything
    /// back as it was.
    ///
    /// # Errors
    /// When the driver refuses the variant, or the run failed.
    fn run(&mut self, variant: &Variant, stage: Stage, scope: Scope, run: Run) -> Result<Raw, InspectError>;
}

/// What can be asked of one program.
pub trait ProgramInspector {
    /// The stages it has.
    fn stages(&self) -> Vec<Stage>;

    /// The shader of a stage.
    fn subject(&self, stage: Stage) -> Option<Subject<'_>>;

    /// Asks.
    ///
    /// # Errors
    /// When there is no answer.
    fn inspect(&mut self, stage: Stage, question: &Question, ask: &Ask) -> Result<InspectResult, InspectError>;
}

/// Whose answers are wanted, and how they are to be got.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ask {
    /// One place's or all.
    pub scope: Scope,
    /// The place, as [`crate::Controls::pick`] has it.
    pub pick: [i32; 4],
    /// This way, or none.
    pub transport: Option<crate::Transport>,
}

/// Who answered: as [`crate::stream::IDENTITY`] has it.
pub type Identity = [i32; 4];

/// The answers to a question.
#[derive(Clone, PartialEq, Debug)]
pub struct InspectResult {
    /// How they came.
    pub transport: crate::Transport,
    /// What each invocation said.
    pub readings: Vec<(Identity, Reading)>,
    /// How many invocations more wanted to answer than there was room for.
    pub missed: u32,
    /// How often the draw was run for it.
    pub runs: u32,
    /// Whether the variant was known from before.
    pub cached: bool,
    /// Transports that the driver did not take, with what it said.
    pub rejected: Vec<(crate::Transport, String)>,
}

impl InspectResult {
    /// What is known of an invocation; none when it did not answer.
    #[must_use]
    pub fn facts(&self, who: Identity) -> Option<Facts> {
        self.readings.iter().find(|(identity, _)| *identity == who).map(|(_, reading)| reading.facts)
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InspectError {
    /// There is no variant.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The driver does not compile or link it.
    #[error("the driver refuses the instrumented shader: {log}")]
    Rejected {
        /// What it said.
        log: String,
        /// The text it refused.
        source_text: String,
    },
    /// What came back makes no sense.
    #[error("the answer cannot be read: {0}")]
    Garbled(String),
    /// It could not be run.
    #[error("{0}")]
    Failed(String),
}
