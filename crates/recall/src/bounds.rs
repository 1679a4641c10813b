//! How far a history is followed.

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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cut {
    /// Texels that have too little influence.
    pub light: u64,
    /// Texels that lie too many passes back.
    pub deep: u64,
    /// Texels for which there was no room.
    pub many: u64,
}

impl Cut {
    /// Whether nothing was left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Cut::default()
    }
}
