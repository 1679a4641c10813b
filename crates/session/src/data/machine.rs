//! Below the language.

use serde::{Deserialize, Serialize};

use super::place::Location;

/// An instruction of the emulator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ListedInstruction {
    /// Its place in the listing.
    pub address: u64,
    /// The function and the block it is in.
    pub block: String,
    /// What it does.
    pub text: String,
    /// What of the text it comes from.
    pub location: Option<Location>,
}

/// A place in memory that is not registers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MemoryPlace {
    /// The invocation that sees it: [`crate::Frame::pass`].
    pub pass: usize,
    /// `uniform`, `storage`, `counter`, `shared` or `patch`.
    pub space: String,
    /// Which buffer: the number of the block, or the binding of counters.
    pub slot: u32,
    /// Bytes from its start.
    pub offset: u32,
}
