//! Implements replay's GL with the driver of this machine.

use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use api::call::{
    ArrayPointer, ContextHandle, ImageHandle, KeptMemory, MapHandle, PointerArgument, Refusal, SurfaceHandle,
};
use api::request::{Client, ContextRequest, SurfaceRequest};
use api::{CommandId, constant};
use driver::{DeviceChoice, DriverError, Screen};
use replay::{Gl, GlError, GlFactory};

/// EGL 1.5, 3.7.1: contexts that cannot share objects.
const BAD_MATCH: i32 = constant::EGL_BAD_MATCH as i32;

/// Returns a factory that opens the driver of a device, headless, through EGL.
#[must_use]
pub fn open_egl(device: &DeviceChoice) -> GlFactory {
    open(device, true)
}

/// Returns a factory like that of [`open_egl`], for a driver that shares no objects between OpenGL ES and OpenGL, such as
/// NVIDIA's. Mesa does share them; tests use this.
#[must_use]
pub fn open_egl_unmixed(device: &DeviceChoice) -> GlFactory {
    open(device, false)
}

fn open(device: &DeviceChoice, is_mixed: bool) -> GlFactory {
    let (device, start) = (device.clone(), Instant::now());
    Rc::new(move || {
        let screen = Screen::open(&device).map_err(GlError::new)?;
        Ok(Box::new(EglDriver { screen, start, is_mixed, clients: HashMap::new() }) as Box<dyn Gl>)
    })
}

/// A driver behind EGL. Surfaces are pbuffers.
struct EglDriver {
    screen: Screen,
    start: Instant,
    /// Whether contexts of OpenGL ES and OpenGL may share objects.
    is_mixed: bool,
    /// Which of them each context is of.
    clients: HashMap<ContextHandle, Client>,
}

impl Gl for EglDriver {
    fn new_context(
        &mut self,
        request: &ContextRequest,
        share: Option<ContextHandle>,
    ) -> Result<ContextHandle, GlError> {
        let other = share.and_then(|share| self.clients.get(&share)).is_some_and(|client| *client != request.client);
        if other && !self.is_mixed {
            return Err(GlError::new(DriverError::NoSuchContext { wanted: request.to_string(), code: BAD_MATCH }));
        }
        let context = self.screen.context(request, share).map_err(GlError::new)?;
        self.clients.insert(context, request.client);
        Ok(context)
    }

    fn new_surface(&mut self, request: &SurfaceRequest, client: Client) -> Result<SurfaceHandle, GlError> {
        self.screen.pbuffer(request, client).map_err(GlError::new)
    }

    fn delete_surface(&mut self, surface: SurfaceHandle) {
        self.screen.destroy_pbuffer(surface);
    }

    fn make_current(
        &mut self,
        context: Option<ContextHandle>,
        draw: Option<SurfaceHandle>,
        read: Option<SurfaceHandle>,
    ) -> Result<(), GlError> {
        self.screen.make_current(context, draw, read).map_err(GlError::new)
    }

    fn new_image(
        &mut self,
        context: ContextHandle,
        target: u32,
        object: u32,
        attributes: &[i32],
    ) -> Result<ImageHandle, GlError> {
        self.screen.image(context, target, object, attributes).map_err(GlError::new)
    }

    fn delete_image(&mut self, image: ImageHandle) {
        self.screen.destroy_image(image);
    }

    fn has(&self, command: CommandId) -> bool {
        self.screen.has(command)
    }

    #[inline]
    fn call(&mut self, command: CommandId, words: &[u64], pointers: &mut [PointerArgument<'_>]) -> u64 {
        self.screen.call(command, words, pointers)
    }

    #[inline]
    fn take_refusal(&mut self) -> Option<Refusal> {
        self.screen.take_refusal()
    }

    fn string(&mut self, name: u32, index: Option<u32>) -> String {
        self.screen.string(name, index)
    }

    fn keep(&mut self, slot: Option<KeptMemory>, bytes: &[u8], skipped: u64) -> Option<KeptMemory> {
        self.screen.keep(slot, bytes, skipped)
    }

    fn read_kept(&self, memory: KeptMemory, size: usize) -> Option<Vec<u8>> {
        self.screen.read_kept(memory, size)
    }

    fn write_map(&mut self, map: MapHandle, offset: usize, bytes: &[u8]) -> bool {
        self.screen.write_map(map, offset, bytes)
    }

    fn read_map(&self, map: MapHandle, offset: usize, size: usize) -> Option<Vec<u8>> {
        self.screen.read_map(map, offset, size)
    }

    fn array_pointer(&mut self, index: u32) -> ArrayPointer {
        self.screen.array_pointer(index)
    }

    fn time(&self) -> Duration {
        self.start.elapsed()
    }

    fn processor_time(&self) -> Duration {
        driver::cpu_time()
    }
}
