//! Runs one program with everything chosen by the caller: attributes, targets, storage blocks, captured varyings.
//!
//! [`Context::assemble`] links once, [`Context::perform`] runs any number of times.

use std::ffi::{CString, c_void};

use shader::version::Stage;

use crate::context::c_string;
use crate::gl;
use crate::image;
use crate::quad::{delete, generate};
use crate::{Context, DriverError, Image, Includes, Uniform};

/// What has to be specified before a program is linked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interface<'a> {
    /// Vertex attributes, which get locations in this order.
    pub attributes: &'a [&'a str],
    /// Fragment outputs, which get colour numbers in this order unless the shader specifies them.
    pub outputs: &'a [&'a str],
    /// Varyings to capture, interleaved.
    pub captured: &'a [&'a str],
}

/// A linked program.
#[derive(Debug, PartialEq, Eq)]
pub struct TrialProgram {
    name: u32,
}

/// The primitive type of a draw call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assembly {
    /// `GL_POINTS`
    Points,
    /// `GL_LINES`
    Lines,
    /// `GL_TRIANGLES`
    Triangles,
    /// `GL_TRIANGLE_FAN`
    Fan,
    /// `GL_LINES_ADJACENCY`
    LinesAdjacency,
    /// `GL_TRIANGLES_ADJACENCY`
    TrianglesAdjacency,
    /// Patches of this many vertices.
    Patches(u8),
}

/// What to do with the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A draw call.
    Draw {
        /// The primitive type.
        assembly: Assembly,
        /// The number of vertices.
        vertices: u16,
        /// The number of instances.
        instances: u16,
    },
    /// A dispatch of this many workgroups.
    Dispatch([u32; 3]),
}

/// A vertex attribute.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its value for each vertex.
    pub values: Vec<[f32; 4]>,
}

/// The format of a colour target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Four bytes, read as one word each.
    Rgba8,
    /// Four floats.
    Rgba32F,
    /// Four integers.
    Rgba32I,
    /// Four unsigned integers.
    Rgba32Ui,
}

impl Target {
    fn format(self) -> u32 {
        match self {
            Target::Rgba8 => gl::RGBA8,
            Target::Rgba32F => gl::RGBA32F,
            Target::Rgba32I => gl::RGBA32I,
            Target::Rgba32Ui => gl::RGBA32UI,
        }
    }
}

/// A run of a program.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// What to do.
    pub operation: Operation,
    /// Attributes; other attributes of the program keep GL's default.
    pub attributes: &'a [Attribute],
    /// Uniforms.
    pub uniforms: &'a [Uniform],
    /// The textures of samplers.
    pub images: &'a [Image],
    /// Width and height of targets.
    pub size: [u16; 2],
    /// Left edge, lower edge, width and height of the scissor rectangle, if any.
    pub scissor: Option<[u16; 4]>,
    /// Targets by colour number; may be empty.
    pub targets: &'a [Target],
    /// Storage blocks by name, with their contents.
    pub storage: &'a [(&'a str, &'a [u32])],
    /// The size in words of other storage blocks, which are zero.
    pub other_storage: u32,
    /// The number of words that transform feedback may write.
    pub captured_words: u32,
}

/// The results of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TrialOutput {
    /// For each target four words per pixel, rows from the bottom up.
    pub targets: Vec<Vec<u32>>,
    /// The contents of the named storage blocks.
    pub storage: Vec<Vec<u32>>,
    /// The captured varyings; what was not written is zero.
    pub captured: Vec<u32>,
}

impl Context {
    /// Links a program for [`Context::perform`].
    ///
    /// # Errors
    /// When it does not link, or the context cannot be used.
    pub fn assemble(
        &self,
        shaders: &[(Stage, &[&str])],
        interface: Interface<'_>,
    ) -> Result<TrialProgram, DriverError> {
        self.enter()?;
        self.drain_errors();
        let name = self.gl.create_program();
        let mut log = String::new();
        for (stage, strings) in shaders {
            let (shader, compiled) = self.compile_object(*stage, strings, &Includes::default())?;
            if !compiled.ok {
                log += &compiled.log;
            }
            self.gl.attach_shader(name, shader);
            self.gl.delete_shader(shader);
        }
        let mut ok = log.is_empty();
        if ok {
            self.name_interface(name, interface);
            (ok, log) = self.link_object(name);
        }
        if !ok {
            self.gl.delete_program(name);
            return Err(DriverError::NotLinked { log });
        }
        self.drain_errors();
        Ok(TrialProgram { name })
    }

    fn name_interface(&self, program: u32, interface: Interface<'_>) {
        for (index, name) in (0..).zip(interface.attributes).filter(|(_, name)| !name.starts_with("gl_")) {
            let name = c_string(name);
            // SAFETY: the name is NUL-terminated and outlives the call.
            unsafe { (self.gl.bind_attrib_location)(program, index, name.as_ptr()) };
        }
        // ES has only layout qualifiers, and the function must not be called there (ES 3.2, 14.2.3).
        let outputs = if self.api() == crate::Api::Es { &[] } else { interface.outputs };
        for (index, name) in (0..).zip(outputs).filter(|(_, name)| !name.starts_with("gl_")) {
            let name = c_string(name);
            // SAFETY: the name is NUL-terminated and outlives the call.
            unsafe { (self.gl.bind_frag_data_location)(program, index, name.as_ptr()) };
        }
        if !interface.captured.is_empty() {
            let names: Vec<CString> = interface.captured.iter().map(|name| c_string(name)).collect();
            let pointers: Vec<*const i8> = names.iter().map(|name| name.as_ptr()).collect();
            let count = i32::try_from(pointers.len()).unwrap_or(0);
            let call = self.gl.transform_feedback_varyings;
            // SAFETY: `count` NUL-terminated names follow, which outlive the call.
            unsafe { call(program, count, pointers.as_ptr(), gl::INTERLEAVED_ATTRIBS) };
        }
    }

    /// Deletes a program.
    #[allow(clippy::needless_pass_by_value, reason = "it must not be used afterwards")]
    pub fn disassemble(&self, program: TrialProgram) {
        if self.enter().is_ok() {
            self.gl.delete_program(program.name);
        }
    }

    /// Returns the colour number of a fragment output, or `None` when it is not active.
    ///
    /// # Errors
    /// When the context cannot be used.
    pub fn output_number(&self, program: &TrialProgram, output: &str) -> Result<Option<usize>, DriverError> {
        self.enter()?;
        Ok(self.draw_buffer(program.name, output))
    }

    /// Runs a program.
    ///
    /// # Errors
    /// When GL reports an error.
    pub fn perform(&self, program: &TrialProgram, trial: &Trial<'_>) -> Result<TrialOutput, DriverError> {
        self.enter()?;
        self.drain_errors();
        let gl = &self.gl;
        gl.use_program(program.name);
        let bind = |(unit, image)| image::bind(gl, program.name, unit, image);
        let textures: Vec<u32> = (0..).zip(trial.images).filter_map(bind).collect();
        for uniform in trial.uniforms {
            self.set(program.name, uniform);
        }
        let storage = self.storage(program.name, trial);
        let found = match trial.operation {
            Operation::Dispatch([x, y, z]) => {
                gl.dispatch_compute(x, y, z);
                Ok(TrialOutput::default())
            }
            Operation::Draw { assembly, vertices, instances } => {
                self.draw_trial(trial, assembly, i32::from(vertices), i32::from(instances))
            }
        };
        let read = |(buffer, words): &(u32, usize)| self.read_buffer(gl::SHADER_STORAGE_BUFFER, *buffer, *words);
        let found = found.map(|found| {
            if !storage.is_empty() {
                gl.memory_barrier(gl::ALL_BARRIER_BITS);
            }
            TrialOutput { storage: storage.iter().take(trial.storage.len()).map(read).collect(), ..found }
        });
        image::unbind(gl, &textures);
        storage.iter().for_each(|(buffer, _)| delete(gl.delete_buffers, *buffer));
        gl.use_program(0);
        let code = gl.get_error();
        if code != 0 {
            return Err(DriverError::Gl { code, doing: "running a program" });
        }
        found
    }

    /// Creates and binds a buffer for each storage block: first the named ones, then the program's others.
    fn storage(&self, program: u32, trial: &Trial<'_>) -> Vec<(u32, usize)> {
        let gl = &self.gl;
        let mut made = Vec::new();
        let mut taken = Vec::new();
        for (name, words) in trial.storage {
            let name = c_string(name);
            // SAFETY: the name is NUL-terminated and outlives the call.
            let index = unsafe { (gl.get_program_resource_index)(program, gl::SHADER_STORAGE_BLOCK, name.as_ptr()) };
            made.push((self.buffer(gl::SHADER_STORAGE_BUFFER, words), words.len()));
            if index != gl::INVALID_INDEX {
                self.bind_block(program, index, made[made.len() - 1].0, taken.len());
                taken.push(index);
            }
        }
        let mut count = 0;
        if !trial.storage.is_empty() || trial.other_storage > 0 {
            // SAFETY: the result is one integer, and `count` is one.
            unsafe {
                (gl.get_program_interface_iv)(program, gl::SHADER_STORAGE_BLOCK, gl::ACTIVE_RESOURCES, &raw mut count);
            };
            // A context without storage blocks rejects the query.
            self.drain_errors();
        }
        let zeros = vec![0; trial.other_storage as usize];
        for index in (0..u32::try_from(count).unwrap_or(0)).filter(|index| !taken.contains(index)) {
            let buffer = self.buffer(gl::SHADER_STORAGE_BUFFER, &zeros);
            self.bind_block(program, index, buffer, taken.len() + made.len());
            made.push((buffer, zeros.len()));
        }
        made
    }

    /// Binds a buffer to a block: on desktop GL at a binding point of our choice, in ES at that of its layout.
    fn bind_block(&self, program: u32, index: u32, buffer: u32, point: usize) {
        let gl = &self.gl;
        let mut binding = i32::try_from(point).unwrap_or(0);
        if self.api() == crate::Api::Es {
            let names = [gl::BUFFER_BINDING];
            let call = gl.get_program_resource_iv;
            let (mut length, to) = (0, &raw mut binding);
            // SAFETY: one property is queried, which is one integer, and there is room for one.
            unsafe { call(program, gl::SHADER_STORAGE_BLOCK, index, 1, names.as_ptr(), 1, &raw mut length, to) };
        } else {
            gl.shader_storage_block_binding(program, index, binding.cast_unsigned());
        }
        gl.bind_buffer_base(gl::SHADER_STORAGE_BUFFER, binding.cast_unsigned(), buffer);
    }

    fn buffer(&self, target: u32, words: &[u32]) -> u32 {
        let buffer = generate(self.gl.gen_buffers);
        self.gl.bind_buffer(target, buffer);
        let size = size_of_val(words).cast_signed();
        // SAFETY: `words` is `size` bytes long.
        unsafe { (self.gl.buffer_data)(target, size, words.as_ptr().cast(), gl::STATIC_DRAW) };
        buffer
    }

    fn read_buffer(&self, target: u32, buffer: u32, words: usize) -> Vec<u32> {
        let mut copy = vec![0u32; words];
        if words == 0 {
            return copy;
        }
        self.gl.bind_buffer(target, buffer);
        let size = size_of_val(&copy[..]).cast_signed();
        // SAFETY: the buffer was created with this many bytes.
        let from = unsafe { (self.gl.map_buffer_range)(target, 0, size, gl::MAP_READ_BIT) };
        if !from.is_null() {
            // SAFETY: the driver mapped `words` words, and the vector has room for them.
            unsafe { std::ptr::copy_nonoverlapping(from.cast::<u32>(), copy.as_mut_ptr(), words) };
            self.gl.unmap_buffer(target);
        }
        copy
    }

    fn draw_trial(
        &self,
        trial: &Trial<'_>,
        assembly: Assembly,
        vertices: i32,
        instances: i32,
    ) -> Result<TrialOutput, DriverError> {
        let gl = &self.gl;
        let framebuffer = generate(gl.gen_framebuffers);
        gl.bind_framebuffer(gl::FRAMEBUFFER, framebuffer);
        let [width, height] = trial.size.map(i32::from);
        let mut renderbuffers = Vec::new();
        let mut buffers = Vec::new();
        // A framebuffer needs an attachment (or GL 4.3), and one that is not read does no harm.
        let targets = if trial.targets.is_empty() { &[Target::Rgba8][..] } else { trial.targets };
        for (attachment, target) in (gl::COLOR_ATTACHMENT0..).zip(targets) {
            let renderbuffer = generate(gl.gen_renderbuffers);
            renderbuffers.push(renderbuffer);
            buffers.push(attachment);
            gl.bind_renderbuffer(gl::RENDERBUFFER, renderbuffer);
            gl.renderbuffer_storage(gl::RENDERBUFFER, target.format(), width, height);
            gl.framebuffer_renderbuffer(gl::FRAMEBUFFER, attachment, gl::RENDERBUFFER, renderbuffer);
        }
        let count = i32::try_from(buffers.len()).unwrap_or(0);
        // SAFETY: `count` names follow.
        unsafe { (gl.draw_buffers)(count, buffers.as_ptr()) };
        let complete = gl.check_framebuffer(gl::FRAMEBUFFER) == gl::FRAMEBUFFER_COMPLETE;
        let mut found = TrialOutput::default();
        if complete {
            for (draw_buffer, target) in targets.iter().enumerate() {
                self.clear_to_zero(*target, draw_buffer);
            }
            gl.viewport(0, 0, width, height);
            found.captured = self.draw_vertices(trial, assembly, vertices, instances);
            for (draw_buffer, target) in trial.targets.iter().enumerate() {
                found.targets.push(self.read_words(*target, draw_buffer, trial.size));
            }
        }
        gl.bind_framebuffer(gl::FRAMEBUFFER, 0);
        delete(gl.delete_framebuffers, framebuffer);
        renderbuffers.into_iter().for_each(|renderbuffer| delete(gl.delete_renderbuffers, renderbuffer));
        if complete { Ok(found) } else { Err(DriverError::Gl { code: 0x0506, doing: "creating targets" }) }
    }

    fn draw_vertices(&self, trial: &Trial<'_>, assembly: Assembly, vertices: i32, instances: i32) -> Vec<u32> {
        let gl = &self.gl;
        let vertex_array = generate(gl.gen_vertex_arrays);
        gl.bind_vertex_array(vertex_array);
        let mut buffers = Vec::new();
        for (index, attribute) in (0..).zip(trial.attributes) {
            let mut words: Vec<u32> = attribute.values.iter().flatten().map(|value| value.to_bits()).collect();
            words.resize(usize::try_from(vertices).unwrap_or(0) * 4, 0);
            buffers.push(self.buffer(gl::ARRAY_BUFFER, &words));
            // SAFETY: with a buffer bound the pointer is an offset into it, zero.
            unsafe { (gl.vertex_attrib_pointer)(index, 4, gl::FLOAT, 0, 0, std::ptr::null()) };
            gl.enable_vertex_attrib_array(index);
        }
        if let Some([x, y, width, height]) = trial.scissor {
            gl.enable(gl::SCISSOR_TEST);
            gl.scissor(x.into(), y.into(), width.into(), height.into());
        }
        gl.disable(gl::DITHER);
        if self.api() != crate::Api::Es {
            gl.enable(gl::PROGRAM_POINT_SIZE);
        }
        let mode = match assembly {
            Assembly::Points => 0,
            Assembly::Lines => 1,
            Assembly::Triangles => 4,
            Assembly::Fan => gl::TRIANGLE_FAN,
            Assembly::LinesAdjacency => 10,
            Assembly::TrianglesAdjacency => 12,
            Assembly::Patches(size) => {
                gl.patch_parameter(gl::PATCH_VERTICES, size.into());
                14
            }
        };
        let capture = (trial.captured_words > 0).then(|| {
            let zeros = vec![0; trial.captured_words as usize];
            let buffer = self.buffer(gl::TRANSFORM_FEEDBACK_BUFFER, &zeros);
            gl.bind_buffer_base(gl::TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
            gl.enable(gl::RASTERIZER_DISCARD);
            gl.begin_transform_feedback(captured_mode(assembly));
            buffer
        });
        // SAFETY: every enabled array has a buffer with as many vertices as are drawn.
        unsafe { (gl.draw_arrays_instanced)(mode, 0, vertices, instances) };
        let captured = capture.map_or(Vec::new(), |buffer| {
            gl.end_transform_feedback();
            gl.disable(gl::RASTERIZER_DISCARD);
            let words = self.read_buffer(gl::TRANSFORM_FEEDBACK_BUFFER, buffer, trial.captured_words as usize);
            gl.bind_buffer_base(gl::TRANSFORM_FEEDBACK_BUFFER, 0, 0);
            delete(gl.delete_buffers, buffer);
            words
        });
        gl.disable(gl::SCISSOR_TEST);
        gl.bind_vertex_array(0);
        delete(gl.delete_vertex_arrays, vertex_array);
        buffers.into_iter().for_each(|buffer| delete(gl.delete_buffers, buffer));
        captured
    }

    fn clear_to_zero(&self, target: Target, draw_buffer: usize) {
        let index = i32::try_from(draw_buffer).unwrap_or(0);
        match target {
            Target::Rgba8 | Target::Rgba32F => {
                // SAFETY: four values follow.
                unsafe { (self.gl.clear_buffer_fv)(gl::COLOR, index, [0.0f32; 4].as_ptr()) };
            }
            Target::Rgba32I => {
                // SAFETY: four values follow.
                unsafe { (self.gl.clear_buffer_iv)(gl::COLOR, index, [0i32; 4].as_ptr()) };
            }
            Target::Rgba32Ui => {
                // SAFETY: four values follow.
                unsafe { (self.gl.clear_buffer_uiv)(gl::COLOR, index, [0u32; 4].as_ptr()) };
            }
        }
    }

    fn read_words(&self, target: Target, draw_buffer: usize, size: [u16; 2]) -> Vec<u32> {
        let (format, kind, bytes) = match target {
            Target::Rgba8 => (gl::RGBA, gl::UNSIGNED_BYTE, 1),
            Target::Rgba32F => (gl::RGBA, gl::FLOAT, 4),
            Target::Rgba32I => (gl::RGBA_INTEGER, gl::INT, 4),
            Target::Rgba32Ui => (gl::RGBA_INTEGER, gl::UNSIGNED_INT, 4),
        };
        let [width, height] = size.map(i32::from);
        let mut data = vec![0u8; usize::from(size[0]) * usize::from(size[1]) * 4 * bytes];
        self.gl.read_buffer(gl::COLOR_ATTACHMENT0 + u32::try_from(draw_buffer).unwrap_or(0));
        let to = data.as_mut_ptr().cast::<c_void>();
        // SAFETY: rows of four bytes or words need no padding, and `data` has room for width * height of them.
        unsafe { (self.gl.read_pixels)(0, 0, width, height, format, kind, to) };
        if bytes == 1 {
            return data.into_iter().map(u32::from).collect();
        }
        data.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect()
    }
}

/// Returns the primitive type that transform feedback captures without a geometry or tessellation shader.
fn captured_mode(assembly: Assembly) -> u32 {
    match assembly {
        Assembly::Points => 0,
        Assembly::Lines | Assembly::LinesAdjacency => 1,
        Assembly::Triangles | Assembly::Fan | Assembly::TrianglesAdjacency | Assembly::Patches(_) => 4,
    }
}
