//! The GL that a trace is replayed on: a driver behind EGL, or a WebGL context.
//!
//! Commands are called by id, with numbers as words and memory as slices. Memory that GL uses after a call belongs to the
//! implementation and has a handle: vertex arrays in the program's own memory ([`Gl::keep`]), mapped buffers
//! ([`Gl::write_map`]), the pointer of an array ([`Gl::array_pointer`]). So replay knows no addresses, and an
//! implementation need not have any.

use std::rc::Rc;
use std::time::Duration;

use api::CommandId;
use api::call::{
    ArrayPointer, ContextHandle, ImageHandle, KeptMemory, MapHandle, PointerArgument, Refusal, SurfaceHandle,
};
use api::request::{Client, ContextRequest, SurfaceRequest};

/// An error of an implementation of GL.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct GlError(#[from] Box<dyn std::error::Error + Send + Sync>);

impl GlError {
    /// Wraps an error of an implementation.
    pub fn new(error: impl std::error::Error + Send + Sync + 'static) -> GlError {
        GlError(Box::new(error))
    }
}

/// Opens the GL. Replay calls it at the start, and again whenever it starts over.
pub type GlFactory = Rc<dyn Fn() -> Result<Box<dyn Gl>, GlError>>;

/// An implementation of GL, with contexts and surfaces, used by one thread. Several can be used in turn: what is current in
/// one does not depend on the others.
pub trait Gl {
    /// Creates a context that shares objects with `share`. It lives as long as the implementation.
    ///
    /// # Errors
    /// When such a context is not supported.
    fn new_context(&mut self, request: &ContextRequest, share: Option<ContextHandle>)
    -> Result<ContextHandle, GlError>;

    /// Creates a surface that matches the requested one as closely as possible. It has one colour buffer, which is its
    /// back buffer.
    ///
    /// # Errors
    /// When such a surface is not supported.
    fn new_surface(&mut self, request: &SurfaceRequest, client: Client) -> Result<SurfaceHandle, GlError>;

    /// Deletes a surface; a current one lives until it is released.
    fn delete_surface(&mut self, surface: SurfaceHandle);

    /// Makes a context current with a draw and a read surface, or releases the current one.
    ///
    /// # Errors
    /// When the context and the surfaces are incompatible.
    fn make_current(
        &mut self,
        context: Option<ContextHandle>,
        draw: Option<SurfaceHandle>,
        read: Option<SurfaceHandle>,
    ) -> Result<(), GlError>;

    /// Creates an image from an object of a context, for use in all contexts, as `eglCreateImage` does. `attributes` are
    /// pairs without the terminator.
    ///
    /// # Errors
    /// When such images are not supported.
    fn new_image(
        &mut self,
        context: ContextHandle,
        target: u32,
        object: u32,
        attributes: &[i32],
    ) -> Result<ImageHandle, GlError>;

    /// Deletes an image; textures created from it stay.
    fn delete_image(&mut self, image: ImageHandle);

    /// Returns whether the GL has a command.
    fn has(&self, command: CommandId) -> bool;

    /// Calls a command in the current context, with one word for each parameter and the memory behind its pointers.
    ///
    /// Returns the result as a word: for a command that maps a buffer, the number of a [`MapHandle`]. Returns 0 when no
    /// context is current, the GL does not have the command, it has another number of parameters, or the call is refused.
    fn call(&mut self, command: CommandId, words: &[u64], pointers: &mut [PointerArgument<'_>]) -> u64;

    /// Returns why the last call was not made, if it was refused because of the memory that it would access, and forgets
    /// that.
    fn take_refusal(&mut self) -> Option<Refusal>;

    /// Returns the result of `glGetString` or, with an index, `glGetStringi`; empty when there is no such string.
    fn string(&mut self, name: u32, index: Option<u32>) -> String;

    /// Copies bytes to memory that GL may use after a call: over the contents of `slot`, or to new memory, `skipped`
    /// bytes behind its start. The memory lives as long as the implementation. Returns `None` when there is not enough.
    fn keep(&mut self, slot: Option<KeptMemory>, bytes: &[u8], skipped: u64) -> Option<KeptMemory>;

    /// Returns the first bytes of kept memory; `None` when it has fewer.
    fn read_kept(&self, memory: KeptMemory, size: usize) -> Option<Vec<u8>>;

    /// Writes to a mapped buffer. Returns false when it is no longer mapped, or not all bytes lie in the mapped range.
    fn write_map(&mut self, map: MapHandle, offset: usize, bytes: &[u8]) -> bool;

    /// Returns bytes of a mapped buffer; `None` when it is no longer mapped, or not all bytes lie in the mapped range.
    fn read_map(&self, map: MapHandle, offset: usize, size: usize) -> Option<Vec<u8>>;

    /// Returns the pointer of the array of a generic vertex attribute, so that it can be specified again.
    fn array_pointer(&mut self, index: u32) -> ArrayPointer;

    /// Returns the time since a fixed moment.
    fn time(&self) -> Duration;

    /// Returns the processor time of this process so far; zero if that is not known.
    fn processor_time(&self) -> Duration;
}
