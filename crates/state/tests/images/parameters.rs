//! Parameters of textures and samplers, and bindings.

use api::{constant as c, id};
use testing::random::Random;
use testing::twin::ContextKind;

use crate::lab::{Arg, Lab, f, floats, ints, w};

pub const TARGETS: &[u32] = &[
    c::GL_TEXTURE_1D,
    c::GL_TEXTURE_2D,
    c::GL_TEXTURE_3D,
    c::GL_TEXTURE_CUBE_MAP,
    c::GL_TEXTURE_RECTANGLE,
    c::GL_TEXTURE_1D_ARRAY,
    c::GL_TEXTURE_2D_ARRAY,
    c::GL_TEXTURE_CUBE_MAP_ARRAY,
    c::GL_TEXTURE_BUFFER,
    c::GL_TEXTURE_2D_MULTISAMPLE,
    c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
    c::GL_TEXTURE_EXTERNAL_OES,
];

const PNAMES: &[u32] = &[
    c::GL_TEXTURE_MIN_FILTER,
    c::GL_TEXTURE_MAG_FILTER,
    c::GL_TEXTURE_WRAP_S,
    c::GL_TEXTURE_WRAP_T,
    c::GL_TEXTURE_WRAP_R,
    c::GL_TEXTURE_BORDER_COLOR,
    c::GL_TEXTURE_MIN_LOD,
    c::GL_TEXTURE_MAX_LOD,
    c::GL_TEXTURE_LOD_BIAS,
    c::GL_TEXTURE_MAX_ANISOTROPY,
    c::GL_TEXTURE_COMPARE_MODE,
    c::GL_TEXTURE_COMPARE_FUNC,
    c::GL_TEXTURE_CUBE_MAP_SEAMLESS,
    c::GL_TEXTURE_SRGB_DECODE_EXT,
    c::GL_TEXTURE_REDUCTION_MODE_EXT,
    c::GL_TEXTURE_BASE_LEVEL,
    c::GL_TEXTURE_MAX_LEVEL,
    c::GL_GENERATE_MIPMAP,
    c::GL_DEPTH_TEXTURE_MODE,
    c::GL_DEPTH_STENCIL_TEXTURE_MODE,
    c::GL_TEXTURE_SWIZZLE_R,
    c::GL_TEXTURE_SWIZZLE_G,
    c::GL_TEXTURE_SWIZZLE_B,
    c::GL_TEXTURE_SWIZZLE_A,
    c::GL_TEXTURE_SWIZZLE_RGBA,
    c::GL_TEXTURE_PRIORITY,
    c::GL_TEXTURE_RESIDENT,
    c::GL_TEXTURE_IMMUTABLE_FORMAT,
    c::GL_TEXTURE_IMMUTABLE_LEVELS,
    c::GL_TEXTURE_VIEW_MIN_LEVEL,
    c::GL_TEXTURE_VIEW_NUM_LEVELS,
    c::GL_TEXTURE_VIEW_MIN_LAYER,
    c::GL_TEXTURE_VIEW_NUM_LAYERS,
    c::GL_IMAGE_FORMAT_COMPATIBILITY_TYPE,
    c::GL_TEXTURE_TARGET,
    c::GL_REQUIRED_TEXTURE_IMAGE_UNITS_OES,
    c::GL_TEXTURE_CROP_RECT_OES,
    c::GL_TEXTURE_WIDTH,
    c::GL_TEXTURE_TILING_EXT,
];

const VALUES: &[u32] = &[
    0,
    1,
    2,
    7,
    u32::MAX,
    c::GL_NEAREST,
    c::GL_LINEAR,
    c::GL_NEAREST_MIPMAP_NEAREST,
    c::GL_LINEAR_MIPMAP_LINEAR,
    c::GL_REPEAT,
    c::GL_CLAMP,
    c::GL_CLAMP_TO_EDGE,
    c::GL_CLAMP_TO_BORDER,
    c::GL_MIRRORED_REPEAT,
    c::GL_MIRROR_CLAMP_TO_EDGE,
    c::GL_MIRROR_CLAMP_EXT,
    c::GL_MIRROR_CLAMP_TO_BORDER_EXT,
    c::GL_NONE,
    c::GL_COMPARE_REF_TO_TEXTURE,
    c::GL_LESS,
    c::GL_ALWAYS,
    c::GL_RED,
    c::GL_ALPHA,
    c::GL_ZERO,
    c::GL_LUMINANCE,
    c::GL_INTENSITY,
    c::GL_DECODE_EXT,
    c::GL_SKIP_DECODE_EXT,
    c::GL_MIN,
    c::GL_MAX,
    c::GL_WEIGHTED_AVERAGE_EXT,
    c::GL_STENCIL_INDEX,
    c::GL_DEPTH_COMPONENT,
];

/// Bindings that `glGet…` returns.
const BINDINGS: &[u32] = &[
    c::GL_ACTIVE_TEXTURE,
    c::GL_SAMPLER_BINDING,
    c::GL_TEXTURE_BINDING_1D,
    c::GL_TEXTURE_BINDING_2D,
    c::GL_TEXTURE_BINDING_3D,
    c::GL_TEXTURE_BINDING_CUBE_MAP,
    c::GL_TEXTURE_BINDING_RECTANGLE,
    c::GL_TEXTURE_BINDING_1D_ARRAY,
    c::GL_TEXTURE_BINDING_2D_ARRAY,
    c::GL_TEXTURE_BINDING_CUBE_MAP_ARRAY,
    c::GL_TEXTURE_BINDING_BUFFER,
    c::GL_TEXTURE_BINDING_2D_MULTISAMPLE,
    c::GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY,
    c::GL_TEXTURE_BINDING_EXTERNAL_OES,
];

/// Returns a random name: usually one of these, sometimes zero or one that was never generated.
pub fn name(random: &mut Random, names: &[u32]) -> u32 {
    match random.index(10) {
        0 => 0,
        1 => 4242 + random.index(3) as u32,
        _ if names.is_empty() => 0,
        _ => random.pick(names),
    }
}

pub fn generate(lab: &mut Lab, command: api::CommandId, count: usize) -> Vec<u32> {
    let (_, written) = lab.call(command, &[w(count as i64), Arg::Out(count * 4)]);
    written[1].chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

fn values(random: &mut Random) -> [i32; 4] {
    [0; 4].map(|_| random.pick(VALUES).cast_signed())
}

fn set_parameter(lab: &mut Lab, random: &mut Random, textures: &[u32], samplers: &[u32]) {
    let pname = random.pick(PNAMES);
    let values = values(random);
    let fractions = [0; 4].map(|_| random.index(400) as f32 / 100.0 - 1.5);
    let as_floats = if random.one_in(2) { values.map(|value| value as f32) } else { fractions };
    let target = random.pick(TARGETS);
    let texture = name(random, textures);
    let sampler = name(random, samplers);
    let unit = c::GL_TEXTURE0 + random.index(4) as u32;
    let direct = lab.kind != ContextKind::Es3;
    let extended = lab.kind == ContextKind::Compatibility;
    match random.index(24) {
        0 | 1 => lab.call(id::glTexParameteri, &[w(target), w(pname), w(values[0])]),
        2 | 3 => lab.call(id::glTexParameterf, &[w(target), w(pname), f(as_floats[0])]),
        4 => lab.call(id::glTexParameteriv, &[w(target), w(pname), ints(&values)]),
        5 => lab.call(id::glTexParameterfv, &[w(target), w(pname), floats(&as_floats)]),
        6 => lab.call(id::glTexParameterIiv, &[w(target), w(pname), ints(&values)]),
        7 => lab.call(id::glTexParameterIuiv, &[w(target), w(pname), ints(&values)]),
        8 => lab.call(id::glSamplerParameteri, &[w(sampler), w(pname), w(values[0])]),
        9 => lab.call(id::glSamplerParameterf, &[w(sampler), w(pname), f(as_floats[0])]),
        10 => lab.call(id::glSamplerParameteriv, &[w(sampler), w(pname), ints(&values)]),
        11 => lab.call(id::glSamplerParameterfv, &[w(sampler), w(pname), floats(&as_floats)]),
        12 => lab.call(id::glSamplerParameterIiv, &[w(sampler), w(pname), ints(&values)]),
        13 => lab.call(id::glSamplerParameterIuiv, &[w(sampler), w(pname), ints(&values)]),
        14 if direct => lab.call(id::glTextureParameteri, &[w(texture), w(pname), w(values[0])]),
        15 if direct => lab.call(id::glTextureParameterf, &[w(texture), w(pname), f(as_floats[0])]),
        16 if direct => lab.call(id::glTextureParameteriv, &[w(texture), w(pname), ints(&values)]),
        17 if direct => lab.call(id::glTextureParameterfv, &[w(texture), w(pname), floats(&as_floats)]),
        18 if direct => lab.call(id::glTextureParameterIiv, &[w(texture), w(pname), ints(&values)]),
        19 if extended => lab.call(id::glTextureParameteriEXT, &[w(texture), w(target), w(pname), w(values[0])]),
        20 if extended => lab.call(id::glTextureParameterfvEXT, &[w(texture), w(target), w(pname), floats(&as_floats)]),
        21 if extended => lab.call(id::glMultiTexParameteriEXT, &[w(unit), w(target), w(pname), w(values[0])]),
        22 if extended => lab.call(id::glMultiTexParameterfvEXT, &[w(unit), w(target), w(pname), floats(&as_floats)]),
        _ => lab.call(id::glTexParameteri, &[w(target), w(pname), w(values[0])]),
    };
}

fn bind(lab: &mut Lab, random: &mut Random, textures: &mut Vec<u32>, samplers: &mut Vec<u32>) {
    let target = random.pick(TARGETS);
    let direct = lab.kind != ContextKind::Es3;
    let texture = name(random, textures);
    let unit = random.index(5) as u32;
    match random.index(13) {
        0 => textures.extend(generate(lab, id::glGenTextures, 3)),
        1 if direct => {
            let (_, written) = lab.call(id::glCreateTextures, &[w(target), w(1), Arg::Out(4)]);
            let name = u32::from_le_bytes(written[2][..4].try_into().expect("four bytes"));
            textures.extend((name != 0).then_some(name));
        }
        2 => samplers.extend(generate(lab, id::glGenSamplers, 2)),
        3 | 4 => drop(lab.call(id::glBindTexture, &[w(target), w(texture)])),
        5 if direct => drop(lab.call(id::glBindTextureUnit, &[w(unit), w(texture)])),
        6 if direct => {
            let names = [0; 3].map(|_| name(random, textures).cast_signed());
            lab.call(id::glBindTextures, &[w(unit), w(3), ints(&names)]);
        }
        7 => drop(lab.call(id::glBindSampler, &[w(unit), w(name(random, samplers))])),
        8 if direct => {
            let names = [0; 3].map(|_| name(random, samplers).cast_signed());
            lab.call(id::glBindSamplers, &[w(unit), w(3), ints(&names)]);
        }
        9 => drop(lab.call(id::glActiveTexture, &[w(c::GL_TEXTURE0 + random.index(5) as u32)])),
        10 => drop(lab.call(id::glDeleteTextures, &[w(1), ints(&[texture.cast_signed()])])),
        11 if random.one_in(3) => {
            drop(lab.call(id::glDeleteSamplers, &[w(1), ints(&[name(random, samplers).cast_signed()])]));
        }
        _ => {
            let access = random.pick(&[c::GL_READ_ONLY, c::GL_READ_WRITE, c::GL_WRITE_ONLY, c::GL_NONE]);
            let format = random.pick(&[c::GL_RGBA8, c::GL_R32UI, c::GL_R8, c::GL_RGB8, c::GL_RGBA32F]);
            let level = w(random.index(4) as i64 - 1);
            let layered = w(random.index(2) as i64);
            let args = [w(unit), w(texture), level, layered, w(random.index(3) as i64), w(access), w(format)];
            drop(lab.call(id::glBindImageTexture, &args));
        }
    }
}

fn ask(lab: &mut Lab, textures: &[u32], samplers: &[u32]) {
    let direct = lab.kind != ContextKind::Es3;
    for binding in BINDINGS {
        lab.ask(id::glGetIntegerv, &[*binding]);
    }
    for unit in 0..6 {
        for name in c::GL_IMAGE_BINDING_NAME..=c::GL_IMAGE_BINDING_ACCESS {
            lab.ask(id::glGetIntegeri_v, &[name, unit]);
        }
        lab.ask(id::glGetIntegeri_v, &[c::GL_IMAGE_BINDING_FORMAT, unit]);
    }
    for pname in PNAMES {
        for target in TARGETS {
            lab.ask(id::glGetTexParameteriv, &[*target, *pname]);
            lab.ask(id::glGetTexParameterfv, &[*target, *pname]);
            lab.ask(id::glGetTexParameterIiv, &[*target, *pname]);
            lab.ask(id::glGetTexParameterIuiv, &[*target, *pname]);
        }
        for sampler in samplers {
            lab.ask(id::glGetSamplerParameteriv, &[*sampler, *pname]);
            lab.ask(id::glGetSamplerParameterfv, &[*sampler, *pname]);
            lab.ask(id::glGetSamplerParameterIiv, &[*sampler, *pname]);
            lab.ask(id::glGetSamplerParameterIuiv, &[*sampler, *pname]);
        }
        if direct {
            for texture in textures {
                lab.ask(id::glGetTextureParameteriv, &[*texture, *pname]);
                lab.ask(id::glGetTextureParameterfv, &[*texture, *pname]);
            }
        }
    }
    for name in textures.iter().chain(samplers).chain(&[0, 4242]) {
        lab.ask(id::glIsTexture, &[*name]);
        lab.ask(id::glIsSampler, &[*name]);
    }
}

fn run(kind: ContextKind) {
    let mut lab = Lab::new(kind);
    let mut random = Random::xorshift(kind as u64 + 7);
    let (mut textures, mut samplers) = (Vec::new(), Vec::new());
    textures.extend(generate(&mut lab, id::glGenTextures, 4));
    ask(&mut lab, &textures, &samplers);
    for round in 0..12 {
        for _ in 0..60 {
            if random.one_in(3) {
                bind(&mut lab, &mut random, &mut textures, &mut samplers);
            } else {
                set_parameter(&mut lab, &mut random, &textures, &samplers);
            }
        }
        ask(&mut lab, &textures[..textures.len().min(12 + round)], &samplers[..samplers.len().min(6)]);
    }
    lab.finish();
}

#[test]
fn compatibility() {
    run(ContextKind::Compatibility);
}

#[test]
fn core() {
    run(ContextKind::Core);
}

#[test]
fn es() {
    run(ContextKind::Es3);
}
