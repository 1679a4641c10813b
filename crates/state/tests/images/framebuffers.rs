//! Renderbuffers and framebuffers: attachments, completeness, draw buffers.

use api::{constant as c, id};
use testing::random::Random;
use testing::twin::ContextKind;

use crate::lab::{Arg, Lab, TOO_LARGE, ints, rounds, w};
use crate::levels::FORMATS;
use crate::parameters::{generate, name};

const TARGETS: &[u32] = &[c::GL_FRAMEBUFFER, c::GL_DRAW_FRAMEBUFFER, c::GL_READ_FRAMEBUFFER];

const ATTACHMENTS: &[u32] = &[
    c::GL_COLOR_ATTACHMENT0,
    c::GL_COLOR_ATTACHMENT0,
    c::GL_COLOR_ATTACHMENT1,
    c::GL_DEPTH_ATTACHMENT,
    c::GL_STENCIL_ATTACHMENT,
    c::GL_DEPTH_STENCIL_ATTACHMENT,
    c::GL_COLOR_ATTACHMENT9,
    c::GL_BACK,
];

const ASKED_ATTACHMENTS: &[u32] = &[
    c::GL_COLOR_ATTACHMENT0,
    c::GL_COLOR_ATTACHMENT1,
    c::GL_COLOR_ATTACHMENT9,
    c::GL_DEPTH_ATTACHMENT,
    c::GL_STENCIL_ATTACHMENT,
    c::GL_DEPTH_STENCIL_ATTACHMENT,
    c::GL_BACK,
    c::GL_BACK_LEFT,
    c::GL_FRONT_LEFT,
    c::GL_FRONT,
    c::GL_DEPTH,
    c::GL_STENCIL,
    c::GL_LEFT,
];

const ATTACHMENT_PNAMES: &[u32] = &[
    c::GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE,
    c::GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME,
    c::GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL,
    c::GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE,
    c::GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER,
    c::GL_FRAMEBUFFER_ATTACHMENT_LAYERED,
    c::GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING,
    c::GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE,
    c::GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE,
    c::GL_FRAMEBUFFER_ATTACHMENT_GREEN_SIZE,
    c::GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE,
    c::GL_FRAMEBUFFER_ATTACHMENT_DEPTH_SIZE,
    c::GL_FRAMEBUFFER_ATTACHMENT_STENCIL_SIZE,
    c::GL_TEXTURE_WIDTH,
];

const PARAMETERS: &[u32] = &[
    c::GL_FRAMEBUFFER_DEFAULT_WIDTH,
    c::GL_FRAMEBUFFER_DEFAULT_HEIGHT,
    c::GL_FRAMEBUFFER_DEFAULT_LAYERS,
    c::GL_FRAMEBUFFER_DEFAULT_SAMPLES,
    c::GL_FRAMEBUFFER_DEFAULT_FIXED_SAMPLE_LOCATIONS,
    c::GL_FRAMEBUFFER_FLIP_Y_MESA,
    c::GL_BLEND,
];

const RENDERBUFFER: &[u32] = &[
    c::GL_RENDERBUFFER_WIDTH,
    c::GL_RENDERBUFFER_HEIGHT,
    c::GL_RENDERBUFFER_INTERNAL_FORMAT,
    c::GL_RENDERBUFFER_RED_SIZE,
    c::GL_RENDERBUFFER_GREEN_SIZE,
    c::GL_RENDERBUFFER_BLUE_SIZE,
    c::GL_RENDERBUFFER_ALPHA_SIZE,
    c::GL_RENDERBUFFER_DEPTH_SIZE,
    c::GL_RENDERBUFFER_STENCIL_SIZE,
    c::GL_RENDERBUFFER_SAMPLES,
    c::GL_TEXTURE_WIDTH,
];

const VALUES: &[u32] = &[
    c::GL_DRAW_FRAMEBUFFER_BINDING,
    c::GL_READ_FRAMEBUFFER_BINDING,
    c::GL_RENDERBUFFER_BINDING,
    c::GL_DRAW_BUFFER,
    c::GL_DRAW_BUFFER0,
    c::GL_DRAW_BUFFER1,
    c::GL_DRAW_BUFFER2,
    c::GL_DRAW_BUFFER7,
    c::GL_READ_BUFFER,
    c::GL_RED_BITS,
    c::GL_GREEN_BITS,
    c::GL_BLUE_BITS,
    c::GL_ALPHA_BITS,
    c::GL_DEPTH_BITS,
    c::GL_STENCIL_BITS,
    c::GL_SAMPLES,
    c::GL_SAMPLE_BUFFERS,
    c::GL_DOUBLEBUFFER,
    c::GL_STEREO,
    c::GL_RGBA_FLOAT_MODE_ARB,
    c::GL_RGBA_INTEGER_MODE_EXT,
    c::GL_FRAMEBUFFER_SRGB_CAPABLE_EXT,
    c::GL_ACCUM_RED_BITS,
    c::GL_TEXTURE_BUFFER_DATA_STORE_BINDING,
    c::GL_TEXTURE_BUFFER_FORMAT_ARB,
    c::GL_IMPLEMENTATION_COLOR_READ_FORMAT,
    c::GL_IMPLEMENTATION_COLOR_READ_TYPE,
];

const BUFFERS: &[u32] = &[
    c::GL_NONE,
    c::GL_BACK,
    c::GL_FRONT,
    c::GL_FRONT_LEFT,
    c::GL_BACK_LEFT,
    c::GL_FRONT_AND_BACK,
    c::GL_LEFT,
    c::GL_RIGHT,
    c::GL_COLOR_ATTACHMENT0,
    c::GL_COLOR_ATTACHMENT0,
    c::GL_COLOR_ATTACHMENT1,
    c::GL_COLOR_ATTACHMENT9,
    c::GL_BLEND,
];

/// Objects for random calls.
pub struct Objects {
    pub textures: Vec<u32>,
    pub renderbuffers: Vec<u32>,
    pub framebuffers: Vec<u32>,
}

/// Creates a texture of each type, with contents.
fn textures(lab: &mut Lab) -> Vec<u32> {
    let names = generate(lab, id::glGenTextures, 14);
    let image = |lab: &mut Lab, target: u32, level: i64, internal: u32, format: u32, type_: u32| {
        let size = w(8 >> level);
        let args = [w(target), w(level), w(internal), size.clone(), size, w(0), w(format), w(type_), Arg::Word(0)];
        lab.call(id::glTexImage2D, &args);
    };
    let plain = [
        (c::GL_RGBA, c::GL_RGBA, c::GL_UNSIGNED_BYTE),
        (c::GL_RGB, c::GL_RGB, c::GL_UNSIGNED_BYTE),
        (c::GL_RGBA32F, c::GL_RGBA, c::GL_FLOAT),
        (c::GL_DEPTH_COMPONENT, c::GL_DEPTH_COMPONENT, c::GL_UNSIGNED_INT),
        (c::GL_DEPTH_STENCIL, c::GL_DEPTH_STENCIL, c::GL_UNSIGNED_INT_24_8),
        (c::GL_LUMINANCE, c::GL_LUMINANCE, c::GL_UNSIGNED_BYTE),
    ];
    for (name, (internal, format, type_)) in names.iter().zip(plain) {
        lab.call(id::glBindTexture, &[w(c::GL_TEXTURE_2D), w(*name)]);
        image(lab, c::GL_TEXTURE_2D, 0, internal, format, type_);
        if internal == c::GL_RGB || internal == c::GL_RGBA {
            image(lab, c::GL_TEXTURE_2D, 1, internal, format, type_);
        }
    }
    lab.call(id::glBindTexture, &[w(c::GL_TEXTURE_CUBE_MAP), w(names[6])]);
    for face in 0..6 {
        let target = c::GL_TEXTURE_CUBE_MAP_POSITIVE_X + face;
        image(lab, target, 0, c::GL_RGBA, c::GL_RGBA, c::GL_UNSIGNED_BYTE);
    }
    let storage = |lab: &mut Lab, target: u32, name: u32, internal: u32| {
        lab.call(id::glBindTexture, &[w(target), w(name)]);
        lab.call(id::glTexStorage3D, &[w(target), w(2), w(internal), w(8), w(8), w(6)]);
    };
    storage(lab, c::GL_TEXTURE_2D_ARRAY, names[7], c::GL_RGBA8);
    storage(lab, c::GL_TEXTURE_3D, names[8], c::GL_RGBA8);
    storage(lab, c::GL_TEXTURE_CUBE_MAP_ARRAY, names[9], c::GL_SRGB8_ALPHA8);
    lab.call(id::glBindTexture, &[w(c::GL_TEXTURE_2D_MULTISAMPLE), w(names[10])]);
    let samples = [w(c::GL_TEXTURE_2D_MULTISAMPLE), w(4), w(c::GL_RGBA8), w(8), w(8), w(1)];
    lab.call(id::glTexStorage2DMultisample, &samples);
    lab.call(id::glBindTexture, &[w(c::GL_TEXTURE_2D), w(names[11])]);
    lab.call(id::glTexStorage2D, &[w(c::GL_TEXTURE_2D), w(3), w(c::GL_RGBA8UI), w(16), w(16)]);
    lab.call(id::glBindTexture, &[w(c::GL_TEXTURE_2D), w(names[12])]);
    names
}

pub fn change(lab: &mut Lab, random: &mut Random, objects: &mut Objects) {
    let target = random.pick(TARGETS);
    let attachment = random.pick(ATTACHMENTS);
    let direct = lab.kind != ContextKind::Es3;
    let extended = lab.kind == ContextKind::Compatibility;
    let framebuffer = name(random, &objects.framebuffers);
    let texture = name(random, &objects.textures);
    let renderbuffer = name(random, &objects.renderbuffers);
    let level = w(random.pick(&[0i64, 0, 0, 0, 1, 2, -1]));
    let layer = w(random.pick(&[0i64, 0, 1, 3, 5, 7, -1]));
    let textarget = random.pick(&[
        c::GL_TEXTURE_2D,
        c::GL_TEXTURE_2D,
        c::GL_TEXTURE_2D,
        c::GL_TEXTURE_CUBE_MAP_POSITIVE_Y,
        c::GL_TEXTURE_3D,
        c::GL_TEXTURE_2D_MULTISAMPLE,
        c::GL_TEXTURE_CUBE_MAP,
        c::GL_BLEND,
    ]);
    match random.index(36) {
        0..=3 => lab.call(id::glBindFramebuffer, &[w(target), w(framebuffer)]),
        4..=8 => lab.call(id::glFramebufferTexture2D, &[w(target), w(attachment), w(textarget), w(texture), level]),
        9 if direct => {
            let args = [w(target), w(attachment), w(textarget), w(texture), level, layer];
            lab.call(id::glFramebufferTexture3D, &args)
        }
        10 | 11 => lab.call(id::glFramebufferTexture, &[w(target), w(attachment), w(texture), level]),
        12 => lab.call(id::glFramebufferTextureLayer, &[w(target), w(attachment), w(texture), level, layer]),
        13 if direct => lab.call(id::glNamedFramebufferTexture, &[w(framebuffer), w(attachment), w(texture), level]),
        14 if direct => {
            let args = [w(framebuffer), w(attachment), w(texture), level, layer];
            lab.call(id::glNamedFramebufferTextureLayer, &args)
        }
        15 if extended => {
            let args = [w(framebuffer), w(attachment), w(textarget), w(texture), level];
            lab.call(id::glNamedFramebufferTexture2DEXT, &args)
        }
        16..=18 => {
            let args = [w(target), w(attachment), w(c::GL_RENDERBUFFER), w(renderbuffer)];
            lab.call(id::glFramebufferRenderbuffer, &args)
        }
        19 if direct => {
            let args = [w(framebuffer), w(attachment), w(c::GL_RENDERBUFFER), w(renderbuffer)];
            lab.call(id::glNamedFramebufferRenderbuffer, &args)
        }
        20 => lab.call(id::glBindRenderbuffer, &[w(c::GL_RENDERBUFFER), w(renderbuffer)]),
        21..=23 => {
            let [width, height] = [0; 2].map(|_| w(random.pick(&[8i64, 8, 8, 0, 16, -1, TOO_LARGE])));
            let internal = w(random.pick(FORMATS));
            if random.one_in(2) {
                lab.call(id::glRenderbufferStorage, &[w(c::GL_RENDERBUFFER), internal, width, height])
            } else {
                let samples = w(random.pick(&[0i64, 1, 2, 4, 8, -1]));
                let args = [w(c::GL_RENDERBUFFER), samples, internal, width, height];
                lab.call(id::glRenderbufferStorageMultisample, &args)
            }
        }
        24 if direct => {
            let args = [w(renderbuffer), w(random.pick(FORMATS)), w(8), w(8)];
            lab.call(id::glNamedRenderbufferStorage, &args)
        }
        25 if direct => lab.call(id::glDrawBuffer, &[w(random.pick(BUFFERS))]),
        26 | 27 => {
            let names = [0; 3].map(|_| random.pick(BUFFERS).cast_signed());
            lab.call(id::glDrawBuffers, &[w(random.pick(&[0i64, 1, 2, 3, 9])), ints(&[names, names, names].concat())])
        }
        28 => lab.call(id::glReadBuffer, &[w(random.pick(BUFFERS))]),
        29 if direct => lab.call(id::glNamedFramebufferDrawBuffer, &[w(framebuffer), w(random.pick(BUFFERS))]),
        30 if direct => lab.call(id::glNamedFramebufferReadBuffer, &[w(framebuffer), w(random.pick(BUFFERS))]),
        31 | 32 => {
            let value = w(random.pick(&[0i64, 1, 4, 100, -1, TOO_LARGE]));
            lab.call(id::glFramebufferParameteri, &[w(target), w(random.pick(PARAMETERS)), value])
        }
        33 => match random.index(3) {
            0 => lab.call(id::glDeleteFramebuffers, &[w(1), ints(&[framebuffer.cast_signed()])]),
            1 => lab.call(id::glDeleteRenderbuffers, &[w(1), ints(&[renderbuffer.cast_signed()])]),
            _ if objects.textures.len() > 8 => {
                let at = random.index(objects.textures.len());
                let gone = objects.textures.swap_remove(at);
                lab.call(id::glDeleteTextures, &[w(1), ints(&[gone.cast_signed()])])
            }
            _ => Default::default(),
        },
        34 => {
            objects.framebuffers.extend(generate(lab, id::glGenFramebuffers, 1));
            objects.renderbuffers.extend(generate(lab, id::glGenRenderbuffers, 1));
            Default::default()
        }
        _ => lab.call(id::glBindFramebuffer, &[w(target), w(framebuffer)]),
    };
}

fn ask(lab: &mut Lab, objects: &Objects) {
    let direct = lab.kind != ContextKind::Es3;
    for value in VALUES {
        lab.ask(id::glGetIntegerv, &[*value]);
    }
    for target in &TARGETS[1..] {
        lab.ask(id::glCheckFramebufferStatus, &[*target]);
        for pname in PARAMETERS {
            lab.ask(id::glGetFramebufferParameteriv, &[*target, *pname]);
        }
        for attachment in ASKED_ATTACHMENTS {
            for pname in ATTACHMENT_PNAMES {
                lab.ask(id::glGetFramebufferAttachmentParameteriv, &[*target, *attachment, *pname]);
            }
        }
    }
    for pname in RENDERBUFFER {
        lab.ask(id::glGetRenderbufferParameteriv, &[c::GL_RENDERBUFFER, *pname]);
        if direct {
            for renderbuffer in &objects.renderbuffers {
                lab.ask(id::glGetNamedRenderbufferParameteriv, &[*renderbuffer, *pname]);
            }
        }
    }
    for name in &objects.framebuffers {
        lab.ask(id::glIsFramebuffer, &[*name]);
        if direct {
            lab.ask(id::glCheckNamedFramebufferStatus, &[*name, c::GL_FRAMEBUFFER]);
            for pname in [c::GL_SAMPLES, c::GL_DOUBLEBUFFER, c::GL_IMPLEMENTATION_COLOR_READ_FORMAT] {
                lab.ask(id::glGetNamedFramebufferParameteriv, &[*name, pname]);
            }
        }
    }
    for name in &objects.renderbuffers {
        lab.ask(id::glIsRenderbuffer, &[*name]);
    }
}

/// Creates objects with contents.
pub fn objects(lab: &mut Lab) -> Objects {
    let textures = textures(lab);
    let renderbuffers = generate(lab, id::glGenRenderbuffers, 6);
    let framebuffers = generate(lab, id::glGenFramebuffers, 5);
    let formats = [c::GL_RGBA8, c::GL_DEPTH24_STENCIL8, c::GL_STENCIL_INDEX8, c::GL_RGB565];
    for (name, format) in renderbuffers.iter().zip(formats) {
        lab.call(id::glBindRenderbuffer, &[w(c::GL_RENDERBUFFER), w(*name)]);
        lab.call(id::glRenderbufferStorage, &[w(c::GL_RENDERBUFFER), w(format), w(8), w(8)]);
    }
    Objects { textures, renderbuffers, framebuffers }
}

fn run(kind: ContextKind, seed: u64) {
    let mut lab = Lab::new(kind);
    let mut random = Random::xorshift(seed);
    let mut objects = objects(&mut lab);
    ask(&mut lab, &objects);
    for _ in 0..80 {
        for _ in 0..10 {
            change(&mut lab, &mut random, &mut objects);
        }
        ask(&mut lab, &objects);
    }
    lab.finish();
}

#[test]
fn compatibility() {
    (31..31 + rounds()).for_each(|seed| run(ContextKind::Compatibility, seed));
}

#[test]
fn core() {
    (32..32 + rounds()).for_each(|seed| run(ContextKind::Core, seed));
}

#[test]
fn es() {
    (33..33 + rounds()).for_each(|seed| run(ContextKind::Es3, seed));
}
