//! Framebuffers and transform feedback objects.

use std::sync::Arc;

use api::{constant as c, id};
use state::Context;
use state::objects::framebuffer::{Attachment, Buffers, COLOURS, DEPTH, Framebuffer};
use state::objects::texture::Target;

use super::shared::{Names, ObjectKind};
use super::{Obstacle, Rewind};

impl Rewind<'_> {
    /// Framebuffers of the context, without which ones are bound.
    pub(super) fn framebuffers(&mut self, to: &Context) -> Result<(), Obstacle> {
        let now: Names = self.here().framebuffers.iter().map(|(name, one)| (*name, one.object)).collect();
        let then: Names = to.framebuffers.iter().map(|(name, one)| (*name, one.object)).collect();
        self.names(ObjectKind::Framebuffer, &now, &then)?;
        for (name, wanted) in &to.framebuffers {
            let here = self.here();
            let Some(mine) = here.framebuffers.get(name) else { continue };
            if Arc::ptr_eq(mine, wanted) {
                continue;
            }
            let others = |one: &Framebuffer| (one.defaults, one.default_fixed, one.flip_y, one.exists);
            if others(mine) != others(wanted) {
                return Err(Obstacle("a framebuffer's parameters changed since".to_owned()));
            }
            for place in 0..mine.attachments.len() {
                if mine.attachments[place] != wanted.attachments[place] {
                    self.bind_framebuffer(*name)?;
                    self.attach(place, wanted.attachments[place])?;
                }
            }
            if mine.buffers != wanted.buffers {
                self.bind_framebuffer(*name)?;
                self.choose(&mine.buffers, &wanted.buffers, false)?;
            }
        }
        let here = self.here();
        if here.targets.default != to.targets.default {
            self.bind_framebuffer(0)?;
            self.choose(&here.targets.default, &to.targets.default, true)?;
        }
        Ok(())
    }

    fn bind_framebuffer(&mut self, name: u32) -> Result<(), Obstacle> {
        let here = self.here();
        if here.targets.draw == name && here.targets.read == name {
            return Ok(());
        }
        self.make(id::glBindFramebuffer, &[c::GL_FRAMEBUFFER, name].map(u64::from))
    }

    /// Attaches something to the framebuffer that is bound.
    fn attach(&mut self, place: usize, wanted: Attachment) -> Result<(), Obstacle> {
        let point = match place {
            _ if place < COLOURS => c::GL_COLOR_ATTACHMENT0 + place as u32,
            DEPTH => c::GL_DEPTH_ATTACHMENT,
            _ => c::GL_STENCIL_ATTACHMENT,
        };
        let target = c::GL_FRAMEBUFFER;
        match wanted {
            Attachment::None => {
                self.make(id::glFramebufferRenderbuffer, &[target, point, c::GL_RENDERBUFFER, 0].map(u64::from))
            }
            Attachment::Renderbuffer(bound) => {
                let words = [target, point, c::GL_RENDERBUFFER, bound.name].map(u64::from);
                self.make(id::glFramebufferRenderbuffer, &words)
            }
            Attachment::Texture { texture, target: kind, level, layer, layered } => {
                let (level, layer) = (level.cast_unsigned(), layer.cast_unsigned());
                let flat = |image: u32| [target, point, image, texture.name, level].map(u64::from);
                match kind {
                    _ if layered => {
                        self.make(id::glFramebufferTexture, &[target, point, texture.name, level].map(u64::from))
                    }
                    Target::OneD => self.make(id::glFramebufferTexture1D, &flat(kind.name())),
                    Target::Cube => {
                        self.make(id::glFramebufferTexture2D, &flat(c::GL_TEXTURE_CUBE_MAP_POSITIVE_X + layer))
                    }
                    Target::TwoD | Target::Rectangle | Target::Multisample | Target::External => {
                        self.make(id::glFramebufferTexture2D, &flat(kind.name()))
                    }
                    _ => {
                        let words = [target, point, texture.name, level, layer].map(u64::from);
                        self.make(id::glFramebufferTextureLayer, &words)
                    }
                }
            }
        }
    }

    /// Chooses which buffers of the framebuffer that is bound are drawn to and read from.
    fn choose(&mut self, now: &Buffers, to: &Buffers, default: bool) -> Result<(), Obstacle> {
        if now.draw != to.draw {
            let several = to.draw[1..].iter().any(|buffer| *buffer != c::GL_NONE);
            let es = matches!(self.here().facts.client, state::Client::Es1 | state::Client::Es2);
            if several || es || !default {
                let count = to.draw.iter().rposition(|buffer| *buffer != c::GL_NONE).map_or(1, |last| last + 1);
                let bytes: Vec<u8> = to.draw[..count].iter().flat_map(|buffer| buffer.to_le_bytes()).collect();
                self.make_from(id::glDrawBuffers, &[count as u64, super::SOMEWHERE], 1, &bytes)?;
            } else {
                self.make(id::glDrawBuffer, &[u64::from(to.draw[0])])?;
            }
        }
        if now.read != to.read {
            self.make(id::glReadBuffer, &[u64::from(to.read)])?;
        }
        Ok(())
    }

    /// Transform feedback objects of the context, without which one is bound.
    pub(super) fn feedbacks(&mut self, to: &Context) -> Result<(), Obstacle> {
        let now: Names = self.here().transform_feedbacks.iter().map(|(name, one)| (*name, one.object)).collect();
        let then: Names = to.transform_feedbacks.iter().map(|(name, one)| (*name, one.object)).collect();
        self.names(ObjectKind::TransformFeedback, &now, &then)?;
        for (name, wanted) in &to.transform_feedbacks {
            let here = self.here();
            let Some(mine) = here.transform_feedbacks.get(name) else { continue };
            if Arc::ptr_eq(mine, wanted) {
                continue;
            }
            if (mine.ended, mine.exists) != (wanted.ended, wanted.exists) {
                return Err(Obstacle("transform feedback has first been used since".to_owned()));
            }
            for (index, range) in wanted.buffers.iter().enumerate().filter(|(at, range)| mine.buffers[*at] != **range) {
                if here.transform_feedback != *name {
                    self.make(id::glBindTransformFeedback, &[c::GL_TRANSFORM_FEEDBACK, *name].map(u64::from))?;
                }
                self.bind_range(c::GL_TRANSFORM_FEEDBACK_BUFFER, index, *range)?;
            }
        }
        Ok(())
    }
}
