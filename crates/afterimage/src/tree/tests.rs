//! The state as a tree, after a few calls.

use api::{constant as c, id};
use testing::model::Calls;

use crate::tree::{self, Node};

/// A program that makes calls, and the tree of its state.
struct Program(Calls);

impl Program {
    /// Creates a program with a current context of OpenGL 4.5, and a window of 300 by 200.
    fn new() -> Program {
        Program(Calls::new(0, (300, 200)))
    }

    /// Returns the lines of the tree at a path, one for each value, without initial values.
    fn lines(&self, path: &str) -> Vec<String> {
        let root = tree::tree(&self.0.model, &|_, _| None);
        let bases = [["context", "1"], ["share", "1"]].map(|base| base.map(str::to_owned).to_vec());
        let found = tree::find(&root, &bases, path).unwrap_or_else(|error| panic!("{error}"));
        let mut lines = Vec::new();
        list(&found.node.clone().without_defaults(), "", &mut lines);
        lines
    }
}

fn list(node: &Node, path: &str, lines: &mut Vec<String>) {
    lines.extend(node.value.iter().map(|value| format!("{path} {value}").trim().to_owned()));
    for child in &node.children {
        let path = if path.is_empty() { child.name.clone() } else { format!("{path}/{}", child.name) };
        list(child, &path, lines);
    }
}

fn float(number: f32) -> u64 {
    number.to_bits().into()
}

#[test]
fn a_new_context_shows_no_initial_values() {
    let program = Program::new();
    assert_eq!(program.lines("blend"), [""; 0]);
    assert_eq!(program.lines("thread"), ["0/context context/1", "0/draw surface/1"]);
    let surface = ["kind window", "size 300x200", "colour_bits (8, 8, 8, 8)", "depth_bits 24", "stencil_bits 8"]
        .map(str::to_owned);
    assert_eq!(program.lines("surface/1"), surface);
    // The first surface determines the size of all sixteen viewports.
    assert_eq!(program.lines("viewport/viewport")[15], "15 (0, 0, 300, 200)");
    assert_eq!(program.lines("context/1/error"), ["GL_NO_ERROR"], "a value requested by path is always shown");
}

#[test]
fn plain_state_is_shown_by_names() {
    let mut program = Program::new();
    program.0.call(id::glEnable, &[c::GL_BLEND.into()]);
    program.0.call(id::glBlendFunc, &[c::GL_ONE.into(), c::GL_ONE_MINUS_SRC_ALPHA.into()]);
    program.0.call(id::glDepthFunc, &[c::GL_LEQUAL.into()]);
    program.0.call(id::glStencilMask, &[0x0F]);
    program.0.call(id::glClearColor, &[float(0.5), float(0.25), float(0.1), float(1.0)]);
    let blend = program.lines("blend");
    assert!(blend.contains(&"blend/0 true".to_owned()), "{blend:?}");
    assert!(blend.contains(&"blend_dst_rgb/7 GL_ONE_MINUS_SRC_ALPHA".to_owned()), "{blend:?}");
    assert!(!blend.iter().any(|line| line.starts_with("blend_src_rgb")), "GL_ONE is the default: {blend:?}");
    assert_eq!(program.lines("depth"), ["depth_func GL_LEQUAL"]);
    assert_eq!(program.lines("stencil"), ["stencil_writemask 0xf", "stencil_back_writemask 0xf"]);
    assert_eq!(program.lines("clear"), ["color_clear_value (0.5, 0.25, 0.1, 1)"]);
}

#[test]
fn objects_are_shown_with_their_writers() {
    let mut program = Program::new();
    program.0.writing(id::glGenBuffers, &[1, 0x1000], 1, &7u32.to_le_bytes());
    program.0.call(id::glBindBuffer, &[c::GL_ARRAY_BUFFER.into(), 7]);
    let args = [c::GL_ARRAY_BUFFER.into(), 48, 0x2000, c::GL_STATIC_DRAW.into()];
    let whole = program.0.reading(id::glBufferData, &args, 2, &[0; 48]);
    let part = program.0.reading(id::glBufferSubData, &[c::GL_ARRAY_BUFFER.into(), 16, 8, 0x2000], 3, &[0; 8]);
    program.0.call(id::glEnableVertexAttribArray, &[2]);
    program.0.call(id::glVertexAttribPointer, &[2, 3, c::GL_FLOAT.into(), 0, 24, 12]);
    let expected = [
        "size 48 bytes".to_owned(),
        "usage GL_STATIC_DRAW".to_owned(),
        format!("written/0..16 command {whole}"),
        format!("written/16..24 command {part}"),
        format!("written/24..48 command {whole}"),
    ];
    assert_eq!(program.lines("buffer/7"), expected);
    assert_eq!(program.lines("buffer_bindings"), ["array_buffer buffer/7"]);
    let attribute = ["enabled true", "type 3 x GL_FLOAT", "buffer buffer/7", "offset 12", "stride 24"];
    assert_eq!(program.lines("vertex_array/0/attrib/2"), attribute);

    program.0.writing(id::glGenTextures, &[1, 0x1000], 1, &5u32.to_le_bytes());
    program.0.call(id::glActiveTexture, &[(c::GL_TEXTURE0 + 3).into()]);
    program.0.call(id::glBindTexture, &[c::GL_TEXTURE_2D.into(), 5]);
    let target = u64::from(c::GL_TEXTURE_2D);
    program.0.call(id::glTexStorage2D, &[target, 2, c::GL_RGBA8.into(), 64, 32]);
    program.0.call(id::glTexParameteri, &[target, c::GL_TEXTURE_MIN_FILTER.into(), c::GL_LINEAR.into()]);
    let expected = [
        "target GL_TEXTURE_2D",
        "level/0/size 64x32",
        "level/0/format GL_RGBA8",
        "level/1/size 32x16",
        "level/1/format GL_RGBA8",
        "min_filter GL_LINEAR",
        "immutable_levels 2",
    ];
    assert_eq!(program.lines("texture/5"), expected);
    assert_eq!(program.lines("texture_units"), ["active_texture GL_TEXTURE3", "unit/3/texture_2d texture/5"]);
}

#[test]
fn a_missing_path_lists_the_alternatives() {
    let mut program = Program::new();
    program.0.writing(id::glGenBuffers, &[2, 0x1000], 1, &[3, 0, 0, 0, 4, 0, 0, 0]);
    let root = tree::tree(&program.0.model, &|_, _| None);
    let bases = [["context", "1"], ["share", "1"]].map(|base| base.map(str::to_owned).to_vec());
    let error = |path| tree::find(&root, &bases, path).unwrap_err().to_string();
    assert_eq!(error("buffer/5"), "there is no `5` in share/1/buffer; choose one of: 3, 4");
    assert_eq!(error("context/2"), "there is no `2` in context; choose one of: 1");
    let top = error("nonsense");
    assert!(
        top.starts_with("there is no `nonsense` at the top; choose one of: thread, surface, context, share"),
        "{top}"
    );
    assert!(top.ends_with(" more; the state without a path lists all"), "{top}");
}

#[test]
fn two_states_differ_by_the_calls_between_them() {
    let mut program = Program::new();
    let before = tree::tree(&program.0.model, &|_, _| None);
    program.0.call(id::glEnable, &[c::GL_DEPTH_TEST.into()]);
    program.0.writing(id::glGenBuffers, &[1, 0x1000], 1, &9u32.to_le_bytes());
    let after = tree::tree(&program.0.model, &|_, _| None);
    let told: Vec<String> = tree::diff(&before, &after)
        .iter()
        .map(|difference| {
            let sides = [&difference.before, &difference.after].map(|side| side.is_some());
            format!("{} {sides:?}", tree::spelled(&difference.path))
        })
        .collect();
    assert_eq!(told, ["context/1/depth/depth_test [true, true]", "share/1/buffer [false, true]"]);
    assert!(tree::diff(&after, &after).is_empty());
}
