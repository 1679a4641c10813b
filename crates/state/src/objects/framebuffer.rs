//! Framebuffer objects.

/// A framebuffer object.
#[derive(Clone, Debug, Default)]
pub struct Framebuffer {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
}
