//! A trace opened once and shared by any number of sessions, commands and clients.
//!
//! [`OpenTrace`] holds the reader, the model's state at any command, the ledger of writes and the analysed shaders. It
//! answers everything that needs no device; questions that do go to crate `device`.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod draw;
mod error;
mod open;
mod repeat;
mod single;
mod stage_cache;
mod stand_in;

pub use draw::{DrawCalls, StageShader, draw_calls, shader_type};
pub use error::DrawError;
pub use open::{LedgerError, OpenTrace};
pub use repeat::{MAX_LIST_NESTING, called_lists, changes_transforms, each_draw_call, refusal};
pub use single::{Makes, Single, SingleCall, count_vertices, split_into_singles};
pub use stand_in::{Replaced, StandIn, notes};
