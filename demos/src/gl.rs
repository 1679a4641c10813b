//! The GL functions that the demos call, by GL's own names, and their constants.

mod constants;
mod data;

use std::ffi::{CStr, c_char, c_void};

pub use constants::*;
pub use data::{Active, Fence, Plain};

use crate::egl::Egl;

macro_rules! functions {
    (
        values { $( $name:ident ( $($arg:ident : $type:ty),* ) $(-> $ret:ty)? ; )* }
        pointers { $( $pname:ident ( $($parg:ident : $ptype:ty),* ) $(-> $pret:ty)? ; )* }
    ) => {
        /// The functions of the current context. Their documentation is GL's.
        #[allow(non_snake_case, reason = "GL's own names, as in its manual")]
        #[derive(Clone)]
        pub struct Gl {
            $( $name: Option<unsafe extern "C" fn($($type),*) $(-> $ret)?>, )*
            $( $pname: Option<unsafe extern "C" fn($($ptype),*) $(-> $pret)?>, )*
        }

        #[allow(non_snake_case, reason = "GL's own names, as in its manual")]
        #[allow(clippy::too_many_arguments, reason = "GL's own parameter lists")]
        #[allow(missing_docs, reason = "GL's manual documents them")]
        impl Gl {
            /// Looks up all functions. A missing one is reported when it is called: GL 1.x and ES 2.0 have little in
            /// common.
            pub(crate) fn load(egl: &Egl) -> Gl {
                Gl {
                    $( $name: lookup(egl, concat!("gl", stringify!($name), "\0")).map(|address| {
                        type Function = unsafe extern "C" fn($($type),*) $(-> $ret)?;
                        // SAFETY: the GL registry declares this function with this C signature; not null.
                        unsafe { std::mem::transmute::<*const c_void, Function>(address) }
                    }), )*
                    $( $pname: lookup(egl, concat!("gl", stringify!($pname), "\0")).map(|address| {
                        type Function = unsafe extern "C" fn($($ptype),*) $(-> $pret)?;
                        // SAFETY: the GL registry declares this function with this C signature; not null.
                        unsafe { std::mem::transmute::<*const c_void, Function>(address) }
                    }), )*
                }
            }

            $(
                pub fn $name(&self, $($arg: $type),*) $(-> $ret)? {
                    let Some(function) = self.$name else { missing(stringify!($name)) };
                    // SAFETY: all arguments are values. Draws read memory of ours only where a client array was
                    // specified, and the caller of `client_array` guarantees that it lives.
                    unsafe { function($($arg),*) }
                }
            )*

            $(
                /// See GL's manual.
                ///
                /// # Safety
                /// Pointers must be to as much memory as the function reads or writes.
                pub unsafe fn $pname(&self, $($parg: $ptype),*) $(-> $pret)? {
                    let Some(function) = self.$pname else { missing(stringify!($pname)) };
                    // SAFETY: the caller guarantees the pointers.
                    unsafe { function($($parg),*) }
                }
            )*
        }
    };
}

fn lookup(egl: &Egl, name: &str) -> Option<*const c_void> {
    let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
    let address = egl.address(name);
    (!address.is_null()).then_some(address)
}

fn missing(name: &str) -> ! {
    eprintln!("this driver lacks the function gl{name}, which this demo needs");
    std::process::exit(1)
}

functions! {
    values {
        GetError() -> u32;
        Enable(what: u32);
        Disable(what: u32);
        Clear(mask: u32);
        ClearColor(r: f32, g: f32, b: f32, a: f32);
        Viewport(x: i32, y: i32, width: i32, height: i32);
        DepthMask(write: u8);
        DepthFunc(function: u32);
        Scissor(x: i32, y: i32, width: i32, height: i32);
        ColorMask(r: u8, g: u8, b: u8, a: u8);
        StencilFunc(function: u32, reference: i32, mask: u32);
        StencilOp(fail: u32, depth_fail: u32, pass: u32);
        CullFace(side: u32);
        PolygonOffset(factor: f32, units: f32);
        BlendFunc(source: u32, destination: u32);
        BlendFuncSeparate(source: u32, destination: u32, source_alpha: u32, destination_alpha: u32);
        PixelStorei(what: u32, value: i32);
        Flush();
        DrawBuffer(buffer: u32);
        ReadBuffer(buffer: u32);
        DrawArrays(mode: u32, first: i32, count: i32);
        DrawArraysInstanced(mode: u32, first: i32, count: i32, instances: i32);
        PrimitiveRestartIndex(index: u32);
        BindTexture(target: u32, texture: u32);
        ActiveTexture(unit: u32);
        TexParameteri(target: u32, what: u32, value: i32);
        GenerateMipmap(target: u32);
        BindBuffer(target: u32, buffer: u32);
        BindBufferBase(target: u32, index: u32, buffer: u32);
        UnmapBuffer(target: u32) -> u8;
        BindVertexArray(array: u32);
        EnableVertexAttribArray(index: u32);
        DisableVertexAttribArray(index: u32);
        BindFramebuffer(target: u32, framebuffer: u32);
        FramebufferTexture2D(target: u32, attachment: u32, kind: u32, texture: u32, level: i32);
        FramebufferTextureLayer(target: u32, attachment: u32, texture: u32, level: i32, layer: i32);
        FramebufferTexture(target: u32, attachment: u32, texture: u32, level: i32);
        CheckFramebufferStatus(target: u32) -> u32;
        BindRenderbuffer(target: u32, renderbuffer: u32);
        RenderbufferStorage(target: u32, format: u32, width: i32, height: i32);
        RenderbufferStorageMultisample(target: u32, samples: i32, format: u32, width: i32, height: i32);
        TexImage2DMultisample(target: u32, samples: i32, format: u32, width: i32, height: i32, fixed: u8);
        BlitFramebuffer(x0: i32, y0: i32, x1: i32, y1: i32, to_x0: i32, to_y0: i32, to_x1: i32, to_y1: i32, planes: u32, filter: u32);
        FramebufferRenderbuffer(target: u32, attachment: u32, kind: u32, renderbuffer: u32);
        CreateShader(stage: u32) -> u32;
        CompileShader(shader: u32);
        DeleteShader(shader: u32);
        CreateProgram() -> u32;
        AttachShader(program: u32, shader: u32);
        LinkProgram(program: u32);
        UseProgram(program: u32);
        Uniform1i(location: i32, x: i32);
        Uniform1f(location: i32, x: f32);
        Uniform2f(location: i32, x: f32, y: f32);
        Uniform3f(location: i32, x: f32, y: f32, z: f32);
        Uniform4f(location: i32, x: f32, y: f32, z: f32, w: f32);
        UniformBlockBinding(program: u32, block: u32, binding: u32);
        PopDebugGroup();
        BeginTransformFeedback(mode: u32);
        EndTransformFeedback();
        DispatchCompute(x: u32, y: u32, z: u32);
        BindImageTexture(unit: u32, texture: u32, level: i32, layered: u8, layer: i32, access: u32, format: u32);
        PatchParameteri(what: u32, value: i32);
        VertexAttribDivisor(index: u32, divisor: u32);
        DrawArraysInstancedBaseInstance(mode: u32, first: i32, count: i32, instances: i32, base: u32);
        MemoryBarrier(bits: u32);
        // Fixed function.
        Begin(mode: u32);
        End();
        Vertex2f(x: f32, y: f32);
        Vertex3f(x: f32, y: f32, z: f32);
        Normal3f(x: f32, y: f32, z: f32);
        Color3f(r: f32, g: f32, b: f32);
        TexCoord2f(s: f32, t: f32);
        MatrixMode(which: u32);
        LoadIdentity();
        PushMatrix();
        PopMatrix();
        Translatef(x: f32, y: f32, z: f32);
        Rotatef(angle: f32, x: f32, y: f32, z: f32);
        Scalef(x: f32, y: f32, z: f32);
        Frustum(left: f64, right: f64, bottom: f64, top: f64, near: f64, far: f64);
        Ortho(left: f64, right: f64, bottom: f64, top: f64, near: f64, far: f64);
        ShadeModel(model: u32);
        ColorMaterial(side: u32, what: u32);
        Materialf(side: u32, what: u32, value: f32);
        Fogi(what: u32, value: i32);
        Fogf(what: u32, value: f32);
        TexEnvi(target: u32, what: u32, value: i32);
        TexGeni(coordinate: u32, what: u32, value: i32);
        PushAttrib(mask: u32);
        PopAttrib();
        LineStipple(factor: i32, pattern: u16);
        GenLists(count: i32) -> u32;
        NewList(list: u32, mode: u32);
        EndList();
        CallList(list: u32);
        ListBase(base: u32);
        EnableClientState(array: u32);
        DisableClientState(array: u32);
        RasterPos2f(x: f32, y: f32);
        PixelZoom(x: f32, y: f32);
        MapGrid2f(un: i32, u1: f32, u2: f32, vn: i32, v1: f32, v2: f32);
        EvalMesh2(mode: u32, i1: i32, i2: i32, j1: i32, j2: i32);
        BindProgramARB(target: u32, program: u32);
    }
    pointers {
        GetIntegerv(what: u32, values: *mut i32);
        GetInteger64v(what: u32, values: *mut i64);
        GetFloatv(what: u32, values: *mut f32);
        GetDoublev(what: u32, values: *mut f64);
        GetBooleanv(what: u32, values: *mut u8);
        ObjectLabel(kind: u32, name: u32, length: i32, label: *const c_char);
        PushDebugGroup(source: u32, id: u32, length: i32, message: *const c_char);
        DebugMessageInsert(source: u32, kind: u32, id: u32, severity: u32, length: i32, message: *const c_char);
        GenTextures(count: i32, names: *mut u32);
        TexImage2D(target: u32, level: i32, internal: i32, width: i32, height: i32, border: i32, format: u32, kind: u32, pixels: *const c_void);
        TexImage3D(target: u32, level: i32, internal: i32, width: i32, height: i32, depth: i32, border: i32, format: u32, kind: u32, pixels: *const c_void);
        TexSubImage2D(target: u32, level: i32, x: i32, y: i32, width: i32, height: i32, format: u32, kind: u32, pixels: *const c_void);
        ReadPixels(x: i32, y: i32, width: i32, height: i32, format: u32, kind: u32, pixels: *mut c_void);
        GenBuffers(count: i32, names: *mut u32);
        BufferData(target: u32, size: isize, data: *const c_void, usage: u32);
        BufferStorage(target: u32, size: isize, data: *const c_void, flags: u32);
        MapBufferRange(target: u32, offset: isize, size: isize, access: u32) -> *mut c_void;
        GenVertexArrays(count: i32, names: *mut u32);
        VertexAttribPointer(index: u32, size: i32, kind: u32, normalized: u8, stride: i32, pointer: *const c_void);
        DrawElements(mode: u32, count: i32, kind: u32, indices: *const c_void);
        MultiDrawArrays(mode: u32, firsts: *const i32, counts: *const i32, parts: i32);
        MultiDrawElementsIndirect(mode: u32, kind: u32, place: *const c_void, parts: i32, stride: i32);
        PatchParameterfv(what: u32, values: *const f32);
        GenFramebuffers(count: i32, names: *mut u32);
        GenRenderbuffers(count: i32, names: *mut u32);
        DrawBuffers(count: i32, buffers: *const u32);
        ShaderSource(shader: u32, count: i32, strings: *const *const c_char, lengths: *const i32);
        GetShaderiv(shader: u32, what: u32, value: *mut i32);
        GetShaderInfoLog(shader: u32, room: i32, length: *mut i32, log: *mut c_char);
        GetProgramiv(program: u32, what: u32, value: *mut i32);
        GetProgramBinary(program: u32, room: i32, length: *mut i32, format: *mut u32, binary: *mut c_void);
        ProgramBinary(program: u32, format: u32, binary: *const c_void, length: i32);
        GetProgramInfoLog(program: u32, room: i32, length: *mut i32, log: *mut c_char);
        BindAttribLocation(program: u32, index: u32, name: *const c_char);
        GetUniformLocation(program: u32, name: *const c_char) -> i32;
        UniformMatrix4fv(location: i32, count: i32, transpose: u8, values: *const f32);
        Uniform1fv(location: i32, count: i32, values: *const f32);
        Uniform2fv(location: i32, count: i32, values: *const f32);
        Uniform3fv(location: i32, count: i32, values: *const f32);
        Uniform4fv(location: i32, count: i32, values: *const f32);
        Uniform1iv(location: i32, count: i32, values: *const i32);
        Uniform2iv(location: i32, count: i32, values: *const i32);
        Uniform3iv(location: i32, count: i32, values: *const i32);
        Uniform4iv(location: i32, count: i32, values: *const i32);
        Uniform1uiv(location: i32, count: i32, values: *const u32);
        Uniform2uiv(location: i32, count: i32, values: *const u32);
        Uniform3uiv(location: i32, count: i32, values: *const u32);
        Uniform4uiv(location: i32, count: i32, values: *const u32);
        UniformMatrix2fv(location: i32, count: i32, transpose: u8, values: *const f32);
        UniformMatrix3fv(location: i32, count: i32, transpose: u8, values: *const f32);
        GetActiveAttrib(program: u32, index: u32, room: i32, length: *mut i32, size: *mut i32, kind: *mut u32, name: *mut c_char);
        GetAttribLocation(program: u32, name: *const c_char) -> i32;
        GetActiveUniform(program: u32, index: u32, room: i32, length: *mut i32, size: *mut i32, kind: *mut u32, name: *mut c_char);
        GetActiveUniformsiv(program: u32, count: i32, indices: *const u32, what: u32, values: *mut i32);
        GetActiveUniformBlockiv(program: u32, block: u32, what: u32, value: *mut i32);
        TransformFeedbackVaryings(program: u32, count: i32, names: *const *const c_char, mode: u32);
        FenceSync(condition: u32, flags: u32) -> *mut c_void;
        ClientWaitSync(sync: *mut c_void, flags: u32, timeout: u64) -> u32;
        WaitSync(sync: *mut c_void, flags: u32, timeout: u64);
        DeleteSync(sync: *mut c_void);
        // Fixed function.
        Lightfv(light: u32, what: u32, values: *const f32);
        LightModelfv(what: u32, values: *const f32);
        Materialfv(side: u32, what: u32, values: *const f32);
        Fogfv(what: u32, values: *const f32);
        CallLists(count: i32, kind: u32, lists: *const c_void);
        VertexPointer(size: i32, kind: u32, stride: i32, pointer: *const c_void);
        NormalPointer(kind: u32, stride: i32, pointer: *const c_void);
        InterleavedArrays(format: u32, stride: i32, pointer: *const c_void);
        Bitmap(width: i32, height: i32, x: f32, y: f32, step_x: f32, step_y: f32, bits: *const u8);
        DrawPixels(width: i32, height: i32, format: u32, kind: u32, pixels: *const c_void);
        PolygonStipple(pattern: *const u8);
        ProgramStringARB(target: u32, format: u32, length: i32, text: *const c_void);
        Map2f(target: u32, u1: f32, u2: f32, ustride: i32, uorder: i32, v1: f32, v2: f32, vstride: i32, vorder: i32, points: *const f32);
    }
}
