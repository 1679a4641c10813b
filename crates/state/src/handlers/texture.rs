//! Textures, their levels and their bindings.

mod buffer;
mod copy;
mod copy_image;
mod copy_texture;
mod get;
mod image;
mod level;
mod mipmap;
mod names;
mod parameter;
mod pixels;
mod region;
mod storage;
mod sub;
mod unit;
mod which;

use super::Table;

pub fn register(table: &mut Table) {
    names::register(table);
    unit::register(table);
    parameter::register(table);
    get::register(table);
    image::register(table);
    sub::register(table);
    storage::register(table);
    mipmap::register(table);
    buffer::register(table);
    copy::register(table);
    copy_image::register(table);
    copy_texture::register(table);
    region::register(table);
}

pub use get::{QueryType, sampling_value};
pub use level::layers;
pub use mipmap::{is_cube_complete, is_mipmap_complete};
pub use names::detach;
pub use parameter::{Owner, ParameterValue, set_sampling};
pub use pixels::{check_readback, readback};
pub use storage::{most_samples, multisample, sample_count, storage};
pub use which::{Form, locate};
