//! The inputs of a draw call: vertices and the state of the pipeline.

use crate::assemble::Provoking;

/// A vertex as output by the last vertex processing stage.
#[derive(Clone, PartialEq, Debug)]
pub struct Vertex {
    /// `gl_Position`, in clip space.
    pub position: [f32; 4],
    /// The words of all varyings; integers and halves of doubles as their bits. [`Pipeline::varyings`] determines how
    /// each word is interpolated.
    pub varyings: Vec<f32>,
    /// `gl_PointSize`; used if [`Pipeline::program_point_size`] is set.
    pub point_size: f32,
    /// `gl_ClipDistance`.
    pub clip_distances: [f32; 8],
    /// `gl_CullDistance`.
    pub cull_distances: [f32; 8],
    /// `gl_Layer`; that of the provoking vertex is used.
    pub layer: u32,
    /// `gl_ViewportIndex`; that of the provoking vertex is used.
    pub viewport: u32,
    /// Whether the edge that starts here is drawn in [`PolygonMode::Line`], and this vertex in [`PolygonMode::Point`].
    pub edge_flag: bool,
}

impl Default for Vertex {
    fn default() -> Vertex {
        Vertex {
            position: [0.0, 0.0, 0.0, 1.0],
            varyings: Vec::new(),
            point_size: 1.0,
            clip_distances: [0.0; 8],
            cull_distances: [0.0; 8],
            layer: 0,
            viewport: 0,
            edge_flag: true,
        }
    }
}

impl Vertex {
    /// A vertex with a position and varyings.
    #[must_use]
    pub fn new(position: [f32; 4], varyings: Vec<f32>) -> Vertex {
        Vertex { position, varyings, ..Vertex::default() }
    }
}

/// How a word of the varyings is interpolated over a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Interpolation {
    /// Perspective-correct.
    #[default]
    Smooth,
    /// Linear in window space.
    NoPerspective,
    /// The bits of the provoking vertex.
    Flat,
}

/// The position in a pixel at which a varying is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EvaluatedAt {
    /// At the centre of the pixel.
    #[default]
    Center,
    /// The centre, or a covered sample if the pixel is partially covered.
    Centroid,
    /// The shaded sample; enables per-sample shading.
    Sample,
}

/// How one word of the varyings is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Varying {
    /// The interpolation.
    pub interpolation: Interpolation,
    /// The position at which it is evaluated.
    pub evaluated_at: EvaluatedAt,
}

/// A viewport and its depth range.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Viewport {
    /// Left edge.
    pub x: f32,
    /// Lower edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Depth of the near plane.
    pub near: f32,
    /// Depth of the far plane.
    pub far: f32,
}

impl Viewport {
    /// A viewport at the origin with the default depth range.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Viewport {
        Viewport { x: 0.0, y: 0.0, width: width as f32, height: height as f32, near: 0.0, far: 1.0 }
    }
}

/// A rectangle of pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rectangle {
    /// Left edge.
    pub x: i32,
    /// Lower edge.
    pub y: i32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Rectangle {
    /// Whether a pixel lies inside.
    #[must_use]
    pub fn contains(&self, x: u32, y: u32) -> bool {
        let inside = |at: u32, from: i32, size: u32| {
            let at = i64::from(at) - i64::from(from);
            at >= 0 && at < i64::from(size)
        };
        inside(x, self.x, self.width) && inside(y, self.y, self.height)
    }
}

/// How triangles are rasterised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PolygonMode {
    /// Filled.
    #[default]
    Fill,
    /// Their edges as lines.
    Line,
    /// Their vertices as points.
    Point,
    /// Their bounding box is filled, with depth and varyings extrapolated (GL_NV_fill_rectangle).
    Rectangle,
}

/// The source of a clip coordinate (GL_NV_viewport_swizzle).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClipSwizzle {
    /// The coordinate: 0 for x, 3 for w.
    pub coordinate: u8,
    /// Whether it is negated.
    pub negative: bool,
}

/// `glPolygonOffsetClamp`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PolygonOffset {
    /// Factor for the polygon's slope.
    pub factor: f32,
    /// Factor for the smallest resolvable difference of depths.
    pub units: f32,
    /// The limit of the offset, if not zero.
    pub clamp: f32,
    /// Whether filled polygons are offset.
    pub fill: bool,
    /// Whether polygons drawn as lines are offset.
    pub line: bool,
    /// Whether polygons drawn as points are offset.
    pub point: bool,
}

/// Which polygon owns a horizontal edge that passes exactly through pixel centres.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EdgeRule {
    /// A polygon owns its left and lower edges: the top-left rule for y pointing down.
    #[default]
    LowerLeft,
    /// A polygon owns its left and upper edges.
    UpperLeft,
}

/// A comparison in the depth, stencil or alpha test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compare {
    /// Never passes.
    Never,
    /// Less.
    Less,
    /// Equal.
    Equal,
    /// Less or equal.
    LessEqual,
    /// Greater.
    Greater,
    /// Not equal.
    NotEqual,
    /// Greater or equal.
    GreaterEqual,
    /// Always passes.
    #[default]
    Always,
}

impl Compare {
    /// Compares a fragment's value with a reference.
    #[must_use]
    pub fn test<T: PartialOrd + Copy>(self, value: T, reference: T) -> bool {
        match self {
            Compare::Never => false,
            Compare::Less => value < reference,
            Compare::Equal => value == reference,
            Compare::LessEqual => value <= reference,
            Compare::Greater => value > reference,
            Compare::NotEqual => value != reference,
            Compare::GreaterEqual => value >= reference,
            Compare::Always => true,
        }
    }
}

/// The depth test; without it, depth is neither tested nor written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DepthTest {
    /// Compares the fragment's depth with the stored one.
    pub compare: Compare,
    /// Whether passing fragments write their depth.
    pub write: bool,
}

/// An operation on a stencil value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StencilOp {
    /// Unchanged.
    #[default]
    Keep,
    /// Set to zero.
    Zero,
    /// Set to the reference.
    Replace,
    /// Incremented, saturating at 255.
    Increment,
    /// Decremented, saturating at 0.
    Decrement,
    /// Bitwise inverted.
    Invert,
    /// Incremented, wrapping.
    IncrementWrap,
    /// Decremented, wrapping.
    DecrementWrap,
}

impl StencilOp {
    /// The new value.
    #[must_use]
    pub fn apply(self, value: u8, reference: u8) -> u8 {
        match self {
            StencilOp::Keep => value,
            StencilOp::Zero => 0,
            StencilOp::Replace => reference,
            StencilOp::Increment => value.saturating_add(1),
            StencilOp::Decrement => value.saturating_sub(1),
            StencilOp::Invert => !value,
            StencilOp::IncrementWrap => value.wrapping_add(1),
            StencilOp::DecrementWrap => value.wrapping_sub(1),
        }
    }
}

/// The stencil test of one face.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StencilFace {
    /// Compares the masked reference with the masked stored value.
    pub compare: Compare,
    /// The reference.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// The operation if the stencil test fails.
    pub fail: StencilOp,
    /// The operation if the depth test fails.
    pub depth_fail: StencilOp,
    /// The operation if both pass.
    pub pass: StencilOp,
}

impl Default for StencilFace {
    fn default() -> StencilFace {
        let keep = StencilOp::Keep;
        StencilFace {
            compare: Compare::Always,
            reference: 0,
            read_mask: 0xff,
            write_mask: 0xff,
            fail: keep,
            depth_fail: keep,
            pass: keep,
        }
    }
}

/// The stencil test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StencilTest {
    /// For front faces, points and lines.
    pub front: StencilFace,
    /// For back faces.
    pub back: StencilFace,
}

pub use crate::blend::{Blend, BlendChannel, BlendEquation, BlendFactor, LogicOp};

/// Write state of one colour target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Target {
    /// Blending, if enabled.
    pub blend: Option<Blend>,
    /// Which channels are written.
    pub mask: [bool; 4],
}

impl Default for Target {
    fn default() -> Target {
        Target { blend: None, mask: [true; 4] }
    }
}

/// Implementation-defined details of the per-fragment operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arithmetic {
    /// Everything is computed in floats and rounded once when stored; alpha covers the nearest number of samples.
    #[default]
    Exact,
    /// The same, but floats of fewer than 32 bits are truncated instead of rounded, as on NVIDIA.
    Cutting,
    /// Like Mesa's llvmpipe: normalised formats are blended in integers of 8, 16 or 32 bits, and each product is
    /// rounded; a sample is covered if alpha exceeds its threshold.
    Llvmpipe,
}

/// The complete state of the fixed functions. [`Pipeline::new`] gives GL's defaults.
#[derive(Clone, PartialEq, Debug)]
pub struct Pipeline {
    /// How the words of the varyings are interpolated; words beyond the list are smooth.
    pub varyings: Vec<Varying>,
    /// Which vertex of a primitive provides flat words, layer and viewport.
    pub provoking: Provoking,
    /// The restart index, if any.
    pub restart: Option<u32>,
    /// Viewports; larger viewport indices use the last.
    pub viewports: Vec<Viewport>,
    /// The source of x, y, z and w for each viewport; missing ones are the identity.
    pub swizzles: Vec<[ClipSwizzle; 4]>,
    /// One scissor for each viewport; missing ones are disabled.
    pub scissors: Vec<Option<Rectangle>>,
    /// Whether clip space has depths 0..w instead of -w..w (`glClipControl`).
    pub zero_to_one: bool,
    /// Whether depth is clamped to the depth range instead of being clipped.
    pub depth_clamp: bool,
    /// The enabled `gl_ClipDistance`s, as bits.
    pub clip_distances: u8,
    /// The `gl_CullDistance`s in use, as bits.
    pub cull_distances: u8,
    /// Whether rasterisation is disabled.
    pub discard: bool,
    /// Whether front faces are clockwise.
    pub clockwise_front: bool,
    /// Whether front faces are culled.
    pub cull_front: bool,
    /// Whether back faces are culled.
    pub cull_back: bool,
    /// How front faces are rasterised.
    pub front_mode: PolygonMode,
    /// How back faces are rasterised.
    pub back_mode: PolygonMode,
    /// Depth offset of polygons.
    pub offset: PolygonOffset,
    /// Which polygon owns pixel centres on edges.
    pub edge_rule: EdgeRule,
    /// Width of lines, in pixels.
    pub line_width: f32,
    /// Size of points, in pixels.
    pub point_size: f32,
    /// Whether the vertices' point sizes are used.
    pub program_point_size: bool,
    /// Whether `gl_PointCoord` has its origin at the lower left corner.
    pub point_origin_lower_left: bool,
    /// Whether `GL_MULTISAMPLE` is enabled; affects framebuffers with several samples.
    pub multisample: bool,
    /// Whether each sample is shaded separately.
    pub sample_shading: bool,
    /// The samples that may be written.
    pub sample_mask: u32,
    /// Whether the alpha of the first target's colour reduces coverage.
    pub alpha_to_coverage: bool,
    /// Whether alpha is set to 1 after computing coverage.
    pub alpha_to_one: bool,
    /// Whether depth and stencil are tested before shading.
    pub early_fragment_tests: bool,
    /// The alpha test of old GL: comparison and reference.
    pub alpha_test: Option<(Compare, f32)>,
    /// The depth test.
    pub depth: Option<DepthTest>,
    /// The stencil test.
    pub stencil: Option<StencilTest>,
    /// The colour targets.
    pub targets: [Target; crate::MAX_TARGETS],
    /// The constant colour of blending.
    pub blend_color: [f32; 4],
    /// The logical operation, if enabled: it replaces blending.
    pub logic_op: Option<LogicOp>,
    /// Whether sRGB targets encode written values (`GL_FRAMEBUFFER_SRGB`).
    pub srgb_write: bool,
    /// Whether fragment colours are clamped to 0..1 first (old GL).
    pub clamp_colors: bool,
    /// The precision of blending, and how alpha is converted to coverage.
    pub arithmetic: Arithmetic,
}

impl Pipeline {
    /// GL's defaults with one viewport.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Pipeline {
        Pipeline {
            varyings: Vec::new(),
            provoking: Provoking::Last,
            restart: None,
            viewports: vec![Viewport::new(width, height)],
            swizzles: Vec::new(),
            scissors: Vec::new(),
            zero_to_one: false,
            depth_clamp: false,
            clip_distances: 0,
            cull_distances: 0,
            discard: false,
            clockwise_front: false,
            cull_front: false,
            cull_back: false,
            front_mode: PolygonMode::Fill,
            back_mode: PolygonMode::Fill,
            offset: PolygonOffset::default(),
            edge_rule: EdgeRule::LowerLeft,
            line_width: 1.0,
            point_size: 1.0,
            program_point_size: false,
            point_origin_lower_left: false,
            multisample: true,
            sample_shading: false,
            sample_mask: u32::MAX,
            alpha_to_coverage: false,
            alpha_to_one: false,
            early_fragment_tests: false,
            alpha_test: None,
            depth: None,
            stencil: None,
            targets: [Target::default(); crate::MAX_TARGETS],
            blend_color: [0.0; 4],
            logic_op: None,
            srgb_write: false,
            clamp_colors: false,
            arithmetic: Arithmetic::Exact,
        }
    }
}
