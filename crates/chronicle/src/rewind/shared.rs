//! Objects that contexts share: which there are, and what they are like besides their contents.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{CommandId, constant as c, id};
use state::objects::buffer::{Buffer, BufferRef, Point};
use state::objects::list::List;
use state::objects::query::QueryResult;

use super::{Obstacle, Rewind, SOMEWHERE};

/// Objects by name: the number that no other object ever has.
pub type Names = BTreeMap<u32, u64>;

/// A kind of object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    Buffer,
    Texture,
    Sampler,
    Renderbuffer,
    Framebuffer,
    VertexArray,
    TransformFeedback,
    Query,
    Pipeline,
    List,
}

impl ObjectKind {
    fn word(self) -> &'static str {
        match self {
            ObjectKind::Buffer => "a buffer",
            ObjectKind::Texture => "a texture",
            ObjectKind::Sampler => "a sampler",
            ObjectKind::Renderbuffer => "a renderbuffer",
            ObjectKind::Framebuffer => "a framebuffer",
            ObjectKind::VertexArray => "a vertex array",
            ObjectKind::TransformFeedback => "a transform feedback object",
            ObjectKind::Query => "a query",
            ObjectKind::Pipeline => "a program pipeline",
            ObjectKind::List => "a display list",
        }
    }

    fn delete(self) -> CommandId {
        match self {
            ObjectKind::Buffer => id::glDeleteBuffers,
            ObjectKind::Texture => id::glDeleteTextures,
            ObjectKind::Sampler => id::glDeleteSamplers,
            ObjectKind::Renderbuffer => id::glDeleteRenderbuffers,
            ObjectKind::Framebuffer => id::glDeleteFramebuffers,
            ObjectKind::VertexArray => id::glDeleteVertexArrays,
            ObjectKind::TransformFeedback => id::glDeleteTransformFeedbacks,
            ObjectKind::Query => id::glDeleteQueries,
            ObjectKind::Pipeline => id::glDeleteProgramPipelines,
            ObjectKind::List => id::glDeleteLists,
        }
    }
}

impl Rewind<'_> {
    /// Deletes objects that did not exist yet. Deleted objects are not recreated.
    pub(super) fn names(&mut self, kind: ObjectKind, now: &Names, to: &Names) -> Result<(), Obstacle> {
        if to.iter().any(|(name, object)| now.get(name) != Some(object)) {
            return Err(Obstacle(format!("{} was deleted since", kind.word())));
        }
        for name in now.keys().filter(|name| !to.contains_key(name)) {
            match kind {
                ObjectKind::List => self.make(kind.delete(), &[u64::from(*name), 1])?,
                _ => self.make_from(kind.delete(), &[1, SOMEWHERE], 1, &name.to_le_bytes())?,
            }
        }
        Ok(())
    }

    /// Makes good what differs in a share group.
    pub(super) fn shared(&mut self, place: usize) -> Result<(), Obstacle> {
        let (now, to) = (self.group(place), Arc::clone(&self.to.groups[place]));
        let same = now.labels == to.labels
            && now.includes == to.includes
            && now.ati_shaders == to.ati_shaders
            && now.semaphores == to.semaphores
            && now.memory_objects.len() == to.memory_objects.len();
        if !same {
            return Err(Obstacle("labels, includes or memory of others changed since".to_owned()));
        }
        self.programs(place)?;
        let lists = |group: &state::ShareGroup| group.lists.iter().map(|(name, one)| (*name, one.object)).collect();
        self.names(ObjectKind::List, &lists(&now), &lists(&to))?;
        let calls = |list: &List| list.calls.iter().map(|call| call.number).collect::<Vec<_>>();
        let other = |mine: &Arc<List>, list: &Arc<List>| !Arc::ptr_eq(mine, list) && calls(mine) != calls(list);
        if to.lists.iter().any(|(name, list)| now.lists.get(name).is_none_or(|mine| other(mine, list))) {
            return Err(Obstacle("a display list was changed since".to_owned()));
        }
        if to.assembly.len() != now.assembly.len()
            || to.assembly.iter().any(|(name, one)| now.assembly.get(name).is_none_or(|mine| differ(mine, one)))
        {
            return Err(Obstacle("an assembly program was changed since".to_owned()));
        }
        self.textures(place)?;
        self.renderbuffers(place)?;
        self.buffers_of(place)?;
        self.syncs(place)
    }

    fn renderbuffers(&mut self, place: usize) -> Result<(), Obstacle> {
        let (now, to) = (self.group(place), Arc::clone(&self.to.groups[place]));
        let names = |group: &state::ShareGroup| -> Names {
            group.renderbuffers.iter().map(|(name, one)| (*name, one.object)).collect()
        };
        self.names(ObjectKind::Renderbuffer, &names(&now), &names(&to))?;
        for (name, wanted) in &to.renderbuffers {
            let about =
                |one: &state::objects::renderbuffer::Renderbuffer| (one.exists, one.size, one.internal, one.samples);
            if now.renderbuffers.get(name).is_none_or(|mine| about(mine) != about(wanted)) {
                return Err(Obstacle("a renderbuffer was given other storage since".to_owned()));
            }
        }
        Ok(())
    }

    fn buffers_of(&mut self, place: usize) -> Result<(), Obstacle> {
        let (now, to) = (self.group(place), Arc::clone(&self.to.groups[place]));
        let names = |group: &state::ShareGroup| -> Names {
            group.buffers.iter().map(|(name, one)| (*name, one.object)).collect()
        };
        self.names(ObjectKind::Buffer, &names(&now), &names(&to))?;
        for (name, wanted) in &to.buffers {
            let Some(mine) = now.buffers.get(name) else { continue };
            if Arc::ptr_eq(mine, wanted) {
                continue;
            }
            let about = |one: &Buffer| (one.size, one.usage, one.immutable, one.flags);
            let buffer = BufferRef { name: *name, object: mine.object };
            if mine.exists != wanted.exists {
                return Err(Obstacle("a buffer was first bound since".to_owned()));
            }
            if mine.map != wanted.map && mine.map.is_some() {
                self.choose_buffer(buffer)?;
                self.make_with(id::glUnmapBuffer, &[u64::from(c::GL_ARRAY_BUFFER)], None, 1)?;
            }
            if about(mine) != about(wanted) {
                if mine.immutable || wanted.immutable {
                    return Err(Obstacle("a buffer was given other storage since".to_owned()));
                }
                self.choose_buffer(buffer)?;
                let words = [u64::from(c::GL_ARRAY_BUFFER), wanted.size, 0, u64::from(wanted.usage)];
                self.make(id::glBufferData, &words)?;
            }
            if let Some(map) = wanted.map.filter(|_| mine.map != wanted.map) {
                self.choose_buffer(buffer)?;
                let words = [u64::from(c::GL_ARRAY_BUFFER), map.offset, map.length, u64::from(map.access)];
                self.make_with(id::glMapBufferRange, &words, None, map.address)?;
            }
        }
        Ok(())
    }

    fn choose_buffer(&mut self, buffer: BufferRef) -> Result<(), Obstacle> {
        if self.here().buffers.get(Point::Array) == buffer {
            return Ok(());
        }
        self.bind_buffer(c::GL_ARRAY_BUFFER, buffer)
    }

    /// Queries and pipelines of the context.
    pub(super) fn queries(&mut self, to: &state::Context) -> Result<(), Obstacle> {
        let here = self.here();
        let names = |context: &state::Context| -> Names {
            context.queries.iter().map(|(name, one)| (*name, one.object)).collect()
        };
        self.names(ObjectKind::Query, &names(&here), &names(to))?;
        for (name, wanted) in &to.queries {
            let Some(mine) = here.queries.get(name) else { continue };
            let about = |one: &state::objects::query::Query| (one.exists, one.target, one.stream, one.active);
            // What a query counted until then is gone when it has counted again.
            let counted = mine.result != wanted.result && wanted.result != QueryResult::Unknown;
            if about(mine) != about(wanted) || counted {
                return Err(Obstacle("a query counted since".to_owned()));
            }
        }
        let names = |context: &state::Context| -> Names {
            context.pipelines.iter().map(|(name, one)| (*name, one.object)).collect()
        };
        self.names(ObjectKind::Pipeline, &names(&here), &names(to))?;
        let changed = |(name, wanted): (&u32, &Arc<state::objects::pipeline::Pipeline>)| {
            here.pipelines.get(name).is_none_or(|mine| {
                (mine.exists, mine.stages, mine.active, mine.validated)
                    != (wanted.exists, wanted.stages, wanted.active, wanted.validated)
            })
        };
        if to.pipelines.iter().any(changed) {
            return Err(Obstacle("a program pipeline was changed since".to_owned()));
        }
        if differ(&here.assembly, &to.assembly) {
            return Err(Obstacle("assembly programs were bound or given parameters since".to_owned()));
        }
        Ok(())
    }

    /// Syncs that are gone are made again: what they waited for has long been done. Those that were not there yet do no
    /// harm, because the program does not have their names.
    fn syncs(&mut self, place: usize) -> Result<(), Obstacle> {
        let (now, to) = (self.group(place), Arc::clone(&self.to.groups[place]));
        for (handle, _) in to.syncs.iter().filter(|(handle, _)| !now.syncs.contains_key(*handle)) {
            let words = [u64::from(c::GL_SYNC_GPU_COMMANDS_COMPLETE), 0];
            self.make_with(id::glFenceSync, &words, None, *handle)?;
        }
        for (handle, _) in now.syncs.iter().filter(|(handle, _)| !to.syncs.contains_key(*handle)) {
            self.make(id::glDeleteSync, &[*handle])?;
        }
        Ok(())
    }
}

/// Whether two things differ that are seldom there, and mostly shared.
pub fn differ<T: std::fmt::Debug>(mine: &Arc<T>, wanted: &Arc<T>) -> bool {
    !Arc::ptr_eq(mine, wanted) && format!("{mine:?}") != format!("{wanted:?}")
}
