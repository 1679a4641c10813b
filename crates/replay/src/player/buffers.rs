//! Which buffers of default framebuffers are drawn to and read from.

use api::{Role, constant as c, id};
use driver::Client;
use trace::{Call, Reader};

use super::Player;
use super::arguments::bytes;
use crate::ReplayError;
use crate::plan::{Plan, Special};
use crate::world::{Side, Sides};

/// No driver keeps more attributes.
const DEEPEST: usize = 64;

impl Player {
    /// Keeps front buffers from the start.
    pub fn keep_fronts(&mut self) {
        self.world.fronts = true;
    }

    /// Whether a call asks for a front buffer that would have to have been kept. The first to ask for one at all is the
    /// reason that they are kept from then on.
    pub(super) fn misses_front(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<bool, ReplayError> {
        if self.world.fronts {
            return Ok(false);
        }
        if self.chosen(plan, call, reader)?.is_none_or(|sides| !self.world.need_front(sides)) {
            return Ok(false);
        }
        if self.world.missed_front() {
            return Ok(true);
        }
        self.world.fronts = true;
        Ok(false)
    }

    /// Takes a choice of buffers to where they are. The driver is told of the back buffer, which is what pbuffers have
    /// (EGL 1.5, 2.2.2).
    pub(super) fn choose_buffer(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        let Special::ChooseBuffer { list, named, .. } = plan.special else { return Ok(()) };
        let Some(sides) = self.chosen(plan, call, reader)? else { return Ok(()) };
        if self.world.current().is_some_and(|(context, _)| context.compiling) {
            if self.world.need_front(sides) {
                let text = "a display list chooses the front buffer; what it draws is in the back buffer here";
                self.problem(call.number, text);
            }
            return Ok(());
        }
        let at = usize::from(named);
        if self.world.fronts {
            if list {
                let backs: Vec<u8> =
                    self.listed(at + 1, call, reader)?.into_iter().flat_map(|name| back(name).to_ne_bytes()).collect();
                self.args[at + 1] = self.copied(&backs);
                if sides.draw == Side::Both {
                    let text = "different values are drawn to front and back buffer; here they are the same";
                    self.problem(call.number, text);
                }
            } else {
                self.args[at] = u64::from(back(self.args[at] as u32));
            }
        }
        self.world.choose(sides)
    }

    /// What the current context would draw to and read from after a call; nothing if that is none of its business.
    fn chosen(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<Option<Sides>, ReplayError> {
        let Special::ChooseBuffer { draws, list, named } = plan.special else { return Ok(None) };
        let at = usize::from(named);
        let first = call.args.first().map_or(0, |word| *word as u32);
        let Some((context, _)) = self.world.current() else { return Ok(None) };
        let bound = if draws { context.draw_framebuffer } else { context.read_framebuffer };
        // OpenGL ES has no front buffers.
        if context.client != Client::Desktop || (if named { first } else { bound }) != 0 {
            return Ok(None);
        }
        let mut sides = context.sides;
        let names = if list {
            self.listed(at + 1, call, reader)?
        } else {
            call.args.get(at).map(|word| *word as u32).into_iter().collect()
        };
        let mut found = names.into_iter().filter_map(side);
        let Some(first) = found.next() else { return Ok(None) };
        if draws {
            sides.draw = if found.any(|other| other != first) { Side::Both } else { first };
        } else {
            // GL 4.6, 18.2.1: what names both is the front buffer here.
            sides.read = if first == Side::Both { Side::Front } else { first };
        }
        Ok(Some(sides))
    }

    /// The names that a call has in a list.
    fn listed(&mut self, arg: usize, call: &Call<'_>, reader: &Reader) -> Result<Vec<u32>, ReplayError> {
        let Some(data) = u8::try_from(arg).ok().and_then(|arg| call.input(arg)) else { return Ok(Vec::new()) };
        let Some(bytes) = bytes(reader, data)? else { return Ok(Vec::new()) };
        let name = |word: &[u8]| u32::from_ne_bytes(word.try_into().unwrap_or_default());
        Ok(bytes.chunks_exact(4).map(name).collect())
    }

    pub(super) fn push_attributes(&mut self, call: &Call<'_>) {
        let Some((context, _)) = self.world.current() else { return };
        if !context.compiling && context.attributes.len() < DEEPEST {
            context.attributes.push((call.args.first().map_or(0, |word| *word as u32), context.sides));
        }
    }

    /// Buffers to draw to are attributes of the colour buffer, and those to read from of pixels (GL 4.6 compatibility,
    /// table 23.30).
    pub(super) fn pop_attributes(&mut self) -> Result<(), ReplayError> {
        let Some((context, _)) = self.world.current() else { return Ok(()) };
        if context.compiling {
            return Ok(());
        }
        let Some((mask, kept)) = context.attributes.pop() else { return Ok(()) };
        let mut sides = context.sides;
        if mask & c::GL_COLOR_BUFFER_BIT != 0 {
            sides.draw = kept.draw;
        }
        if mask & c::GL_PIXEL_MODE_BIT != 0 {
            sides.read = kept.read;
        }
        self.world.choose(sides)
    }

    /// Something was drawn, with its arguments where they were. If that was to both buffers, and these are not alike,
    /// a clear is done again in the other one.
    pub(super) fn drew_on_both(&mut self, plan: &Plan, call: &Call<'_>) -> Result<(), ReplayError> {
        if !self.world.draws_apart() {
            return Ok(());
        }
        if plan.command.role != Role::Clear {
            let text = "something is drawn to front and back buffer while these differ; it is in the back buffer only";
            self.problem(call.number, text);
            return Ok(());
        }
        let Some((context, _)) = self.world.current() else { return Ok(()) };
        let sides = context.sides;
        self.world.choose(Sides { draw: Side::Front, ..sides })?;
        let args = self.args;
        self.invoke(plan, &args[..call.args.len()]);
        self.world.choose(sides)?;
        let colours = plan.id == id::glClear && args[0] as u32 & c::GL_COLOR_BUFFER_BIT != 0;
        if colours && self.integer(c::GL_SCISSOR_TEST) == 0 && self.integers(c::GL_COLOR_WRITEMASK)[..4] == [1; 4] {
            self.world.made_alike()?;
        }
        Ok(())
    }
}

/// Which buffer a name means where there is no stereo.
fn side(name: u32) -> Option<Side> {
    match name {
        c::GL_BACK | c::GL_BACK_LEFT => Some(Side::Back),
        c::GL_FRONT | c::GL_FRONT_LEFT => Some(Side::Front),
        c::GL_LEFT | c::GL_FRONT_AND_BACK => Some(Side::Both),
        _ => None,
    }
}

/// The name of the back buffer that stands for any buffer.
fn back(name: u32) -> u32 {
    match name {
        c::GL_FRONT | c::GL_LEFT | c::GL_FRONT_AND_BACK => c::GL_BACK,
        c::GL_FRONT_LEFT => c::GL_BACK_LEFT,
        _ => name,
    }
}
