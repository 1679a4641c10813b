//! What window systems do with surfaces: textures made of them, parts of them shown.

use api::{constant as c, id};
use trace::{Call, Reader};

use super::Player;
use super::arguments::bytes;
use super::captured::pairs;
use super::readback::Of;
use crate::ReplayError;
use crate::plan::Plan;
use crate::world::Side;

impl Player {
    /// Does what a command of a window system does with a surface.
    pub(super) fn use_surface(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let result = call.outcome.as_ref().map_or(0, |outcome| outcome.result);
        if plan.id == id::eglCreatePbufferSurface {
            return self.note_pbuffer(call, reader, result);
        }
        // One that never was current is not known, and nobody has drawn on it.
        let handle = call.args.get(1).copied().unwrap_or(0);
        let Some(number) = self.world.surface_of(handle) else { return Ok(()) };
        match (plan.id, call.args) {
            (id::eglBindTexImage, _) if result as u32 != 0 => self.texture_of_surface(call, number, handle),
            // Both count from the lower left corner.
            (id::glXCopySubBufferMESA | id::eglPostSubBufferNV, &[_, _, x, y, width, height]) => {
                self.world.show(number, Some([x, y, width, height].map(|word| word as i32)))
            }
            _ => Ok(()),
        }
    }

    fn note_pbuffer(&mut self, call: &Call<'_>, reader: &Reader, handle: u64) -> Result<(), ReplayError> {
        let Some(data) = call.input(2) else { return Ok(()) };
        let Some(bytes) = bytes(reader, data)? else { return Ok(()) };
        let attributes = pairs(&bytes, 4);
        let format = attributes.chunks_exact(2).find(|pair| pair[0].cast_unsigned() == c::EGL_TEXTURE_FORMAT);
        if format.is_some_and(|pair| pair[1].cast_unsigned() == c::EGL_TEXTURE_RGB) {
            self.world.opaque.insert(handle);
        } else {
            self.world.opaque.remove(&handle);
        }
        Ok(())
    }

    /// Copies a surface into the texture that is bound. While it is bound there, nobody may draw on the surface (EGL
    /// 1.5, 3.6.1), so that a copy is as good. It stays when the surface is released: what the texture has then is not
    /// defined.
    fn texture_of_surface(&mut self, call: &Call<'_>, number: u32, handle: u64) -> Result<(), ReplayError> {
        if !self.world.enter(call.thread)? {
            return Ok(());
        }
        let (Some((width, height)), Some(can)) = (self.world.surface_size(number), self.abilities()) else {
            return Ok(());
        };
        let format = if self.world.opaque.contains(&handle) { c::GL_RGB } else { c::GL_RGBA };
        self.world.look_at(number, Side::Back)?;
        let undo = self.set_up(Of::Surface(Side::Back), can);
        let size = [width, height].map(|pixels| u64::from(pixels.cast_unsigned()));
        let (target, format) = (u64::from(c::GL_TEXTURE_2D), u64::from(format));
        self.own_call(id::glCopyTexImage2D, &[target, 0, format, 0, 0, size[0], size[1], 0]);
        self.undo(undo);
        self.world.look_back()
    }
}
