//! Buffer objects.

/// A buffer object.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
}
