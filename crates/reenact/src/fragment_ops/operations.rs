//! The state of the per-fragment operations: converts the model's values to the types of crate `raster`.

use api::constant as c;
use api::{Library, enums};
use raster::Pipeline;
use raster::format::Numeric;
use raster::state::{
    Arithmetic, Blend, BlendChannel, BlendEquation, BlendFactor, Compare, DepthTest, LogicOp, Rectangle, StencilFace,
    StencilOp, StencilTest, Target, Viewport,
};
use state::vars::Vars;
use state::{Client, View, stencil, variable as var};

use super::planes::{PlaneFormat, Role, TargetPlane};
use crate::Refusal;

/// The maximum number of viewports and scissor boxes.
const VIEWPORTS: usize = 16;

/// The complete state, for a framebuffer with these planes.
pub fn pipeline(view: &View<'_>, planes: &[TargetPlane], samples: u32) -> Result<Pipeline, Refusal> {
    let vars = &view.context.vars;
    let on = |name| vars.get(name) != 0.0;
    let mut pipeline = Pipeline::new(1, 1);
    pipeline.viewports = (0..VIEWPORTS).map(|index| viewport(vars, index)).collect();
    pipeline.scissors = (0..VIEWPORTS).map(|index| scissor(vars, index)).collect();
    pipeline.depth_clamp = on(var::DEPTH_CLAMP);
    pipeline.discard = on(var::RASTERIZER_DISCARD);
    if on(var::CULL_FACE) {
        let mode = vars.name(var::CULL_FACE_MODE);
        pipeline.cull_front = mode != c::GL_BACK;
        pipeline.cull_back = mode != c::GL_FRONT;
    }
    pipeline.clockwise_front = vars.name(var::FRONT_FACE) == c::GL_CW;
    pipeline.multisample = on(var::MULTISAMPLE) || matches!(view.context.facts.client, Client::Es2);
    pipeline.sample_mask = sample_mask(vars, samples);
    pipeline.alpha_to_coverage = on(var::SAMPLE_ALPHA_TO_COVERAGE);
    pipeline.alpha_to_one = on(var::SAMPLE_ALPHA_TO_ONE);
    if on(var::ALPHA_TEST) {
        let reference = vars.get(var::ALPHA_TEST_REF) as f32;
        pipeline.alpha_test = Some((compare(vars.name(var::ALPHA_TEST_FUNC)), reference));
    }
    if on(var::DEPTH_TEST) {
        let write = on(var::DEPTH_WRITEMASK);
        pipeline.depth = Some(DepthTest { compare: compare(vars.name(var::DEPTH_FUNC)), write });
    }
    if on(var::STENCIL_TEST) {
        pipeline.stencil = Some(stencil_test(view));
    }
    for (buffer, target) in pipeline.targets.iter_mut().enumerate() {
        *target = self::target(vars, buffer, is_drawn(planes, buffer))?;
    }
    pipeline.blend_color = four(vars, var::BLEND_COLOR);
    if on(var::COLOR_LOGIC_OP) {
        pipeline.logic_op = Some(logic_op(vars.name(var::LOGIC_OP_MODE)));
    }
    pipeline.srgb_write = on(var::FRAMEBUFFER_SRGB);
    pipeline.clamp_colors = match vars.name(var::CLAMP_FRAGMENT_COLOR) {
        c::GL_TRUE => true,
        c::GL_FIXED_ONLY => colours(planes).all(|format| format.is_normalised()),
        _ => false,
    };
    // On targets with fewer bits than llvmpipe computes with, its rounding is visible.
    if view.context.facts.strings[1].contains("llvmpipe") {
        pipeline.arithmetic = Arithmetic::Llvmpipe;
    }
    Ok(pipeline)
}

/// The polygon stipple pattern, if enabled.
pub fn stipple(view: &View<'_>) -> Option<Box<[u8; 128]>> {
    let used = view.context.vars.get(var::POLYGON_STIPPLE) != 0.0;
    used.then(|| Box::new(view.context.fixed.polygon_stipple))
}

/// State for which drivers may differ.
pub fn doubts(view: &View<'_>, planes: &[TargetPlane]) -> Vec<String> {
    let vars = &view.context.vars;
    let smooth = [
        (var::POLYGON_SMOOTH, "GL_POLYGON_SMOOTH"),
        (var::LINE_SMOOTH, "GL_LINE_SMOOTH"),
        (var::POINT_SMOOTH, "GL_POINT_SMOOTH"),
    ];
    let mut doubts: Vec<String> = smooth
        .into_iter()
        .filter(|(name, _)| vars.get(*name) != 0.0)
        .map(|(_, name)| format!("{name} is enabled: alpha at edges is multiplied by a coverage that is not emulated"))
        .collect();
    let coarse = colours(planes).any(|format| {
        matches!(format.numeric, Numeric::Unorm | Numeric::Srgb) && format.bits.iter().any(|bits| (1..8).contains(bits))
    });
    if coarse && vars.get(var::DITHER) != 0.0 {
        doubts.push("GL_DITHER is enabled: a driver may dither colours of fewer than eight bits".to_owned());
    }
    doubts
}

pub fn scissor(vars: &Vars, index: usize) -> Option<Rectangle> {
    let enabled = vars.value(var::SCISSOR_TEST, index)[0] != 0.0;
    let cut: [i32; 4] = std::array::from_fn(|at| vars.value(var::SCISSOR_BOX, index)[at] as i32);
    let size = |size: i32| size.max(0).cast_unsigned();
    enabled.then(|| Rectangle { x: cut[0], y: cut[1], width: size(cut[2]), height: size(cut[3]) })
}

pub fn four(vars: &Vars, name: state::Var) -> [f32; 4] {
    std::array::from_fn(|at| vars.value(name, 0)[at] as f32)
}

fn viewport(vars: &Vars, index: usize) -> Viewport {
    let [x, y, width, height] = std::array::from_fn(|at| vars.value(var::VIEWPORT, index)[at] as f32);
    let [near, far] = std::array::from_fn(|at| vars.value(var::DEPTH_RANGE, index)[at] as f32);
    Viewport { x, y, width, height, near, far }
}

fn colours(planes: &[TargetPlane]) -> impl Iterator<Item = raster::PixelFormat> + '_ {
    planes.iter().filter_map(|plane| match plane.format {
        PlaneFormat::Colour(format) => Some(format),
        PlaneFormat::Depth(_) | PlaneFormat::Stencil => None,
    })
}

fn is_drawn(planes: &[TargetPlane], buffer: usize) -> bool {
    planes.iter().any(|plane| plane.role == Role::Colour(buffer))
}

/// `glSampleCoverage` and `glSampleMaski` combined. Which samples a fraction selects is open (GL 4.6, 14.9.3); Mesa
/// selects the first ones.
fn sample_mask(vars: &Vars, samples: u32) -> u32 {
    let mut mask = u32::MAX;
    if vars.get(var::SAMPLE_COVERAGE) != 0.0 {
        let kept = (vars.get(var::SAMPLE_COVERAGE_VALUE) as f32 * samples as f32) as u32;
        let covered = ((1_u64 << kept.min(32)) - 1) as u32;
        mask &= if vars.get(var::SAMPLE_COVERAGE_INVERT) != 0.0 { !covered } else { covered };
    }
    if vars.get(var::SAMPLE_MASK) != 0.0 {
        mask &= vars.name(var::SAMPLE_MASK_VALUE);
    }
    mask
}

fn target(vars: &Vars, buffer: usize, drawn: bool) -> Result<Target, Refusal> {
    let mask = std::array::from_fn(|at| vars.value(var::COLOR_WRITEMASK, buffer)[at] != 0.0);
    if !drawn || vars.value(var::BLEND, buffer)[0] == 0.0 {
        return Ok(Target { blend: None, mask });
    }
    let name = |name| vars.value(name, buffer)[0] as u32;
    let channel = |mode, source, destination| {
        Ok(BlendChannel {
            equation: equation(name(mode))?,
            source: factor(name(source)),
            destination: factor(name(destination)),
        })
    };
    let blend = Blend {
        color: channel(var::BLEND_EQUATION_RGB, var::BLEND_SRC_RGB, var::BLEND_DST_RGB)?,
        alpha: channel(var::BLEND_EQUATION_ALPHA, var::BLEND_SRC_ALPHA, var::BLEND_DST_ALPHA)?,
    };
    Ok(Target { blend: Some(blend), mask })
}

fn stencil_test(view: &View<'_>) -> StencilTest {
    let vars = &view.context.vars;
    // EXT_stencil_two_side has separate back-face state, which applies while it is enabled.
    let two_side = vars.get(var::STENCIL_TEST_TWO_SIDE_EXT) != 0.0;
    let back = if two_side { view.context.fixed.two_side_stencil } else { stencil::BACK.map(|name| vars.get(name)) };
    StencilTest { front: stencil_face(stencil::FRONT.map(|name| vars.get(name))), back: stencil_face(back) }
}

fn stencil_face([func, reference, read, fail, depth_fail, pass, write]: [f64; 7]) -> StencilFace {
    StencilFace {
        compare: compare(func as u32),
        // Clamped to the range of the stencil buffer (GL 4.6, 17.3.3).
        reference: reference.clamp(0.0, 255.0) as u8,
        read_mask: (read as i64 & 0xFF) as u8,
        write_mask: (write as i64 & 0xFF) as u8,
        fail: stencil_op(fail as u32),
        depth_fail: stencil_op(depth_fail as u32),
        pass: stencil_op(pass as u32),
    }
}

fn stencil_op(name: u32) -> StencilOp {
    match name {
        c::GL_ZERO => StencilOp::Zero,
        c::GL_REPLACE => StencilOp::Replace,
        c::GL_INCR => StencilOp::Increment,
        c::GL_DECR => StencilOp::Decrement,
        c::GL_INVERT => StencilOp::Invert,
        c::GL_INCR_WRAP => StencilOp::IncrementWrap,
        c::GL_DECR_WRAP => StencilOp::DecrementWrap,
        _ => StencilOp::Keep,
    }
}

fn compare(name: u32) -> Compare {
    match name {
        c::GL_NEVER => Compare::Never,
        c::GL_LESS => Compare::Less,
        c::GL_EQUAL => Compare::Equal,
        c::GL_LEQUAL => Compare::LessEqual,
        c::GL_GREATER => Compare::Greater,
        c::GL_NOTEQUAL => Compare::NotEqual,
        c::GL_GEQUAL => Compare::GreaterEqual,
        _ => Compare::Always,
    }
}

fn equation(name: u32) -> Result<BlendEquation, Refusal> {
    Ok(match name {
        c::GL_FUNC_ADD => BlendEquation::Add,
        c::GL_FUNC_SUBTRACT => BlendEquation::Subtract,
        c::GL_FUNC_REVERSE_SUBTRACT => BlendEquation::ReverseSubtract,
        c::GL_MIN => BlendEquation::Min,
        c::GL_MAX => BlendEquation::Max,
        other => {
            let name = enums::any_name(Library::Gl, i64::from(other)).unwrap_or("an unknown blend equation");
            return Err(Refusal::FragmentOps(format!("blending with {name}")));
        }
    })
}

fn factor(name: u32) -> BlendFactor {
    match name {
        c::GL_ZERO => BlendFactor::Zero,
        c::GL_SRC_COLOR => BlendFactor::SrcColor,
        c::GL_ONE_MINUS_SRC_COLOR => BlendFactor::OneMinusSrcColor,
        c::GL_DST_COLOR => BlendFactor::DstColor,
        c::GL_ONE_MINUS_DST_COLOR => BlendFactor::OneMinusDstColor,
        c::GL_SRC_ALPHA => BlendFactor::SrcAlpha,
        c::GL_ONE_MINUS_SRC_ALPHA => BlendFactor::OneMinusSrcAlpha,
        c::GL_DST_ALPHA => BlendFactor::DstAlpha,
        c::GL_ONE_MINUS_DST_ALPHA => BlendFactor::OneMinusDstAlpha,
        c::GL_CONSTANT_COLOR => BlendFactor::ConstantColor,
        c::GL_ONE_MINUS_CONSTANT_COLOR => BlendFactor::OneMinusConstantColor,
        c::GL_CONSTANT_ALPHA => BlendFactor::ConstantAlpha,
        c::GL_ONE_MINUS_CONSTANT_ALPHA => BlendFactor::OneMinusConstantAlpha,
        c::GL_SRC_ALPHA_SATURATE => BlendFactor::SrcAlphaSaturate,
        c::GL_SRC1_COLOR => BlendFactor::Src1Color,
        c::GL_ONE_MINUS_SRC1_COLOR => BlendFactor::OneMinusSrc1Color,
        c::GL_SRC1_ALPHA => BlendFactor::Src1Alpha,
        c::GL_ONE_MINUS_SRC1_ALPHA => BlendFactor::OneMinusSrc1Alpha,
        // The model accepts no other values than these and `GL_ONE`.
        _ => BlendFactor::One,
    }
}

fn logic_op(name: u32) -> LogicOp {
    match name {
        c::GL_CLEAR => LogicOp::Clear,
        c::GL_AND => LogicOp::And,
        c::GL_AND_REVERSE => LogicOp::AndReverse,
        c::GL_AND_INVERTED => LogicOp::AndInverted,
        c::GL_NOOP => LogicOp::Noop,
        c::GL_XOR => LogicOp::Xor,
        c::GL_OR => LogicOp::Or,
        c::GL_NOR => LogicOp::Nor,
        c::GL_EQUIV => LogicOp::Equiv,
        c::GL_INVERT => LogicOp::Invert,
        c::GL_OR_REVERSE => LogicOp::OrReverse,
        c::GL_COPY_INVERTED => LogicOp::CopyInverted,
        c::GL_OR_INVERTED => LogicOp::OrInverted,
        c::GL_NAND => LogicOp::Nand,
        c::GL_SET => LogicOp::Set,
        _ => LogicOp::Copy,
    }
}
