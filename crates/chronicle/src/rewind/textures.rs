//! Textures and samplers: their parameters.

use std::sync::Arc;

use api::{constant as c, id};
use state::ShareGroup;
use state::objects::sampler::Sampling;
use state::objects::texture::{Level, Target, Texture};

use super::shared::{Names, ObjectKind};
use super::{Obstacle, Rewind, SOMEWHERE};

/// A parameter: its name and its value, as bits of an integer or of a float.
type Parameter = (u32, u32, bool);

impl Rewind<'_> {
    /// Textures and samplers of a share group.
    pub(super) fn textures(&mut self, place: usize) -> Result<(), Obstacle> {
        let (now, to) = (self.group(place), Arc::clone(&self.to.groups[place]));
        let names =
            |group: &ShareGroup| -> Names { group.textures.iter().map(|(name, one)| (*name, one.object)).collect() };
        self.names(ObjectKind::Texture, &names(&now), &names(&to))?;
        for (name, wanted) in &to.textures {
            if let Some(mine) = now.textures.get(name) {
                self.texture(*name, mine, wanted)?;
            }
        }
        for (mine, wanted) in now.default_textures.iter().zip(&to.default_textures) {
            self.texture(0, mine, wanted)?;
        }
        let names =
            |group: &ShareGroup| -> Names { group.samplers.iter().map(|(name, one)| (*name, one.object)).collect() };
        self.names(ObjectKind::Sampler, &names(&now), &names(&to))?;
        for (name, wanted) in &to.samplers {
            let Some(mine) = now.samplers.get(name).filter(|mine| !Arc::ptr_eq(mine, wanted)) else { continue };
            let name = u64::from(*name);
            for ((parameter, value, float), mine) in
                of_sampling(&wanted.sampling).into_iter().zip(of_sampling(&mine.sampling))
            {
                if value != mine.1 {
                    let command = if float { id::glSamplerParameterf } else { id::glSamplerParameteri };
                    self.make(command, &[name, u64::from(parameter), u64::from(value)])?;
                }
            }
            if mine.sampling.border != wanted.sampling.border {
                let words = [name, u64::from(c::GL_TEXTURE_BORDER_COLOR), SOMEWHERE];
                self.make_from(id::glSamplerParameterfv, &words, 2, &bytes(wanted.sampling.border))?;
            }
        }
        Ok(())
    }

    fn texture(&mut self, name: u32, mine: &Arc<Texture>, wanted: &Arc<Texture>) -> Result<(), Obstacle> {
        if Arc::ptr_eq(mine, wanted) {
            return Ok(());
        }
        let storage = |one: &Texture| {
            let levels: Vec<_> = one.levels.iter().map(|level| level.as_ref().map(shape)).collect();
            let last = levels.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            let rest = (one.immutable, one.immutable_levels, one.view, one.storage, one.buffer, one.buffer_format);
            (one.target, levels[..last].to_vec(), rest)
        };
        if storage(mine) != storage(wanted) {
            return Err(Obstacle("a texture was given other storage since".to_owned()));
        }
        let others = |one: &Texture| (one.tiling, one.crop, one.priority.to_bits());
        if others(mine) != others(wanted) {
            return Err(Obstacle("rare parameters of a texture changed since".to_owned()));
        }
        let Some(target) = wanted.target else { return Ok(()) };
        for ((parameter, value, float), mine) in of_texture(wanted).into_iter().zip(of_texture(mine)) {
            if value != mine.1 {
                self.choose_texture(target, name)?;
                let command = if float { id::glTexParameterf } else { id::glTexParameteri };
                self.make(command, &[u64::from(target.name()), u64::from(parameter), u64::from(value)])?;
            }
        }
        if mine.sampling.border != wanted.sampling.border {
            self.choose_texture(target, name)?;
            let words = [u64::from(target.name()), u64::from(c::GL_TEXTURE_BORDER_COLOR), SOMEWHERE];
            self.make_from(id::glTexParameterfv, &words, 2, &bytes(wanted.sampling.border))?;
        }
        Ok(())
    }

    /// Binds a texture so that its parameters can be set.
    fn choose_texture(&mut self, target: Target, name: u32) -> Result<(), Obstacle> {
        let here = self.here();
        let bound = here.units.units.get(here.active_unit() as usize).map(|unit| unit.textures[target as usize].name);
        if bound == Some(name) {
            return Ok(());
        }
        self.make(id::glBindTexture, &[target.name(), name].map(u64::from))
    }
}

/// What a level is like.
fn shape(level: &Level) -> ([i32; 3], i32, u32, i32, bool) {
    (level.size, level.border, level.internal, level.samples, level.fixed)
}

fn bytes(words: [u32; 4]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn of_sampling(one: &Sampling) -> [Parameter; 14] {
    [
        (c::GL_TEXTURE_MIN_FILTER, one.min_filter, false),
        (c::GL_TEXTURE_MAG_FILTER, one.mag_filter, false),
        (c::GL_TEXTURE_WRAP_S, one.wrap[0], false),
        (c::GL_TEXTURE_WRAP_T, one.wrap[1], false),
        (c::GL_TEXTURE_WRAP_R, one.wrap[2], false),
        (c::GL_TEXTURE_MIN_LOD, one.min_lod.to_bits(), true),
        (c::GL_TEXTURE_MAX_LOD, one.max_lod.to_bits(), true),
        (c::GL_TEXTURE_LOD_BIAS, one.lod_bias.to_bits(), true),
        (c::GL_TEXTURE_MAX_ANISOTROPY, one.max_anisotropy.to_bits(), true),
        (c::GL_TEXTURE_COMPARE_MODE, one.compare_mode, false),
        (c::GL_TEXTURE_COMPARE_FUNC, one.compare_func, false),
        (c::GL_TEXTURE_CUBE_MAP_SEAMLESS, u32::from(one.seamless), false),
        (c::GL_TEXTURE_SRGB_DECODE_EXT, one.srgb_decode, false),
        (c::GL_TEXTURE_REDUCTION_MODE_EXT, one.reduction, false),
    ]
}

fn of_texture(one: &Texture) -> Vec<Parameter> {
    let mut parameters = of_sampling(&one.sampling).to_vec();
    let swizzle = [c::GL_TEXTURE_SWIZZLE_R, c::GL_TEXTURE_SWIZZLE_G, c::GL_TEXTURE_SWIZZLE_B, c::GL_TEXTURE_SWIZZLE_A];
    parameters.extend(swizzle.into_iter().zip(one.swizzle).map(|(name, value)| (name, value, false)));
    parameters.extend([
        (c::GL_TEXTURE_BASE_LEVEL, one.base_level.cast_unsigned(), false),
        (c::GL_TEXTURE_MAX_LEVEL, one.max_level.cast_unsigned(), false),
        (c::GL_DEPTH_TEXTURE_MODE, one.depth_mode, false),
        (c::GL_DEPTH_STENCIL_TEXTURE_MODE, one.depth_stencil_mode, false),
        (c::GL_GENERATE_MIPMAP, u32::from(one.generate_mipmap), false),
    ]);
    parameters
}
