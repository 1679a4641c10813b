//! Where copies, blits and levels read what they write.

use api::{constant as c, id};
use chronicle::graph::Cell;
use chronicle::ledger::Entry;
use state::objects::texture::Target;
use state::records::Texels;
use state::{ContentsRef, Model, variable as var};
use trace::Reader;

use super::Moment;
use crate::TexelRef;

/// How a call reads what it writes.
pub enum Transfer {
    /// Texel by texel, from somewhere else.
    Shifted,
    /// From a rectangle to a rectangle.
    Blit(Blit),
    /// From the level above, two texels in each direction.
    Levels,
}

/// Two rectangles as `glBlitFramebuffer` takes them: corners, not sizes.
pub struct Blit {
    from: [i32; 4],
    to: [i32; 4],
    linear: bool,
    /// Only what lies in here is written: left, bottom, width and height.
    scissor: Option<[i64; 4]>,
    /// sRGB colours are linear on their way.
    srgb: bool,
}

impl Transfer {
    /// That of a call that copies.
    pub fn of_call(reader: &Reader, moment: &Moment) -> Transfer {
        let plain = Transfer::Shifted;
        let Ok(held) = reader.call_at(moment.call) else { return plain };
        let call = held.call();
        let word = |at: usize| call.args.get(at).copied().unwrap_or(0) as u32;
        let first = match call.command {
            Some(
                id::glBlitFramebuffer | id::glBlitFramebufferEXT | id::glBlitFramebufferANGLE | id::glBlitFramebufferNV,
            ) => 0,
            Some(id::glBlitNamedFramebuffer) => 2,
            _ => return plain,
        };
        let corners = |at: usize| [0, 1, 2, 3].map(|corner| word(first + at + corner).cast_signed());
        let Some(view) = moment.before.view(call.thread) else { return plain };
        let vars = &view.context.vars;
        let box_of = |at: usize| vars.value(var::SCISSOR_BOX, 0)[at] as i64;
        let cut = vars.value(var::SCISSOR_TEST, 0)[0] != 0.0;
        Transfer::Blit(Blit {
            from: corners(0),
            to: corners(4),
            linear: word(first + 9) == c::GL_LINEAR,
            scissor: cut.then(|| [0, 1, 2, 3].map(box_of)),
            // In OpenGL ES colours are always converted (ES 3.2, 16.2.1), else as for drawing (GL 4.6, 18.3.1).
            srgb: view.context.facts.es(3, 0) || vars.get(var::FRAMEBUFFER_SRGB) != 0.0,
        })
    }

    /// Whether texels are not just moved.
    pub fn scales(&self) -> bool {
        match self {
            Transfer::Blit(blit) => blit.extent(&blit.from) != blit.extent(&blit.to),
            _ => false,
        }
    }

    /// Whether sRGB colours are linear on their way.
    pub fn decodes(&self) -> bool {
        match self {
            Transfer::Blit(blit) => blit.srgb,
            Transfer::Levels => true,
            Transfer::Shifted => false,
        }
    }

    /// The texels that one is made of, with their weights; nothing where nothing is written.
    pub fn sources(&self, moment: &Moment, entry: &Entry, place: &TexelRef) -> Option<Vec<(TexelRef, f64)>> {
        match (self, entry.write.texels) {
            (Transfer::Blit(blit), Texels::Image { of, .. }) => {
                let source = TexelRef { cell: moment.source(place, of), sample: 0, ..*place };
                let size = source.size(&moment.before)?;
                let taps = blit.taps(place.at, size, place)?;
                Some(taps.into_iter().map(|(at, weight)| (TexelRef { at, ..source }, weight)).collect())
            }
            (_, Texels::Image { of, from, .. }) => {
                let at = [0, 1]
                    .map(|axis| from[axis].saturating_add(place.at[axis].saturating_sub(entry.write.region.at[axis])));
                Some(vec![(TexelRef { cell: moment.source(place, of), at, ..*place }, 1.0)])
            }
            _ => above(&moment.after, place),
        }
    }
}

impl Blit {
    fn extent(&self, [x0, y0, x1, y1]: &[i32; 4]) -> [i64; 2] {
        [i64::from(*x1) - i64::from(*x0), i64::from(*y1) - i64::from(*y0)]
    }

    /// The texels of an image of this size that are read for a pixel.
    fn taps(&self, at: [u32; 2], size: [u32; 2], place: &TexelRef) -> Option<Vec<([u32; 2], f64)>> {
        let (from, to) = (self.extent(&self.from), self.extent(&self.to));
        if let Some([left, bottom, width, height]) = self.scissor {
            let [x, y] = at.map(i64::from);
            if x < left || y < bottom || x >= left + width || y >= bottom + height {
                return None;
            }
        }
        let linear = self.linear && place.aspect == crate::TexelAspect::Colour && from != to;
        let mut axes = [Vec::new(), Vec::new()];
        for axis in 0..2 {
            let pixel = i64::from(at[axis]);
            let (one, other) = (i64::from(self.to[axis]), i64::from(self.to[axis + 2]));
            if pixel < one.min(other) || pixel >= one.max(other) {
                return None;
            }
            let scale = from[axis] as f64 / to[axis] as f64;
            let centre = f64::from(self.from[axis]) + (pixel as f64 + 0.5 - one as f64) * scale;
            // What lies outside of the image is not read (GL 4.6, 18.3.1).
            if centre < 0.0 || centre >= f64::from(size[axis]) {
                return None;
            }
            axes[axis] = if linear { two(centre, size[axis]) } else { vec![(centre.floor() as u32, 1.0)] };
        }
        Some(crossed(&axes))
    }
}

/// The texels of the level above that one is made of: the four, or of volumes eight, around its middle, as linear
/// filtering weighs them. Where a side is even these are the texels that it covers, in equal parts.
fn above(model: &Model, place: &TexelRef) -> Option<Vec<(TexelRef, f64)>> {
    let ContentsRef::Image { object, level, layer } = place.cell.thing else { return None };
    let cell =
        Cell { group: place.cell.group, thing: ContentsRef::Image { object, level: level.checked_sub(1)?, layer } };
    let source = TexelRef { cell, sample: 0, ..*place };
    let (size, own) = (source.size(model)?, place.size(model)?);
    let middle = |axis: usize| {
        two((f64::from(place.at[axis]) + 0.5) * f64::from(size[axis]) / f64::from(own[axis].max(1)), size[axis])
    };
    let flat = crossed(&[middle(0), middle(1)]);
    let texture = model.groups.get(cell.group)?.textures.values().find(|texture| texture.object == object)?;
    let layers = match texture.target {
        Some(Target::ThreeD) => {
            let deep = |level: u32| texture.level(level, 0).map(|level| level.size[2].max(1).cast_unsigned());
            let (many, few) = (deep(level - 1)?, deep(level)?);
            two((f64::from(layer) + 0.5) * f64::from(many) / f64::from(few), many)
        }
        _ => vec![(layer, 1.0)],
    };
    let mut all = Vec::new();
    for (layer, share) in layers {
        let cell = Cell { group: cell.group, thing: ContentsRef::Image { object, level: level - 1, layer } };
        all.extend(flat.iter().map(|(at, weight)| (TexelRef { cell, at: *at, ..source }, weight * share)));
    }
    Some(all)
}

/// The two texels on both sides of a point, with their weights; at edges one.
fn two(centre: f64, size: u32) -> Vec<(u32, f64)> {
    let low = (centre - 0.5).floor();
    let part = centre - 0.5 - low;
    let inside = |place: f64| place.clamp(0.0, f64::from(size.max(1) - 1)) as u32;
    let mut taps = vec![(inside(low), 1.0 - part)];
    match inside(low + 1.0) {
        same if same == taps[0].0 => taps[0].1 = 1.0,
        _ if part == 0.0 => {}
        other => taps.push((other, part)),
    }
    taps
}

fn crossed([across, up]: &[Vec<(u32, f64)>; 2]) -> Vec<([u32; 2], f64)> {
    up.iter().flat_map(|(y, high)| across.iter().map(move |(x, wide)| ([*x, *y], wide * high))).collect()
}

#[cfg(test)]
mod tests {
    use super::two;

    #[test]
    fn points_lie_between_two_texels() {
        // In the middle of two, of one, at an edge, and the first of two made of five.
        assert_eq!(two(1.0, 4), [(0, 0.5), (1, 0.5)]);
        assert_eq!(two(2.5, 4), [(2, 1.0)]);
        assert_eq!(two(0.25, 4), [(0, 1.0)]);
        assert_eq!(two(1.25, 5), [(0, 0.25), (1, 0.75)]);
    }
}
