//! Observers that collect facts about a run: steps, counters, texels, the values of a variable.
//!
//! Each does one thing; attach several as a pair of pairs. What is not attached costs nothing.

mod count;
mod step;
mod texels;
mod trace;
mod watch;

pub use count::{Counters, Counts};
pub use step::{Event, Stepper};
pub use texels::{LookedUp, TexelLog};
pub use trace::{Change, Trace, TraceStep};
pub use watch::{Sighting, Watch};
