//! What ANGLE adds to OpenGL ES, done with commands that every driver has.

use api::{Namespace, constant as c, id};
use trace::{Call, Reader};

use super::Player;
use super::arguments::bytes;
use super::readback::word;
use crate::ReplayError;
use crate::plan::{PlaceKind, Plan, Special};

/// The capabilities of `EXT_multisample_compatibility`. Chromium sets them to what they are without it.
const MULTISAMPLE_COMPATIBILITY: [u32; 2] = [c::GL_MULTISAMPLE, c::GL_SAMPLE_ALPHA_TO_ONE];

/// No texture has more levels.
const MOST_LEVELS: u64 = 32;

impl Player {
    /// Executes a command that only ANGLE has.
    pub(super) fn use_angle(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        if !self.world.enter(call.thread)? {
            return Ok(());
        }
        match plan.id {
            id::glBindUniformLocationCHROMIUM => self.bind_uniform(call, reader),
            id::glCopySubTextureCHROMIUM => {
                self.copy_texture(call);
                Ok(())
            }
            // What an extension adds needs no request here.
            id::glRequestExtensionANGLE => Ok(()),
            _ => {
                self.problem(call.number, &format!("{} cannot be replayed", plan.command.name));
                Ok(())
            }
        }
    }

    /// Returns whether the prepared call uses something of ANGLE's that other drivers do not have.
    pub(super) fn is_angles_own(&mut self, plan: &Plan) -> bool {
        let own = match plan.special {
            Special::Storage => self.args[2] as u32 == c::GL_BGRA8_EXT,
            Special::Parameter => self.args[1] as u32 == c::GL_TEXTURE_USAGE_ANGLE,
            Special::Capability => MULTISAMPLE_COMPATIBILITY.contains(&(self.args[0] as u32)),
            _ => false,
        };
        own && self.world.current().is_some_and(|(context, _)| context.on_angle)
            && !(plan.special == Special::Capability
                && self.string(c::GL_EXTENSIONS).contains("GL_EXT_multisample_compatibility"))
    }

    /// Does what such a call does, with other commands: levels of `GL_BGRA` have the same texels as its storage.
    pub(super) fn imitate(&mut self, plan: &Plan) -> u64 {
        let [target, levels, _, width, height, ..] = self.args;
        if plan.special == Special::Storage {
            let (format, kind) = (u64::from(c::GL_BGRA), u64::from(c::GL_UNSIGNED_BYTE));
            let unpack = u64::from(c::GL_PIXEL_UNPACK_BUFFER);
            let buffer = self.integer(c::GL_PIXEL_UNPACK_BUFFER_BINDING);
            if buffer != 0 {
                self.own_call(id::glBindBuffer, &[unpack, 0]);
            }
            for level in 0..levels.min(MOST_LEVELS) {
                let [width, height] = [width, height].map(|side| u64::from((side as u32 >> level).max(1)));
                self.own_call(id::glTexImage2D, &[target, level, format, width, height, 0, format, kind, 0]);
            }
            if buffer != 0 {
                self.own_call(id::glBindBuffer, &[unpack, word(buffer)]);
            }
        }
        0
    }

    fn bind_uniform(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let [program, location, _] = *call.args else { return Ok(()) };
        let Some(name) = call.input(2) else { return Ok(()) };
        let Some(name) = bytes(reader, name)? else { return Ok(()) };
        let name = String::from_utf8_lossy(&name);
        if let Some((_, group)) = self.world.current() {
            group.places.bind_uniform(program as u32, location as u32 as i32, name.trim_end_matches('\0'));
        }
        Ok(())
    }

    /// Records where the driver has put the uniforms whose locations were chosen before a program was linked.
    pub(super) fn note_bound_uniforms(&mut self, recorded: u32, program: u64) {
        let Some((_, group)) = self.world.current() else { return };
        let bound = group.places.bound_uniforms(recorded);
        if bound.is_empty() || !self.is_linked(program) {
            return;
        }
        for (location, name) in bound {
            let real = self.own_call_text(id::glGetUniformLocation, &[program], name.as_bytes()) as u32;
            if let Some((_, group)) = self.world.current() {
                group.places.note(recorded, PlaceKind::Uniform, &name, location, real.cast_signed());
            }
        }
    }

    /// `glCopySubTextureCHROMIUM`: a blit between framebuffers, which converts as that does.
    fn copy_texture(&mut self, call: &Call<'_>) {
        let [source, from_level, target, to, level, to_x, to_y, x, y, width, height, flip, premultiply, unmultiply] =
            *call.args
        else {
            return;
        };
        if premultiply as u8 != 0 || unmultiply as u8 != 0 {
            let text = "glCopySubTextureCHROMIUM was replayed without multiplying colours by alpha";
            self.problem(call.number, text);
        }
        let name =
            |player: &mut Player, recorded: u64| u64::from(player.world.real_name(Namespace::Texture, recorded as u32));
        let (source, to) = (name(self, source), name(self, to));
        let bindings = [c::GL_READ_FRAMEBUFFER_BINDING, c::GL_DRAW_FRAMEBUFFER_BINDING].map(|name| self.integer(name));
        let scissor = self.integer(c::GL_SCISSOR_TEST) != 0;
        if scissor {
            self.own_call(id::glDisable, &[u64::from(c::GL_SCISSOR_TEST)]);
        }
        let framebuffers = [self.generate(id::glGenFramebuffers), self.generate(id::glGenFramebuffers)];
        let sides = [
            (c::GL_READ_FRAMEBUFFER, u64::from(c::GL_TEXTURE_2D), source, from_level),
            (c::GL_DRAW_FRAMEBUFFER, target, to, level),
        ];
        for ((bind, target, texture, level), framebuffer) in sides.into_iter().zip(framebuffers) {
            let bind = u64::from(bind);
            self.own_call(id::glBindFramebuffer, &[bind, u64::from(framebuffer)]);
            let attachment = u64::from(c::GL_COLOR_ATTACHMENT0);
            self.own_call(id::glFramebufferTexture2D, &[bind, attachment, target, texture, level]);
        }
        let corner = |first: u64, size: u64| word(first as i32 as i64 as i32 + size as i32);
        let mut rows = [to_y, corner(to_y, height)];
        if flip as u8 != 0 {
            rows.reverse();
        }
        let words = [
            x,
            y,
            corner(x, width),
            corner(y, height),
            to_x,
            rows[0],
            corner(to_x, width),
            rows[1],
            u64::from(c::GL_COLOR_BUFFER_BIT),
            u64::from(c::GL_NEAREST),
        ];
        self.own_call(id::glBlitFramebuffer, &words);
        for (bind, before) in [c::GL_READ_FRAMEBUFFER, c::GL_DRAW_FRAMEBUFFER].into_iter().zip(bindings) {
            self.own_call(id::glBindFramebuffer, &[u64::from(bind), word(before)]);
        }
        framebuffers.into_iter().for_each(|name| self.delete(id::glDeleteFramebuffers, name));
        if scissor {
            self.own_call(id::glEnable, &[u64::from(c::GL_SCISSOR_TEST)]);
        }
    }
}
