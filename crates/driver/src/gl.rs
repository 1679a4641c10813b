//! The GL entry points that this crate calls, as a table filled when a context is created.

use std::ffi::{CStr, c_char, c_void};

use crate::DriverError;
use crate::egl::Egl;

pub(crate) const VERSION: u32 = 0x1F02;
pub(crate) const RENDERER: u32 = 0x1F01;
pub(crate) const SHADING_LANGUAGE_VERSION: u32 = 0x8B8C;
pub(crate) const EXTENSIONS: u32 = 0x1F03;
pub(crate) const NUM_EXTENSIONS: u32 = 0x821D;
pub(crate) const COMPILE_STATUS: u32 = 0x8B81;
pub(crate) const LINK_STATUS: u32 = 0x8B82;
pub(crate) const INFO_LOG_LENGTH: u32 = 0x8B84;
pub(crate) const PROGRAM_SEPARABLE: u32 = 0x8258;
pub(crate) const ACTIVE_UNIFORMS: u32 = 0x8B86;
pub(crate) const FRAMEBUFFER: u32 = 0x8D40;
pub(crate) const FRAMEBUFFER_COMPLETE: u32 = 0x8CD5;
pub(crate) const RENDERBUFFER: u32 = 0x8D41;
pub(crate) const RGBA8: u32 = 0x8058;
pub(crate) const COLOR_ATTACHMENT0: u32 = 0x8CE0;
pub(crate) const ARRAY_BUFFER: u32 = 0x8892;
pub(crate) const STATIC_DRAW: u32 = 0x88E4;
pub(crate) const FLOAT: u32 = 0x1406;
pub(crate) const TRIANGLE_FAN: u32 = 0x0006;
pub(crate) const COLOR_BUFFER_BIT: u32 = 0x4000;
pub(crate) const RGBA: u32 = 0x1908;
pub(crate) const UNSIGNED_BYTE: u32 = 0x1401;
pub(crate) const MAX_VERTEX_ATTRIBS: u32 = 0x8869;
pub(crate) const SHADER_INCLUDE: u32 = 0x8DAE;
pub(crate) const RGBA32F: u32 = 0x8814;
pub(crate) const RGBA32I: u32 = 0x8D82;
pub(crate) const RGBA32UI: u32 = 0x8D70;
pub(crate) const RGBA_INTEGER: u32 = 0x8D99;
pub(crate) const INT: u32 = 0x1404;
pub(crate) const UNSIGNED_INT: u32 = 0x1405;
pub(crate) const COLOR: u32 = 0x1800;
pub(crate) const DEPTH_COMPONENT: u32 = 0x1902;
pub(crate) const DEPTH_COMPONENT32F: u32 = 0x8CAC;
pub(crate) const TEXTURE0: u32 = 0x84C0;
pub(crate) const TEXTURE_CUBE_MAP_POSITIVE_X: u32 = 0x8515;
pub(crate) const TEXTURE_MAG_FILTER: u32 = 0x2800;
pub(crate) const TEXTURE_MIN_FILTER: u32 = 0x2801;
pub(crate) const TEXTURE_MAX_LEVEL: u32 = 0x813D;
pub(crate) const TEXTURE_WRAP_S: u32 = 0x2802;
pub(crate) const TEXTURE_WRAP_T: u32 = 0x2803;
pub(crate) const TEXTURE_COMPARE_MODE: u32 = 0x884C;
pub(crate) const COMPARE_REF_TO_TEXTURE: i32 = 0x884E;
pub(crate) const NEAREST: i32 = 0x2600;
pub(crate) const LINEAR: i32 = 0x2601;
pub(crate) const CLAMP_TO_EDGE: i32 = 0x812F;
pub(crate) const SCISSOR_TEST: u32 = 0x0C11;
pub(crate) const MAX_DRAW_BUFFERS: u32 = 0x8824;
pub(crate) const SHADER_STORAGE_BUFFER: u32 = 0x90D2;
pub(crate) const SHADER_STORAGE_BLOCK: u32 = 0x92E6;
pub(crate) const TRANSFORM_FEEDBACK_BUFFER: u32 = 0x8C8E;
pub(crate) const INTERLEAVED_ATTRIBS: u32 = 0x8C8C;
pub(crate) const RASTERIZER_DISCARD: u32 = 0x8C89;
pub(crate) const MAP_READ_BIT: u32 = 1;
pub(crate) const ALL_BARRIER_BITS: u32 = 0xFFFF_FFFF;
pub(crate) const ACTIVE_RESOURCES: u32 = 0x92F5;
pub(crate) const BUFFER_BINDING: u32 = 0x9302;
pub(crate) const INVALID_INDEX: u32 = 0xFFFF_FFFF;
pub(crate) const PATCH_VERTICES: u32 = 0x8E72;
pub(crate) const PROGRAM_FORMAT_ASCII: u32 = 0x8875;
pub(crate) const PROGRAM_ERROR_STRING: u32 = 0x8874;
pub(crate) const DITHER: u32 = 0x0BD0;
pub(crate) const PROGRAM_POINT_SIZE: u32 = 0x8642;

/// Functions whose arguments are values only. With the table's context current they cannot access our memory, so their
/// wrappers are safe to call from this crate; drawing is the exception and is listed with the pointer functions.
macro_rules! functions {
    (
        values { $( $name:ident = $symbol:literal ( $($arg:ident : $type:ty),* ) $(-> $ret:ty)? ; )* }
        pointers { $( $pname:ident = $psymbol:literal ( $($parg:ident : $ptype:ty),* ) $(-> $pret:ty)? ; )* }
    ) => {
        /// The functions of one context. Its owner makes that context current before each call.
        pub(crate) struct Gl {
            $( $name: unsafe extern "C" fn($($type),*) $(-> $ret)?, )*
            $( pub(crate) $pname: unsafe extern "C" fn($($ptype),*) $(-> $pret)?, )*
            /// `glNamedStringARB` of `ARB_shading_language_include`, if supported.
            pub(crate) named_string: Option<NamedString>,
            /// `glDeleteNamedStringARB` of `ARB_shading_language_include`, if supported.
            pub(crate) delete_named_string: Option<DeleteNamedString>,
            /// `glCompileShaderIncludeARB` of `ARB_shading_language_include`, if supported.
            pub(crate) compile_shader_include: Option<CompileShaderInclude>,
            /// `glProgramStringARB` of `ARB_vertex_program` and `ARB_fragment_program`, if supported.
            pub(crate) program_string: Option<ProgramString>,
            /// `glUniform1dv` to `glUniform4dv`, if supported.
            pub(crate) uniform_doubles: [Option<UniformWide>; 4],
            /// `glUniform1i64vARB` to `glUniform4i64vARB`, if supported.
            pub(crate) uniform_longs: [Option<UniformWide>; 4],
            /// `glUniform1ui64vARB` to `glUniform4ui64vARB`, if supported.
            pub(crate) uniform_unsigned_longs: [Option<UniformWide>; 4],
        }

        impl Gl {
            /// Looks up all functions; needs a current context.
            pub(crate) fn load(egl: &Egl) -> Result<Gl, DriverError> {
                Ok(Gl {
                    $( $name: {
                        let address = lookup(egl, concat!($symbol, "\0"), $symbol)?;
                        // SAFETY: the GL registry declares this function with this C signature; not null.
                        unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn($($type),*) $(-> $ret)?>(address) }
                    }, )*
                    $( $pname: {
                        let address = lookup(egl, concat!($psymbol, "\0"), $psymbol)?;
                        // SAFETY: the GL registry declares this function with this C signature; not null.
                        unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn($($ptype),*) $(-> $pret)?>(address) }
                    }, )*
                    named_string: optional(egl, c"glNamedStringARB").map(|address| {
                        // SAFETY: this is the declaration in GL_ARB_shading_language_include; the address is not null.
                        unsafe { std::mem::transmute::<*const c_void, NamedString>(address) }
                    }),
                    delete_named_string: optional(egl, c"glDeleteNamedStringARB").map(|address| {
                        // SAFETY: this is the declaration in GL_ARB_shading_language_include; the address is not null.
                        unsafe { std::mem::transmute::<*const c_void, DeleteNamedString>(address) }
                    }),
                    compile_shader_include: optional(egl, c"glCompileShaderIncludeARB").map(|address| {
                        // SAFETY: this is the declaration in GL_ARB_shading_language_include; the address is not null.
                        unsafe { std::mem::transmute::<*const c_void, CompileShaderInclude>(address) }
                    }),
                    program_string: optional(egl, c"glProgramStringARB").map(|address| {
                        // SAFETY: this is the declaration in GL_ARB_vertex_program; the address is not null.
                        unsafe { std::mem::transmute::<*const c_void, ProgramString>(address) }
                    }),
                    uniform_doubles: wide(egl, [c"glUniform1dv", c"glUniform2dv", c"glUniform3dv", c"glUniform4dv"]),
                    uniform_longs: wide(
                        egl,
                        [c"glUniform1i64vARB", c"glUniform2i64vARB", c"glUniform3i64vARB", c"glUniform4i64vARB"],
                    ),
                    uniform_unsigned_longs: wide(
                        egl,
                        [c"glUniform1ui64vARB", c"glUniform2ui64vARB", c"glUniform3ui64vARB", c"glUniform4ui64vARB"],
                    ),
                })
            }

            $(
                #[allow(clippy::too_many_arguments, reason = "GL's own parameter lists")]
                pub(crate) fn $name(&self, $($arg: $type),*) $(-> $ret)? {
                    // SAFETY: all arguments are values, and the context this table belongs to is current.
                    unsafe { (self.$name)($($arg),*) }
                }
            )*
        }
    };
}

pub(crate) type NamedString = unsafe extern "C" fn(u32, i32, *const c_char, i32, *const c_char);
/// Target, format, length and text.
pub(crate) type ProgramString = unsafe extern "C" fn(u32, u32, i32, *const c_void);
pub(crate) type DeleteNamedString = unsafe extern "C" fn(i32, *const c_char);
/// Location, count, and eight bytes for each component.
pub(crate) type UniformWide = unsafe extern "C" fn(i32, i32, *const u64);
pub(crate) type CompileShaderInclude = unsafe extern "C" fn(u32, i32, *const *const c_char, *const i32);

functions! {
    values {
        get_error = "glGetError"() -> u32;
        create_shader = "glCreateShader"(kind: u32) -> u32;
        compile_shader = "glCompileShader"(shader: u32);
        delete_shader = "glDeleteShader"(shader: u32);
        create_program = "glCreateProgram"() -> u32;
        attach_shader = "glAttachShader"(program: u32, shader: u32);
        link_program = "glLinkProgram"(program: u32);
        use_program = "glUseProgram"(program: u32);
        delete_program = "glDeleteProgram"(program: u32);
        program_parameter = "glProgramParameteri"(program: u32, name: u32, value: i32);
        bind_framebuffer = "glBindFramebuffer"(target: u32, name: u32);
        bind_renderbuffer = "glBindRenderbuffer"(target: u32, name: u32);
        renderbuffer_storage = "glRenderbufferStorage"(target: u32, format: u32, width: i32, height: i32);
        framebuffer_renderbuffer = "glFramebufferRenderbuffer"(target: u32, attachment: u32, rb: u32, name: u32);
        check_framebuffer = "glCheckFramebufferStatus"(target: u32) -> u32;
        bind_buffer = "glBindBuffer"(target: u32, name: u32);
        bind_vertex_array = "glBindVertexArray"(name: u32);
        enable_vertex_attrib_array = "glEnableVertexAttribArray"(index: u32);
        viewport = "glViewport"(x: i32, y: i32, width: i32, height: i32);
        clear_color = "glClearColor"(r: f32, g: f32, b: f32, a: f32);
        clear = "glClear"(mask: u32);
        enable = "glEnable"(what: u32);
        disable = "glDisable"(what: u32);
        scissor = "glScissor"(x: i32, y: i32, width: i32, height: i32);
        read_buffer = "glReadBuffer"(buffer: u32);
        active_texture = "glActiveTexture"(unit: u32);
        bind_texture = "glBindTexture"(target: u32, name: u32);
        tex_parameter = "glTexParameteri"(target: u32, name: u32, value: i32);
        pixel_store = "glPixelStorei"(name: u32, value: i32);
        bind_buffer_base = "glBindBufferBase"(target: u32, index: u32, name: u32);
        begin_transform_feedback = "glBeginTransformFeedback"(mode: u32);
        end_transform_feedback = "glEndTransformFeedback"();
        dispatch_compute = "glDispatchCompute"(x: u32, y: u32, z: u32);
        memory_barrier = "glMemoryBarrier"(bits: u32);
        shader_storage_block_binding = "glShaderStorageBlockBinding"(program: u32, index: u32, binding: u32);
        patch_parameter = "glPatchParameteri"(name: u32, value: i32);
        unmap_buffer = "glUnmapBuffer"(target: u32) -> u8;
    }
    pointers {
        get_string = "glGetString"(name: u32) -> *const c_char;
        get_string_i = "glGetStringi"(name: u32, index: u32) -> *const c_char;
        get_integer_v = "glGetIntegerv"(name: u32, data: *mut i32);
        shader_source = "glShaderSource"(shader: u32, count: i32, strings: *const *const c_char, lengths: *const i32);
        get_shader_iv = "glGetShaderiv"(shader: u32, name: u32, value: *mut i32);
        get_shader_info_log = "glGetShaderInfoLog"(shader: u32, size: i32, length: *mut i32, log: *mut c_char);
        get_program_iv = "glGetProgramiv"(program: u32, name: u32, value: *mut i32);
        get_program_info_log = "glGetProgramInfoLog"(program: u32, size: i32, length: *mut i32, log: *mut c_char);
        get_active_uniform = "glGetActiveUniform"(program: u32, index: u32, size: i32, length: *mut i32, count: *mut i32, kind: *mut u32, name: *mut c_char);
        get_uniform_location = "glGetUniformLocation"(program: u32, name: *const c_char) -> i32;
        uniform_fv_1 = "glUniform1fv"(location: i32, count: i32, values: *const f32);
        uniform_fv_2 = "glUniform2fv"(location: i32, count: i32, values: *const f32);
        uniform_fv_3 = "glUniform3fv"(location: i32, count: i32, values: *const f32);
        uniform_fv_4 = "glUniform4fv"(location: i32, count: i32, values: *const f32);
        uniform_iv_1 = "glUniform1iv"(location: i32, count: i32, values: *const i32);
        uniform_iv_2 = "glUniform2iv"(location: i32, count: i32, values: *const i32);
        uniform_iv_3 = "glUniform3iv"(location: i32, count: i32, values: *const i32);
        uniform_iv_4 = "glUniform4iv"(location: i32, count: i32, values: *const i32);
        uniform_matrix_2 = "glUniformMatrix2fv"(location: i32, count: i32, transpose: u8, values: *const f32);
        uniform_matrix_3 = "glUniformMatrix3fv"(location: i32, count: i32, transpose: u8, values: *const f32);
        uniform_matrix_4 = "glUniformMatrix4fv"(location: i32, count: i32, transpose: u8, values: *const f32);
        uniform_uiv_1 = "glUniform1uiv"(location: i32, count: i32, values: *const u32);
        uniform_uiv_2 = "glUniform2uiv"(location: i32, count: i32, values: *const u32);
        uniform_uiv_3 = "glUniform3uiv"(location: i32, count: i32, values: *const u32);
        uniform_uiv_4 = "glUniform4uiv"(location: i32, count: i32, values: *const u32);
        uniform_matrix_2x3 = "glUniformMatrix2x3fv"(location: i32, count: i32, transpose: u8, values: *const f32);
        uniform_matrix_2x4 = "glUniformMatrix2x4fv"(location: i32, count: i32, transpose: u8, values: *const f32);
        uniform_matrix_3x2 = "glUniformMatrix3x2fv"(location: i32, count: i32, transpose: u8, values: *const f32);
        uniform_matrix_3x4 = "glUniformMatrix3x4fv"(location: i32, count: i32, transpose: u8, values: *const f32);
        uniform_matrix_4x2 = "glUniformMatrix4x2fv"(location: i32, count: i32, transpose: u8, values: *const f32);
        uniform_matrix_4x3 = "glUniformMatrix4x3fv"(location: i32, count: i32, transpose: u8, values: *const f32);
        gen_textures = "glGenTextures"(count: i32, names: *mut u32);
        delete_textures = "glDeleteTextures"(count: i32, names: *const u32);
        tex_image_1d = "glTexImage1D"(target: u32, level: i32, internal: i32, width: i32, border: i32, format: u32, kind: u32, data: *const c_void);
        tex_image_2d = "glTexImage2D"(target: u32, level: i32, internal: i32, width: i32, height: i32, border: i32, format: u32, kind: u32, data: *const c_void);
        tex_image_3d = "glTexImage3D"(target: u32, level: i32, internal: i32, width: i32, height: i32, depth: i32, border: i32, format: u32, kind: u32, data: *const c_void);
        get_attrib_location = "glGetAttribLocation"(program: u32, name: *const c_char) -> i32;
        get_frag_data_location = "glGetFragDataLocation"(program: u32, name: *const c_char) -> i32;
        draw_buffers = "glDrawBuffers"(count: i32, buffers: *const u32);
        clear_buffer_fv = "glClearBufferfv"(buffer: u32, index: i32, value: *const f32);
        clear_buffer_iv = "glClearBufferiv"(buffer: u32, index: i32, value: *const i32);
        clear_buffer_uiv = "glClearBufferuiv"(buffer: u32, index: i32, value: *const u32);
        gen_framebuffers = "glGenFramebuffers"(count: i32, names: *mut u32);
        gen_renderbuffers = "glGenRenderbuffers"(count: i32, names: *mut u32);
        gen_buffers = "glGenBuffers"(count: i32, names: *mut u32);
        gen_vertex_arrays = "glGenVertexArrays"(count: i32, names: *mut u32);
        delete_framebuffers = "glDeleteFramebuffers"(count: i32, names: *const u32);
        delete_renderbuffers = "glDeleteRenderbuffers"(count: i32, names: *const u32);
        delete_buffers = "glDeleteBuffers"(count: i32, names: *const u32);
        delete_vertex_arrays = "glDeleteVertexArrays"(count: i32, names: *const u32);
        buffer_data = "glBufferData"(target: u32, size: isize, data: *const c_void, usage: u32);
        vertex_attrib_pointer = "glVertexAttribPointer"(index: u32, size: i32, kind: u32, normalised: u8, stride: i32, offset: *const c_void);
        draw_arrays = "glDrawArrays"(mode: u32, first: i32, count: i32);
        bind_attrib_location = "glBindAttribLocation"(program: u32, index: u32, name: *const c_char);
        bind_frag_data_location = "glBindFragDataLocation"(program: u32, index: u32, name: *const c_char);
        transform_feedback_varyings = "glTransformFeedbackVaryings"(program: u32, count: i32, names: *const *const c_char, mode: u32);
        get_program_resource_index = "glGetProgramResourceIndex"(program: u32, interface: u32, name: *const c_char) -> u32;
        get_program_resource_iv = "glGetProgramResourceiv"(program: u32, interface: u32, index: u32, count: i32, names: *const u32, size: i32, length: *mut i32, values: *mut i32);
        get_program_interface_iv = "glGetProgramInterfaceiv"(program: u32, interface: u32, name: u32, value: *mut i32);
        map_buffer_range = "glMapBufferRange"(target: u32, offset: isize, length: isize, access: u32) -> *mut c_void;
        draw_arrays_instanced = "glDrawArraysInstanced"(mode: u32, first: i32, count: i32, instances: i32);
        read_pixels = "glReadPixels"(x: i32, y: i32, width: i32, height: i32, format: u32, kind: u32, data: *mut c_void);
    }
}

impl Gl {
    /// Returns a GL integer parameter that has one value.
    pub(crate) fn integer(&self, name: u32) -> i32 {
        // The longest result of GL's integer queries is a 4x4 matrix; room for it makes any name safe.
        let mut values = [0; 16];
        // SAFETY: there is room for the longest result of glGetIntegerv.
        unsafe { (self.get_integer_v)(name, values.as_mut_ptr()) };
        values[0]
    }

    /// Returns a GL string.
    pub(crate) fn string(&self, name: u32) -> String {
        // SAFETY: the argument is a value, and the context this table belongs to is current.
        let text = unsafe { (self.get_string)(name) };
        copy(text)
    }

    /// Returns an element of an indexed GL string list.
    pub(crate) fn string_at(&self, name: u32, index: u32) -> String {
        // SAFETY: the arguments are values, and the context this table belongs to is current.
        let text = unsafe { (self.get_string_i)(name, index) };
        copy(text)
    }
}

fn copy(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: glGetString and glGetStringi return null or a static NUL-terminated string.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn lookup(egl: &Egl, terminated: &'static str, name: &'static str) -> Result<*const c_void, DriverError> {
    CStr::from_bytes_with_nul(terminated.as_bytes())
        .ok()
        .and_then(|name| optional(egl, name))
        .ok_or(DriverError::NoFunction { function: name })
}

/// Returns the functions that set uniforms of 64 bits, for one to four components.
fn wide(egl: &Egl, names: [&CStr; 4]) -> [Option<UniformWide>; 4] {
    names.map(|name| {
        optional(egl, name).map(|address| {
            // SAFETY: this is the declaration in GL 4.0 and GL_ARB_gpu_shader_int64, except for the type of the
            // components, which are eight bytes each; the address is not null.
            unsafe { std::mem::transmute::<*const c_void, UniformWide>(address) }
        })
    })
}

fn optional(egl: &Egl, name: &CStr) -> Option<*const c_void> {
    let address = egl.address(name);
    (!address.is_null()).then_some(address)
}
