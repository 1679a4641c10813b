//! What the programs that are current use.

use crate::fault::Fault;
use crate::step::Step;

/// What transform feedback takes its vertices from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FeedbackSource {
    /// The program, 0 for none.
    pub program: u32,
    /// Which buffers it writes to, as bits.
    pub buffers: u32,
}

/// What transform feedback would take its vertices from.
pub fn feedback_source(step: &Step<'_>) -> Result<FeedbackSource, Fault> {
    let _ = step;
    Ok(FeedbackSource::default())
}
