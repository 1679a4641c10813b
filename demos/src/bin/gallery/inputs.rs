//! What a program reads: attributes, uniforms, uniform blocks and textures, with a value for each.

use std::ffi::CString;

use anyhow::bail;
use demos::gl::Active;
use demos::math::Mat4;
use demos::mesh::{Mesh, STRIDE};
use demos::{Gl, gl};

use crate::textures::Textures;

/// The inputs of a program.
pub struct Inputs {
    attributes: Vec<Variable>,
    uniforms: Vec<Variable>,
    blocks: Vec<Block>,
}

/// An attribute or uniform.
struct Variable {
    name: String,
    kind: u32,
    count: i32,
    location: i32,
}

/// A uniform block: its size, and where its members are.
struct Block {
    bytes: usize,
    members: Vec<Member>,
}

struct Member {
    name: String,
    kind: u32,
    count: i32,
    offset: usize,
    array_stride: usize,
    matrix_stride: usize,
}

/// What an input is.
#[derive(Clone, Copy)]
enum Shape {
    Floats(usize),
    /// Integers and booleans.
    Integers(usize),
    Unsigned(usize),
    Matrix(usize),
    Sampler,
}

impl Inputs {
    /// Asks GL for the inputs of a program.
    pub fn of(gl: &Gl, program: u32) -> anyhow::Result<Inputs> {
        let mut inputs = Inputs { attributes: Vec::new(), uniforms: Vec::new(), blocks: Vec::new() };
        for index in 0..gl.program_number(program, gl::ACTIVE_ATTRIBUTES) {
            let Active { name, kind, count } = gl.active_attribute(program, index);
            let location = gl.attribute_location(program, &CString::new(name.as_str())?);
            inputs.attributes.push(Variable { name, kind, count, location });
        }
        for block in 0..gl.program_number(program, gl::ACTIVE_UNIFORM_BLOCKS) {
            gl.UniformBlockBinding(program, block, block);
            inputs.blocks.push(Block { bytes: gl.block_size(program, block), members: Vec::new() });
        }
        for index in 0..gl.program_number(program, gl::ACTIVE_UNIFORMS) {
            let Active { name, kind, count } = gl.active_uniform(program, index);
            let mut variable = Variable { name, kind, count, location: -1 };
            if shape(kind).is_none() {
                bail!("uniform {} has type 0x{kind:04x}, for which no value is made up", variable.name);
            }
            let ask = |what| gl.uniform_fact(program, index, what);
            let block = usize::try_from(ask(gl::UNIFORM_BLOCK_INDEX)).ok();
            if let Some(block) = block.and_then(|block| inputs.blocks.get_mut(block)) {
                let place = |what| usize::try_from(ask(what)).unwrap_or(0);
                block.members.push(Member {
                    name: variable.name,
                    kind: variable.kind,
                    count: variable.count,
                    offset: place(gl::UNIFORM_OFFSET),
                    array_stride: place(gl::UNIFORM_ARRAY_STRIDE),
                    matrix_stride: place(gl::UNIFORM_MATRIX_STRIDE),
                });
                continue;
            }
            variable.location = gl.uniform(program, &CString::new(variable.name.as_str())?);
            inputs.uniforms.push(variable);
        }
        Ok(inputs)
    }

    /// Sets everything for a draw of a mesh; the program is current.
    pub fn bind(&self, gl: &Gl, mesh: &Mesh, size: [f32; 2]) {
        let (vertices, indices) = (gl.buffer(), gl.buffer());
        gl.BindBuffer(gl::ARRAY_BUFFER, vertices);
        gl.buffer_data(gl::ARRAY_BUFFER, &mesh.vertices, gl::STATIC_DRAW);
        gl.BindBuffer(gl::ELEMENT_ARRAY_BUFFER, indices);
        gl.buffer_data(gl::ELEMENT_ARRAY_BUFFER, &mesh.indices, gl::STATIC_DRAW);
        (0..8).for_each(|index| gl.DisableVertexAttribArray(index));
        for attribute in &self.attributes {
            let Ok(location) = u32::try_from(attribute.location) else { continue };
            let name = attribute.name.to_lowercase();
            let (count, offset) = match () {
                () if name.contains("normal") || name.contains("tangent") => (3, 12),
                () if name.contains("pos") || name.contains("vertexcoord") => (3, 0),
                () if name.contains("uv") || name.contains("tex") => (2, 24),
                () => (3, 12),
            };
            gl.attribute(location, count, gl::FLOAT, STRIDE * 4, offset);
        }
        for (index, block) in (0..).zip(&self.blocks) {
            let buffer = gl.buffer();
            gl.BindBuffer(gl::UNIFORM_BUFFER, buffer);
            gl.buffer_data(gl::UNIFORM_BUFFER, &block.contents(size), gl::STATIC_DRAW);
            gl.BindBufferBase(gl::UNIFORM_BUFFER, index, buffer);
        }
        let mut textures = Textures::default();
        for uniform in &self.uniforms {
            uniform.set(gl, size, &mut textures);
        }
    }
}

impl Block {
    fn contents(&self, size: [f32; 2]) -> Vec<u32> {
        let mut words = vec![0; self.bytes.div_ceil(4)];
        let mut put = |at: usize, bits: u32| {
            if let Some(word) = words.get_mut(at / 4) {
                *word = bits;
            }
        };
        for member in &self.members {
            for element in 0..member.count.max(1) as usize {
                let at = member.offset + element * member.array_stride;
                match shape(member.kind) {
                    Some(Shape::Floats(count)) => (0..count)
                        .zip(floats(&member.name, element, size))
                        .for_each(|(i, value)| put(at + i * 4, value.to_bits())),
                    Some(Shape::Integers(count) | Shape::Unsigned(count)) => {
                        (0..count).for_each(|i| put(at + i * 4, integer(&member.name)));
                    }
                    Some(Shape::Matrix(side)) => {
                        let Mat4(numbers) = matrix(&member.name);
                        for (column, row) in (0..side).flat_map(|column| (0..side).map(move |row| (column, row))) {
                            put(at + column * member.matrix_stride + row * 4, numbers[column * 4 + row].to_bits());
                        }
                    }
                    Some(Shape::Sampler) | None => {}
                }
            }
        }
        words
    }
}

impl Variable {
    fn set(&self, gl: &Gl, size: [f32; 2], textures: &mut Textures) {
        let count = self.count.max(1) as usize;
        let Some(shape) = shape(self.kind) else { return };
        let all = |components: usize| -> Vec<f32> {
            (0..count).flat_map(|element| floats(&self.name, element, size).into_iter().take(components)).collect()
        };
        match shape {
            Shape::Floats(components) => gl.uniform_floats(self.location, components, &all(components)),
            Shape::Integers(n) => gl.uniform_integers(self.location, n, &vec![integer(&self.name); count * n]),
            Shape::Unsigned(n) => gl.uniform_unsigned(self.location, n, &vec![integer(&self.name); count * n]),
            Shape::Matrix(side) => {
                let Mat4(numbers) = matrix(&self.name);
                let columns = (0..side).flat_map(|column| &numbers[column * 4..column * 4 + side]).copied();
                gl.uniform_matrices(self.location, side, &columns.collect::<Vec<f32>>().repeat(count));
            }
            Shape::Sampler => {
                let units: Vec<u32> = (0..count).map(|_| textures.bind(gl, self.kind)).collect();
                gl.uniform_integers(self.location, 1, &units);
            }
        }
    }
}

fn shape(kind: u32) -> Option<Shape> {
    Some(match kind {
        gl::FLOAT => Shape::Floats(1),
        gl::FLOAT_VEC2..=gl::FLOAT_VEC4 => Shape::Floats((kind - gl::FLOAT_VEC2 + 2) as usize),
        gl::INT | gl::BOOL => Shape::Integers(1),
        gl::INT_VEC2..=gl::INT_VEC4 => Shape::Integers((kind - gl::INT_VEC2 + 2) as usize),
        0x8B57..=gl::BOOL_VEC4 => Shape::Integers((kind - gl::BOOL + 1) as usize),
        gl::UNSIGNED_INT => Shape::Unsigned(1),
        gl::UNSIGNED_INT_VEC2..=gl::UNSIGNED_INT_VEC4 => Shape::Unsigned((kind - gl::UNSIGNED_INT_VEC2 + 2) as usize),
        gl::FLOAT_MAT2..=gl::FLOAT_MAT4 => Shape::Matrix((kind - gl::FLOAT_MAT2 + 2) as usize),
        kind if Textures::has(kind) => Shape::Sampler,
        _ => return None,
    })
}

/// The matrix that a name suggests.
fn matrix(name: &str) -> Mat4 {
    let name = name.to_lowercase();
    let view = Mat4::look_at([0.8, 0.9, 2.2], [0., 0., 0.]);
    let projection = Mat4::perspective(0.9, 16. / 9., 0.1, 20.);
    let has = |part: &str| name.contains(part);
    match () {
        () if has("shadow") || has("light") => Mat4::orthographic(2., 0.1, 10.) * Mat4::look_at([1., 3., 2.], [0.; 3]),
        () if has("mvp") || has("viewproj") || has("worldviewproj") => projection * view,
        () if has("proj") => projection,
        () if has("inverse") => view.inverse(),
        () if has("view") => view,
        () => Mat4::IDENTITY,
    }
}

/// The four numbers that a name suggests.
fn floats(name: &str, element: usize, [width, height]: [f32; 2]) -> [f32; 4] {
    let name = name.to_lowercase();
    let has = |part: &str| name.contains(part);
    let step = element as f32;
    match () {
        () if has("texel") || has("invsize") => [1. / width, 1. / height, width, height],
        () if has("size") || has("resolution") || has("width") || has("height") => [width, height, 64., 64.],
        () if has("direction") || has("dir") => [0.36 + 0.1 * step, 0.48, 0.8, 0.],
        () if has("camera") || has("eye") => [0.8, 0.9, 2.2, 1.],
        () if has("position") => [1. - step, 2., 2.5, 1.],
        () if has("range") || has("distance") || has("far") => [10.; 4],
        () if has("near") => [0.1; 4],
        () if has("ior") => [1.5; 4],
        () if has("exponent") || has("power") || has("gamma") => [2.2; 4],
        () if has("kernel") || has("offset") => [0.02 * step, 0.03, 0.01, 0.],
        () if has("opacity") || has("alpha") || has("intensity") || has("visibility") => [1.; 4],
        () => [0.7, 0.55, 0.4, 0.9],
    }
}

/// The integer that a name suggests.
fn integer(name: &str) -> u32 {
    let name = name.to_lowercase();
    match () {
        () if name.contains("count") || name.contains("samples") => 4,
        () => 1,
    }
}
