//! Texture units and image units.

use std::sync::Arc;

use api::constant as c;

use super::target::{ALL_TARGETS, TARGETS, Target};
use super::{Texture, default_object};
use crate::context::Facts;
use crate::share::ShareGroup;

/// A reference to an object. It stays valid when its name is deleted by another context and reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bound {
    /// Its name, 0 for none or the default one.
    pub name: u32,
    /// Its object.
    pub object: u64,
}

/// The bindings of a texture unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Textures by target.
    pub textures: [Bound; TARGETS],
    /// The sampler.
    pub sampler: Bound,
}

/// The binding of an image unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageUnit {
    /// The texture.
    pub texture: Bound,
    /// `GL_IMAGE_BINDING_LEVEL`.
    pub level: i32,
    /// `GL_IMAGE_BINDING_LAYERED`.
    pub layered: bool,
    /// `GL_IMAGE_BINDING_LAYER`.
    pub layer: i32,
    /// `GL_IMAGE_BINDING_ACCESS`.
    pub access: u32,
    /// `GL_IMAGE_BINDING_FORMAT`.
    pub format: u32,
}

/// All units of a context.
#[derive(Clone, Debug)]
pub struct Units {
    /// Texture units.
    pub units: Vec<Arc<Unit>>,
    /// Image units.
    pub images: Arc<Vec<ImageUnit>>,
    /// Proxy textures by target: the last level tested.
    pub proxies: Arc<Vec<Texture>>,
}

impl Default for Unit {
    fn default() -> Unit {
        let textures = ALL_TARGETS.map(|target| Bound { name: 0, object: default_object(target) });
        Unit { textures, sampler: Bound::default() }
    }
}

impl ImageUnit {
    /// Returns the initial state of image units (GL 4.6, table 23.45); OpenGL ES has a different format.
    #[must_use]
    pub fn new(facts: &Facts) -> ImageUnit {
        let es = facts.es(2, 0);
        ImageUnit {
            texture: Bound::default(),
            level: 0,
            layered: false,
            layer: 0,
            access: c::GL_READ_ONLY,
            format: if es { c::GL_R32UI } else { c::GL_R8 },
        }
    }
}

impl Units {
    /// Returns the units of a new context.
    #[must_use]
    pub fn new(facts: &Facts) -> Units {
        let limit = |name: u32, otherwise: i64| facts.limits.integer(name, otherwise).clamp(0, 1024) as usize;
        let combined = limit(c::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 192);
        let coordinates = limit(c::GL_MAX_TEXTURE_COORDS, 8);
        let unit = Arc::new(Unit::default());
        Units {
            units: vec![unit; combined.max(coordinates).max(1)],
            images: Arc::new(vec![ImageUnit::new(facts); limit(c::GL_MAX_IMAGE_UNITS, 32)]),
            proxies: Arc::new(ALL_TARGETS.map(|target| Texture::new(0, Some(target))).to_vec()),
        }
    }

    /// Binds a texture to a target of a unit.
    #[inline]
    pub fn bind(&mut self, unit: usize, target: Target, bound: Bound) {
        if let Some(unit) = self.units.get_mut(unit)
            && unit.textures[target as usize] != bound
        {
            Arc::make_mut(unit).textures[target as usize] = bound;
        }
    }

    /// Unbinds a texture from all units, when it is deleted.
    pub fn forget(&mut self, object: u64, facts: &Facts) {
        for unit in &mut self.units {
            for (at, target) in ALL_TARGETS.into_iter().enumerate() {
                if unit.textures[at].object == object {
                    Arc::make_mut(unit).textures[at] = Bound { name: 0, object: default_object(target) };
                }
            }
        }
        if self.images.iter().any(|image| image.texture.object == object) {
            for image in Arc::make_mut(&mut self.images) {
                if image.texture.object == object {
                    *image = ImageUnit::new(facts);
                }
            }
        }
    }

    /// Unbinds a sampler from all units, when it is deleted.
    pub fn forget_sampler(&mut self, object: u64) {
        for unit in &mut self.units {
            if unit.sampler.object == object {
                Arc::make_mut(unit).sampler = Bound::default();
            }
        }
    }

    /// Iterates over all bound textures, except default ones without texels.
    pub fn textures<'a>(&'a self, group: &'a ShareGroup) -> impl Iterator<Item = &'a Texture> + 'a {
        self.units.iter().flat_map(move |unit| unit.textures.iter().filter_map(move |bound| group.texture(*bound)))
    }
}
