//! Tests with the machine's own driver. `cargo xtask setup` installs one.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failing test panics")]

use driver::Api;
use shader::version::Stage;
use testing::driver::context;

const VERTEX: &str = "#version 150\nin vec4 p;\nvoid main() { gl_Position = p; }\n";
const FRAGMENT: &str = "#version 150\nout vec4 c;\nvoid main() { c = vec4(1.0, 0.5, 0.0, 1.0); }\n";

#[track_caller]
fn check(api: Api, stage: Stage, strings: &[&str], accepted: bool) {
    let context = context(api);
    let compiled = context.compile(stage, strings).expect("the context can be used");
    assert_eq!(compiled.ok, accepted, "{}", compiled.log);
}

#[test]
fn each_kind_of_context_compiles_its_own_language() {
    check(Api::DesktopCompatibility, Stage::Vertex, &["void main() { gl_Position = ftransform(); }"], true);
    check(Api::DesktopCore, Stage::Vertex, &[VERTEX], true);
    check(Api::DesktopCore, Stage::Vertex, &["#version 150\nvoid main() { gl_Position = ftransform(); }"], false);
    check(Api::Es, Stage::Fragment, &["precision mediump float;\n", "void main() { gl_FragColor = vec4(1.0); }"], true);
    check(Api::Es, Stage::Fragment, &["void main() { float x = 1.0; gl_FragColor = vec4(x); }"], false);
}

#[test]
fn two_contexts_on_one_thread_are_independent() {
    let core = context(Api::DesktopCore);
    let es = context(Api::Es);
    assert!(core.glsl_version().unwrap() >= 330);
    assert!(es.version().unwrap().contains("ES"));
    assert!(!core.version().unwrap().contains("ES"));
    assert!(es.extensions().unwrap().len() > 10);
    // GL_MAX_DRAW_BUFFERS is at least four in ES 3.0 and eight on desktop; 0x1234 is not a name.
    assert!(core.limit(0x8824).unwrap().is_some_and(|n| n >= 4));
    assert_eq!(core.limit(0x1234).unwrap(), None);
    let limits = core.limits().unwrap();
    assert!(limits.iter().any(|(name, value)| *name == "gl_MaxPatchVertices" && *value >= 32), "{limits:?}");
}

#[test]
fn linking_distinguishes_compile_errors_from_link_errors() {
    let context = context(Api::DesktopCore);
    let good = context.link(&[(Stage::Vertex, &[VERTEX]), (Stage::Fragment, &[FRAGMENT])]).unwrap();
    assert!(good.ok, "{}", good.log);

    let gives = "#version 150\nin vec4 p;\nout vec2 handed;\nvoid main() { handed = p.xy; gl_Position = p; }\n";
    let wants = "#version 150\nin vec3 handed;\nout vec4 c;\nvoid main() { c = vec4(handed, 1.0); }\n";
    let bad = context.link(&[(Stage::Vertex, &[gives]), (Stage::Fragment, &[wants])]).unwrap();
    assert_eq!(bad.linked, Some(false));
    assert!(bad.log.contains("handed"), "{}", bad.log);

    let broken = context.link(&[(Stage::Vertex, &["#version 150\nvoid main() { x; }"])]).unwrap();
    assert_eq!(broken.linked, None);
    assert!(!broken.compiled[0].ok);
}

#[test]
fn a_quad_covers_the_image() {
    let context = context(Api::DesktopCore);
    let pixels = context.draw_quad(&[(Stage::Vertex, &[VERTEX]), (Stage::Fragment, &[FRAGMENT])], 8, 4).unwrap();
    assert_eq!(pixels.rgba.len(), 8 * 4 * 4);
    for pixel in pixels.rgba.chunks(4) {
        assert_eq!((pixel[0], pixel[2], pixel[3]), (255, 0, 255));
        assert!(pixel[1].abs_diff(128) <= 1);
    }
}

#[test]
fn a_legacy_program_draws_with_gl_vertex_and_uniforms_derived_from_their_names() {
    let context = context(Api::DesktopCompatibility);
    let draw = |name: &str| {
        let fragment = format!("uniform vec4 {name};\nvoid main() {{ gl_FragColor = {name}; }}\n");
        let vertex = "void main() { gl_Position = gl_Vertex; }\n";
        context.draw_quad(&[(Stage::Vertex, &[vertex]), (Stage::Fragment, &[&fragment])], 2, 2).unwrap()
    };
    assert_eq!(draw("tint"), draw("tint"));
    assert_ne!(draw("tint"), draw("shade"));
}

#[test]
fn an_image_is_rendered_with_the_callers_values() {
    use driver::{Channel, Image, ImageFormat, ImageTarget, Output, Render, Shape, Tile, Uniform};
    let context = context(Api::DesktopCore);
    let vertex = "#version 330\nin vec4 corner; out vec2 p; void main() { gl_Position = corner; p = corner.xy; }";
    let fragment = "#version 330\nin vec2 p; uniform float u; uniform sampler2D s; out vec4 colour; out ivec2 whole;\n\
        void main() { if (p.x > 0.9) discard; colour = vec4(p, u, texture(s, vec2(0.25)).r); whole = ivec2(7, -7); }";
    let uniform = |value: f32| Uniform {
        name: "u".to_owned(),
        channel: Channel::Float,
        shape: Shape { columns: 1, rows: 1 },
        words: vec![value.to_bits()],
    };
    let tile = |x: u16, value: f32| Tile { rectangle: [x, 0, 8, 16], uniforms: vec![uniform(value)] };
    let image = Image {
        name: "s".to_owned(),
        target: ImageTarget::D2,
        format: ImageFormat::Rgba32F,
        size: [1, 1, 1],
        linear: false,
        compare: false,
        sampling: driver::ImageSampling::default(),
        data: [0.375f32; 4].iter().flat_map(|x| x.to_le_bytes()).collect(),
    };
    let output = |name: &str, channel| Output { name: name.to_owned(), channel };
    let outputs = [output("colour", Channel::Float), output("whole", Channel::Int), output("none", Channel::Float)];
    let render = Render {
        shaders: &[(Stage::Vertex, &[vertex]), (Stage::Fragment, &[fragment])],
        corner: "corner",
        size: [16, 16],
        outputs: &outputs,
        images: &[image],
        tiles: &[tile(0, 1.5), tile(8, 2.5)],
    };
    let pictures = context.render(&render).expect("the draw succeeds");
    let pixel = |output: usize, x: usize| -> [u32; 4] {
        let words = pictures[output].as_ref().expect("a picture");
        std::array::from_fn(|i| words[(3 * 16 + x) * 4 + i])
    };
    assert_eq!(pixel(0, 2).map(f32::from_bits), [-0.6875, -0.5625, 1.5, 0.375]);
    assert_eq!(pixel(0, 9).map(f32::from_bits), [0.1875, -0.5625, 2.5, 0.375]);
    assert_eq!(pixel(0, 15), Render::clear_words(Channel::Float));
    assert_eq!(pixel(1, 9)[..2], [7, (-7i32).cast_unsigned()]);
    assert!(pictures[2].is_none());
}
