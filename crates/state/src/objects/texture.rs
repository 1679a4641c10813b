//! Texture objects.

mod target;
mod unit;

use api::constant as c;

use super::format::Format;
use super::sampler::Sampling;
use crate::observer::ContentsRef;

pub use target::{ALL_TARGETS, TARGETS, Target};
pub use unit::{Bound, ImageUnit, Unit, Units};

/// A texture object.
#[derive(Clone, Debug)]
pub struct Texture {
    /// A number that is unique in its share group for ever; see [`crate::ShareGroup::next_object`].
    pub object: u64,
    /// The target that it was first bound to; `None` for a name that was never bound.
    pub target: Option<Target>,
    /// Sampling parameters for units without a sampler.
    pub sampling: Sampling,
    /// `GL_TEXTURE_BASE_LEVEL`.
    pub base_level: i32,
    /// `GL_TEXTURE_MAX_LEVEL`.
    pub max_level: i32,
    /// `GL_TEXTURE_SWIZZLE_RGBA`.
    pub swizzle: [u32; 4],
    /// `GL_DEPTH_TEXTURE_MODE`.
    pub depth_mode: u32,
    /// `GL_DEPTH_STENCIL_TEXTURE_MODE`.
    pub depth_stencil_mode: u32,
    /// `GL_GENERATE_MIPMAP`.
    pub generate_mipmap: bool,
    /// `GL_TEXTURE_PRIORITY`.
    pub priority: f32,
    /// `GL_TEXTURE_TILING_EXT`.
    pub tiling: u32,
    /// `GL_TEXTURE_CROP_RECT_OES`.
    pub crop: [i32; 4],
    /// `GL_TEXTURE_IMMUTABLE_FORMAT`.
    pub immutable: bool,
    /// `GL_TEXTURE_IMMUTABLE_LEVELS`.
    pub immutable_levels: i32,
    /// The part of its storage that it uses.
    pub view: ViewRange,
    /// The texture that owns its storage, by object; itself unless it is a view.
    pub storage: u64,
    /// The storage of a buffer texture.
    pub buffer: Option<BufferStore>,
    /// The internal format of a buffer texture; `None` before it is set.
    pub buffer_format: Option<u32>,
    /// Levels: level 0's faces first. Only cube maps have more than one face.
    pub levels: Vec<Option<Level>>,
}

/// `GL_TEXTURE_VIEW_…`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ViewRange {
    /// The first level of the storage.
    pub min_level: i32,
    /// How many levels.
    pub levels: i32,
    /// The first layer of the storage.
    pub min_layer: i32,
    /// How many layers.
    pub layers: i32,
}

/// The buffer behind a buffer texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferStore {
    /// Its name.
    pub name: u32,
    /// Its object.
    pub object: u64,
    /// The first byte.
    pub offset: i64,
    /// Size in bytes; `None` for the whole buffer.
    pub size: Option<i64>,
}

/// One level of a texture, or of one face of it.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Width, height and depth with borders; layers count where the target has them.
    pub size: [i32; 3],
    /// `GL_TEXTURE_BORDER`.
    pub border: i32,
    /// The requested internal format.
    pub internal: u32,
    /// Its format; `None` for a level without texels.
    pub format: Option<&'static Format>,
    /// `GL_TEXTURE_SAMPLES`.
    pub samples: i32,
    /// `GL_TEXTURE_FIXED_SAMPLE_LOCATIONS`.
    pub fixed: bool,
}

impl Texture {
    /// Creates a texture for a target, or one that is only a name.
    #[must_use]
    pub fn new(object: u64, target: Option<Target>) -> Texture {
        let mut texture = Texture {
            object,
            target,
            sampling: Sampling::default(),
            base_level: 0,
            max_level: 1000,
            swizzle: [c::GL_RED, c::GL_GREEN, c::GL_BLUE, c::GL_ALPHA],
            depth_mode: c::GL_LUMINANCE,
            depth_stencil_mode: c::GL_DEPTH_COMPONENT,
            generate_mipmap: false,
            priority: 1.0,
            tiling: c::GL_NONE,
            crop: [0; 4],
            immutable: false,
            immutable_levels: 0,
            view: ViewRange::default(),
            storage: object,
            buffer: None,
            buffer_format: None,
            levels: Vec::new(),
        };
        if matches!(target, Some(Target::Rectangle | Target::External)) {
            texture.sampling.wrap = [c::GL_CLAMP_TO_EDGE; 3];
            texture.sampling.min_filter = c::GL_LINEAR;
        }
        texture
    }

    /// Creates the default texture of a target. There is one in each share group.
    #[must_use]
    pub fn default_of(target: Target) -> Texture {
        Texture::new(default_object(target), Some(target))
    }

    /// Sets the target of a texture that only had a name. Some initial parameters then change (GL 4.6, 8.22); those of
    /// multisample textures, which are never used, change only here.
    pub fn become_of(&mut self, target: Target) {
        self.target = Some(target);
        let filter = match target {
            Target::Rectangle | Target::External => c::GL_LINEAR,
            Target::Multisample | Target::MultisampleArray => c::GL_NEAREST,
            _ => return,
        };
        self.sampling.wrap = [c::GL_CLAMP_TO_EDGE; 3];
        self.sampling.min_filter = filter;
        self.sampling.mag_filter = filter;
    }

    /// Returns a level of a face; `None` when it was never specified.
    #[must_use]
    pub fn level(&self, level: u32, face: u32) -> Option<&Level> {
        let faces = self.target.map_or(1, Target::faces);
        self.levels.get((level * faces + face) as usize)?.as_ref()
    }

    /// Returns the image of a layer of a level; for a view, that of the texture that owns the storage.
    #[must_use]
    pub fn image(&self, level: u32, layer: u32) -> ContentsRef {
        let view = if self.immutable { self.view } else { ViewRange::default() };
        ContentsRef::Image {
            object: self.storage,
            level: view.min_level.cast_unsigned() + level,
            layer: view.min_layer.cast_unsigned() + layer,
        }
    }

    /// Sets a level of a face.
    pub fn set_level(&mut self, level: u32, face: u32, image: Option<Level>) {
        let place = (level * self.target.map_or(1, Target::faces) + face) as usize;
        if self.levels.len() <= place {
            self.levels.resize(place + 1, None);
        }
        self.levels[place] = image;
    }
}

/// Returns the object number of a target's default texture.
#[must_use]
pub fn default_object(target: Target) -> u64 {
    u64::MAX - target as u64
}
