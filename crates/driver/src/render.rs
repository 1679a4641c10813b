//! Renders a program into float or integer targets, with all inputs and uniforms chosen by the caller.

use std::ffi::c_void;

use shader::version::Stage;

use crate::context::c_string;
use crate::gl::{self, Gl};
use crate::image::{self, Image};
use crate::quad::{CORNERS, delete, generate};
use crate::{Context, DriverError, Includes, LinkOptions};

/// The type of the words of a target or uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channel {
    /// `f32`.
    Float,
    /// `i32`; booleans too.
    Int,
    /// `u32`.
    Uint,
}

/// A fragment shader's output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name, with an index if it is an array: `gl_FragColor`, `gl_FragData[2]`, `colour[1]`.
    pub name: String,
    /// The type of its target.
    pub channel: Channel,
}

/// Columns and rows of a uniform; one column if it is not a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Columns.
    pub columns: u8,
    /// Rows: the components of a vector.
    pub rows: u8,
}

/// A value for a uniform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uniform {
    /// Its name as in GL, with indices and members down to a scalar, vector or matrix.
    pub name: String,
    /// The type of its words.
    pub channel: Channel,
    /// Its shape.
    pub shape: Shape,
    /// Its words, column by column; for 64-bit scalars and vectors two for each component, the low half first.
    pub words: Vec<u32>,
}

/// A part of the image, drawn with its own uniforms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tile {
    /// Left edge, lower edge, width and height.
    pub rectangle: [u16; 4],
    /// Uniforms to change; others keep their value from the previous tile.
    pub uniforms: Vec<Uniform>,
}

/// An image to render.
#[derive(Clone, Copy, Debug)]
pub struct Render<'a> {
    /// The program.
    pub shaders: &'a [(Stage, &'a [&'a str])],
    /// The vertex attribute of four components that gets the corners of clip space.
    pub corner: &'a str,
    /// Width and height.
    pub size: [u16; 2],
    /// The outputs to read back.
    pub outputs: &'a [Output],
    /// The textures of samplers.
    pub images: &'a [Image],
    /// The tiles, in order.
    pub tiles: &'a [Tile],
}

/// The initial contents of targets.
pub const CLEAR: [f32; 4] = [0.25, 0.5, 0.75, 1.0];

impl Context {
    /// Draws one quad over the whole of clip space for each tile and reads the outputs back: for each, four words per
    /// pixel, rows from the bottom up; `None` for an output that is not active. Pixels that nothing was written to hold
    /// [`Render::clear_words`].
    ///
    /// # Errors
    /// When the program does not link, or GL reports an error while drawing.
    pub fn render(&self, render: &Render<'_>) -> Result<Vec<Option<Vec<u32>>>, DriverError> {
        self.enter()?;
        self.drain_errors();
        let (program, linked) = self.build(render.shaders, LinkOptions::default(), &Includes::default())?;
        if !linked.ok {
            self.gl.delete_program(program);
            let logs = linked.compiled.into_iter().map(|c| c.log).chain([linked.log]);
            return Err(DriverError::NotLinked { log: logs.filter(|log| !log.is_empty()).collect() });
        }
        self.gl.use_program(program);
        let pictures = self.render_linked(program, render);
        self.gl.use_program(0);
        self.gl.delete_program(program);
        pictures
    }

    fn render_linked(&self, program: u32, render: &Render<'_>) -> Result<Vec<Option<Vec<u32>>>, DriverError> {
        let gl = &self.gl;
        let most = usize::try_from(gl.integer(gl::MAX_DRAW_BUFFERS)).unwrap_or(1);
        let mut places: Vec<Option<usize>> = Vec::with_capacity(render.outputs.len());
        for output in render.outputs {
            places.push(self.draw_buffer(program, &output.name).filter(|draw_buffer| *draw_buffer < most));
        }
        let framebuffer = generate(gl.gen_framebuffers);
        gl.bind_framebuffer(gl::FRAMEBUFFER, framebuffer);
        let [width, height] = render.size.map(i32::from);
        let mut renderbuffers = Vec::new();
        let mut buffers = vec![0; places.iter().flatten().max().map_or(0, |last| last + 1)];
        for (output, draw_buffer) in render.outputs.iter().zip(&places) {
            let Some(draw_buffer) = *draw_buffer else { continue };
            let renderbuffer = generate(gl.gen_renderbuffers);
            renderbuffers.push(renderbuffer);
            gl.bind_renderbuffer(gl::RENDERBUFFER, renderbuffer);
            let format = match output.channel {
                Channel::Float => gl::RGBA32F,
                Channel::Int => gl::RGBA32I,
                Channel::Uint => gl::RGBA32UI,
            };
            gl.renderbuffer_storage(gl::RENDERBUFFER, format, width, height);
            buffers[draw_buffer] = attachment(draw_buffer);
            gl.framebuffer_renderbuffer(gl::FRAMEBUFFER, attachment(draw_buffer), gl::RENDERBUFFER, renderbuffer);
        }
        let count = i32::try_from(buffers.len()).unwrap_or(0);
        // SAFETY: `count` names follow.
        unsafe { (gl.draw_buffers)(count, buffers.as_ptr()) };
        let complete = gl.check_framebuffer(gl::FRAMEBUFFER) == gl::FRAMEBUFFER_COMPLETE;
        let mut pictures = Vec::new();
        if complete {
            for (output, draw_buffer) in render.outputs.iter().zip(&places) {
                if let Some(draw_buffer) = *draw_buffer {
                    self.clear_target(output.channel, draw_buffer);
                }
            }
            gl.viewport(0, 0, width, height);
            let bind = |(unit, image)| image::bind(gl, program, unit, image);
            let textures: Vec<u32> = (0..).zip(render.images).filter_map(bind).collect();
            self.draw_tiles(program, render);
            image::unbind(gl, &textures);
            for (output, draw_buffer) in render.outputs.iter().zip(&places) {
                pictures
                    .push(draw_buffer.map(|draw_buffer| self.read_target(output.channel, draw_buffer, render.size)));
            }
        }
        let code = gl.get_error();
        gl.bind_framebuffer(gl::FRAMEBUFFER, 0);
        delete(gl.delete_framebuffers, framebuffer);
        renderbuffers.into_iter().for_each(|renderbuffer| delete(gl.delete_renderbuffers, renderbuffer));
        if code != 0 || !complete {
            return Err(DriverError::Gl { code, doing: "rendering into float targets" });
        }
        Ok(pictures)
    }

    /// Returns the index of the draw buffer that an output goes to.
    pub(crate) fn draw_buffer(&self, program: u32, name: &str) -> Option<usize> {
        if name == "gl_FragColor" {
            return Some(0);
        }
        if let Some(index) = name.strip_prefix("gl_FragData[") {
            return index.trim_end_matches(']').parse().ok();
        }
        let terminated = c_string(name);
        // SAFETY: the name is NUL-terminated and outlives the call.
        let location = unsafe { (self.gl.get_frag_data_location)(program, terminated.as_ptr()) };
        usize::try_from(location).ok()
    }

    fn clear_target(&self, channel: Channel, draw_buffer: usize) {
        let index = i32::try_from(draw_buffer).unwrap_or(0);
        let words = clear_words(channel);
        match channel {
            Channel::Float => {
                // SAFETY: four values follow.
                unsafe { (self.gl.clear_buffer_fv)(gl::COLOR, index, CLEAR.as_ptr()) };
            }
            Channel::Int => {
                let values = words.map(u32::cast_signed);
                // SAFETY: four values follow.
                unsafe { (self.gl.clear_buffer_iv)(gl::COLOR, index, values.as_ptr()) };
            }
            Channel::Uint => {
                // SAFETY: four values follow.
                unsafe { (self.gl.clear_buffer_uiv)(gl::COLOR, index, words.as_ptr()) };
            }
        }
    }

    fn draw_tiles(&self, program: u32, render: &Render<'_>) {
        let gl = &self.gl;
        let buffer = generate(gl.gen_buffers);
        let vertex_array = generate(gl.gen_vertex_arrays);
        gl.bind_vertex_array(vertex_array);
        gl.bind_buffer(gl::ARRAY_BUFFER, buffer);
        let size = size_of_val(&CORNERS).cast_signed();
        // SAFETY: `CORNERS` is `size` bytes long.
        unsafe { (gl.buffer_data)(gl::ARRAY_BUFFER, size, CORNERS.as_ptr().cast(), gl::STATIC_DRAW) };
        let name = c_string(render.corner);
        // SAFETY: the name is NUL-terminated and outlives the call.
        let location = unsafe { (gl.get_attrib_location)(program, name.as_ptr()) };
        if let Ok(index) = u32::try_from(location) {
            // SAFETY: with a buffer bound the pointer is an offset into it, zero.
            unsafe { (gl.vertex_attrib_pointer)(index, 4, gl::FLOAT, 0, 0, std::ptr::null()) };
            gl.enable_vertex_attrib_array(index);
        }
        gl.enable(gl::SCISSOR_TEST);
        for tile in render.tiles {
            let [x, y, width, height] = tile.rectangle.map(i32::from);
            gl.scissor(x, y, width, height);
            for uniform in &tile.uniforms {
                self.set(program, uniform);
            }
            // SAFETY: the only enabled array reads four vertices from the buffer, which has four.
            unsafe { (gl.draw_arrays)(gl::TRIANGLE_FAN, 0, 4) };
        }
        gl.disable(gl::SCISSOR_TEST);
        gl.bind_vertex_array(0);
        delete(gl.delete_vertex_arrays, vertex_array);
        delete(gl.delete_buffers, buffer);
    }

    pub(crate) fn set(&self, program: u32, uniform: &Uniform) {
        let Uniform { name, channel, shape, words } = uniform;
        let components = usize::from(shape.columns) * usize::from(shape.rows);
        let wide = words.len() == components * 2;
        if words.len() != components && !(wide && shape.columns == 1) {
            return;
        }
        let terminated = c_string(name);
        // SAFETY: the name is NUL-terminated and outlives the call.
        let location = unsafe { (self.gl.get_uniform_location)(program, terminated.as_ptr()) };
        if location >= 0 && wide {
            set_wide(&self.gl, location, *channel, words);
        } else if location >= 0 {
            set_words(&self.gl, location, *channel, *shape, words);
        }
    }

    fn read_target(&self, channel: Channel, draw_buffer: usize, size: [u16; 2]) -> Vec<u32> {
        let (format, kind) = match channel {
            Channel::Float => (gl::RGBA, gl::FLOAT),
            Channel::Int => (gl::RGBA_INTEGER, gl::INT),
            Channel::Uint => (gl::RGBA_INTEGER, gl::UNSIGNED_INT),
        };
        let mut words = vec![0u32; usize::from(size[0]) * usize::from(size[1]) * 4];
        let [width, height] = size.map(i32::from);
        self.gl.read_buffer(attachment(draw_buffer));
        let data = words.as_mut_ptr().cast::<c_void>();
        // SAFETY: rows of four-byte words need no padding, and `words` has width * height * 4 of them.
        unsafe { (self.gl.read_pixels)(0, 0, width, height, format, kind, data) };
        words
    }
}

impl Render<'_> {
    /// Returns the words of a pixel that nothing was written to.
    #[must_use]
    pub fn clear_words(channel: Channel) -> [u32; 4] {
        clear_words(channel)
    }
}

fn clear_words(channel: Channel) -> [u32; 4] {
    match channel {
        Channel::Float => CLEAR.map(f32::to_bits),
        Channel::Int | Channel::Uint => [77, 78, 79, 80],
    }
}

fn attachment(draw_buffer: usize) -> u32 {
    gl::COLOR_ATTACHMENT0 + u32::try_from(draw_buffer).unwrap_or(0)
}

/// Sets a 64-bit scalar or vector from two words for each component, the low half first.
fn set_wide(gl: &Gl, location: i32, channel: Channel, words: &[u32]) {
    let values: Vec<u64> =
        words.as_chunks::<2>().0.iter().map(|[low, high]| u64::from(*low) | u64::from(*high) << 32).collect();
    let calls = match channel {
        Channel::Float => &gl.uniform_doubles,
        Channel::Int => &gl.uniform_longs,
        Channel::Uint => &gl.uniform_unsigned_longs,
    };
    if let Some(Some(call)) = calls.get(values.len().wrapping_sub(1)) {
        // SAFETY: the call was chosen by the number of components, and each has eight bytes.
        unsafe { call(location, 1, values.as_ptr()) };
    }
}

/// Sets a uniform from as many words as its shape has components.
fn set_words(gl: &Gl, location: i32, channel: Channel, shape: Shape, words: &[u32]) {
    if shape.columns > 1 {
        let floats: Vec<f32> = words.iter().map(|word| f32::from_bits(*word)).collect();
        let call = match (shape.columns, shape.rows) {
            (2, 2) => gl.uniform_matrix_2,
            (3, 3) => gl.uniform_matrix_3,
            (4, 4) => gl.uniform_matrix_4,
            (2, 3) => gl.uniform_matrix_2x3,
            (2, 4) => gl.uniform_matrix_2x4,
            (3, 2) => gl.uniform_matrix_3x2,
            (3, 4) => gl.uniform_matrix_3x4,
            (4, 2) => gl.uniform_matrix_4x2,
            (4, 3) => gl.uniform_matrix_4x3,
            _ => return,
        };
        // SAFETY: the caller passes columns * rows words, which is what the call for this shape reads.
        unsafe { call(location, 1, 0, floats.as_ptr()) };
        return;
    }
    match channel {
        Channel::Float => {
            let calls = [gl.uniform_fv_1, gl.uniform_fv_2, gl.uniform_fv_3, gl.uniform_fv_4];
            let floats: Vec<f32> = words.iter().map(|word| f32::from_bits(*word)).collect();
            let Some(call) = calls.get(words.len().wrapping_sub(1)) else { return };
            // SAFETY: the call was chosen by the number of words.
            unsafe { call(location, 1, floats.as_ptr()) };
        }
        Channel::Int => {
            let calls = [gl.uniform_iv_1, gl.uniform_iv_2, gl.uniform_iv_3, gl.uniform_iv_4];
            let integers: Vec<i32> = words.iter().map(|word| word.cast_signed()).collect();
            let Some(call) = calls.get(words.len().wrapping_sub(1)) else { return };
            // SAFETY: the call was chosen by the number of words.
            unsafe { call(location, 1, integers.as_ptr()) };
        }
        Channel::Uint => {
            let calls = [gl.uniform_uiv_1, gl.uniform_uiv_2, gl.uniform_uiv_3, gl.uniform_uiv_4];
            let Some(call) = calls.get(words.len().wrapping_sub(1)) else { return };
            // SAFETY: the call was chosen by the number of words.
            unsafe { call(location, 1, words.as_ptr()) };
        }
    }
}
