//! Pixels that a call draws: `glDrawPixels` and `glBitmap` (GL 4.6 compatibility, 18.1 and 14.8).

use api::{CommandId, id};
use inquiry::Inquiry;
use raster::Color;
use reenact::fragment_ops::{Fate, FragmentOps, Pixel, ShadedFragment};
use state::View;
use state::objects::buffer::Point;
use state::variable as var;
use trace::Bytes;

use super::{Item, Moment};
use crate::glimpse::value_at;
use crate::history::{EventKind, Value, Why};
use crate::steps::value_of;
use crate::unpack;
use crate::walk::{PendingTexel, Reader, Walk};
use crate::{RecallError, TexelAspect, TexelRef};

/// A call that draws pixels.
struct Drawing {
    command: CommandId,
    thread: u32,
    args: Vec<u64>,
    memory: Option<Vec<u8>>,
}

impl Walk<'_, '_> {
    /// A texel that a call drew a pixel to; nothing is done about it where it drew none.
    pub(super) fn pixels(&mut self, moment: &Moment, item: Item) -> Result<(), RecallError> {
        let drawing = Drawing::of_call(self.recall.inquiry, moment.call)?;
        let made = drawing.and_then(|drawing| {
            let view = moment.before.view(drawing.thread).ok_or("there is no context")?;
            plain(&view)?;
            let tail = FragmentOps::new(&view).map_err(|refusal| refusal.to_string())?;
            let Some(colour) = drawing.colour(&view, item.place.at)? else { return Ok(None) };
            Ok(Some(applied(moment, &tail, &view, &item.place, colour)?))
        });
        match made {
            Ok(None) => self.pass_on(moment.call, item.place, item.wanted),
            Ok(Some(None)) => self.pass_on(moment.call, item.place, item.wanted),
            Ok(Some(Some((value, shines)))) => {
                let id = self.node(moment.call, item.place, EventKind::Upload, &item.wanted);
                self.compare(moment, (id, &item.place), Ok(value));
                if !shines {
                    return Ok(());
                }
                let wanted = PendingTexel {
                    readers: vec![Reader { node: id, why: Why::Blended, weight: 0.0 }],
                    depth: item.wanted.depth,
                };
                self.pass_on(moment.call, item.place, wanted)
            }
            Err(why) => self.named(moment, item, &why),
        }
    }
}

impl Drawing {
    fn of_call(inquiry: &Inquiry, number: u64) -> Result<Result<Drawing, String>, RecallError> {
        let reader = inquiry.reader();
        let held = reader.call_at(number).map_err(inquiry::InquiryError::from)?;
        let call = held.call();
        let Some(command) = call.command else { return Ok(Err("the call is not known".to_owned())) };
        let last = api::command(command).params.len().saturating_sub(1) as u8;
        let memory = match call.input(last).map(|data| reader.bytes(data)).transpose() {
            Ok(bytes) => bytes.flatten().map(|bytes| match bytes {
                Bytes::Inline(bytes) => bytes.to_vec(),
                Bytes::Blob(bytes) => bytes.to_vec(),
            }),
            Err(error) => return Ok(Err(error.to_string())),
        };
        Ok(Ok(Drawing { command, thread: call.thread, args: call.args.to_vec(), memory }))
    }

    /// The colour that is drawn to a pixel of the window; nothing where none is.
    fn colour(&self, view: &View<'_>, at: [u32; 2]) -> Result<Option<Color>, String> {
        let vars = &view.context.vars;
        if vars.get(var::CURRENT_RASTER_POSITION_VALID) == 0.0 {
            return Ok(None);
        }
        let raster = vars.value(var::CURRENT_RASTER_POSITION, 0);
        let size = [self.args[0] as i64, self.args[1] as i64];
        let float = |at: usize| f64::from(f32::from_bits(self.args[at] as u32));
        let (origin, zoom) = match self.command {
            // Bitmaps begin at whole pixels (GL 4.6 compatibility, 14.8).
            id::glBitmap => ([0, 1].map(|axis| (raster[axis] - float(2 + axis)).floor()), [1.0; 2]),
            _ => ([raster[0], raster[1]], [vars.get(var::ZOOM_X), vars.get(var::ZOOM_Y)]),
        };
        let inside = |axis: usize| {
            let place = ((f64::from(at[axis]) + 0.5 - origin[axis]) / zoom[axis]).floor();
            (place >= 0.0 && (place as i64) < size[axis]).then_some(place as usize)
        };
        let (Some(column), Some(row)) = (inside(0), inside(1)) else { return Ok(None) };
        let memory = self.memory.as_ref().ok_or("the trace does not have its pixels")?;
        let number = |name| vars.get(name) as usize;
        let align = |bytes: usize| bytes.next_multiple_of(number(var::UNPACK_ALIGNMENT).max(1));
        let width = match number(var::UNPACK_ROW_LENGTH) {
            0 => size[0] as usize,
            length => length,
        };
        let (column, row) = (column + number(var::UNPACK_SKIP_PIXELS), row + number(var::UNPACK_SKIP_ROWS));
        if self.command == id::glBitmap {
            let byte = *memory.get(row * align(width.div_ceil(8)) + column / 8).ok_or("its bits end too early")?;
            let place = if vars.get(var::UNPACK_LSB_FIRST) != 0.0 { column % 8 } else { 7 - column % 8 };
            let colour = vars.value(var::CURRENT_RASTER_COLOR, 0);
            let colour = std::array::from_fn(|channel| colour[channel] as f32);
            return Ok((byte >> place & 1 == 1).then_some(Color::Float(colour)));
        }
        let (format, kind) = (self.args[2] as u32, self.args[3] as u32);
        let step = api::extent::pixels::pixel(format, kind).ok_or("the form of its pixels is not known")?;
        let first = row * align(width * step) + column * step;
        let bytes = memory.get(first..first + step).ok_or("its pixels end too early")?;
        match unpack::pixel(format, kind, bytes, TexelAspect::Colour) {
            Some(Value::Colour(colour)) => Ok(Some(colour)),
            _ => Err("the form of its pixels is not known".to_owned()),
        }
    }
}

/// What a pixel holds after a fragment of this colour, and whether what was there before has to do with it; nothing where
/// the fragment is rejected.
fn applied(
    moment: &Moment,
    tail: &FragmentOps,
    view: &View<'_>,
    place: &TexelRef,
    colour: Color,
) -> Result<Option<(Value, bool)>, String> {
    let plane = tail.planes().iter().find(|plane| {
        TexelAspect::of(plane.role) == place.aspect
            && chronicle::graph::Cell::of(place.cell.group, plane.thing) == place.cell
    });
    let role = plane.ok_or("it draws to another image")?.role;
    if place.aspect != TexelAspect::Colour {
        return Err("only its colours are computed".to_owned());
    }
    let tested = [var::DEPTH_TEST, var::STENCIL_TEST].iter().any(|test| view.context.vars.get(*test) != 0.0);
    if tested {
        return Err("tests of depth and stencil are not computed for it".to_owned());
    }
    let reenact::fragment_ops::Role::Colour(buffer) = role else { return Ok(None) };
    let Some(Value::Colour(held)) = value_at(&moment.held, place) else {
        return Err("what was there before cannot be seen".to_owned());
    };
    let shaded = ShadedFragment {
        at: place.at,
        sample: place.sample,
        depth: view.context.vars.value(var::CURRENT_RASTER_POSITION, 0)[2] as f32,
        front: true,
        colours: vec![Some(colour); raster::MAX_TARGETS],
        ..ShadedFragment::default()
    };
    let over = |held: Color| {
        let mut pixel = Pixel { colours: vec![None; buffer + 1], ..Pixel::default() };
        pixel.colours[buffer] = Some(held);
        match tail.apply(&mut pixel, &shaded) {
            Fate::Written { .. } => value_of(&pixel, role),
            _ => None,
        }
    };
    let [none, full] = [0.0, 1.0].map(|level| over(Color::Float([level; 4])));
    Ok(over(held).map(|value| (value, none != full)))
}

/// Refuses what pixels may go through that is not computed.
fn plain(view: &View<'_>) -> Result<(), String> {
    let vars = &view.context.vars;
    let textured = view.context.fixed.units.iter().any(|unit| unit.enabled != 0);
    let scaled =
        [var::RED_SCALE, var::GREEN_SCALE, var::BLUE_SCALE, var::ALPHA_SCALE].iter().any(|s| vars.get(*s) != 1.0);
    let biased = [var::RED_BIAS, var::GREEN_BIAS, var::BLUE_BIAS, var::ALPHA_BIAS].iter().any(|b| vars.get(*b) != 0.0);
    let on = |name| vars.get(name) != 0.0;
    let what = match () {
        () if view.context.program != 0 => "a program runs for its pixels",
        () if textured => "its pixels are textured",
        () if on(var::FOG) => "its pixels are in fog",
        () if scaled || biased || on(var::MAP_COLOR) => "its pixels are scaled or mapped",
        () if on(var::CULL_FACE) || on(var::POLYGON_STIPPLE) => "faces are culled or stippled, which pixels are not",
        () if on(var::UNPACK_SWAP_BYTES) => "its bytes are swapped",
        () if !view.context.buffers.get(Point::PixelUnpack).is_none() => "its pixels come from a buffer",
        () => return Ok(()),
    };
    Err(what.to_owned())
}
