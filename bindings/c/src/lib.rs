//! The C interface of the library.
//!
//! `include/afterimage.h` is generated from this crate (`UPDATE_EXPECT=1 cargo test -p afterimage-c --test header`), and
//! its comments are those of the items here, so they speak of C. The rules of the interface:
//!
//! - What a function returns by pointer belongs to the caller, who gives it back to the function that its type names.
//!   Texts and lists inside belong to what they are in.
//! - `NULL` is the answer that there is none. `afterimage_last_error` has the reason, and `NULL` if there was no error.
//! - A pointer that is passed is checked for `NULL`; everything else about it is the caller's promise, as usual in C.
//! - No panic crosses the interface: it becomes an error of the call.
//! - A session serves one call at a time; others wait. `afterimage_interrupt` may be called at any time.
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block, unsafe_op_in_unsafe_fn)]
#![allow(unsafe_code, reason = "C passes and takes pointers")]
#![allow(
    clippy::not_unsafe_ptr_arg_deref,
    reason = "the functions are called from C, which knows no unsafe functions; what callers promise is in the header"
)]

mod calls;
mod contents;
mod debugger;
mod error;
mod memory;
mod session;

pub use calls::*;
pub use contents::*;
pub use debugger::*;
pub use error::*;
pub use memory::*;
pub use session::*;
