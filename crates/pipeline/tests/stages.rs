//! Stages and resources, with exactly known results.

use pipeline::{
    Array, Attribute, BufferRange, DrawCall, Feedback, ImageUnit, Mode, Program, State, Target, dispatch, draw,
};
use raster::{Color, Framebuffer, PixelFormat, Topology};
use shader::version::{Options, Stage};
use texture::{Dim, Filter, Format, Image, Level, MipFilter, Sampler, Texture};

const VERTEX: &str = "#version 450\nlayout(location = 0) in vec4 a; void main() { gl_Position = a; }";

#[track_caller]
fn program(shaders: &[(Stage, &str)]) -> Program {
    let read = |(stage, text): &(Stage, &str)| {
        let shader = shader::analyze(&[text], &Options::new(*stage));
        assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
        shader
    };
    Program::new(shaders.iter().map(read).collect(), &Default::default()).expect("a program")
}

/// Eight by eight float pixels, and the corners of clip space as attribute 0.
fn state() -> State {
    let mut state = State::new(Framebuffer::new(8, 8).with_color(PixelFormat::RGBA32F));
    let corners = [-1.0f32, -1.0, 0.0, 1.0, 1.0, -1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, -1.0, 1.0, 0.0, 1.0];
    let buffer = state.add_buffer(corners.map(f32::to_le_bytes).concat());
    state.arrays.enabled.insert(Attribute::Generic(0), Array::floats(buffer, 4));
    state
}

fn whole(buffer: pipeline::BufferId) -> BufferRange {
    BufferRange { buffer, offset: 0, size: None }
}

fn words(state: &State, buffer: pipeline::BufferId) -> Vec<u32> {
    let bytes = &state.buffers[buffer.0 as usize];
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[track_caller]
fn check_all(state: &State, expected: [f32; 4]) {
    for (x, y) in (0..64).map(|i| (i % 8, i / 8)) {
        assert_eq!(state.framebuffer.color(0, x, y), Some(Color::Float(expected)), "at {x}, {y}");
    }
}

/// Checks the colour that a fragment shader with this body draws.
#[track_caller]
fn check_fragment(state: &mut State, declarations: &str, body: &str, expected: [f32; 4]) {
    let text = format!("#version 450\n{declarations}\nout vec4 c;\nvoid main() {{ {body} }}");
    let program = program(&[(Stage::Vertex, VERTEX), (Stage::Fragment, &text)]);
    draw(state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("a picture");
    check_all(state, expected);
}

#[test]
fn a_tessellated_quad_covers_everything() {
    let program = program(&[
        (
            Stage::Vertex,
            "#version 450\nlayout(location = 0) in vec4 a; out vec2 v; void main() { gl_Position = a; v = a.xy; }",
        ),
        (
            Stage::TessControl,
            "#version 450\nlayout(vertices = 4) out; in vec2 v[]; out vec2 w[]; patch out float sum;
             void main() { gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
             w[gl_InvocationID] = v[gl_InvocationID]; barrier();
             sum = w[0].x + w[1].x + w[2].x + 3.0 * w[3].y;
             gl_TessLevelOuter = float[4](3.0, 2.0, 4.0, 5.0); gl_TessLevelInner = float[2](4.0, 3.0); }",
        ),
        (
            Stage::TessEvaluation,
            "#version 450\nlayout(quads, equal_spacing, ccw) in; in vec2 w[]; patch in float sum; out float s;
             flat out int id;
             void main() { vec2 low = mix(w[0], w[1], gl_TessCoord.x), high = mix(w[3], w[2], gl_TessCoord.x);
             gl_Position = vec4(mix(low, high, gl_TessCoord.y), 0.0, 1.0); s = sum;
             id = gl_PrimitiveID * 10 + gl_PatchVerticesIn; }",
        ),
        (
            Stage::Fragment,
            "#version 450\nin float s; flat in int id; out vec4 c;
             void main() { c = vec4(s, float(id), float(gl_PrimitiveID), 1.0); }",
        ),
    ]);
    let mut state = state();
    state.patches.vertices = 4;
    let stats = draw(&mut state, &program, &DrawCall::new(Mode::Patches, 0, 4)).expect("a picture");
    check_all(&state, [4.0, 4.0, 0.0, 1.0]);
    assert!(stats.primitives > 20, "{stats:?}");
}

#[test]
fn uniform_blocks() {
    let mut state = state();
    let bytes: Vec<u8> = (0..16).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let buffer = state.add_buffer(bytes);
    state.uniform_buffers.insert(0, whole(buffer));
    state.uniform_buffers.insert(3, BufferRange { buffer, offset: 16, size: Some(16) });
    let blocks = "layout(std140, binding = 0) uniform A { float f; vec2 v; mat2 m; } a;
                  layout(std140, binding = 3) uniform B { vec4 w; };";
    check_fragment(&mut state, blocks, "c = vec4(a.f, a.v.y, a.m[1].x, w.y);", [0.0, 3.0, 8.0, 5.0]);
    let text = "#version 450\nuniform Late { vec4 x; } late[2]; out vec4 c; void main() { c = late[1].x; }";
    let mut program = program(&[(Stage::Vertex, VERTEX), (Stage::Fragment, text)]);
    assert!(program.set_block_binding("Late[1]", 3));
    assert!(!program.set_block_binding("Late[2]", 3));
    draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("a picture");
    check_all(&state, [4.0, 5.0, 6.0, 7.0]);
}

#[test]
fn storage_blocks_and_counters() {
    let mut state = state();
    let (storage, counters) = (state.add_buffer(vec![0; 16]), state.add_buffer(vec![0; 8]));
    state.storage_buffers.insert(2, whole(storage));
    state.counter_buffers.insert(1, whole(counters));
    let blocks = "layout(std430, binding = 2) buffer S { uint sum; int n[]; };
                  layout(binding = 1, offset = 4) uniform atomic_uint hits;";
    let body = "atomicAdd(sum, 2u); n[1] = n.length(); atomicCounterIncrement(hits); c = vec4(1.0);";
    check_fragment(&mut state, blocks, body, [1.0; 4]);
    assert_eq!(words(&state, storage), [128, 0, 3, 0]);
    assert_eq!(words(&state, counters), [0, 64]);
}

#[test]
fn textures_and_images() {
    let mut state = state();
    let texels = [255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255];
    let level = Level { width: 2, height: 2, depth: 1, data: texels.to_vec().into() };
    let texture = state.add_texture(Texture::new(Dim::D2, Format::Rgba8, vec![level]));
    let sampler = Sampler { min_filter: Filter::Nearest, mip_filter: MipFilter::None, ..Sampler::default() };
    state.units.insert((4, Target::D2), (texture, sampler));
    let image = Image { level: 0, layer: None, format: Format::Rgba8 };
    state.images.insert(1, ImageUnit { texture, image });
    let body = "c = texture(t, vec2(0.25, 0.75)); c.r = float(textureSize(t, 0).x);";
    check_fragment(&mut state, "layout(binding = 4) uniform sampler2D t;", body, [2.0, 0.0, 1.0, 1.0]);
    let body = "imageStore(i, ivec2(1, 0), vec4(0.0, 0.0, 1.0, 0.0)); c = imageLoad(i, ivec2(1, 0));";
    check_fragment(&mut state, "layout(binding = 1, rgba8) uniform image2D i;", body, [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(state.textures[texture.0 as usize].levels[0].data[4..8], [0, 0, 255, 0]);
}

#[test]
fn a_stage_of_several_shaders() {
    let mut state = state();
    let program = {
        let mut program = program(&[
            (
                Stage::Fragment,
                "#version 450\nstruct S { vec2 x; float y; }; uniform float u; float shared_global = 0.5; const float k = 1.0;
                 uniform vec4 list[]; vec4 make(S s, out float other, inout int n); out vec4 c;
                 void main() { S s = S(vec2(1.0, 2.0), u); float o; int n = 3; c = make(s, o, n); c.y += o + float(n);
                 c.w = shared_global + k + list[0].x; }",
            ),
            (Stage::Vertex, VERTEX),
            (
                Stage::Fragment,
                "#version 450\nstruct S { vec2 x; float y; }; uniform float u; float shared_global; const float ten = 10.0;
                 uniform float only_here = 0.125; uniform vec4 list[2]; float twice(float x);
                 vec4 make(S s, out float other, inout int n) { shared_global += ten; other = twice(u); n *= 2;
                 return vec4(s.x, s.y, 0.0) + vec4(only_here) * list[1]; }",
            ),
            (Stage::Fragment, "#version 450\nfloat twice(float x) { return x * 2.0; }"),
        ]);
        program.set_uniform("u", &[4f32.to_bits()]);
        program.set_uniform("list[1]", &[8f32.to_bits(); 4]);
        program
    };
    draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("a picture");
    check_all(&state, [2.0, 3.0 + 8.0 + 6.0, 5.0, 11.5]);
}

#[test]
fn separable_stages_match_by_location() {
    let vertex = "#version 450\nlayout(location = 0) in vec4 at; out gl_PerVertex { vec4 gl_Position; };
                  layout(location = 1) out Block { layout(location = 3) float c; float d; layout(location = 1) float a;
                  float b; } block;
                  void main() { gl_Position = at; block.a = 1.0; block.b = 2.0; block.c = 3.0; block.d = 4.0; }";
    let fragment = "#version 450\nlayout(location = 1) in float p; layout(location = 2) in float q;
                    layout(location = 3) in float r; layout(location = 4) in float s; out vec4 c;
                    void main() { c = vec4(p, q, r, s); }";
    let read = |stage, text: &str| shader::analyze(&[text], &Options::new(stage));
    let shaders = vec![read(Stage::Vertex, vertex), read(Stage::Fragment, fragment)];
    let options = shader::link::LinkOptions { separable: true, ..Default::default() };
    let program = Program::new(shaders, &options).expect("a program");
    let mut state = state();
    draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("a picture");
    check_all(&state, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn subroutine_uniforms_select() {
    let mut state = state();
    let text =
        "#version 450\nsubroutine vec4 Make(float x); subroutine uniform Make make; subroutine uniform Make list[2];
                subroutine(Make) vec4 red(float x) { return vec4(x, 0.0, 0.0, 1.0); }
                subroutine(Make) vec4 green(float x) { return vec4(0.0, x, 0.0, 1.0); }
                out vec4 c; void main() { c = make(1.0) + list[1](2.0) + list[0](4.0); }";
    let mut program = program(&[(Stage::Vertex, VERTEX), (Stage::Fragment, text)]);
    draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("a picture");
    check_all(&state, [7.0, 0.0, 0.0, 3.0]);
    assert!(program.set_subroutine(Stage::Fragment, "list[1]", "green"));
    assert!(!program.set_subroutine(Stage::Fragment, "list[1]", "blue"));
    draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("a picture");
    check_all(&state, [5.0, 2.0, 0.0, 3.0]);
}

#[test]
fn framebuffer_fetch() {
    let mut state = state();
    state.framebuffer.clear(&raster::Clear { color: Some(Color::Float([1.0, 2.0, 3.0, 4.0])), ..Default::default() });
    let text = "#version 450\n#extension GL_EXT_shader_framebuffer_fetch : require
                layout(location = 0) inout vec4 c; void main() { c = c.wzyx * 2.0; }";
    let program = program(&[(Stage::Vertex, VERTEX), (Stage::Fragment, text)]);
    draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("a picture");
    check_all(&state, [8.0, 6.0, 4.0, 2.0]);
}

#[test]
fn shared_memory_and_barriers() {
    let text = "#version 450\nlayout(local_size_x = 20, local_size_y = 2) in; shared uint table[40];
                layout(std430, binding = 0) buffer B { uint sums[]; };
                void main() { uint i = gl_LocalInvocationIndex; table[i] = gl_GlobalInvocationID.x; barrier();
                if (i == 0u) { uint s = 0u; for (int k = 0; k < 40; k++) s += table[k];
                sums[gl_WorkGroupID.x] = s + 1000u * gl_NumWorkGroups.x; } }";
    let program = program(&[(Stage::Compute, text)]);
    let mut state = state();
    let buffer = state.add_buffer(vec![0; 12]);
    state.storage_buffers.insert(0, whole(buffer));
    dispatch(&mut state, &program, [3, 1, 1], None).expect("it ends");
    let first: u32 = (0..20).sum::<u32>() * 2;
    assert_eq!(words(&state, buffer), [first + 3000, first + 3800, first + 4600]);
}

#[test]
fn a_viewport_mask_draws_to_each_viewport() {
    let vertex = "#version 450\n#extension GL_NV_viewport_array2 : require
                  layout(location = 0) in vec4 a; void main() { gl_Position = a; gl_ViewportMask[0] = 5; }";
    let fragment = "#version 450\nout vec4 c; void main() { c = vec4(gl_ViewportIndex + 1); }";
    let program = program(&[(Stage::Vertex, vertex), (Stage::Fragment, fragment)]);
    let mut state = state();
    let at = |x: f32| raster::state::Viewport { x, ..raster::state::Viewport::new(2, 8) };
    state.raster.viewports = vec![at(0.0), at(2.0), at(4.0)];
    draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("a picture");
    let row: Vec<f32> = (0..8).filter_map(|x| Some(state.framebuffer.color(0, x, 3)?.floats()[0])).collect();
    assert_eq!(row, [1.0, 1.0, 0.0, 0.0, 3.0, 3.0, 0.0, 0.0]);
}

#[test]
fn derivative_groups_in_compute_shaders() {
    let check = |layout: &str, expected: [f32; 8]| {
        let text = format!(
            "#version 450\n#extension GL_NV_compute_shader_derivatives : require
             layout(local_size_x = 4, local_size_y = 2) in; {layout}
             buffer B {{ float made[8]; }};
             void main() {{ float v = float(gl_LocalInvocationID.x * gl_LocalInvocationID.x + 10 * gl_LocalInvocationID.y);
             made[gl_LocalInvocationIndex] = dFdx(v) + 100.0 * dFdy(v); }}"
        );
        let program = program(&[(Stage::Compute, &text)]);
        let mut state = state();
        let buffer = state.add_buffer(vec![0; 32]);
        state.storage_buffers.insert(0, whole(buffer));
        dispatch(&mut state, &program, [1, 1, 1], None).expect("it ends");
        assert_eq!(words(&state, buffer), expected.map(f32::to_bits), "{layout}");
    };
    check("", [0.0; 8]);
    check("layout(derivative_group_quadsNV) in;", [1001.0, 1001.0, 1005.0, 1005.0, 1001.0, 1001.0, 1005.0, 1005.0]);
    check("layout(derivative_group_linearNV) in;", [401.0, 801.0, 405.0, 805.0, 401.0, 801.0, 405.0, 805.0]);
}

#[test]
fn feedback_captures_whole_primitives() {
    let vertex = "#version 450\nlayout(location = 0) in vec4 a; out vec2 v; out float w; flat out int id;
                  void main() { gl_Position = a; v = a.xy; w = 7.0; id = gl_VertexID; }";
    let mut program = program(&[(Stage::Vertex, vertex)]);
    assert!(!program.capture(&["nothing"], false));
    assert!(program.capture(&["v", "gl_SkipComponents1", "id", "gl_NextBuffer", "w"], false));
    let mut state = state();
    let (first, second) = (state.add_buffer(vec![0; 16 * 5]), state.add_buffer(vec![0; 64]));
    let buffers = [(0, whole(first)), (1, whole(second))].into();
    state.feedback = Some(Feedback { buffers, ..Feedback::default() });
    state.raster.discard = true;
    let stats = draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect("it ends");
    // The second triangle would exceed the buffer.
    assert_eq!((stats.primitives, stats.captured), (2, 1));
    let [zero, one, minus, seven] = [0.0f32, 1.0, -1.0, 7.0].map(f32::to_bits);
    let vertices = [[minus, minus, zero, 0], [one, minus, zero, 1], [one, one, zero, 2]].concat();
    assert_eq!(words(&state, first)[..12], vertices);
    assert_eq!(words(&state, second)[..4], [seven, seven, seven, 0]);
}

#[test]
fn geometry_streams_are_captured_separately() {
    let geometry = "#version 450\nlayout(points) in; layout(points, max_vertices = 3) out;
                    layout(stream = 0, xfb_buffer = 0, xfb_offset = 0) out float x;
                    layout(stream = 1, xfb_buffer = 1, xfb_offset = 8) out float y;
                    void main() { x = gl_in[0].gl_Position.x; EmitStreamVertex(0); y = 5.0; EmitStreamVertex(1);
                    y = 6.0; EmitStreamVertex(1); }";
    let program = program(&[(Stage::Vertex, VERTEX), (Stage::Geometry, geometry)]);
    let mut state = state();
    let (first, second) = (state.add_buffer(vec![0; 16]), state.add_buffer(vec![0; 48]));
    let buffers = [(0, whole(first)), (1, whole(second))].into();
    state.feedback = Some(Feedback { buffers, ..Feedback::default() });
    state.raster.discard = true;
    draw(&mut state, &program, &DrawCall::new(Topology::Points, 0, 2)).expect("it ends");
    let [one, minus, five, six] = [1.0f32, -1.0, 5.0, 6.0].map(f32::to_bits);
    assert_eq!(words(&state, first), [minus, one, 0, 0]);
    assert_eq!(words(&state, second), [0, 0, five, 0, 0, six, 0, 0, five, 0, 0, six]);
}

#[test]
fn events_report_the_outcome_of_a_pixel() {
    let mut state = state();
    state.framebuffer =
        Framebuffer::new(8, 8).with_color(PixelFormat::RGBA32F).with_depth(raster::DepthFormat::Float32);
    state.raster.depth = Some(raster::state::DepthTest { compare: raster::state::Compare::Less, write: true });
    let text = "#version 450\nuniform float z; out vec4 c; void main() { c = vec4(z); gl_FragDepth = z; }";
    let mut program = program(&[(Stage::Vertex, VERTEX), (Stage::Fragment, text)]);
    let mut history = Vec::new();
    for z in [0.5f32, 0.75, 0.25] {
        program.set_uniform("z", &[z.to_bits()]);
        let call = DrawCall { only: Some(&[(3, 3)]), ..DrawCall::new(Topology::TriangleFan, 0, 4) };
        let watch = &mut |event: &raster::SampleEvent, fb: &Framebuffer| {
            if (event.x, event.y) == (3, 3) {
                history.push((event.depth, event.verdict, fb.color(0, 3, 3).map(|c| c.floats()[0])));
            }
        };
        pipeline::draw_watched(&mut state, &program, &call, watch).expect("it ends");
    }
    let (written, failed) = (raster::Verdict::Written, raster::Verdict::DepthTest);
    assert_eq!(history, [(0.5, written, Some(0.5)), (0.75, failed, Some(0.5)), (0.25, written, Some(0.25))]);
}

#[test]
fn an_endless_shader_is_stopped() {
    let mut state = state();
    state.budget = 1000;
    let text = "#version 450\nout vec4 c; void main() { int i = 0; while (i >= 0) { i = 1; } c = vec4(i); }";
    let program = program(&[(Stage::Vertex, VERTEX), (Stage::Fragment, text)]);
    let error = draw(&mut state, &program, &DrawCall::new(Topology::TriangleFan, 0, 4)).expect_err("it is endless");
    assert_eq!(error.to_string(), "fragment shader: the shader did not end within 1000 blocks");
}
