//! Where a history begins, and where it leads.

use api::constant as c;
use chronicle::graph::Cell;
use reenact::fragment_ops::{FragmentOps, Role};
use state::annotation::quoted;
use state::objects::texture::Target;
use state::records::Aspect;
use state::{ContentsRef, Model, View};

use crate::RecallError;

/// One texel, or a sample of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TexelRef {
    /// The image that it belongs to.
    pub cell: Cell,
    /// What of it.
    pub aspect: TexelAspect,
    /// Column and row; rows are counted upwards in framebuffers.
    pub at: [u32; 2],
    /// The sample, where pixels have several.
    pub sample: u32,
}

/// What of a texel is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TexelAspect {
    /// Its colour.
    Colour,
    /// Its depth.
    Depth,
    /// Its stencil value.
    Stencil,
}

impl TexelAspect {
    /// As write records have it.
    #[must_use]
    pub fn aspect(self) -> Aspect {
        match self {
            TexelAspect::Colour => Aspect::All,
            TexelAspect::Depth => Aspect::Depth,
            TexelAspect::Stencil => Aspect::Stencil,
        }
    }

    /// That of a plane.
    #[must_use]
    pub fn of(role: Role) -> TexelAspect {
        match role {
            Role::Colour(_) => TexelAspect::Colour,
            Role::Depth => TexelAspect::Depth,
            Role::Stencil => TexelAspect::Stencil,
        }
    }
}

impl TexelRef {
    /// The texel that a look-up by a sampler's value read.
    #[must_use]
    pub fn sampled(view: &View<'_>, handle: u32, texel: &texture::Texel) -> Option<TexelRef> {
        let (texture, target) = reenact::sampled(view, handle)?;
        let layer = if target == Target::ThreeD { texel.z } else { texel.layer };
        let format = texture.level(texel.level, 0).and_then(|level| level.format);
        Some(TexelRef {
            cell: Cell::of(view.context.group, texture.image(texel.level, layer)),
            aspect: if format.is_some_and(|format| format.has_depth()) {
                TexelAspect::Depth
            } else {
                TexelAspect::Colour
            },
            at: [texel.x, texel.y],
            sample: texel.sample,
        })
    }

    /// Returns a pixel of a plane of a thread's draw framebuffer.
    ///
    /// # Errors
    /// When the framebuffer has no such plane or pixel, or cannot be emulated.
    pub fn drawn(view: &View<'_>, role: Role, at: [u32; 2], sample: u32) -> Result<TexelRef, RecallError> {
        let tail = FragmentOps::new(view).map_err(RecallError::Framebuffer)?;
        let plane = tail.planes().iter().find(|plane| plane.role == role).ok_or(RecallError::NoPlane(role))?;
        let cell = Cell::of(view.context.group, plane.thing);
        TexelRef { cell, aspect: TexelAspect::of(role), at, sample }.within(view.model)
    }

    /// Returns a pixel of a plane of a surface that is presented, whatever is drawn to then; of its colours, those of the back
    /// buffer.
    ///
    /// # Errors
    /// When the surface has no such plane or pixel.
    pub fn presented(
        model: &Model,
        surface: u32,
        role: Role,
        at: [u32; 2],
        sample: u32,
    ) -> Result<TexelRef, RecallError> {
        let plane = match (role, model.surfaces.get(&surface)) {
            (Role::Colour(0), Some(found)) if found.double => c::GL_BACK_LEFT,
            (Role::Colour(0), Some(_)) => c::GL_FRONT_LEFT,
            (Role::Depth, Some(found)) if found.depth > 0 => c::GL_DEPTH,
            (Role::Stencil, Some(found)) if found.stencil > 0 => c::GL_STENCIL,
            _ => return Err(RecallError::NoPlane(role)),
        };
        let cell = Cell::of(0, ContentsRef::Surface { surface, plane });
        TexelRef { cell, aspect: TexelAspect::of(role), at, sample }.within(model)
    }

    fn within(self, model: &Model) -> Result<TexelRef, RecallError> {
        match (self.at, self.size(model)) {
            (at, Some(size)) if at[0] >= size[0] || at[1] >= size[1] => Err(RecallError::OutsideOfTarget { at, size }),
            _ => Ok(self),
        }
    }

    /// Width and height of the image; nothing when it is not there.
    #[must_use]
    pub fn size(&self, model: &Model) -> Option<[u32; 2]> {
        let group = model.groups.get(self.cell.group);
        let positive = |size: [i32; 2]| size.map(|side| side.max(0).cast_unsigned());
        match self.cell.thing {
            ContentsRef::Image { object, level, .. } => {
                let texture = group?.textures.values().find(|texture| texture.object == object)?;
                let [width, height, _] = texture.level(level, 0)?.size;
                Some(positive([width, height]))
            }
            ContentsRef::Renderbuffer { object } => {
                let found = group?.renderbuffers.values().find(|renderbuffer| renderbuffer.object == object)?;
                Some(positive([found.size.0, found.size.1]))
            }
            ContentsRef::Surface { surface, .. } => {
                let (width, height) = model.surfaces.get(&surface)?.size;
                Some(positive([width, height]))
            }
            _ => None,
        }
    }

    /// What people call the image: what it is, with the recorded name.
    #[must_use]
    pub fn name(&self, model: &Model) -> String {
        let group = model.groups.get(self.cell.group);
        let label = |object: u64| quoted(group.and_then(|group| group.label(object)).as_deref());
        match self.cell.thing {
            ContentsRef::Image { object, level, layer } => {
                let named = group.and_then(|group| group.textures.iter().find(|(_, texture)| texture.object == object));
                let mut text = named
                    .map_or("a deleted texture".to_owned(), |(name, _)| format!("texture {name}{}", label(object)));
                if level > 0 {
                    text.push_str(&format!(" level {level}"));
                }
                if layer > 0 {
                    text.push_str(&format!(" layer {layer}"));
                }
                text
            }
            ContentsRef::Renderbuffer { object } => {
                let named =
                    group.and_then(|group| group.renderbuffers.iter().find(|(_, found)| found.object == object));
                named.map_or("a deleted renderbuffer".to_owned(), |(name, _)| {
                    format!("renderbuffer {name}{}", label(object))
                })
            }
            ContentsRef::Surface { surface, .. } => format!("surface {surface}"),
            ContentsRef::Buffer { object, .. } => {
                let named = group.and_then(|group| group.buffers.iter().find(|(_, found)| found.object == object));
                named.map_or("a deleted buffer".to_owned(), |(name, _)| format!("buffer {name}{}", label(object)))
            }
            other => format!("{other:?}"),
        }
    }
}

/// The images behind samplers of a draw; most often the same is asked for again.
pub struct Images<'a, 'v> {
    view: &'a View<'v>,
    last: Option<([u32; 4], Option<TexelRef>)>,
}

impl<'a, 'v> Images<'a, 'v> {
    /// Those that a view shows.
    pub fn new(view: &'a View<'v>) -> Images<'a, 'v> {
        Images { view, last: None }
    }

    /// The place of a texel, as [`TexelRef::sampled`] says.
    pub fn place(&mut self, handle: u32, texel: &texture::Texel) -> Option<TexelRef> {
        let key = [handle, texel.level, texel.layer, texel.z];
        let found = match self.last {
            Some((known, found)) if known == key => found,
            _ => self.last.insert((key, TexelRef::sampled(self.view, handle, texel))).1,
        };
        found.map(|place| TexelRef { at: [texel.x, texel.y], sample: texel.sample, ..place })
    }
}
