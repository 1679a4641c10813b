//! Shaders and the world around them: buffers, shared memory, textures, images, groups, vertices.

use std::sync::Arc;

use emulator::host::{Host, Space};
use emulator::ir::{Program, Register};
use emulator::wave::{Stop, Wave};
use lanes::{Mask, Numerics};
use shader::version::{Options, Stage};
use texture::{Dim, Format, Image, Level, Sampler, Texture};

/// One buffer for everything, one texture for every unit, and a list of what was emitted.
#[derive(Default)]
struct World {
    storage: Vec<u8>,
    shared: Vec<u8>,
    texture: Option<(Texture, Sampler)>,
    emitted: Vec<(usize, u32, u32)>,
    watched: Option<Register>,
}

impl Host for World {
    fn buffer(&mut self, space: Space, slot: u32) -> &mut [u8] {
        match space {
            Space::Workgroup | Space::Patch => &mut self.shared,
            _ if slot == 0 => &mut self.storage,
            _ => &mut [],
        }
    }

    fn texture(&self, handle: u32) -> Option<(&Texture, &Sampler)> {
        self.texture.as_ref().filter(|_| handle == 0).map(|(texture, sampler)| (texture, sampler))
    }

    fn image(&mut self, _: u32) -> Option<(&mut Texture, Image)> {
        let (texture, _) = self.texture.as_mut()?;
        let format = texture.format;
        Some((texture, Image { level: 0, layer: None, format }))
    }

    fn emit(&mut self, lane: usize, stream: u32, output: &dyn Fn(Register) -> u32) {
        self.emitted.push((lane, stream, self.watched.map_or(0, output)));
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect()
}

fn lowered(stage: Stage, text: &str) -> Arc<Program> {
    let shader = shader::analyze(&[text], &Options::new(stage));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    emulator::glsl::lower(&shader).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// Runs four invocations whose `gl_LocalInvocationID.x` is their lane's number.
fn compute(text: &str, world: &mut World) {
    let text = format!("#version 450\nlayout(local_size_x = 4) in;\n{text}");
    let program = lowered(Stage::Compute, &text);
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    wave.initialize(Mask::ALL).expect("no loops");
    if let Some((_, home)) = program.locate("gl_LocalInvocationID") {
        wave.set(home.start, [0, 1, 2, 3]);
    }
    world.shared = vec![0; program.workgroup_bytes as usize];
    wave.main(Mask::ALL, 10_000, world, &mut ()).expect("an end");
}

#[track_caller]
fn check_buffer(text: &str, before: &[u32], after: &[u32]) {
    let mut world = World { storage: before.iter().flat_map(|w| w.to_le_bytes()).collect(), ..World::default() };
    compute(text, &mut world);
    assert_eq!(words(&world.storage), after);
}

#[test]
fn buffers_have_the_layout_the_block_says() {
    let block = "layout(std430) buffer B { uint n; vec3 v; uint last[]; };";
    let main =
        "void main() { if (gl_LocalInvocationID.x == 0) { last[1] = uint(v.y) + n + last.length(); v.zx = v.xy; } }";
    let one = 1f32.to_bits();
    let two = 2f32.to_bits();
    check_buffer(
        &format!("{block}\n{main}"),
        &[7, 0, 0, 0, one, two, 0, 9, 9],
        &[7, 0, 0, 0, two, two, one, 9, 2 + 7 + 2],
    );
}

#[test]
fn rows_and_columns() {
    let text = "layout(std430, row_major) buffer B { mat2x3 m; uint n; };
        void main() { uint i = gl_LocalInvocationID.x; if (i < 2u) m[i][2] = m[i].y; n = uint(m[1].x); }";
    let f = |x: f32| x.to_bits();
    let before = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(f);
    let mut after = before.to_vec();
    (after[4], after[5]) = (f(3.0), f(4.0));
    after.push(2);
    check_buffer(text, &[&before[..], &[0]].concat(), &after);
}

#[test]
fn atomics_go_lane_by_lane() {
    let text = "layout(std430) buffer B { uint sum; int least; uint order[4]; };
        void main() { uint i = gl_LocalInvocationID.x; order[i] = atomicAdd(sum, i + 1u);
                      atomicMin(least, -int(i)); atomicCompSwap(order[0], 0u, 5u); }";
    check_buffer(text, &[10, 0, 0, 0, 0, 0], &[20, (-3i32) as u32, 10, 11, 13, 16]);
    let swap = "layout(std430) buffer B { uint a; uint b; }; void main() { atomicCompSwap(a, 3u, 5u); atomicCompSwap(b, 3u, 5u); }";
    check_buffer(swap, &[3, 4], &[5, 4]);
}

#[test]
fn shared_memory_is_seen_behind_the_barrier() {
    let text = "layout(std430) buffer B { uint all[4]; }; shared uint box[4];
        void main() { uint i = gl_LocalInvocationID.x; box[i] = i * 10u; barrier(); all[i] = box[3u - i]; }";
    check_buffer(text, &[0; 4], &[30, 20, 10, 0]);
}

#[test]
fn a_wave_waits_at_a_barrier() {
    let program = lowered(Stage::Compute, "#version 450\nlayout(local_size_x = 4) in;\nvoid main() { barrier(); }");
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    wave.start(Mask::ALL);
    assert_eq!(wave.run(&mut (), &mut (), &mut 100), Stop::Barrier);
    assert_eq!(wave.run(&mut (), &mut (), &mut 100), Stop::Done);
}

#[test]
fn votes_and_ballots() {
    let text = "#extension GL_ARB_shader_ballot : require\n#extension GL_ARB_shader_group_vote : require
        #extension GL_ARB_gpu_shader_int64 : require
        layout(std430) buffer B { uint all[4]; };
        void main() { uint i = gl_LocalInvocationID.x; uint64_t odd = ballotARB((i & 1u) != 0u);
            all[i] = readInvocationARB(i * 10u, 3u - i) + uint(odd) * 100u;
            if (i > 1u) all[i] += allInvocationsARB(i > 1u) ? 1u : 0u; }";
    check_buffer(text, &[0; 4], &[1030, 1020, 1011, 1001]);
}

#[test]
fn clusters_and_masks() {
    let head =
        "#extension GL_KHR_shader_subgroup_clustered : require\n#extension GL_KHR_shader_subgroup_ballot : require\n";
    let text = "layout(std430) buffer B { uint all[4]; };
        void main() { uint i = gl_LocalInvocationID.x; uvec4 odd = subgroupBallot((i & 1u) != 0u);
            all[i] = subgroupClusteredAdd(i + 1u, 2u) + 10u * subgroupBallotExclusiveBitCount(odd)
                + 100u * subgroupBallotInclusiveBitCount(odd)
                + 1000u * (subgroupBallotFindLSB(odd) + 10u * subgroupBallotFindMSB(odd)); }";
    check_buffer(&format!("{head}{text}"), &[0; 4], &[31003, 31103, 31117, 31217]);
}

fn picture(format: Format, data: Vec<u8>) -> (Texture, Sampler) {
    let level = Level { width: 2, height: 2, depth: 1, data: data.into() };
    (Texture::new(Dim::D2, format, vec![level]), Sampler { mip_filter: texture::MipFilter::None, ..Sampler::default() })
}

#[test]
fn texels_are_filtered_and_fetched() {
    let data = [0.0f32, 1.0, 2.0, 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut world = World { texture: Some(picture(Format::R32F, data)), storage: vec![0; 16], ..World::default() };
    let text = "uniform sampler2D s; layout(std430) buffer B { float all[4]; };
        void main() { all[0] = texture(s, vec2(0.5)).r; all[1] = texelFetch(s, ivec2(0, 1), 0).r;
            all[2] = textureGather(s, vec2(0.5))[0]; all[3] = float(textureSize(s, 0).x) + textureOffset(s, vec2(0.25), ivec2(1, 0)).a; }";
    compute(text, &mut world);
    assert_eq!(words(&world.storage), [1.5, 2.0, 2.0, 3.0f32].map(f32::to_bits));
}

#[test]
fn images_are_written() {
    let mut world =
        World { texture: Some(picture(Format::R32Ui, vec![0; 16])), storage: vec![0; 16], ..World::default() };
    let text = "layout(r32ui) uniform uimage2D s; layout(std430) buffer B { uint all[4]; };
        void main() { uint i = gl_LocalInvocationID.x; ivec2 at = ivec2(i & 1u, i >> 1u);
            imageStore(s, at, uvec4(i + 5u)); all[i] = imageAtomicAdd(s, at, 1u) + imageLoad(s, ivec2(9)).x + imageSize(s).y; }";
    compute(text, &mut world);
    assert_eq!(words(&world.storage), [7, 8, 9, 10]);
    let (texture, _) = world.texture.expect("still there");
    assert_eq!(words(&texture.levels[0].data), [6, 7, 8, 9]);
}

#[test]
fn geometry_shaders_emit() {
    let text = "#version 400\nlayout(triangles) in; layout(points, max_vertices = 3) out; flat out int n;
        void main() { for (int i = 0; i < gl_in.length(); i++) { n = i * 7; gl_Position = gl_in[i].gl_Position; EmitVertex(); EndPrimitive(); } }";
    let program = lowered(Stage::Geometry, text);
    let (_, home) = program.locate("n").expect("an output");
    let mut world = World { watched: Some(home.start), ..World::default() };
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    wave.main(Mask::from_bits(0b10), 1000, &mut world, &mut ()).expect("an end");
    assert_eq!(world.emitted, [(1, 0, 0), (1, 0, 7), (1, 0, 14)]);
}

#[test]
fn control_shaders_share_their_outputs() {
    let text = "#version 400\nlayout(vertices = 4) out; patch out float p; out float v[];
        void main() { v[gl_InvocationID] = float(gl_InvocationID); barrier(); p = v[3] + v[2];
            gl_TessLevelOuter[gl_InvocationID] = v[3 - gl_InvocationID]; gl_out[gl_InvocationID].gl_Position = vec4(1.0); }";
    let program = lowered(Stage::TessControl, text);
    let mut world = World { shared: vec![0; program.patch_bytes as usize], ..World::default() };
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    let (_, home) = program.locate("gl_InvocationID").expect("an input");
    wave.set(home.start, [0, 1, 2, 3]);
    wave.main(Mask::ALL, 1000, &mut world, &mut ()).expect("an end");
    let at = |name: &str| {
        let variable = program.variables.iter().find(|variable| variable.name == name).expect("declared");
        let pointer = variable.pointer().expect("in memory");
        words(&world.shared)[pointer.offset as usize / 4..].to_vec()
    };
    assert_eq!(at("p")[0], 5f32.to_bits());
    assert_eq!(at("gl_TessLevelOuter")[..4], [3.0, 2.0, 1.0, 0.0f32].map(f32::to_bits));
}
