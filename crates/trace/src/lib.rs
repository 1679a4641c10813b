//! The bytes of a trace on disk (`.aftr`): the only place that defines them. `docs/trace-format.md` is their
//! specification.
//!
//! A trace is a list of calls in the order in which they were entered, whatever thread made them. This crate knows how
//! calls are stored, not what they do.
//!
//! Module `call` is what readers give, `writer` and `reader` are the two ends; `chunk` is what a file is a list of,
//! `batch` how calls are laid out in one, `index` how they are found again.

#![warn(missing_docs)]

mod batch;
mod blob;
mod bytes;
pub mod call;
mod chunk;
mod error;
mod filter;
mod index;
pub mod loose;
mod outcome;
pub mod reader;
pub mod signature;
pub mod writer;

pub use call::{Call, Data, Outcome, Payload, Payloads};
pub use error::{ReadError, WriteError};
pub use loose::{Loose, Made};
pub use reader::{Bytes, Calls, Held, Loss, Reader};
pub use signature::{Parameter, Recorded, Signature};
pub use writer::{Content, Origin, Summary, Writer};
