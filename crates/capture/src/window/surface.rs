//! Surfaces: their numbers, and their sizes as recorded.

use std::time::{Duration, Instant};

use api::{constant as c, id};

use super::create::add_surface;
use super::{Format, REGISTRY, Surface, System, egl, glx, image};
use crate::context::Context;
use crate::thread::{Thread, ThreadState};

/// Returns the number of a surface, registering it if it is new; 0 for none.
pub(super) fn number(thread: &Thread, system: System, display: u64, handle: u64) -> u32 {
    if handle == 0 {
        return 0;
    }
    let known = find(|surface| surface.system == system && surface.handle == handle);
    if let Some(surface) = known {
        return surface.number;
    }
    match system {
        System::Glx => add_surface(glx::unseen(display, handle)),
        System::Egl => match egl::unseen(thread, display, handle) {
            (surface, true) => add_surface(surface),
            (_, false) => 0,
        },
    }
}

/// Returns a copy of a registered surface.
pub(super) fn find(is_it: impl Fn(&Surface) -> bool) -> Option<Surface> {
    REGISTRY.lock().ok()?.surfaces.iter().find(|surface| is_it(surface)).cloned()
}

/// Removes a surface, whose handle may be reused.
pub(super) fn forget(system: System, handle: u64) {
    if let Ok(mut world) = REGISTRY.lock() {
        world.surfaces.retain(|surface| surface.system != system || surface.handle != handle);
    }
}

/// Queries a surface's size and records it if it has changed. `context` is the current one; `format` is its format, for
/// windows of which nothing else is known. Returns the size.
///
/// The window system may be ahead of the driver, which draws to buffers of the old size until a frame has been presented
/// (Mesa's software driver does). What counts is the size of the buffers; if they are still the old ones, the surface is
/// queried again after the frame.
pub(super) fn update_size(
    thread: &mut Thread,
    number: u32,
    context: Option<&mut Context>,
    format: Option<Format>,
) -> Option<(i32, i32)> {
    // The window system is queried without holding the lock: its reply can take a while.
    let mut surface = find(|surface| surface.number == number)?;
    let size = match surface.system {
        System::Glx => glx::size(thread, &surface),
        System::Egl => egl::size(thread, surface.display, surface.handle),
    };
    let before = (surface.announced, surface.format.is_some(), surface.resizes);
    surface.resizes = false;
    if let Some(size) = size
        && size != surface.size
    {
        let reads = |context: &&mut Context| surface.announced && context.surfaces.1 == number;
        surface.resizes =
            context.filter(reads).is_some_and(|context| !image::is_resized(thread, context, surface.size, size));
        if !surface.resizes {
            surface.size = size;
            surface.announced = false;
        }
    }
    if surface.format.is_none() {
        surface.format = format;
    }
    if !surface.announced {
        announce(thread, &surface);
        surface.announced = true;
    }
    if before != (true, surface.format.is_some(), surface.resizes)
        && let Ok(mut world) = REGISTRY.lock()
        && let Some(known) = world.surfaces.iter_mut().find(|surface| surface.number == number)
    {
        *known = surface.clone();
    }
    Some(surface.size)
}

/// Like [`update_size`], but at most every 50 ms: a query to the X server takes a fraction of a millisecond, and
/// programs react to a resized window with `glViewport` first.
pub(super) fn update_size_if_stale(
    thread: &mut Thread,
    number: u32,
    context: Option<&mut Context>,
) -> Option<(i32, i32)> {
    const INTERVAL: Duration = Duration::from_millis(50);
    {
        let mut world = REGISTRY.lock().ok()?;
        let surface = world.surfaces.iter_mut().find(|surface| surface.number == number)?;
        let now = Instant::now();
        if surface.queried_at.is_some_and(|then| now.duration_since(then) < INTERVAL) {
            return Some(surface.size);
        }
        surface.queried_at = Some(now);
    }
    update_size(thread, number, context, None)
}

fn announce(thread: &mut Thread, surface: &Surface) {
    let format = surface.format.unwrap_or_default();
    let signed = |value: i32| i64::from(value) as u64;
    let words = [
        u64::from(surface.number),
        surface.handle,
        surface.kind as u64,
        signed(surface.size.0),
        signed(surface.size.1),
        signed(format.colour[0]),
        signed(format.colour[1]),
        signed(format.colour[2]),
        signed(format.colour[3]),
        signed(format.depth),
        signed(format.stencil),
        signed(format.samples),
        u64::from(format.double),
        u64::from(format.srgb),
    ];
    thread.emit(id::afiSurface, &words, &[]);
}

/// Updates a window's size after `glViewport`, which programs call after a resize, and at which drivers look for one.
/// Recently seen sizes are skipped, because querying the window system costs microseconds.
pub(super) fn update_size_at_viewport(state: &ThreadState, args: &[u64]) {
    // SAFETY: null, or a context that is current in this thread only.
    let Some(context) = (unsafe { state.context.get().as_mut() }) else { return };
    let &[_, _, width, height] = args else { return };
    let size = (width as i32, height as i32);
    if context.surfaces.0 == 0 || context.viewports.contains(&size) {
        return;
    }
    context.viewports.rotate_right(1);
    context.viewports[0] = size;
    let number = context.surfaces.0;
    // SAFETY: the state's own thread, at the end of a call; the reference is dropped at the end of this function.
    let thread = unsafe { state.thread() };
    let of_egl = find(|surface| surface.number == number).is_some_and(|surface| surface.system == System::Egl);
    if !of_egl {
        update_size(thread, number, Some(context), None);
        return;
    }
    let error = egl::take_error(thread);
    update_size(thread, number, Some(context), None);
    egl::take_error(thread);
    if error != c::EGL_SUCCESS {
        thread.egl_error = error;
    }
}

/// Queries the size of a surface again whose buffers were still those of before a resize when a frame was presented.
pub(super) fn update_size_after_frame(thread: &mut Thread, number: u32) {
    if let Some(surface) = find(|surface| surface.number == number && surface.resizes) {
        update_size(thread, number, None, None);
        if surface.system == System::Egl {
            // The frame was presented without an error.
            egl::take_error(thread);
        }
    }
}
