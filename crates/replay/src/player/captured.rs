//! Commands that capture inserts: contexts, surfaces, memory, pictures.

use api::request::{Client, ContextRequest, SurfaceRequest};
use api::{constant as c, id};
use device::report::{ComparedKind, Incomparable};
use trace::{Call, Reader};

use super::arguments::{bytes, size};
use super::{Played, Player};
use crate::ReplayError;
use crate::plan::Plan;
use crate::verify::Comparison;
use crate::world::{Description, Seat};

/// What an `afiImage` shows: the default framebuffer of a frame about to be presented.
const ABOUT_TO_BE_PRESENTED: u64 = 0;
/// The framebuffer that was bound at the end of a context; all else is the default framebuffer.
const BOUND_AT_END: u64 = 1;

impl Player {
    /// Executes a command that capture inserted.
    pub(super) fn captured(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<Played, ReplayError> {
        let args = call.args;
        let number = |at: usize| args.get(at).copied().unwrap_or(0) as u32;
        let integer = |at: usize| number(at).cast_signed();
        match plan.id {
            id::afiContext => {
                let es = number(3) == c::EGL_OPENGL_ES_API;
                let client = match (es, integer(4)) {
                    (true, 1) => Client::Es1,
                    (true, _) => Client::Es,
                    (false, _) => Client::Desktop,
                };
                let request = ContextRequest {
                    client,
                    major: integer(4),
                    minor: integer(5),
                    profile: number(6),
                    flags: api::request::context_flags(number(7)),
                };
                self.world.add_context(number(0), number(1), &request)?;
            }
            id::afiDescribe => {
                let text = |param| -> Result<String, ReplayError> {
                    let bytes = call.input(param).map(|data| bytes(reader, data)).transpose()?.flatten();
                    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default())
                };
                if text(3)?.contains("ANGLE") {
                    let renderer = text(2)?;
                    self.world.set_on_angle(number(0), state::has_one_precision(renderer.trim_end_matches('\0')));
                }
            }
            id::afiRealm => self.world.set_realm(number(0), number(1)),
            id::afiSurface => {
                let request = SurfaceRequest {
                    width: integer(3),
                    height: integer(4),
                    red: integer(5),
                    green: integer(6),
                    blue: integer(7),
                    alpha: integer(8),
                    depth: integer(9),
                    stencil: integer(10),
                    samples: integer(11),
                    srgb: number(13) != 0,
                };
                let handle = args.get(1).copied().unwrap_or(0);
                self.world.add_surface(number(0), Description { request, handle, double: number(12) != 0 })?;
            }
            id::afiCurrent => {
                self.world.seat(call.thread, Seat { context: number(0), draw: number(1), read: number(2) })?;
            }
            id::afiPresent => {
                self.frames += 1;
                self.world.show(number(0), None)?;
                return Ok(Played::Presented(number(0)));
            }
            id::afiSwap => self.world.show(number(0), None)?,
            id::afiProgram => self.note_blocks(call, reader)?,
            id::afiImage if self.verifying => self.compare_image(call, reader)?,
            id::afiMemory => self.write_memory(call, reader)?,
            id::afiContents => self.restore(call, reader)?,
            id::afiMapped if self.verifying => self.compare_memory(call, reader)?,
            _ => {}
        }
        Ok(Played::Other)
    }

    /// Creates EGL images again, from the same objects.
    pub(super) fn egl_image(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        const TEXTURES: std::ops::RangeInclusive<u32> = c::EGL_GL_TEXTURE_2D..=c::EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_Z;
        self.world.enter(call.thread)?;
        if matches!(plan.id, id::eglDestroyImage | id::eglDestroyImageKHR) {
            let handle = call.args.get(1).copied().unwrap_or(0);
            if let Some(image) = self.world.images.remove(&handle) {
                self.world.gl.delete_image(image);
            }
            return Ok(());
        }
        let Some(outcome) = call.outcome.as_ref().filter(|outcome| outcome.result != 0) else { return Ok(()) };
        let [_, _, target, object, _] = *call.args else { return Ok(()) };
        let space = match target as u32 {
            c::EGL_GL_RENDERBUFFER => api::Namespace::Renderbuffer,
            target if TEXTURES.contains(&target) => api::Namespace::Texture,
            _ => {
                let text = "an EGL image was made from something outside of GL; its contents are missing";
                self.problem(call.number, text);
                return Ok(());
            }
        };
        let attributes = match call.input(4) {
            Some(data) => bytes(reader, data)?,
            None => None,
        };
        let attributes = image_attributes(attributes.as_deref().unwrap_or(&[]), plan);
        let object = self.world.real_name(space, object as u32);
        let Some(context) = self.world.current().map(|(context, _)| context.real) else { return Ok(()) };
        match self.world.gl.new_image(context, target as u32, object, &attributes) {
            Ok(image) => {
                self.world.images.insert(outcome.result, image);
            }
            Err(error) => self.problem(call.number, &error.to_string()),
        }
        Ok(())
    }

    fn write_memory(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let [address, offset, _, _] = *call.args else { return Ok(()) };
        let Some(data) = call.input(3) else { return Ok(()) };
        let Some(bytes) = bytes(reader, data)? else { return Ok(()) };
        let Player { maps, world, .. } = self;
        let written = maps.get(&address).is_some_and(|map| world.gl.write_map(*map, offset as usize, &bytes));
        if !written {
            self.problem(call.number, "a write to a mapped buffer was skipped: no buffer is mapped here");
        }
        Ok(())
    }

    fn compare_memory(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let [address, offset, _, _] = *call.args else { return Ok(()) };
        let Some(data) = call.input(3) else { return Ok(()) };
        let length = size(&data) as usize;
        let map = self.maps.get(&address).copied();
        let real = map.and_then(|map| self.world.gl.read_map(map, offset as usize, length));
        let Some(real) = real else {
            self.problem(call.number, "a read from a mapped buffer was skipped: no buffer is mapped here");
            self.tally.leave_open((call.number, call.name()), Incomparable::NotMapped);
            return Ok(());
        };
        let recorded = bytes(reader, data)?;
        if let Some((equal, text)) = crate::verify::compare(data, recorded.as_deref(), &real, &real) {
            self.found(call, Comparison { kind: ComparedKind::Readback, equal, text });
        }
        Ok(())
    }

    fn compare_image(&mut self, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let [what, _, width, height, _] = *call.args else { return Ok(()) };
        let Some(data) = call.input(4) else { return Ok(()) };
        if !self.world.enter(call.thread)? {
            self.tally.leave_open((call.number, call.name()), Incomparable::NothingToRead);
            return Ok(());
        }
        let (width, height) = (width as u32, height as u32);
        let presented = what == ABOUT_TO_BE_PRESENTED;
        if !presented && !self.world.readable() {
            // A window that was never drawn to is undefined.
            self.tally.leave_open((call.number, call.name()), Incomparable::NothingToRead);
            return Ok(());
        }
        let kind = if presented { ComparedKind::Frame } else { ComparedKind::Last };
        self.keep_errors();
        let bound = what == BOUND_AT_END;
        let picture = if bound { self.bound_picture(width, height) } else { self.frame_picture(width, height) };
        let Some(picture) = picture else {
            let text = format!("{width}x{height} pixels then, none now");
            self.found(call, Comparison { kind, equal: false, text });
            return Ok(());
        };
        let recorded = bytes(reader, data)?;
        if let Some((equal, text)) = crate::verify::compare(data, recorded.as_deref(), &picture.rgba, &picture.rgba) {
            self.found(call, Comparison { kind, equal, text });
        }
        Ok(())
    }
}

/// Returns the attributes of an image without the terminator: for `eglCreateImage` they are pointer-sized numbers, for its
/// predecessor 32-bit ones.
fn image_attributes(bytes: &[u8], plan: &Plan) -> Vec<i32> {
    pairs(bytes, if plan.id == id::eglCreateImage { 8 } else { 4 })
}

/// The pairs of one of EGL's lists of attributes, whose words are of a size, without its end.
pub(super) fn pairs(bytes: &[u8], size: usize) -> Vec<i32> {
    let low = |word: &[u8]| i32::from_ne_bytes(word[..4].try_into().unwrap_or_default());
    let values: Vec<i32> = bytes.chunks_exact(size).map(low).collect();
    let end = values
        .iter()
        .step_by(2)
        .position(|&name| name.cast_unsigned() == c::EGL_NONE)
        .map_or(values.len(), |pair| pair * 2);
    values[..end.min(values.len() & !1)].to_vec()
}
