//! `glCopyImageSubData`: copies texels without conversion (GL 4.6, 18.3.2).

mod compatible;

use api::{constant as c, id};

use super::super::Table;
use super::level::{Store, note_reads};
use super::mipmap::{is_cube_complete, is_mipmap_complete};
use crate::fault::Fault;
use crate::objects::format::Format;
use crate::objects::texture::{Target, Texture};
use crate::observer::{ContentsRef, Source};
use crate::records::{Aspect, ImageWrite, Region, Texels};
use crate::step::{Done, Step};
use compatible::are_compatible;

pub fn register(table: &mut Table) {
    let copy = [id::glCopyImageSubData, id::glCopyImageSubDataEXT, id::glCopyImageSubDataOES];
    table.on(&copy, |step| copy_image(step, are_compatible));
    // The older extension copies only between images of the same format.
    table.on(&[id::glCopyImageSubDataNV], |step| copy_image(step, |_, source, target| source == target));
}

const INCOMPLETE: Fault = Fault::invalid_operation("the image is not complete");

/// One side of a copy.
struct Side {
    /// The texture and its level; `None` for a renderbuffer.
    texture: Option<(Store, u32, Target)>,
    renderbuffer: u64,
    offset: [i32; 3],
    /// The size of the level: layers and faces are the third number.
    size: [i32; 3],
    internal: u32,
    /// Width and height of a block.
    block: [i32; 2],
    samples: i32,
}

fn side(step: &Step<'_>, at: usize) -> Result<Side, Fault> {
    let (name, named, level) = (step.name(at), step.name(at + 1), step.int(at + 2));
    let offset = [at + 3, at + 4, at + 5].map(|at| step.int(at));
    if name == 0 {
        return Err(Fault::invalid_value("no texture or renderbuffer has this name"));
    }
    if named == c::GL_RENDERBUFFER {
        return renderbuffer(step, name, level, offset);
    }
    let target = Target::named(named)
        .filter(|target| !matches!(target, Target::Buffer | Target::External))
        .ok_or(Fault::invalid_enum("textures of this target cannot be copied"))?;
    let texture = step.group.textures.get(&name).ok_or(Fault::invalid_value("no texture has this name"))?;
    if !is_complete(texture) || level != 0 && !is_mipmap_complete(texture) {
        return Err(INCOMPLETE);
    }
    if texture.target != Some(target) {
        return Err(Fault::invalid_enum("the texture was created for a different target"));
    }
    let missing = Fault::invalid_value("the texture does not have this level");
    let number = u32::try_from(level).map_err(|_| missing)?;
    let face = if target == Target::Cube { offset[2].clamp(0, 5).cast_unsigned() } else { 0 };
    let image = texture.level(number, face).filter(|level| level.format.is_some()).ok_or(missing)?;
    let mut size = image.size;
    match target {
        Target::OneD => size[1] = 1,
        Target::OneDArray => size = [size[0], 1, size[1]],
        Target::Cube => size[2] = 6,
        _ => {}
    }
    let (internal, samples, block) = (image.internal, image.samples, block(image.format));
    let texture = Some((Store::of(texture), number, target));
    Ok(Side { texture, renderbuffer: 0, offset, size, internal, block, samples })
}

fn renderbuffer(step: &Step<'_>, name: u32, level: i32, offset: [i32; 3]) -> Result<Side, Fault> {
    let missing = Fault::invalid_value("no renderbuffer has this name");
    let found = step.group.renderbuffers.get(&name).ok_or(missing)?;
    if !found.exists {
        return Err(INCOMPLETE);
    }
    if level != 0 {
        return Err(Fault::invalid_value("the level of a renderbuffer must be 0"));
    }
    Ok(Side {
        texture: None,
        renderbuffer: found.object,
        offset,
        size: [found.size.0, found.size.1, 1],
        internal: found.internal,
        block: [1; 2],
        samples: found.samples,
    })
}

/// Returns whether a texture is complete, ignoring its other levels.
fn is_complete(texture: &Texture) -> bool {
    let base = texture.level(texture.base_level.max(0).cast_unsigned(), 0);
    base.is_some_and(|level| level.format.is_some() && level.size.iter().all(|size| *size > 0))
        && texture.max_level >= texture.base_level
        && (texture.target != Some(Target::Cube) || is_cube_complete(texture))
}

fn block(format: Option<&Format>) -> [i32; 2] {
    format.map_or([1; 2], |format| [format.block.0.max(1), format.block.1.max(1)].map(i32::from))
}

fn copy_image(step: &mut Step<'_>, agree: fn(&crate::Facts, u32, u32) -> bool) -> Done {
    let (source, target) = (side(step, 0)?, side(step, 6)?);
    let size = [12, 13, 14].map(|at| step.int(at));
    check_bounds(&source, size)?;
    for (axis, &count) in size[..2].iter().enumerate() {
        let (from, block) = (source.offset[axis], source.block[axis]);
        let ends = count % block == 0 || from + count == source.size[axis];
        if from % block != 0 || !ends || target.offset[axis] % target.block[axis] != 0 {
            return Err(Fault::invalid_value("the region is not aligned to blocks"));
        }
    }
    // If only one side is compressed, a block of it is a texel of the other.
    let mut there = size;
    for (axis, count) in there[..2].iter_mut().enumerate() {
        *count = count.saturating_mul(target.block[axis]) / source.block[axis];
    }
    check_bounds(&target, there)?;
    if !agree(step.facts(), source.internal, target.internal) {
        return Err(Fault::invalid_operation("the formats are not compatible for copying"));
    }
    if source.samples != target.samples {
        return Err(Fault::invalid_operation("the images have different numbers of samples"));
    }
    if !size.contains(&0) {
        note(step, &source, &target, there);
    }
    Ok(())
}

fn check_bounds(side: &Side, size: [i32; 3]) -> Done {
    for (axis, &count) in size.iter().enumerate() {
        let end = i64::from(side.offset[axis]) + i64::from(count);
        if count < 0 || side.offset[axis] < 0 || end > i64::from(side.size[axis]) {
            return Err(Fault::invalid_value("the region is not inside the image"));
        }
    }
    Ok(())
}

fn note(step: &mut Step<'_>, source: &Side, target: &Side, size: [i32; 3]) {
    let depth = size[2].cast_unsigned();
    let first = source.offset[2].cast_unsigned();
    match source.texture {
        Some((store, level, _)) => note_reads(step, store, level, first..first + depth),
        None => step.reads(ContentsRef::Renderbuffer { object: source.renderbuffer }),
    }
    let exact = source.internal == target.internal && source.samples == 0;
    let from = [source.offset[0], source.offset[1]].map(i32::cast_unsigned);
    let region = Region::new([target.offset[0], target.offset[1]], [size[0], size[1]]);
    for layer in 0..depth {
        let texels = Texels::Image { of: source.layer(layer), from, exact };
        let write = ImageWrite { region, aspect: Aspect::All, texels };
        step.writes_image(target.layer(layer), Source::Gpu, write);
    }
}

impl Side {
    /// Returns the image of one of the copied layers. One-dimensional arrays have no second coordinate here either:
    /// their layers are the third (GL 4.6, 18.3.2).
    fn layer(&self, layer: u32) -> ContentsRef {
        match self.texture {
            Some((store, level, _)) => store.image(level, self.offset[2].cast_unsigned() + layer),
            None => ContentsRef::Renderbuffer { object: self.renderbuffer },
        }
    }
}
