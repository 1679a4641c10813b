//! Images of a trace, by recorded names, and pictures of them.

use api::{Namespace, constant as c};
use chronicle::graph::Cell;
use chronicle::trim::DriverContents;
use serde::{Deserialize, Serialize};
use state::{ContentsRef, Model};

/// A rectangle: left, bottom, width and height.
pub type Rectangle = [u32; 4];

/// Pixels as people see them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Four bytes a pixel, bottom row first.
    pub rgba: Vec<u8>,
}

/// One image, by recorded names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct ImageRef {
    /// A context that it can be reached from.
    pub context: u32,
    /// The object it is an image of.
    pub of: ImageOwner,
}

/// An object that has images.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum ImageOwner {
    /// A texture.
    Texture {
        /// Its name.
        name: u32,
        /// Its target.
        target: u32,
        /// The level.
        level: u32,
        /// The face, layer or slice.
        layer: u32,
    },
    /// A renderbuffer.
    Renderbuffer {
        /// Its name.
        name: u32,
    },
    /// A plane of a surface.
    Surface {
        /// Its number.
        surface: u32,
        /// `GL_COLOR`, `GL_DEPTH` or `GL_STENCIL`.
        plane: u32,
    },
}

impl ImageRef {
    /// Returns the image that a cell stands for in a state; `None` if it does not exist then or cannot be read back.
    #[must_use]
    pub fn of(model: &Model, cell: Cell) -> Option<ImageRef> {
        let (_, wanted) = contents_of(model, cell)?;
        let (context, of) = match (wanted.ok()?, cell.thing) {
            (DriverContents::Object { context, name, target, .. }, ContentsRef::Image { level, layer, .. }) => {
                (context, ImageOwner::Texture { name, target, level, layer })
            }
            (DriverContents::Object { context, name, .. }, ContentsRef::Renderbuffer { .. }) => {
                (context, ImageOwner::Renderbuffer { name })
            }
            (DriverContents::Surface { context, surface, plane }, _) => {
                (context, ImageOwner::Surface { surface, plane })
            }
            _ => return None,
        };
        Some(ImageRef { context, of })
    }
}

/// What identifies contents across the states of a trace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ContentsKey {
    /// Those of an object.
    Object {
        /// Its share group.
        group: usize,
        /// What kind of object it is.
        space: Namespace,
        /// Its recorded name.
        name: u32,
    },
    /// Those of a plane of a surface.
    Surface {
        /// The surface's number.
        surface: u32,
        /// The plane.
        plane: u32,
    },
}

/// Returns where a cell's contents are in a state, and how to read them, or why they cannot be read. `None` if the cell
/// does not exist then, or has no contents that could be restored.
#[must_use]
pub fn contents_of(model: &Model, cell: Cell) -> Option<(ContentsKey, Result<DriverContents, String>)> {
    let contexts = || model.contexts.iter().flatten();
    let object = |space: Namespace, name: u32, target: u32| {
        let context = model.member(cell.group)?.facts.number;
        let key = ContentsKey::Object { group: cell.group, space, name };
        Some((key, Ok(DriverContents::Object { context, space, name, target })))
    };
    let group = model.groups.get(cell.group)?;
    match cell.thing {
        ContentsRef::Buffer { object: number, .. } => {
            // Binding a name that has no object yet would create one.
            let (name, _) = group.buffers.iter().find(|(_, buffer)| buffer.object == number && buffer.exists)?;
            object(Namespace::Buffer, *name, 0)
        }
        ContentsRef::Image { object: number, .. } => {
            if group.default_textures.iter().any(|texture| texture.object == number) {
                let key = ContentsKey::Object { group: cell.group, space: Namespace::Texture, name: 0 };
                return Some((key, Err("a texture without a name cannot be read back".to_owned())));
            }
            let (name, texture) = group.textures.iter().find(|(_, texture)| texture.object == number)?;
            object(Namespace::Texture, *name, texture.target?.name())
        }
        ContentsRef::Renderbuffer { object: number } => {
            let (name, _) = group.renderbuffers.iter().find(|(_, found)| found.object == number && found.exists)?;
            object(Namespace::Renderbuffer, *name, 0)
        }
        ContentsRef::Surface { surface, plane } => {
            let double = model.surfaces.get(&surface)?.double;
            let plane = match plane {
                c::GL_BACK_LEFT => c::GL_COLOR,
                c::GL_FRONT_LEFT if !double => c::GL_COLOR,
                // Replay does not keep what a window shows.
                c::GL_FRONT_LEFT => return None,
                _ => plane,
            };
            let key = ContentsKey::Surface { surface, plane };
            let seat = model.seats.iter().find(|seat| seat.draw == surface && seat.context != 0);
            let context = seat.map(|seat| seat.context).or_else(|| Some(contexts().next()?.facts.number))?;
            let known = matches!(plane, c::GL_COLOR | c::GL_DEPTH | c::GL_STENCIL);
            let wanted = DriverContents::Surface { context, surface, plane };
            Some((key, known.then_some(wanted).ok_or_else(|| "an accumulation buffer cannot be read back".to_owned())))
        }
        ContentsRef::Object { .. } | ContentsRef::ClientArray { .. } | ContentsRef::Result { .. } => None,
    }
}
