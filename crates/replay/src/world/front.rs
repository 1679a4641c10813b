//! Front buffers of surfaces.
//!
//! A pbuffer has one colour buffer (EGL 1.5, 2.2.2), so a surface with two gets a second pbuffer for its front buffer as
//! soon as a program uses it: draws to and reads from the front buffer have that one current. A window's two buffers share
//! depth and stencil; these are copied to the pbuffer that is drawn to. A draw to both goes to the back buffer, and is
//! copied to the front buffer before that is used; this is right as long as both were equal before.

use api::call::SurfaceHandle;
use api::request::{Client, ContextRequest};
use api::{constant as c, id};

use super::{Seat, Surface, World};
use crate::ReplayError;

/// A buffer of the default framebuffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Side {
    /// The back buffer, or the only one.
    #[default]
    Back,
    Front,
    /// Front and back: for drawing only.
    Both,
}

/// The draw and read buffer of a context.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sides {
    pub draw: Side,
    pub read: Side,
}

/// The front buffer of a surface.
pub struct Front {
    pub pbuffer: SurfaceHandle,
    /// Whether its colours equal those of the back buffer, or will once it is no longer stale.
    alike: bool,
    /// Whether both buffers were drawn to, and only the back buffer has the result.
    stale: bool,
    /// Whether depth and stencil are in this pbuffer, and not in that of the back buffer.
    holds_depth: bool,
}

impl Front {
    /// Records that something was drawn to the surface.
    pub fn drew(&mut self, side: Side) {
        match side {
            Side::Both => self.stale |= self.alike,
            Side::Back | Side::Front => self.alike = false,
        }
    }
}

impl World {
    /// Selects the draw and read buffer of the current context.
    pub fn choose(&mut self, sides: Sides) -> Result<(), ReplayError> {
        let Some((context, _)) = self.current() else { return Ok(()) };
        if context.sides == sides {
            return Ok(());
        }
        context.sides = sides;
        if self.fronts { self.take_seat_with_fronts(self.active) } else { Ok(()) }
    }

    /// Returns whether the current context would use the front buffer of a surface with two buffers, if it selected these.
    pub fn need_front(&self, sides: Sides) -> bool {
        let uses = |number, side| side != Side::Back && self.described(number).is_some_and(|surface| surface.double);
        uses(self.active.draw, sides.draw) || uses(self.active.read, sides.read)
    }

    /// Returns whether anything was presented before front buffers were kept, so that their contents are lost.
    pub fn missed_front(&self) -> bool {
        self.shown && !self.fronts
    }

    /// Records that a surface was presented: its back buffer, or an area of it, is copied to the front buffer.
    pub fn show(&mut self, number: u32, area: Option<[i32; 4]>) -> Result<(), ReplayError> {
        self.shown = true;
        if !self.fronts || !self.described(number).is_some_and(|surface| surface.double) {
            return Ok(());
        }
        self.settle()?;
        let Some(back) = self.surface(number).and_then(|surface| surface.pbuffer) else { return Ok(()) };
        let front = self.front(number, Client::Desktop)?;
        self.copy(number, back, front, area, c::GL_COLOR_BUFFER_BIT)?;
        if let Some(front) = self.surface(number).and_then(|surface| surface.front.as_mut()) {
            front.alike = area.is_none();
        }
        self.take_seat_with_fronts(self.active)
    }

    /// Makes the current context read from a buffer of a surface, until [`World::look_back`].
    pub fn look_at(&mut self, number: u32, side: Side) -> Result<(), ReplayError> {
        let seat = self.active;
        let Some((real, client, sides)) = self.context(seat.context).map(|it| (it.real, it.client, it.sides)) else {
            return Ok(());
        };
        let draw = self.side(seat.draw, client, sides.draw)?;
        let read = self.side(number, client, side)?;
        Ok(self.gl.make_current(Some(real), draw, read)?)
    }

    /// Makes the current context read from its own surface again.
    pub fn look_back(&mut self) -> Result<(), ReplayError> {
        self.take_seat_with_fronts(self.active)
    }

    /// Returns whether a draw to both buffers of the current surface has to be executed twice, because they differ.
    pub fn draws_apart(&mut self) -> bool {
        let Some((context, _)) = self.current() else { return false };
        let both = context.sides.draw == Side::Both && context.draw_framebuffer == 0;
        let number = self.active.draw;
        both && self.surface(number).and_then(|surface| surface.front.as_ref()).is_some_and(|front| !front.alike)
    }

    /// Records that both buffers of the current surface have the same colours everywhere.
    pub fn made_alike(&mut self) -> Result<(), ReplayError> {
        let number = self.active.draw;
        if let Some(front) = self.surface(number).and_then(|surface| surface.front.as_mut()) {
            front.alike = true;
        }
        self.take_seat_with_fronts(self.active)
    }

    /// Returns the number of the surface with a recorded handle; handles are reused, so the last surface counts.
    pub fn surface_of(&self, handle: u64) -> Option<u32> {
        let known = |surface: &Option<Surface>| surface.as_ref().is_some_and(|it| it.description.handle == handle);
        self.surfaces.iter().rposition(known).and_then(|place| u32::try_from(place).ok())
    }

    /// Makes a context and surfaces current, with the buffers that the context has selected.
    pub(super) fn take_seat_with_fronts(&mut self, seat: Seat) -> Result<(), ReplayError> {
        self.settle()?;
        let Some((real, client, sides)) = self.context(seat.context).map(|it| (it.real, it.client, it.sides)) else {
            self.gl.make_current(None, None, None)?;
            self.active = Seat::default();
            return Ok(());
        };
        let draw = self.side(seat.draw, client, sides.draw)?;
        // Draws to both go to the back buffer.
        let mirrored = seat.read == seat.draw && sides.draw == Side::Both && !self.apart(seat.draw);
        let read = self.side(seat.read, client, if mirrored { Side::Back } else { sides.read })?;
        self.move_depth(seat.draw, sides.draw)?;
        self.gl.make_current(Some(real), draw, read)?;
        self.active = seat;
        Ok(())
    }

    fn side(&mut self, number: u32, client: Client, side: Side) -> Result<Option<SurfaceHandle>, ReplayError> {
        let back = self.pbuffer(number, client)?;
        let double = self.described(number).is_some_and(|surface| surface.double);
        match side {
            Side::Back => Ok(back),
            _ if !double || !self.fronts => Ok(back),
            Side::Both => self.front(number, client).map(|_| back),
            Side::Front => self.front(number, client).map(Some),
        }
    }

    /// Returns the front buffer of a surface, and creates it if needed.
    fn front(&mut self, number: u32, client: Client) -> Result<SurfaceHandle, ReplayError> {
        let surface = self.surfaces.get_mut(number as usize).and_then(Option::as_mut);
        let surface = surface.ok_or(ReplayError::NoSurface { number })?;
        if let Some(front) = &surface.front {
            return Ok(front.pbuffer);
        }
        let pbuffer = self.gl.new_surface(&surface.description.request, client)?;
        // If nothing was drawn, the contents are undefined anyway.
        surface.front = Some(Front { pbuffer, alike: !surface.drawn, stale: false, holds_depth: false });
        Ok(pbuffer)
    }

    fn apart(&self, number: u32) -> bool {
        let surface = self.surfaces.get(number as usize).and_then(Option::as_ref);
        surface.and_then(|surface| surface.front.as_ref()).is_some_and(|front| !front.alike)
    }

    /// Copies what was drawn to both buffers to the front buffers.
    fn settle(&mut self) -> Result<(), ReplayError> {
        for number in 0..self.surfaces.len() as u32 {
            let Some(surface) = self.surface(number) else { continue };
            let (Some(back), Some(front)) = (surface.pbuffer, surface.front.as_mut()) else { continue };
            if std::mem::take(&mut front.stale) {
                let front = front.pbuffer;
                self.copy(number, back, front, None, c::GL_COLOR_BUFFER_BIT)?;
            }
        }
        Ok(())
    }

    /// Copies depth and stencil to the pbuffer that will be drawn to.
    fn move_depth(&mut self, number: u32, side: Side) -> Result<(), ReplayError> {
        let Some(surface) = self.surface(number) else { return Ok(()) };
        let request = surface.description.request;
        let (Some(back), Some(front)) = (surface.pbuffer, surface.front.as_mut()) else { return Ok(()) };
        let to_front = side == Side::Front;
        if front.holds_depth == to_front {
            return Ok(());
        }
        front.holds_depth = to_front;
        let (from, to) = if to_front { (back, front.pbuffer) } else { (front.pbuffer, back) };
        let mut planes = 0;
        for (bits, plane) in [(request.depth, c::GL_DEPTH_BUFFER_BIT), (request.stencil, c::GL_STENCIL_BUFFER_BIT)] {
            planes |= if bits > 0 { plane } else { 0 };
        }
        if planes == 0 { Ok(()) } else { self.copy(number, from, to, None, planes) }
    }

    /// Copies between the pbuffers of a surface. Another context is current afterwards.
    fn copy(
        &mut self,
        number: u32,
        from: SurfaceHandle,
        to: SurfaceHandle,
        area: Option<[i32; 4]>,
        planes: u32,
    ) -> Result<(), ReplayError> {
        let (width, height) = self.surface_size(number).unwrap_or_default();
        let context = match self.copier {
            Some(context) => context,
            None => *self.copier.insert(self.gl.new_context(&ContextRequest::default(), None)?),
        };
        self.gl.make_current(Some(context), Some(to), Some(from))?;
        let [x, y, width, height] = area.unwrap_or([0, 0, width, height]);
        let corners =
            [x, y, x.saturating_add(width), y.saturating_add(height)].map(|side| i64::from(side).cast_unsigned());
        let mut words = [0; 10];
        words[..4].copy_from_slice(&corners);
        words[4..8].copy_from_slice(&corners);
        words[8..].copy_from_slice(&[planes, c::GL_NEAREST].map(u64::from));
        self.gl.call(id::glBlitFramebuffer, &words, &mut []);
        Ok(())
    }

    fn surface(&mut self, number: u32) -> Option<&mut Surface> {
        self.surfaces.get_mut(number as usize)?.as_mut()
    }

    fn described(&self, number: u32) -> Option<super::Description> {
        Some(self.surfaces.get(number as usize)?.as_ref()?.description)
    }
}
