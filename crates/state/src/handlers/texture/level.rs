//! Sizes of levels, and writes to them.

use api::constant as c;

use crate::context::Facts;
use crate::fault::Fault;
use crate::objects::format::Format;
use crate::objects::texture::{Bound, Level, Target, Texture};
use crate::observer::{ContentsRef, Source};
use crate::records::{Aspect, ImageWrite, Job, Region, Texels};
use crate::step::Step;

/// A part of a level.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The first texel in each direction.
    pub offset: [i32; 3],
    /// The number of texels in each direction.
    pub size: [i32; 3],
}

/// Returns whether a level may have this size (GL 4.6, 8.5.3).
pub fn is_legal(facts: &Facts, target: Target, level: i32, size: [i32; 3], border: i32) -> bool {
    let levels = target.max_levels(facts);
    if level < 0 || level >= levels {
        return false;
    }
    let both = 2 * border;
    let most = (1i32 << (levels - 1)) >> level;
    let fits = |size: i32, most: i32| size >= both && size <= both + most;
    let layers = facts.limits.integer(c::GL_MAX_ARRAY_TEXTURE_LAYERS, 2048) as i32;
    let [width, height, depth] = size;
    match target {
        Target::OneD => fits(width, most),
        Target::TwoD => fits(width, most) && fits(height, most),
        Target::Multisample => {
            let most = facts.limits.integer(c::GL_MAX_TEXTURE_SIZE, 16384) as i32;
            (0..=most).contains(&width) && (0..=most).contains(&height)
        }
        Target::ThreeD => fits(width, most) && fits(height, most) && fits(depth, most),
        Target::Rectangle | Target::External => {
            let most = facts.limits.integer(c::GL_MAX_RECTANGLE_TEXTURE_SIZE, 16384) as i32;
            level == 0 && (0..=most).contains(&width) && (0..=most).contains(&height)
        }
        Target::Cube => width == height && fits(width, most),
        Target::OneDArray => fits(width, most) && (0..=layers).contains(&height),
        Target::TwoDArray => fits(width, most) && fits(height, most) && (0..=layers).contains(&depth),
        Target::MultisampleArray => {
            let most = facts.limits.integer(c::GL_MAX_TEXTURE_SIZE, 16384) as i32;
            (0..=most).contains(&width) && (0..=most).contains(&height) && (0..=layers).contains(&depth)
        }
        Target::CubeArray => width == height && fits(width, most) && (0..=layers).contains(&depth) && depth % 6 == 0,
        Target::Buffer => false,
    }
}

/// Returns the size of the next level.
pub fn next_size(target: Target, size: [i32; 3]) -> [i32; 3] {
    let shrinking = target.shrinking();
    let mut next = size;
    for size in &mut next[..shrinking] {
        *size = (*size / 2).max(1);
    }
    next
}

/// Returns the number of levels of a texture of this size, down to one texel.
pub fn level_count(target: Target, size: [i32; 3]) -> i32 {
    let sides = if matches!(target, Target::Cube | Target::CubeArray) { 1 } else { target.shrinking() };
    let longest = size[..sides].iter().copied().max().unwrap_or(1);
    match target {
        Target::Rectangle | Target::Multisample | Target::MultisampleArray | Target::External => 1,
        _ => 32 - longest.max(1).leading_zeros().cast_signed(),
    }
}

/// Returns the number of layers of a level, as numbered by [`ContentsRef::Image`].
pub fn layers(target: Target, size: [i32; 3]) -> i32 {
    match target {
        Target::OneDArray => size[1],
        Target::ThreeD | Target::TwoDArray | Target::CubeArray | Target::MultisampleArray => size[2],
        Target::Cube => 6,
        _ => 1,
    }
}

/// Generates the levels after the base level (GL 4.6, 8.14.4); for a cube map only those of one face if given. Returns
/// the number of levels then.
pub fn generate(texture: &mut Texture, face: Option<u32>) -> i32 {
    let Some(target) = texture.target else { return 0 };
    let base = texture.base_level;
    let Some(source) = texture.level(base.cast_unsigned(), face.unwrap_or(0)).copied() else { return 0 };
    if source.format.is_none() || source.size.contains(&0) {
        return 0;
    }
    let mut count = (base + level_count(target, source.size)).min(texture.max_level.saturating_add(1));
    if texture.immutable {
        return count.min(texture.view.levels);
    }
    count = count.max(base + 1);
    let mut level = source;
    for number in base + 1..count {
        level.size = next_size(target, level.size);
        level.border = 0;
        let faces = face.map_or(0..target.faces(), |face| face..face + 1);
        for face in faces {
            texture.set_level(number.cast_unsigned(), face, Some(level));
        }
    }
    count
}

/// Where the levels of a texture are stored: those of a view belong to another texture.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    object: u64,
    target: Target,
    level: u32,
    layer: u32,
}

impl Store {
    /// Returns the storage of a texture.
    pub fn of(texture: &Texture) -> Store {
        let target = texture.target.unwrap_or(Target::TwoD);
        let first = texture.image(0, 0);
        let ContentsRef::Image { object, level, layer } = first else {
            return Store { object: texture.storage, target, level: 0, layer: 0 };
        };
        Store { object, target, level, layer }
    }

    /// Returns the image of a layer of a level.
    pub fn image(self, level: u32, layer: u32) -> ContentsRef {
        ContentsRef::Image { object: self.object, level: self.level + level, layer: self.layer + layer }
    }
}

impl Store {
    /// Returns the layers of a level that a part covers, and its region in each of them.
    fn layers_of(self, face: u32, part: Part) -> (std::ops::Range<u32>, Region) {
        let (at, size) = ([part.offset[0], part.offset[1]], [part.size[0], part.size[1]]);
        let range = |axis: usize| {
            let first = part.offset[axis].max(0).cast_unsigned();
            first..first + part.size[axis].max(0).cast_unsigned()
        };
        match self.target {
            Target::Cube if part.size[2] == 1 && part.offset[2] == 0 => (face..face + 1, Region::new(at, size)),
            Target::OneDArray => (range(1), Region::new([at[0], 0], [size[0], 1])),
            _ => (range(2), Region::new(at, size)),
        }
    }
}

/// What is written to a level: its dependencies, and the origin of its texels.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// The source of the whole.
    pub source: Source,
    /// The texels of the first layer.
    pub texels: Texels,
}

impl Written {
    /// Undefined contents.
    pub const UNDEFINED: Written = Written { source: Source::Undefined, texels: Texels::Undefined };

    /// Generated mipmap levels.
    pub const MIPMAP: Written = Written { source: Source::Gpu, texels: Texels::Gpu(Job::Mipmap) };
}

/// Records a write to part of a level, layer by layer, since each may be read separately.
pub fn note_writes(step: &mut Step<'_>, store: Store, level: u32, face: u32, part: Part, written: Written) {
    if step.observer.is_none() {
        return;
    }
    let (layers, region) = store.layers_of(face, part);
    let Written { source, mut texels } = written;
    for layer in layers {
        step.writes_image(store.image(level, layer), source, ImageWrite { region, aspect: Aspect::All, texels });
        texels = texels.next_layer(store.target == Target::OneDArray);
    }
}

/// Records that a level has new storage.
pub fn note_made(step: &mut Step<'_>, store: Store, level: u32, face: u32, image: &Level) {
    if step.observer.is_none() {
        return;
    }
    let (layers, region) = store.layers_of(face, Part { offset: [0; 3], size: image.size });
    for layer in layers {
        step.makes_image(store.image(level, layer), region.end.map(u32::cast_signed), image.format);
    }
}

/// Records that the levels from `first` up to `end` (exclusive) were generated; for a cube map only those of one face
/// if given.
pub fn note_generated(step: &mut Step<'_>, bound: Bound, face: Option<u32>, first: i32, end: i32) {
    if step.observer.is_none() {
        return;
    }
    let Some(texture) = step.group.texture(bound) else { return };
    let (store, immutable) = (Store::of(texture), texture.immutable);
    let faces = face.map_or(0..store.target.faces(), |face| face..face + 1);
    let levels: Vec<(u32, u32, Level)> = (first..end)
        .flat_map(|number| faces.clone().map(move |face| (number.cast_unsigned(), face)))
        .filter_map(|(number, face)| Some((number, face, *texture.level(number, face)?)))
        .collect();
    for (number, face, image) in levels {
        if !immutable {
            note_made(step, store, number, face, &image);
        }
        note_writes(step, store, number, face, Part { offset: [0; 3], size: image.size }, Written::MIPMAP);
    }
}

/// Records reads of layers of a level.
pub fn note_reads(step: &mut Step<'_>, store: Store, level: u32, layers: std::ops::Range<u32>) {
    if step.observer.is_none() {
        return;
    }
    for layer in layers {
        step.reads(store.image(level, layer));
    }
}

/// Checks that a part lies within a level (GL 4.6, 8.6), and on block boundaries if it is compressed.
pub fn check_part(target: Target, level: &Level, part: Part, dims: usize) -> Result<(), Fault> {
    let outside = Fault::invalid_value("the region is not inside the level");
    for axis in 0..dims {
        let (offset, count) = (i64::from(part.offset[axis]), i64::from(part.size[axis]));
        let whole = if target == Target::Cube && axis == 2 { 6 } else { level.size[axis] };
        if offset < 0 || offset + count > i64::from(whole) {
            return Err(outside);
        }
    }
    let Some(format) = level.format.filter(|format| format.is_compressed()) else { return Ok(()) };
    let [width, height] = [format.block.0, format.block.1].map(i32::from);
    if part.offset[0] % width != 0 || part.offset[1] % height != 0 {
        return Err(Fault::invalid_operation("the offset is not a multiple of the block size"));
    }
    for (axis, block) in [width, height].into_iter().enumerate() {
        if part.size[axis] % block != 0 && part.offset[axis] + part.size[axis] != level.size[axis] {
            return Err(Fault::invalid_operation("the region is not aligned to blocks"));
        }
    }
    Ok(())
}

/// Checks that textures of a target can have a compressed format.
pub fn check_compressed(facts: &Facts, target: Target, named: u32, format: Option<&Format>) -> Result<(), Fault> {
    let no_target = Fault::invalid_enum("textures of this target cannot have a compressed format");
    match target {
        Target::TwoD | Target::Cube | Target::TwoDArray | Target::CubeArray => Ok(()),
        Target::ThreeD if named == c::GL_TEXTURE_3D => match format.map(family) {
            Some(Family::Bptc | Family::Astc) => Ok(()),
            Some(Family::Etc2) if facts.es(3, 0) => {
                Err(Fault::invalid_operation("3D textures cannot have this compressed format"))
            }
            _ => Err(no_target),
        },
        _ => Err(no_target),
    }
}

/// Families of compressed formats with their own rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// `GL_COMPRESSED_…_BPTC_…`.
    Bptc,
    /// ASTC.
    Astc,
    /// ETC2 and EAC.
    Etc2,
    /// All others.
    Other,
}

/// Returns the family of a compressed format.
pub fn family(format: &Format) -> Family {
    match format.name {
        c::GL_COMPRESSED_RGBA_BPTC_UNORM..=c::GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT => Family::Bptc,
        0x93B0..=0x93BD | 0x93D0..=0x93DD => Family::Astc,
        c::GL_COMPRESSED_R11_EAC..=c::GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC | c::GL_ETC1_RGB8_OES => Family::Etc2,
        _ => Family::Other,
    }
}

/// Rejects depth and stencil formats for targets that cannot have them.
pub fn check_depth(target: Target, format: &Format) -> Result<(), Fault> {
    let depth = format.has_depth() || format.has_stencil();
    if depth && matches!(target, Target::ThreeD | Target::External | Target::Buffer) {
        return Err(Fault::invalid_operation("textures of this target cannot have a depth or stencil format"));
    }
    Ok(())
}
