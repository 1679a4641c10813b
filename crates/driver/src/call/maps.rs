//! Buffers that are mapped.

use std::collections::HashMap;
use std::ffi::c_void;

use api::call::MapHandle;
use api::{constant as c, id};

use super::Calls;
use crate::memory::Mapped;

/// What is mapped, by handle.
#[derive(Default)]
pub struct Maps {
    maps: HashMap<MapHandle, (Mapped, Buffer)>,
    /// The last number that was given out.
    last: u64,
}

/// A buffer: the group of contexts that share it, and its name there.
type Buffer = (u32, u32);

impl Maps {
    pub fn get(&self, map: MapHandle) -> Option<&Mapped> {
        self.maps.get(&map).map(|(mapped, _)| mapped)
    }
}

impl Calls {
    /// Notes that the driver mapped a buffer at an address that is not null.
    pub(super) fn add_map(
        &mut self,
        address: u64,
        args: &[u64],
        (named, length): (bool, Option<u8>),
        group: u32,
    ) -> MapHandle {
        let size = match length {
            Some(param) => usize::try_from(args[usize::from(param)]).unwrap_or(0),
            None => {
                let ask = if named { id::glGetNamedBufferParameteriv } else { id::glGetBufferParameteriv };
                let [size, ..] = self.query(ask, &[args[0], u64::from(c::GL_BUFFER_SIZE)]);
                usize::try_from(size).unwrap_or(0)
            }
        };
        let buffer = if named { args[0] as u32 } else { self.bound_buffer(args[0] as u32) };
        // SAFETY: the driver returned a map that is not null, and was told or said how long it is. It is forgotten before
        // any call that ends it: one that unmaps the buffer, deletes it or gives it other storage.
        let mapped = unsafe { Mapped::new(address as *mut c_void, size) };
        // The buffer could be mapped once only, so this is what became of an earlier map.
        self.maps.maps.retain(|_, (other, _)| other.address() != address);
        self.maps.last += 1;
        let handle = MapHandle(self.maps.last);
        self.maps.maps.insert(handle, (mapped, (group, buffer)));
        handle
    }

    /// Forgets the map of a buffer, by target or by name.
    pub(super) fn forget_map(&mut self, buffer: u64, named: bool, group: u32) {
        if self.maps.maps.is_empty() {
            return;
        }
        let name = if named { buffer as u32 } else { self.bound_buffer(buffer as u32) };
        self.forget_named((group, name));
    }

    /// Forgets the maps of buffers that are about to be deleted: `args` are those of `glDeleteBuffers`.
    pub(super) fn forget_deleted(&mut self, args: &[u64], group: u32) {
        if self.maps.maps.is_empty() {
            return;
        }
        let count = usize::try_from(args[0] as u32 as i32).unwrap_or(0);
        if args[1] < super::LOWEST_ADDRESS {
            return;
        }
        let names = args[1] as *const u32;
        for at in 0..count {
            // SAFETY: `pointer_address` made the pointer, to as many names as the call will read.
            let name = unsafe { names.add(at) };
            // SAFETY: as above; names in a trace are not aligned.
            let name = unsafe { name.read_unaligned() };
            self.forget_named((group, name));
        }
    }

    fn forget_named(&mut self, buffer: Buffer) {
        self.maps.maps.retain(|_, (_, mapped)| *mapped != buffer);
    }

    /// Returns the name of the buffer that is bound to a target; 0 if that is none that GL can be asked for.
    pub(super) fn bound_buffer(&self, target: u32) -> u32 {
        let binding = match target {
            c::GL_ARRAY_BUFFER => c::GL_ARRAY_BUFFER_BINDING,
            c::GL_ELEMENT_ARRAY_BUFFER => c::GL_ELEMENT_ARRAY_BUFFER_BINDING,
            c::GL_PIXEL_PACK_BUFFER => c::GL_PIXEL_PACK_BUFFER_BINDING,
            c::GL_PIXEL_UNPACK_BUFFER => c::GL_PIXEL_UNPACK_BUFFER_BINDING,
            c::GL_UNIFORM_BUFFER => c::GL_UNIFORM_BUFFER_BINDING,
            c::GL_TEXTURE_BUFFER => c::GL_TEXTURE_BUFFER_BINDING,
            c::GL_TRANSFORM_FEEDBACK_BUFFER => c::GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
            c::GL_COPY_READ_BUFFER => c::GL_COPY_READ_BUFFER_BINDING,
            c::GL_COPY_WRITE_BUFFER => c::GL_COPY_WRITE_BUFFER_BINDING,
            c::GL_DRAW_INDIRECT_BUFFER => c::GL_DRAW_INDIRECT_BUFFER_BINDING,
            c::GL_DISPATCH_INDIRECT_BUFFER => c::GL_DISPATCH_INDIRECT_BUFFER_BINDING,
            c::GL_SHADER_STORAGE_BUFFER => c::GL_SHADER_STORAGE_BUFFER_BINDING,
            c::GL_ATOMIC_COUNTER_BUFFER => c::GL_ATOMIC_COUNTER_BUFFER_BINDING,
            c::GL_QUERY_BUFFER => c::GL_QUERY_BUFFER_BINDING,
            c::GL_PARAMETER_BUFFER => c::GL_PARAMETER_BUFFER_BINDING,
            _ => return 0,
        };
        self.query(id::glGetIntegerv, &[u64::from(binding)])[0].cast_unsigned()
    }
}
