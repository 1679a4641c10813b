//! What is bound.

use std::sync::Arc;

use api::{constant as c, id};
use state::Context;
use state::objects::buffer::{BufferRange, Point};
use state::objects::texture::ALL_TARGETS;

use super::shared::differ;
use super::{Obstacle, Rewind};

/// Targets of buffers that belong to the context; those that bind to an index, too, come first.
const POINTS: [(Point, u32); 14] = [
    (Point::Uniform, c::GL_UNIFORM_BUFFER),
    (Point::ShaderStorage, c::GL_SHADER_STORAGE_BUFFER),
    (Point::AtomicCounter, c::GL_ATOMIC_COUNTER_BUFFER),
    (Point::TransformFeedback, c::GL_TRANSFORM_FEEDBACK_BUFFER),
    (Point::Array, c::GL_ARRAY_BUFFER),
    (Point::CopyRead, c::GL_COPY_READ_BUFFER),
    (Point::CopyWrite, c::GL_COPY_WRITE_BUFFER),
    (Point::PixelPack, c::GL_PIXEL_PACK_BUFFER),
    (Point::PixelUnpack, c::GL_PIXEL_UNPACK_BUFFER),
    (Point::DrawIndirect, c::GL_DRAW_INDIRECT_BUFFER),
    (Point::DispatchIndirect, c::GL_DISPATCH_INDIRECT_BUFFER),
    (Point::Parameter, c::GL_PARAMETER_BUFFER),
    (Point::Query, c::GL_QUERY_BUFFER),
    (Point::Texture, c::GL_TEXTURE_BUFFER),
];

impl Rewind<'_> {
    /// Binds what was bound.
    pub(super) fn bindings(&mut self, to: &Context) -> Result<(), Obstacle> {
        let here = self.here();
        if !Arc::ptr_eq(&here.subroutines, &to.subroutines) && here.subroutines != to.subroutines {
            return Err(Obstacle("subroutines were chosen since".to_owned()));
        }
        if here.program != to.program {
            self.make(id::glUseProgram, &[u64::from(to.program)])?;
        }
        if here.pipeline != to.pipeline {
            self.make(id::glBindProgramPipeline, &[u64::from(to.pipeline)])?;
        }
        if here.transform_feedback != to.transform_feedback {
            let words = [c::GL_TRANSFORM_FEEDBACK, to.transform_feedback].map(u64::from);
            self.make(id::glBindTransformFeedback, &words)?;
        }
        self.units(to)?;
        if here.vertex_array != to.vertex_array {
            self.make(id::glBindVertexArray, &[u64::from(to.vertex_array)])?;
        }
        self.buffers(to)?;
        self.targets(to)
    }

    fn units(&mut self, to: &Context) -> Result<(), Obstacle> {
        let here = self.here();
        if differ(&here.units.proxies, &to.units.proxies) {
            return Err(Obstacle("a proxy texture was asked about since".to_owned()));
        }
        for (number, (mine, wanted)) in here.units.units.iter().zip(&to.units.units).enumerate() {
            if Arc::ptr_eq(mine, wanted) || mine == wanted {
                continue;
            }
            for (at, target) in ALL_TARGETS.into_iter().enumerate() {
                if mine.textures[at] != wanted.textures[at] {
                    if self.here().active_unit() != number as u32 {
                        self.make(id::glActiveTexture, &[u64::from(c::GL_TEXTURE0) + number as u64])?;
                    }
                    self.make(id::glBindTexture, &[target.name(), wanted.textures[at].name].map(u64::from))?;
                }
            }
            if mine.sampler != wanted.sampler {
                self.make(id::glBindSampler, &[number as u64, u64::from(wanted.sampler.name)])?;
            }
        }
        for (number, (mine, wanted)) in here.units.images.iter().zip(to.units.images.iter()).enumerate() {
            if mine != wanted {
                let (level, layer) = (wanted.level.cast_unsigned(), wanted.layer.cast_unsigned());
                let words = [number as u32, wanted.texture.name, level, u32::from(wanted.layered), layer];
                let words = [&words[..], &[wanted.access, wanted.format]].concat();
                let words: Vec<u64> = words.into_iter().map(u64::from).collect();
                self.make(id::glBindImageTexture, &words)?;
            }
        }
        Ok(())
    }

    fn buffers(&mut self, to: &Context) -> Result<(), Obstacle> {
        for (point, target) in POINTS {
            let here = self.here();
            if let (Some(mine), Some(wanted)) = (here.buffers.ranges(point), to.buffers.ranges(point)) {
                for index in 0..mine.len().max(wanted.len()) {
                    let of = |list: &[BufferRange]| list.get(index).copied().unwrap_or_default();
                    if of(mine) != of(wanted) {
                        self.bind_range(target, index, of(wanted))?;
                    }
                }
            }
        }
        for (point, target) in POINTS {
            if self.here().buffers.get(point) != to.buffers.get(point) {
                self.bind_buffer(target, to.buffers.get(point))?;
            }
        }
        Ok(())
    }

    /// Binds part of a buffer, or all of it, to an index.
    pub(super) fn bind_range(&mut self, target: u32, index: usize, range: BufferRange) -> Result<(), Obstacle> {
        let [target, name] = [target, range.buffer.name].map(u64::from);
        if range.size == 0 {
            return self.make(id::glBindBufferBase, &[target, index as u64, name]);
        }
        let [offset, size] = [range.offset, range.size].map(i64::cast_unsigned);
        self.make(id::glBindBufferRange, &[target, index as u64, name, offset, size])
    }

    fn targets(&mut self, to: &Context) -> Result<(), Obstacle> {
        let here = self.here();
        let (mine, wanted) = (&here.targets, &to.targets);
        let mut bind = |target: u32, name: u32| self.make(id::glBindFramebuffer, &[target, name].map(u64::from));
        match (mine.draw != wanted.draw, mine.read != wanted.read) {
            // OpenGL ES 2 knows only one target, and has both the same always.
            (true, _) | (_, true) if wanted.draw == wanted.read => bind(c::GL_FRAMEBUFFER, wanted.draw)?,
            (draw, read) => {
                if draw {
                    bind(c::GL_DRAW_FRAMEBUFFER, wanted.draw)?;
                }
                if read {
                    bind(c::GL_READ_FRAMEBUFFER, wanted.read)?;
                }
            }
        }
        if mine.renderbuffer != wanted.renderbuffer {
            self.make(id::glBindRenderbuffer, &[c::GL_RENDERBUFFER, wanted.renderbuffer.name].map(u64::from))?;
        }
        Ok(())
    }
}
