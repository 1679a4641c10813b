//! Calls any command by its number, with its arguments as words.

use std::ffi::c_void;

use api::{CommandId, Scalar};

use crate::generated::shapes::SHAPES;
use crate::generated::thunks::THUNKS;

/// A function that calls another with arguments of one shape.
pub(crate) type Thunk = unsafe fn(*const c_void, &[u64]) -> u64;

/// Calls a function that implements a command, with one word for each parameter: signed integers sign-extended,
/// unsigned ones and pointers zero-extended, floats as their bits. Returns the result in the same form, 0 when there is
/// none.
///
/// # Panics
/// When `command` is not a command of GL, EGL or GLX, or the number of `args` is not its number of parameters.
///
/// # Safety
/// `function` must be the address of a function with the signature of `command`, and the call must be as safe as the
/// same call in C: pointers among the arguments must point to the memory that the command expects.
pub unsafe fn invoke(function: *const c_void, command: CommandId, args: &[u64]) -> u64 {
    let described = api::command(command);
    let thunk = SHAPES.get(usize::from(command.0)).and_then(|shape| THUNKS.get(usize::from(*shape)));
    let Some(thunk) = thunk else { panic!("{} cannot be called", described.name) };
    assert_eq!(args.len(), described.params.len(), "{} was called with a wrong number of arguments", described.name);
    // SAFETY: the thunk matches the command's shape; the rest is guaranteed by the caller.
    let result = unsafe { thunk(function, args) };
    // Shapes do not distinguish signed from unsigned.
    if described.result.scalar == Scalar::I32 { i64::from(result as i32).cast_unsigned() } else { result }
}

/// Values as words.
pub(crate) trait Word {
    fn from_word(word: u64) -> Self;
    fn word(self) -> u64;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Word for $type {
            #[inline]
            fn from_word(word: u64) -> Self {
                word as Self
            }
            #[inline]
            #[allow(clippy::cast_lossless, reason = "one macro for signed and unsigned: `as` extends each correctly")]
            fn word(self) -> u64 {
                self as u64
            }
        }
    )*};
}

integers!(i8, u8, i16, u16, u32, u64);

impl Word for f32 {
    #[inline]
    fn from_word(word: u64) -> Self {
        f32::from_bits(word as u32)
    }
    #[inline]
    fn word(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Word for f64 {
    #[inline]
    fn from_word(word: u64) -> Self {
        f64::from_bits(word)
    }
    #[inline]
    fn word(self) -> u64 {
        self.to_bits()
    }
}

impl Word for () {
    #[inline]
    fn from_word(_: u64) -> Self {}
    #[inline]
    fn word(self) -> u64 {
        0
    }
}

/// Defines a thunk. Parameters are given with the index of their word.
macro_rules! thunk {
    ($name:ident, ($($index:literal: $type:ty),*) $(-> $result:ty)?) => {
        unsafe fn $name(function: *const std::ffi::c_void, _args: &[u64]) -> u64 {
            // SAFETY: the caller guarantees a function of this shape.
            let function = unsafe {
                std::mem::transmute::<*const std::ffi::c_void, unsafe extern "C" fn($($type),*) $(-> $result)?>(function)
            };
            // SAFETY: the caller guarantees that the call is as safe as the same call in C.
            let result = unsafe { function($($crate::invoke::Word::from_word(_args[$index])),*) };
            $crate::invoke::Word::word(result)
        }
    };
}
pub(crate) use thunk;
