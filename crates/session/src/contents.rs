//! What objects hold after a command.

use api::{Library, constant as c, enums};
use device::Object;
use reenact::Plane;

use crate::control::Activity;
use crate::data::contents::{ContentsOf, ElementType, Image};
use crate::error::SessionError;
use crate::open::Session;

impl Session {
    /// The bytes of a buffer after a command, which names it as its context does.
    ///
    /// # Errors
    /// When there is no such buffer, or the device cannot read it.
    pub fn buffer(&mut self, command: u64, name: u32) -> Result<Vec<u8>, SessionError> {
        let planes = self.planes(command, ContentsOf::Buffer(name))?;
        Ok(planes.into_iter().next().map(|plane| plane.bytes).unwrap_or_default())
    }

    /// The images of a texture or renderbuffer after a command: levels, and faces of cubes, in their order.
    ///
    /// # Errors
    /// When there is no such object, or the device cannot read it.
    pub fn images(&mut self, command: u64, object: ContentsOf) -> Result<Vec<Image>, SessionError> {
        Ok(self.planes(command, object)?.into_iter().map(image).collect())
    }

    fn planes(&mut self, command: u64, object: ContentsOf) -> Result<Vec<Plane>, SessionError> {
        self.control.tell(Activity::None, 0, None);
        let count = self.inquiry.reader().len();
        if command >= count {
            return Err(SessionError::NoSuchCommand { command, count });
        }
        let model = self.inquiry.state_after(command)?;
        let thread = self.inquiry.reader().call_at(command)?.call().thread;
        let view = model.view(thread).ok_or(SessionError::NoContext { command })?;
        let (group, context) = (&view.group, view.seat.context);
        let missing = |kind: &'static str, name| SessionError::NoSuchObject { command, kind, name };
        let asked = match object {
            ContentsOf::Buffer(name) => {
                let found = group.buffers.get(&name).filter(|buffer| buffer.exists);
                found.map(|_| Object::Buffer(name)).ok_or(missing("buffer", name))?
            }
            ContentsOf::Texture(name) => {
                let target = group.textures.get(&name).and_then(|texture| texture.target);
                Object::Texture(name, target.ok_or(missing("texture", name))?.name())
            }
            ContentsOf::Renderbuffer(name) => {
                let found = group.renderbuffers.get(&name).filter(|found| found.exists);
                found.map(|_| Object::Renderbuffer(name)).ok_or(missing("renderbuffer", name))?
            }
        };
        let read = self.inquiry.object(command, context, asked)?;
        read.map_err(|why| SessionError::DeviceRefused { why })
    }
}

fn image(plane: Plane) -> Image {
    let name = |value: u32| match enums::any_name(Library::Gl, value.into()) {
        Some(name) if value != 0 => name.to_owned(),
        _ if value == 0 => String::new(),
        _ => format!("{value:#x}"),
    };
    Image {
        target: name(plane.target),
        level: plane.level,
        size: plane.size,
        format: name(plane.format),
        pixel_type: name(plane.pixel_type),
        elements: elements(&plane),
        bytes: plane.bytes,
    }
}

/// Returns how many numbers a pixel has, and of what type, if the bytes are as many as that says.
fn elements(plane: &Plane) -> Option<(u32, ElementType)> {
    let components = match plane.format {
        c::GL_RGBA | c::GL_RGBA_INTEGER => 4,
        c::GL_RED | c::GL_RED_INTEGER | c::GL_DEPTH_COMPONENT | c::GL_STENCIL_INDEX => 1,
        _ => return None,
    };
    let element = match plane.pixel_type {
        c::GL_BYTE => ElementType::I8,
        c::GL_UNSIGNED_BYTE => ElementType::U8,
        c::GL_SHORT => ElementType::I16,
        c::GL_UNSIGNED_SHORT => ElementType::U16,
        c::GL_INT => ElementType::I32,
        c::GL_UNSIGNED_INT => ElementType::U32,
        c::GL_FLOAT => ElementType::F32,
        _ => return None,
    };
    let pixels = plane.size.iter().try_fold(1_usize, |all, side| all.checked_mul(*side as usize))?;
    let bytes = pixels.checked_mul(components as usize)?.checked_mul(element.size())?;
    (bytes == plane.bytes.len()).then_some((components, element))
}
