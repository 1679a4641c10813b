//! The trace file format (`.aftr`). No other crate reads or writes its bytes; `docs/trace-format.md` specifies them.
//!
//! A trace is a list of calls in the order in which they were entered, from all threads. This crate knows how calls are
//! stored, not what they do.
//!
//! [`writer`] and [`reader`] are the two ends, [`call`] is the type that readers return. A file is a list of chunks
//! (`chunk`); `batch` lays calls out in a chunk, `index` locates chunks.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod batch;
mod blob;
mod bytes;
pub mod call;
mod chunk;
mod error;
pub mod file;
mod filter;
mod index;
mod outcome;
pub mod reader;
pub mod signature;
pub mod synthetic;
pub mod writer;

pub use batch::MAX_THREADS;
pub use call::{Call, Data, Outcome, Payload, Payloads};
pub use error::{ReadError, WriteError};
pub use file::{PrivateFolder, caches};
pub use reader::{
    Bytes, CachedCall, Calls, Damage, Loss, Reader, Source, Starved, are_traces_trusted, frame_name, no_such_frame,
    trust_traces,
};
pub use signature::{Parameter, RecordedType, Signature};
pub use synthetic::{SyntheticCall, SyntheticCalls};
pub use writer::{Content, Edit, Editor, Origin, Side, Stored, Summary, Writer};
