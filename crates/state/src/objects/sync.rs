//! Sync objects.

/// A sync object.
#[derive(Clone, Debug, Default)]
pub struct Sync {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Its condition.
    pub condition: u32,
    /// Whether it was reported as signaled to the program.
    pub signaled: bool,
}
