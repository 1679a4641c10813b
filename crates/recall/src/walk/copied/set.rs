//! Clears and uploads: what the call itself says.

use std::collections::BTreeMap;

use chronicle::graph::Cell;
use chronicle::{FoundTexels, TexelPiece, with_call};
use inquiry::Inquiry;
use raster::Color;
use reenact::fragment_ops::{Clearing, Fate, FragmentOps, Pixel, Role};
use state::Region;
use texture::{Compression, Reading};

use super::{Item, Moment};
use crate::event::Job;
use crate::glimpse::{rounded, stored, value_at};
use crate::history::{EventKind, Value, Why};
use crate::steps::value_of;
use crate::walk::{PendingTexel, Reader, Walk};
use crate::{RecallError, TexelAspect, TexelRef, unpack};

/// What a call sets texels to.
pub struct Setting {
    /// Of a clear of a framebuffer: its planes and state, and what it clears.
    clear: Option<(FragmentOps, Clearing)>,
    /// Of an upload: pieces of the images that are wanted.
    pieces: BTreeMap<(Cell, TexelAspect), Vec<TexelPiece>>,
}

impl Setting {
    /// What a call sets these texels to.
    pub fn of_call(inquiry: &mut Inquiry, moment: &Moment, items: &[Item]) -> Result<Setting, RecallError> {
        let mut setting = Setting { clear: None, pieces: BTreeMap::new() };
        let set = |item: &&Item| {
            matches!(
                Job::of(&item.entry.write.texels),
                Job::Leaf(EventKind::Clear | EventKind::Upload | EventKind::Other)
            )
        };
        if !items.iter().any(|item| set(&item)) {
            return Ok(setting);
        }
        {
            let reader = inquiry.reader();
            let held = reader.call_at(moment.call).map_err(inquiry::InquiryError::from)?;
            let call = held.call();
            let clearing = with_call(reader, &call, Clearing::of_call).flatten();
            if let (Some((clearing, named)), Some(view)) = (clearing, moment.before.view(call.thread)) {
                let tail = match named {
                    Some(name) => FragmentOps::of_framebuffer(&view, name),
                    None => FragmentOps::new(&view),
                };
                setting.clear = tail.ok().map(|tail| (tail, clearing));
            }
        }
        if setting.clear.is_some() {
            return Ok(setting);
        }
        let places = items.iter().filter(set).map(|item| item.place);
        for ((cell, aspect), [left, bottom, width, height]) in super::rectangles(places) {
            let region = Region { at: [left, bottom], end: [left + width, bottom + height] };
            let image = (cell.group, cell.thing);
            let pieces = inquiry.texels(moment.call + 1, image, region, aspect.aspect())?;
            setting.pieces.insert((cell, aspect), pieces);
        }
        Ok(setting)
    }

    /// What a texel of an upload is set to.
    fn uploaded(&self, call: u64, place: &TexelRef) -> Result<Value, String> {
        let one = Region { at: place.at, end: place.at.map(|at| at + 1) };
        let pieces = self.pieces.get(&(place.cell, place.aspect)).map_or(&[][..], Vec::as_slice);
        let piece = pieces.iter().find(|piece| piece.region.covers(&one) && piece.call == Some(call));
        let piece = piece.ok_or("the trace does not have what was uploaded")?;
        let into = [0, 1].map(|axis| place.at[axis] - piece.region.at[axis]);
        let width = piece.region.size()[0];
        match &piece.found {
            FoundTexels::Pixels { format: 0, kind, bytes } => {
                let compression = Compression::from_gl(*kind).ok_or("its compression is not known")?;
                // Blocks are given whole, so the first texel may lie before the piece.
                let (wide, high) = compression.block_size();
                let before = [piece.region.at[0] % wide, piece.region.at[1] % high];
                let [across, up] = [0, 1].map(|axis| into[axis] + before[axis]);
                let size = piece.region.size();
                let [width, height] =
                    [(size[0] + before[0]).next_multiple_of(wide), (size[1] + before[1]).next_multiple_of(high)];
                let texels = compression.decode(width, height, 1, bytes);
                let step = compression.format().bytes();
                let first = (up * width + across) as usize * step;
                let texel = texels.get(first..first + step).ok_or("the trace does not have what was uploaded")?;
                let reading = Reading { decode_srgb: false, stencil: false };
                Ok(Value::Colour(Color::Float(compression.format().decode(texel, reading).float())))
            }
            FoundTexels::Pixels { format, kind, bytes } => {
                let step = api::extent::pixels::pixel(*format, *kind).ok_or("its form is not known")?;
                let first = (into[1] * width + into[0]) as usize * step;
                let bytes = bytes.get(first..first + step).ok_or("the trace does not have what was uploaded")?;
                unpack::pixel(*format, *kind, bytes, place.aspect).ok_or_else(|| "its form is not known".to_owned())
            }
            FoundTexels::Cleared(value) => {
                use state::records::ClearValue as Cleared;
                Ok(match (*value, place.aspect) {
                    (Cleared::Floats(channels), _) => Value::Colour(Color::Float(channels)),
                    (Cleared::Integers(channels), _) => Value::Colour(Color::Int(channels)),
                    (Cleared::Unsigned(channels), _) => Value::Colour(Color::Uint(channels)),
                    (Cleared::Depth(depth), _) => Value::Depth(depth as f32),
                    (Cleared::Stencil(value), _) => Value::Stencil(value as u8),
                    (Cleared::Zero, TexelAspect::Depth) => Value::Depth(0.0),
                    (Cleared::Zero, TexelAspect::Stencil) => Value::Stencil(0),
                    (Cleared::Zero, TexelAspect::Colour) => Value::Colour(Color::Float([0.0; 4])),
                    (Cleared::Pixel { .. }, _) => return Err("the trace does not have what was uploaded".to_owned()),
                })
            }
            FoundTexels::Gpu(_) => Err("it comes from what the device computed".to_owned()),
            FoundTexels::Changed => Err("it was changed on its way".to_owned()),
            FoundTexels::Unwritten | FoundTexels::Lost => Err("the trace does not have what was uploaded".to_owned()),
        }
    }
}

impl Walk<'_, '_> {
    /// A texel that a clear or an upload set, or something that is only named.
    pub(super) fn set(
        &mut self,
        moment: &Moment,
        setting: &Setting,
        kind: EventKind,
        item: Item,
    ) -> Result<(), RecallError> {
        let Item { place, wanted, .. } = item;
        let (made, shines) = match (kind, &setting.clear) {
            (EventKind::Clear, Some((tail, clearing))) => match cleared(moment, (tail, clearing), &place) {
                Cleared::Not => return self.pass_on(moment.call, place, wanted),
                Cleared::To(value, shines) => (value, shines),
            },
            (EventKind::Clear | EventKind::Upload | EventKind::Other, _) => {
                let format = stored(&moment.after, place.cell, place.aspect);
                let given = setting.uploaded(moment.call, &place);
                (given.map(|value| format.map_or(value, |format| rounded(format, value))), false)
            }
            (EventKind::Store, _) => (Err("stores of shaders are not emulated".to_owned()), false),
            _ => (Err("nothing wrote it, so its contents are undefined".to_owned()), false),
        };
        let id = self.leaf(kind, moment.call, place, &wanted);
        self.compare(moment, (id, &place), made);
        if shines {
            let depth = self.history.nodes[id.0 as usize].depth;
            let reader = Reader { node: id, why: Why::Blended, weight: 1.0 };
            return self.pass_on(moment.call, place, PendingTexel { readers: vec![reader], depth });
        }
        Ok(())
    }
}

/// What a clear did to a texel.
enum Cleared {
    /// Nothing: masks or the scissor box keep it away.
    Not,
    /// It set it, and what was there may shine through a mask.
    To(Result<Value, String>, bool),
}

fn cleared(moment: &Moment, (tail, clearing): (&FragmentOps, &Clearing), place: &TexelRef) -> Cleared {
    let role = tail.planes().iter().find_map(|plane| {
        let layers = (0..plane.layers.max(1)).filter_map(|layer| plane.layer(layer));
        let mut cells = layers.map(|thing| Cell::of(place.cell.group, thing));
        (TexelAspect::of(plane.role) == place.aspect && cells.any(|cell| cell == place.cell)).then_some(plane.role)
    });
    let Some(role) = role else { return Cleared::Not };
    let run = |held: Option<Value>| {
        let mut pixel = pixel_of(role, held);
        let fate = tail.clear(&mut pixel, place.at, clearing);
        (matches!(fate, Fate::Written { .. }), value_of(&pixel, role))
    };
    let held = value_at(&moment.held, place);
    let (written, made) = run(held);
    if !written {
        return Cleared::Not;
    }
    let shines = match held {
        Some(Value::Colour(Color::Float(_))) => {
            let with = |level: f32| run(Some(Value::Colour(Color::Float([level; 4])))).1;
            with(0.0) != with(1.0)
        }
        Some(Value::Stencil(_)) => run(Some(Value::Stencil(0))).1 != run(Some(Value::Stencil(0xff))).1,
        _ => false,
    };
    Cleared::To(made.ok_or_else(|| "what was there cannot be seen".to_owned()), shines)
}

/// A pixel of which one plane is known.
fn pixel_of(role: Role, value: Option<Value>) -> Pixel {
    let mut pixel = Pixel::default();
    match (role, value) {
        (Role::Colour(buffer), Some(Value::Colour(color))) => {
            pixel.colours = vec![None; buffer + 1];
            pixel.colours[buffer] = Some(color);
        }
        (Role::Depth, Some(Value::Depth(depth))) => pixel.depth = Some(depth),
        (Role::Stencil, Some(Value::Stencil(value))) => pixel.stencil = Some(value),
        _ => {}
    }
    pixel
}
