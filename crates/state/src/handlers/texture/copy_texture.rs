//! `glCopySubTextureCHROMIUM` (GL_CHROMIUM_copy_texture): copies texels of a texture to another, and converts them.

use api::id;

use super::super::Table;
use super::level::{Store, note_reads};
use crate::fault::Fault;
use crate::observer::Source;
use crate::records::{Aspect, ImageWrite, Region, Texels};
use crate::step::{Done, Step};

pub fn register(table: &mut Table) {
    table.on(&[id::glCopySubTextureCHROMIUM], copy_part);
}

fn copy_part(step: &mut Step<'_>) -> Done {
    let [source_level, level] = [step.int(1), step.int(4)];
    let [to, from, size] = [5, 7, 9].map(|at| [step.int(at), step.int(at + 1)]);
    let converts = [11, 12, 13].iter().any(|at| step.truth(*at));
    let missing = Fault::invalid_value("no texture has this name");
    let find = |name: u32, level: i32| {
        let texture = step.group.textures.get(&name).ok_or(missing)?;
        let number = u32::try_from(level).map_err(|_| Fault::invalid_value("the level is negative"))?;
        let image = texture.level(number, 0).filter(|level| level.format.is_some());
        let image = image.ok_or(Fault::invalid_operation("the texture does not have this level"))?;
        Ok((Store::of(texture), number, image.size, image.internal))
    };
    let (source, source_level, source_size, source_format) = find(step.name(0), source_level)?;
    let (target, level, target_size, format) = find(step.name(3), level)?;
    for (first, bounds) in [(from, source_size), (to, target_size)] {
        for axis in 0..2 {
            let end = i64::from(first[axis]) + i64::from(size[axis]);
            if first[axis] < 0 || size[axis] < 0 || end > i64::from(bounds[axis]) {
                return Err(Fault::invalid_value("the region is not inside the image"));
            }
        }
    }
    if size.contains(&0) {
        return Ok(());
    }
    note_reads(step, source, source_level, 0..1);
    let of = source.image(source_level, 0);
    let exact = !converts && source_format == format;
    let texels = Texels::Image { of, from: from.map(i32::cast_unsigned), exact };
    let write = ImageWrite { region: Region::new(to, size), aspect: Aspect::All, texels };
    step.writes_image(target.image(level, 0), Source::Gpu, write);
    Ok(())
}
