//! What an image holds in a rectangle, in its own format.

use std::collections::BTreeMap;

use chronicle::graph::Cell;
use device::{ImageRef, Rectangle};
use inquiry::{Inquiry, InquiryError};
use reenact::Plane;
use reenact::fragment_ops::{PlaneFormat, Role};
use state::objects::framebuffer::Storage;
use state::{ContentsRef, Model};

use crate::history::{Value, Verdict};
use crate::{TexelAspect, TexelRef};

/// By how many units of their format values may differ, because drivers round differently.
const UNITS: u64 = 1;

/// A rectangle of an image at one moment.
pub struct Glimpse {
    /// How the image stores its values.
    pub format: PlaneFormat,
    rectangle: Rectangle,
    planes: Vec<Plane>,
}

/// Images by what is wanted of them.
pub type Glimpses = BTreeMap<(Cell, TexelAspect), Glimpse>;

/// Looks at rectangles of images before a command, all at once. What cannot be seen is left out, and `missing` is told
/// why.
pub fn look(
    inquiry: &mut Inquiry,
    model: &Model,
    command: u64,
    wanted: &BTreeMap<(Cell, TexelAspect), Rectangle>,
    missing: &mut Vec<String>,
) -> Result<Glimpses, InquiryError> {
    let (mut seen, mut sights) = (Vec::new(), Vec::new());
    for (&(cell, aspect), &rectangle) in wanted {
        if let (Some(sight), Some(format)) = (ImageRef::of(model, cell), stored(model, cell, aspect)) {
            seen.push(((cell, aspect), format, rectangle));
            sights.push((sight, rectangle));
        }
    }
    let mut glimpses = Glimpses::new();
    if sights.is_empty() {
        return Ok(glimpses);
    }
    for ((key, format, rectangle), planes) in seen.into_iter().zip(inquiry.look(command, sights)?) {
        match planes {
            Ok(planes) => {
                glimpses.insert(key, Glimpse { format, rectangle, planes });
            }
            Err(why) => missing.push(why),
        }
    }
    Ok(glimpses)
}

/// How an image stores its values; nothing when it is not there, or in no way that is emulated.
pub fn stored(model: &Model, cell: Cell, aspect: TexelAspect) -> Option<PlaneFormat> {
    let group = model.groups.get(cell.group);
    let storage = match cell.thing {
        ContentsRef::Image { object, level, layer } => {
            let texture = group?.textures.values().find(|texture| texture.object == object)?;
            let faces = texture.target.map_or(1, |target| target.faces());
            let level = texture.level(level, if faces > 1 { layer % faces } else { 0 })?;
            Storage::Format(level.format?)
        }
        ContentsRef::Renderbuffer { object } => {
            Storage::Format(group?.renderbuffers.values().find(|found| found.object == object)?.format?)
        }
        ContentsRef::Surface { surface, .. } => {
            let surface = *model.surfaces.get(&surface)?;
            Storage::Surface { surface, srgb: surface.srgb }
        }
        _ => return None,
    };
    let role = match aspect {
        TexelAspect::Colour => Role::Colour(0),
        TexelAspect::Depth => Role::Depth,
        TexelAspect::Stencil => Role::Stencil,
    };
    PlaneFormat::of(role, &storage).ok()
}

impl Glimpse {
    /// What was read of a rectangle.
    pub fn of(format: PlaneFormat, rectangle: Rectangle, planes: Vec<Plane>) -> Glimpse {
        Glimpse { format, rectangle, planes }
    }

    /// Samples of a pixel, at least 1.
    pub fn samples(&self) -> u32 {
        self.planes.first().map_or(1, |plane| plane.level.max(1))
    }

    /// What is at a texel; nothing outside of the rectangle.
    pub fn value(&self, at: [u32; 2], sample: u32) -> Option<Value> {
        self.planes.iter().find_map(|plane| {
            let bytes = texel(plane, self.rectangle, at, sample)?;
            let (form, kind) = (plane.format, plane.pixel_type);
            match self.format {
                PlaneFormat::Colour(_) => self.format.colour(form, kind, bytes).map(Value::Colour),
                PlaneFormat::Depth(_) => self.format.depth(form, kind, bytes).map(Value::Depth),
                PlaneFormat::Stencil => self.format.stencil(form, kind, bytes).map(Value::Stencil),
            }
        })
    }
}

/// The bytes of a texel in what was seen of a rectangle: all of the first sample, then all of the second, and so on.
pub fn texel(plane: &Plane, [left, bottom, width, height]: Rectangle, [x, y]: [u32; 2], sample: u32) -> Option<&[u8]> {
    let (column, row) = (x.checked_sub(left)?, y.checked_sub(bottom)?);
    if column >= width || row >= height {
        return None;
    }
    let samples = plane.level.max(1);
    let texels = (width * height * samples) as usize;
    let size = plane.bytes.len() / texels.max(1);
    let place = (sample.min(samples - 1) * width * height + row * width + column) as usize;
    plane.bytes.get(place * size..(place + 1) * size)
}

/// What is at a place, if it was looked at.
pub fn value_at(glimpses: &Glimpses, place: &TexelRef) -> Option<Value> {
    glimpses.get(&(place.cell, place.aspect))?.value(place.at, place.sample)
}

/// Whether what was made is what is there.
pub fn judge(format: PlaneFormat, made: Option<Value>, real: Option<Value>) -> Verdict {
    let Some(made) = made else { return Verdict::Unchecked("nothing was computed".to_owned()) };
    let Some(real) = real else { return Verdict::Unchecked("what is there cannot be seen".to_owned()) };
    let (apart, exact) = match (made, real) {
        (Value::Colour(made), Value::Colour(real)) => {
            let integer = matches!(format, PlaneFormat::Colour(format) if format.is_integer());
            (format.colours_apart(made, real), integer)
        }
        (Value::Depth(made), Value::Depth(real)) => (format.depths_apart(made, real), false),
        (Value::Stencil(made), Value::Stencil(real)) => (Some(u64::from(made.abs_diff(real))), true),
        _ => (None, true),
    };
    match apart {
        None => Verdict::Unchecked("what is there is of another sort".to_owned()),
        Some(0) => Verdict::Equal,
        Some(units) if !exact && units <= UNITS => Verdict::Within(units),
        Some(units) => Verdict::Differs(units),
    }
}

/// A value as an image stores it.
pub fn rounded(format: PlaneFormat, value: Value) -> Value {
    match (format, value) {
        (PlaneFormat::Colour(format), Value::Colour(color)) => Value::Colour(format.round(color)),
        (PlaneFormat::Depth(format), Value::Depth(depth)) => Value::Depth(format.round(depth.clamp(0.0, 1.0))),
        (_, value) => value,
    }
}

impl crate::Recall<'_> {
    /// What lies in a rectangle around a place before a call, row by row from below; nothing outside of the image. Nothing
    /// at all when it cannot be seen.
    ///
    /// # Errors
    /// When the trace cannot be read, or the worker is lost.
    pub fn neighbourhood(
        &mut self,
        place: &TexelRef,
        call: u64,
        [left, bottom, width, height]: Rectangle,
    ) -> Result<Option<Vec<Option<Value>>>, crate::RecallError> {
        let model = self.inquiry.state_after(call.saturating_sub(1))?;
        let Some([wide, high]) = place.size(&model) else { return Ok(None) };
        let seen = [width.min(wide.saturating_sub(left)), height.min(high.saturating_sub(bottom))];
        let wanted = BTreeMap::from([((place.cell, place.aspect), [left, bottom, seen[0], seen[1]])]);
        let glimpses = look(self.inquiry, &model, call, &wanted, &mut Vec::new())?;
        let Some(glimpse) = glimpses.get(&(place.cell, place.aspect)) else { return Ok(None) };
        let texels = (0..height).flat_map(|row| (0..width).map(move |column| [left + column, bottom + row]));
        Ok(Some(texels.map(|at| glimpse.value(at, place.sample)).collect()))
    }
}
