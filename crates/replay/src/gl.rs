//! The GL that a trace is replayed on: a driver behind EGL, or a WebGL context.
//!
//! Commands are called by their number, with numbers as words and memory as slices. Memory that GL uses after a call
//! belongs to the implementation, which has it under handles: vertex arrays of a program's own memory
//! ([`Gl::keep`]), buffers that are mapped ([`Gl::write_map`]), the pointer of an array ([`Gl::array_pointer`]). So no
//! address is known on this side, and an implementation whose GL has no addresses is as good as another.

use std::rc::Rc;
use std::time::Duration;

use api::CommandId;
use api::call::{ArrayPointer, ContextHandle, ImageHandle, KeptMemory, MapHandle, PointerArgument, SurfaceHandle};
use api::request::{Client, ContextRequest, SurfaceRequest};

/// Why an implementation of GL does not provide what replay needs: its own error.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct GlError(#[from] Box<dyn std::error::Error + Send + Sync>);

impl GlError {
    /// Returns an error of an implementation as one of this crate.
    pub fn new(error: impl std::error::Error + Send + Sync + 'static) -> GlError {
        GlError(Box::new(error))
    }
}

/// Opens the GL. Replay does so when it begins, and again whenever it has to start over.
pub type GlFactory = Rc<dyn Fn() -> Result<Box<dyn Gl>, GlError>>;

/// An implementation of GL, with contexts and surfaces, used by one thread.
pub trait Gl {
    /// Creates a context that shares objects with `share`. It lives as long as the implementation.
    ///
    /// # Errors
    /// When there is no such context.
    fn new_context(&mut self, request: &ContextRequest, share: Option<ContextHandle>)
    -> Result<ContextHandle, GlError>;

    /// Creates a surface that is as much like the requested one as possible, with one colour buffer that is its back
    /// buffer.
    ///
    /// # Errors
    /// When there is no such surface.
    fn new_surface(&mut self, request: &SurfaceRequest, client: Client) -> Result<SurfaceHandle, GlError>;

    /// Deletes a surface; if it is current, when it is no longer.
    fn delete_surface(&mut self, surface: SurfaceHandle);

    /// Makes a context current with surfaces to draw to and to read from, or none.
    ///
    /// # Errors
    /// When these do not go together.
    fn make_current(
        &mut self,
        context: Option<ContextHandle>,
        draw: Option<SurfaceHandle>,
        read: Option<SurfaceHandle>,
    ) -> Result<(), GlError>;

    /// Creates an image of an object of a context that all contexts can use, as `eglCreateImage` does. `attributes` are
    /// pairs without the end of the list.
    ///
    /// # Errors
    /// When there are no such images.
    fn new_image(
        &mut self,
        context: ContextHandle,
        target: u32,
        object: u32,
        attributes: &[i32],
    ) -> Result<ImageHandle, GlError>;

    /// Deletes an image; textures that were made of it stay.
    fn delete_image(&mut self, image: ImageHandle);

    /// Returns whether there is a command.
    fn has(&self, command: CommandId) -> bool;

    /// Calls a command in the current context: one word for each parameter, and what pointers point to.
    ///
    /// Returns the result as a word; 0 when there is no current context, no such command, or the number of words is not
    /// that of its parameters. For a command that maps a buffer it is the number of a [`MapHandle`].
    fn call(&mut self, command: CommandId, words: &[u64], pointers: &mut [PointerArgument<'_>]) -> u64;

    /// Returns what `glGetString` does or, with an index, `glGetStringi`; empty when there is no such string.
    fn string(&self, name: u32, index: Option<u32>) -> String;

    /// Copies bytes to memory that GL may use after a call: to `slot`, in the place of what is there, or to new memory.
    /// It lives as long as the implementation. Returns `None` when there is no room for it.
    fn keep(&mut self, slot: Option<KeptMemory>, bytes: &[u8]) -> Option<KeptMemory>;

    /// Returns the first bytes of kept memory; `None` when it has fewer.
    fn read_kept(&self, memory: KeptMemory, size: usize) -> Option<Vec<u8>>;

    /// Writes to a mapped buffer. Returns whether it is mapped still, and all bytes lie within what is mapped.
    fn write_map(&mut self, map: MapHandle, offset: usize, bytes: &[u8]) -> bool;

    /// Returns bytes of a mapped buffer; `None` when it is not mapped any more, or not that far.
    fn read_map(&self, map: MapHandle, offset: usize, size: usize) -> Option<Vec<u8>>;

    /// Returns the pointer of the array of a generic vertex attribute, so that it can be specified again.
    fn array_pointer(&mut self, index: u32) -> ArrayPointer;

    /// Returns the time since a moment that is always the same.
    fn time(&self) -> Duration;

    /// Returns the processor time that was used so far, where that is known.
    fn processor_time(&self) -> Duration;
}
