//! Queries that this module sends to the driver, by its real functions.
//!
//! None of them may leave a GL error behind that the program would see. So only queries are made that the context
//! supports, or, where that is not known, only after a call of the program that fails for the same reason.

use std::ffi::{CStr, c_char, c_void};

use api::{CommandId, constant as c, id};

use crate::thread::Thread;

/// Returns the real function of a command, with its type.
macro_rules! real {
    ($thread:expr, $command:ident, fn($($arg:ty),*) $(-> $result:ty)?) => {
        $thread.real(id::$command).map(|function| {
            // SAFETY: this is the driver's function of that name, and the type is the registry's.
            unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn($($arg),*) $(-> $result)?>(function.as_ptr()) }
        })
    };
}

/// `glGetIntegerv` of a parameter with one value.
pub fn integer(thread: &Thread, pname: u32) -> i32 {
    // Some parameters have up to sixteen values; there is room for all of them.
    let mut values = [0_i32; 64];
    if let Some(get) = real!(thread, glGetIntegerv, fn(u32, *mut i32)) {
        // SAFETY: the driver writes at most as many values as any parameter has.
        unsafe { get(pname, values.as_mut_ptr()) };
    }
    values[0]
}

/// `glIsEnabled`.
pub fn enabled(thread: &Thread, capability: u32) -> bool {
    real!(thread, glIsEnabled, fn(u32) -> u8).is_some_and(|is_enabled| {
        // SAFETY: takes a name, returns a boolean.
        unsafe { is_enabled(capability) != 0 }
    })
}

/// Returns whether `glGetString(GL_EXTENSIONS)` lists an extension. Must not be used in a core profile, which has no
/// such string.
pub fn has_extension(thread: &Thread, name: &str) -> bool {
    let Some(get) = real!(thread, glGetString, fn(u32) -> *const c_char) else { return false };
    // SAFETY: takes a name, returns a string or null.
    let text = unsafe { get(c::GL_EXTENSIONS) };
    if text.is_null() {
        return false;
    }
    // SAFETY: the driver's strings are NUL-terminated and live as long as the context.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_bytes().split(|byte| *byte == b' ').any(|word| word == name.as_bytes())
}

/// Returns the size of the buffer bound to a target, or 0.
pub fn bound_buffer_size(thread: &Thread, target: u32) -> usize {
    let mut size = 0_i32;
    if let Some(get) = real!(thread, glGetBufferParameteriv, fn(u32, u32, *mut i32)) {
        // SAFETY: this name has one value.
        unsafe { get(target, c::GL_BUFFER_SIZE, &raw mut size) };
    }
    usize::try_from(size).unwrap_or(0)
}

/// `glGetBufferSubData` of the buffer bound to a target; the range must lie within it.
///
/// # Safety
/// `size` bytes must be writable at `to`.
pub unsafe fn read_bound_buffer(thread: &Thread, target: u32, offset: usize, size: usize, to: *mut u8) -> bool {
    let Some(get) = real!(thread, glGetBufferSubData, fn(u32, isize, isize, *mut c_void)) else { return false };
    // SAFETY: guaranteed by the caller.
    unsafe { get(target, offset.cast_signed(), size.cast_signed(), to.cast()) };
    true
}

/// Copies from the buffer bound to a target by mapping it, as GLES requires; with core functions if `es3`, else with
/// extensions.
///
/// # Safety
/// `size` bytes must be writable at `to`. The buffer must not be mapped.
pub unsafe fn map_and_read(thread: &Thread, es3: bool, target: u32, offset: usize, size: usize, to: *mut u8) -> bool {
    type Map = unsafe extern "C-unwind" fn(u32, isize, isize, u32) -> *mut c_void;
    let (map, unmap): (Option<Map>, _) = if es3 {
        (
            real!(thread, glMapBufferRange, fn(u32, isize, isize, u32) -> *mut c_void),
            real!(thread, glUnmapBuffer, fn(u32) -> u8),
        )
    } else {
        (
            real!(thread, glMapBufferRangeEXT, fn(u32, isize, isize, u32) -> *mut c_void),
            real!(thread, glUnmapBufferOES, fn(u32) -> u8),
        )
    };
    let (Some(map), Some(unmap)) = (map, unmap) else { return false };
    // SAFETY: takes a target, a range and access bits, returns an address or null.
    let from = unsafe { map(target, offset.cast_signed(), size.cast_signed(), c::GL_MAP_READ_BIT) };
    if from.is_null() {
        return false;
    }
    // SAFETY: the driver has mapped `size` bytes, and the caller guarantees room for them.
    unsafe { std::ptr::copy_nonoverlapping(from.cast::<u8>(), to, size) };
    // SAFETY: the buffer was mapped above.
    unsafe { unmap(target) };
    true
}

/// Returns one number by a function that takes an object or a target, and the name of a parameter.
pub fn by_name(thread: &Thread, command: CommandId, object: u32, pname: u32) -> i32 {
    let mut values = [0_i32; 64];
    if let Some(function) = thread.real(command) {
        // SAFETY: callers pass only commands of this type.
        let get = unsafe {
            std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn(u32, u32, *mut i32)>(function.as_ptr())
        };
        // SAFETY: no parameter has more values than there is room for.
        unsafe { get(object, pname, values.as_mut_ptr()) };
    }
    values[0]
}

/// `glGetMapiv`: the product of its one or two values.
pub fn map_product(thread: &Thread, target: u32, query: u32) -> i32 {
    let mut values = [0_i32; 4];
    if let Some(get) = real!(thread, glGetMapiv, fn(u32, u32, *mut i32)) {
        // SAFETY: callers ask for the order, which has at most two values.
        unsafe { get(target, query, values.as_mut_ptr()) };
    }
    values[0].saturating_mul(values[1].max(1))
}

/// Returns the length of an assembly program by its name; programs of NV_vertex_program are queried without a target.
pub fn program_length(thread: &Thread, program: u32, target: u32) -> usize {
    let mut length = 0_i32;
    if target == 0 {
        length = by_name(thread, id::glGetProgramivNV, program, c::GL_PROGRAM_LENGTH_ARB);
    } else if let Some(get) = real!(thread, glGetNamedProgramivEXT, fn(u32, u32, u32, *mut i32)) {
        // SAFETY: this name has one value.
        unsafe { get(program, target, c::GL_PROGRAM_LENGTH_ARB, &raw mut length) };
    }
    usize::try_from(length).unwrap_or(0)
}

/// `glGetActiveAtomicCounterBufferiv`: the number of counters of a buffer.
pub fn atomic_counters(thread: &Thread, program: u32, buffer: u32) -> usize {
    let mut count = 0_i32;
    if let Some(get) = real!(thread, glGetActiveAtomicCounterBufferiv, fn(u32, u32, u32, *mut i32)) {
        // SAFETY: this name has one value.
        unsafe { get(program, buffer, c::GL_ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTERS, &raw mut count) };
    }
    usize::try_from(count).unwrap_or(0)
}

/// `glGetActiveSubroutineUniformiv`: the number of compatible subroutines.
pub fn subroutines(thread: &Thread, program: u32, stage: u32, index: u32) -> usize {
    let mut count = 0_i32;
    if let Some(get) = real!(thread, glGetActiveSubroutineUniformiv, fn(u32, u32, u32, u32, *mut i32)) {
        // SAFETY: this name has one value.
        unsafe { get(program, stage, index, c::GL_NUM_COMPATIBLE_SUBROUTINES, &raw mut count) };
    }
    usize::try_from(count).unwrap_or(0)
}

/// `glGetActiveUniformBlockiv`.
pub fn uniform_block(thread: &Thread, program: u32, block: u32, pname: u32) -> i32 {
    let mut value = 0_i32;
    if let Some(get) = real!(thread, glGetActiveUniformBlockiv, fn(u32, u32, u32, *mut i32)) {
        // SAFETY: callers ask for names with one value.
        unsafe { get(program, block, pname, &raw mut value) };
    }
    value
}

/// Takes errors from the driver until there are none. Limited, because a lost context may return errors for ever.
pub fn errors(thread: &Thread) -> impl Iterator<Item = u32> + use<> {
    let get = real!(thread, glGetError, fn() -> u32);
    // SAFETY: no arguments, no conditions.
    std::iter::from_fn(move || get.map(|get| unsafe { get() }).filter(|&error| error != 0)).take(8)
}

/// `glGetTexLevelParameteriv` and similar queries.
pub fn level(thread: &Thread, texture: api::extent::Texture, level: i32, pname: u32) -> i32 {
    use api::extent::Texture;
    let mut value = 0_i32;
    match texture {
        Texture::Bound(target) => {
            if let Some(get) = real!(thread, glGetTexLevelParameteriv, fn(u32, i32, u32, *mut i32)) {
                // SAFETY: names of properties of levels have one value.
                unsafe { get(target, level, pname, &raw mut value) };
            }
        }
        Texture::Unit { unit, target } => {
            if let Some(get) = real!(thread, glGetMultiTexLevelParameterivEXT, fn(u32, u32, i32, u32, *mut i32)) {
                // SAFETY: as above.
                unsafe { get(unit, target, level, pname, &raw mut value) };
            }
        }
        Texture::Named { name, target: 0 } => {
            if let Some(get) = real!(thread, glGetTextureLevelParameteriv, fn(u32, i32, u32, *mut i32)) {
                // SAFETY: as above.
                unsafe { get(name, level, pname, &raw mut value) };
            }
        }
        Texture::Named { name, target } => {
            if let Some(get) = real!(thread, glGetTextureLevelParameterivEXT, fn(u32, u32, i32, u32, *mut i32)) {
                // SAFETY: as above.
                unsafe { get(name, target, level, pname, &raw mut value) };
            }
        }
    }
    value
}

/// Returns the number of components of the uniform at a location of a program.
pub fn uniform_numbers(thread: &Thread, program: u32, location: i32) -> usize {
    type Active = unsafe extern "C-unwind" fn(u32, u32, i32, *mut i32, *mut i32, *mut u32, *mut c_char);
    let active: Option<Active> =
        real!(thread, glGetActiveUniform, fn(u32, u32, i32, *mut i32, *mut i32, *mut u32, *mut c_char));
    let locate = real!(thread, glGetUniformLocation, fn(u32, *const c_char) -> i32);
    let (Some(active), Some(locate)) = (active, locate) else { return 0 };
    let count = by_name(thread, id::glGetProgramiv, program, c::GL_ACTIVE_UNIFORMS);
    for index in 0..u32::try_from(count).unwrap_or(0) {
        let mut name = [0_u8; 1024];
        let (mut length, mut size, mut kind) = (0_i32, 0_i32, 0_u32);
        // SAFETY: the last byte of the name stays zero, and the driver is given the sizes of the buffers.
        unsafe {
            active(program, index, 1000, &raw mut length, &raw mut size, &raw mut kind, name.as_mut_ptr().cast())
        };
        let length = usize::try_from(length).unwrap_or(0).min(1000);
        let stem = match name.get(..length) {
            Some(text) if text.ends_with(b"[0]") => length - 3,
            _ => length,
        };
        for element in 0..size.max(1) {
            if size > 1 {
                let text = format!("[{element}]\0");
                let Some(place) = name.get_mut(stem..stem + text.len()) else { break };
                place.copy_from_slice(text.as_bytes());
            }
            // SAFETY: the name is NUL-terminated.
            if unsafe { locate(program, name.as_ptr().cast()) } == location {
                return components(kind);
            }
        }
    }
    0
}

/// Returns the number of components of a uniform of a type.
fn components(kind: u32) -> usize {
    match kind {
        // Vectors of float, int, bool.
        c::GL_FLOAT_VEC2 | c::GL_INT_VEC2 | c::GL_BOOL_VEC2 => 2,
        c::GL_FLOAT_VEC3 | c::GL_INT_VEC3 | c::GL_BOOL_VEC3 => 3,
        c::GL_FLOAT_VEC4 | c::GL_INT_VEC4 | c::GL_BOOL_VEC4 => 4,
        // Square matrices of float and double.
        c::GL_FLOAT_MAT2 | c::GL_DOUBLE_MAT2 => 4,
        c::GL_FLOAT_MAT3 | c::GL_DOUBLE_MAT3 => 9,
        c::GL_FLOAT_MAT4 | c::GL_DOUBLE_MAT4 => 16,
        // Other matrices: 2x3, 2x4, 3x2, 3x4, 4x2, 4x3, as float and as double.
        c::GL_FLOAT_MAT2x3 | c::GL_FLOAT_MAT3x2 | c::GL_DOUBLE_MAT2x3 | c::GL_DOUBLE_MAT3x2 => 6,
        c::GL_FLOAT_MAT2x4 | c::GL_FLOAT_MAT4x2 | c::GL_DOUBLE_MAT2x4 | c::GL_DOUBLE_MAT4x2 => 8,
        c::GL_FLOAT_MAT3x4 | c::GL_FLOAT_MAT4x3 | c::GL_DOUBLE_MAT3x4 | c::GL_DOUBLE_MAT4x3 => 12,
        // Vectors of unsigned, double, and of 64-bit integers.
        c::GL_UNSIGNED_INT_VEC2 | c::GL_DOUBLE_VEC2 | c::GL_INT64_VEC2_ARB | c::GL_UNSIGNED_INT64_VEC2_ARB => 2,
        c::GL_UNSIGNED_INT_VEC3 | c::GL_DOUBLE_VEC3 | c::GL_INT64_VEC3_ARB | c::GL_UNSIGNED_INT64_VEC3_ARB => 3,
        c::GL_UNSIGNED_INT_VEC4 | c::GL_DOUBLE_VEC4 | c::GL_INT64_VEC4_ARB | c::GL_UNSIGNED_INT64_VEC4_ARB => 4,
        _ => 1,
    }
}
