//! How much memory queries write, according to crate `api` and according to a real driver: the memory is filled with a
//! pattern beforehand, and what no longer has it was written.
#![allow(unsafe_code, reason = "queries of GL write through pointers")]

#[path = "extents/counts.rs"]
mod counts;
#[path = "extents/gl.rs"]
mod gl;
#[path = "extents/images.rs"]
mod images;
