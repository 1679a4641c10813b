//! What ANGLE adds to OpenGL ES: contexts that share only textures, bound uniform locations, extensions on request.

use api::{constant as c, id};
use state::{CallObserver, ContentsRef, Source};
use testing::model::{CallMemory, Calls};

/// Returns a model of an OpenGL ES context of ANGLE, and of a second one that shares its textures.
fn two_contexts() -> Calls {
    let mut calls = Calls::default();
    let es = u64::from(c::EGL_OPENGL_ES_API);
    calls.call(id::afiContext, &[1, 0, 0x1000, es, 3, 0, 0, 0]);
    calls.call(id::afiContext, &[2, 1, 0x2000, es, 3, 0, 0, 0]);
    calls.call(id::afiRealm, &[2, 2]);
    calls.call(id::afiCurrent, &[1, 0, 0]);
    calls
}

fn name(word: u32) -> [u8; 4] {
    word.to_le_bytes()
}

/// Creates a texture of a size with `glTexImage2D`.
fn texture(calls: &mut Calls, number: u32, side: u64) {
    let target = u64::from(c::GL_TEXTURE_2D);
    calls.writing(id::glGenTextures, &[1, 0], 1, &name(number));
    calls.call(id::glBindTexture, &[target, number.into()]);
    let (rgba, bytes) = (u64::from(c::GL_RGBA), u64::from(c::GL_UNSIGNED_BYTE));
    calls.call(id::glTexImage2D, &[target, 0, rgba, side, side, 0, rgba, bytes, 0]);
}

#[test]
fn contexts_of_other_realms_share_textures_and_nothing_else() {
    let mut calls = two_contexts();
    texture(&mut calls, 7, 4);
    calls.writing(id::glGenBuffers, &[1, 0], 1, &name(3));
    calls.call(id::glBindBuffer, &[c::GL_ARRAY_BUFFER.into(), 3]);

    calls.call(id::afiCurrent, &[2, 0, 0]);
    let group = calls.model.view(0).unwrap().group;
    assert!(group.textures.contains_key(&7) && group.buffers.is_empty());
    assert_eq!(calls.model.member(0).map(|context| context.facts.number), Some(2));
    let program = calls.returning(id::glCreateProgram, &[], 1);
    assert_eq!(program, 10);

    // Its own objects are there again, and those of the other context are not.
    calls.call(id::afiCurrent, &[1, 0, 0]);
    let group = calls.model.view(0).unwrap().group;
    assert!(group.textures.contains_key(&7) && group.buffers.contains_key(&3) && group.programs.is_empty());
    assert!(group.has_realms());
}

#[test]
fn a_uniform_with_a_bound_location_that_is_not_active_is_ignored() {
    let mut calls = two_contexts();
    calls.returning(id::glCreateProgram, &[], 1);
    calls.reading(id::glBindUniformLocationCHROMIUM, &[1, 5, 0], 2, b"unused\0");
    assert_eq!(calls.error(), c::GL_NO_ERROR);
    calls.reading(id::glBindUniformLocationCHROMIUM, &[1, u64::from(u32::MAX), 0], 2, b"negative\0");
    assert_eq!(calls.error(), c::GL_INVALID_VALUE);
    let view = calls.model.view(0).unwrap();
    let program = view.group.program(1).unwrap();
    assert_eq!(program.setup.uniforms.get(&5).map(Vec::as_slice), Some(&b"unused"[..]));
}

#[test]
fn an_extension_exists_once_it_was_requested() {
    let mut calls = two_contexts();
    let has = |calls: &Calls, name: &str| calls.model.context(1).unwrap().facts.has(name);
    assert!(!has(&calls, "GL_EXT_disjoint_timer_query"));
    calls.reading(id::glRequestExtensionANGLE, &[0], 0, b"GL_EXT_disjoint_timer_query\0");
    assert!(has(&calls, "GL_EXT_disjoint_timer_query"));
    // A hostile trace cannot make the list grow without bounds.
    calls.reading(id::glRequestExtensionANGLE, &[0], 0, &[b'x'; 4_000]);
    assert_eq!(calls.model.context(1).unwrap().facts.extensions.len(), 1);
}

/// Keeps what a call copied.
#[derive(Default)]
struct Copied {
    read: Vec<ContentsRef>,
    written: Vec<ContentsRef>,
}

impl CallObserver for Copied {
    fn reads(&mut self, of: ContentsRef) {
        self.read.push(of);
    }

    fn writes(&mut self, to: ContentsRef, _source: Source) {
        self.written.push(to);
    }
}

#[test]
fn copying_a_texture_reads_one_and_writes_the_other() {
    let mut calls = two_contexts();
    texture(&mut calls, 1, 4);
    texture(&mut calls, 2, 4);
    let copy = |width: u64| [1, 0, u64::from(c::GL_TEXTURE_2D), 2, 0, 1, 1, 0, 0, width, 2, 0, 0, 0];
    let mut copied = Copied::default();
    calls.make(id::glCopySubTextureCHROMIUM, &copy(2), 0, &CallMemory::default(), Some(&mut copied));
    assert_eq!(calls.error(), c::GL_NO_ERROR);
    assert_eq!((copied.read.len(), copied.written.len()), (1, 1));
    assert_ne!(copied.read, copied.written);
    calls.call(id::glCopySubTextureCHROMIUM, &copy(4));
    assert_eq!(calls.error(), c::GL_INVALID_VALUE);
}

#[test]
fn storage_of_bgra_is_written_as_bgra() {
    let mut calls = two_contexts();
    calls.reading(id::afiDescribe, &[1, 0, 0, 0, 0], 3, b"OpenGL ES 3.0 (ANGLE 2.1)\0");
    let extension = b"GL_EXT_texture_format_BGRA8888\0";
    calls.reading(id::glRequestExtensionANGLE, &[0], 0, extension);
    let target = u64::from(c::GL_TEXTURE_2D);
    calls.writing(id::glGenTextures, &[1, 0], 1, &name(7));
    calls.call(id::glBindTexture, &[target, 7]);
    calls.call(id::glTexStorage2D, &[target, 1, c::GL_BGRA8_EXT.into(), 2, 2]);
    let (bgra, bytes) = (u64::from(c::GL_BGRA), u64::from(c::GL_UNSIGNED_BYTE));
    calls.call(id::glTexSubImage2D, &[target, 0, 0, 0, 2, 2, bgra, bytes, 0]);
    assert_eq!(calls.error(), c::GL_NO_ERROR);
    calls.call(id::glTexSubImage2D, &[target, 0, 0, 0, 2, 2, bgra, c::GL_FLOAT.into(), 0]);
    assert_eq!(calls.error(), c::GL_INVALID_OPERATION);
}

#[test]
fn what_is_below_angle_decides_about_precision() {
    let full = |renderer: &str| state::has_one_precision(renderer);
    let device = "Mesa/X.org, llvmpipe (LLVM 15.0.6 256 bits)";
    assert!(full(&format!("ANGLE ({device}, OpenGL 4.5 (Core Profile) Mesa 22.3.6)")));
    assert!(!full(&format!("ANGLE ({device}, OpenGL ES 3.2 Mesa 22.3.6)")));
    let vulkan = "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver-5.0.0)";
    assert!(full(vulkan));
    assert!(!full("llvmpipe (LLVM 15.0.6, 256 bits)"));
}
