//! The images of framebuffers that draw calls, clears, reads and copies access.

use api::constant as c;

use super::buffers::{buffer_set, buffers_of, existing, planes};
use super::get::is_srgb_capable;
use super::names::Name;
use super::status::image_of;
use crate::answer::View;
use crate::context::Context;
use crate::model::Surface;
use crate::objects::framebuffer::{Attachment, COLOURS, DEPTH, Drawn, DrawnTo, STENCIL, Storage};
use crate::objects::texture::Target;
use crate::observer::ContentsRef;
use crate::records::{Aspect, Region};
use crate::share::ShareGroup;
use crate::step::Step;
use crate::variable as var;

/// A part of a framebuffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plane {
    /// A draw buffer, by its index.
    Colour(usize),
    /// All draw buffers.
    Colours,
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
}

impl Plane {
    /// Returns the aspect of a combined depth/stencil image that this is.
    pub fn aspect(self) -> Aspect {
        match self {
            Plane::Colour(_) | Plane::Colours => Aspect::All,
            Plane::Depth => Aspect::Depth,
            Plane::Stencil => Aspect::Stencil,
        }
    }
}

/// Returns the region of the draw framebuffer that clears and blits write: the intersection of its images and the
/// scissor box. `None` when it is not known, because rows are flipped.
pub fn draw_region(step: &Step<'_>) -> Option<Region> {
    let name = Name(step.context.targets.draw);
    if step.context.framebuffers.get(&name.0).is_some_and(|found| found.flip_y) {
        return None;
    }
    let all = Region::whole(size_of(step, name, step.seat.draw));
    if step.context.vars.value(var::SCISSOR_TEST, 0)[0] == 0.0 {
        return Some(all);
    }
    let cut = [0, 1, 2, 3].map(|at| step.context.vars.value(var::SCISSOR_BOX, 0)[at] as i32);
    Some(all.meet(&Region::new([cut[0], cut[1]], [cut[2], cut[3]])).unwrap_or_default())
}

/// Returns the size of the read framebuffer; 0 when rows are flipped, because then nothing of it can be read.
pub fn read_size(step: &Step<'_>) -> [u32; 2] {
    let name = Name(step.context.targets.read);
    if step.context.framebuffers.get(&name.0).is_some_and(|found| found.flip_y) {
        return [0; 2];
    }
    size_of(step, name, step.seat.read)
}

/// Returns the common width and height of the images of a framebuffer (GL 4.6, 9.2).
fn size_of(step: &Step<'_>, framebuffer: Name, surface: u32) -> [u32; 2] {
    let size = match step.context.framebuffers.get(&framebuffer.0).filter(|_| framebuffer.0 != 0) {
        Some(found) => {
            let images = found.attachments.iter().filter_map(|attachment| image_of(step.group, attachment));
            images
                .map(|image| [image.size[0], image.size[1]])
                .reduce(|one, other| [one[0].min(other[0]), one[1].min(other[1])])
        }
        None => step.surfaces.get(&surface).map(|surface| [surface.size.0, surface.size.1]),
    };
    size.unwrap_or([0; 2]).map(|size| size.max(0).cast_unsigned())
}

/// Returns the images of a plane of the draw framebuffer, for an observer: a layered one may have thousands, so without an
/// observer there are none.
pub fn framebuffer_things(step: &Step<'_>, plane: Plane) -> Vec<ContentsRef> {
    if step.observer.is_none() {
        return Vec::new();
    }
    let scene = Scene::of(step, Name(step.context.targets.draw), step.seat.draw);
    let buffers = buffers_of(step.context, scene.framebuffer);
    match plane {
        Plane::Colour(index) => scene.colour(buffers.draw.get(index).copied().unwrap_or(c::GL_NONE)),
        Plane::Colours => {
            let mut things = Vec::new();
            buffers.draw.iter().for_each(|name| scene.add_colour(*name, &mut things));
            things
        }
        Plane::Depth => scene.attachment(DEPTH, c::GL_DEPTH),
        Plane::Stencil => scene.attachment(STENCIL, c::GL_STENCIL),
    }
}

/// Returns the images of a plane of the read framebuffer; for colours, of the read buffer.
pub fn read_things(step: &Step<'_>, plane: Plane) -> Vec<ContentsRef> {
    let scene = Scene::of(step, Name(step.context.targets.read), step.seat.read);
    match plane {
        Plane::Colour(_) | Plane::Colours => {
            let read = buffers_of(step.context, scene.framebuffer).read;
            scene.colour(read).into_iter().take(1).collect()
        }
        Plane::Depth => scene.attachment(DEPTH, c::GL_DEPTH),
        Plane::Stencil => scene.attachment(STENCIL, c::GL_STENCIL),
    }
}

impl View<'_> {
    /// Returns all images of the draw and read framebuffers.
    #[must_use]
    pub fn framebuffer_things(&self) -> Vec<ContentsRef> {
        let targets = &self.context.targets;
        let mut things = Scene::from_view(self, Name(targets.draw), self.seat.draw).all();
        things.extend(Scene::from_view(self, Name(targets.read), self.seat.read).all());
        things
    }

    /// Returns the images behind the draw buffers, depth and stencil of a framebuffer, with their formats; 0 is the
    /// default framebuffer.
    #[must_use]
    pub fn drawn_to(&self, framebuffer: u32) -> DrawnTo {
        let scene = Scene::from_view(self, Name(framebuffer), self.seat.draw);
        let buffers = buffers_of(self.context, scene.framebuffer);
        let Some(found) = self.context.framebuffers.get(&framebuffer).filter(|_| framebuffer != 0) else {
            let Some(surface) = scene.about else { return DrawnTo::default() };
            let srgb = surface.srgb || is_srgb_capable(self, surface.colour);
            let plane = |thing| Drawn { things: vec![thing], internal: 0, storage: Storage::Surface { surface, srgb } };
            let first = |place, name| scene.attachment(place, name).into_iter().next().map(plane);
            return DrawnTo {
                colours: buffers.draw.map(|name| scene.colour(name).into_iter().map(plane).collect()),
                depth: first(DEPTH, c::GL_DEPTH),
                stencil: first(STENCIL, c::GL_STENCIL),
                samples: surface.samples.max(0).cast_unsigned(),
            };
        };
        let image = |place: usize| {
            let attached = image_of(self.group, &found.attachments[place])?;
            let storage = Storage::Format(attached.format?);
            Some(Drawn { things: scene.attached(place), internal: attached.internal, storage })
        };
        let colour = |name: u32| {
            let place = name.wrapping_sub(c::GL_COLOR_ATTACHMENT0) as usize;
            (place < COLOURS).then(|| image(place)).flatten().into_iter().collect()
        };
        let samples = found.attachments.iter().find_map(|at| image_of(self.group, at)).map(|image| image.samples);
        DrawnTo {
            colours: buffers.draw.map(colour),
            depth: image(DEPTH),
            stencil: image(STENCIL),
            samples: samples.unwrap_or(found.defaults[3]).max(0).cast_unsigned(),
        }
    }
}

/// A framebuffer, with what is needed to find its images.
struct Scene<'a> {
    context: &'a Context,
    group: &'a ShareGroup,
    framebuffer: Name,
    surface: u32,
    about: Option<Surface>,
}

impl<'a> Scene<'a> {
    fn of(step: &'a Step<'_>, framebuffer: Name, surface: u32) -> Scene<'a> {
        let about = step.surfaces.get(&surface).copied();
        Scene { context: step.context, group: step.group, framebuffer, surface, about }
    }

    fn from_view(view: &View<'a>, framebuffer: Name, surface: u32) -> Scene<'a> {
        let about = view.model.surfaces.get(&surface).copied();
        Scene { context: view.context, group: view.group, framebuffer, surface, about }
    }

    /// Returns all its images.
    fn all(&self) -> Vec<ContentsRef> {
        if self.framebuffer.0 == 0 {
            // The back buffer, and any other that was selected for drawing or reading.
            let buffers = buffers_of(self.context, self.framebuffer);
            let planes = [c::GL_BACK_LEFT, c::GL_BACK_RIGHT, c::GL_DEPTH, c::GL_STENCIL];
            let mut things = planes.map(|plane| ContentsRef::Surface { surface: self.surface, plane }).to_vec();
            things.extend(buffers.draw.iter().chain([&buffers.read]).flat_map(|name| self.colour(*name)));
            return things;
        }
        (0..COLOURS).chain([DEPTH, STENCIL]).flat_map(|place| self.attached(place)).collect()
    }

    /// Returns the images that the name of a colour buffer stands for.
    fn colour(&self, name: u32) -> Vec<ContentsRef> {
        let mut things = Vec::new();
        self.add_colour(name, &mut things);
        things
    }

    fn add_colour(&self, name: u32, things: &mut Vec<ContentsRef>) {
        if name == c::GL_NONE {
            return;
        }
        if self.framebuffer.0 == 0 {
            let Some(double) = self.about.map(|surface| surface.double) else { return };
            let set = buffer_set(name, double).unwrap_or(0) & existing(&self.context.facts, self.framebuffer, double);
            things.extend(planes(set).map(|plane| ContentsRef::Surface { surface: self.surface, plane }));
            return;
        }
        let place = name.wrapping_sub(c::GL_COLOR_ATTACHMENT0) as usize;
        if place < COLOURS {
            things.extend(self.attached(place));
        }
    }

    fn attachment(&self, place: usize, plane: u32) -> Vec<ContentsRef> {
        if self.framebuffer.0 != 0 {
            return self.attached(place);
        }
        let bits = self.about.map_or(0, |surface| if place == DEPTH { surface.depth } else { surface.stencil });
        if bits > 0 { vec![ContentsRef::Surface { surface: self.surface, plane }] } else { Vec::new() }
    }

    fn attached(&self, place: usize) -> Vec<ContentsRef> {
        let Some(framebuffer) = self.context.framebuffers.get(&self.framebuffer.0) else { return Vec::new() };
        match framebuffer.attachments[place] {
            Attachment::None => Vec::new(),
            Attachment::Renderbuffer(bound) => vec![ContentsRef::Renderbuffer { object: bound.object }],
            Attachment::Texture { texture, target, level, layer, layered } => {
                let Some(owner) = self.group.texture(texture) else { return Vec::new() };
                let level = level.cast_unsigned();
                if !layered {
                    return vec![owner.image(level, layer.cast_unsigned())];
                }
                let size = owner.level(level, 0).map_or([0; 3], |level| level.size);
                let layers = match target {
                    Target::Cube => 6,
                    Target::OneDArray => size[1],
                    _ => size[2],
                };
                (0..layers.max(0).cast_unsigned()).map(|layer| owner.image(level, layer)).collect()
            }
        }
    }
}
