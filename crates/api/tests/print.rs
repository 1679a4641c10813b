//! Calls as lines of text.

use api::print::{Limits, Line, Pointee};
use api::{COMMANDS, Count, Scalar, constant::*};

#[track_caller]
fn check(name: &str, args: &[u64], result: u64, memory: &[(usize, Pointee)], expected: &str) {
    let command = api::command(api::find(name).unwrap());
    assert_eq!(args.len(), command.params.len(), "{name}");
    let behind = |index| memory.iter().find(|(at, _)| *at == index).map_or(Pointee::Nothing, |(_, behind)| *behind);
    let line =
        Line { command, args, result: Some(result), memory: &behind, limits: Limits::default(), label: &|_, _| None };
    assert_eq!(line.to_string(), expected);
}

fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

fn e(value: u32) -> u64 {
    u64::from(value)
}

#[test]
fn values_are_printed_by_their_meaning() {
    check("glClear", &[0x4100], 0, &[], "glClear(mask = GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT)");
    check("glClear", &[0x4001], 0, &[], "glClear(mask = GL_COLOR_BUFFER_BIT | 0x1)");
    check("glEnable", &[e(GL_BLEND)], 0, &[], "glEnable(cap = GL_BLEND)");
    check("glEnable", &[0xdead], 0, &[], "glEnable(cap = 0xdead)");
    check("glUniform2f", &[u64::MAX, f(0.1), f(1.0)], 0, &[], "glUniform2f(location = -1, v0 = 0.1, v1 = 1.0)");
    check("glDepthMask", &[1], 0, &[], "glDepthMask(flag = true)");
    check("glBindTexture", &[e(GL_TEXTURE_2D), 7], 0, &[], "glBindTexture(target = GL_TEXTURE_2D, texture = 7)");
    check("glGetError", &[], e(GL_INVALID_ENUM), &[], "glGetError() = GL_INVALID_ENUM");
    check("glGetError", &[], 0, &[], "glGetError() = GL_NO_ERROR");
    check("glBegin", &[4], 0, &[], "glBegin(mode = GL_TRIANGLES)");
    check("glBlendFunc", &[1, 0], 0, &[], "glBlendFunc(sfactor = GL_ONE, dfactor = GL_ZERO)");
    check(
        "glTexParameteri",
        &[e(GL_TEXTURE_2D), e(GL_TEXTURE_MIN_FILTER), e(GL_LINEAR)],
        0,
        &[],
        "glTexParameteri(target = GL_TEXTURE_2D, pname = GL_TEXTURE_MIN_FILTER, param = GL_LINEAR)",
    );
    check(
        "glTexParameteri",
        &[e(GL_TEXTURE_2D), e(GL_TEXTURE_MAX_LEVEL), 1024],
        0,
        &[],
        "glTexParameteri(target = GL_TEXTURE_2D, pname = GL_TEXTURE_MAX_LEVEL, param = 1024)",
    );
}

#[test]
fn memory_is_printed_by_its_elements() {
    let names = [1u32, 2].map(u32::to_le_bytes).concat();
    check("glGenTextures", &[2, 0x1000], 0, &[(1, Pointee::Bytes(&names))], "glGenTextures(n = 2, textures = {1, 2})");
    let args = [e(GL_TEXTURE_2D), 0, e(GL_RGBA8), 128, 128, 0, e(GL_RGBA), e(GL_UNSIGNED_BYTE), 0x1000];
    check(
        "glTexImage2D",
        &args,
        0,
        &[(8, Pointee::Blob { number: 12, size: Some(65536), bytes: None })],
        "glTexImage2D(target = GL_TEXTURE_2D, level = 0, internalformat = GL_RGBA8, width = 128, height = 128, \
         border = 0, format = GL_RGBA, type = GL_UNSIGNED_BYTE, pixels = blob 12 [65536 bytes])",
    );
    // An old program's count of components.
    let args = [e(GL_TEXTURE_2D), 0, 4, 1, 1, 0, e(GL_RGBA), e(GL_UNSIGNED_BYTE), 0];
    check(
        "glTexImage2D",
        &args,
        0,
        &[],
        "glTexImage2D(target = GL_TEXTURE_2D, level = 0, internalformat = 4, width = 1, height = 1, border = 0, \
         format = GL_RGBA, type = GL_UNSIGNED_BYTE, pixels = null)",
    );
    let matrix = [0.5f32; 16].map(f32::to_le_bytes).concat();
    check(
        "glLoadMatrixf",
        &[0x1000],
        0,
        &[(0, Pointee::Bytes(&matrix))],
        &format!("glLoadMatrixf(m = {{{}}})", ["0.5"; 16].join(", ")),
    );
    let long = [0u8; 100 * 4];
    check(
        "glUniform1iv",
        &[3, 100, 0x1000],
        0,
        &[(2, Pointee::Bytes(&long))],
        &format!("glUniform1iv(location = 3, count = 100, value = {{{}, … 100 in all}})", ["0"; 16].join(", ")),
    );
    check(
        "glBufferData",
        &[e(GL_ARRAY_BUFFER), 4, 0x10, e(GL_STATIC_DRAW)],
        0,
        &[(2, Pointee::Bytes(&[1, 2, 3, 255]))],
        "glBufferData(target = GL_ARRAY_BUFFER, size = 4, data = [4 bytes: 01 02 03 ff], usage = GL_STATIC_DRAW)",
    );
}

#[test]
fn indices_are_printed_by_their_type() {
    let args = [e(GL_TRIANGLES), 3, e(GL_UNSIGNED_SHORT), 0x1000];
    check(
        "glDrawElements",
        &args,
        0,
        &[(3, Pointee::Bytes(&[0, 0, 1, 0, 2, 0]))],
        "glDrawElements(mode = GL_TRIANGLES, count = 3, type = GL_UNSIGNED_SHORT, indices = {0, 1, 2})",
    );
    let args = [e(GL_TRIANGLES), 0x2000, e(GL_UNSIGNED_BYTE), 0x1000, 2];
    let arrays = [&3u32.to_le_bytes()[..], &[0, 1, 2], &1u32.to_le_bytes()[..], &[9]].concat();
    let counts = [3u32, 1].map(u32::to_le_bytes).concat();
    check(
        "glMultiDrawElements",
        &args,
        0,
        &[(1, Pointee::Bytes(&counts)), (3, Pointee::Bytes(&arrays))],
        "glMultiDrawElements(mode = GL_TRIANGLES, count = {3, 1}, type = GL_UNSIGNED_BYTE, \
         indices = {[3 bytes], [1 bytes]}, drawcount = 2)",
    );
    let offsets = [64u64, 96].map(u64::to_le_bytes).concat();
    check(
        "glMultiDrawElements",
        &args,
        0,
        &[(3, Pointee::Bytes(&offsets))],
        "glMultiDrawElements(mode = GL_TRIANGLES, count = 0x2000, type = GL_UNSIGNED_BYTE, indices = {0x40, 0x60}, \
         drawcount = 2)",
    );
}

#[test]
fn texts_are_quoted_and_cut() {
    check(
        "glGetUniformLocation",
        &[1, 0x1000],
        u64::MAX,
        &[(1, Pointee::Bytes(b"it's \"x\"\n"))],
        r#"glGetUniformLocation(program = 1, name = "it's \"x\"\n") = -1"#,
    );
    let texts = [&3u32.to_le_bytes()[..], b"abc", &90u32.to_le_bytes()[..], &[b'x'; 90]].concat();
    check(
        "glShaderSource",
        &[1, 2, 0x1000, 0],
        0,
        &[(2, Pointee::Bytes(&texts))],
        &format!(
            "glShaderSource(shader = 1, count = 2, string = {{\"abc\", \"{}\"… 90 characters}}, length = null)",
            "x".repeat(80)
        ),
    );
}

#[test]
fn lists_of_attributes_are_pairs() {
    let list = [EGL_RED_SIZE, 8, EGL_RENDERABLE_TYPE, 4, EGL_NONE].map(u32::to_le_bytes).concat();
    check(
        "eglCreateContext",
        &[0x10, 0x20, 0, 0x1000],
        0x30,
        &[(3, Pointee::Bytes(&list))],
        "eglCreateContext(dpy = 0x10, config = 0x20, share_context = null, attrib_list = {EGL_RED_SIZE = 8, \
         EGL_RENDERABLE_TYPE = 4, EGL_NONE}) = 0x30",
    );
}

/// No argument and no memory makes printing panic, and every parameter of every command shows.
#[test]
fn every_command_prints_whatever_its_arguments() {
    let memories = [vec![], vec![0xff; 3], vec![0; 64], (0..=255).collect::<Vec<u8>>()];
    for command in COMMANDS {
        for word in [0, 1, 4, 0x1908, 0xffff_ffff, u64::MAX, 1 << 63, 0x7ff8_0000_0000_0001] {
            let args = vec![word; command.params.len()];
            for bytes in &memories {
                for behind in [
                    Pointee::Nothing,
                    Pointee::Bytes(bytes),
                    Pointee::Blob { number: 1, size: None, bytes: Some(bytes) },
                    Pointee::Digest { size: 9 },
                ] {
                    let memory = |_| behind;
                    let line = Line {
                        command,
                        args: &args,
                        result: Some(word),
                        memory: &memory,
                        limits: Limits::default(),
                        label: &|_, _| None,
                    };
                    let text = line.to_string();
                    assert!(text.starts_with(command.name) && !text.contains('\n'), "{text}");
                    let shown = command.params.iter().all(|param| text.contains(&format!("{} = ", param.name)));
                    assert!(shown, "{text}");
                    assert_eq!(text.ends_with(')'), command.result.scalar == Scalar::Void, "{text}");
                }
            }
        }
        assert!(
            !command
                .params
                .iter()
                .any(|p| matches!(p.memory, Some(m) if m.count == Count::Kept && p.value.scalar != Scalar::Pointer))
        );
    }
}
