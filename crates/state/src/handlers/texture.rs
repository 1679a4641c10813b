//! Textures, their levels and the units they are bound to.

mod get;
mod names;
mod parameter;
mod unit;
mod which;

use super::Table;
use crate::objects::texture::BufferStore;
use crate::share::ShareGroup;

pub fn register(table: &mut Table) {
    names::register(table);
    unit::register(table);
    parameter::register(table);
    get::register(table);
}

pub use get::{Wanted, sampling_value};
pub use names::detach;
pub use parameter::{Given, Owner, set_sampling};

/// How many bytes the buffer behind a buffer texture has now.
pub fn buffer_size(group: &ShareGroup, store: BufferStore) -> i64 {
    let _ = (group, store);
    0
}
