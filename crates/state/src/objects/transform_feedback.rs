//! Transform feedback objects.

/// A transform feedback object.
#[derive(Clone, Debug, Default)]
pub struct TransformFeedback {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
}
