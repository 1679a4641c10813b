//! Scalar arithmetic and built-in functions of shading languages, on structure-of-arrays lanes.
//!
//! A register holds one scalar for each of `W` lanes: `[u32; W]`, or `[u64; W]` for 64-bit types. The operation
//! determines how bits are interpreted, as in SPIR-V: [`Op2::FAdd`] adds floats, [`Op2::IAdd`] integers, and the width
//! of the word determines the width of the type. Booleans are words of value 0 or 1. Vectors and matrices are several
//! registers; this crate has no notion of them.
//!
//! Operations return whole registers; [`assign`] writes one under a [`Mask`], so that inactive lanes keep their values.
//! Everything is computed for all lanes: no operation traps or branches on a lane, and where the language leaves a
//! result undefined, the operation's documentation states the value. *Detecting* undefined operations is the job of
//! another crate.
//!
//! # Determinism
//!
//! Results are the same on every machine, including wasm32. `sin` and similar functions of the standard library differ
//! between platforms; so 32-bit functions are computed here in `f64` with polynomials of additions and multiplications,
//! and 64-bit ones and some rarely used ones come from the `libm` crate, which works the same way. Only the payload of
//! a NaN is unspecified.
//!
//! ```
//! use lanes::{Mask, Numerics, Op2, assign, op2};
//!
//! let (a, b) = ([1.5f32; 4].map(f32::to_bits), [2.0f32; 4].map(f32::to_bits));
//! let sum = op2(Op2::FAdd, &a, &b, &Numerics::IEEE);
//! let mut register = [0u32; 4];
//! assign(&mut register, &sum, &Mask::from_bits(0b0101));
//! assert_eq!(register.map(f32::from_bits), [3.5, 0.0, 3.5, 0.0]);
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod budget;
mod convert;
mod evaluate;
mod integer;
mod kernel;
mod lane;
mod numerics;
mod op;
pub mod pack;
mod real;
pub mod slices;

pub use convert::{Scalar, convert, convert_bits, join, split};
pub use evaluate::{op1, op2, op3, op4, test1, test2};
pub use lane::{Mask, Word, assign, select};
pub use numerics::{Device, Function1, Function2, Function3, Numerics, Precision, Use, reduce};
pub use op::{Op1, Op2, Op3, Op4, Test1, Test2};
