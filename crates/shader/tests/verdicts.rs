//! Verdicts on small shaders, each by a rule of a specification.
#![allow(missing_docs, reason = "tests")]

use shader::diagnostic::Severity;
use shader::link::LinkOptions;
use shader::version::{Options, Profile, Stage, Version};

/// The errors of a shader, each as `CODE: MESSAGE`.
fn errors(text: &str, options: &Options) -> Vec<String> {
    let shader = shader::analyze(&[text], options);
    let errors = shader.diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| format!("{}: {}", d.code, d.message)).collect()
}

#[track_caller]
fn accepts(text: &str, options: &Options) {
    assert_eq!(errors(text, options), [""; 0], "{text}");
}

/// There is exactly one error, and it begins like this.
#[track_caller]
fn rejects(text: &str, options: &Options, error: &str) {
    let errors = errors(text, options);
    assert!(errors.len() == 1 && errors[0].starts_with(error), "{text}\n{errors:?}");
}

/// A WebGL 1 or WebGL 2 context.
fn webgl(stage: Stage, context: u8) -> Options {
    let mut options = Options::new(stage);
    options.webgl = true;
    options.default_version = Version { number: 100, profile: Profile::Es };
    options.newest = Some(if context == 1 { 100 } else { 300 });
    options
}

fn plain(stage: Stage) -> Options {
    Options::new(stage)
}

// GLSL ES 3.00, 4.3.8.3: each argument overrides the ones before it; GLSL ES 3.10, 4.4.
#[test]
fn a_layout_qualifier_may_be_repeated_in_es() {
    for version in ["300 es", "310 es", "320 es"] {
        let text = format!("#version {version}\nlayout(location = 1, location = 2) in highp vec4 a; void main() {{ }}");
        accepts(&text, &plain(Stage::Vertex));
        let shader = shader::analyze(&[text], &plain(Stage::Vertex));
        let locations: Vec<_> = shader.typed.variables.iter().filter_map(|v| v.qualifiers.layout.location).collect();
        assert_eq!(locations, [2], "the last one counts");
        let block = "layout(row_major, column_major, row_major) uniform B { highp mat4 m; }; void main() { }";
        accepts(&format!("#version {version}\n{block}"), &plain(Stage::Vertex));
    }
    let two = "layout(location = 1) layout(location = 2) in highp vec4 a; void main() { }";
    accepts(&format!("#version 310 es\n{two}"), &plain(Stage::Vertex));
    rejects(&format!("#version 300 es\n{two}"), &plain(Stage::Vertex), "qualifier: more than one `layout`");
    let sizes = "layout(local_size_x = 2, local_size_x = 4) in; void main() { }";
    accepts(&format!("#version 310 es\n{sizes}"), &plain(Stage::Compute));
    let older = "#version 330\nlayout(location = 1, location = 2) in vec4 a; void main() { }";
    rejects(older, &plain(Stage::Vertex), "layout: `location` is given twice");
}

// GLSL ES 1.00, 4.6.4; from GLSL ES 3.00 on only outputs can be invariant.
#[test]
fn gl_front_facing_is_never_invariant_in_es() {
    let text = |version: &str, name: &str| format!("#version {version}\ninvariant {name}; void main() {{ }}");
    let fragment = plain(Stage::Fragment);
    rejects(&text("100", "gl_FrontFacing"), &fragment, "invariant: `gl_FrontFacing` cannot be declared");
    accepts(&text("100", "gl_FragCoord"), &fragment);
    accepts(&text("100", "gl_PointCoord"), &fragment);
    accepts(&text("120", "gl_FrontFacing"), &fragment);
    for name in ["gl_FrontFacing", "gl_FragCoord", "gl_PointCoord"] {
        rejects(&text("300 es", name), &fragment, "invariant: `invariant` is only for outputs");
    }
}

// GLSL 1.20 and GLSL ES 3.00, 4.6.1; GLSL 1.10 and GLSL ES 1.00 have no such rule.
#[test]
fn invariant_all_is_reported_once() {
    let text = |version: &str| format!("#version {version}\n#pragma STDGL invariant(all)\nvoid main() {{ }}");
    for version in ["300 es", "310 es", "320 es", "120", "460"] {
        rejects(&text(version), &plain(Stage::Fragment), "pragma: `invariant(all)` is not for fragment shaders");
        accepts(&text(version), &plain(Stage::Vertex));
    }
    accepts(&text("100"), &plain(Stage::Fragment));
    accepts(&text("110"), &plain(Stage::Fragment));
}

// ANGLE_clip_cull_distance, which WEBGL_clip_cull_distance exposes.
#[test]
fn clip_and_cull_distances_have_angles_extension() {
    let name = "GL_ANGLE_clip_cull_distance";
    let head = format!("#version 300 es\n#extension {name} : require\n#ifndef {name}\n#error undefined\n#endif\n");
    let vertex = "out highp float gl_CullDistance[2];
        void main() { gl_ClipDistance[3] = 1.0; gl_CullDistance[1] = float(gl_MaxCullDistances); }";
    accepts(&format!("{head}{vertex}"), &webgl(Stage::Vertex, 2));
    let fragment = "out highp vec4 c; void main() { c = vec4(gl_ClipDistance[3]); }";
    accepts(&format!("{head}{fragment}"), &webgl(Stage::Fragment, 2));
    let error = "extension-unsupported: extension `GL_ANGLE_clip_cull_distance`";
    rejects(&format!("#extension {name} : require\nvoid main() {{ }}"), &webgl(Stage::Vertex, 1), error);
}

// GLSL 4.60, 4.4 lists what takes a layout; neither parameters nor results are among it.
#[test]
fn functions_have_no_layout() {
    for version in ["300 es", "310 es", "330", "460"] {
        for layout in ["location = 1", "std140", "rgba8", "nonsense"] {
            let text = format!("#version {version}\nvoid f(layout({layout}) highp vec4 x) {{ }} void main() {{ }}");
            rejects(&text, &plain(Stage::Vertex), "layout: `layout` is not for parameters");
        }
        let text = format!("#version {version}\nlayout(location = 1) int f() {{ return 1; }} void main() {{ }}");
        rejects(&text, &plain(Stage::Vertex), "layout: `layout` is not for return types");
    }
    let image = "void f(layout(rgba8) readonly highp image2D x) { } void main() { }";
    rejects(&format!("#version 310 es\n{image}"), &plain(Stage::Fragment), "layout: `layout` is not for parameters");
    rejects(&format!("#version 420\n{image}"), &plain(Stage::Fragment), "layout: `layout` is not for parameters");
    let subroutine = "subroutine void T(); layout(index = 2) subroutine(T) void f() { } void main() { }";
    accepts(&format!("#version 430\n{subroutine}"), &plain(Stage::Vertex));
}

// GLSL 4.60 and GLSL ES 3.00, chapter 9: `single_declaration: fully_specified_type`.
#[test]
fn the_first_declarator_may_be_empty() {
    for version in ["100", "300 es", "120", "460"] {
        let text = "int , g, h = 1; const int , c = 2; struct S { int x; } , s; uniform S , u;
            void main() { S , t; int , a = c; g = a; t = u; s.x = t.x + h; for (int , i = 0; i < 2; i++) { g += i; } }";
        accepts(&format!("#version {version}\n{text}"), &plain(Stage::Vertex));
        for wrong in ["int a, ;", "int , ;", "int , , a;", "void main() { while (bool , b = true) { } }"] {
            rejects(&format!("#version {version}\n{wrong}"), &plain(Stage::Vertex), "syntax");
        }
    }
}

// WebGL 1.0 and 2.0, "Maximum GLSL Token Size".
#[test]
fn webgl_2_has_names_of_1024_characters_in_both_languages() {
    let text = |length: usize| {
        let name = "a".repeat(length);
        format!("#define {name} 1.0\nuniform highp float b{}; void main() {{ }}", &name[1..])
    };
    let in_300 = |length: usize| format!("#version 300 es\n{}", text(length));
    accepts(&text(256), &webgl(Stage::Vertex, 1));
    assert_eq!(errors(&text(257), &webgl(Stage::Vertex, 1)).len(), 2);
    accepts(&text(1024), &webgl(Stage::Vertex, 2));
    assert_eq!(errors(&text(1025), &webgl(Stage::Vertex, 2)).len(), 2);
    accepts(&in_300(1024), &webgl(Stage::Vertex, 2));
    assert_eq!(errors(&in_300(1025), &webgl(Stage::Vertex, 2)).len(), 2);
    let unknown = Options { newest: None, ..webgl(Stage::Vertex, 1) };
    assert_eq!(errors(&text(257), &unknown).len(), 2, "the language decides");
}

// WebGL's registry: these extensions are part of WebGL 2.0, or need it.
#[test]
fn webgl_does_not_know_the_extensions_of_its_other_version() {
    let text = |head: &str, name: &str| format!("{head}#extension {name} : require\nvoid main() {{ }}");
    let unknown = |name: &str| format!("extension-unsupported: extension `{name}` is not supported");
    let defined = |name: &str| format!("#ifdef {name}\n#error defined\n#endif\nvoid main() {{ }}");
    let es3 = "#version 300 es\n";
    for name in ["GL_EXT_draw_buffers", "GL_EXT_frag_depth", "GL_EXT_shader_texture_lod", "GL_OES_standard_derivatives"]
    {
        accepts(&text("", name), &webgl(Stage::Fragment, 1));
        rejects(&text("", name), &webgl(Stage::Fragment, 2), &unknown(name));
        rejects(&text(es3, name), &webgl(Stage::Fragment, 2), &unknown(name));
        accepts(&defined(name), &webgl(Stage::Fragment, 2));
        let known = Options { newest: None, ..webgl(Stage::Fragment, 1) };
        accepts(&text("", name), &known);
    }
    rejects(&text("", "GL_OVR_multiview2"), &webgl(Stage::Vertex, 1), &unknown("GL_OVR_multiview2"));
    accepts(&text(es3, "GL_OVR_multiview2"), &webgl(Stage::Vertex, 2));
    accepts(&text("#version 100\n", "GL_OVR_multiview2"), &plain(Stage::Vertex));
}

// GLSL ES 3.00, 4.3.7: the name of an instance selects members of the block.
#[test]
fn a_block_is_not_a_value() {
    for version in ["300 es", "310 es", "330", "460"] {
        let text = |body: &str| {
            let blocks = "uniform B { highp vec4 a; } b; uniform D { highp vec4 a; } d[2];";
            format!("#version {version}\n{blocks} void main() {{ highp vec4 v; int i; {body} }}")
        };
        for body in ["b;", "(b);", "i = 1, b;", "v = (b, v);", "d;", "d[0];", "for (i = 0; i < 2; b) { }"] {
            rejects(&text(body), &plain(Stage::Vertex), "block-value: block `");
        }
        let compared = errors(&text("if (b == b) { }"), &plain(Stage::Vertex));
        assert!(compared.iter().all(|error| error.starts_with("block-value")) && !compared.is_empty(), "{compared:?}");
        let chosen = errors(&text("v = (i == 1 ? b : b).a;"), &plain(Stage::Vertex));
        assert!(chosen.iter().all(|error| error.starts_with("block-value")) && !chosen.is_empty(), "{chosen:?}");
        accepts(&text("v = b.a; v = (b).a; v = d[1].a; v = (d[1]).a; i = d.length();"), &plain(Stage::Vertex));
    }
}

// WebGL 2.0, "Only std140 layout supported in uniform blocks".
#[test]
fn webgl_lays_uniform_blocks_out_as_std140() {
    let vertex = "#version 300 es\nlayout(std140) uniform B { highp vec4 a; }; void main() { gl_Position = a; }";
    let fragment = "#version 300 es\nuniform B { highp vec4 a; }; out highp vec4 c; void main() { c = a; }";
    let problems = |options: fn(Stage) -> Options| {
        let shaders = [(vertex, Stage::Vertex), (fragment, Stage::Fragment)]
            .map(|(text, stage)| shader::analyze(&[text], &options(stage)));
        assert!(shaders.iter().all(|shader| !shader.has_errors()));
        shader::link_with(&shaders.iter().collect::<Vec<_>>(), &LinkOptions::default()).diagnostics.len()
    };
    assert_eq!(problems(|stage| webgl(stage, 2)), 0, "the default is `std140`");
    assert_eq!(problems(plain), 1, "the default is `shared`");
    for layout in ["shared", "packed"] {
        let text = format!("#version 300 es\nlayout({layout}) uniform B {{ highp vec4 a; }}; void main() {{ }}");
        rejects(&text, &webgl(Stage::Vertex, 2), "webgl: WebGL lays blocks out as `std140` only");
        accepts(&text, &plain(Stage::Vertex));
    }
}

// GLSL ES 3.00, 3.5.
#[test]
fn predefined_macros_cannot_be_undefined_in_es() {
    for version in ["100", "300 es", "320 es"] {
        for name in ["__VERSION__", "__LINE__", "__FILE__", "GL_ES"] {
            let text = format!("#version {version}\n#undef {name}\nvoid main() {{ }}");
            rejects(&text, &plain(Stage::Vertex), &format!("reserved-macro: `{name}` cannot be undefined"));
        }
    }
    // GLSL 4.60, 3.3: to undefine a name with two underscores "does not itself result in an error".
    for version in ["110", "330", "460"] {
        for name in ["__VERSION__", "__LINE__", "__FILE__"] {
            let text = format!("#version {version}\n#undef {name}\n#ifdef {name}\n#error\n#endif\nvoid main() {{ }}");
            accepts(&text, &plain(Stage::Vertex));
        }
        let text = format!("#version {version}\n#undef GL_ARB_gpu_shader5\nvoid main() {{ }}");
        rejects(&text, &plain(Stage::Vertex), "reserved-macro: `GL_ARB_gpu_shader5` cannot be undefined");
    }
}

// GLSL ES 3.20, 4.3.6; so do the conformance suite's cases `per_patch_array_of_structs` and its neighbours.
#[test]
fn outputs_of_no_stage_are_arrays_of_structures_in_es() {
    let structures = "struct S { highp float a; }; struct T { highp float a[2]; }; struct U { S a; };";
    let bodies = [
        (Stage::TessControl, "layout(vertices = 3) out;"),
        (Stage::TessEvaluation, "layout(triangles) in;"),
        (Stage::Geometry, "layout(triangles) in; layout(points, max_vertices = 1) out;"),
        (Stage::Vertex, ""),
    ];
    for (stage, layouts) in bodies {
        let text = |output: &str| format!("#version 320 es\n{structures} {layouts} {output} void main() {{ }}");
        let rejected = |output: &str, why: &str| rejects(&text(output), &plain(stage), why);
        let prefixes = if stage == Stage::TessControl { &["patch out", "out"][..] } else { &["out"] };
        for prefix in prefixes {
            let vertices = if *prefix == "out" && stage == Stage::TessControl { "[]" } else { "" };
            accepts(&text(&format!("{prefix} S s{vertices};")), &plain(stage));
            accepts(&text(&format!("{prefix} highp vec4 v{vertices};")), &plain(stage));
            rejected(&format!("{prefix} S s{vertices}[2];"), "interface-type: `s`: no arrays of structures");
            rejected(&format!("{prefix} T s{vertices};"), "interface-type: `s`: a structure between stages");
            rejected(&format!("{prefix} U s{vertices};"), "interface-type: `s`: a structure between stages");
        }
    }
}

// OpenGL ES 3.0 leaves the result undefined, so only WebGL, where browsers reject them, has an error.
#[test]
fn webgl_rejects_offsets_beyond_the_limits_of_the_context() {
    let mut options = webgl(Stage::Fragment, 2);
    options.limits = vec![("gl_MinProgramTexelOffset".into(), -8), ("gl_MaxProgramTexelOffset".into(), 7)];
    let text = |call: &str| {
        let head = "#version 300 es\nprecision highp float; uniform sampler2D s; out vec4 c;";
        format!("{head} void main() {{ c = {call}; }}")
    };
    for call in [
        "textureOffset(s, vec2(0), ivec2(8))",
        "textureOffset(s, vec2(0), ivec2(-9, 0))",
        "textureLodOffset(s, vec2(0), 0.0, ivec2(0, 8))",
        "textureGradOffset(s, vec2(0), vec2(0), vec2(0), ivec2(0, 8))",
        "textureProjOffset(s, vec3(0), ivec2(0, 8))",
        "texelFetchOffset(s, ivec2(0), 0, ivec2(0, 8))",
    ] {
        rejects(&text(call), &options, "webgl: WebGL takes offsets from -8 to 7");
        accepts(&text(call), &plain(Stage::Fragment));
    }
    accepts(&text("textureOffset(s, vec2(0), ivec2(-8, 7))"), &options);
}

// WebGL's conformance pages `shader-with-257-character-define`, `shader-with-1025-character-define`.
#[test]
fn names_in_macros_are_limited_in_webgl() {
    let text = |length: usize| format!("#define A {}\nvoid main() {{ }}", "x".repeat(length));
    for (context, longest) in [(1, 256), (2, 1024)] {
        accepts(&text(longest), &webgl(Stage::Vertex, context));
        let error = format!("long-name: names have at most {longest} characters");
        rejects(&text(longest + 1), &webgl(Stage::Vertex, context), &error);
        accepts(&text(longest + 1), &plain(Stage::Vertex));
    }
}

// WebGL's conformance page `extension-enable-and-disable`.
#[test]
fn late_extensions_count_from_the_next_statement_in_webgl() {
    let text = |before: &str, after: &str| {
        format!("precision mediump float; void main() {{\n{before}\ngl_FragDepthEXT = 1.0;\n{after}\n}}")
    };
    let set = |behaviour: &str| format!("#extension GL_EXT_frag_depth : {behaviour}");
    let fragment = webgl(Stage::Fragment, 1);
    accepts(&text(&set("enable"), ""), &fragment);
    accepts(&text(&set("enable"), &set("disable")), &fragment);
    accepts(&text(&set("enable"), "#extension all : disable"), &fragment);
    rejects(&text("", &set("enable")), &fragment, "undeclared: `gl_FragDepthEXT`");
    let disabled = text(&(set("enable") + "\n" + &set("disable")), "");
    rejects(&disabled, &fragment, "undeclared: `gl_FragDepthEXT`");
}

// WebGL's conformance page `global-variable-init`.
#[test]
fn no_texture_is_looked_up_in_a_global_initialiser_in_webgl() {
    let text = |init: &str| format!("uniform sampler2D s; uniform float u; float f = {init}; void main() {{ }}");
    accepts(&text("u + 1.0"), &webgl(Stage::Vertex, 1));
    let errors = errors(&text("texture2DLod(s, vec2(0.5), 0.0).x"), &webgl(Stage::Vertex, 1));
    assert_eq!(errors.len(), 1, "{errors:?}");
}

/// The link errors of a vertex and a fragment shader in WebGL, each by its code.
fn link_errors(vertex: &str, fragment: &str, limits: &[(&str, i32)], context: u8) -> Vec<&'static str> {
    let read = |text: &str, stage: Stage| {
        let shader = shader::analyze(&[text], &webgl(stage, context));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        shader
    };
    let (vertex, fragment) = (read(vertex, Stage::Vertex), read(fragment, Stage::Fragment));
    let limits = limits.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let options = LinkOptions { webgl: true, limits, ..LinkOptions::default() };
    let found = shader::link_with(&[&vertex, &fragment], &options).diagnostics;
    found.iter().map(|found| found.diagnostic.code).collect()
}

// WebGL's conformance pages `shader-uniform-packing-restrictions`, `shader-varying-packing-restrictions`.
#[test]
fn webgl_packs_uniforms_and_varyings() {
    let check = |declarations: &str, used: &str, limits: &[(&str, i32)], fits: bool| {
        let vertex = format!("{declarations} void main() {{ gl_Position = vec4({used}); }}");
        let fragment = "void main() { }";
        let codes = link_errors(&vertex, fragment, limits, 1);
        assert_eq!(codes.is_empty(), fits, "{declarations} {codes:?}");
    };
    let few = [("gl_MaxVertexUniformVectors", 8)];
    check("uniform float a[8]; uniform vec3 b[8];", "a[7] + b[7].x", &few, true);
    check("uniform float a[9];", "a[8]", &few, false);
    check("uniform mat2 a[4];", "a[3][0][0]", &few, true);
    check("uniform mat2 a[4]; uniform float b;", "a[3][0][0] + b", &few, false);
    check("struct S { vec3 a; float b; }; uniform S s[8];", "s[7].b", &few, true);
    check("struct S { vec3 a; vec2 b; }; uniform S s[8];", "s[7].b.x", &few, false);
    let varying = |count: u32| {
        let vertex = format!("varying vec3 v[{count}]; void main() {{ gl_Position = vec4(0); v[1] = vec3(0); }}");
        let fragment = "precision mediump float; varying vec3 v[N]; void main() { gl_FragColor = vec4(v[1], 0); }";
        link_errors(&vertex, &fragment.replace('N', &count.to_string()), &[("gl_MaxVaryingVectors", 8)], 1)
    };
    assert_eq!(varying(8), [""; 0]);
    assert_eq!(varying(9), ["limit"]);
}

// WebGL's conformance page `shaders-with-invariance`.
#[test]
fn pragmas_make_outputs_invariant_in_webgl() {
    let vertex = |head: &str| format!("{head} varying vec4 v; void main() {{ gl_Position = vec4(0); v = vec4(0); }}");
    let fragment = |head: &str| {
        let head = head.replace("precision", "precision mediump float;");
        format!("{head} varying vec4 v; void main() {{ gl_FragColor = v; }}")
    };
    let all = "#pragma STDGL invariant(all)\n";
    let check = |first: &str, second: &str, codes: &[&str]| {
        assert_eq!(link_errors(&vertex(first), &fragment(second), &[], 1), codes, "{first:?} {second:?}");
    };
    let plain = "precision";
    check("", plain, &[]);
    check("invariant", "precision invariant", &[]);
    check(all, "precision invariant", &[]);
    check("", &format!("{all}{plain}"), &[]);
    check(all, plain, &["invariant-mismatch"]);
    check("invariant", &format!("{all}{plain}"), &["invariant-mismatch"]);
}

// WebGL's conformance page `shader-with-mis-matching-uniform-block`; GLSL ES 3.00, 4.3.7.
#[test]
fn precisions_of_block_members_agree_in_webgl() {
    let check = |precision: &str, codes: &[&str]| {
        let vertex = "#version 300 es\nuniform B { mediump vec4 a; }; void main() { gl_Position = a; }";
        let fragment = "#version 300 es\nuniform B { P vec4 a; }; out highp vec4 c; void main() { c = a; }";
        assert_eq!(link_errors(vertex, &fragment.replace('P', precision), &[], 2), codes, "{precision}");
    };
    check("mediump", &[]);
    check("highp", &["block-mismatch"]);
}
