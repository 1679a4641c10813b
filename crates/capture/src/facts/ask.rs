//! The driver's queries, as functions that return what they write.

use std::ffi::{CString, c_char};

use api::constant as c;

use crate::real::real;
use crate::thread::Thread;

/// Takes errors from the driver until there are none. Limited, because a lost context may return errors for ever.
pub fn errors(thread: &Thread) -> impl Iterator<Item = u32> + use<> {
    // SAFETY: this is the signature in GL.
    let get = unsafe { real!(thread, glGetError, fn() -> u32) };
    // SAFETY: no arguments, no conditions.
    std::iter::from_fn(move || get.map(|get| unsafe { get() }).filter(|&error| error != c::GL_NO_ERROR)).take(8)
}

/// `glIsShader`.
pub fn is_shader(thread: &Thread, shader: u32) -> bool {
    // SAFETY: this is the signature in GL.
    let is = unsafe { real!(thread, glIsShader, fn(u32) -> u8) };
    // SAFETY: any name may be asked for.
    is.is_some_and(|is| unsafe { is(shader) } != 0)
}

/// `glIsProgram`.
pub fn is_program(thread: &Thread, program: u32) -> bool {
    // SAFETY: this is the signature in GL.
    let is = unsafe { real!(thread, glIsProgram, fn(u32) -> u8) };
    // SAFETY: any name may be asked for.
    is.is_some_and(|is| unsafe { is(program) } != 0)
}

/// `glIsEnabled`.
pub fn is_enabled(thread: &Thread, capability: u32) -> bool {
    // SAFETY: this is the signature in GL.
    let is = unsafe { real!(thread, glIsEnabled, fn(u32) -> u8) };
    // SAFETY: callers pass capabilities that exist.
    is.is_some_and(|is| unsafe { is(capability) } != 0)
}

/// `glEnable`.
pub fn enable(thread: &Thread, capability: u32) {
    // SAFETY: this is the signature in GL.
    if let Some(enable) = unsafe { real!(thread, glEnable, fn(u32)) } {
        // SAFETY: callers pass capabilities that exist.
        unsafe { enable(capability) };
    }
}

/// `glDisable`.
pub fn disable(thread: &Thread, capability: u32) {
    // SAFETY: this is the signature in GL.
    if let Some(disable) = unsafe { real!(thread, glDisable, fn(u32)) } {
        // SAFETY: callers pass capabilities that exist.
        unsafe { disable(capability) };
    }
}

/// Room for the values of a query whose name determines their number: more than any has.
pub const ROOM: usize = 64;

/// Defines functions that take some numbers and write integers behind a pointer; each returns the values. When the
/// driver rejects the query, the values keep their initial `before`.
macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident: $command:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name(thread: &Thread, $($arg: $type,)* before: $result) -> [$result; ROOM] {
            let mut values = [before; ROOM];
            // SAFETY: this is the signature in GL.
            if let Some(get) = unsafe { real!(thread, $command, fn($($type,)* *mut $result)) } {
                // SAFETY: there is room for more values than any name has.
                unsafe { get($($arg,)* values.as_mut_ptr()) };
            }
            values
        }
    )*};
}

integers! {
    /// `glGetIntegerv`.
    integers: glGetIntegerv(name: u32) -> i32;
    /// `glGetInteger64v`.
    integers64: glGetInteger64v(name: u32) -> i64;
    /// `glGetFloatv`.
    floats: glGetFloatv(name: u32) -> f32;
    /// `glGetIntegeri_v`.
    indexed: glGetIntegeri_v(name: u32, index: u32) -> i32;
    /// `glGetShaderiv`.
    shader: glGetShaderiv(shader: u32, name: u32) -> i32;
    /// `glGetProgramiv`.
    program: glGetProgramiv(program: u32, name: u32) -> i32;
    /// `glGetProgramStageiv`.
    stage: glGetProgramStageiv(program: u32, stage: u32, name: u32) -> i32;
    /// `glGetProgramInterfaceiv`.
    interface: glGetProgramInterfaceiv(program: u32, interface: u32, name: u32) -> i32;
    /// `glGetActiveUniformBlockiv` of properties with one value.
    block: glGetActiveUniformBlockiv(program: u32, block: u32, name: u32) -> i32;
    /// `glGetProgramivARB`.
    assembly: glGetProgramivARB(target: u32, name: u32) -> i32;
    /// `glGetUniformfv` of one element.
    uniform_floats: glGetUniformfv(program: u32, location: i32) -> f32;
    /// `glGetUniformdv` of one element.
    uniform_doubles: glGetUniformdv(program: u32, location: i32) -> f64;
    /// `glGetUniformiv` of one element.
    uniform_integers: glGetUniformiv(program: u32, location: i32) -> i32;
    /// `glGetUniformuiv` of one element.
    uniform_unsigned: glGetUniformuiv(program: u32, location: i32) -> u32;
    /// `glGetUniformi64vARB` of one element.
    uniform_longs: glGetUniformi64vARB(program: u32, location: i32) -> i64;
    /// `glGetUniformui64vARB` of one element.
    uniform_unsigned_longs: glGetUniformui64vARB(program: u32, location: i32) -> u64;
}

/// `glGetShaderPrecisionFormat`: the range and the precision.
pub fn precision(thread: &Thread, shader: u32, kind: u32) -> [i32; 3] {
    let mut values = [0; 3];
    let [low, high, precision] = &mut values;
    // SAFETY: this is the signature in GL.
    if let Some(get) = unsafe { real!(thread, glGetShaderPrecisionFormat, fn(u32, u32, *mut i32, *mut i32)) } {
        let mut range = [0; 2];
        // SAFETY: the range is two integers, the precision one.
        unsafe { get(shader, kind, range.as_mut_ptr(), precision) };
        (*low, *high) = (range[0], range[1]);
    }
    values
}

/// `glGetString`, or `glGetStringi` with an index.
pub fn text(thread: &Thread, name: u32, index: Option<u32>) -> Option<Vec<u8>> {
    let address = match index {
        None => {
            // SAFETY: this is the signature in GL.
            let get = unsafe { real!(thread, glGetString, fn(u32) -> u64) }?;
            // SAFETY: any name may be asked for.
            unsafe { get(name) }
        }
        Some(index) => {
            // SAFETY: this is the signature in GL.
            let get = unsafe { real!(thread, glGetStringi, fn(u32, u32) -> u64) }?;
            // SAFETY: any name may be asked for.
            unsafe { get(name, index) }
        }
    };
    crate::process::text_at(address).map(|text| text.to_bytes().to_vec())
}

/// `glGetAttachedShaders`.
pub fn attached(thread: &Thread, program: u32, most: usize) -> Vec<u32> {
    let mut shaders = vec![0; most];
    let mut count = 0;
    // SAFETY: this is the signature in GL.
    if let Some(get) = unsafe { real!(thread, glGetAttachedShaders, fn(u32, i32, *mut i32, *mut u32)) } {
        // SAFETY: the driver is given the size of the buffer.
        unsafe { get(program, most as i32, &raw mut count, shaders.as_mut_ptr()) };
    }
    shaders.truncate(usize::try_from(count).unwrap_or(0));
    shaders
}

/// Defines functions that write a string of at most `room` bytes and its length.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $command:ident($($arg:ident: $type:ty),*);)*) => {$(
        $(#[$doc])*
        pub fn $name(thread: &Thread, $($arg: $type,)* room: i32) -> Vec<u8> {
            let mut text = vec![0_u8; usize::try_from(room).unwrap_or(0) + 1];
            let mut length = 0;
            // SAFETY: this is the signature in GL.
            if let Some(get) = unsafe { real!(thread, $command, fn($($type,)* i32, *mut i32, *mut c_char)) } {
                // SAFETY: the buffer is as large as the driver is told.
                unsafe { get($($arg,)* room.max(0), &raw mut length, text.as_mut_ptr().cast()) };
            }
            text.truncate(usize::try_from(length).unwrap_or(0));
            text
        }
    )*};
}

texts! {
    /// `glGetShaderInfoLog`.
    shader_log: glGetShaderInfoLog(shader: u32);
    /// `glGetProgramInfoLog`.
    program_log: glGetProgramInfoLog(program: u32);
    /// `glGetProgramResourceName`.
    resource_name: glGetProgramResourceName(program: u32, interface: u32, index: u32);
    /// `glGetActiveUniformBlockName`.
    block_name: glGetActiveUniformBlockName(program: u32, block: u32);
}

/// A variable as returned by the older queries: its name, type and number of elements.
pub struct Variable {
    pub name: Vec<u8>,
    pub kind: i32,
    pub size: i32,
}

/// Defines functions that return a variable by its index.
macro_rules! variables {
    ($($(#[$doc:meta])* $name:ident: $command:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(thread: &Thread, program: u32, index: u32, room: i32) -> Variable {
            let mut name = vec![0_u8; usize::try_from(room).unwrap_or(0) + 1];
            let (mut length, mut size, mut kind) = (0, 0, 0);
            // SAFETY: this is the signature in GL.
            let get = unsafe { real!(thread, $command, fn(u32, u32, i32, *mut i32, *mut i32, *mut i32, *mut c_char)) };
            if let Some(get) = get {
                let text = name.as_mut_ptr().cast();
                // SAFETY: the buffer is as large as the driver is told; the other outputs are one number each.
                unsafe { get(program, index, room.max(0), &raw mut length, &raw mut size, &raw mut kind, text) };
            }
            name.truncate(usize::try_from(length).unwrap_or(0));
            Variable { name, kind, size }
        }
    )*};
}

variables! {
    /// `glGetActiveAttrib`.
    attribute: glGetActiveAttrib;
    /// `glGetActiveUniform`.
    uniform: glGetActiveUniform;
    /// `glGetTransformFeedbackVarying`.
    varying: glGetTransformFeedbackVarying;
}

/// `glGetUniformLocation`.
pub fn uniform_location(thread: &Thread, program: u32, name: &[u8]) -> i32 {
    let Ok(name) = CString::new(name) else { return -1 };
    // SAFETY: this is the signature in GL.
    let get = unsafe { real!(thread, glGetUniformLocation, fn(u32, *const c_char) -> i32) };
    // SAFETY: the name is NUL-terminated.
    get.map_or(-1, |get| unsafe { get(program, name.as_ptr()) })
}

/// `glGetAttribLocation`.
pub fn attribute_location(thread: &Thread, program: u32, name: &[u8]) -> i32 {
    let Ok(name) = CString::new(name) else { return -1 };
    // SAFETY: this is the signature in GL.
    let get = unsafe { real!(thread, glGetAttribLocation, fn(u32, *const c_char) -> i32) };
    // SAFETY: the name is NUL-terminated.
    get.map_or(-1, |get| unsafe { get(program, name.as_ptr()) })
}

/// `glGetProgramResourceIndex`.
pub fn resource_index(thread: &Thread, program: u32, interface: u32, name: &[u8]) -> u32 {
    let Ok(name) = CString::new(name) else { return c::GL_INVALID_INDEX };
    // SAFETY: this is the signature in GL.
    let get = unsafe { real!(thread, glGetProgramResourceIndex, fn(u32, u32, *const c_char) -> u32) };
    // SAFETY: the name is NUL-terminated.
    get.map_or(c::GL_INVALID_INDEX, |get| unsafe { get(program, interface, name.as_ptr()) })
}

/// `glGetActiveUniformsiv` of one uniform.
pub fn uniform_property(thread: &Thread, program: u32, index: u32, name: u32) -> i32 {
    let mut value = -1;
    // SAFETY: this is the signature in GL.
    if let Some(get) = unsafe { real!(thread, glGetActiveUniformsiv, fn(u32, i32, *const u32, u32, *mut i32)) } {
        // SAFETY: one index is read, one number written.
        unsafe { get(program, 1, &raw const index, name, &raw mut value) };
    }
    value
}

/// `glGetProgramResourceiv`: at most `room` values of properties.
pub fn resource(thread: &Thread, program: u32, interface: u32, index: u32, names: &[u32], room: usize) -> Vec<i32> {
    type Get = unsafe extern "C-unwind" fn(u32, u32, u32, i32, *const u32, i32, *mut i32, *mut i32);
    let mut values = vec![0; room];
    let mut length = 0;
    // SAFETY: this is the signature in GL.
    let get: Option<Get> =
        unsafe { real!(thread, glGetProgramResourceiv, fn(u32, u32, u32, i32, *const u32, i32, *mut i32, *mut i32)) };
    if let Some(get) = get {
        let (names, count) = (names.as_ptr(), names.len() as i32);
        // SAFETY: the driver is given the number of names and the room for values.
        unsafe { get(program, interface, index, count, names, room as i32, &raw mut length, values.as_mut_ptr()) };
    }
    values.truncate(usize::try_from(length).unwrap_or(0));
    values
}
