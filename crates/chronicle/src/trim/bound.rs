//! What is bound in a context, as far as calls rely on it without naming it.

use std::collections::BTreeMap;

use api::constant as c;

use super::matrix::Stacks;

/// What is bound in a context.
#[derive(Clone, Default)]
pub struct Bound {
    pub names: Names,
    /// What `glPushAttrib` saved.
    pub saved: Vec<Pushed>,
    /// What `glPushClientAttrib` saved.
    pub client_saved: Vec<Pushed>,
    /// Buffers with indices, by vertex array.
    pub elements: BTreeMap<u32, u32>,
    pub matrices: Stacks,
    /// The list that is being made, and whether it is executed at the same time.
    pub list: Option<(u32, bool)>,
    /// Active queries by target.
    pub queries: BTreeMap<u32, u32>,
    /// Whether transform feedback is going on.
    pub feedback: bool,
}

/// What was saved by a call, as far as calls rely on it.
#[derive(Clone)]
pub struct Pushed {
    pub call: u64,
    pub mask: u32,
    pub names: Names,
    /// What things that matrices decide were set by.
    pub used: BTreeMap<u32, Vec<u64>>,
}

/// Names that are bound, and the other things that say what a call means.
#[derive(Clone, Default)]
pub struct Names {
    /// The active texture unit.
    pub unit: u32,
    pub client_unit: u32,
    /// By unit and target.
    pub textures: BTreeMap<(u32, u32), u32>,
    pub buffers: BTreeMap<u32, u32>,
    /// Assembly programs by target.
    pub assembly: BTreeMap<u32, u32>,
    pub program: u32,
    pub vertex_array: u32,
    pub draw: u32,
    pub read: u32,
    pub renderbuffer: u32,
    /// 0 for the initial one, `GL_MODELVIEW`.
    pub matrix_mode: u32,
}

impl Names {
    /// Which matrix stack calls change.
    pub fn stack(&self) -> (u32, u32) {
        match self.matrix_mode {
            0 => (c::GL_MODELVIEW, 0),
            c::GL_TEXTURE => (c::GL_TEXTURE, self.unit),
            mode => (mode, 0),
        }
    }

    /// The target that a texture is bound to whose image has this target: faces of a cube belong to the cube.
    pub fn texture_target(image: u32) -> u32 {
        match image {
            c::GL_TEXTURE_CUBE_MAP_POSITIVE_X..=c::GL_TEXTURE_CUBE_MAP_NEGATIVE_Z => c::GL_TEXTURE_CUBE_MAP,
            target => target,
        }
    }

    /// The texture that is bound to a target of the active unit.
    pub fn texture(&self, target: u32) -> u32 {
        self.textures.get(&(self.unit, target)).copied().unwrap_or(0)
    }

    /// The framebuffer that is bound to a target.
    pub fn framebuffer(&self, target: u32) -> u32 {
        if target == c::GL_READ_FRAMEBUFFER { self.read } else { self.draw }
    }
}
