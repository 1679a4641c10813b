//! Program pipeline objects.

/// A program pipeline object.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
}
