//! A texture combined with a sampler, and its completeness (GL 4.6, 8.17).

use crate::format::{Base, Class};
use crate::sampler::{Filter, MipFilter, Sampler};
use crate::texture::{Dim, Texture};
use crate::value::Value;

/// Why a texture is incomplete. Look-ups then return [`Incomplete::RESULT`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Incomplete {
    /// `TEXTURE_BASE_LEVEL` is above `TEXTURE_MAX_LEVEL`.
    BaseAboveMax,
    /// The base level was never specified.
    NoBaseLevel,
    /// The faces of a cube map are not square.
    CubeNotSquare,
    /// The sampler uses mipmaps and this level was never specified.
    NoLevel(u32),
    /// The sampler uses mipmaps and this level is not half the size of the previous one.
    LevelSize(u32),
    /// The sampler filters, which integer and stencil textures do not support.
    IntegerFiltered,
    /// Buffer and multisample textures support only fetches.
    FetchOnly,
}

impl Incomplete {
    /// The result of look-ups in incomplete textures (GL 4.6, 11.1.3.5).
    pub const RESULT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
}

/// A texture and the sampler it is sampled with. Creating one checks completeness, so that look-ups need not.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    pub(crate) texture: &'a Texture,
    pub(crate) sampler: &'a Sampler,
    pub(crate) incomplete: Option<Incomplete>,
    /// The last usable level, `q` in GL 4.6, 8.14.3.
    pub(crate) last_level: u32,
    /// The border colour, converted to the texture's format.
    pub(crate) border: Value,
}

impl<'a> Unit<'a> {
    /// Combines a texture and a sampler.
    #[must_use]
    pub fn new(texture: &'a Texture, sampler: &'a Sampler) -> Unit<'a> {
        Unit {
            texture,
            sampler,
            incomplete: check(texture, sampler).err(),
            last_level: texture.base_level.saturating_add(texture.level_count().saturating_sub(1)),
            border: texture.format.border(sampler.border, texture.stencil),
        }
    }

    /// Why the texture is incomplete with this sampler; `None` if it is complete.
    #[must_use]
    pub fn incomplete(&self) -> Option<Incomplete> {
        self.incomplete
    }

    /// The texture.
    #[must_use]
    pub fn texture(&self) -> &'a Texture {
        self.texture
    }

    /// The sampler.
    #[must_use]
    pub fn sampler(&self) -> &'a Sampler {
        self.sampler
    }

    /// `textureQueryLevels`: the number of accessible levels, or zero for an incomplete texture.
    #[must_use]
    pub fn levels(&self) -> i32 {
        if self.incomplete.is_some() { 0 } else { self.texture.level_count().cast_signed() }
    }

    /// Whether linear filtering crosses the edges of the cube, whatever the wrap modes.
    pub(crate) fn is_seamless(&self) -> bool {
        self.texture.dim == Dim::Cube && self.sampler.seamless_cube
    }

    /// Whether a comparison takes place: the sampler enables it and the texture has a depth.
    pub(crate) fn compares(&self) -> bool {
        let depth = matches!(self.texture.format.base(), Base::Depth | Base::DepthStencil);
        depth && !self.texture.stencil && self.sampler.compare.is_some()
    }

    /// The result of a look-up in an incomplete texture, in the type the shader expects.
    pub(crate) fn incomplete_result(&self) -> Value {
        match self.texture.class() {
            Class::Float => Value::Float(Incomplete::RESULT),
            Class::Int => Value::Int([0, 0, 0, 1]),
            Class::Uint => Value::Uint([0, 0, 0, 1]),
        }
    }
}

fn check(texture: &Texture, sampler: &Sampler) -> Result<(), Incomplete> {
    if matches!(texture.dim, Dim::Buffer | Dim::D2Multisample) {
        return Err(Incomplete::FetchOnly);
    }
    if texture.base_level > texture.max_level {
        return Err(Incomplete::BaseAboveMax);
    }
    let base = texture.level(texture.base_level).ok_or(Incomplete::NoBaseLevel)?;
    if texture.dim == Dim::Cube && base.width != base.height {
        return Err(Incomplete::CubeNotSquare);
    }
    let filtered = sampler.mag_filter == Filter::Linear
        || sampler.min_filter == Filter::Linear
        || sampler.mip_filter == MipFilter::Linear;
    if texture.class() != Class::Float && filtered {
        return Err(Incomplete::IntegerFiltered);
    }
    if sampler.mip_filter == MipFilter::None {
        return Ok(());
    }
    let half = |size: u32| (size / 2).max(1);
    let mut size = (base.width, base.height, base.depth);
    for step in 1..texture.level_count() {
        let number = texture.base_level + step;
        size = (half(size.0), half(size.1), half(size.2));
        let level = texture.level(number).ok_or(Incomplete::NoLevel(number))?;
        if (level.width, level.height, level.depth) != size {
            return Err(Incomplete::LevelSize(number));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Format, Level, Lookup};

    fn level(width: u32, height: u32) -> Level {
        Level { width, height, depth: 1, data: Arc::default() }
    }

    fn nearest() -> Sampler {
        Sampler { mag_filter: Filter::Nearest, mip_filter: MipFilter::None, ..Sampler::default() }
    }

    #[track_caller]
    fn check(texture: &Texture, sampler: &Sampler, expected: Option<Incomplete>) {
        assert_eq!(Unit::new(texture, sampler).incomplete(), expected);
    }

    #[test]
    fn mipmap_completeness() {
        let mut texture = Texture::new(Dim::D2, Format::R8, vec![level(4, 2), level(2, 1)]);
        let mipmapped = Sampler { mip_filter: MipFilter::Nearest, ..nearest() };
        check(&texture, &nearest(), None);
        check(&texture, &mipmapped, Some(Incomplete::NoLevel(2)));
        texture.levels.push(level(1, 1));
        check(&texture, &mipmapped, None);
        assert_eq!(Unit::new(&texture, &mipmapped).levels(), 3);
        texture.levels[1] = level(2, 2);
        check(&texture, &mipmapped, Some(Incomplete::LevelSize(1)));
        texture.max_level = 0;
        check(&texture, &mipmapped, None);
        texture.base_level = 1;
        check(&texture, &mipmapped, Some(Incomplete::BaseAboveMax));
    }

    #[test]
    fn shapes_and_types() {
        check(&Texture::new(Dim::Cube, Format::R8, vec![level(4, 2)]), &nearest(), Some(Incomplete::CubeNotSquare));
        check(&Texture::new(Dim::D2, Format::R8, vec![]), &nearest(), Some(Incomplete::NoBaseLevel));
        check(&Texture::new(Dim::Buffer, Format::R8, vec![level(4, 1)]), &nearest(), Some(Incomplete::FetchOnly));
        let integers = Texture::new(Dim::D2, Format::R8I, vec![level(4, 4)]);
        check(&integers, &nearest(), None);
        let linear = Sampler { mag_filter: Filter::Linear, ..nearest() };
        check(&integers, &linear, Some(Incomplete::IntegerFiltered));
        let result = Unit::new(&integers, &linear).sample(&Lookup::default(), &mut ());
        assert_eq!(result, Value::Int([0, 0, 0, 1]));
    }
}
