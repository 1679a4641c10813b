//! Against the machine's own driver. `cargo xtask setup` installs one.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops where it fails")]

use driver::{Api, Context, Stage};

const VERTEX: &str = "#version 150\nin vec4 p;\nvoid main() { gl_Position = p; }\n";
const FRAGMENT: &str = "#version 150\nout vec4 c;\nvoid main() { c = vec4(1.0, 0.5, 0.0, 1.0); }\n";

#[track_caller]
fn check(api: Api, stage: Stage, strings: &[&str], accepted: bool) {
    let context = Context::new(api).expect("a headless context");
    let compiled = context.compile(stage, strings).expect("an answer");
    assert_eq!(compiled.ok, accepted, "{}", compiled.log);
}

#[test]
fn each_kind_of_context_reads_its_own_language() {
    check(Api::DesktopCompatibility, Stage::Vertex, &["void main() { gl_Position = ftransform(); }"], true);
    check(Api::DesktopCore, Stage::Vertex, &[VERTEX], true);
    check(Api::DesktopCore, Stage::Vertex, &["#version 150\nvoid main() { gl_Position = ftransform(); }"], false);
    check(Api::Es, Stage::Fragment, &["precision mediump float;\n", "void main() { gl_FragColor = vec4(1.0); }"], true);
    check(Api::Es, Stage::Fragment, &["void main() { float x = 1.0; gl_FragColor = vec4(x); }"], false);
}

#[test]
fn two_contexts_on_one_thread_keep_apart() {
    let core = Context::new(Api::DesktopCore).expect("a core context");
    let es = Context::new(Api::Es).expect("an ES context");
    assert!(core.glsl_version().unwrap() >= 330);
    assert!(es.version().unwrap().contains("ES"));
    assert!(!core.version().unwrap().contains("ES"));
    assert!(es.extensions().unwrap().len() > 10);
    // GL_MAX_DRAW_BUFFERS is at least four in ES 3.0 and eight on desktop; 0x1234 names nothing.
    assert!(core.limit(0x8824).unwrap().is_some_and(|n| n >= 4));
    assert_eq!(core.limit(0x1234).unwrap(), None);
    let limits = core.limits().unwrap();
    assert!(limits.iter().any(|(name, value)| *name == "gl_MaxPatchVertices" && *value >= 32), "{limits:?}");
}

#[test]
fn linking_tells_compile_errors_from_link_errors() {
    let context = Context::new(Api::DesktopCore).expect("a core context");
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
fn a_quad_covers_the_picture() {
    let context = Context::new(Api::DesktopCore).expect("a core context");
    let pixels = context.draw_quad(&[(Stage::Vertex, &[VERTEX]), (Stage::Fragment, &[FRAGMENT])], 8, 4).unwrap();
    assert_eq!(pixels.rgba.len(), 8 * 4 * 4);
    for pixel in pixels.rgba.chunks(4) {
        assert_eq!((pixel[0], pixel[2], pixel[3]), (255, 0, 255));
        assert!(pixel[1].abs_diff(128) <= 1);
    }
}

#[test]
fn a_legacy_program_draws_with_gl_vertex_and_uniforms_that_follow_their_names() {
    let context = Context::new(Api::DesktopCompatibility).expect("a compatibility context");
    let draw = |name: &str| {
        let fragment = format!("uniform vec4 {name};\nvoid main() {{ gl_FragColor = {name}; }}\n");
        let vertex = "void main() { gl_Position = gl_Vertex; }\n";
        context.draw_quad(&[(Stage::Vertex, &[vertex]), (Stage::Fragment, &[&fragment])], 2, 2).unwrap()
    };
    assert_eq!(draw("tint"), draw("tint"));
    assert_ne!(draw("tint"), draw("shade"));
}
