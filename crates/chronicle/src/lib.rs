//! A trace understood: the state at any command.
//!
//! A [`Chronicle`] is a trace and the model's state at many of its commands. Those snapshots share what did not change
//! between them, so they can be kept densely, and the state anywhere is a short walk from the one before.
//!
//! Here `state`, which knows what calls do, meets `trace`, which knows how they are stored.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod annotations;
pub mod audit;
mod call;
mod chronicle;
pub mod contents;
pub mod graph;
mod images;
pub mod ledger;
pub mod passes;
pub mod rewind;
mod texels;
pub mod trim;

pub use annotations::Annotations;
pub use call::{each_call, with_call};
pub use chronicle::{BUDGET, Chronicle, ChronicleError, INTERVAL};
pub use contents::{Piece, PieceContents};
pub use graph::Graph;
pub use images::Images;
pub use ledger::Ledger;
pub use texels::{FoundTexels, TexelPiece};
