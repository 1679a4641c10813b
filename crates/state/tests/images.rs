//! Textures, samplers, renderbuffers and framebuffers: the model is told the same random calls as a real driver, and
//! then asked the same questions.
#![allow(clippy::print_stdout, reason = "a test says how much it compared")]

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
