//! How much memory is behind pointers, against cases worked out by hand.

use std::collections::HashMap;

use api::constant::*;
use api::extent::{Extent, ExtentContext, PixelStore, Query, Texture, extent};
use api::{Access, COMMANDS, CommandId, Count};

/// A context of which only what a test says is known.
#[derive(Default)]
struct Around {
    bound: Vec<u32>,
    pixels: PixelStore,
    integers: HashMap<u32, i64>,
    levels: HashMap<(Texture2, i32, u32), i64>,
    target: u32,
    uniform: usize,
    query: i64,
    memory: HashMap<u64, i32>,
}

type Texture2 = String;

impl ExtentContext for Around {
    fn bound(&self, target: u32) -> bool {
        self.bound.contains(&target)
    }
    fn pixels(&self, access: Access) -> PixelStore {
        let target = if access == Access::Read { GL_PIXEL_UNPACK_BUFFER } else { GL_PIXEL_PACK_BUFFER };
        PixelStore { buffer: self.bound(target), ..self.pixels }
    }
    fn integer(&self, pname: u32) -> i64 {
        self.integers.get(&pname).copied().unwrap_or(0)
    }
    fn level(&self, texture: Texture, level: i32, pname: u32) -> i64 {
        self.levels.get(&(format!("{texture:?}"), level, pname)).copied().unwrap_or(0)
    }
    fn target(&self, _: u32) -> u32 {
        self.target
    }
    fn uniform(&self, _: u32, _: i32) -> usize {
        self.uniform
    }
    fn query(&self, _: Query, _: u32, _: u32) -> i64 {
        self.query
    }
    fn memory(&self, address: u64) -> i32 {
        self.memory.get(&address).copied().unwrap_or(0)
    }
}

/// The extent behind the named parameter; pointers are 0x1000 and up.
#[track_caller]
fn check(around: &Around, name: &str, param: &str, args: &[i64], expected: Extent) {
    let id = api::find(name).unwrap_or_else(|| panic!("{name}"));
    let index = api::command(id).params.iter().position(|p| p.name == param).unwrap_or_else(|| panic!("{param}"));
    let words: Vec<u64> = args.iter().map(|arg| arg.cast_unsigned()).collect();
    assert_eq!(words.len(), api::command(id).params.len(), "{name}");
    assert_eq!(extent(id, index, &words, around), expected, "{name}.{param}");
}

fn e(name: u32) -> i64 {
    i64::from(name)
}

const P: i64 = 0x1000;

#[test]
fn counts_come_from_parameters() {
    let plain = Around::default();
    check(&plain, "glGenTextures", "textures", &[3, P], Extent::Bytes(12));
    check(&plain, "glGenTextures", "textures", &[-3, P], Extent::Nothing);
    check(&plain, "glGenTextures", "textures", &[3, 0], Extent::Nothing);
    check(&plain, "glUniformMatrix4fv", "value", &[0, 2, 0, P], Extent::Bytes(128));
    check(&plain, "glBufferData", "data", &[e(GL_ARRAY_BUFFER), 100, P, e(GL_STATIC_DRAW)], Extent::Bytes(100));
    check(&plain, "glBufferData", "data", &[e(GL_ARRAY_BUFFER), 100, 0, e(GL_STATIC_DRAW)], Extent::Nothing);
    check(&plain, "glVertex3fv", "v", &[P], Extent::Bytes(12));
    check(&plain, "afiImage", "pixels", &[0, 1, 5, 7, P], Extent::Bytes(140));
    check(&plain, "glViewportArrayv", "v", &[0, 2, P], Extent::Bytes(32));
}

#[test]
fn texts_end_with_zero_or_have_a_length() {
    let plain = Around::default();
    check(&plain, "glGetUniformLocation", "name", &[1, P], Extent::Text);
    check(&plain, "glObjectLabel", "label", &[e(GL_BUFFER), 1, 5, P], Extent::TextOf(5));
    check(&plain, "glObjectLabel", "label", &[e(GL_BUFFER), 1, -1, P], Extent::Text);
    check(&plain, "glShaderSource", "string", &[1, 2, P, 0], Extent::Texts { count: 2, lengths: 0 });
    check(&plain, "glShaderSource", "string", &[1, 2, P, 0x2000], Extent::Texts { count: 2, lengths: 0x2000 });
    check(&plain, "glShaderSource", "length", &[1, 2, P, 0x2000], Extent::Bytes(8));
    check(&plain, "glGetUniformIndices", "uniformNames", &[1, 3, P, P], Extent::Texts { count: 3, lengths: 0 });
    check(&plain, "glTransformFeedbackVaryings", "varyings", &[1, 3, P, 0], Extent::Texts { count: 3, lengths: 0 });
    check(&plain, "glProgramStringARB", "string", &[e(GL_VERTEX_PROGRAM_ARB), 0, 30, P], Extent::Bytes(30));
    check(&plain, "glDebugMessageInsert", "buf", &[0, 0, 0, 0, 4, P], Extent::TextOf(4));
}

#[test]
fn lists_are_as_long_as_was_written() {
    let mut around = Around::default();
    around.memory.insert(0x2000, 5);
    check(&around, "glGetShaderInfoLog", "infoLog", &[1, 100, 0x2000, P], Extent::Bytes(6));
    check(&around, "glGetShaderInfoLog", "infoLog", &[1, 3, 0x2000, P], Extent::Bytes(3));
    check(&around, "glGetShaderInfoLog", "infoLog", &[1, 100, 0, P], Extent::Bytes(100));
    check(&around, "eglChooseConfig", "configs", &[1, 0, P, 20, 0x2000], Extent::Bytes(40));
    check(
        &around,
        "eglChooseConfig",
        "attrib_list",
        &[1, P, P, 20, P],
        Extent::Until { terminator: 0x3038, element: 4 },
    );
    check(&around, "eglCreateImage", "attrib_list", &[1, 0, 0, 0, P], Extent::Until { terminator: 0x3038, element: 8 });
    check(&around, "glGetAttachedShaders", "shaders", &[1, 8, 0x2000, P], Extent::Bytes(20));
}

#[test]
fn values_belong_to_names() {
    let mut around = Around::default();
    around.integers.insert(GL_NUM_COMPRESSED_TEXTURE_FORMATS, 9);
    check(&around, "glGetIntegerv", "data", &[e(GL_VIEWPORT), P], Extent::Bytes(16));
    check(&around, "glGetDoublev", "data", &[e(GL_PROJECTION_MATRIX), P], Extent::Bytes(128));
    check(&around, "glGetIntegerv", "data", &[e(GL_COMPRESSED_TEXTURE_FORMATS), P], Extent::Bytes(36));
    check(&around, "glGetBooleanv", "data", &[e(GL_COLOR_WRITEMASK), P], Extent::Bytes(4));
    check(&around, "glLightfv", "params", &[e(GL_LIGHT0), e(GL_SPOT_DIRECTION), P], Extent::Bytes(12));
    check(&around, "glMaterialfv", "params", &[e(GL_FRONT), e(GL_SHININESS), P], Extent::Bytes(4));
    check(&around, "glTexParameterfv", "params", &[e(GL_TEXTURE_2D), e(GL_TEXTURE_BORDER_COLOR), P], Extent::Bytes(16));
    check(&around, "glGetVertexAttribiv", "params", &[0, e(GL_VERTEX_ATTRIB_ARRAY_SIZE), P], Extent::Bytes(4));
    check(&around, "glGetVertexAttribIiv", "params", &[0, e(GL_CURRENT_VERTEX_ATTRIB), P], Extent::Bytes(16));
    check(&around, "glClearBufferfv", "value", &[e(GL_COLOR), 0, P], Extent::Bytes(16));
    check(&around, "glClearBufferfv", "value", &[e(GL_DEPTH), 0, P], Extent::Bytes(4));
    check(&around, "glGetProgramiv", "params", &[1, e(GL_COMPUTE_WORK_GROUP_SIZE), P], Extent::Bytes(12));
    around.uniform = 9;
    check(&around, "glGetUniformfv", "params", &[1, 0, P], Extent::Bytes(36));
    check(&around, "glGetnUniformfv", "params", &[1, 0, 20, P], Extent::Bytes(20));
    check(&around, "glGetQueryObjectuiv", "params", &[1, e(GL_QUERY_RESULT), P], Extent::Bytes(4));
    around.bound.push(GL_QUERY_BUFFER);
    check(&around, "glGetQueryObjectuiv", "params", &[1, e(GL_QUERY_RESULT), P], Extent::Nothing);
}

#[test]
fn images_follow_the_pixel_store() {
    let mut around = Around::default();
    let image = [e(GL_TEXTURE_2D), 0, e(GL_RGB8), 5, 3, 0, e(GL_RGB), e(GL_UNSIGNED_BYTE), P];
    check(&around, "glTexImage2D", "pixels", &image, Extent::Bytes(47));
    check(&around, "glPolygonStipple", "mask", &[P], Extent::Bytes(128));
    check(&around, "glBitmap", "bitmap", &[9, 2, 0, 0, 0, 0, P], Extent::Bytes(6));
    let read = [0, 0, 4, 4, e(GL_RGBA), e(GL_FLOAT), P];
    check(&around, "glReadPixels", "pixels", &read, Extent::Bytes(256));
    check(&around, "glReadnPixels", "data", &[0, 0, 4, 4, e(GL_RGBA), e(GL_FLOAT), 100, P], Extent::Bytes(100));
    let clear = [1, 0, e(GL_RGBA), e(GL_HALF_FLOAT), P];
    check(&around, "glClearTexImage", "data", &clear, Extent::Bytes(8));
    let compressed = [e(GL_TEXTURE_2D), 0, e(GL_COMPRESSED_RGB_S3TC_DXT1_EXT), 4, 4, 0, 8, P];
    check(&around, "glCompressedTexImage2D", "data", &compressed, Extent::Bytes(8));
    check(&around, "glPixelMapfv", "values", &[e(GL_PIXEL_MAP_I_TO_R), 4, P], Extent::Bytes(16));
    around.bound.push(GL_PIXEL_UNPACK_BUFFER);
    check(&around, "glTexImage2D", "pixels", &image, Extent::Nothing);
    check(&around, "glCompressedTexImage2D", "data", &compressed, Extent::Nothing);
    check(&around, "glReadPixels", "pixels", &read, Extent::Bytes(256));
}

#[test]
fn texture_queries_ask_for_the_size_of_the_level() {
    let mut around = Around::default();
    let mut set = |texture: Texture, level, pname, value| {
        around.levels.insert((format!("{texture:?}"), level, pname), value);
    };
    for (pname, value) in [(GL_TEXTURE_WIDTH, 4), (GL_TEXTURE_HEIGHT, 2), (GL_TEXTURE_DEPTH, 3)] {
        set(Texture::Bound(GL_TEXTURE_2D), 1, pname, value);
        set(Texture::Bound(GL_TEXTURE_3D), 1, pname, value);
        set(Texture::Named { name: 7, target: 0 }, 1, pname, value);
    }
    set(Texture::Bound(GL_TEXTURE_2D), 2, GL_TEXTURE_COMPRESSED_IMAGE_SIZE, 64);
    around.target = GL_TEXTURE_CUBE_MAP;
    let get = |target| [e(target), 1, e(GL_RGBA), e(GL_UNSIGNED_BYTE), P];
    check(&around, "glGetTexImage", "pixels", &get(GL_TEXTURE_2D), Extent::Bytes(32));
    check(&around, "glGetTexImage", "pixels", &get(GL_TEXTURE_3D), Extent::Bytes(96));
    let named = [7, 1, e(GL_RGBA), e(GL_UNSIGNED_BYTE), 1000, P];
    check(&around, "glGetTextureImage", "pixels", &named, Extent::Bytes(6 * 32));
    check(&around, "glGetCompressedTexImage", "img", &[e(GL_TEXTURE_2D), 2, P], Extent::Bytes(64));
}

#[test]
fn draws_follow_pointers_unless_buffers_are_bound() {
    let mut around = Around::default();
    let elements = [e(GL_TRIANGLES), 6, e(GL_UNSIGNED_SHORT), P];
    check(&around, "glDrawElements", "indices", &elements, Extent::Bytes(12));
    let multi = [e(GL_TRIANGLES), 0x2000, e(GL_UNSIGNED_BYTE), P, 2];
    check(&around, "glMultiDrawElements", "indices", &multi, Extent::Arrays { count: 2, counts: 0x2000, element: 1 });
    check(&around, "glDrawArraysIndirect", "indirect", &[e(GL_TRIANGLES), P], Extent::Bytes(16));
    check(&around, "glMultiDrawArraysIndirect", "indirect", &[e(GL_TRIANGLES), P, 3, 0], Extent::Bytes(48));
    check(&around, "glMultiDrawArraysIndirect", "indirect", &[e(GL_TRIANGLES), P, 3, 32], Extent::Bytes(80));
    check(&around, "glCallLists", "lists", &[4, e(GL_UNSIGNED_BYTE), P], Extent::Bytes(4));
    check(&around, "glCallLists", "lists", &[4, e(GL_3_BYTES), P], Extent::Bytes(12));
    check(&around, "glVertexAttribPointer", "pointer", &[0, 4, e(GL_FLOAT), 0, 0, P], Extent::Kept);
    check(&around, "glVertexAttribPointer", "pointer", &[0, 4, e(GL_FLOAT), 0, 0, 0], Extent::Kept);
    around.bound = vec![GL_ELEMENT_ARRAY_BUFFER, GL_DRAW_INDIRECT_BUFFER];
    check(&around, "glDrawElements", "indices", &elements, Extent::Nothing);
    check(&around, "glMultiDrawElements", "indices", &multi, Extent::Bytes(16));
    check(&around, "glDrawArraysIndirect", "indirect", &[e(GL_TRIANGLES), P], Extent::Nothing);
}

#[test]
fn control_points_are_counted_with_their_strides() {
    let around = Around { query: 6, ..Around::default() };
    let one = [e(GL_MAP1_VERTEX_3), 0, 0, 4, 3, P];
    // Two strides of four floats and a point of three.
    check(&around, "glMap1f", "points", &one, Extent::Bytes((2 * 4 + 3) * 4));
    let two = [e(GL_MAP2_VERTEX_4), 0, 0, 4, 2, 0, 0, 8, 3, P];
    check(&around, "glMap2f", "points", &two, Extent::Bytes((4 + 2 * 8 + 4) * 4));
    check(&around, "glGetMapfv", "v", &[e(GL_MAP2_VERTEX_3), e(GL_COEFF), P], Extent::Bytes(6 * 3 * 4));
    check(&around, "glGetMapfv", "v", &[e(GL_MAP2_VERTEX_3), e(GL_DOMAIN), P], Extent::Bytes(16));
    check(&around, "glGetMapiv", "v", &[e(GL_MAP1_VERTEX_3), e(GL_ORDER), P], Extent::Bytes(4));
}

#[test]
fn attributes_of_visuals_may_have_no_value() {
    let mut around = Around::default();
    for (index, value) in [GLX_RGBA, GLX_RED_SIZE, 0, GLX_DOUBLEBUFFER, GLX_DEPTH_SIZE, 1, 0].into_iter().enumerate() {
        around.memory.insert(0x1000 + 4 * index as u64, value.cast_signed());
    }
    check(&around, "glXChooseVisual", "attribList", &[1, 0, P], Extent::Bytes(28));
}

/// Whatever the arguments, extents are worked out without a panic, and nothing of a version is unknown.
#[test]
fn extents_are_total() {
    let around = Around { uniform: usize::MAX, query: i64::MAX, ..Around::default() };
    let mut unknown = 0;
    for (index, command) in COMMANDS.iter().enumerate() {
        let id = CommandId(u16::try_from(index).unwrap());
        for word in [0, 1, 4, 0x1908, 0xffff_ffff, u64::MAX, 1 << 63, (1 << 63) - 1] {
            let args = vec![word; command.params.len()];
            for param in 0..=command.params.len() {
                let _ = extent(id, param, &args, &around);
                let _ = extent(id, param, &[], &around);
            }
        }
        unknown += command.params.iter().filter(|p| p.memory.is_some_and(|m| m.count == Count::Unknown)).count();
    }
    assert_eq!(unknown, 23, "pointers of unknown extent; `cargo xtask codegen --unknown` lists them");
}
