//! The state of a context: everything a draw reads apart from the program.

mod attribute;
mod fixed;
mod matrix;

use std::collections::BTreeMap;

use raster::{Framebuffer, Pipeline};
use texture::{Image, Sampler, Texture};

pub use attribute::{Array, ArrayKind, ArrayType, Arrays, Attribute};
pub use fixed::{FixedFunction, Fog, Light, Material, Point};
pub use matrix::Matrix;

use crate::program::Target;

/// A buffer object: an index into [`State::buffers`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BufferId(pub u32);

/// A texture object: an index into [`State::textures`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextureId(pub u32);

/// A range of a buffer, bound to an indexed binding point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferRange {
    /// The buffer.
    pub buffer: BufferId,
    /// The offset in bytes.
    pub offset: u32,
    /// The size in bytes; `None` for the rest of the buffer.
    pub size: Option<u32>,
}

impl BufferRange {
    /// The byte range in a buffer of the given length, clamped to it.
    pub(crate) fn of(self, len: usize) -> std::ops::Range<usize> {
        let start = (self.offset as usize).min(len);
        start..start + self.size.map_or(usize::MAX, |size| size as usize).min(len - start)
    }
}

/// What is bound to an image unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageUnit {
    /// The texture.
    pub texture: TextureId,
    /// The part of the texture and its format.
    pub image: Image,
}

/// Parameters of tessellation without a control shader (`glPatchParameter`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Patches {
    /// The number of vertices per patch.
    pub vertices: u32,
    /// Outer levels.
    pub outer: [f32; 4],
    /// Inner levels.
    pub inner: [f32; 2],
}

impl Default for Patches {
    fn default() -> Patches {
        Patches { vertices: 3, outer: [1.0; 4], inner: [1.0; 2] }
    }
}

/// Transform feedback between `glBeginTransformFeedback` and `glEndTransformFeedback`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Feedback {
    /// The buffers at its binding points.
    pub buffers: BTreeMap<u32, BufferRange>,
    /// The number of bytes written to each so far.
    pub written: BTreeMap<u32, u32>,
    /// `glPauseTransformFeedback`
    pub paused: bool,
}

/// The state of a context. [`State::new`] gives GL's defaults.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a capability of that name")]
pub struct State {
    /// Rasterisation and per-fragment operations. What depends on the program - varyings, early tests, which distances
    /// exist - is filled in for each draw.
    pub raster: Pipeline,
    /// The draw framebuffer.
    pub framebuffer: Framebuffer,
    /// Vertex arrays and current values of attributes.
    pub arrays: Arrays,
    /// The values of built-in uniforms of compatibility shaders.
    pub fixed: FixedFunction,
    /// All textures.
    pub textures: Vec<Texture>,
    /// The textures and samplers bound to texture units.
    pub units: BTreeMap<(u32, Target), (TextureId, Sampler)>,
    /// The textures bound to image units.
    pub images: BTreeMap<u32, ImageUnit>,
    /// All buffers.
    pub buffers: Vec<Vec<u8>>,
    /// Binding points of uniform blocks.
    pub uniform_buffers: BTreeMap<u32, BufferRange>,
    /// Binding points of storage blocks.
    pub storage_buffers: BTreeMap<u32, BufferRange>,
    /// Binding points of atomic counters.
    pub counter_buffers: BTreeMap<u32, BufferRange>,
    /// Transform feedback, while it is active.
    pub feedback: Option<Feedback>,
    /// Tessellation.
    pub patches: Patches,
    /// `GL_VERTEX_PROGRAM_TWO_SIDE`
    pub two_sided: bool,
    /// `glShadeModel(GL_FLAT)`
    pub flat_shade: bool,
    /// `GL_CLAMP_VERTEX_COLOR`
    pub clamp_vertex_colors: bool,
    /// Whether denormals are flushed to zero.
    pub flush_denormals: bool,
    /// The number of basic blocks after which an invocation is considered endless.
    pub budget: u64,
    /// The number of times that shaders read the clock, which is also the clock's value.
    pub clock: u64,
}

impl State {
    /// GL's defaults, with a framebuffer.
    #[must_use]
    pub fn new(framebuffer: Framebuffer) -> State {
        State {
            raster: Pipeline::new(framebuffer.width, framebuffer.height),
            framebuffer,
            arrays: Arrays::default(),
            fixed: FixedFunction::default(),
            textures: Vec::new(),
            units: BTreeMap::new(),
            images: BTreeMap::new(),
            buffers: Vec::new(),
            uniform_buffers: BTreeMap::new(),
            storage_buffers: BTreeMap::new(),
            counter_buffers: BTreeMap::new(),
            feedback: None,
            patches: Patches::default(),
            two_sided: false,
            flat_shade: false,
            clamp_vertex_colors: true,
            flush_denormals: false,
            budget: 50_000_000,
            clock: 0,
        }
    }

    /// Adds a buffer.
    pub fn add_buffer(&mut self, bytes: Vec<u8>) -> BufferId {
        self.buffers.push(bytes);
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// Adds a texture.
    pub fn add_texture(&mut self, texture: Texture) -> TextureId {
        self.textures.push(texture);
        TextureId(self.textures.len() as u32 - 1)
    }

    /// The words of a built-in uniform's value; empty if there is no such uniform.
    pub(crate) fn builtin_uniform(&self, name: &str) -> Vec<u32> {
        match name {
            "gl_NumSamples" => vec![self.framebuffer.samples],
            "gl_DepthRange" => {
                let (near, far) = self.raster.viewports.first().map_or((0.0, 1.0), |v| (v.near, v.far));
                [near, far, far - near].map(f32::to_bits).to_vec()
            }
            _ => self.fixed.uniform(name).into_iter().map(f32::to_bits).collect(),
        }
    }
}
