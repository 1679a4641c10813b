//! What contexts share.

use std::sync::Arc;

use imbl::OrdMap;

use crate::objects::buffer::Buffer;
use crate::objects::list::List;
use crate::objects::program::ShaderOrProgram;
use crate::objects::renderbuffer::Renderbuffer;
use crate::objects::sampler::Sampler;
use crate::objects::sync::Sync;
use crate::objects::texture::Texture;

/// Objects that several contexts have in common, by name.
#[derive(Clone, Debug, Default)]
pub struct ShareGroup {
    /// How many objects there have been; see [`ShareGroup::next_object`].
    objects: u64,
    /// Buffers.
    pub buffers: OrdMap<u32, Arc<Buffer>>,
    /// Textures.
    pub textures: OrdMap<u32, Arc<Texture>>,
    /// Samplers.
    pub samplers: OrdMap<u32, Arc<Sampler>>,
    /// Renderbuffers.
    pub renderbuffers: OrdMap<u32, Arc<Renderbuffer>>,
    /// Shaders and programs.
    pub programs: OrdMap<u32, Arc<ShaderOrProgram>>,
    /// Syncs by the recorded handle.
    pub syncs: OrdMap<u64, Arc<Sync>>,
    /// Display lists.
    pub lists: OrdMap<u32, Arc<List>>,
}

impl ShareGroup {
    /// A number for a new object. Names come back when an object is deleted, these do not.
    pub fn next_object(&mut self) -> u64 {
        self.objects += 1;
        self.objects
    }
}
