//! Complete pictures, drawn here and by a real driver from the same shaders.

use driver::Api;
use pipeline::{Array, Attribute, DrawCall, Program, State, draw};
use raster::{Framebuffer, PixelFormat, Topology};
use shader::types::{Scalar, Type};
use shader::version::{Options, Stage};

const SIZE: u16 = 32;

/// The driver crate's values of a uniform, which depend only on its name.
fn values(name: &str, count: u32) -> Vec<f32> {
    let mut state = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
            f32::from((state >> 16) as u16) / 65536.0
        })
        .collect()
}

/// Draws a quad that covers clip space, which every attribute reads, like the driver crate does.
fn draw_quad(shaders: &[(Stage, &str)], uniforms: &[&str]) -> Vec<u8> {
    let read = |(stage, text): &(Stage, &str)| {
        let shader = shader::analyze(&[text], &Options::new(*stage));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        shader
    };
    let mut program = Program::new(shaders.iter().map(read).collect(), &Default::default()).expect("a program");
    for name in uniforms {
        let info = program.uniform(name).expect("a uniform");
        // GL lists an array by the name of its first element.
        let listed = if info.elements > 1 { format!("{name}[0]") } else { (*name).to_owned() };
        let words = values(&listed, info.words * info.elements);
        let integer =
            matches!(info.ty.scalar(), Some(Scalar::Int | Scalar::Bool)) && !matches!(info.ty, Type::Matrix(..));
        let words: Vec<u32> = words.iter().map(|v| if integer { (v * 4.0) as u32 } else { v.to_bits() }).collect();
        program.set_uniform(name, &words);
    }
    let mut state = State::new(Framebuffer::new(SIZE.into(), SIZE.into()).with_color(PixelFormat::RGBA8));
    let corners = [-1.0f32, -1.0, 0.0, 1.0, 1.0, -1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, -1.0, 1.0, 0.0, 1.0];
    let buffer = state.add_buffer(corners.map(f32::to_le_bytes).concat());
    for index in 0..16 {
        state.arrays.enabled.insert(Attribute::Generic(index), Array::floats(buffer, 4));
    }
    draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("a picture");
    let pixel = |i: u32| {
        let color = state.framebuffer.color(0, i % u32::from(SIZE), i / u32::from(SIZE)).expect("a pixel");
        color.floats().map(|v| (v * 255.0).round() as u8)
    };
    (0..u32::from(SIZE) * u32::from(SIZE)).flat_map(pixel).collect()
}

/// Compares the pictures; differences of one step of the format are allowed.
#[track_caller]
fn check(shaders: &[(Stage, &str)], uniforms: &[&str]) {
    let context = testing::driver::context(Api::DesktopCompatibility);
    let ours = draw_quad(shaders, uniforms);
    let texts: Vec<[&str; 1]> = shaders.iter().map(|(_, text)| [*text]).collect();
    let handed: Vec<(Stage, &[&str])> = shaders.iter().zip(&texts).map(|((s, _), text)| (*s, &text[..])).collect();
    let theirs = context.draw_quad(&handed, SIZE, SIZE).expect("the driver's picture").rgba;
    let distinct: std::collections::BTreeSet<&[u8]> = theirs.chunks(4).collect();
    assert!(distinct.len() > 1, "the driver's picture is empty");
    let wrong: Vec<usize> = (0..ours.len()).filter(|i| ours[*i].abs_diff(theirs[*i]) > 1).collect();
    let rounded = (0..ours.len()).filter(|i| ours[*i] != theirs[*i]).count();
    if let Some(&first) = wrong.first() {
        let pixel = first / 4;
        let at = (pixel % usize::from(SIZE), pixel / usize::from(SIZE));
        let (a, b) = (&ours[pixel * 4..pixel * 4 + 4], &theirs[pixel * 4..pixel * 4 + 4]);
        panic!("{} of {} bytes differ; pixel {at:?} is {a:?}, the driver has {b:?}", wrong.len(), ours.len());
    }
    assert!(rounded * 20 <= ours.len(), "{rounded} of {} bytes are rounded differently", ours.len());
}

fn vertex_fragment(vertex: &str, fragment: &str, uniforms: &[&str]) {
    check(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)], uniforms);
}

#[test]
fn varyings_are_interpolated() {
    vertex_fragment(
        "#version 330\nin vec4 a; out vec3 v; void main() { gl_Position = a; v = a.xyx * 0.5 + 0.5; }",
        "#version 330\nin vec3 v; out vec4 c; void main() { c = vec4(v, 1.0); }",
        &[],
    );
}

#[test]
fn perspective_flat_and_no_perspective() {
    vertex_fragment(
        "#version 330\nin vec4 a; out vec2 s; flat out int f; noperspective out vec2 n;
         void main() { float w = 2.0 + a.x; gl_Position = a * w; s = a.xy; n = a.xy; f = gl_VertexID; }",
        "#version 330\nin vec2 s; flat in int f; noperspective in vec2 n; out vec4 c;
         void main() { c = vec4(s.x * 0.5 + 0.5, n.x * 0.5 + 0.5, float(f) / 4.0, s.y * 0.5 + 0.5); }",
        &[],
    );
}

#[test]
fn structures_blocks_arrays_and_matrices_pass_through() {
    vertex_fragment(
        "#version 450\nin vec4 a; struct S { vec2 x; float y[2]; }; out S s; out B { mat2 m; vec3 v[2]; } b;
         out U { vec2 u; };
         void main() { gl_Position = a; s.x = a.xy; s.y[0] = a.x; s.y[1] = a.y; b.m = mat2(a.xy, a.yx);
         b.v[0] = a.xxy; b.v[1] = vec3(0.5); u = a.yx; }",
        "#version 450\nstruct S { vec2 x; float y[2]; }; in S s; in B { mat2 m; vec3 v[2]; } other; in U { vec2 u; };
         out vec4 c; void main() { c = vec4(s.x.x, s.y[1], other.m[1].x, other.v[0].z + u.x) * 0.5 + 0.5; }",
        &[],
    );
}

#[test]
fn locations_take_precedence_over_names() {
    vertex_fragment(
        "#version 450\nin vec4 a; layout(location = 3) out vec4 x; layout(location = 1) out vec4 y;
         void main() { gl_Position = a; x = a * 0.5 + 0.5; y = vec4(0.25, 0.5, 0.75, 1.0); }",
        "#version 450\nlayout(location = 1) in vec4 x; layout(location = 3) in vec4 z; out vec4 c;
         void main() { c = vec4(z.xy, x.zw); }",
        &[],
    );
}

#[test]
fn uniforms_of_every_shape() {
    vertex_fragment(
        "#version 330\nuniform vec4 offset; in vec4 a; out vec2 v;
         void main() { gl_Position = vec4(a.xy * offset.x, 0, 1); v = a.xy; }",
        "#version 330\nuniform vec4 offset; uniform mat3 m; uniform int n[3]; uniform float initial = 0.25;
         uniform bool flag; in vec2 v; out vec4 c;
         void main() { c = vec4((m * vec3(v, 1.0)).xy * 0.5, float(n[1] + n[2]) / 8.0, offset.y);
         if (flag && v.x > 0.0) c.b += 0.5; }",
        &["offset", "m", "n", "initial", "flag"],
    );
}

#[test]
fn fragment_coordinates() {
    vertex_fragment(
        "#version 450\nin vec4 a; void main() { gl_Position = vec4(a.xy, a.x * 0.5, 1.0 + 0.5 * a.y); }",
        "#version 450\nout vec4 c; void main() { c = vec4(gl_FragCoord.xy / 32.0, gl_FragCoord.zw);
         if (gl_PrimitiveID == 1) c.r = 1.0 - c.r; if (gl_FrontFacing) c.b *= 0.5; }",
        &[],
    );
    vertex_fragment(
        "#version 150\nin vec4 a; void main() { gl_Position = a; }",
        "#version 150\nlayout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord; out vec4 c;
         void main() { c = vec4(gl_FragCoord.xy / 32.0, 0.0, 1.0); }",
        &[],
    );
}

#[test]
fn discards_and_derivatives() {
    vertex_fragment(
        "#version 330\nin vec4 a; out vec2 v; void main() { gl_Position = a; v = a.xy * a.xy * 3.0 + a.xy; }",
        "#version 330\nin vec2 v; out vec4 c; void main() { float d = fwidth(v.x * v.y);
         c = vec4(d, abs(dFdx(v.y * v.x)), abs(dFdy(v.x * v.y)), 1.0) * 4.0; if (fract(v.x * 4.0) < 0.3) discard; }",
        &[],
    );
}

#[test]
fn clip_distances() {
    vertex_fragment(
        "#version 130\nin vec4 a; varying vec2 v; void main() { gl_Position = a * (1.5 + a.x); v = a.xy; }",
        "#version 130\nvarying vec2 v; void main() { gl_FragColor = vec4(v * 0.5 + 0.5, 0.0, 1.0); }",
        &[],
    );
}

#[test]
fn compatibility_variables() {
    vertex_fragment(
        "void main() { gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex; gl_FrontColor = gl_Vertex * 0.5 + 0.5;
         gl_TexCoord[1] = gl_Vertex.yxzw; gl_FogFragCoord = gl_Vertex.x; }",
        "void main() { gl_FragColor = vec4(gl_Color.rg, gl_TexCoord[1].x * 0.5 + 0.5, gl_FogFragCoord); }",
        &[],
    );
    check(&[(Stage::Vertex, "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Vertex * 0.5 + 0.5; }")], &[]);
    check(&[(Stage::Fragment, "void main() { gl_FragColor = vec4(gl_FragCoord.xy / 32.0, 0.0, 1.0); }")], &[]);
}

#[test]
fn geometry_shaders_emit_strips() {
    check(
        &[
            (Stage::Vertex, "#version 330\nin vec4 a; out vec2 v; void main() { gl_Position = a; v = a.xy; }"),
            (
                Stage::Geometry,
                "#version 400\nlayout(triangles, invocations = 2) in; layout(triangle_strip, max_vertices = 8) out;
                 in vec2 v[]; out vec3 g; flat out int id;
                 void main() { for (int k = 0; k < 2; k++) { for (int i = 0; i < 3; i++) {
                 gl_Position = vec4(gl_in[i].gl_Position.xy * 0.4 + vec2(float(k) - 0.5, float(gl_InvocationID) - 0.5),
                 0.0, 1.0); g = vec3(v[i], float(k)) * 0.5 + 0.5; id = gl_PrimitiveIDIn; EmitVertex(); }
                 EndPrimitive(); } }",
            ),
            (
                Stage::Fragment,
                "#version 330\nin vec3 g; flat in int id; out vec4 c; void main() { c = vec4(g, float(id) * 0.5 + 0.25); }",
            ),
        ],
        &[],
    );
}
