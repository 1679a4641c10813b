//! The shared memory between a recorded program and its recorder: one block, mapped by both, with one ring for each
//! thread of the program.
//!
//! The program's end (`Producer`) runs inside hooks of a program that nobody asked: no heap, no locks, no descriptors.
//! What it has published survives its death, because the recorder maps the same memory.
//!
//! This crate is *not* a protocol of files: nothing of it is ever written to disk, and both ends are of one build.

pub mod layout;
