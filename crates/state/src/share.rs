//! Share groups.

use std::mem::replace;
use std::sync::Arc;

use imbl::OrdMap;

use crate::objects::assembly::AssemblyProgram;
use crate::objects::buffer::{Buffer, BufferRef};
use crate::objects::external::MemoryObject;
use crate::objects::list::List;
use crate::objects::program::{Program, ShaderOrProgram};
use crate::objects::renderbuffer::Renderbuffer;
use crate::objects::sampler::Sampler;
use crate::objects::sync::Sync;
use crate::objects::texture::{ALL_TARGETS, Bound, TARGETS, Texture};

/// Objects that several contexts share, by name.
#[derive(Clone, Debug)]
pub struct ShareGroup {
    /// The number of objects so far; see [`ShareGroup::next_object`].
    objects: u64,
    /// Buffers.
    pub buffers: OrdMap<u32, Arc<Buffer>>,
    /// Textures.
    pub textures: OrdMap<u32, Arc<Texture>>,
    /// Default textures by target; they have no names.
    pub default_textures: [Arc<Texture>; TARGETS],
    /// Textures whose names are deleted, but which may still be in use, by object.
    pub lingering_textures: OrdMap<u64, Arc<Texture>>,
    /// Renderbuffers whose names are deleted, but which may still be in use, by object.
    pub lingering_renderbuffers: OrdMap<u64, Arc<Renderbuffer>>,
    /// The number of contexts in the group.
    pub members: u32,
    /// Samplers.
    pub samplers: OrdMap<u32, Arc<Sampler>>,
    /// Renderbuffers.
    pub renderbuffers: OrdMap<u32, Arc<Renderbuffer>>,
    /// Shaders and programs.
    pub programs: OrdMap<u32, Arc<ShaderOrProgram>>,
    /// Syncs by the recorded handle.
    pub syncs: OrdMap<u64, Arc<Sync>>,
    /// Assembly programs.
    pub assembly: OrdMap<u32, Arc<AssemblyProgram>>,
    /// Shaders of ATI_fragment_shader; they have no state that can be queried.
    pub ati_shaders: OrdMap<u32, u64>,
    /// Display lists.
    pub lists: OrdMap<u32, Arc<List>>,

    /// Whether more than one context has ever been in the group.
    pub shared: bool,
    /// Buffers whose names are deleted, but which are still referenced, by number.
    pub nameless_buffers: OrdMap<u64, Arc<Buffer>>,
    /// Mapped buffers by address.
    pub maps: OrdMap<u64, BufferRef>,

    /// Labels of objects, by their unique number.
    pub labels: OrdMap<u64, Arc<[u8]>>,
    /// Named strings of shaders, by their path without the first slash.
    pub includes: OrdMap<Vec<u8>, Arc<[u8]>>,
    /// External memory objects.
    pub memory_objects: OrdMap<u32, Arc<MemoryObject>>,
    /// Numbers of external semaphores, by name.
    pub semaphores: OrdMap<u32, u64>,

    /// The realm whose objects are in the tables above: contexts of other realms share textures with it, and nothing else
    /// (`EGL_ANGLE_display_texture_share_group`).
    pub realm: u32,
    /// The objects of the other realms.
    parked: OrdMap<u32, Arc<Realm>>,
}

/// The named objects of a realm while a context of another realm is being used.
#[derive(Clone, Debug, Default)]
struct Realm {
    buffers: OrdMap<u32, Arc<Buffer>>,
    samplers: OrdMap<u32, Arc<Sampler>>,
    renderbuffers: OrdMap<u32, Arc<Renderbuffer>>,
    programs: OrdMap<u32, Arc<ShaderOrProgram>>,
    assembly: OrdMap<u32, Arc<AssemblyProgram>>,
    ati_shaders: OrdMap<u32, u64>,
    lists: OrdMap<u32, Arc<List>>,
    memory_objects: OrdMap<u32, Arc<MemoryObject>>,
    semaphores: OrdMap<u32, u64>,
}

impl Default for ShareGroup {
    fn default() -> ShareGroup {
        ShareGroup {
            objects: 0,
            buffers: OrdMap::new(),
            textures: OrdMap::new(),
            default_textures: ALL_TARGETS.map(|target| Arc::new(Texture::default_of(target))),
            lingering_textures: OrdMap::new(),
            lingering_renderbuffers: OrdMap::new(),
            members: 0,
            samplers: OrdMap::new(),
            renderbuffers: OrdMap::new(),
            programs: OrdMap::new(),
            syncs: OrdMap::new(),
            assembly: OrdMap::new(),
            ati_shaders: OrdMap::new(),
            lists: OrdMap::new(),
            shared: false,
            nameless_buffers: OrdMap::new(),
            maps: OrdMap::new(),
            labels: OrdMap::new(),
            includes: OrdMap::new(),
            memory_objects: OrdMap::new(),
            semaphores: OrdMap::new(),
            realm: 0,
            parked: OrdMap::new(),
        }
    }
}

impl ShareGroup {
    /// Puts the objects of a realm into the tables.
    pub(crate) fn enter(&mut self, realm: u32) {
        if realm == self.realm {
            return;
        }
        let next = self.parked.remove(&realm).map(Arc::unwrap_or_clone).unwrap_or_default();
        let left = Realm {
            buffers: replace(&mut self.buffers, next.buffers),
            samplers: replace(&mut self.samplers, next.samplers),
            renderbuffers: replace(&mut self.renderbuffers, next.renderbuffers),
            programs: replace(&mut self.programs, next.programs),
            assembly: replace(&mut self.assembly, next.assembly),
            ati_shaders: replace(&mut self.ati_shaders, next.ati_shaders),
            lists: replace(&mut self.lists, next.lists),
            memory_objects: replace(&mut self.memory_objects, next.memory_objects),
            semaphores: replace(&mut self.semaphores, next.semaphores),
        };
        self.parked.insert(replace(&mut self.realm, realm), Arc::new(left));
    }

    /// Returns whether there are contexts that share only textures.
    #[must_use]
    pub fn has_realms(&self) -> bool {
        !self.parked.is_empty()
    }

    /// Returns a bound texture.
    #[must_use]
    pub fn texture(&self, bound: Bound) -> Option<&Texture> {
        let place = u64::MAX - bound.object;
        if let Some(texture) = self.default_textures.get(place as usize) {
            return Some(texture);
        }
        let named = self.textures.get(&bound.name).filter(|texture| texture.object == bound.object);
        named.or_else(|| self.lingering_textures.get(&bound.object)).map(Arc::as_ref)
    }

    /// Returns a bound texture for modification.
    pub fn texture_mut(&mut self, bound: Bound) -> Option<&mut Texture> {
        let place = u64::MAX - bound.object;
        if let Some(texture) = self.default_textures.get_mut(place as usize) {
            return Some(Arc::make_mut(texture));
        }
        let named = self.textures.get_mut(&bound.name).filter(|texture| texture.object == bound.object);
        named.or_else(|| self.lingering_textures.get_mut(&bound.object)).map(Arc::make_mut)
    }

    /// Returns a bound or attached renderbuffer.
    #[must_use]
    pub fn renderbuffer(&self, bound: Bound) -> Option<&Renderbuffer> {
        let named = self.renderbuffers.get(&bound.name).filter(|found| found.object == bound.object);
        named.or_else(|| self.lingering_renderbuffers.get(&bound.object)).map(Arc::as_ref)
    }

    /// Returns a bound or attached renderbuffer for modification.
    pub fn renderbuffer_mut(&mut self, bound: Bound) -> Option<&mut Renderbuffer> {
        let named = self.renderbuffers.get_mut(&bound.name).filter(|found| found.object == bound.object);
        named.or_else(|| self.lingering_renderbuffers.get_mut(&bound.object)).map(Arc::make_mut)
    }

    /// Returns the program of a name; `None` when it is not a program.
    #[must_use]
    pub fn program(&self, name: u32) -> Option<&Program> {
        match self.programs.get(&name)?.as_ref() {
            ShaderOrProgram::Program(program) => Some(program),
            ShaderOrProgram::Shader(_) => None,
        }
    }

    /// Returns a number for a new object. Names are reused, these numbers are not.
    pub fn next_object(&mut self) -> u64 {
        self.objects += 1;
        self.objects
    }

    /// Returns a referenced buffer.
    #[must_use]
    pub fn buffer(&self, buffer: BufferRef) -> Option<&Buffer> {
        match self.buffers.get(&buffer.name).filter(|found| found.object == buffer.object) {
            Some(found) => Some(found),
            None => self.nameless_buffers.get(&buffer.object).map(Arc::as_ref),
        }
    }

    /// Returns the buffer of a number, with or without a name.
    #[must_use]
    pub fn buffer_numbered(&self, object: u64) -> Option<&Buffer> {
        let named = self.buffers.values().find(|buffer| buffer.object == object);
        named.or_else(|| self.nameless_buffers.get(&object)).map(Arc::as_ref)
    }

    /// Returns a referenced buffer for modification.
    pub fn buffer_mut(&mut self, buffer: BufferRef) -> Option<&mut Buffer> {
        let named = self.buffers.get(&buffer.name).is_some_and(|found| found.object == buffer.object);
        let found =
            if named { self.buffers.get_mut(&buffer.name) } else { self.nameless_buffers.get_mut(&buffer.object) };
        found.map(Arc::make_mut)
    }
}
