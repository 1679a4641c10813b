//! Texture objects.

/// A texture object.
#[derive(Clone, Debug, Default)]
pub struct Texture {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
}
