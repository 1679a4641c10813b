//! Structured state of the fixed-function pipeline: matrices, lights, materials, texture units, evaluators, stacks.

mod circle;
mod current;
mod history;
mod light;
mod matrix;
mod unit;

pub use current::{Current, GENERIC};
pub use history::{DriverKnowledge, MatrixHistory, MatrixOp};
pub use light::{Light, Material};
pub use matrix::{Matrix, MatrixStack};
pub use unit::{Generator, TARGETS, Unit};

use crate::context::Facts;
use crate::objects::buffer::BufferRef;
use crate::objects::framebuffer::Buffers;
use crate::objects::texture::Units;
use crate::objects::vertex_array::VertexArray;
use crate::vars::Vars;

/// Fixed-function state of one context.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// Back face values set through EXT_stencil_two_side, in the order of the variables of the front face.
    pub two_side_stencil: [f64; 7],
    /// Matrices.
    pub matrices: Matrices,
    /// Lights.
    pub lights: [Light; 8],
    /// Materials of front and back.
    pub materials: [Material; 2],
    /// Clip planes, in eye coordinates.
    pub clip_planes: [[f32; 4]; 8],
    /// Fixed-function texture units.
    pub units: [Unit; 8],
    /// `GL_TEXTURE_LOD_BIAS` of all texture units.
    pub lod_bias: Vec<f32>,
    /// The polygon stipple pattern: 32 rows of 32 bits, the lowest row first.
    pub polygon_stipple: [u8; 128],
    /// Pixel maps, `GL_PIXEL_MAP_I_TO_I` first.
    pub pixel_maps: [Vec<f32>; 10],
    /// Evaluator maps: nine one-dimensional, nine two-dimensional.
    pub evaluators: Vec<Evaluator>,
    /// Texture coordinates of the raster position.
    pub raster_texture_coords: [[f32; 4]; 8],
    /// The name stack of selection.
    pub names: Vec<u32>,
    /// The `glPushAttrib` stack, oldest entry first.
    pub attributes: Vec<Saved>,
    /// The `glPushClientAttrib` stack, oldest entry first.
    pub client_attributes: Vec<Saved>,
    /// The primitive type between `glBegin` and `glEnd`.
    pub begun: Option<u32>,
    /// The debug message callback and its user pointer.
    pub debug_callback: [u64; 2],
    /// Whether debug output was ever enabled, so that there may be messages.
    pub messages: bool,
    /// Address of the feedback buffer.
    pub feedback_buffer: u64,
    /// Address of the selection buffer.
    pub selection_buffer: u64,
}

/// All matrix stacks.
#[derive(Clone, Debug)]
pub struct Matrices {
    /// The modelview stack.
    pub modelview: MatrixStack,
    /// The projection stack.
    pub projection: MatrixStack,
    /// Texture matrix stacks, by unit.
    pub textures: Vec<MatrixStack>,
    /// Matrix stacks of assembly programs.
    pub programs: Vec<MatrixStack>,
}

impl Matrices {
    /// Returns whether the driver has not yet analysed some of the matrices that it draws with.
    pub(crate) fn any_unanalysed(&self) -> bool {
        let mut stacks = [&self.modelview, &self.projection].into_iter().chain(&self.textures);
        stacks.any(|stack| stack.top_history().is_unanalysed())
    }

    /// CallObserver that the driver has analysed all matrices that it draws with.
    pub(crate) fn mark_analysed(&mut self) {
        let stacks = [&mut self.modelview, &mut self.projection].into_iter().chain(&mut self.textures);
        stacks.for_each(|stack| stack.apply(MatrixOp::Use));
    }
}

/// An evaluator map.
#[derive(Clone, PartialEq, Debug)]
pub struct Evaluator {
    /// The order in `u`, and in `v` if two-dimensional.
    pub order: [i32; 2],
    /// The domain of `u`, then of `v`.
    pub domain: [f32; 4],
    /// The control points.
    pub points: Vec<f32>,
}

/// An entry of the `glPushAttrib` or `glPushClientAttrib` stack. All of the state is kept, which costs almost nothing
/// since it is shared; the mask selects what is restored.
#[derive(Clone, Debug)]
pub struct Saved {
    /// Attribute groups to restore.
    pub mask: u32,
    /// Plain state.
    pub vars: Vars,
    /// Fixed-function state, without the stacks themselves.
    pub fixed: std::sync::Arc<Fixed>,
    /// Current attributes.
    pub current: std::sync::Arc<Current>,
    /// Texture unit bindings.
    pub units: Units,
    /// Draw and read buffers of the default framebuffer.
    pub buffers: std::sync::Arc<Buffers>,
    /// The name of the bound vertex array, and its state.
    pub vertex_array: (u32, Option<std::sync::Arc<VertexArray>>),
    /// The array buffer binding.
    pub array_buffer: BufferRef,
}

/// The number of values per control point of an evaluator, `GL_MAP1_COLOR_4` first.
pub const POINT_SIZES: [usize; 9] = [4, 1, 3, 1, 2, 3, 4, 3, 4];

impl Fixed {
    /// Returns GL's initial state.
    #[must_use]
    pub fn new(facts: &Facts) -> Fixed {
        let limit = |name, otherwise: i64| facts.limits.integer(name, otherwise).clamp(1, 4096) as usize;
        let stack = |most| MatrixStack::new(most);
        let textures = limit(api::constant::GL_MAX_TEXTURE_STACK_DEPTH, 2);
        let evaluators = (0..18).map(|at| Evaluator::new(at % 9)).collect();
        Fixed {
            two_side_stencil: [519.0, 0.0, 255.0, 7680.0, 7680.0, 7680.0, 255.0],
            matrices: Matrices {
                modelview: stack(limit(api::constant::GL_MAX_MODELVIEW_STACK_DEPTH, 32)),
                projection: stack(limit(api::constant::GL_MAX_PROJECTION_STACK_DEPTH, 2)),
                textures: vec![stack(textures); 32],
                programs: vec![stack(limit(api::constant::GL_MAX_PROGRAM_MATRIX_STACK_DEPTH_ARB, 1)); 8],
            },
            lights: std::array::from_fn(Light::new),
            materials: [Material::default(), Material::default()],
            clip_planes: [[0.0; 4]; 8],
            units: std::array::from_fn(|_| Unit::default()),
            // ES 1 has no query for their number; Mesa has as many as elsewhere.
            lod_bias: vec![0.0; limit(api::constant::GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 192)],
            polygon_stipple: [0xFF; 128],
            pixel_maps: std::array::from_fn(|_| vec![0.0]),
            evaluators,
            raster_texture_coords: [[0.0, 0.0, 0.0, 1.0]; 8],
            names: Vec::new(),
            attributes: Vec::new(),
            client_attributes: Vec::new(),
            begun: None,
            debug_callback: [0; 2],
            messages: facts.flags & api::constant::GL_CONTEXT_FLAG_DEBUG_BIT != 0,
            feedback_buffer: 0,
            selection_buffer: 0,
        }
    }
}

impl Evaluator {
    /// Returns the initial map of a kind: order 1, with one point (GL 4.6 compatibility, table 23.40).
    fn new(kind: usize) -> Evaluator {
        let points = match kind {
            0 => vec![1.0; 4],
            1 => vec![1.0],
            2 => vec![0.0, 0.0, 1.0],
            3 => vec![0.0],
            4 => vec![0.0; 2],
            5 | 7 => vec![0.0; 3],
            _ => vec![0.0, 0.0, 0.0, 1.0],
        };
        Evaluator { order: [1, 1], domain: [0.0, 1.0, 0.0, 1.0], points }
    }
}
