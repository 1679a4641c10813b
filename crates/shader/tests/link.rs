//! Linking: diagnostics with their positions, and the contents of programs.

use shader::diagnostic::Severity;
use shader::link::{LinkOptions, Linked};
use shader::version::{Options, Stage};
use shader::{Shader, analyze, link_with};

const VERTEX: Stage = Stage::Vertex;
const FRAGMENT: Stage = Stage::Fragment;

#[track_caller]
fn shaders(sources: &[(Stage, &str)]) -> Vec<Shader> {
    let all: Vec<Shader> = sources.iter().map(|(stage, text)| analyze(&[text], &Options::new(*stage))).collect();
    for shader in &all {
        assert!(!shader.has_errors(), "{:#?}", shader.diagnostics);
    }
    all
}

#[track_caller]
fn link(sources: &[(Stage, &str)], separable: bool) -> Linked {
    let shaders = shaders(sources);
    let options = LinkOptions { separable, ..LinkOptions::default() };
    link_with(&shaders.iter().collect::<Vec<_>>(), &options)
}

/// Links, and compares the diagnostics: shader and line, code, message, then each note after a bar.
#[track_caller]
fn check(sources: &[(Stage, &str)], expected: &[&str]) {
    let all = shaders(sources);
    let linked = link(sources, false);
    let found: Vec<String> = linked
        .diagnostics
        .iter()
        .map(|d| {
            let place = match (d.shader, d.diagnostic.labels.first()) {
                (Some(s), Some(label)) => format!("{s}:{}", all[s].sources.locate(label.span.start).line),
                _ => "program".to_owned(),
            };
            let mut text = format!("{place} {}: {}", d.diagnostic.code, d.diagnostic.message);
            for note in &d.diagnostic.notes {
                text += &format!(" | {note}");
            }
            text
        })
        .collect();
    assert_eq!(found, expected);
}

const POSITION: &str = "void main() { gl_Position = vec4(0); }";
const COLOR: &str = "void main() { gl_FragColor = vec4(1); }";

#[test]
fn valid_programs() {
    check(&[(VERTEX, POSITION), (FRAGMENT, COLOR)], &[]);
    check(&[(VERTEX, POSITION)], &[]);
    check(
        &[
            (VERTEX, "#version 330\nout vec3 n; uniform mat4 m;\nvoid main() { n = vec3(1); gl_Position = m[0]; }"),
            (FRAGMENT, "#version 330\nin vec3 n; in vec2 unused; out vec4 c;\nvoid main() { c = vec4(n, 1); }"),
        ],
        &[],
    );
}

#[test]
fn functions() {
    check(&[(VERTEX, "void f() {}")], &["0:1 missing-main: the vertex shader has no `main`"]);
    check(
        &[
            (VERTEX, "float f(int i);\nvoid main() { gl_Position = vec4(f(1)); }"),
            (VERTEX, "float f(float x) { return x; }"),
        ],
        &["0:2 undefined-function: function `f(int)` is called but not defined"],
    );
    check(
        &[
            (VERTEX, "float f(int i);\nvoid main() { gl_Position = vec4(f(1)); }"),
            (VERTEX, "float f(int x) { return 1.0; }"),
            (VERTEX, "\nfloat f(int y) { return 2.0; }"),
        ],
        &[
            "2:2 redefinition: function `f(int)` is defined twice in this stage | vertex shader 2, line 1: `float f(int x) { return 1.0; }`",
        ],
    );
    check(
        &[
            (VERTEX, "void g();\nvoid f() { g(); }\nvoid main() { f(); gl_Position = vec4(0); }"),
            (VERTEX, "void f();\nvoid g() { f(); }"),
        ],
        &["1:2 recursion: `f()` calls itself through this | vertex shader 1, line 2: `void f() { g(); }`"],
    );
    // The call exists, but under a condition that is never true.
    check(
        &[(VERTEX, "void f();\nvoid main() { if (false) f(); gl_Position = vec4(0); }")],
        &[
            "0:2 undefined-function: function `f()` is called but not defined | the call is never made, so drivers let it pass",
        ],
    );
}

#[test]
fn stages() {
    let es = "#version 300 es\nvoid main() {}";
    check(
        &[(VERTEX, es)],
        &[
            "program missing-stage: a program of GLSL ES needs a fragment shader | a separable program may leave stages to others",
        ],
    );
    assert!(!link(&[(VERTEX, es)], true).has_errors());
    check(
        &[(VERTEX, "#version 100\nvoid main() { gl_Position = vec4(0.0); }"), (FRAGMENT, es)],
        &[
            "1:1 version-mix: a GLSL ES 3.00 shader cannot be linked with one of GLSL ES 1.00 | the vertex shader is written in GLSL ES 1.00",
        ],
    );
    check(
        &[(VERTEX, "#version 430\nvoid main() {}"), (Stage::Compute, "#version 430\nvoid main() {}")],
        &[
            "program compute-mix: a compute shader cannot be linked with other stages",
            "1:1 stage-layout: the compute shader does not declare its local size, as in `layout(local_size_x = 64) in;`",
        ],
    );
    check(
        &[
            (VERTEX, "#version 150\nvoid main() {}"),
            (Stage::Geometry, "#version 150\nlayout(triangles) in;\nlayout(max_vertices = 3) out;\nvoid main() {}"),
        ],
        &[
            "1:1 stage-layout: the geometry shader does not declare its output primitive, as in `layout(triangle_strip) out;`",
        ],
    );
    check(
        &[
            (
                VERTEX,
                "#version 150\n#extension GL_NV_viewport_array2 : require\nlayout(viewport_relative) out int gl_Layer;",
            ),
            (
                VERTEX,
                "#version 150\n#extension GL_NV_viewport_array2 : require\nout int gl_Layer;\nvoid main() { gl_Layer = 0; }",
            ),
        ],
        &[
            "1:1 stage-layout: the layout of `gl_Layer` is absolute in vertex shader 2 and viewport_relative in vertex shader 1",
        ],
    );
    check(&[(VERTEX, "void main() {}")], &["0:1 position-not-written: the vertex shader does not write `gl_Position`"]);
}

#[test]
fn globals() {
    check(
        &[
            (VERTEX, "#version 330\nuniform vec4 a;\nvoid main() { gl_Position = a; }"),
            (FRAGMENT, "#version 330\n\nuniform vec3 a;\nout vec4 c;\nvoid main() { c = vec4(a, 1); }"),
        ],
        &[
            "1:3 type-mismatch: uniform `a` is `vec3` here and `vec4` elsewhere | vertex shader, line 2: `uniform vec4 a;`",
        ],
    );
    check(
        &[
            (VERTEX, "float g = 1.0;\nvoid main() { gl_Position = vec4(g); }"),
            (VERTEX, "float g;"),
            (VERTEX, "float g = 2.0;"),
        ],
        &[
            "2:1 initializer-mismatch: global variable `g` has an initializer of another value elsewhere | vertex shader 1, line 1: `float g = 1.0;`",
        ],
    );
    check(
        &[
            (VERTEX, "#version 300 es\nuniform mediump float u;\nvoid main() { gl_Position = vec4(u); }"),
            (FRAGMENT, "#version 300 es\nuniform highp float u;\nout highp vec4 c;\nvoid main() { c = vec4(u); }"),
        ],
        &[
            "1:2 precision-mismatch: uniform `u` has another precision elsewhere | vertex shader, line 2: `uniform mediump float u;`",
        ],
    );
    check(
        &[
            (VERTEX, "#version 330\nstruct S { vec4 a; float b; };\nuniform S s;\nvoid main() { gl_Position = s.a; }"),
            (
                FRAGMENT,
                "#version 330\nstruct S { vec4 a; int b; };\nuniform S s;\nout vec4 c;\nvoid main() { c = s.a; }",
            ),
        ],
        &[
            "1:3 type-mismatch: uniform `s` has different types: member `b` is `int` in one and `float` in the other | vertex shader, line 3: `uniform S s;`",
        ],
    );
}

#[test]
fn blocks() {
    let vertex = "#version 330\nlayout(std140) uniform B { vec4 a; vec2 b; };\nvoid main() { gl_Position = a; }";
    let fragment = |block: &str| format!("#version 330\n{block}\nout vec4 c;\nvoid main() {{ c = a; }}");
    check(&[(VERTEX, vertex), (FRAGMENT, &fragment("layout(std140) uniform B { vec4 a; vec2 b; };"))], &[]);
    let note = "| vertex shader, line 2: `layout(std140) uniform B { vec4 a; vec2 b; };`";
    for (block, reason) in [
        ("layout(std140) uniform B { vec4 a; vec2 d; };", "member `d` is at the position of `b` there"),
        ("layout(std140) uniform B { vec4 a; };", "it has 1 members here and 2 there"),
        ("layout(shared) uniform B { vec4 a; vec2 b; };", "the packing differs"),
    ] {
        let expected = format!("1:2 block-mismatch: block `B` is declared differently elsewhere: {reason} {note}");
        check(&[(VERTEX, vertex), (FRAGMENT, &fragment(block))], &[&expected]);
    }
}

#[test]
fn varyings() {
    let vertex = |out: &str| format!("#version 330\n{out}\nvoid main() {{ gl_Position = vec4(0); }}");
    let fragment = |input: &str| format!("#version 330\n{input}\nout vec4 c;\nvoid main() {{ c = vec4(v); }}");
    let pair = |out: &str, input: &str, expected: &[&str]| {
        check(&[(VERTEX, &vertex(out)), (FRAGMENT, &fragment(input))], expected);
    };
    pair("out vec4 v;", "in vec4 v;", &[]);
    pair(
        "out vec4 w;",
        "in vec4 v;",
        &["1:2 unmatched-input: fragment shader input `v` is used, but no vertex shader output has this name"],
    );
    pair(
        "out vec3 v;",
        "in vec4 v;",
        &[
            "1:2 type-mismatch: fragment shader input `v` is `vec4`, the vertex shader's output is `vec3` | vertex shader, line 2: `out vec3 v;`",
        ],
    );
    pair(
        "flat out vec4 v;",
        "in vec4 v;",
        &[
            "1:2 interpolation-mismatch: fragment shader input `v` has no interpolation qualifier, but the vertex shader's output `v` is `flat` | vertex shader, line 2: `flat out vec4 v;`",
        ],
    );
    pair(
        "out B { vec4 v; };",
        "in B { vec4 v; vec4 w; };",
        &[
            "1:2 block-mismatch: block `B` is declared differently elsewhere: it has 2 members here and 1 there | vertex shader, line 2: `out B { vec4 v; };`",
        ],
    );
    // By location, names do not matter.
    let located = |version: &str, io: &str, body: &str| format!("#version {version}\n{io}\nvoid main() {{ {body} }}");
    check(
        &[
            (VERTEX, &located("450", "layout(location = 3) out vec4 a;", "a = vec4(1);")),
            (FRAGMENT, &located("450", "layout(location = 3) in vec4 b; out vec4 c;", "c = b;")),
        ],
        &[],
    );
    check(
        &[
            (VERTEX, &located("450", "layout(location = 2) out vec4 a;", "a = vec4(1);")),
            (FRAGMENT, &located("450", "layout(location = 3) in vec4 b; out vec4 c;", "c = b;")),
        ],
        &["1:2 unmatched-input: fragment shader input `b` has location 3, but no vertex shader output has"],
    );
}

#[test]
fn locations() {
    check(
        &[(
            VERTEX,
            "#version 450\nlayout(location = 0) out vec4 a[2];\nlayout(location = 1) out vec4 b;\nvoid main() {}",
        )],
        &["0:3 location-overlap: `b` and `a` both take component 0 of location 1"],
    );
    check(
        &[(
            VERTEX,
            "#version 450\nlayout(location = 0) out vec2 a;\nlayout(location = 0, component = 2) out vec2 b;\nvoid main() {}",
        )],
        &[],
    );
    check(
        &[
            (VERTEX, "#version 450\nlayout(location = 4) uniform vec4 a[3];\nvoid main() { gl_Position = a[0]; }"),
            (FRAGMENT, "#version 450\nlayout(location = 6) uniform vec4 b;\nout vec4 c;\nvoid main() { c = b; }"),
        ],
        &[
            "1:2 location-overlap: uniforms `b` and `a` both take location 6 | vertex shader, line 2: `layout(location = 4) uniform vec4 a[3];`",
        ],
    );
    check(
        &[(
            VERTEX,
            "#version 450\nlayout(xfb_offset = 0) out vec4 a;\nlayout(xfb_offset = 8) out vec4 b;\nvoid main() {}",
        )],
        &["0:3 transform-feedback: `b` and `a` overlap in transform feedback buffer 0"],
    );
    check(
        &[(
            VERTEX,
            "#version 450\nlayout(xfb_buffer = 1, xfb_stride = 32) out;\nlayout(xfb_offset = 0) out vec4 a;\n\
             layout(xfb_buffer = 0, xfb_offset = 0) out vec4 b;\nlayout(xfb_offset = 8) out vec4 c;\nvoid main() {}",
        )],
        &["0:5 transform-feedback: `c` and `a` overlap in transform feedback buffer 1"],
    );
    check(
        &[
            (VERTEX, "#version 400\nvoid main() {}"),
            (
                Stage::Geometry,
                "#version 400\nlayout(points) in;\nlayout(points, max_vertices = 1) out;\nlayout(stream = 1) out;\n\
                 out vec4 q;\nvoid main() { q = vec4(1); EmitStreamVertex(1); }",
            ),
            (FRAGMENT, "#version 400\nin vec4 q;\nout vec4 c;\nvoid main() { c = q; }"),
        ],
        &[
            "2:2 stream: `q` is of stream 1; only stream 0 reaches the fragment shader | geometry shader, line 5: `out vec4 q;`",
        ],
    );
    check(
        &[(
            VERTEX,
            "#version 450\nlayout(location = 2) out I {\nvec4 a;\nlayout(location = 2, component = 3) float z;\n};\n\
             void main() { a = vec4(z); }",
        )],
        &["0:4 location-overlap: `z` and `a` both take component 3 of location 2"],
    );
    check(
        &[(
            VERTEX,
            "#version 450\nlayout(location = 2) out I {\nvec2 a;\nlayout(location = 2, component = 3) flat int z;\n} i;\n\
             void main() { i.a = vec2(1); i.z = 1; }",
        )],
        &["0:5 location-overlap: `z` and `a` share location 2, but not the component type"],
    );
    check(
        &[
            (VERTEX, "#version 450\nvoid main() {}"),
            (FRAGMENT, "#version 450\nlayout(location = 7) out vec4 a[2];\nvoid main() { a[0] = a[1] = vec4(1); }"),
        ],
        &["1:2 limit: `a` takes location 8, but there are only 8 draw buffers"],
    );
}

/// The largest index makes an array one longer than can be represented.
#[test]
fn largest_index() {
    let fragment = "#version 430
        subroutine vec4 T(); subroutine uniform T t[]; subroutine(T) vec4 f() { return vec4(1); }
        uniform float a[]; buffer B { vec4 x[]; } b[];
        out vec4 c;
        void main() { c = t[4294967295u]() + a[4294967295u] + b[4294967295u].x[4294967295u]; }";
    let vertex = "#version 430
        uniform float a[]; buffer B { vec4 x[]; } b[];
        void main() { gl_Position = a[4294967295u] + b[4294967295u].x[4294967295u]; }";
    // What matters is that there is a result.
    assert!(!link(&[(VERTEX, vertex), (FRAGMENT, fragment)], false).stages.is_empty());
}

#[test]
fn contents() {
    let vertex = "#version 450
        layout(location = 5) in vec3 position; in vec2 uv; in float dead;
        layout(xfb_buffer = 1, xfb_offset = 16) out vec4 captured;
        out vec2 v; layout(location = 1) uniform mat4 m; uniform vec4 tint[3]; uniform float off;
        layout(std140, binding = 2) uniform B { vec4 a; mat3 b; } block[2];
        void main() { v = uv; captured = tint[1]; gl_Position = m * vec4(position, block[0].a.x); }";
    let fragment = "#version 450
        in vec2 v; out vec4 c; uniform sampler2D s; uniform vec4 tint[3];
        void main() { c = texture(s, v) * tint[2]; }";
    let linked = link(&[(VERTEX, vertex), (FRAGMENT, fragment)], false);
    assert!(!linked.has_errors(), "{:#?}", linked.diagnostics);
    let inputs: Vec<_> = linked.inputs.iter().map(|i| (i.name.as_str(), i.location, i.used)).collect();
    assert_eq!(inputs, [("position", Some(5), true), ("uv", Some(0), true), ("dead", None, false)]);
    let outputs: Vec<_> = linked.outputs.iter().map(|o| (o.name.as_str(), o.location)).collect();
    assert_eq!(outputs, [("c", Some(0))]);
    let uniforms: Vec<_> =
        linked.uniforms.iter().map(|u| (u.name.as_str(), u.location, u.locations, u.stages)).collect();
    let (both, last) = (VERTEX.bit() | FRAGMENT.bit(), FRAGMENT.bit());
    assert_eq!(
        uniforms,
        [("m", Some(1), 1, VERTEX.bit()), ("tint", Some(2), 3, both), ("off", None, 1, 0), ("s", Some(5), 1, last)]
    );
    let block = &linked.blocks[0];
    assert_eq!((block.name.as_str(), block.binding, block.count), ("B", Some(2), 2));
    assert_eq!(block.layout.as_ref().map(|l| (l.size, l.field_offsets.clone())), Some((64, vec![0, 16])));
    let varyings: Vec<_> = linked.varyings.iter().map(|v| (v.name.as_str(), v.location)).collect();
    assert_eq!(varyings, [("v", 0)]);
    let captured: Vec<_> =
        linked.feedback.captured.iter().map(|c| (c.name.as_str(), c.buffer, c.offset, c.size)).collect();
    assert_eq!(captured, [("captured", 1, 16, 16)]);
    assert_eq!(linked.feedback.strides, [(1, 32)]);
    assert_eq!(linked.stages[0].reached.len(), 1);
}

#[test]
fn subroutines() {
    let vertex = "#version 400
        subroutine float shape(float x);
        subroutine(shape) float twice(float x) { return x * 2.0; }
        subroutine(shape) float half_of(float x) { return x * 0.5; }
        subroutine uniform shape pick;
        void main() { gl_Position = vec4(pick(1.0)); }";
    let linked = link(&[(VERTEX, vertex)], false);
    assert!(!linked.has_errors(), "{:#?}", linked.diagnostics);
    let functions: Vec<_> = linked.subroutines.iter().map(|s| (s.name.as_str(), s.index)).collect();
    assert_eq!(functions, [("twice", 0), ("half_of", 1)]);
    assert_eq!(linked.subroutine_uniforms[0].compatible, [0, 1]);
    assert_eq!(linked.stages[0].reached.len(), 3);
}

#[test]
fn per_vertex() {
    let vertex = "#version 150\nout gl_PerVertex { vec4 gl_Position; };\nvoid main() { gl_Position = vec4(0); }";
    let geometry = |block: &str| {
        format!(
            "#version 150\nlayout(points) in; layout(points, max_vertices = 1) out;\n{block}\n\
             void main() {{ gl_Position = gl_in[0].gl_Position; EmitVertex(); }}"
        )
    };
    check(&[(VERTEX, vertex), (Stage::Geometry, &geometry("in gl_PerVertex { vec4 gl_Position; } gl_in[];"))], &[]);
    check(
        &[(VERTEX, vertex), (Stage::Geometry, &geometry(""))],
        &[
            "1:1 per-vertex: `gl_PerVertex` is used here without redeclaration, but redeclared in another shader | vertex shader, line 2: `out gl_PerVertex { vec4 gl_Position; };`",
        ],
    );
}

#[test]
fn limits() {
    let fragment = "#version 330\nuniform sampler2D s[40];\nout vec4 c;\nvoid main() { c = texture(s[3], vec2(0)); }";
    check(
        &[(FRAGMENT, fragment)],
        &["0:1 limit: the fragment shader uses 40 samplers, `gl_MaxTextureImageUnits` is 32"],
    );
}

/// Thousands of everything: a quadratic algorithm would take minutes.
#[test]
fn large_programs() {
    let mut vertex = "#version 450\n".to_owned();
    let mut fragment = vertex.clone();
    let (mut writes, mut reads) = (String::new(), String::new());
    for i in 0..5_000 {
        vertex +=
            &format!("out vec4 v{i}; uniform vec4 u{i}; out B{i} {{ vec4 a{i}; }}; float f{i}() {{ return 1.0; }}\n");
        fragment += &format!("in vec4 v{i}; uniform vec4 u{i}; in B{i} {{ vec4 a{i}; }}; float f{i}();\n");
        writes += &format!("v{i} = u{i} * f{i}(); a{i} = v{i};\n");
        reads += &format!("c += v{i} * a{i} + u{i} * f{i}();\n");
    }
    vertex += &format!("void main() {{ {writes} }}");
    fragment += &format!("out vec4 c; void main() {{ c = vec4(0); {reads} }}");
    let linked = link(&[(VERTEX, &vertex), (FRAGMENT, &fragment)], false);
    assert_eq!(linked.varyings.len(), 10_000);
    assert_eq!(linked.uniforms.len(), 5_000);
    assert_eq!(linked.diagnostics.len(), 1_000);
}

#[test]
fn deep_types() {
    let dimensions = "[1]".repeat(5_000);
    let vertex = format!("#version 450\nlayout(location = 0) out float v{dimensions};\nvoid main() {{}}");
    let shader = analyze(&[&vertex], &Options::new(VERTEX));
    let _ = link_with(&[&shader], &LinkOptions::default());
    let mut nested = "#version 450\nstruct S0 { float a; };\n".to_owned();
    for i in 1..60 {
        nested += &format!("struct S{i} {{ S{0} a; S{0} b; }};\n", i - 1);
    }
    nested += "uniform S59 s;\nvoid main() { gl_Position = vec4(0); }";
    let shader = analyze(&[&nested], &Options::new(VERTEX));
    let other = analyze(&[&nested], &Options::new(FRAGMENT));
    let _ = link_with(&[&shader, &other], &LinkOptions::default());
}

/// What is wrong between two separable programs: each finding's code, with a question mark if it is a warning.
fn separable(version: &str, vertex: &str, fragment: &str) -> Vec<String> {
    let text = |stage: Stage, body: &str| {
        let colour = if stage == Stage::Fragment { "out mediump vec4 colour;" } else { "" };
        let text = format!("#version {version}\nprecision mediump float; {body} {colour} void main() {{ }}");
        let shader = shader::analyze(&[text], &Options::new(stage));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        shader
    };
    let (vertex, fragment) = (text(Stage::Vertex, vertex), text(Stage::Fragment, fragment));
    let found = shader::link::match_separable(&[&vertex, &fragment]);
    let code = |d: &shader::diagnostic::Diagnostic| {
        format!("{}{}", d.code, if d.severity == Severity::Warning { "?" } else { "" })
    };
    found.iter().map(|found| code(&found.diagnostic)).collect()
}

// OpenGL ES 3.2, 7.4.1, "Shader Interface Matching".
#[test]
fn separable_programs_of_es_match_exactly() {
    let none: [&str; 0] = [];
    for version in ["310 es", "320 es"] {
        let check = |vertex: &str, fragment: &str, codes: &[&str]| {
            assert_eq!(separable(version, vertex, fragment), codes, "{version}: {vertex} {fragment}");
        };
        check("out vec4 a; flat out highp int b;", "flat in highp int b; in vec4 a;", &none);
        // The default precisions of integers differ.
        check("flat out int b;", "flat in int b;", &["separable-mismatch"]);
        check("out vec4 a;", "smooth in vec4 a;", &none);
        check("layout(location = 1) out vec4 a;", "layout(location = 1) in vec4 b;", &none);
        check("struct S { float x; }; out S s;", "struct S { float x; }; in S s;", &none);
        check("out vec4 a;", "", &["separable-unmatched"]);
        check("", "in vec4 a;", &["separable-unmatched"]);
        check("out vec4 a;", "in vec3 a;", &["type-mismatch"]);
        check("out vec4 a;", "in highp vec4 a;", &["separable-mismatch"]);
        check("flat out vec4 a;", "in vec4 a;", &["interpolation-mismatch"]);
        check("layout(location = 1) out vec4 a;", "in vec4 a;", &["separable-unmatched"; 2]);
        check("struct S { float x; }; out S s;", "struct T { float x; }; in T s;", &["separable-mismatch"]);
        check("struct S { float x; }; out S s;", "struct S { highp float x; }; in S s;", &["separable-mismatch"]);
    }
    let check = |vertex: &str, fragment: &str, codes: &[&str]| {
        assert_eq!(separable("320 es", vertex, fragment), codes, "{vertex} {fragment}");
    };
    check("out B { float x; } a;", "in B { float x; } b;", &none);
    check("out B { float x; } a;", "in C { float x; } a;", &["separable-unmatched"; 2]);
    check("out B { float x; } a;", "in B { highp float x; } a;", &["block-mismatch"]);
    check("out B { float x; } a;", "in B { float x; float y; } a;", &["block-mismatch"]);
    check("out B { float x; };", "in float x;", &["separable-unmatched"; 2]);
}

// OpenGL 4.6, 7.4.1: values of mismatched inputs are undefined, and outputs that nobody reads are allowed.
#[test]
fn separable_programs_of_the_desktop_may_differ() {
    let none: [&str; 0] = [];
    assert_eq!(separable("450", "out vec4 a; out vec4 b;", "in highp vec4 a;"), none);
    assert_eq!(separable("450", "", "in vec4 a;"), ["separable-unmatched?"]);
    assert_eq!(separable("450", "out vec4 a;", "in vec3 a;"), ["type-mismatch?"]);
}

// GLSL ES 1.00, appendix A.7: four components to a vector at most.
#[test]
fn vectors_of_uniforms_and_varyings_are_limited_in_es() {
    let vertex = "uniform highp vec4 u[17]; varying highp vec4 v[9];
        void main() { gl_Position = u[16]; v[0] = u[0]; v[8] = u[1]; }";
    let fragment = "precision mediump float; uniform float w[65]; varying highp vec4 v[9];
        void main() { gl_FragColor = vec4(w[64]) + v[0] + v[8]; }";
    let text = |body: &str| format!("#version 100\n{body}");
    let shaders = shaders(&[(VERTEX, &text(vertex)), (FRAGMENT, &text(fragment))]);
    let problems = |limits: &[(&str, i32)]| {
        let limits = limits.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let options = LinkOptions { limits, ..LinkOptions::default() };
        let found = link_with(&shaders.iter().collect::<Vec<_>>(), &options).diagnostics;
        found.into_iter().map(|found| found.diagnostic.message).collect::<Vec<_>>()
    };
    assert_eq!(problems(&[]), [""; 0]);
    assert_eq!(
        problems(&[("gl_MaxVertexUniformVectors", 16), ("gl_MaxFragmentUniformVectors", 16)]),
        [
            "the vertex shader uses 17 vectors of uniforms, `gl_MaxVertexUniformVectors` is 16",
            "the fragment shader uses 17 vectors of uniforms, `gl_MaxFragmentUniformVectors` is 16",
        ]
    );
    let varyings = problems(&[("gl_MaxVaryingVectors", 8)]);
    assert_eq!(varyings, ["the fragment shader uses 9 vectors of varyings, `gl_MaxVaryingVectors` is 8"]);
}
