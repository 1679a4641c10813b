//! Framebuffers: attachments, completeness, draw and read buffers.

mod attach;
mod buffers;
mod get;
mod names;
mod status;
mod things;
mod transfer;

pub use get::stencil_and_floats;
pub use names::Name;
pub use status::{format_of, image_of, status};
pub use things::{Plane, draw_region, framebuffer_things, read_size, read_things};
pub use transfer::{ReadSource, check_read, is_combined, read_source};

use super::Table;

pub fn register(table: &mut Table) {
    names::register(table);
    attach::register(table);
    buffers::register(table);
    get::register(table);
    transfer::register(table);
}
