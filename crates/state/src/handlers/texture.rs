//! Textures, their levels and the units they are bound to.

mod get;
mod image;
mod level;
mod mipmap;
mod names;
mod parameter;
mod storage;
mod sub;
mod unit;
mod which;

use super::Table;
use crate::notes::Source;
use crate::objects::texture::BufferStore;
use crate::share::ShareGroup;
use crate::step::Step;

pub fn register(table: &mut Table) {
    names::register(table);
    unit::register(table);
    parameter::register(table);
    get::register(table);
    image::register(table);
    sub::register(table);
    storage::register(table);
    mipmap::register(table);
}

pub use get::{Wanted, sampling_value};
pub use level::layers;
pub use mipmap::{is_cube_complete, is_mipmap_complete};
pub use names::detach;
pub use parameter::{Given, Owner, set_sampling};
pub use storage::{most_samples, sample_count};

/// Where uploaded pixels come from: memory of the call, or the buffer that is bound for it. `param` is what points to
/// them, which without a buffer may be nowhere: then nobody knows what is there.
fn upload(step: &mut Step<'_>, param: usize, whole: bool) -> Source {
    if step.word(param) == 0 { Source::Undefined } else { Source::Memory { param: param as u8, whole } }
}

/// How many bytes the buffer behind a buffer texture has now.
pub fn buffer_size(group: &ShareGroup, store: BufferStore) -> i64 {
    let _ = (group, store);
    0
}
