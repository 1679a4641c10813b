//! Display lists.

/// A display list.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
}
