//! How far a history is followed.

use std::sync::Arc;

use pipeline::Effort;

/// Where a walk ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// What has less influence than this on the pixel is not followed.
    pub min_weight: f64,
    /// How many passes back; 0 for those who wrote to the pixel itself.
    pub depth: u32,
    /// How many nodes there may be.
    pub max_nodes: usize,
    /// Whether fragments are followed to their vertices, and all invocations to buffers and uniforms.
    pub vertices: bool,
    /// Whether what draws leave behind is read back and compared with the emulator's result.
    pub verify: bool,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { min_weight: 0.0, depth: u32::MAX, max_nodes: 100_000, vertices: true, verify: true }
    }
}

/// What bounds left out.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Cut {
    /// Texels that have too little influence.
    pub light: u64,
    /// Texels that lie too many passes back.
    pub deep: u64,
    /// The influence that these have on the pixel together.
    pub deep_weight: f64,
    /// Texels for which there was no room.
    pub many: u64,
    /// Texels that were left when as much had been done as may be.
    pub costly: u64,
}

impl Cut {
    /// Whether nothing was left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Cut::default()
    }
}

/// What a history, a search for NaN or a sequence may take in all: two to five seconds, whatever it consists of, and less
/// than half a gigabyte.
const EFFORT: u64 = 3 << 26;

/// What nodes and edges take of it, for the memory that they need and for what is printed of them: a node is 3 kB of JSON.
pub const NODE: u64 = 1536;
pub const EDGE: u64 = 96;
/// A texel that a draw did not write, for whose writer the ledger is asked again.
pub const PASS: u64 = 16;
/// A fragment or vertex that was measured.
pub const MEASURED: u64 = 128;
/// A primitive that a fragment may be of.
pub const CANDIDATE: u64 = 64;

/// Rows and fragments that are kept at most.
pub const MOST_ROWS: usize = 100_000;

/// Vertices of a draw that are followed: each takes about a kilobyte while its draw is looked at.
pub const MOST_VERTICES: u64 = 1 << 18;

/// Pixels of a draw that are measured at once.
pub const MOST_PIXELS: u64 = 1 << 16;

/// Words of the answers of fragments, vertices or primitives that are read at once: a word becomes about 50 bytes. Where
/// there are more, a smaller part of the draw is asked.
const MOST_WORDS: u64 = 1 << 22;

/// Returns how many words may be read at once.
pub fn words() -> u64 {
    if state::are_limits_lifted() { instrument::inspect::Limits::DEFAULT.every } else { MOST_WORDS }
}

/// How a history says that a limit was reached.
pub const ADVICE: &str = "if you trust the trace, set AFTERIMAGE_TRUST=1";

/// Returns what one question may take.
pub fn effort() -> Arc<Effort> {
    Arc::new(if state::are_limits_lifted() { Effort::default() } else { Effort::of(EFFORT) })
}
