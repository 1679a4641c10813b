//! Running variants and collecting the answers.

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
pub use gather::{Limits, runs_once};
pub use inspector::{Inspector, Unfinished, Weaver};

/// The parameters of a variant's run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Whether probes are on.
    pub on: bool,
    /// The selected invocation, see [`crate::Controls::pick`].
    pub pick: [i32; 4],
    /// The first word of the window.
    pub base: u32,
    /// The words of a region of the storage block, and the number of regions.
    pub room: [u32; 2],
}

/// The raw result of a variant's run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Raw {
    /// The words of the storage block.
    Block(Vec<u32>),
    /// A window for each cell of a grid - pixels from the lower left, row by row - all with the same number of words.
    Grid {
        /// Left, bottom, width and height.
        rectangle: [u32; 4],
        /// The words, cell by cell.
        words: Vec<u32>,
    },
    /// For each captured vertex or primitive, in order: its identity and a window.
    List(Vec<u32>),
}

/// A device that runs programs and variants: replayed GL, an emulator, a page in a browser, a live process.
pub trait InspectContext {
    /// The capabilities of the device.
    fn device(&self) -> &Device;

    /// The approximate number of invocations that will answer, if known.
    fn expected(&self) -> Option<u32> {
        None
    }

    /// Runs the program with a variant in place of its stage, on the current draw or dispatch, and restores all state.
    ///
    /// # Errors
    /// When the driver rejects the variant, or the run fails.
    fn run(&mut self, variant: &Variant, stage: Stage, scope: Scope, run: Run) -> Result<Raw, InspectError>;
}

/// Answers questions about one program.
pub trait ProgramInspector {
    /// The stages it has.
    fn stages(&self) -> Vec<Stage>;

    /// The shader of a stage.
    fn subject(&self, stage: Stage) -> Option<Subject<'_>>;

    /// Answers a question.
    ///
    /// # Errors
    /// When there is no answer.
    fn inspect(&mut self, stage: Stage, question: &Question, ask: &Ask) -> Result<InspectResult, InspectError>;
}

/// The selected invocations, and how to get their answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ask {
    /// A single invocation or all.
    pub scope: Scope,
    /// The selected invocation, see [`crate::Controls::pick`].
    pub pick: [i32; 4],
    /// The transport to use; `None` for the best.
    pub transport: Option<crate::Transport>,
}

/// The identity of an invocation, see [`crate::stream::IDENTITY`].
pub type Identity = [i32; 4];

/// The answers to a question.
#[derive(Clone, PartialEq, Debug)]
pub struct InspectResult {
    /// The transport that was used.
    pub transport: crate::Transport,
    /// The answer of each invocation.
    pub readings: Vec<(Identity, Reading)>,
    /// The number of further invocations that would have answered, if there had been space.
    pub missed: u32,
    /// How often a condition held in all invocations, those that were missed included; `None` if the device did not
    /// add this up.
    pub sum: Option<u64>,
    /// How often the draw was executed.
    pub runs: u32,
    /// Whether the variant came from the cache.
    pub cached: bool,
    /// Transports whose variants the driver rejected, with its log.
    pub rejected: Vec<(crate::Transport, String)>,
}

impl InspectResult {
    /// The facts about an invocation; `None` if it did not answer.
    #[must_use]
    pub fn facts(&self, who: Identity) -> Option<Facts> {
        self.readings.iter().find(|(identity, _)| *identity == who).map(|(_, reading)| reading.facts)
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InspectError {
    /// No variant could be made.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The driver did not compile or link it.
    #[error("the driver rejects the instrumented shader: {log}")]
    Rejected {
        /// The driver's log.
        log: String,
        /// The source of the variant.
        source_text: String,
    },
    /// The result is malformed.
    #[error("the device returned a malformed answer: {0}")]
    Garbled(String),
    /// It could not be run.
    #[error("{0}")]
    Failed(String),
}
