//! Reading back what a frame or a context has drawn, so that replay can be compared with it.
//!
//! The driver is asked in the program's own context. Everything that matters to reading is set and put back; errors that
//! the program has not asked for yet are kept for it, and those of our making are not shown to it.

use api::{constant as c, id};
use ring::Payload;

use crate::call::Call;
use crate::context::{Context, Framebuffers};
use crate::exit;
use crate::real::real;
use crate::thread::{self, Thread};

/// What an `afiImage` shows: a frame about to be presented.
const FRAME: u32 = 0;
/// The framebuffer that is bound when a context or a program ends.
const BOUND: u32 = 1;
/// The default framebuffer then.
const DEFAULT: u32 = 2;

/// A frame is about to be presented.
pub(super) fn of_frame(thread: &mut Thread, context: &mut Context, surface: u32, size: (i32, i32)) {
    if wanted(thread) {
        read(thread, context, FRAME, surface, size);
    }
}

/// The program is about to make another context current, or to destroy the current one.
pub(super) fn at_loss(call: &mut Call<'_>) {
    // Reading waits for everything that was drawn, which a program may have asked not to happen here.
    if let Some(context) = call.context.as_deref_mut()
        && context.flushes
    {
        of_end(call.thread, context);
    }
}

/// The program ends. Other threads are not stopped by that; while any of them may be using the same objects, drivers are
/// better left alone.
pub(super) fn at_exit() {
    // In the child of a fork there may be nobody left to open a lock; no thread of it is recorded. A signal handler may
    // end the program while its own thread has the lock.
    if thread::is_seated() && super::WORLD.try_lock().is_ok_and(|world| world.current.len() == 1) {
        thread::with_context(of_end);
    }
}

/// What `glGetError` returns to the program: its own errors first.
pub(super) fn give_back_error(call: &mut Call<'_>) -> u64 {
    match call.context.as_deref_mut() {
        // Drivers remember one error, the first: one that came later would not have been seen (GL 4.6, 2.3.1).
        Some(context) if !context.errors.is_empty() => u64::from(context.errors.remove(0)),
        _ => call.result,
    }
}

/// Whether the recorder wants pixels, and the driver can still be asked for them.
pub(super) fn wanted(thread: &Thread) -> bool {
    !exit::has_begun() && thread.block().is_some_and(|block| block.settings().hash_frames)
}

/// What is left in the framebuffer of a context that has presented nothing.
fn of_end(thread: &mut Thread, context: &mut Context) {
    if !context.has_presented && wanted(thread) {
        let size = extent(thread, context);
        if !read(thread, context, BOUND, context.surfaces.1, size) {
            // What is bound cannot be read: it has samples, or lacks a colour, or is not complete.
            let size = surface_size(context);
            read(thread, context, DEFAULT, context.surfaces.1, size);
        }
    }
}

/// How large the framebuffer is that the program reads from.
fn extent(thread: &Thread, context: &Context) -> (i32, i32) {
    let bound = match context.abilities.framebuffers {
        Framebuffers::None => 0,
        Framebuffers::One => integer(thread, c::GL_FRAMEBUFFER_BINDING),
        Framebuffers::Split => integer(thread, c::GL_READ_FRAMEBUFFER_BINDING),
    };
    if bound == 0 {
        return surface_size(context);
    }
    // What is attached can be many things, and older contexts cannot be asked how large they are. Programs draw to all of
    // a framebuffer as a rule, and pixels outside are left zero in both recording and replay.
    let mut viewport = [0; 4];
    // SAFETY: this signature is GL's.
    if let Some(get) = unsafe { real!(thread, glGetIntegerv, fn(u32, *mut i32)) } {
        // SAFETY: this value is four integers.
        unsafe { get(c::GL_VIEWPORT, viewport.as_mut_ptr()) };
    }
    const AT_MOST: i32 = 1 << 14;
    let [x, y, width, height] = viewport;
    (x.saturating_add(width).clamp(0, AT_MOST), y.saturating_add(height).clamp(0, AT_MOST))
}

fn surface_size(context: &Context) -> (i32, i32) {
    super::surface::find(|surface| surface.number == context.surfaces.1).map_or((0, 0), |surface| surface.size)
}

/// The texels of the texture that is bound, as `glTexImage2D` takes them: RGBA, bytes, without gaps.
pub(super) fn of_texture(thread: &mut Thread, context: &mut Context, target: u32) -> Option<(i32, i32, Vec<u8>)> {
    for error in errors(thread) {
        context.errors.push(error);
    }
    // SAFETY: this signature is GL's.
    let level = unsafe { real!(thread, glGetTexLevelParameteriv, fn(u32, i32, u32, *mut i32)) }?;
    // SAFETY: this signature is GL's.
    let get = unsafe { real!(thread, glGetTexImage, fn(u32, i32, u32, u32, *mut u8)) }?;
    let mut size = [0, 0];
    for (size, name) in size.iter_mut().zip([c::GL_TEXTURE_WIDTH, c::GL_TEXTURE_HEIGHT]) {
        // SAFETY: these values are one integer each.
        unsafe { level(target, 0, name, size) };
    }
    let [width, height] = size;
    let (columns, rows) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
    let mut texels = vec![0_u8; columns * rows * 4];
    let set = Setting::for_reading(thread, context, false);
    // SAFETY: rows of `width` texels of 4 bytes without gaps, as has been set, fit into the memory given.
    unsafe { get(target, 0, c::GL_RGBA, c::GL_UNSIGNED_BYTE, texels.as_mut_ptr()) };
    let failed = errors(thread).next().is_some();
    set.undo(thread);
    for _ in errors(thread) {}
    (!failed && !texels.is_empty()).then_some((width, height, texels))
}

/// Writes a picture down; false when there was nothing to read.
fn read(thread: &mut Thread, context: &mut Context, what: u32, surface: u32, size: (i32, i32)) -> bool {
    let (Ok(width), Ok(height)) = (usize::try_from(size.0), usize::try_from(size.1)) else { return false };
    if width == 0 || height == 0 {
        return false;
    }
    for error in errors(thread) {
        context.errors.push(error);
    }
    let mut pixels = vec![0_u8; width * height * 4];
    let set = Setting::for_reading(thread, context, what != BOUND);
    read_pixels(thread, size, &mut pixels);
    // Of the error that a missing read buffer gives nothing is to be said: then there is nothing to read.
    let mut failed = errors(thread).next().is_some();
    if !failed && pixels.iter().all(|&byte| byte == 0) {
        // A window that is gone has no pixels either, and reading them is no error.
        let mut others = vec![u8::MAX; pixels.len()];
        read_pixels(thread, size, &mut others);
        failed = others.iter().all(|&byte| byte == u8::MAX);
    }
    set.undo(thread);
    for _ in errors(thread) {}
    if !failed {
        let words = [u64::from(what), u64::from(surface), width as u64, height as u64, pixels.as_ptr() as u64];
        thread.emit(id::afiImage, &words, &[Payload { param: 4, bytes: &pixels }]);
    }
    !failed
}

/// Reads as many pixels of four bytes as there is room for, in a context that is set for reading.
fn read_pixels(thread: &Thread, (width, height): (i32, i32), pixels: &mut [u8]) {
    // SAFETY: this signature is GL's.
    if let Some(read) = unsafe { real!(thread, glReadPixels, fn(i32, i32, i32, i32, u32, u32, *mut u8)) } {
        // SAFETY: rows of `width` pixels of 4 bytes without gaps, as has been set, fit into the memory given.
        unsafe { read(0, 0, width, height, c::GL_RGBA, c::GL_UNSIGNED_BYTE, pixels.as_mut_ptr()) };
    }
}

/// Takes errors from the driver until there is none. A lost context may have one for ever.
fn errors(thread: &Thread) -> impl Iterator<Item = u32> {
    // SAFETY: this signature is GL's.
    let get = unsafe { real!(thread, glGetError, fn() -> u32) };
    // SAFETY: no arguments, no conditions.
    std::iter::from_fn(move || get.map(|get| unsafe { get() }).filter(|&error| error != c::GL_NO_ERROR)).take(8)
}

pub(super) fn integer(thread: &Thread, name: u32) -> i32 {
    let mut value = 0;
    // SAFETY: this signature is GL's.
    if let Some(get) = unsafe { real!(thread, glGetIntegerv, fn(u32, *mut i32)) } {
        // SAFETY: callers ask for values that are one integer.
        unsafe { get(name, &raw mut value) };
    }
    value
}

/// What has been changed in the program's context for a reading.
struct Setting {
    pack: Vec<(u32, i32)>,
    pixel_buffer: i32,
    /// The target and the framebuffer that was bound to it.
    framebuffer: Option<(u32, i32)>,
    /// The default framebuffer's own.
    read_buffer: Option<i32>,
}

impl Setting {
    /// Makes reading give all rows without gaps into memory; for a frame, from the default framebuffer's back buffer.
    fn for_reading(thread: &Thread, context: &Context, frame: bool) -> Setting {
        let abilities = context.abilities;
        let mut names = vec![(c::GL_PACK_ALIGNMENT, 1)];
        if abilities.pack_rows {
            names.extend([(c::GL_PACK_ROW_LENGTH, 0), (c::GL_PACK_SKIP_ROWS, 0), (c::GL_PACK_SKIP_PIXELS, 0)]);
        }
        if context.api == c::EGL_OPENGL_API {
            names.extend([(c::GL_PACK_SWAP_BYTES, 0), (c::GL_PACK_LSB_FIRST, 0)]);
        }
        let mut setting = Setting { pack: Vec::new(), pixel_buffer: 0, framebuffer: None, read_buffer: None };
        for (name, wanted) in names {
            let value = integer(thread, name);
            if value != wanted {
                setting.pack.push((name, value));
                pixel_store(thread, name, wanted);
            }
        }
        if abilities.pixel_buffers {
            setting.pixel_buffer = integer(thread, c::GL_PIXEL_PACK_BUFFER_BINDING);
            if setting.pixel_buffer != 0 {
                bind_buffer(thread, 0);
            }
        }
        if frame {
            setting.read_frame(thread, context);
        }
        setting
    }

    fn read_frame(&mut self, thread: &Thread, context: &Context) {
        let (target, binding) = match context.abilities.framebuffers {
            Framebuffers::None => (0, 0),
            Framebuffers::One => (c::GL_FRAMEBUFFER, c::GL_FRAMEBUFFER_BINDING),
            Framebuffers::Split => (c::GL_READ_FRAMEBUFFER, c::GL_READ_FRAMEBUFFER_BINDING),
        };
        if target != 0 {
            let bound = integer(thread, binding);
            if bound != 0 {
                self.framebuffer = Some((target, bound));
                bind_framebuffer(thread, target, 0);
            }
        }
        if context.abilities.read_buffer {
            let now = integer(thread, c::GL_READ_BUFFER);
            let back = if context.format.double { c::GL_BACK } else { c::GL_FRONT };
            // A front buffer is all that some surfaces have; what is set then is what there is.
            let is_back = now as u32 == c::GL_BACK || now as u32 == c::GL_BACK_LEFT;
            if now as u32 == c::GL_NONE || context.format.double && !is_back {
                self.read_buffer = Some(now);
                read_buffer(thread, back);
                if errors(thread).next().is_some() {
                    read_buffer(thread, now as u32);
                }
            }
        }
    }

    fn undo(self, thread: &Thread) {
        if let Some(buffer) = self.read_buffer {
            read_buffer(thread, buffer as u32);
        }
        if let Some((target, framebuffer)) = self.framebuffer {
            bind_framebuffer(thread, target, framebuffer as u32);
        }
        if self.pixel_buffer != 0 {
            bind_buffer(thread, self.pixel_buffer as u32);
        }
        for (name, value) in self.pack {
            pixel_store(thread, name, value);
        }
    }
}

fn pixel_store(thread: &Thread, name: u32, value: i32) {
    // SAFETY: this signature is GL's.
    if let Some(set) = unsafe { real!(thread, glPixelStorei, fn(u32, i32)) } {
        // SAFETY: no memory is touched.
        unsafe { set(name, value) };
    }
}

fn bind_buffer(thread: &Thread, buffer: u32) {
    // SAFETY: this signature is GL's.
    let modern = unsafe { real!(thread, glBindBuffer, fn(u32, u32)) };
    // SAFETY: this signature is GL's.
    if let Some(bind) = modern.or_else(|| unsafe { real!(thread, glBindBufferARB, fn(u32, u32)) }) {
        // SAFETY: no memory is touched.
        unsafe { bind(c::GL_PIXEL_PACK_BUFFER, buffer) };
    }
}

fn bind_framebuffer(thread: &Thread, target: u32, framebuffer: u32) {
    // SAFETY: this signature is GL's.
    let modern = unsafe { real!(thread, glBindFramebuffer, fn(u32, u32)) };
    // SAFETY: this signature is GL's.
    let desktop = || unsafe { real!(thread, glBindFramebufferEXT, fn(u32, u32)) };
    // SAFETY: this signature is GL's.
    let embedded = || unsafe { real!(thread, glBindFramebufferOES, fn(u32, u32)) };
    if let Some(bind) = modern.or_else(desktop).or_else(embedded) {
        // SAFETY: no memory is touched.
        unsafe { bind(target, framebuffer) };
    }
}

fn read_buffer(thread: &Thread, buffer: u32) {
    // SAFETY: this signature is GL's.
    if let Some(set) = unsafe { real!(thread, glReadBuffer, fn(u32)) } {
        // SAFETY: no memory is touched.
        unsafe { set(buffer) };
    }
}
