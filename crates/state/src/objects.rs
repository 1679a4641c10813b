//! GL objects, one module per type.

pub mod assembly;
pub mod buffer;
pub mod external;
pub mod format;
pub mod framebuffer;
pub mod list;
pub mod pipeline;
pub mod program;
pub mod query;
pub mod renderbuffer;
pub mod sampler;
pub mod sync;
pub mod texture;
pub mod transform_feedback;
pub mod vertex_array;
