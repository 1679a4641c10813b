//! Complete tests, small enough to read: what they draw and what is reported.

use runner::{Options, Outcome, run};

/// Checks the verdict and the first failure, as one line.
#[track_caller]
fn check(text: &str, expected: &str) {
    let report = run(text, &Options::default());
    let verdict = match &report.outcome {
        Outcome::Pass => format!("pass {}", report.probes),
        Outcome::Fail => {
            let first = &report.failures[0];
            format!("fail {}: {}: {}, not {}", first.line, first.what, first.found, first.expected)
        }
        Outcome::Unsupported(what) => format!("unsupported {what}"),
        Outcome::Skip(reason) => format!("skip {reason}"),
    };
    assert_eq!(verdict, expected);
}

/// A test with a fragment shader in GLSL 3.30 and the given commands.
fn drawn(fragment: &str, commands: &str) -> String {
    format!("[require]\nGLSL >= 3.30\n[vertex shader passthrough]\n[fragment shader]\n{fragment}\n[test]\n{commands}\n")
}

#[test]
fn probes_pixels() {
    let shader = "uniform vec4 tint; out vec4 colour; void main() { colour = tint; }";
    let draw = "clear color 0 0 0 0\nclear\nuniform vec4 tint 0 1 0 1\ndraw rect -1 -1 1 1\n";
    check(
        &drawn(shader, &format!("{draw}relative probe rgba (0.25, 0.25) (0, 1, 0, 1)\nprobe rgb 200 200 0 0 0")),
        "pass 2",
    );
    check(&drawn(shader, &format!("{draw}probe all rgba 0 1 0 1")), "fail 11: pixel (125, 0): 0 0 0 0, not 0 1 0 1");
    check(&drawn(shader, &format!("{draw}probe rgba 900 1 0 1 0 1")), "fail 11: pixel (900, 1): no pixel, not 0 1 0 1");
}

#[test]
fn later_draws_and_clears_hide_earlier_ones() {
    let shader = "uniform float red; out vec4 colour; void main() { colour = vec4(red, 0, 0, 1); }";
    let commands = "clear color 0 0 0 0\nclear\nuniform float red 0.5\ndraw rect -1 -1 2 2\n\
                    uniform float red 1\ndraw rect -1 -1 1 2\nprobe rgba 10 10 1 0 0 1\nprobe rgba 200 10 0.5 0 0 1\n\
                    clear\nprobe all rgba 0 0 0 0";
    check(&drawn(shader, commands), "pass 3");
}

#[test]
fn verdicts_on_programs() {
    let broken = "out vec4 colour; void main() { colour = vec5(1.0); }";
    check(&drawn(broken, "link error"), "pass 0");
    check(&drawn("void main() {}", "link error"), "fail 7: the program: it links, not an error");
    check(&drawn("void main() {}", "link success"), "pass 0");
    check("[require]\nGLSL >= 1.10\n[vertex program]\n!!ARBvp1.0\nEND\n[test]\n", "skip SPIR-V or ARB assembly");
}

#[test]
fn required_limits_are_granted() {
    let text = |limit: u32| {
        format!(
            "[require]\nGLSL >= 3.30\nGL_MAX_VERTEX_ATTRIBS >= {limit}\n[vertex shader]\n#version 330\nin mat4 m[5];\n\
             void main() {{ gl_Position = m[4] * m[0][0]; }}\n[fragment shader]\nvoid main() {{}}\n[test]\nlink success\n"
        )
    };
    check(&text(20), "pass 0");
    let found = "the vertex shader uses 20 attributes, `gl_MaxVertexAttribs` is 16";
    check(&text(16), &format!("fail 0: the program: {found}, not it links"));
}

#[test]
fn unsupported_commands_are_named() {
    check(&drawn("void main() {}", "dance"), "unsupported the command `dance`");
    check(
        &drawn("void main() {}", "uniform int nothing 1"),
        "fail 7: uniform `nothing`: none of that name, not a uniform",
    );
}

#[test]
fn uniforms_in_blocks() {
    let shader = "layout(row_major) uniform Block { mat2 m; float f[3]; } block[2]; out vec4 colour;\n\
                  void main() { colour = vec4(block[0].m[1].x, block[1].f[2], 0, 1); }";
    let commands = "ubo array index 0\nuniform mat2 Block.m 0.1 0.2 0.25 0.4\nubo array index 1\n\
                    uniform float Block.f[2] 0.75\ndraw rect -1 -1 2 2\nprobe all rgba 0.25 0.75 0 1\n\
                    active uniform Block.f[0] GL_UNIFORM_ARRAY_STRIDE 16\nactive uniform Block.m GL_UNIFORM_TYPE GL_FLOAT_MAT2";
    check(&drawn(shader, commands), "pass 3");
}

#[test]
fn textures_and_framebuffers() {
    let shader =
        "uniform sampler2D image; out vec4 colour; void main() { colour = texelFetch(image, ivec2(0, 3), 0); }";
    check(&drawn(shader, "texture rgbw 0 (4, 4)\ndraw rect -1 -1 2 2\nprobe all rgba 0 0 1 1"), "pass 1");
    let commands = "texture rgbw 1 (8, 4) GL_RGBA8\ntexture rgbw 0 (4, 4)\nfb tex 2d 1\nprobe rgba 1 1 1 0 0 1\ndraw rect -1 -1 2 2\n\
                    probe rgba 5 2 0 0 1 1\nfb winsys\nprobe rgba 0 0 0 0 0 0";
    check(&drawn(shader, commands), "pass 3");
}

#[test]
fn buffers_and_dispatches() {
    let text = "[require]\nGLSL >= 4.30\n[compute shader]\n#version 430\nlayout(local_size_x = 4) in;\n\
                layout(binding = 1) buffer Data { uint sum; int each[]; };\nlayout(binding = 0) uniform atomic_uint count;\n\
                void main() { atomicAdd(sum, gl_GlobalInvocationID.x); each[gl_LocalInvocationIndex] = -int(gl_LocalInvocationIndex);\n\
                atomicCounterIncrement(count); }\n[test]\natomic counters 1\nssbo 1 64\nssbo 1 subdata int 0 100\n\
                compute 2 1 1\nprobe ssbo uint 1 0 == 128\nprobe atomic counter 0 == 8\nprobe atomic counter 0 < 9\n";
    check(text, "fail 17: byte 0: 8, not > 9");
}

#[test]
fn vertex_data_and_feedback() {
    let text = "[require]\nGLSL >= 4.40\n[vertex shader]\n#version 440\nin vec2 at; in int number;\n\
                layout(xfb_buffer = 0, xfb_offset = 0) out float doubled;\n\
                void main() { gl_Position = vec4(at, 0, 1); doubled = float(2 * number); }\n\
                [vertex data]\nat/float/2 number/int/1\n-1 -1 3\n1 -1 4\n0 1 5\n[test]\nxfb buffer object 0 64\n\
                xfb draw arrays GL_POINTS 0 3\nprobe xfb buffer float 0 2 10\n\
                verify query_object GL_PRIMITIVES_GENERATED 3\ndraw arrays GL_POINTS 1 3\n";
    check(text, "fail 18: draw arrays: 4, not at most 3 vertices");
}

#[test]
fn display_lists() {
    let commands = "clear color 0 0 0 0\nclear\nnewlist GL_COMPILE\ndraw rect -1 -1 2 2\nendlist\nprobe all rgba 0 0 0 0\n\
                    calllist\nprobe all rgba 1 1 1 1";
    check(&drawn("out vec4 colour; void main() { colour = vec4(1); }", commands), "pass 2");
}

#[test]
fn endless_shaders_fail() {
    let shader = "uniform int n; out vec4 colour; void main() { int i = 0; while (n == 0) ++i; colour = vec4(i); }";
    let report = run(
        &drawn(shader, "draw rect -1 -1 2 2\nprobe rgba 1 1 0 0 0 0"),
        &Options { budget: 1000, ..Options::default() },
    );
    assert_eq!(report.outcome, Outcome::Fail);
    assert_eq!((report.failures[0].line, report.failures[0].what.as_str()), (7, "fragment shader"));
}

#[test]
fn pictures_start_with_the_top_row() {
    let shader = "out vec4 colour; void main() { colour = vec4(1, 0, 0, 1); }";
    let text = drawn(shader, "draw rect -1 0 2 1").replace("GLSL >= 3.30", "GLSL >= 3.30\nSIZE 2 4");
    let picture = run(&text, &Options { whole_image: true, ..Options::default() }).picture.expect("a picture");
    assert_eq!((picture.width, picture.height), (2, 4));
    assert_eq!(picture.pixels[..4], [255, 0, 0, 255]);
    assert_eq!(picture.pixels[28..], [0; 4]);
}
