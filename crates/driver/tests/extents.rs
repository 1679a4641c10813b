//! Compares how much memory queries write according to crate `api` and on a real driver: the memory is filled with a
//! pattern beforehand, and bytes that no longer match it were written.
#![allow(unsafe_code, reason = "GL queries write through pointers")]

#[path = "extents/counts.rs"]
mod counts;
#[path = "extents/gl.rs"]
mod gl;
#[path = "extents/images.rs"]
mod images;
