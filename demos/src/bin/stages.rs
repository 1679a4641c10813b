//! Everything between vertices and fragments: geometry and tessellation shaders, multi-draws, base instances, transform
//! feedback after a geometry shader, and shaders that draw and store. Each has a cell of the image: two rows of four.

use std::process::ExitCode;

use clap::Parser;
use demos::{ContextKind, Gl, Options, Stage, gl, play, program};

/// Draws with geometry and tessellation shaders, multi-draws, and shader stores.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

/// Triangles, and a square of four corners: position and tint.
const VERTICES: [[f32; 5]; 12] = [
    [-0.8, -0.8, 1.0, 0.2, 0.1],
    [0.7, -0.7, 0.2, 0.9, 0.1],
    [0.8, 0.8, 0.1, 0.3, 1.0],
    [-0.7, 0.7, 0.9, 0.8, 0.2],
    [-0.9, -0.5, 0.7, 0.1, 0.4],
    [-0.1, -0.4, 0.3, 0.6, 0.9],
    [-0.5, 0.6, 0.9, 0.9, 0.9],
    [0.1, -0.6, 0.2, 0.4, 0.5],
    [0.9, -0.2, 0.8, 0.5, 0.1],
    [0.4, 0.3, 0.5, 0.9, 0.6],
    [0.0, 0.9, 0.9, 0.2, 0.7],
    [0.6, 0.5, 0.1, 0.7, 0.8],
];

/// Tints of instances.
const TINTS: [[f32; 3]; 4] = [[0.9, 0.1, 0.1], [0.2, 0.8, 0.3], [0.9, 0.7, 0.2], [0.3, 0.4, 1.0]];

/// Indices of two draws with different first indices and base vertices.
const INDICES: [u16; 6] = [0, 1, 2, 0, 2, 3];

/// Parameters of indirect draws: count, instances, first index, base vertex, base instance.
const PARTS: [[u32; 5]; 2] = [[3, 1, 0, 4, 1], [3, 2, 3, 7, 2]];

const FLOATS: usize = 4;

struct Scene {
    programs: Programs,
    /// Vertex arrays: position and tint of each vertex; the same with tints of instances; captured vertices.
    arrays: [u32; 3],
    captured: u32,
    corners: u32,
    kept: u32,
    picture: u32,
    soft: u32,
}

struct Programs {
    quads: u32,
    patch: u32,
    pieces: u32,
    parts: u32,
    store: u32,
    show: u32,
    blur: u32,
    show_soft: u32,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    play("stages", ContextKind::Core(4, 3), &cli.options, |stage| {
        let scene = Scene::new(&stage.gl)?;
        Ok(move |stage: &Stage, frame| {
            scene.draw(stage, frame);
            Ok(())
        })
    })
}

impl Scene {
    fn new(gl: &Gl) -> anyhow::Result<Scene> {
        let programs = Programs::new(gl)?;
        let (vertices, tints, indices) = (gl.buffer(), gl.buffer(), gl.buffer());
        let captured = gl.buffer();
        let arrays = [0, 1, 2].map(|kind| {
            let array = gl.vertex_array();
            gl.BindVertexArray(array);
            match kind {
                2 => {
                    gl.BindBuffer(gl::ARRAY_BUFFER, captured);
                    gl.buffer_space(gl::ARRAY_BUFFER, 64 * 7 * FLOATS as isize, gl::DYNAMIC_COPY);
                    gl.attribute(0, 2, gl::FLOAT, 7 * FLOATS, 0);
                    gl.attribute(1, 3, gl::FLOAT, 7 * FLOATS, 4 * FLOATS);
                }
                kind => {
                    gl.BindBuffer(gl::ARRAY_BUFFER, vertices);
                    gl.buffer_data(gl::ARRAY_BUFFER, VERTICES.as_flattened(), gl::STATIC_DRAW);
                    gl.attribute(0, 2, gl::FLOAT, 5 * FLOATS, 0);
                    gl.attribute(1, 3, gl::FLOAT, 5 * FLOATS, 2 * FLOATS);
                    if kind == 1 {
                        gl.BindBuffer(gl::ARRAY_BUFFER, tints);
                        gl.buffer_data(gl::ARRAY_BUFFER, TINTS.as_flattened(), gl::STATIC_DRAW);
                        gl.attribute(1, 3, gl::FLOAT, 3 * FLOATS, 0);
                        gl.VertexAttribDivisor(1, 1);
                        gl.BindBuffer(gl::ELEMENT_ARRAY_BUFFER, indices);
                        gl.buffer_data(gl::ELEMENT_ARRAY_BUFFER, &INDICES, gl::STATIC_DRAW);
                    }
                }
            }
            array
        });
        let parts = gl.buffer();
        gl.BindBuffer(gl::DRAW_INDIRECT_BUFFER, parts);
        gl.buffer_data(gl::DRAW_INDIRECT_BUFFER, PARTS.as_flattened(), gl::STATIC_DRAW);
        let (corners, kept) = (gl.buffer(), gl.buffer());
        for (buffer, vectors) in [(corners, 4), (kept, 256)] {
            gl.BindBuffer(gl::SHADER_STORAGE_BUFFER, buffer);
            gl.buffer_data(gl::SHADER_STORAGE_BUFFER, &vec![0f32; 4 * vectors], gl::DYNAMIC_COPY);
        }
        let picture = |format, kind| {
            let texture = gl.texture();
            gl.BindTexture(gl::TEXTURE_2D, texture);
            gl.TexParameteri(gl::TEXTURE_2D, gl::TEXTURE_MIN_FILTER, gl::LINEAR as i32);
            gl.tex_image::<u8>(gl::TEXTURE_2D, 0, format, (16, 16), (gl::RGBA, kind), None);
            texture
        };
        let (picture, soft) = (picture(gl::RGBA32F, gl::FLOAT), picture(gl::RGBA8, gl::UNSIGNED_BYTE));
        Ok(Scene { programs, arrays, captured, corners, kept, picture, soft })
    }

    fn draw(&self, stage: &Stage, frame: u32) {
        let (gl, programs) = (&stage.gl, &self.programs);
        let cell = |column: i32, row: i32| {
            let (width, height) = (stage.size.width / 4, stage.size.height / 2);
            gl.Viewport(column * width, row * height, width, height);
        };
        gl.ClearColor(0.05, 0.05, 0.08, 1.0);
        gl.Clear(gl::COLOR_BUFFER_BIT | gl::DEPTH_BUFFER_BIT);
        let [plain, instanced, captured] = self.arrays;
        for program in [programs.quads, programs.patch] {
            gl.UseProgram(program);
            gl.Uniform1f(gl.uniform(program, c"turn"), frame as f32);
        }
        // Points to squares, for two instances whose tints start at the second.
        cell(0, 0);
        gl.BindVertexArray(instanced);
        gl.UseProgram(programs.quads);
        gl.DrawArraysInstancedBaseInstance(gl::POINTS, 1, 3, 2, 1);
        // The same, captured and drawn from the buffer.
        gl.BindBufferBase(gl::TRANSFORM_FEEDBACK_BUFFER, 0, self.captured);
        gl.Enable(gl::RASTERIZER_DISCARD);
        gl.BeginTransformFeedback(gl::TRIANGLES);
        gl.DrawArraysInstancedBaseInstance(gl::POINTS, 4, 2, 2, 0);
        gl.EndTransformFeedback();
        gl.Disable(gl::RASTERIZER_DISCARD);
        gl.BindBufferBase(gl::TRANSFORM_FEEDBACK_BUFFER, 0, 0);
        cell(1, 1);
        gl.BindVertexArray(captured);
        gl.UseProgram(programs.parts);
        gl.DrawArrays(gl::TRIANGLES, 0, 48);
        // Patches of four vertices with a control shader, and of three without, whose triangles go to a geometry
        // shader.
        gl.BindVertexArray(plain);
        cell(1, 0);
        gl.UseProgram(programs.patch);
        gl.PatchParameteri(gl::PATCH_VERTICES, 4);
        gl.DrawArrays(gl::PATCHES, 0, 8);
        cell(2, 0);
        gl.UseProgram(programs.pieces);
        gl.PatchParameteri(gl::PATCH_VERTICES, 3);
        gl.patch_levels([3.0, 2.0, 4.0, 1.0], [3.0, 1.0]);
        gl.DrawArrays(gl::PATCHES, 4, 6);
        // Multi-draws.
        cell(3, 0);
        gl.UseProgram(programs.parts);
        gl.multi_draw_arrays(gl::TRIANGLES, &[(4, 3), (7, 3), (9, 3)]);
        cell(0, 1);
        gl.BindVertexArray(instanced);
        gl.multi_draw_indexed_indirect(gl::TRIANGLES, gl::UNSIGNED_SHORT, 0, PARTS.len() as i32);
        self.stores(gl, &cell);
    }

    /// Shows what drawing shaders store, and what a dispatch makes of it.
    fn stores(&self, gl: &Gl, cell: &dyn Fn(i32, i32)) {
        let programs = &self.programs;
        gl.BindVertexArray(self.arrays[0]);
        gl.BindBufferBase(gl::SHADER_STORAGE_BUFFER, 0, self.corners);
        gl.BindBufferBase(gl::SHADER_STORAGE_BUFFER, 1, self.kept);
        gl.BindImageTexture(0, self.picture, 0, 0, 0, gl::READ_WRITE, gl::RGBA32F);
        gl.BindImageTexture(1, self.soft, 0, 0, 0, gl::WRITE_ONLY, gl::RGBA8);
        gl.Viewport(0, 0, 16, 16);
        gl.UseProgram(programs.store);
        gl.DrawArrays(gl::TRIANGLES, 0, 3);
        gl.MemoryBarrier(gl::ALL_BARRIER_BITS);
        cell(2, 1);
        gl.UseProgram(programs.show);
        gl.DrawArrays(gl::TRIANGLE_STRIP, 0, 4);
        gl.UseProgram(programs.blur);
        gl.DispatchCompute(2, 2, 1);
        gl.MemoryBarrier(gl::ALL_BARRIER_BITS);
        cell(3, 1);
        gl.BindTexture(gl::TEXTURE_2D, self.soft);
        gl.UseProgram(programs.show_soft);
        gl.DrawArrays(gl::TRIANGLE_STRIP, 0, 4);
    }
}

impl Programs {
    fn new(gl: &Gl) -> anyhow::Result<Programs> {
        let quads = [
            (gl::VERTEX_SHADER, include_str!("stages/quads.vert")),
            (gl::GEOMETRY_SHADER, include_str!("stages/quads.geom")),
            (gl::FRAGMENT_SHADER, include_str!("stages/quads.frag")),
        ];
        let patch = [
            (gl::VERTEX_SHADER, include_str!("stages/patch.vert")),
            (gl::TESS_CONTROL_SHADER, include_str!("stages/patch.tesc")),
            (gl::TESS_EVALUATION_SHADER, include_str!("stages/patch.tese")),
            (gl::FRAGMENT_SHADER, include_str!("stages/plain.frag")),
        ];
        let pieces = [
            (gl::VERTEX_SHADER, include_str!("stages/patch.vert")),
            (gl::TESS_EVALUATION_SHADER, include_str!("stages/pieces.tese")),
            (gl::GEOMETRY_SHADER, include_str!("stages/pieces.geom")),
            (gl::FRAGMENT_SHADER, include_str!("stages/plain.frag")),
        ];
        let (show, plain) = (include_str!("stages/show.vert"), include_str!("stages/plain.frag"));
        Ok(Programs {
            quads: program::link_stages(gl, &quads, &["gl_Position", "shade"])?,
            patch: program::link_stages(gl, &patch, &[])?,
            pieces: program::link_stages(gl, &pieces, &[])?,
            parts: program::link(gl, include_str!("stages/parts.vert"), plain, &[])?,
            store: program::link(gl, include_str!("stages/store.vert"), include_str!("stages/store.frag"), &[])?,
            show: program::link(gl, show, include_str!("stages/show.frag"), &[])?,
            blur: program::link_compute(gl, include_str!("stages/blur.comp"))?,
            show_soft: program::link(gl, show, include_str!("stages/soft.frag"), &[])?,
        })
    }
}
