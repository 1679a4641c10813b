//! Reads back what a frame or a context has drawn, for comparison with a replay.
//!
//! The pixels are read in the program's own context. All state that affects reading is set and restored, and the program
//! is told nothing of it ([`Hidden`]).

use api::{constant as c, id};
use ring::Payload;

use crate::call::Call;
use crate::context::{Context, Framebuffers};
use crate::exit;
use crate::facts::{self, Hidden};
use crate::real::real;
use crate::thread::{self, Thread};

/// What an `afiImage` shows: a frame about to be presented.
const FRAME: u32 = 0;
/// The framebuffer that is bound when a context or a program ends.
const BOUND: u32 = 1;
/// The default framebuffer at that time.
const DEFAULT: u32 = 2;

/// Records a frame that is about to be presented.
pub(super) fn of_frame(thread: &mut Thread, context: &mut Context, surface: u32, size: (i32, i32)) {
    if wanted(thread) {
        read(thread, context, FRAME, surface, size);
    }
}

/// Records the current context, which the program is about to replace or destroy.
pub(super) fn before_release(call: &mut Call<'_>) {
    // Reading waits for all drawing, which the program may have asked to avoid here.
    if let Some(context) = call.context.as_deref_mut()
        && context.flushes
    {
        of_end(call.thread, context);
    }
}

/// Records the current context when the program exits. Other threads keep running; while any of them may be using the
/// same objects, the driver is not called.
pub(super) fn at_exit() {
    // In the child of a fork the thread that holds a lock may not exist; no thread of it is recorded. A signal handler
    // may end the program while its own thread has the lock.
    if thread::has_recorded_state() && super::REGISTRY.try_lock().is_ok_and(|world| world.current.len() == 1) {
        thread::with_context(of_end);
    }
}

/// Returns what `glGetError` returns to the program: its own errors first.
pub(super) fn give_back_error(call: &mut Call<'_>) -> u64 {
    match call.context.as_deref_mut() {
        // Drivers remember only the first error; a later one would not have been reported (GL 4.6, 2.3.1).
        Some(context) if !context.errors.is_empty() => u64::from(context.errors.remove(0)),
        _ => call.result,
    }
}

/// Returns whether the recorder wants pixels, and the driver can still be called.
pub(super) fn wanted(thread: &Thread) -> bool {
    !exit::has_begun() && thread.block().is_some_and(|block| block.settings().hash_frames)
}

/// Records the framebuffer of a context that has presented nothing.
fn of_end(thread: &mut Thread, context: &mut Context) {
    if !context.has_presented && wanted(thread) {
        let hidden = Hidden::begin(thread, context);
        let size = extent(thread, context);
        if !read(thread, context, BOUND, context.surfaces.1, size) {
            // The bound framebuffer cannot be read: it is multisampled, has no colour attachment, or is not complete.
            let size = surface_size(context);
            read(thread, context, DEFAULT, context.surfaces.1, size);
        }
        hidden.end(thread);
    }
}

/// Returns the size of the framebuffer that the program reads from.
fn extent(thread: &Thread, context: &Context) -> (i32, i32) {
    let bound = match context.readback.framebuffers {
        Framebuffers::None => 0,
        Framebuffers::One => integer(thread, c::GL_FRAMEBUFFER_BINDING),
        Framebuffers::Split => integer(thread, c::GL_READ_FRAMEBUFFER_BINDING),
    };
    if bound == 0 {
        return surface_size(context);
    }
    // Attachments can be of many types, and older contexts have no query for their size. Programs usually draw to all
    // of a framebuffer, and pixels outside are left zero in both recording and replay.
    let mut viewport = [0; 4];
    // SAFETY: this is the signature in GL.
    if let Some(get) = unsafe { real!(thread, glGetIntegerv, fn(u32, *mut i32)) } {
        // SAFETY: this parameter has four values.
        unsafe { get(c::GL_VIEWPORT, viewport.as_mut_ptr()) };
    }
    const AT_MOST: i32 = 1 << 14;
    let [x, y, width, height] = viewport;
    (x.saturating_add(width).clamp(0, AT_MOST), y.saturating_add(height).clamp(0, AT_MOST))
}

fn surface_size(context: &Context) -> (i32, i32) {
    super::surface::find(|surface| surface.number == context.surfaces.1).map_or((0, 0), |surface| surface.size)
}

/// Returns the texels of the bound texture, as `glTexImage2D` takes them: RGBA bytes, tightly packed.
pub(super) fn of_texture(thread: &mut Thread, context: &mut Context, target: u32) -> Option<(i32, i32, Vec<u8>)> {
    // SAFETY: this is the signature in GL.
    let level = unsafe { real!(thread, glGetTexLevelParameteriv, fn(u32, i32, u32, *mut i32)) }?;
    // SAFETY: this is the signature in GL.
    let get = unsafe { real!(thread, glGetTexImage, fn(u32, i32, u32, u32, *mut u8)) }?;
    let mut size = [0, 0];
    for (size, name) in size.iter_mut().zip([c::GL_TEXTURE_WIDTH, c::GL_TEXTURE_HEIGHT]) {
        // SAFETY: these parameters have one value each.
        unsafe { level(target, 0, name, size) };
    }
    let [width, height] = size;
    let (columns, rows) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
    let mut texels = vec![0_u8; columns * rows * 4];
    let hidden = Hidden::begin(thread, context);
    let set = SavedState::for_reading(thread, context, false);
    // SAFETY: the tightly packed rows of `width` texels of 4 bytes fit into the buffer.
    unsafe { get(target, 0, c::GL_RGBA, c::GL_UNSIGNED_BYTE, texels.as_mut_ptr()) };
    let failed = errors(thread).next().is_some();
    set.undo(thread);
    hidden.end(thread);
    (!failed && !texels.is_empty()).then_some((width, height, texels))
}

/// Returns whether the buffers of the surface that the current context reads from have a window's new size already. Pixels
/// outside of a framebuffer are not written (GL 4.6, 18.2.3: they are undefined); where none can be read, they are taken to have it.
pub(super) fn is_resized(thread: &Thread, context: &mut Context, old: (i32, i32), new: (i32, i32)) -> bool {
    if facts::compiles_list(thread, context) {
        return true;
    }
    let hidden = Hidden::begin(thread, context);
    let set = SavedState::for_reading(thread, context, true);
    let is_inside = |(width, height): (i32, i32)| {
        // A pixel that is not written keeps its value, whichever that was.
        let [zeros, ones] = [0, u8::MAX].map(|before| {
            let mut pixel = [before; 4];
            read_pixels(thread, (width - 1, height - 1), (1, 1), &mut pixel);
            pixel
        });
        zeros == ones
    };
    // Mesa looks for a new size when it reads something, but finds out before that whether there is something to read.
    is_inside((1, 1));
    let shrinks = new.0 <= old.0 && new.1 <= old.1;
    let resized = if shrinks { !is_inside(old) } else { is_inside(new) };
    let failed = errors(thread).next().is_some();
    set.undo(thread);
    hidden.end(thread);
    resized || failed
}

/// Records an image; returns false when there was nothing to read.
fn read(thread: &mut Thread, context: &mut Context, what: u32, surface: u32, size: (i32, i32)) -> bool {
    let (Ok(width), Ok(height)) = (usize::try_from(size.0), usize::try_from(size.1)) else { return false };
    if width == 0 || height == 0 {
        return false;
    }
    let hidden = Hidden::begin(thread, context);
    let mut pixels = vec![0_u8; width * height * 4];
    let set = SavedState::for_reading(thread, context, what != BOUND);
    read_pixels(thread, (0, 0), size, &mut pixels);
    // The error of a missing read buffer is expected: there is then nothing to read.
    let mut failed = errors(thread).next().is_some();
    if !failed && pixels.iter().all(|&byte| byte == 0) {
        // A window that no longer exists has no pixels either, and reading it is not an error.
        let mut others = vec![u8::MAX; pixels.len()];
        read_pixels(thread, (0, 0), size, &mut others);
        failed = others.iter().all(|&byte| byte == u8::MAX);
    }
    set.undo(thread);
    hidden.end(thread);
    if !failed {
        let words = [u64::from(what), u64::from(surface), width as u64, height as u64, pixels.as_ptr() as u64];
        thread.emit(id::afiImage, &words, &[Payload { param: 4, bytes: &pixels }]);
    }
    !failed
}

/// Reads pixels of four bytes into a buffer, in a context that is set up for reading.
fn read_pixels(thread: &Thread, (x, y): (i32, i32), (width, height): (i32, i32), pixels: &mut [u8]) {
    // SAFETY: this is the signature in GL.
    if let Some(read) = unsafe { real!(thread, glReadPixels, fn(i32, i32, i32, i32, u32, u32, *mut u8)) } {
        // SAFETY: the tightly packed rows of `width` pixels of 4 bytes fit into the buffer.
        unsafe { read(x, y, width, height, c::GL_RGBA, c::GL_UNSIGNED_BYTE, pixels.as_mut_ptr()) };
    }
}

/// Takes errors from the driver until there are none. Limited, because a lost context may return errors for ever.
fn errors(thread: &Thread) -> impl Iterator<Item = u32> {
    // SAFETY: this is the signature in GL.
    let get = unsafe { real!(thread, glGetError, fn() -> u32) };
    // SAFETY: no arguments, no conditions.
    std::iter::from_fn(move || get.map(|get| unsafe { get() }).filter(|&error| error != c::GL_NO_ERROR)).take(8)
}

pub(super) fn integer(thread: &Thread, name: u32) -> i32 {
    let mut value = 0;
    // SAFETY: this is the signature in GL.
    if let Some(get) = unsafe { real!(thread, glGetIntegerv, fn(u32, *mut i32)) } {
        // SAFETY: callers query parameters with one value.
        unsafe { get(name, &raw mut value) };
    }
    value
}

/// The state of the program's context to restore after reading.
struct SavedState {
    pack: Vec<(u32, i32)>,
    pixel_buffer: i32,
    /// The target and its previous framebuffer.
    framebuffer: Option<(u32, i32)>,
    /// The read buffer of the default framebuffer.
    read_buffer: Option<i32>,
}

impl SavedState {
    /// Sets the context up to read tightly packed rows into memory; for a frame, from the default framebuffer's back
    /// buffer.
    fn for_reading(thread: &Thread, context: &Context, frame: bool) -> SavedState {
        let readback = context.readback;
        let mut names = vec![(c::GL_PACK_ALIGNMENT, 1)];
        if readback.pack_rows {
            names.extend([(c::GL_PACK_ROW_LENGTH, 0), (c::GL_PACK_SKIP_ROWS, 0), (c::GL_PACK_SKIP_PIXELS, 0)]);
        }
        if context.api == c::EGL_OPENGL_API {
            names.extend([(c::GL_PACK_SWAP_BYTES, 0), (c::GL_PACK_LSB_FIRST, 0)]);
        }
        let mut setting = SavedState { pack: Vec::new(), pixel_buffer: 0, framebuffer: None, read_buffer: None };
        for (name, wanted) in names {
            let value = integer(thread, name);
            if value != wanted {
                setting.pack.push((name, value));
                pixel_store(thread, name, wanted);
            }
        }
        if readback.pixel_buffers {
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
        let (target, binding) = match context.readback.framebuffers {
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
        if context.readback.read_buffer {
            let now = integer(thread, c::GL_READ_BUFFER);
            let back = if context.format.double { c::GL_BACK } else { c::GL_FRONT };
            // Some surfaces have only a front buffer; the read buffer is then left as it is.
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
    // SAFETY: this is the signature in GL.
    if let Some(set) = unsafe { real!(thread, glPixelStorei, fn(u32, i32)) } {
        // SAFETY: the call accesses no memory.
        unsafe { set(name, value) };
    }
}

fn bind_buffer(thread: &Thread, buffer: u32) {
    // SAFETY: this is the signature in GL.
    let modern = unsafe { real!(thread, glBindBuffer, fn(u32, u32)) };
    // SAFETY: this is the signature in GL.
    if let Some(bind) = modern.or_else(|| unsafe { real!(thread, glBindBufferARB, fn(u32, u32)) }) {
        // SAFETY: the call accesses no memory.
        unsafe { bind(c::GL_PIXEL_PACK_BUFFER, buffer) };
    }
}

fn bind_framebuffer(thread: &Thread, target: u32, framebuffer: u32) {
    // SAFETY: this is the signature in GL.
    let modern = unsafe { real!(thread, glBindFramebuffer, fn(u32, u32)) };
    // SAFETY: this is the signature in GL.
    let desktop = || unsafe { real!(thread, glBindFramebufferEXT, fn(u32, u32)) };
    // SAFETY: this is the signature in GL.
    let embedded = || unsafe { real!(thread, glBindFramebufferOES, fn(u32, u32)) };
    if let Some(bind) = modern.or_else(desktop).or_else(embedded) {
        // SAFETY: the call accesses no memory.
        unsafe { bind(target, framebuffer) };
    }
}

fn read_buffer(thread: &Thread, buffer: u32) {
    // SAFETY: this is the signature in GL.
    if let Some(set) = unsafe { real!(thread, glReadBuffer, fn(u32)) } {
        // SAFETY: the call accesses no memory.
        unsafe { set(buffer) };
    }
}
