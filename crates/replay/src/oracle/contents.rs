//! Compares the contents of images with the recorded writes.
//!
//! Where the records say that texels come from memory of the program, from a copy of such texels or from a clear, the
//! driver's texels must equal the bytes in the trace. And no image may change between two reads without a record.

mod texel;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use api::{Namespace, constant as c};
use chronicle::graph::Cell;
use chronicle::trim::DriverContents;
use chronicle::{Chronicle, FoundTexels, Images, TexelPiece};
use device::report::Findings;
use state::objects::format::Format;
use state::objects::texture::Target;
use state::records::{Aspect, RecordedWrite};
use state::{ContentsRef, Model, Region};

use crate::ReplayError;
use crate::player::Contents;
use crate::timeline::Timeline;
use texel::Form;

/// Compares the contents of images, at any number of commands.
#[derive(Default)]
pub struct ContentsOracle {
    /// Each image, or its depth or stencil, when it was last read.
    seen: BTreeMap<(Cell, u8), ImageCheck>,
}

struct ImageCheck {
    command: u64,
    /// The last call that wrote to it then, by its records.
    last: u64,
    hash: u64,
}

/// An image that was read back.
struct Image<'h> {
    cell: Cell,
    format: &'static Format,
    aspect: Aspect,
    size: [u32; 2],
    form: Form,
    /// Its bytes, row by row without gaps.
    bytes: &'h [u8],
}

impl ContentsOracle {
    /// Compares after a command that the timeline has just executed.
    pub(crate) fn examine(
        &mut self,
        timeline: &mut Timeline,
        chronicle: &Chronicle,
        command: u64,
        findings: &mut Findings,
    ) -> Result<(), ReplayError> {
        let (model, images) = chronicle.moment(command + 1)?;
        for (wanted, group) in wanted(&model) {
            for contents in timeline.read_contents(&wanted)? {
                for image in images_of(&model, group, &contents) {
                    self.examine_image(chronicle, &images, &image, command, findings)?;
                }
            }
        }
        Ok(())
    }

    fn examine_image(
        &mut self,
        chronicle: &Chronicle,
        images: &Images,
        image: &Image<'_>,
        command: u64,
        findings: &mut Findings,
    ) -> Result<(), ReplayError> {
        let Cell { group, thing } = image.cell;
        let records = images.records(group, thing);
        let own = |write: &&RecordedWrite| write.write.aspect.meets(image.aspect);
        let last = records.and_then(|records| records.writes().filter(own).map(|write| write.last).max()).unwrap_or(0);
        let hash = image.hash();
        if let Some(before) = self.seen.insert((image.cell, image.aspect as u8), ImageCheck { command, last, hash }) {
            findings.texels.looks += 1;
            findings.texels.changes += u64::from(before.hash != hash);
            if before.last == last {
                if before.hash != hash {
                    findings.differ("forgotten write", command, || {
                        format!("{thing:?} changed after command {}, and no record says so", before.command)
                    });
                }
                // It was compared before.
                return Ok(());
            }
        }
        let region = Region::whole(image.size);
        for piece in chronicle.texels(command + 1, (group, thing), region, image.aspect)? {
            compare(image, &piece, command, findings);
        }
        Ok(())
    }
}

/// Everything that can be read back, and the share group it belongs to.
fn wanted(model: &Model) -> Vec<(DriverContents, usize)> {
    let mut wanted = Vec::new();
    for (place, group) in model.groups.iter().enumerate() {
        let member = |context: &&std::sync::Arc<state::Context>| {
            context.group == place && context.realm == group.realm && context.was_current
        };
        let Some(context) = model.contexts.iter().flatten().find(member).map(|context| context.facts.number) else {
            continue;
        };
        for (name, texture) in &group.textures {
            let Some(target) = texture.target else { continue };
            let readable =
                !matches!(target, Target::Buffer | Target::Multisample | Target::MultisampleArray | Target::External);
            // A view may have another format than its texels were given in.
            if readable && texture.storage == texture.object && texture.levels.iter().flatten().next().is_some() {
                let target = target.name();
                wanted
                    .push((DriverContents::Object { context, space: Namespace::Texture, name: *name, target }, place));
            }
        }
        for (name, renderbuffer) in &group.renderbuffers {
            if renderbuffer.format.is_some() && renderbuffer.samples == 0 {
                let space = Namespace::Renderbuffer;
                wanted.push((DriverContents::Object { context, space, name: *name, target: 0 }, place));
            }
        }
    }
    for seat in model.seats.iter().filter(|seat| seat.context != 0) {
        let Some(surface) = model.surfaces.get(&seat.draw).filter(|surface| surface.samples < 2) else { continue };
        let planes = [
            (c::GL_COLOR, surface.double && surface.colour.iter().all(|bits| *bits <= 8)),
            (c::GL_DEPTH, surface.depth > 0),
        ];
        for (plane, _) in planes.into_iter().filter(|(_, there)| *there) {
            wanted.push((DriverContents::Surface { context: seat.context, surface: seat.draw, plane }, 0));
        }
    }
    wanted
}

/// The images that were read back together: layers of a level, or one alone; twice, where there are depth and stencil.
fn images_of<'h>(model: &Model, group: usize, contents: &'h Contents) -> Vec<Image<'h>> {
    let Some(found) = model.groups.get(group) else { return Vec::new() };
    let [width, height, depth] = contents.size;
    let form = Form { format: contents.format, kind: contents.pixel_type };
    let (format, things, size): (_, Vec<ContentsRef>, _) = match contents.kind {
        c::GL_TEXTURE => {
            let Some(texture) = found.textures.get(&contents.name) else { return Vec::new() };
            let (target, face) = Target::with_face(contents.target).unwrap_or((Target::TwoD, 0));
            let Some(level) = texture.level(contents.level, face) else { return Vec::new() };
            let rows = target == Target::OneDArray;
            let layers = if rows { height } else { depth };
            let things = (face..face + layers).map(|layer| texture.image(contents.level, layer)).collect();
            (level.format, things, [width, if rows { 1 } else { height }])
        }
        c::GL_RENDERBUFFER => {
            let Some(renderbuffer) = found.renderbuffers.get(&contents.name) else { return Vec::new() };
            (renderbuffer.format, vec![ContentsRef::Renderbuffer { object: renderbuffer.object }], [width, height])
        }
        _ => {
            let Some(about) = model.surfaces.get(&contents.name) else { return Vec::new() };
            let format = match (contents.target, about.depth, about.stencil) {
                (c::GL_COLOR, _, _) if about.colour[0] > 10 => c::GL_RGBA16,
                (c::GL_COLOR, _, _) if about.colour[0] > 8 => c::GL_RGB10_A2,
                (c::GL_COLOR, _, _) if about.colour[3] == 0 => c::GL_RGB8,
                (c::GL_COLOR, _, _) => c::GL_RGBA8,
                (_, 16, 0) => c::GL_DEPTH_COMPONENT16,
                (_, 32, 0) => c::GL_DEPTH_COMPONENT32,
                (_, _, 0) => c::GL_DEPTH_COMPONENT24,
                _ => c::GL_DEPTH24_STENCIL8,
            };
            let plane = if contents.target == c::GL_COLOR { c::GL_BACK_LEFT } else { contents.target };
            let mut things = vec![ContentsRef::Surface { surface: contents.name, plane }];
            if contents.format == c::GL_DEPTH_STENCIL {
                things.push(ContentsRef::Surface { surface: contents.name, plane: c::GL_STENCIL });
            }
            (Format::named(format), things, [width, height])
        }
    };
    let Some(format) = format else { return Vec::new() };
    let surface = contents.kind == c::GL_FRAMEBUFFER_DEFAULT;
    let step = if surface { contents.bytes.len() } else { contents.bytes.len() / things.len().max(1) };
    let mut images = Vec::new();
    for (at, thing) in things.into_iter().enumerate() {
        let first = if surface { 0 } else { at * step };
        let bytes = &contents.bytes[first..first + step];
        let aspects: &[Aspect] = match (contents.format, thing) {
            (c::GL_DEPTH_STENCIL, ContentsRef::Surface { plane: c::GL_STENCIL, .. }) => &[Aspect::Stencil],
            (c::GL_DEPTH_STENCIL, ContentsRef::Surface { .. }) | (c::GL_DEPTH_COMPONENT, _) => &[Aspect::Depth],
            (c::GL_DEPTH_STENCIL, _) => &[Aspect::Depth, Aspect::Stencil],
            (c::GL_STENCIL_INDEX, _) => &[Aspect::Stencil],
            _ => &[Aspect::All],
        };
        let cell = Cell::of(group, thing);
        images.extend(aspects.iter().map(|aspect| Image { cell, format, aspect: *aspect, size, form, bytes }));
    }
    images
}

/// Compares part of an image.
fn compare(image: &Image<'_>, piece: &TexelPiece, command: u64, findings: &mut Findings) {
    let texels = u64::from(piece.region.size()[0]) * u64::from(piece.region.size()[1]);
    let wrong = match &piece.found {
        FoundTexels::Pixels { format: 0, kind, bytes } => image.compare_blocks(*kind, bytes, &piece.region),
        FoundTexels::Pixels { format, kind, bytes } => {
            let given = Form { format: *format, kind: *kind };
            image.compare_texels(&piece.region, &|index| given.decode(bytes, index, image.format))
        }
        FoundTexels::Cleared(value) => image.compare_texels(&piece.region, &|_| texel::cleared(value, image.format)),
        FoundTexels::Gpu(_) | FoundTexels::Changed => {
            findings.texels.by_gpu += texels;
            return;
        }
        FoundTexels::Unwritten | FoundTexels::Lost => {
            findings.texels.undefined += texels;
            return;
        }
    };
    match wrong {
        None => findings.texels.other_form += texels,
        Some(Ok(())) => {
            findings.texels.compared += texels;
            findings.texels.equal += texels;
        }
        Some(Err([x, y])) => {
            findings.texels.compared += texels;
            findings.differ("texels", command, || {
                let call = piece.call.map_or_else(|| "any command".to_owned(), |call| format!("command {call}"));
                format!("{:?}, texel {x}, {y}: not what {call} wrote ({})", image.cell.thing, image.format.name)
            });
        }
    }
}

/// Returns `None` when it cannot be compared; otherwise the first texel that differs, if any.
type Verdict = Option<Result<(), [u32; 2]>>;

impl Image<'_> {
    /// A hash of its contents. Depth and stencil that were read together have one each.
    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        match (self.form.kind, self.aspect) {
            (c::GL_UNSIGNED_INT_24_8, Aspect::Depth) => self.bytes.chunks(4).for_each(|word| hasher.write(&word[1..])),
            (c::GL_UNSIGNED_INT_24_8, Aspect::Stencil) => {
                self.bytes.chunks(4).for_each(|word| hasher.write(&word[..1]))
            }
            _ => self.bytes.hash(&mut hasher),
        }
        hasher.finish()
    }

    fn compare_texels(&self, region: &Region, expected: &dyn Fn(usize) -> Option<texel::Texel>) -> Verdict {
        let [width, height] = region.size();
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let wanted = expected((y * width + x) as usize)?;
            let [across, up] = [region.at[0] + x, region.at[1] + y];
            let found = self.form.decode(self.bytes, (up * self.size[0] + across) as usize, self.format)?;
            let seen = wanted.as_read(self.format, self.aspect, self.form)?;
            if !seen.matches(&found, self.format, self.aspect, self.form) {
                return Some(Err([across, up]));
            }
        }
        Some(Ok(()))
    }

    /// Compressed images are compared as bytes, as far as they are of whole blocks.
    fn compare_blocks(&self, kind: u32, bytes: &[u8], region: &Region) -> Verdict {
        let (wide, high, size) = self.format.block;
        if self.form.format != 0 || kind != self.format.name || size == 0 {
            return None;
        }
        let block = [u32::from(wide), u32::from(high)];
        if (0..2).any(|axis| !region.at[axis].is_multiple_of(block[axis])) {
            return None;
        }
        let across = self.size[0].div_ceil(block[0]) as usize;
        let size = usize::from(size);
        let columns = region.size()[0].div_ceil(block[0]) as usize;
        let (left, below) = ((region.at[0] / block[0]) as usize, (region.at[1] / block[1]) as usize);
        for (row, expected) in bytes.chunks(columns * size).enumerate() {
            let first = ((below + row) * across + left) * size;
            if self.bytes.get(first..first + expected.len())? != expected {
                return Some(Err([region.at[0], region.at[1] + row as u32 * block[1]]));
            }
        }
        Some(Ok(()))
    }
}
