//! Draw and read buffers of default framebuffers.

use api::request::Client;
use api::{Role, constant as c, id};
use trace::{Call, Reader};

use super::Player;
use super::arguments::bytes;
use super::operands::{Operands, Payload, Target};
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

    /// Returns whether a call uses a front buffer that was not kept. The first call that uses one turns keeping them on.
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

    /// Applies a selection of buffers. The driver always gets the back buffer, the only one of pbuffers (EGL 1.5, 2.2.2).
    pub(super) fn choose_buffer(
        &mut self,
        plan: &Plan,
        (call, reader): (&Call<'_>, &Reader),
        operands: &mut Operands<'_>,
    ) -> Result<(), ReplayError> {
        let Special::ChooseBuffer { list, named, .. } = plan.special else { return Ok(()) };
        let Some(sides) = self.chosen(plan, call, reader)? else { return Ok(()) };
        if self.world.current().is_some_and(|(context, _)| context.compiling) {
            if self.world.need_front(sides) {
                let text = "a display list selects the front buffer; its draws go to the back buffer here";
                self.problem(call.number, text);
            }
            return Ok(());
        }
        let at = usize::from(named);
        if self.world.fronts {
            if list {
                let backs: Vec<u8> =
                    self.listed(at + 1, call, reader)?.into_iter().flat_map(|name| back(name).to_ne_bytes()).collect();
                operands.set(at as u8 + 1, Target::Input(Payload::Made(backs)));
                if sides.draw == Side::Both {
                    let text = "a draw writes different values to front and back buffer; here both get the same";
                    self.problem(call.number, text);
                }
            } else {
                self.args[at] = u64::from(back(self.args[at] as u32));
            }
        }
        self.world.choose(sides)
    }

    /// Returns the draw and read buffer of the current context after a call; `None` if it has no effect on them.
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

    /// Returns the names in the list of a call.
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

    /// Handles a draw to both buffers while they differ: a clear is executed again in the other buffer.
    pub(super) fn drew_on_both(&mut self, plan: &Plan, call: &Call<'_>, reader: &Reader) -> Result<(), ReplayError> {
        if !self.world.draws_apart() {
            return Ok(());
        }
        if plan.command.role != Role::Clear {
            let text = "a draw to both front and back buffer while they differ went to the back buffer only";
            self.problem(call.number, text);
            return Ok(());
        }
        let Some((context, _)) = self.world.current() else { return Ok(()) };
        let sides = context.sides;
        self.world.choose(Sides { draw: Side::Front, ..sides })?;
        self.drive_with_care(plan, call, reader)?;
        self.world.choose(sides)?;
        let colours = plan.id == id::glClear && call.args[0] as u32 & c::GL_COLOR_BUFFER_BIT != 0;
        if colours && self.integer(c::GL_SCISSOR_TEST) == 0 && self.integers(c::GL_COLOR_WRITEMASK) == [1; 4] {
            self.world.made_alike()?;
        }
        Ok(())
    }
}

/// Returns the buffer of a name, without stereo.
fn side(name: u32) -> Option<Side> {
    match name {
        c::GL_BACK | c::GL_BACK_LEFT => Some(Side::Back),
        c::GL_FRONT | c::GL_FRONT_LEFT => Some(Side::Front),
        c::GL_LEFT | c::GL_FRONT_AND_BACK => Some(Side::Both),
        _ => None,
    }
}

/// Returns the name of the back buffer in place of any buffer.
fn back(name: u32) -> u32 {
    match name {
        c::GL_FRONT | c::GL_LEFT | c::GL_FRONT_AND_BACK => c::GL_BACK,
        c::GL_FRONT_LEFT => c::GL_BACK_LEFT,
        _ => name,
    }
}
