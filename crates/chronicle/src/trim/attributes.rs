//! What `glPushAttrib` and `glPushClientAttrib` save, and their counterparts bring back (GL 4.6 compatibility, 21.6).

use api::{CommandId, Namespace, constant as c, id};

use super::slot::{Family, Owner};

/// Whether a slot is brought back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cover {
    No,
    /// It depends on what is bound, or nobody has said.
    Maybe,
    Yes,
}

/// What was saved and brought back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Saved {
    pub context: u32,
    pub client: bool,
    pub mask: u32,
}

/// The groups that a piece of state of a context belongs to: saving any of them saves it. Nothing when nobody has said.
pub type Groups = Option<u32>;

impl Saved {
    /// Whether a slot of an owner is brought back.
    pub fn covers(&self, owner: Owner, family: Family, groups: Groups) -> Cover {
        let has = |bits: u32| self.mask & bits != 0;
        let when = |bits: u32, then: Cover| if has(bits) { then } else { Cover::No };
        let arrays = c::GL_CLIENT_VERTEX_ARRAY_BIT;
        match (owner, family) {
            (Owner::Thread(_), _) => Cover::No,
            (Owner::Context(context), _) if context != self.context => Cover::No,
            (Owner::Context(_), Family::PixelStore) if self.client => when(c::GL_CLIENT_PIXEL_STORE_BIT, Cover::Yes),
            (Owner::Context(_), Family::ClientActiveTexture) if self.client => when(arrays, Cover::Yes),
            (Owner::Context(_), Family::VertexArray | Family::Plain) if self.client => when(arrays, Cover::Maybe),
            (Owner::Context(_), Family::BufferBinding) if self.client => when(u32::MAX, Cover::Maybe),
            (Owner::Object(object), _) if self.client && object.space == Namespace::VertexArray => {
                when(arrays, Cover::Maybe)
            }
            _ if self.client => Cover::No,
            (Owner::Context(_), Family::Plain) => match groups {
                Some(groups) if has(groups) => Cover::Yes,
                // While colours make materials, one is saved with lights and the other is not.
                Some(c::GL_CURRENT_BIT) => when(c::GL_LIGHTING_BIT, Cover::Maybe),
                Some(_) => Cover::No,
                None => when(u32::MAX, Cover::Maybe),
            },
            (Owner::Context(_), Family::ActiveTexture | Family::TextureBinding) => when(c::GL_TEXTURE_BIT, Cover::Yes),
            (Owner::Context(_), Family::MatrixMode) => when(c::GL_TRANSFORM_BIT, Cover::Yes),
            (Owner::Context(_), Family::RasterPosition) => when(c::GL_CURRENT_BIT, Cover::Yes),
            (Owner::Context(_), Family::Assembly) => when(u32::MAX, Cover::Maybe),
            // Parameters of the textures that are bound are saved with the bindings.
            (Owner::Object(object), Family::Parameter) if object.space == Namespace::Texture => {
                when(c::GL_TEXTURE_BIT, Cover::Maybe)
            }
            (Owner::Object(object), Family::Parameter) if object.space == Namespace::Framebuffer => {
                when(c::GL_COLOR_BUFFER_BIT | c::GL_PIXEL_MODE_BIT, Cover::Maybe)
            }
            _ => Cover::No,
        }
    }
}

/// The groups of what a command sets, given its first argument.
pub fn groups(command: CommandId, first: u32) -> Groups {
    match command {
        id::glEnable | id::glDisable => enabled(first),
        // Point sprites and level-of-detail biases are younger than the text that says what is saved.
        id::glTexEnvf
        | id::glTexEnvfv
        | id::glTexEnvi
        | id::glTexEnviv
        | id::glTexEnvx
        | id::glTexEnvxv
        | id::glTexEnvxOES
        | id::glTexEnvxvOES
            if first != c::GL_TEXTURE_ENV =>
        {
            None
        }
        _ => Some(api::command(command).saved_with).filter(|groups| *groups != 0),
    }
}

/// The groups of what can be enabled: one for all, and that of what it is about.
fn enabled(what: u32) -> Groups {
    let own = match what {
        c::GL_ALPHA_TEST | c::GL_BLEND | c::GL_DITHER | c::GL_COLOR_LOGIC_OP | c::GL_INDEX_LOGIC_OP => {
            c::GL_COLOR_BUFFER_BIT
        }
        c::GL_DEPTH_TEST => c::GL_DEPTH_BUFFER_BIT,
        c::GL_STENCIL_TEST => c::GL_STENCIL_BUFFER_BIT,
        c::GL_SCISSOR_TEST => c::GL_SCISSOR_BIT,
        c::GL_FOG => c::GL_FOG_BIT,
        c::GL_LIGHTING | c::GL_COLOR_MATERIAL | c::GL_LIGHT0..=c::GL_LIGHT7 => c::GL_LIGHTING_BIT,
        c::GL_LINE_SMOOTH | c::GL_LINE_STIPPLE => c::GL_LINE_BIT,
        c::GL_POINT_SMOOTH => c::GL_POINT_BIT,
        c::GL_CULL_FACE | c::GL_POLYGON_SMOOTH | c::GL_POLYGON_STIPPLE => c::GL_POLYGON_BIT,
        c::GL_POLYGON_OFFSET_POINT | c::GL_POLYGON_OFFSET_LINE | c::GL_POLYGON_OFFSET_FILL => c::GL_POLYGON_BIT,
        c::GL_NORMALIZE | c::GL_RESCALE_NORMAL | c::GL_CLIP_PLANE0..=c::GL_CLIP_PLANE5 => c::GL_TRANSFORM_BIT,
        c::GL_TEXTURE_1D | c::GL_TEXTURE_2D | c::GL_TEXTURE_3D | c::GL_TEXTURE_CUBE_MAP => c::GL_TEXTURE_BIT,
        c::GL_TEXTURE_GEN_S..=c::GL_TEXTURE_GEN_Q => c::GL_TEXTURE_BIT,
        c::GL_AUTO_NORMAL | c::GL_MAP1_COLOR_4..=c::GL_MAP1_VERTEX_4 | c::GL_MAP2_COLOR_4..=c::GL_MAP2_VERTEX_4 => {
            c::GL_EVAL_BIT
        }
        _ => return None,
    };
    Some(own | c::GL_ENABLE_BIT)
}
