//! Reads images and tables back in all layouts.

use api::constant::*;
use api::extent::{Extent, extent};
use api::{CommandId, id};
use driver::Api;
use testing::random::Random;

use crate::gl::Gl;

const FORMATS: &[u32] = &[
    GL_RED,
    GL_GREEN,
    GL_BLUE,
    GL_ALPHA,
    GL_RG,
    GL_RGB,
    GL_BGR,
    GL_RGBA,
    GL_BGRA,
    GL_ABGR_EXT,
    GL_LUMINANCE,
    GL_LUMINANCE_ALPHA,
    GL_DEPTH_COMPONENT,
    GL_STENCIL_INDEX,
    GL_DEPTH_STENCIL,
    GL_RED_INTEGER,
    GL_RG_INTEGER,
    GL_RGB_INTEGER,
    GL_RGBA_INTEGER,
    GL_BGRA_INTEGER,
];

const TYPES: &[u32] = &[
    GL_BYTE,
    GL_UNSIGNED_BYTE,
    GL_SHORT,
    GL_UNSIGNED_SHORT,
    GL_INT,
    GL_UNSIGNED_INT,
    GL_HALF_FLOAT,
    GL_FLOAT,
    GL_UNSIGNED_BYTE_3_3_2,
    GL_UNSIGNED_BYTE_2_3_3_REV,
    GL_UNSIGNED_SHORT_5_6_5,
    GL_UNSIGNED_SHORT_5_6_5_REV,
    GL_UNSIGNED_SHORT_4_4_4_4,
    GL_UNSIGNED_SHORT_4_4_4_4_REV,
    GL_UNSIGNED_SHORT_5_5_5_1,
    GL_UNSIGNED_SHORT_1_5_5_5_REV,
    GL_UNSIGNED_INT_8_8_8_8,
    GL_UNSIGNED_INT_8_8_8_8_REV,
    GL_UNSIGNED_INT_10_10_10_2,
    GL_UNSIGNED_INT_2_10_10_10_REV,
    GL_UNSIGNED_INT_24_8,
    GL_UNSIGNED_INT_10F_11F_11F_REV,
    GL_UNSIGNED_INT_5_9_9_9_REV,
    GL_FLOAT_32_UNSIGNED_INT_24_8_REV,
];

/// Textures to read back: target, format, size.
const TEXTURES: &[(u32, u32, [u64; 3])] = &[
    (GL_TEXTURE_1D, GL_RGBA8, [7, 1, 1]),
    (GL_TEXTURE_2D, GL_RGBA8, [5, 3, 1]),
    (GL_TEXTURE_2D, GL_DEPTH_COMPONENT24, [5, 3, 1]),
    (GL_TEXTURE_2D, GL_DEPTH24_STENCIL8, [5, 3, 1]),
    (GL_TEXTURE_2D, GL_RGBA8UI, [5, 3, 1]),
    (GL_TEXTURE_1D_ARRAY, GL_RGBA8, [5, 4, 1]),
    (GL_TEXTURE_RECTANGLE, GL_RGBA8, [5, 3, 1]),
    (GL_TEXTURE_3D, GL_RGBA8, [5, 3, 4]),
    (GL_TEXTURE_2D_ARRAY, GL_RGBA32F, [5, 3, 2]),
    (GL_TEXTURE_CUBE_MAP, GL_RGBA8, [3, 3, 1]),
    (GL_TEXTURE_CUBE_MAP_ARRAY, GL_RGBA8, [3, 3, 6]),
];

fn e(name: u32) -> u64 {
    u64::from(name)
}

/// The number of comparisons, and the differences.
#[derive(Default)]
struct Findings {
    compared: usize,
    differences: Vec<String>,
}

impl Findings {
    /// Compares what a query writes with the tables; the last argument is the memory.
    fn compare(&mut self, gl: &Gl, query: CommandId, args: &[u64], slack: usize) {
        let Some(written) = gl.written(query, args) else { return };
        let words = [args, &[0x1000]].concat();
        let expected = match extent(query, args.len(), &words, gl) {
            Extent::Bytes(bytes) => bytes,
            _ => 0,
        };
        self.compared += 1;
        if written > expected || written + slack < expected {
            let command = api::command(query);
            let line = api::print::Line {
                command,
                args: &words,
                result: None,
                memory: &|_| api::print::Pointee::Nothing,
                limits: api::print::Limits::default(),
                label: &|_, _| None,
            };
            let store = api::extent::ExtentContext::pixels(gl, api::Access::Write);
            self.differences.push(format!("{line}: the driver writes {written} bytes, not {expected}; {store:?}"));
        }
    }
}

/// Creates and binds a texture, and returns its name.
fn texture(gl: &Gl, (target, format, size): (u32, u32, [u64; 3])) -> u64 {
    let name = gl.make(id::glGenTextures);
    gl.call(id::glBindTexture, &[e(target), name]);
    let [width, height, depth] = size;
    match target {
        GL_TEXTURE_1D => gl.call(id::glTexStorage1D, &[e(target), 1, e(format), width]),
        GL_TEXTURE_3D | GL_TEXTURE_2D_ARRAY | GL_TEXTURE_CUBE_MAP_ARRAY => {
            gl.call(id::glTexStorage3D, &[e(target), 1, e(format), width, height, depth])
        }
        _ => gl.call(id::glTexStorage2D, &[e(target), 1, e(format), width, height]),
    };
    assert_eq!(gl.error(), 0, "the texture must be created without error");
    name
}

/// Sets a random layout for reading back.
fn shuffle(gl: &Gl, random: &mut Random) {
    let set = |name: u32, value: u64| gl.call(id::glPixelStorei, &[e(name), value]);
    set(GL_PACK_ALIGNMENT, 1 << random.below(4));
    set(GL_PACK_ROW_LENGTH, random.below(2) * (5 + random.below(6)));
    set(GL_PACK_SKIP_PIXELS, random.below(3));
    set(GL_PACK_SKIP_ROWS, random.below(3));
    set(GL_PACK_IMAGE_HEIGHT, random.below(2) * (3 + random.below(4)));
    set(GL_PACK_SKIP_IMAGES, random.below(2));
    gl.error();
}

/// Depth with stencil in eight bytes has three bytes that are never written.
fn slack(kind: u32) -> usize {
    if kind == GL_FLOAT_32_UNSIGNED_INT_24_8_REV { 3 } else { 0 }
}

#[test]
fn images_have_the_size_in_the_tables() {
    const ROUNDS: usize = 3;
    let gl = Gl::new(Api::DesktopCompatibility);
    let mut random = Random::new(7);
    let mut findings = Findings::default();
    for entry in TEXTURES {
        let target = entry.0;
        let name = texture(&gl, *entry);
        gl.target.set(target);
        for (format, kind) in FORMATS.iter().flat_map(|format| TYPES.iter().map(move |kind| (*format, *kind))) {
            for _ in 0..ROUNDS {
                // Mesa of 2022 writes stencil indices as bytes, whatever their type.
                if format == GL_STENCIL_INDEX && kind != GL_UNSIGNED_BYTE {
                    continue;
                }
                shuffle(&gl, &mut random);
                // It also treats the layers of one-dimensional arrays as images, and does not skip images before the
                // faces of a cube (GL 4.6, 8.11.4).
                if matches!(target, GL_TEXTURE_1D_ARRAY | GL_TEXTURE_CUBE_MAP) {
                    gl.call(id::glPixelStorei, &[e(GL_PACK_SKIP_IMAGES), 0]);
                }
                if target == GL_TEXTURE_1D_ARRAY {
                    gl.call(id::glPixelStorei, &[e(GL_PACK_IMAGE_HEIGHT), 0]);
                }
                let slack = slack(kind);
                if target == GL_TEXTURE_CUBE_MAP {
                    let face = e(GL_TEXTURE_CUBE_MAP_NEGATIVE_Y);
                    findings.compare(&gl, id::glGetTexImage, &[face, 0, e(format), e(kind)], slack);
                } else {
                    findings.compare(&gl, id::glGetTexImage, &[e(target), 0, e(format), e(kind)], slack);
                }
                findings.compare(&gl, id::glGetTextureImage, &[name, 0, e(format), e(kind), 1 << 16], slack);
            }
        }
    }
    finish(&findings, 2000);
}

#[test]
fn pixels_have_the_size_in_the_tables() {
    let mut findings = Findings::default();
    for api in Api::ALL {
        let gl = Gl::new(api);
        let mut random = Random::new(3);
        for (format, attachment) in [
            (GL_RGBA8, GL_COLOR_ATTACHMENT0),
            (GL_RGBA8UI, GL_COLOR_ATTACHMENT0),
            (GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL_ATTACHMENT),
        ] {
            let name = texture(&gl, (GL_TEXTURE_2D, format, [16, 16, 1]));
            let framebuffer = gl.make(id::glGenFramebuffers);
            gl.call(id::glBindFramebuffer, &[e(GL_FRAMEBUFFER), framebuffer]);
            gl.call(id::glFramebufferTexture2D, &[e(GL_FRAMEBUFFER), e(attachment), e(GL_TEXTURE_2D), name, 0]);
            gl.error();
            for (format, kind) in FORMATS.iter().flat_map(|format| TYPES.iter().map(move |kind| (*format, *kind))) {
                for _ in 0..3 {
                    shuffle(&gl, &mut random);
                    let size = [1 + random.below(7), 1 + random.below(7)];
                    let args = [0, 0, size[0], size[1], e(format), e(kind)];
                    findings.compare(&gl, id::glReadPixels, &args, slack(kind));
                }
            }
        }
    }
    finish(&findings, 200);
}

#[test]
fn colour_tables_and_patterns_have_the_size_in_the_tables() {
    let gl = Gl::new(Api::DesktopCompatibility);
    let mut random = Random::new(5);
    let mut findings = Findings::default();
    for _ in 0..100 {
        shuffle(&gl, &mut random);
        findings.compare(&gl, id::glGetPolygonStipple, &[], 0);
    }
    let values = [0f32; 64];
    for map in GL_PIXEL_MAP_I_TO_I..=GL_PIXEL_MAP_A_TO_A {
        gl.call(id::glPixelMapfv, &[e(map), 1 << random.below(5), values.as_ptr() as u64]);
        for query in [id::glGetPixelMapfv, id::glGetPixelMapuiv, id::glGetPixelMapusv] {
            findings.compare(&gl, query, &[e(map)], 0);
        }
    }
    for query in [id::glGetMapdv, id::glGetMapfv, id::glGetMapiv] {
        for (first, last) in [(GL_MAP1_COLOR_4, GL_MAP1_VERTEX_4), (GL_MAP2_COLOR_4, GL_MAP2_VERTEX_4)] {
            for (target, name) in (first..=last).flat_map(|t| [GL_COEFF, GL_ORDER, GL_DOMAIN].map(|name| (t, name))) {
                findings.compare(&gl, query, &[e(target), e(name)], 0);
            }
        }
    }
    finish(&findings, 150);
}

#[track_caller]
fn finish(findings: &Findings, least: usize) {
    let differences = findings.differences.len();
    let some = findings.differences.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences == 0, "of {} queries {differences} differ:\n{some}", findings.compared);
    assert!(findings.compared >= least, "only {} queries could be compared", findings.compared);
}
