//! Vertex arrays.

use api::{constant as c, id};
use state::Context;
use state::objects::buffer::{BufferRef, Point};
use state::objects::vertex_array as va;
use state::objects::vertex_array::{Attrib, VertexArray};

use super::shared::{Names, ObjectKind};
use super::{Obstacle, Rewind};

impl Rewind<'_> {
    /// Vertex arrays of the context, without which one is bound.
    pub(super) fn vertex_arrays(&mut self, to: &Context) -> Result<(), Obstacle> {
        let now: Names = self.here().vertex_arrays.iter().map(|(name, one)| (*name, one.object)).collect();
        let then: Names = to.vertex_arrays.iter().map(|(name, one)| (*name, one.object)).collect();
        self.names(ObjectKind::VertexArray, &now, &then)?;
        for (name, wanted) in &to.vertex_arrays {
            let same = |now: &VertexArray| {
                now.exists == wanted.exists
                    && now.elements == wanted.elements
                    && now.attribs == wanted.attribs
                    && now.bindings == wanted.bindings
            };
            let here = self.here();
            let Some(array) = here.vertex_arrays.get(name) else { continue };
            if std::sync::Arc::ptr_eq(array, wanted) || same(array) {
                continue;
            }
            if array.exists != wanted.exists {
                return Err(Obstacle("a vertex array was first bound since".to_owned()));
            }
            if here.vertex_array != *name {
                self.make(id::glBindVertexArray, &[u64::from(*name)])?;
            }
            if array.elements != wanted.elements {
                self.bind_buffer(c::GL_ELEMENT_ARRAY_BUFFER, wanted.elements)?;
            }
            for slot in 0..va::SLOTS {
                self.array(slot, array, wanted)?;
            }
        }
        Ok(())
    }

    /// One array of the vertex array that is bound.
    fn array(&mut self, slot: usize, now: &VertexArray, to: &VertexArray) -> Result<(), Obstacle> {
        let (mine, wanted) = (&now.attribs[slot], &to.attribs[slot]);
        let (my_source, source) = (&now.bindings[slot], &to.bindings[slot]);
        let specified = |attrib: &Attrib| Attrib { enabled: false, ..*attrib };
        let moved =
            (my_source.buffer, my_source.offset, my_source.stride) != (source.buffer, source.offset, source.stride);
        if specified(mine) != specified(wanted) || moved {
            if usize::from(wanted.binding) != slot || wanted.relative != 0 {
                return Err(Obstacle("a vertex array with formats of their own changed since".to_owned()));
            }
            if self.here().buffers.get(Point::Array) != source.buffer {
                self.bind_buffer(c::GL_ARRAY_BUFFER, source.buffer)?;
            }
            self.specify(slot, wanted)?;
        }
        if my_source.divisor != source.divisor {
            self.make(id::glVertexAttribDivisor, &[slot as u64 - va::GENERIC as u64, u64::from(source.divisor)])?;
        }
        if mine.enabled == wanted.enabled {
            return Ok(());
        }
        if slot >= va::GENERIC {
            let command = if wanted.enabled { id::glEnableVertexAttribArray } else { id::glDisableVertexAttribArray };
            return self.make(command, &[(slot - va::GENERIC) as u64]);
        }
        let name = match slot {
            va::POSITION => c::GL_VERTEX_ARRAY,
            va::NORMAL => c::GL_NORMAL_ARRAY,
            va::COLOR => c::GL_COLOR_ARRAY,
            va::SECONDARY_COLOR => c::GL_SECONDARY_COLOR_ARRAY,
            va::FOG_COORD => c::GL_FOG_COORD_ARRAY,
            va::INDEX => c::GL_INDEX_ARRAY,
            va::POINT_SIZE => c::GL_POINT_SIZE_ARRAY_OES,
            va::EDGE_FLAG => c::GL_EDGE_FLAG_ARRAY,
            _ => {
                self.client_unit(slot)?;
                c::GL_TEXTURE_COORD_ARRAY
            }
        };
        let command = if wanted.enabled { id::glEnableClientState } else { id::glDisableClientState };
        self.make(command, &[u64::from(name)])
    }

    fn client_unit(&mut self, slot: usize) -> Result<(), Obstacle> {
        self.make(id::glClientActiveTexture, &[u64::from(c::GL_TEXTURE0) + (slot - va::TEX_COORD) as u64])
    }

    /// Where an array lies: in the buffer that is bound, or in the program's memory, which draws bring with them.
    fn specify(&mut self, slot: usize, wanted: &Attrib) -> Result<(), Obstacle> {
        let size = if wanted.bgra { u64::from(c::GL_BGRA) } else { u64::from(wanted.size) };
        let (kind, stride) = (u64::from(wanted.kind), i64::from(wanted.stride).cast_unsigned());
        let place = wanted.pointer;
        match slot {
            va::POSITION => self.make(id::glVertexPointer, &[size, kind, stride, place]),
            va::NORMAL => self.make(id::glNormalPointer, &[kind, stride, place]),
            va::COLOR => self.make(id::glColorPointer, &[size, kind, stride, place]),
            va::SECONDARY_COLOR => self.make(id::glSecondaryColorPointer, &[size, kind, stride, place]),
            va::FOG_COORD => self.make(id::glFogCoordPointer, &[kind, stride, place]),
            va::INDEX => self.make(id::glIndexPointer, &[kind, stride, place]),
            va::POINT_SIZE => self.make(id::glPointSizePointerOES, &[kind, stride, place]),
            va::EDGE_FLAG => self.make(id::glEdgeFlagPointer, &[stride, place]),
            _ if slot < va::GENERIC => {
                self.client_unit(slot)?;
                self.make(id::glTexCoordPointer, &[size, kind, stride, place])
            }
            _ => {
                let index = (slot - va::GENERIC) as u64;
                if wanted.integer {
                    return self.make(id::glVertexAttribIPointer, &[index, size, kind, stride, place]);
                }
                if wanted.long {
                    return self.make(id::glVertexAttribLPointer, &[index, size, kind, stride, place]);
                }
                let normalized = u64::from(wanted.normalized);
                self.make(id::glVertexAttribPointer, &[index, size, kind, normalized, stride, place])
            }
        }
    }

    pub(super) fn bind_buffer(&mut self, target: u32, buffer: BufferRef) -> Result<(), Obstacle> {
        self.make(id::glBindBuffer, &[u64::from(target), u64::from(buffer.name)])
    }
}
