//! GL functions that take memory, with slices in place of pointers.

use std::ffi::{CStr, c_void};

use super::*;

/// Numbers whose bytes GL may read.
pub trait Plain: Copy {}

impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for u32 {}
impl Plain for f32 {}

/// An attribute or uniform of a program.
pub struct Active {
    /// Its name; that of an array ends with `[0]`.
    pub name: String,
    /// Its type.
    pub kind: u32,
    /// The number of elements, 1 if it is not an array.
    pub count: i32,
}

impl Active {
    fn ask(ask: impl FnOnce(i32, *mut i32, *mut i32, *mut u32, *mut c_char)) -> Active {
        let mut name = [0u8; 512];
        let (mut length, mut count, mut kind) = (0, 0, 0);
        let (room, pointer) = (name.len() as i32, name.as_mut_ptr().cast());
        ask(room, &raw mut length, &raw mut count, &raw mut kind, pointer);
        let length = usize::try_from(length).unwrap_or(0).min(name.len());
        Active { name: String::from_utf8_lossy(&name[..length]).into_owned(), kind, count }
    }
}

/// A fence in the command stream. Fences are shared between contexts and any thread may wait for them.
pub struct Fence(*mut c_void);

// SAFETY: sync objects belong to the share group, not to a thread (GL 4.6, 4.1).
unsafe impl Send for Fence {}

impl Gl {
    /// Returns an integer parameter of the context with one value.
    pub fn integer(&self, what: u32) -> i32 {
        let mut value = 0;
        // SAFETY: the parameters queried here have one value; `value` is live.
        unsafe { self.GetIntegerv(what, &raw mut value) };
        value
    }

    /// Creates a texture.
    pub fn texture(&self) -> u32 {
        let mut name = 0;
        // SAFETY: there is room for the one name.
        unsafe { self.GenTextures(1, &raw mut name) };
        name
    }

    /// Calls an object by a text that debuggers show (`KHR_debug`).
    pub fn label(&self, kind: u32, name: u32, text: &CStr) {
        // SAFETY: with a negative length, the text ends with NUL.
        unsafe { self.ObjectLabel(kind, name, -1, text.as_ptr()) };
    }

    /// Begins a group of commands with a text that debuggers show; `PopDebugGroup` ends it.
    pub fn push_group(&self, text: &str) {
        // SAFETY: the text is as long as the length says.
        unsafe { self.PushDebugGroup(DEBUG_SOURCE_APPLICATION, 0, text.len() as i32, text.as_ptr().cast()) };
    }

    /// Gives the commands that follow a title that debuggers show.
    pub fn mark(&self, text: &str) {
        let (source, kind, severity) = (DEBUG_SOURCE_APPLICATION, DEBUG_TYPE_MARKER, DEBUG_SEVERITY_NOTIFICATION);
        // SAFETY: the text is as long as the length says.
        unsafe { self.DebugMessageInsert(source, kind, 0, severity, text.len() as i32, text.as_ptr().cast()) };
    }

    /// Creates a buffer.
    pub fn buffer(&self) -> u32 {
        let mut name = 0;
        // SAFETY: there is room for the one name.
        unsafe { self.GenBuffers(1, &raw mut name) };
        name
    }

    /// Creates a vertex array.
    pub fn vertex_array(&self) -> u32 {
        let mut name = 0;
        // SAFETY: there is room for the one name.
        unsafe { self.GenVertexArrays(1, &raw mut name) };
        name
    }

    /// Creates a framebuffer.
    pub fn framebuffer(&self) -> u32 {
        let mut name = 0;
        // SAFETY: there is room for the one name.
        unsafe { self.GenFramebuffers(1, &raw mut name) };
        name
    }

    /// Creates a renderbuffer.
    pub fn renderbuffer(&self) -> u32 {
        let mut name = 0;
        // SAFETY: there is room for the one name.
        unsafe { self.GenRenderbuffers(1, &raw mut name) };
        name
    }

    /// Sets the contents of the bound buffer.
    pub fn buffer_data<T: Plain>(&self, target: u32, data: &[T], usage: u32) {
        // SAFETY: pointer and size are of one slice.
        unsafe { self.BufferData(target, bytes(data), data.as_ptr().cast(), usage) };
    }

    /// Allocates the bound buffer with undefined contents.
    pub fn buffer_space(&self, target: u32, size: isize, usage: u32) {
        // SAFETY: a null pointer requests memory without contents.
        unsafe { self.BufferData(target, size, std::ptr::null(), usage) };
    }

    /// Specifies a level of the bound texture; without pixels its contents are undefined.
    pub fn tex_image<T: Plain>(
        &self,
        target: u32,
        level: i32,
        internal: u32,
        size: (i32, i32),
        layout: (u32, u32),
        pixels: Option<&[T]>,
    ) {
        let pointer = pixels.map_or(std::ptr::null(), |pixels| {
            assert!(pixels_fit(size, layout, pixels), "too few pixels for a texture of {size:?}");
            pixels.as_ptr().cast()
        });
        // SAFETY: there are as many pixels as size and layout require, as checked above, or none.
        unsafe {
            self.TexImage2D(target, level, internal.cast_signed(), size.0, size.1, 0, layout.0, layout.1, pointer)
        };
    }

    /// Allocates the first level of the bound array texture with this many layers and undefined contents.
    pub fn tex_layers(&self, internal: u32, size: (i32, i32), layers: i32, layout: (u32, u32)) {
        let (format, none) = (internal.cast_signed(), std::ptr::null());
        // SAFETY: a null pointer requests texels without contents.
        unsafe { self.TexImage3D(TEXTURE_2D_ARRAY, 0, format, size.0, size.1, layers, 0, layout.0, layout.1, none) };
    }

    /// Specifies the first level of a three-dimensional or array texture.
    pub fn tex_image_layers<T: Plain>(
        &self,
        target: u32,
        internal: u32,
        (width, height, layers): (i32, i32, i32),
        layout: (u32, u32),
        pixels: &[T],
    ) {
        assert!(pixels_fit((width, height * layers), layout, pixels), "too few pixels for {layers} layers");
        let (format, pointer) = (internal.cast_signed(), pixels.as_ptr().cast());
        // SAFETY: there are as many pixels as size and layout require, as checked above.
        unsafe { self.TexImage3D(target, 0, format, width, height, layers, 0, layout.0, layout.1, pointer) };
    }

    /// Replaces a rectangle of the bound texture.
    pub fn tex_sub_image<T: Plain>(
        &self,
        target: u32,
        level: i32,
        at: (i32, i32),
        size: (i32, i32),
        layout: (u32, u32),
        pixels: &[T],
    ) {
        assert!(pixels_fit(size, layout, pixels), "too few pixels for a rectangle of {size:?}");
        // SAFETY: there are as many pixels as size and layout require, as checked above.
        unsafe {
            self.TexSubImage2D(target, level, at.0, at.1, size.0, size.1, layout.0, layout.1, pixels.as_ptr().cast())
        };
    }

    /// Reads the lower left `width` times `height` pixels as RGBA.
    pub fn read_pixels(&self, width: i32, height: i32) -> Vec<u8> {
        let mut pixels = vec![0; width.unsigned_abs() as usize * height.unsigned_abs() as usize * 4];
        self.PixelStorei(PACK_ALIGNMENT, 1);
        // SAFETY: there is room for `width * height` pixels of four bytes.
        unsafe { self.ReadPixels(0, 0, width, height, RGBA, UNSIGNED_BYTE, pixels.as_mut_ptr().cast()) };
        pixels
    }

    /// Sets the layout of a vertex attribute in the bound buffer, and enables it.
    pub fn attribute(&self, index: u32, size: i32, kind: u32, stride: usize, offset: usize) {
        let normalized = u8::from(kind == UNSIGNED_BYTE);
        let stride = i32::try_from(stride).unwrap_or(i32::MAX);
        // SAFETY: with a buffer bound the pointer is an offset into it (GL 4.6, 10.3.9).
        unsafe {
            self.VertexAttribPointer(index, size, kind, normalized, stride, std::ptr::without_provenance(offset))
        };
        self.EnableVertexAttribArray(index);
    }

    /// Sets the address of a vertex attribute in client memory, and enables it.
    ///
    /// # Safety
    /// No buffer may be bound to `GL_ARRAY_BUFFER`; the memory must live, and be long enough, for every draw until the
    /// attribute is disabled.
    pub unsafe fn client_array(&self, index: u32, size: i32, stride: i32, data: &[f32]) {
        // SAFETY: the caller guarantees the memory.
        unsafe { self.VertexAttribPointer(index, size, FLOAT, 0, stride, data.as_ptr().cast()) };
        self.EnableVertexAttribArray(index);
    }

    /// Draws with indices from the bound element buffer.
    pub fn draw_indexed(&self, mode: u32, count: i32, kind: u32, offset: usize) {
        // SAFETY: the demos bind an element buffer first, so the pointer is an offset into it.
        unsafe { self.DrawElements(mode, count, kind, std::ptr::without_provenance(offset)) };
    }

    /// Draws several ranges: the first vertex and the count of each.
    pub fn multi_draw_arrays(&self, mode: u32, parts: &[(i32, i32)]) {
        let (firsts, counts): (Vec<i32>, Vec<i32>) = parts.iter().copied().unzip();
        let many = i32::try_from(parts.len()).unwrap_or(i32::MAX);
        // SAFETY: both lists have that length.
        unsafe { self.MultiDrawArrays(mode, firsts.as_ptr(), counts.as_ptr(), many) };
    }

    /// Draws several indexed ranges with parameters from the bound indirect buffer, from an offset on.
    pub fn multi_draw_indexed_indirect(&self, mode: u32, kind: u32, offset: usize, parts: i32) {
        // SAFETY: the demos bind both buffers first, so the pointer is an offset into one.
        unsafe { self.MultiDrawElementsIndirect(mode, kind, std::ptr::without_provenance(offset), parts, 0) };
    }

    /// Sets the tessellation levels for programs without a control shader.
    pub fn patch_levels(&self, outer: [f32; 4], inner: [f32; 2]) {
        // SAFETY: the outer levels are four numbers (GL 4.6, 11.2.2).
        unsafe { self.PatchParameterfv(PATCH_DEFAULT_OUTER_LEVEL, outer.as_ptr()) };
        // SAFETY: the inner levels are two.
        unsafe { self.PatchParameterfv(PATCH_DEFAULT_INNER_LEVEL, inner.as_ptr()) };
    }

    /// Selects the colour attachments that fragments go to.
    pub fn draw_buffers(&self, buffers: &[u32]) {
        // SAFETY: count and pointer are of one slice.
        unsafe { self.DrawBuffers(count(buffers), buffers.as_ptr()) };
    }

    /// Returns the location of a uniform, -1 if the program has none of that name.
    pub fn uniform(&self, program: u32, name: &CStr) -> i32 {
        // SAFETY: the name is NUL-terminated.
        unsafe { self.GetUniformLocation(program, name.as_ptr()) }
    }

    /// Returns the location of an attribute, -1 if the program has none of that name.
    pub fn attribute_location(&self, program: u32, name: &CStr) -> i32 {
        // SAFETY: the name is NUL-terminated.
        unsafe { self.GetAttribLocation(program, name.as_ptr()) }
    }

    /// Returns how many variables or blocks of a kind a program has.
    pub fn program_number(&self, program: u32, what: u32) -> u32 {
        let mut value = 0;
        // SAFETY: such a number is one integer.
        unsafe { self.GetProgramiv(program, what, &raw mut value) };
        u32::try_from(value).unwrap_or(0)
    }

    /// Returns an attribute that a program reads.
    pub fn active_attribute(&self, program: u32, index: u32) -> Active {
        Active::ask(|room, length, count, kind, name| {
            // SAFETY: there is room for as many characters as said, and for one length, size and type.
            unsafe { self.GetActiveAttrib(program, index, room, length, count, kind, name) };
        })
    }

    /// Returns a uniform that a program reads.
    pub fn active_uniform(&self, program: u32, index: u32) -> Active {
        Active::ask(|room, length, count, kind, name| {
            // SAFETY: there is room for as many characters as said, and for one length, size and type.
            unsafe { self.GetActiveUniform(program, index, room, length, count, kind, name) };
        })
    }

    /// Returns a parameter of a uniform, such as its offset in its block; -1 if it has none.
    pub fn uniform_fact(&self, program: u32, index: u32, what: u32) -> i32 {
        let mut value = -1;
        // SAFETY: one index is passed, and there is room for one value.
        unsafe { self.GetActiveUniformsiv(program, 1, &raw const index, what, &raw mut value) };
        value
    }

    /// Returns the size of a uniform block in bytes.
    pub fn block_size(&self, program: u32, block: u32) -> usize {
        let mut bytes = 0;
        // SAFETY: the size is one integer.
        unsafe { self.GetActiveUniformBlockiv(program, block, UNIFORM_BLOCK_DATA_SIZE, &raw mut bytes) };
        usize::try_from(bytes).unwrap_or(0)
    }

    /// Sets a matrix.
    pub fn uniform_matrix(&self, location: i32, matrix: &[f32; 16]) {
        // SAFETY: a matrix has sixteen numbers.
        unsafe { self.UniformMatrix4fv(location, 1, 0, matrix.as_ptr()) };
    }

    /// Sets an array of numbers.
    pub fn uniform_numbers(&self, location: i32, numbers: &[f32]) {
        // SAFETY: count and pointer are of one slice.
        unsafe { self.Uniform1fv(location, count(numbers), numbers.as_ptr()) };
    }

    /// Sets an array of vectors.
    pub fn uniform_vectors(&self, location: i32, vectors: &[[f32; 3]]) {
        // SAFETY: count and pointer are of one slice of three numbers each.
        unsafe { self.Uniform3fv(location, count(vectors), vectors.as_ptr().cast()) };
    }

    /// Sets a uniform of one to four floats, or an array of them.
    pub fn uniform_floats(&self, location: i32, components: usize, numbers: &[f32]) {
        let (count, values) = ((numbers.len() / components) as i32, numbers.as_ptr());
        match components {
            // SAFETY: there are `count` values of one number.
            1 => unsafe { self.Uniform1fv(location, count, values) },
            // SAFETY: there are `count` values of two numbers.
            2 => unsafe { self.Uniform2fv(location, count, values) },
            // SAFETY: there are `count` values of three numbers.
            3 => unsafe { self.Uniform3fv(location, count, values) },
            // SAFETY: there are `count` values of four numbers.
            4 => unsafe { self.Uniform4fv(location, count, values) },
            _ => panic!("there are no vectors of {components} components"),
        }
    }

    /// Sets a uniform of one to four integers, booleans or texture units, or an array of them.
    pub fn uniform_integers(&self, location: i32, components: usize, numbers: &[u32]) {
        let (count, values) = ((numbers.len() / components) as i32, numbers.as_ptr().cast::<i32>());
        match components {
            // SAFETY: there are `count` values of one number.
            1 => unsafe { self.Uniform1iv(location, count, values) },
            // SAFETY: there are `count` values of two numbers.
            2 => unsafe { self.Uniform2iv(location, count, values) },
            // SAFETY: there are `count` values of three numbers.
            3 => unsafe { self.Uniform3iv(location, count, values) },
            // SAFETY: there are `count` values of four numbers.
            4 => unsafe { self.Uniform4iv(location, count, values) },
            _ => panic!("there are no vectors of {components} components"),
        }
    }

    /// Sets a uniform of one to four unsigned integers, or an array of them.
    pub fn uniform_unsigned(&self, location: i32, components: usize, numbers: &[u32]) {
        let (count, values) = ((numbers.len() / components) as i32, numbers.as_ptr());
        match components {
            // SAFETY: there are `count` values of one number.
            1 => unsafe { self.Uniform1uiv(location, count, values) },
            // SAFETY: there are `count` values of two numbers.
            2 => unsafe { self.Uniform2uiv(location, count, values) },
            // SAFETY: there are `count` values of three numbers.
            3 => unsafe { self.Uniform3uiv(location, count, values) },
            // SAFETY: there are `count` values of four numbers.
            4 => unsafe { self.Uniform4uiv(location, count, values) },
            _ => panic!("there are no vectors of {components} components"),
        }
    }

    /// Sets a square matrix, or an array of them, column by column.
    pub fn uniform_matrices(&self, location: i32, side: usize, numbers: &[f32]) {
        let (count, values) = ((numbers.len() / (side * side)) as i32, numbers.as_ptr());
        match side {
            // SAFETY: there are `count` matrices of four numbers.
            2 => unsafe { self.UniformMatrix2fv(location, count, 0, values) },
            // SAFETY: there are `count` matrices of nine numbers.
            3 => unsafe { self.UniformMatrix3fv(location, count, 0, values) },
            // SAFETY: there are `count` matrices of sixteen numbers.
            4 => unsafe { self.UniformMatrix4fv(location, count, 0, values) },
            _ => panic!("there are no square matrices of {side} columns"),
        }
    }

    /// Inserts a fence after all commands so far.
    pub fn fence(&self) -> Fence {
        // SAFETY: GL_SYNC_GPU_COMMANDS_COMPLETE and no flags are the only valid values.
        Fence(unsafe { self.FenceSync(SYNC_GPU_COMMANDS_COMPLETE, 0) })
    }

    #[allow(clippy::needless_pass_by_value, reason = "the fence is deleted here")]
    /// Waits until a fence is reached, then deletes it; returns false when that takes over ten seconds.
    pub fn await_fence(&self, fence: Fence) -> bool {
        // SAFETY: the sync object exists until it is deleted below.
        let outcome = unsafe { self.ClientWaitSync(fence.0, SYNC_FLUSH_COMMANDS_BIT, 10_000_000_000) };
        // SAFETY: `fence` is consumed, so the object is deleted once.
        unsafe { self.DeleteSync(fence.0) };
        outcome == ALREADY_SIGNALED || outcome == CONDITION_SATISFIED
    }

    #[allow(clippy::needless_pass_by_value, reason = "the fence is deleted here")]
    /// Makes the server wait until a fence is reached, then deletes it.
    pub fn server_await(&self, fence: Fence) {
        // SAFETY: the sync object exists until it is deleted below; GL_TIMEOUT_IGNORED is the only valid timeout.
        unsafe { self.WaitSync(fence.0, 0, TIMEOUT_IGNORED) };
        // SAFETY: `fence` is consumed, so the object is deleted once.
        unsafe { self.DeleteSync(fence.0) };
    }
}

fn count<T>(slice: &[T]) -> i32 {
    i32::try_from(slice.len()).unwrap_or(i32::MAX)
}

fn bytes<T>(slice: &[T]) -> isize {
    isize::try_from(size_of_val(slice)).unwrap_or(isize::MAX)
}

/// Returns whether there are at least as many bytes as the rows, each with its padding, take.
fn pixels_fit<T: Plain>(size: (i32, i32), layout: (u32, u32), pixels: &[T]) -> bool {
    let components = match layout.0 {
        RGBA | RGBA_INTEGER => 4,
        RGB => 3,
        RG => 2,
        LUMINANCE | RED | DEPTH_COMPONENT => 1,
        _ => return false,
    };
    let each = match layout.1 {
        BYTE | UNSIGNED_BYTE => 1,
        UNSIGNED_SHORT => 2,
        FLOAT => 4,
        _ => return false,
    };
    let row = (size.0.unsigned_abs() as usize * components * each).next_multiple_of(4);
    size_of_val(pixels) >= row * size.1.unsigned_abs() as usize
}
