//! Commands of GL 1.0 to 4.6, GLES 1.0 to 3.2, EGL and GLX as data: what they are called, what their parameters are
//! and mean, how many bytes a pointer points to, and what a command is for.
//!
//! One description drives recording, printing, replay and state. The tables in `generated` are made by
//! `cargo xtask codegen` from the Khronos registry and `overlay.toml`; everything that walks them is written by hand.
//!
//! This crate is *not* a binding: it calls nothing and reads no memory.

pub mod command;

pub use command::{
    Access, Command, CommandId, Count, Group, Library, Meaning, Memory, Namespace, Param, Role, Scalar, Value,
};
