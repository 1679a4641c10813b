//! External objects.

/// A memory object (EXT_memory_object).
#[derive(Clone, Debug, Default)]
pub struct MemoryObject {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// Whether a handle was imported; its parameters are then immutable.
    pub is_imported: bool,
    /// `GL_DEDICATED_MEMORY_OBJECT_EXT`.
    pub is_dedicated: bool,
}
