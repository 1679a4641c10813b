//! Levels of textures: sizes, formats, storage, views and mipmaps.

use api::{constant as c, id};
use testing::random::Random;
use testing::twin::ContextKind;

use crate::lab::{Arg, Lab, TOO_LARGE, alone, ints, rounds, w};
use crate::parameters::{TARGETS, generate, name};

const IMAGE_TARGETS: &[u32] = &[
    c::GL_TEXTURE_1D,
    c::GL_TEXTURE_2D,
    c::GL_TEXTURE_3D,
    c::GL_TEXTURE_CUBE_MAP,
    c::GL_TEXTURE_CUBE_MAP_POSITIVE_X,
    c::GL_TEXTURE_CUBE_MAP_POSITIVE_Y,
    c::GL_TEXTURE_CUBE_MAP_NEGATIVE_Z,
    c::GL_TEXTURE_RECTANGLE,
    c::GL_TEXTURE_1D_ARRAY,
    c::GL_TEXTURE_2D_ARRAY,
    c::GL_TEXTURE_CUBE_MAP_ARRAY,
    c::GL_TEXTURE_2D_MULTISAMPLE,
    c::GL_TEXTURE_2D_MULTISAMPLE_ARRAY,
    c::GL_PROXY_TEXTURE_1D,
    c::GL_PROXY_TEXTURE_2D,
    c::GL_PROXY_TEXTURE_3D,
    c::GL_PROXY_TEXTURE_CUBE_MAP,
    c::GL_PROXY_TEXTURE_2D_ARRAY,
    c::GL_PROXY_TEXTURE_2D_MULTISAMPLE,
];

const PNAMES: &[u32] = &[
    c::GL_TEXTURE_WIDTH,
    c::GL_TEXTURE_HEIGHT,
    c::GL_TEXTURE_DEPTH,
    c::GL_TEXTURE_INTERNAL_FORMAT,
    c::GL_TEXTURE_BORDER,
    c::GL_TEXTURE_RED_SIZE,
    c::GL_TEXTURE_GREEN_SIZE,
    c::GL_TEXTURE_BLUE_SIZE,
    c::GL_TEXTURE_ALPHA_SIZE,
    c::GL_TEXTURE_LUMINANCE_SIZE,
    c::GL_TEXTURE_INTENSITY_SIZE,
    c::GL_TEXTURE_DEPTH_SIZE,
    c::GL_TEXTURE_STENCIL_SIZE,
    c::GL_TEXTURE_SHARED_SIZE,
    c::GL_TEXTURE_RED_TYPE,
    c::GL_TEXTURE_ALPHA_TYPE,
    c::GL_TEXTURE_LUMINANCE_TYPE,
    c::GL_TEXTURE_DEPTH_TYPE,
    c::GL_TEXTURE_COMPRESSED,
    c::GL_TEXTURE_COMPRESSED_IMAGE_SIZE,
    c::GL_TEXTURE_SAMPLES,
    c::GL_TEXTURE_FIXED_SAMPLE_LOCATIONS,
    c::GL_TEXTURE_BUFFER_SIZE,
    c::GL_TEXTURE_MIN_FILTER,
];

/// Texture parameters that storage changes.
const STORAGE: &[u32] = &[
    c::GL_TEXTURE_IMMUTABLE_FORMAT,
    c::GL_TEXTURE_IMMUTABLE_LEVELS,
    c::GL_TEXTURE_VIEW_MIN_LEVEL,
    c::GL_TEXTURE_VIEW_NUM_LEVELS,
    c::GL_TEXTURE_VIEW_MIN_LAYER,
    c::GL_TEXTURE_VIEW_NUM_LAYERS,
    c::GL_TEXTURE_BASE_LEVEL,
    c::GL_TEXTURE_MAX_LEVEL,
];

pub const FORMATS: &[u32] = &[
    c::GL_RGBA,
    c::GL_RGB,
    c::GL_RED,
    c::GL_LUMINANCE,
    c::GL_ALPHA,
    c::GL_DEPTH_COMPONENT,
    c::GL_DEPTH_STENCIL,
    c::GL_RGBA8,
    c::GL_RGB8,
    c::GL_RGB565,
    c::GL_R8,
    c::GL_RG16,
    c::GL_RGBA16F,
    c::GL_RGBA32F,
    c::GL_RGB32F,
    c::GL_R32UI,
    c::GL_RGBA8UI,
    c::GL_RGBA8I,
    c::GL_SRGB8_ALPHA8,
    c::GL_RGB10_A2,
    c::GL_RGB9_E5,
    c::GL_R11F_G11F_B10F,
    c::GL_DEPTH_COMPONENT16,
    c::GL_DEPTH24_STENCIL8,
    c::GL_DEPTH_COMPONENT32F,
    c::GL_STENCIL_INDEX8,
    c::GL_LUMINANCE8,
    c::GL_INTENSITY8,
    c::GL_COMPRESSED_RGBA,
    c::GL_COMPRESSED_RGBA_S3TC_DXT5_EXT,
    c::GL_COMPRESSED_RED_RGTC1,
    c::GL_COMPRESSED_RGBA_BPTC_UNORM,
    c::GL_COMPRESSED_RGB8_ETC2,
    c::GL_COMPRESSED_RGBA_ASTC_4x4,
    c::GL_BLEND,
    4,
];

const PIXELS: &[u32] = &[
    c::GL_RGBA,
    c::GL_RGB,
    c::GL_RED,
    c::GL_BGRA,
    c::GL_LUMINANCE,
    c::GL_DEPTH_COMPONENT,
    c::GL_DEPTH_STENCIL,
    c::GL_STENCIL_INDEX,
    c::GL_RGBA_INTEGER,
    c::GL_RED_INTEGER,
];

const TYPES: &[u32] = &[
    c::GL_UNSIGNED_BYTE,
    c::GL_UNSIGNED_BYTE,
    c::GL_UNSIGNED_BYTE,
    c::GL_FLOAT,
    c::GL_UNSIGNED_SHORT,
    c::GL_UNSIGNED_INT,
    c::GL_HALF_FLOAT,
    c::GL_UNSIGNED_SHORT_4_4_4_4,
    c::GL_UNSIGNED_SHORT_5_6_5,
    c::GL_UNSIGNED_INT_24_8,
    c::GL_UNSIGNED_INT_2_10_10_10_REV,
    c::GL_INT,
];

/// Returns a format and type that are usually compatible with an internal format.
fn pixels(random: &mut Random, internal: u32) -> (u32, u32) {
    if random.one_in(3) {
        return (random.pick(PIXELS), random.pick(TYPES));
    }
    match internal {
        c::GL_DEPTH_COMPONENT | c::GL_DEPTH_COMPONENT16 => (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_SHORT),
        c::GL_DEPTH_COMPONENT32F => (c::GL_DEPTH_COMPONENT, c::GL_FLOAT),
        c::GL_DEPTH_STENCIL | c::GL_DEPTH24_STENCIL8 => (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8),
        c::GL_STENCIL_INDEX8 => (c::GL_STENCIL_INDEX, c::GL_UNSIGNED_BYTE),
        c::GL_RGBA8UI => (c::GL_RGBA_INTEGER, c::GL_UNSIGNED_BYTE),
        c::GL_RGBA8I => (c::GL_RGBA_INTEGER, c::GL_BYTE),
        c::GL_R32UI => (c::GL_RED_INTEGER, c::GL_UNSIGNED_INT),
        c::GL_RGB | c::GL_RGB8 | c::GL_RGB565 => (c::GL_RGB, c::GL_UNSIGNED_BYTE),
        c::GL_R8 | c::GL_RED => (c::GL_RED, c::GL_UNSIGNED_BYTE),
        c::GL_RGBA16F | c::GL_RGBA32F => (c::GL_RGBA, c::GL_FLOAT),
        c::GL_LUMINANCE | c::GL_ALPHA => (internal, c::GL_UNSIGNED_BYTE),
        _ => (c::GL_RGBA, c::GL_UNSIGNED_BYTE),
    }
}

fn side(random: &mut Random) -> i64 {
    random.pick(&[0, 1, 2, 3, 4, 6, 8, 8, 8, 8, 12, 16, 16, -1, TOO_LARGE])
}

fn small(random: &mut Random) -> i64 {
    random.pick(&[0, 1, 2, 4, 6, 8, 12, -1])
}

fn sizes(random: &mut Random) -> [i64; 3] {
    let width = side(random);
    let height = if random.one_in(2) { width } else { side(random) };
    [width, height, small(random)]
}

fn give(lab: &mut Lab, random: &mut Random, textures: &mut Vec<u32>) {
    let target = random.pick(IMAGE_TARGETS);
    let internal = random.pick(FORMATS);
    let (format, type_) = pixels(random, internal);
    let [width, height, depth] = sizes(random).map(w);
    let level = random.pick(&[0i64, 0, 0, 1, 2, 3, -1, 30]);
    let border = i64::from(random.one_in(12));
    let desktop = lab.kind != ContextKind::Es3;
    let extended = lab.kind == ContextKind::Compatibility;
    let texture = name(random, textures);
    let data = || Arg::In(vec![0; 1 << 17]);
    let levels = w(random.pick(&[1i64, 1, 2, 3, 0, 9]));
    let samples = w(random.pick(&[1i64, 2, 3, 4, 0, 8]));
    let fixed = w(random.index(2) as i64);
    match random.index(32) {
        0 if desktop => {
            let args = [w(target), w(level), w(internal), width, w(border), w(format), w(type_), Arg::Word(0)];
            lab.call(id::glTexImage1D, &args)
        }
        1..=6 => {
            let args = [w(target), w(level), w(internal), width, height, w(border), w(format), w(type_), Arg::Word(0)];
            lab.call(id::glTexImage2D, &args)
        }
        7..=9 => {
            let rest = [w(border), w(format), w(type_), Arg::Word(0)];
            let mut args = vec![w(target), w(level), w(internal), width, height, depth];
            args.extend(rest);
            lab.call(id::glTexImage3D, &args)
        }
        10 if extended => {
            let mut args = vec![w(texture), w(target), w(level), w(internal), width, height];
            args.extend([w(border), w(format), w(type_), Arg::Word(0)]);
            lab.call(id::glTextureImage2DEXT, &args)
        }
        11 | 12 => lab.call(id::glTexStorage2D, &[w(target), levels, w(internal), width, height]),
        13 => lab.call(id::glTexStorage3D, &[w(target), levels, w(internal), width, height, depth]),
        14 if desktop => lab.call(id::glTextureStorage2D, &[w(texture), levels, w(internal), width, height]),
        15 if desktop => lab.call(id::glTextureStorage3D, &[w(texture), levels, w(internal), width, height, depth]),
        16 if desktop => {
            lab.call(id::glTexImage2DMultisample, &[w(target), samples, w(internal), width, height, fixed])
        }
        17 => lab.call(id::glTexStorage2DMultisample, &[w(target), samples, w(internal), width, height, fixed]),
        18 if desktop => {
            lab.call(id::glTextureStorage2DMultisample, &[w(texture), samples, w(internal), width, height, fixed])
        }
        19 | 20 => lab.call(id::glGenerateMipmap, &[w(target)]),
        21 if desktop => lab.call(id::glGenerateTextureMipmap, &[w(texture)]),
        22..=24 => {
            let [x, y] = [0; 2].map(|_| w(random.pick(&[0i64, 0, 0, 1, 4, -1])));
            let mut args = vec![w(target), w(level), x, y, width, height, w(format), w(type_)];
            args.push(data());
            lab.call(id::glTexSubImage2D, &args)
        }
        25 if desktop => {
            let mut args = vec![w(texture), w(level), w(0), w(0), w(0), width, height, depth, w(format), w(type_)];
            args.push(data());
            lab.call(id::glTextureSubImage3D, &args)
        }
        26 | 27 => {
            let bytes = random.pick(&[16i32, 64, 64, 256, 32]);
            let mut args = vec![w(target), w(level), w(internal), width, height, w(border), w(bytes)];
            args.push(Arg::In(vec![0; 1 << 17]));
            lab.call(id::glCompressedTexImage2D, &args)
        }
        28 => {
            let bytes = random.pick(&[16i32, 64, 64, 256, 32]);
            let mut args = vec![w(target), w(level), w(0), w(0), width, height, w(internal), w(bytes)];
            args.push(Arg::In(vec![0; 1 << 17]));
            lab.call(id::glCompressedTexSubImage2D, &args)
        }
        29 if lab.kind != ContextKind::Es3 => {
            let fresh = generate(lab, id::glGenTextures, 1)[0];
            let new = random.pick(TARGETS);
            let internal = random.pick(&[internal, c::GL_RGBA8, c::GL_RGBA8UI, c::GL_R32UI]);
            let [level, count, layer] = [0; 3].map(|_| random.index(4) as i64);
            let layers = random.pick(&[1i64, 1, 2, 6, 12]);
            let mut args = vec![w(fresh), w(new), w(texture), w(internal), w(level), w(count + 1)];
            args.extend([w(layer), w(layers)]);
            textures.push(fresh);
            lab.call(id::glTextureView, &args)
        }
        30 => {
            let pname = random.pick(&[c::GL_TEXTURE_BASE_LEVEL, c::GL_TEXTURE_MAX_LEVEL, c::GL_GENERATE_MIPMAP]);
            let value = w(random.pick(&[0i64, 1, 2, 1000]));
            lab.call(id::glTexParameteri, &[w(target), w(pname), value])
        }
        _ => {
            let args = [w(target), w(level), w(internal), width, height, w(border), w(format), w(type_), Arg::Word(0)];
            lab.call(id::glTexImage2D, &args)
        }
    };
}

fn ask(lab: &mut Lab, textures: &[u32]) {
    for target in IMAGE_TARGETS {
        for level in 0..5 {
            for pname in PNAMES {
                lab.ask(id::glGetTexLevelParameteriv, &[*target, level, *pname]);
            }
        }
        for pname in STORAGE {
            lab.ask(id::glGetTexParameteriv, &[*target, *pname]);
        }
    }
    if lab.kind != ContextKind::Es3 {
        for texture in textures.iter().rev().take(8) {
            for pname in PNAMES {
                lab.ask(id::glGetTextureLevelParameteriv, &[*texture, 0, *pname]);
                lab.ask(id::glGetTextureLevelParameterfv, &[*texture, 1, *pname]);
            }
            for pname in STORAGE {
                lab.ask(id::glGetTextureParameteriv, &[*texture, *pname]);
            }
        }
    }
}

fn run(kind: ContextKind, seed: u64) {
    let mut lab = Lab::new(kind);
    let mut random = Random::xorshift(seed);
    let mut textures = generate(&mut lab, id::glGenTextures, 8);
    ask(&mut lab, &textures);
    for _ in 0..60 {
        for _ in 0..12 {
            match random.index(6) {
                0 => drop(lab.call(id::glBindTexture, &[w(random.pick(TARGETS)), w(name(&mut random, &textures))])),
                1 if textures.len() > 12 => {
                    let at = random.index(textures.len());
                    let gone = textures.swap_remove(at);
                    lab.call(id::glDeleteTextures, &[w(1), ints(&[gone.cast_signed()])]);
                }
                1 => textures.extend(generate(&mut lab, id::glGenTextures, 2)),
                _ => give(&mut lab, &mut random, &mut textures),
            }
        }
        ask(&mut lab, &textures);
    }
    lab.finish();
}

#[test]
fn compatibility() {
    alone("levels::compatibility", || (11..11 + rounds()).for_each(|seed| run(ContextKind::Compatibility, seed)));
}

#[test]
fn core() {
    alone("levels::core", || (12..12 + rounds()).for_each(|seed| run(ContextKind::Core, seed)));
}

#[test]
fn es() {
    alone("levels::es", || (13..13 + rounds()).for_each(|seed| run(ContextKind::Es3, seed)));
}
