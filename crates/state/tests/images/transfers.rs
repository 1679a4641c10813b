//! Pixel transfers: reads, copies, clears, invalidation, and pixel buffers.

use api::{constant as c, id};
use testing::random::Random;
use testing::twin::ContextKind;

use crate::framebuffers::{Objects, change, objects};
use crate::lab::{Arg, Lab, ints, rounds, w};
use crate::parameters::{generate, name};

const PIXELS: &[(u32, u32)] = &[
    (c::GL_RGBA, c::GL_UNSIGNED_BYTE),
    (c::GL_RGBA, c::GL_UNSIGNED_BYTE),
    (c::GL_RGBA, c::GL_FLOAT),
    (c::GL_BGRA, c::GL_UNSIGNED_BYTE),
    (c::GL_RGB, c::GL_UNSIGNED_BYTE),
    (c::GL_RGBA_INTEGER, c::GL_UNSIGNED_INT),
    (c::GL_RGBA_INTEGER, c::GL_UNSIGNED_BYTE),
    (c::GL_DEPTH_COMPONENT, c::GL_FLOAT),
    (c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_INT),
    (c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8),
    (c::GL_STENCIL_INDEX, c::GL_UNSIGNED_BYTE),
    (c::GL_RED, c::GL_UNSIGNED_SHORT_5_6_5),
    (c::GL_BLEND, c::GL_UNSIGNED_BYTE),
];

const ROOM: usize = 1 << 16;

/// Binds a complete framebuffer, or any.
fn bind(lab: &mut Lab, random: &mut Random, objects: &Objects) {
    let target = random.pick(&[c::GL_FRAMEBUFFER, c::GL_DRAW_FRAMEBUFFER, c::GL_READ_FRAMEBUFFER]);
    lab.call(id::glBindFramebuffer, &[w(target), w(name(random, &objects.framebuffers))]);
    if random.one_in(2) {
        let texture = objects.textures[random.index(objects.textures.len())];
        let args = [w(target), w(c::GL_COLOR_ATTACHMENT0), w(c::GL_TEXTURE_2D), w(texture), w(0)];
        lab.call(id::glFramebufferTexture2D, &args);
    }
}

fn transfer(lab: &mut Lab, random: &mut Random, objects: &Objects, buffers: &[u32]) {
    let desktop = lab.kind != ContextKind::Es3;
    let (format, type_) = random.pick(PIXELS);
    let pixels = [w(format), w(type_)];
    let texture = name(random, &objects.textures);
    let level = w(random.pick(&[0i64, 0, 0, 1, -1, 20]));
    let target = random.pick(&[
        c::GL_TEXTURE_2D,
        c::GL_TEXTURE_2D,
        c::GL_TEXTURE_CUBE_MAP_POSITIVE_X,
        c::GL_TEXTURE_CUBE_MAP,
        c::GL_TEXTURE_3D,
        c::GL_TEXTURE_2D_ARRAY,
    ]);
    // With a buffer bound, a pointer is an offset.
    let packed = lab.integer(c::GL_PIXEL_PACK_BUFFER_BINDING).unwrap_or(0) != 0;
    let memory = || if packed { Arg::Word(8) } else { Arg::Out(ROOM) };
    let unpacked = lab.integer(c::GL_PIXEL_UNPACK_BUFFER_BINDING).unwrap_or(0) != 0;
    let source = || if unpacked { Arg::Word(16) } else { Arg::In(vec![0; ROOM]) };
    let internal = w(random.pick(&[
        c::GL_RGBA,
        c::GL_RGB,
        c::GL_RGBA8,
        c::GL_RGBA8UI,
        c::GL_DEPTH_COMPONENT,
        c::GL_LUMINANCE,
        c::GL_RGBA16F,
        c::GL_COMPRESSED_RGBA,
        4,
        c::GL_BLEND,
    ]));
    let size = |random: &mut Random| w(random.pick(&[1i64, 4, 8, 8, 0, -1]));
    let offset = |random: &mut Random| w(random.pick(&[0i64, 0, 0, 2, -1]));
    match random.index(20) {
        0..=2 => {
            let mut args = vec![w(0), w(0), size(random), size(random)];
            args.extend(pixels);
            args.push(memory());
            lab.call(id::glReadPixels, &args);
        }
        3 | 4 => {
            let mask = random.pick(&[
                c::GL_COLOR_BUFFER_BIT,
                c::GL_COLOR_BUFFER_BIT,
                c::GL_DEPTH_BUFFER_BIT,
                c::GL_STENCIL_BUFFER_BIT,
                c::GL_COLOR_BUFFER_BIT | c::GL_DEPTH_BUFFER_BIT,
                0x8000_0000,
            ]);
            let filter = random.pick(&[c::GL_NEAREST, c::GL_NEAREST, c::GL_LINEAR, c::GL_BLEND]);
            let side = random.pick(&[4i64, 4, 8]);
            let args = [0, 0, 4, 4, 0, 0, side, side].map(w);
            lab.call(id::glBlitFramebuffer, &[args.to_vec(), vec![w(mask), w(filter)]].concat());
        }
        5 | 6 => {
            let [x, y] = [w(0), w(0)];
            let args = [w(target), level, internal, x, y, size(random), size(random), w(0)];
            lab.call(id::glCopyTexImage2D, &args);
        }
        7 | 8 => {
            let [x, y] = [offset(random), offset(random)];
            let args = [w(target), level, x, y, w(0), w(0), size(random), size(random)];
            lab.call(id::glCopyTexSubImage2D, &args);
        }
        9 if desktop => {
            let args = [w(target), level, pixels[0].clone(), pixels[1].clone(), memory()];
            lab.call(id::glGetTexImage, &args);
        }
        10 if desktop => {
            let room = w(random.pick(&[16i64, ROOM as i64, ROOM as i64]));
            let args = [w(texture), level, pixels[0].clone(), pixels[1].clone(), room, memory()];
            lab.call(id::glGetTextureImage, &args);
        }
        11 if desktop => {
            let args = [w(texture), level, pixels[0].clone(), pixels[1].clone(), Arg::In(vec![0; 64])];
            lab.call(id::glClearTexImage, &args);
        }
        12 if desktop => drop(lab.call(id::glInvalidateTexImage, &[w(texture), level])),
        13 => {
            let names = random.pick(&[
                [c::GL_COLOR_ATTACHMENT0, c::GL_DEPTH_ATTACHMENT],
                [c::GL_COLOR, c::GL_DEPTH],
                [c::GL_DEPTH_STENCIL_ATTACHMENT, c::GL_COLOR_ATTACHMENT9],
                [c::GL_COLOR_ATTACHMENT1, c::GL_BLEND],
            ]);
            let count = w(random.pick(&[1i64, 2, -1]));
            let names = ints(&names.map(u32::cast_signed));
            lab.call(id::glInvalidateFramebuffer, &[w(c::GL_FRAMEBUFFER), count, names]);
        }
        14 => {
            let point = random.pick(&[c::GL_PIXEL_PACK_BUFFER, c::GL_PIXEL_UNPACK_BUFFER]);
            let buffer = if random.one_in(2) { 0 } else { random.pick(buffers) };
            lab.call(id::glBindBuffer, &[w(point), w(buffer)]);
        }
        15 => {
            let [x, y] = [offset(random), offset(random)];
            let mut args = vec![w(target), level, x, y, size(random), size(random)];
            args.extend(pixels);
            args.push(source());
            lab.call(id::glTexSubImage2D, &args);
        }
        16 => {
            let format = random.pick(&[c::GL_RGBA8, c::GL_R32F, c::GL_RGB8, c::GL_RGBA32UI]);
            let buffer = name(random, buffers);
            if random.one_in(2) {
                lab.call(id::glTexBuffer, &[w(c::GL_TEXTURE_BUFFER), w(format), w(buffer)]);
            } else {
                let start = w(random.pick(&[0i64, 16, 32, 5, -1]));
                let count = w(random.pick(&[16i64, 64, 1 << 20, 0]));
                let args = [w(c::GL_TEXTURE_BUFFER), w(format), w(buffer), start, count];
                lab.call(id::glTexBufferRange, &args);
            }
            for pname in [
                c::GL_TEXTURE_WIDTH,
                c::GL_TEXTURE_INTERNAL_FORMAT,
                c::GL_TEXTURE_BUFFER_DATA_STORE_BINDING,
                c::GL_TEXTURE_BUFFER_OFFSET,
                c::GL_TEXTURE_BUFFER_SIZE,
                c::GL_TEXTURE_RED_SIZE,
                c::GL_TEXTURE_RED_TYPE,
                c::GL_TEXTURE_COMPRESSED_IMAGE_SIZE,
            ] {
                lab.ask(id::glGetTexLevelParameteriv, &[c::GL_TEXTURE_BUFFER, 0, pname]);
            }
        }
        _ => bind(lab, random, objects),
    }
}

fn run(kind: ContextKind, seed: u64) {
    let mut lab = Lab::new(kind);
    let mut random = Random::xorshift(seed);
    let mut objects = objects(&mut lab);
    let buffers = generate(&mut lab, id::glGenBuffers, 3);
    for (buffer, size) in buffers.iter().zip([64i64, ROOM as i64]) {
        lab.call(id::glBindBuffer, &[w(c::GL_ARRAY_BUFFER), w(*buffer)]);
        let args = [w(c::GL_ARRAY_BUFFER), w(size), Arg::Word(0), w(c::GL_STATIC_DRAW)];
        lab.call(id::glBufferData, &args);
    }
    for _ in 0..700 {
        match random.index(5) {
            0 => change(&mut lab, &mut random, &mut objects),
            1 => {
                let texture = name(&mut random, &objects.textures);
                let target = random.pick(&[c::GL_TEXTURE_2D, c::GL_TEXTURE_2D, c::GL_TEXTURE_3D, c::GL_TEXTURE_BUFFER]);
                lab.call(id::glBindTexture, &[w(target), w(texture)]);
            }
            _ => transfer(&mut lab, &mut random, &objects, &buffers),
        }
    }
    lab.finish();
}

#[test]
fn compatibility() {
    (51..51 + rounds()).for_each(|seed| run(ContextKind::Compatibility, seed));
}

#[test]
fn core() {
    (52..52 + rounds()).for_each(|seed| run(ContextKind::Core, seed));
}

#[test]
fn es() {
    (53..53 + rounds()).for_each(|seed| run(ContextKind::Es3, seed));
}
