//! Draws a full-screen quad with a program and reads the image back.

use std::ffi::c_void;

use shader::version::Stage;

use crate::context::c_string;
use crate::gl::{self, Gl};
use crate::{Context, DriverError, Includes, LinkOptions};

/// An image: four bytes per pixel, rows from the bottom up as in GL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pixels {
    /// Pixels per row.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// Red, green, blue, alpha of each pixel.
    pub rgba: Vec<u8>,
}

/// Corners of the clip space as a triangle fan.
pub(crate) const CORNERS: [[f32; 4]; 4] =
    [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];

impl Context {
    /// Links the shaders, draws one quad that covers the clip space, and reads the image back.
    ///
    /// Every vertex attribute, `gl_Vertex` included, reads the quad's corners. Every uniform of the default block gets
    /// values derived from its name, so that equivalent programs draw equal images and programs that use a uniform
    /// differently seldom do. Samplers keep unit 0, where nothing is bound.
    ///
    /// # Errors
    /// When the program does not link, or GL reports an error while drawing.
    pub fn draw_quad(&self, shaders: &[(Stage, &[&str])], width: u16, height: u16) -> Result<Pixels, DriverError> {
        self.enter()?;
        self.drain_errors();
        let (program, linked) = self.build(shaders, LinkOptions::default(), &Includes::default())?;
        if !linked.ok {
            self.gl.delete_program(program);
            let logs = linked.compiled.into_iter().map(|c| c.log).chain([linked.log]);
            return Err(DriverError::NotLinked { log: logs.filter(|log| !log.is_empty()).collect() });
        }
        self.gl.use_program(program);
        self.set_uniforms(program);
        self.drain_errors();
        let pixels = self.draw(width, height);
        self.gl.use_program(0);
        self.gl.delete_program(program);
        pixels
    }

    fn draw(&self, width: u16, height: u16) -> Result<Pixels, DriverError> {
        let gl = &self.gl;
        let framebuffer = generate(gl.gen_framebuffers);
        let renderbuffer = generate(gl.gen_renderbuffers);
        let buffer = generate(gl.gen_buffers);
        let vertex_array = generate(gl.gen_vertex_arrays);
        let (w, h) = (i32::from(width), i32::from(height));

        gl.bind_renderbuffer(gl::RENDERBUFFER, renderbuffer);
        gl.renderbuffer_storage(gl::RENDERBUFFER, gl::RGBA8, w, h);
        gl.bind_framebuffer(gl::FRAMEBUFFER, framebuffer);
        gl.framebuffer_renderbuffer(gl::FRAMEBUFFER, gl::COLOR_ATTACHMENT0, gl::RENDERBUFFER, renderbuffer);
        let complete = gl.check_framebuffer(gl::FRAMEBUFFER) == gl::FRAMEBUFFER_COMPLETE;
        let mut rgba = vec![0u8; usize::from(width) * usize::from(height) * 4];
        if complete {
            gl.viewport(0, 0, w, h);
            gl.clear_color(0.0, 0.0, 0.0, 0.0);
            gl.clear(gl::COLOR_BUFFER_BIT);
            self.corners(buffer, vertex_array);
            // SAFETY: each enabled array reads four vertices from the buffer that `corners` filled with four.
            unsafe { (gl.draw_arrays)(gl::TRIANGLE_FAN, 0, 4) };
            let data = rgba.as_mut_ptr().cast::<c_void>();
            // SAFETY: with RGBA bytes rows need no padding, and `rgba` has width * height * 4 of them.
            unsafe { (gl.read_pixels)(0, 0, w, h, gl::RGBA, gl::UNSIGNED_BYTE, data) };
        }
        let code = gl.get_error();

        gl.bind_vertex_array(0);
        gl.bind_framebuffer(gl::FRAMEBUFFER, 0);
        delete(gl.delete_vertex_arrays, vertex_array);
        delete(gl.delete_buffers, buffer);
        delete(gl.delete_framebuffers, framebuffer);
        delete(gl.delete_renderbuffers, renderbuffer);
        if code != 0 || !complete {
            return Err(DriverError::Gl { code, doing: "drawing a quad" });
        }
        Ok(Pixels { width, height, rgba })
    }

    /// Puts the corners into `buffer` and makes every attribute of `vertex_array` read them.
    fn corners(&self, buffer: u32, vertex_array: u32) {
        let gl = &self.gl;
        gl.bind_vertex_array(vertex_array);
        gl.bind_buffer(gl::ARRAY_BUFFER, buffer);
        let size = size_of_val(&CORNERS).cast_signed();
        // SAFETY: `CORNERS` is `size` bytes long.
        unsafe { (gl.buffer_data)(gl::ARRAY_BUFFER, size, CORNERS.as_ptr().cast(), gl::STATIC_DRAW) };
        let attributes = u32::try_from(gl.integer(gl::MAX_VERTEX_ATTRIBS)).unwrap_or(0).min(32);
        for index in 0..attributes {
            // SAFETY: with a buffer bound the pointer is an offset into it, zero.
            unsafe { (gl.vertex_attrib_pointer)(index, 4, gl::FLOAT, 0, 0, std::ptr::null()) };
            gl.enable_vertex_attrib_array(index);
        }
    }

    /// Sets each uniform of the default block to values derived from its name.
    fn set_uniforms(&self, program: u32) {
        let count = u32::try_from(self.program_integer(program, gl::ACTIVE_UNIFORMS)).unwrap_or(0);
        for index in 0..count {
            let mut name = [0u8; 256];
            let (mut length, mut elements, mut kind) = (0, 0, 0);
            let text = name.as_mut_ptr().cast();
            // SAFETY: `name` has room for 256 bytes; the other pointers are to live integers.
            unsafe {
                (self.gl.get_active_uniform)(
                    program,
                    index,
                    256,
                    &raw mut length,
                    &raw mut elements,
                    &raw mut kind,
                    text,
                );
            };
            let length = usize::try_from(length).unwrap_or(0).min(name.len());
            let name = String::from_utf8_lossy(&name[..length]).into_owned();
            let terminated = c_string(&name);
            // SAFETY: the name is NUL-terminated and outlives the call.
            let location = unsafe { (self.gl.get_uniform_location)(program, terminated.as_ptr()) };
            if location >= 0 {
                set_uniform(&self.gl, location, kind, elements.clamp(1, 256), &name);
            }
        }
    }
}

/// Sets one uniform, if its type is one of those below.
fn set_uniform(gl: &Gl, location: i32, kind: u32, elements: i32, name: &str) {
    let (set, components): (Setter, usize) = match kind {
        0x1406 => (Setter::Float(gl.uniform_fv_1), 1),
        0x8B50 => (Setter::Float(gl.uniform_fv_2), 2),
        0x8B51 => (Setter::Float(gl.uniform_fv_3), 3),
        0x8B52 => (Setter::Float(gl.uniform_fv_4), 4),
        // Signed integers and booleans.
        0x1404 | 0x8B56 => (Setter::Integer(gl.uniform_iv_1), 1),
        0x8B53 | 0x8B57 => (Setter::Integer(gl.uniform_iv_2), 2),
        0x8B54 | 0x8B58 => (Setter::Integer(gl.uniform_iv_3), 3),
        0x8B55 | 0x8B59 => (Setter::Integer(gl.uniform_iv_4), 4),
        0x8B5A => (Setter::Matrix(gl.uniform_matrix_2), 4),
        0x8B5B => (Setter::Matrix(gl.uniform_matrix_3), 9),
        0x8B5C => (Setter::Matrix(gl.uniform_matrix_4), 16),
        _ => return,
    };
    // `clamp` above keeps this small; longer arrays keep zeros at their end.
    let total = components * usize::try_from(elements).unwrap_or(1);
    let values = values(name, total);
    match set {
        Setter::Float(call) => {
            // SAFETY: `values` has `elements` times the type's components.
            unsafe { call(location, elements, values.as_ptr()) };
        }
        Setter::Matrix(call) => {
            // SAFETY: `values` has `elements` times the type's components.
            unsafe { call(location, elements, 0, values.as_ptr()) };
        }
        Setter::Integer(call) => {
            #[allow(clippy::cast_possible_truncation, reason = "values lie between zero and four")]
            let integers: Vec<i32> = values.iter().map(|v| (v * 4.0) as i32).collect();
            // SAFETY: `integers` has `elements` times the type's components.
            unsafe { call(location, elements, integers.as_ptr()) };
        }
    }
}

enum Setter {
    Float(unsafe extern "C" fn(i32, i32, *const f32)),
    Integer(unsafe extern "C" fn(i32, i32, *const i32)),
    Matrix(unsafe extern "C" fn(i32, i32, u8, *const f32)),
}

/// Returns numbers between zero and one that depend only on the name (FNV-1a, then a multiplicative step for each).
fn values(name: &str, count: usize) -> Vec<f32> {
    let mut state = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(0x9e37_79b1).wrapping_add(0x7f4a_7c15);
            f32::from((state >> 16) as u16) / 65536.0
        })
        .collect()
}

pub(crate) fn generate(call: unsafe extern "C" fn(i32, *mut u32)) -> u32 {
    let mut name = 0;
    // SAFETY: one name is requested and there is room for one.
    unsafe { call(1, &raw mut name) };
    name
}

pub(crate) fn delete(call: unsafe extern "C" fn(i32, *const u32), name: u32) {
    // SAFETY: one name is passed.
    unsafe { call(1, &raw const name) };
}
