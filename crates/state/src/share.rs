//! What contexts share.

use std::sync::Arc;

use imbl::OrdMap;

use crate::objects::buffer::{Buffer, BufferRef};
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

    /// Whether more than one context has ever been part of it.
    pub shared: bool,
    /// Buffers without a name that something still refers to, by their number.
    pub nameless_buffers: OrdMap<u64, Arc<Buffer>>,
    /// Which buffer is mapped at which address.
    pub maps: OrdMap<u64, BufferRef>,
}

impl ShareGroup {
    /// A number for a new object. Names come back when an object is deleted, these do not.
    pub fn next_object(&mut self) -> u64 {
        self.objects += 1;
        self.objects
    }

    /// The buffer that something refers to.
    #[must_use]
    pub fn buffer(&self, buffer: BufferRef) -> Option<&Buffer> {
        match self.buffers.get(&buffer.name).filter(|found| found.object == buffer.object) {
            Some(found) => Some(found),
            None => self.nameless_buffers.get(&buffer.object).map(Arc::as_ref),
        }
    }

    /// The buffer that something refers to, to be changed.
    pub fn buffer_mut(&mut self, buffer: BufferRef) -> Option<&mut Buffer> {
        let named = self.buffers.get(&buffer.name).is_some_and(|found| found.object == buffer.object);
        let found =
            if named { self.buffers.get_mut(&buffer.name) } else { self.nameless_buffers.get_mut(&buffer.object) };
        found.map(Arc::make_mut)
    }
}
