//! Meshes: position, normal and texture coordinates of vertices, and triangles.

use std::f32::consts::{PI, TAU};

use crate::Gl;
use crate::gl;
use crate::math::{Vec3, cross};

/// Numbers per vertex: position, normal, texture coordinates.
pub const STRIDE: usize = 8;

/// Vertices and triangles in memory.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// [`STRIDE`] numbers per vertex.
    pub vertices: Vec<f32>,
    /// Three per triangle.
    pub indices: Vec<u16>,
}

/// A mesh in buffers, with a vertex array if GL has them.
pub struct Uploaded {
    /// The vertex array, 0 if GL has none.
    pub array: u32,
    vertices: u32,
    indices: u32,
    count: i32,
}

impl Mesh {
    /// Returns a square in the plane y = 0, `half` to each side, with `repeat` textures in a row.
    pub fn plane(half: f32, repeat: f32) -> Mesh {
        let corners = [[-1., -1.], [-1., 1.], [1., 1.], [1., -1.]];
        let vertices = corners
            .iter()
            .flat_map(|[x, z]| [x * half, 0., z * half, 0., 1., 0., (x + 1.) / 2. * repeat, (z + 1.) / 2. * repeat]);
        Mesh { vertices: vertices.collect(), indices: vec![0, 1, 2, 0, 2, 3] }
    }

    /// Returns a cube from -1 to 1.
    pub fn cube() -> Mesh {
        let mut mesh = Mesh::default();
        for axis in 0..3 {
            for sign in [-1f32, 1.] {
                let (mut normal, mut right) = ([0.; 3], [0.; 3]);
                normal[axis] = sign;
                right[(axis + 1) % 3] = 1.;
                let up = cross(normal, right);
                let base = mesh.len();
                for [u, v] in [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]] {
                    let position: Vec3 = std::array::from_fn(|i| normal[i] + right[i] * u + up[i] * v);
                    mesh.push(position, normal, [(u + 1.) / 2., (v + 1.) / 2.]);
                }
                mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|i| base + i));
            }
        }
        mesh
    }

    /// Returns a sphere of radius 1.
    pub fn sphere(slices: u16, stacks: u16) -> Mesh {
        Mesh::grid(slices, stacks, |u, v| {
            let (sin, cos) = (v * PI).sin_cos();
            let (s, c) = (u * TAU).sin_cos();
            let normal = [sin * c, -cos, -sin * s];
            (normal, normal)
        })
    }

    /// Returns a torus in the plane z = 0.
    pub fn torus(slices: u16, stacks: u16, radius: f32, tube: f32) -> Mesh {
        Mesh::grid(slices, stacks, |u, v| {
            let (s, c) = (u * TAU).sin_cos();
            let (sin, cos) = (v * TAU).sin_cos();
            let normal = [c * cos, s * cos, sin];
            ([c * (radius + tube * cos), s * (radius + tube * cos), tube * sin], normal)
        })
    }

    /// Returns a surface over a square of parameters, each from 0 to 1.
    fn grid(slices: u16, stacks: u16, surface: impl Fn(f32, f32) -> (Vec3, Vec3)) -> Mesh {
        let mut mesh = Mesh::default();
        for j in 0..=stacks {
            for i in 0..=slices {
                let (u, v) = (f32::from(i) / f32::from(slices), f32::from(j) / f32::from(stacks));
                let (position, normal) = surface(u, v);
                mesh.push(position, normal, [u, v]);
            }
        }
        let row = slices + 1;
        for j in 0..stacks {
            for i in 0..slices {
                let corner = j * row + i;
                mesh.indices.extend([corner, corner + 1, corner + row + 1, corner, corner + row + 1, corner + row]);
            }
        }
        mesh
    }

    fn len(&self) -> u16 {
        u16::try_from(self.vertices.len() / STRIDE).unwrap_or(u16::MAX)
    }

    fn push(&mut self, position: Vec3, normal: Vec3, uv: [f32; 2]) {
        self.vertices.extend(position.iter().chain(&normal).chain(&uv));
    }

    /// Uploads the mesh to buffers. Attributes 0, 1 and 2 are position, normal and texture coordinates.
    pub fn upload(&self, gl: &Gl, es2: bool) -> Uploaded {
        let array = if es2 { 0 } else { gl.vertex_array() };
        if !es2 {
            gl.BindVertexArray(array);
        }
        let (vertices, indices) = (gl.buffer(), gl.buffer());
        gl.BindBuffer(gl::ARRAY_BUFFER, vertices);
        gl.buffer_data(gl::ARRAY_BUFFER, &self.vertices, gl::STATIC_DRAW);
        gl.BindBuffer(gl::ELEMENT_ARRAY_BUFFER, indices);
        gl.buffer_data(gl::ELEMENT_ARRAY_BUFFER, &self.indices, gl::STATIC_DRAW);
        let count = i32::try_from(self.indices.len()).unwrap_or(i32::MAX);
        let uploaded = Uploaded { array, vertices, indices, count };
        if !es2 {
            uploaded.attributes(gl);
        }
        uploaded
    }
}

impl Uploaded {
    /// Draws all triangles.
    pub fn draw(&self, gl: &Gl) {
        if self.array == 0 {
            gl.BindBuffer(gl::ARRAY_BUFFER, self.vertices);
            gl.BindBuffer(gl::ELEMENT_ARRAY_BUFFER, self.indices);
            self.attributes(gl);
        } else {
            gl.BindVertexArray(self.array);
        }
        gl.draw_indexed(gl::TRIANGLES, self.count, gl::UNSIGNED_SHORT, 0);
    }

    fn attributes(&self, gl: &Gl) {
        for (index, size, offset) in [(0, 3, 0), (1, 3, 12), (2, 2, 24)] {
            gl.attribute(index, size, gl::FLOAT, STRIDE * 4, offset);
        }
    }
}
