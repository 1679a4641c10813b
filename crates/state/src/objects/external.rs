//! Objects that come from other libraries.

/// Memory of another library (EXT_memory_object).
#[derive(Clone, Debug, Default)]
pub struct MemoryObject {
    /// A number that no other object of its share group ever has; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether it has been given a handle; nothing of it changes then.
    pub is_imported: bool,
    /// `GL_DEDICATED_MEMORY_OBJECT_EXT`.
    pub is_dedicated: bool,
}
