//! What a running shader asks of the world around it: buffers, textures, images, interpolation, somewhere for vertices.
//!
//! Everything has a default - nothing is bound - so a host implements what it has. A shader that asks for what is not
//! there gets what GL promises a robust context: zeros, and writes that go nowhere.

use texture::{Image, Sampler, Texture};

use crate::ir::Register;

/// Which memory an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Space {
    /// Uniform blocks; the slot is a place in [`Program::blocks`](crate::ir::Program::blocks).
    Uniform,
    /// Storage blocks; the slot is a place in [`Program::blocks`](crate::ir::Program::blocks).
    Storage,
    /// Buffers of atomic counters; the slot is the binding.
    Counter,
    /// `shared` variables of a workgroup, [`Program::shared_bytes`](crate::ir::Program::shared_bytes) long.
    Shared,
    /// Outputs of a tessellation control shader, [`Program::patch_bytes`](crate::ir::Program::patch_bytes) long: every
    /// invocation of the patch sees them.
    Patch,
}

/// Where in a pixel an input is wanted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum At {
    /// `interpolateAtCentroid`
    Centroid,
    /// `interpolateAtSample`
    Sample(i32),
    /// `interpolateAtOffset`, from the pixel's centre.
    Offset([f32; 2]),
}

/// The world around a wave.
pub trait Host {
    /// Roughly how many bytes a copy of it takes, for whoever keeps copies. What copies share does not count.
    fn copy_bytes(&self) -> usize {
        0
    }

    /// The bytes of a buffer, as far as it is bound; empty if nothing is.
    fn buffer(&mut self, space: Space, slot: u32) -> &mut [u8] {
        let _ = (space, slot);
        &mut []
    }

    /// The texture and sampler behind a sampler variable's value.
    fn texture(&self, handle: u32) -> Option<(&Texture, &Sampler)> {
        let _ = handle;
        None
    }

    /// The texture behind an image variable's value, and which part of it is bound.
    fn image(&mut self, handle: u32) -> Option<(&mut Texture, Image)> {
        let _ = handle;
        None
    }

    /// A clock: a number that grows with every reading (GL_ARB_shader_clock). No real time, or no two runs were alike.
    fn clock(&mut self) -> u64 {
        0
    }

    /// One component of a fragment's input at another place of the pixel; `input` is the register the input lies in.
    /// Without an answer the input stays as it is.
    fn interpolate(&self, input: Register, lane: usize, at: At) -> Option<u32> {
        let _ = (input, lane, at);
        None
    }

    /// `EmitStreamVertex`: the outputs are in the registers now.
    fn emit(&mut self, lane: usize, stream: u32, output: &dyn Fn(Register) -> u32) {
        let _ = (lane, stream, output);
    }

    /// `EndStreamPrimitive`
    fn end_primitive(&mut self, lane: usize, stream: u32) {
        let _ = (lane, stream);
    }
}

impl Host for () {}
