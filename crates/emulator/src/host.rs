//! What a running program needs from outside: buffers, textures, images, interpolation, a place for emitted vertices.
//!
//! Every method has a default that stands for "nothing is bound", so a host implements what it has. A program that uses
//! something that is not bound gets what GL promises for robust contexts: reads give zeros, and writes have no effect.

use texture::{Image, Sampler, Texture};

use crate::ir::Register;
pub use crate::ir::Space;

/// Where in a pixel an input is interpolated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum At {
    /// `interpolateAtCentroid`
    Centroid,
    /// `interpolateAtSample`
    Sample(i32),
    /// `interpolateAtOffset`, from the pixel's centre.
    Offset([f32; 2]),
}

/// The surroundings of a wave.
pub trait Host {
    /// Returns roughly how many bytes a copy takes, for the budget of checkpoints. What copies share does not count.
    fn copy_bytes(&self) -> usize {
        0
    }

    /// Returns the bytes of a buffer that are bound; empty if none are. It is not called for [`Space::Private`] and
    /// [`Space::Generic`].
    fn buffer(&mut self, space: Space, slot: u32) -> &mut [u8] {
        let _ = (space, slot);
        &mut []
    }

    /// Returns the texture and sampler of a sampler variable's value.
    fn texture(&self, handle: u32) -> Option<(&Texture, &Sampler)> {
        let _ = handle;
        None
    }

    /// Returns the texture of an image variable's value, and the part of it that is bound.
    fn image(&mut self, handle: u32) -> Option<(&mut Texture, Image)> {
        let _ = handle;
        None
    }

    /// Returns a number that grows with every reading (GL_ARB_shader_clock). It is not real time, so that runs can be
    /// repeated.
    fn clock(&mut self) -> u64 {
        0
    }

    /// Returns one component of a fragment's input at another place in the pixel; `input` is its register. With `None` the
    /// input stays as it is.
    fn interpolate(&self, input: Register, lane: usize, at: At) -> Option<u32> {
        let _ = (input, lane, at);
        None
    }

    /// `EmitStreamVertex`: `output` reads the registers of the outputs.
    fn emit(&mut self, lane: usize, stream: u32, output: &dyn Fn(Register) -> u32) {
        let _ = (lane, stream, output);
    }

    /// `EndStreamPrimitive`
    fn end_primitive(&mut self, lane: usize, stream: u32) {
        let _ = (lane, stream);
    }
}

impl Host for () {}
