//! Sync objects.

/// A sync object.
#[derive(Clone, Debug, Default)]
pub struct Sync {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// What it waits for.
    pub condition: u32,
    /// Whether the program was told that it is signaled.
    pub signaled: bool,
}
