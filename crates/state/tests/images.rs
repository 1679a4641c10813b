//! Textures, samplers, renderbuffers and framebuffers: the model and a real driver get the same random calls and the
//! same queries.
#![allow(clippy::print_stdout, reason = "the tests print how much they compared")]

#[path = "images/framebuffers.rs"]
mod framebuffers;
#[path = "images/lab.rs"]
mod lab;
#[path = "images/levels.rs"]
mod levels;
#[path = "images/parameters.rs"]
mod parameters;
#[path = "images/transfers.rs"]
mod transfers;
