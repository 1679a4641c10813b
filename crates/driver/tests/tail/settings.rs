//! Random state of the per-fragment operations.

use api::{CommandId, constant as c, id};
use testing::random::Random;
use testing::twin::{ContextKind, Twin};

const COMPARES: [u32; 8] =
    [c::GL_NEVER, c::GL_LESS, c::GL_EQUAL, c::GL_LEQUAL, c::GL_GREATER, c::GL_NOTEQUAL, c::GL_GEQUAL, c::GL_ALWAYS];

const STENCIL_OPS: [u32; 8] =
    [c::GL_KEEP, c::GL_ZERO, c::GL_REPLACE, c::GL_INCR, c::GL_DECR, c::GL_INVERT, c::GL_INCR_WRAP, c::GL_DECR_WRAP];

const EQUATIONS: [u32; 5] = [c::GL_FUNC_ADD, c::GL_FUNC_SUBTRACT, c::GL_FUNC_REVERSE_SUBTRACT, c::GL_MIN, c::GL_MAX];

const FACTORS: [u32; 15] = [
    c::GL_ZERO,
    c::GL_ONE,
    c::GL_SRC_COLOR,
    c::GL_ONE_MINUS_SRC_COLOR,
    c::GL_DST_COLOR,
    c::GL_ONE_MINUS_DST_COLOR,
    c::GL_SRC_ALPHA,
    c::GL_ONE_MINUS_SRC_ALPHA,
    c::GL_DST_ALPHA,
    c::GL_ONE_MINUS_DST_ALPHA,
    c::GL_CONSTANT_COLOR,
    c::GL_ONE_MINUS_CONSTANT_COLOR,
    c::GL_CONSTANT_ALPHA,
    c::GL_ONE_MINUS_CONSTANT_ALPHA,
    c::GL_SRC_ALPHA_SATURATE,
];

const SECOND: [u32; 4] = [c::GL_SRC1_COLOR, c::GL_ONE_MINUS_SRC1_COLOR, c::GL_SRC1_ALPHA, c::GL_ONE_MINUS_SRC1_ALPHA];

/// Makes a call with plain arguments to both.
pub fn call(twin: &mut Twin, command: CommandId, args: &[u64]) {
    let name = api::command(command).name;
    twin.both(command, args, Vec::new(), &format!("{name}{args:x?}"));
}

/// Returns a number as an argument.
pub fn float(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// Returns a colour component: often a step of eight bits, sometimes a value that no format holds exactly.
pub fn component(random: &mut Random) -> f32 {
    match random.index(10) {
        0 => random.pick(&[-0.5, 1.5, 3.0, 0.0, 1.0, 1.0, 0.5]),
        1..=3 => random.index(256) as f32 / 255.0,
        _ => random.index(1 << 20) as f32 / (1 << 20) as f32,
    }
}

pub fn depth(random: &mut Random) -> f32 {
    match random.index(4) {
        0 => random.pick(&[0.0, 1.0, 0.5, 0.25, 0.75]),
        1 => random.index(16) as f32 / 15.0,
        _ => random.index(1 << 23) as f32 / (1 << 23) as f32,
    }
}

fn names<const N: usize>(random: &mut Random, list: &[u32], first: &[u64]) -> Vec<u64> {
    first.iter().copied().chain((0..N).map(|_| u64::from(random.pick(list)))).collect()
}

/// Sets all state; `second` enables dual-source blending.
pub fn set(twin: &mut Twin, random: &mut Random, kind: ContextKind, buffers: usize, second: bool) {
    let desktop = kind != ContextKind::Es3;
    let enable = |twin: &mut Twin, random: &mut Random, name: u32, of_ten: usize| {
        let on = random.index(10) < of_ten;
        call(twin, if on { id::glEnable } else { id::glDisable }, &[u64::from(name)]);
    };
    enable(twin, random, c::GL_BLEND, 7);
    enable(twin, random, c::GL_SCISSOR_TEST, 3);
    enable(twin, random, c::GL_CULL_FACE, 1);
    enable(twin, random, c::GL_DEPTH_TEST, 4);
    enable(twin, random, c::GL_STENCIL_TEST, 4);
    enable(twin, random, c::GL_DITHER, 5);
    if random.index(20) == 0 {
        enable(twin, random, c::GL_RASTERIZER_DISCARD, 5);
    } else {
        call(twin, id::glDisable, &[u64::from(c::GL_RASTERIZER_DISCARD)]);
    }
    if desktop {
        enable(twin, random, c::GL_COLOR_LOGIC_OP, 1);
        enable(twin, random, c::GL_FRAMEBUFFER_SRGB, 5);
        enable(twin, random, c::GL_DEPTH_CLAMP, 3);
        enable(twin, random, c::GL_ALPHA_TEST, 2);
        enable(twin, random, c::GL_POLYGON_STIPPLE, 2);
        let opcode = u64::from(c::GL_CLEAR) + random.index(16) as u64;
        call(twin, id::glLogicOp, &[opcode]);
        let args = [u64::from(random.pick(&COMPARES)), float(component(random))];
        call(twin, id::glAlphaFunc, &args);
        let clamp = random.pick(&[c::GL_TRUE, c::GL_FALSE, c::GL_FIXED_ONLY]);
        call(twin, id::glClampColor, &[u64::from(c::GL_CLAMP_FRAGMENT_COLOR), u64::from(clamp)]);
        let range = [random.index(5) as f64 / 4.0, random.index(5) as f64 / 4.0];
        call(twin, id::glDepthRange, &range.map(f64::to_bits));
        let pattern: Vec<u8> = (0..128).map(|_| random.index(256) as u8).collect();
        twin.both(id::glPolygonStipple, &[pattern.as_ptr() as u64], vec![(0, pattern)], "glPolygonStipple");
    }
    let box_of = [random.index(8), random.index(8), random.index(12), random.index(12)].map(|at| at as u64);
    call(twin, id::glScissor, &box_of);
    call(twin, id::glCullFace, &[u64::from(random.pick(&[c::GL_FRONT, c::GL_BACK, c::GL_FRONT_AND_BACK]))]);
    call(twin, id::glFrontFace, &[u64::from(random.pick(&[c::GL_CW, c::GL_CCW]))]);
    call(twin, id::glDepthFunc, &[u64::from(random.pick(&COMPARES[1..]))]);
    call(twin, id::glDepthMask, &[(random.index(4) > 0).into()]);
    for face in [c::GL_FRONT, c::GL_BACK] {
        let face = u64::from(face);
        let mask = random.pick(&[0xFF, 0xFF, 0x0F, 0x55]);
        let reference = random.pick(&[0u64, 1, 5, 0x80, 0xFF]);
        call(twin, id::glStencilFuncSeparate, &[face, u64::from(random.pick(&COMPARES)), reference, mask]);
        let ops = names::<3>(random, &STENCIL_OPS, &[face]);
        call(twin, id::glStencilOpSeparate, &ops);
        call(twin, id::glStencilMaskSeparate, &[face, random.pick(&[0xFF, 0xFF, 0xF0, 0])]);
    }
    let colour: Vec<u64> = (0..4).map(|_| float(component(random))).collect();
    call(twin, id::glBlendColor, &colour);
    let factors: Vec<u32> = if second { [&FACTORS[..], &SECOND[..], &SECOND[..]].concat() } else { FACTORS.to_vec() };
    for buffer in 0..buffers as u64 {
        let args = match random.index(4) {
            0 => {
                let pair = random.pick(&[
                    [c::GL_SRC_ALPHA, c::GL_ONE_MINUS_SRC_ALPHA],
                    [c::GL_ONE, c::GL_ONE_MINUS_SRC_ALPHA],
                    [c::GL_ONE, c::GL_ONE],
                    [c::GL_DST_COLOR, c::GL_ZERO],
                ]);
                vec![buffer, pair[0].into(), pair[1].into(), pair[0].into(), pair[1].into()]
            }
            _ => names::<4>(random, &factors, &[buffer]),
        };
        call(twin, id::glBlendFuncSeparatei, &args);
        let equation = u64::from(if random.index(2) == 0 { c::GL_FUNC_ADD } else { random.pick(&EQUATIONS) });
        let other = u64::from(random.pick(&EQUATIONS));
        let both = [buffer, equation, if random.index(2) == 0 { equation } else { other }];
        call(twin, id::glBlendEquationSeparatei, &both);
        let mask: Vec<u64> = match random.index(4) {
            0 => (0..4).map(|_| random.index(2) as u64).collect(),
            _ => vec![1; 4],
        };
        call(twin, id::glColorMaski, &[buffer, mask[0], mask[1], mask[2], mask[3]]);
        if random.index(4) == 0 {
            let change = if random.index(2) == 0 { id::glEnablei } else { id::glDisablei };
            call(twin, change, &[u64::from(c::GL_BLEND), buffer]);
        }
    }
}
