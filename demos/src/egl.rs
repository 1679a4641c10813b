//! EGL: the library, a display, contexts and surfaces.

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use anyhow::{Context as _, bail, ensure};

use crate::library::library;
use crate::options::Size;
use crate::stage::ContextKind;

/// An EGLDisplay, EGLConfig, EGLContext or EGLSurface.
pub type Handle = *mut c_void;

const NONE: i32 = 0x3038;
const SURFACE_TYPE: i32 = 0x3033;
const RENDERABLE_TYPE: i32 = 0x3040;
const PBUFFER_BIT: i32 = 1;
const WINDOW_BIT: i32 = 4;
const OPENGL_BIT: i32 = 8;
const OPENGL_ES2_BIT: i32 = 4;
const RED_SIZE: i32 = 0x3024;
const GREEN_SIZE: i32 = 0x3023;
const BLUE_SIZE: i32 = 0x3022;
const DEPTH_SIZE: i32 = 0x3025;
const STENCIL_SIZE: i32 = 0x3026;
const WIDTH: i32 = 0x3057;
const HEIGHT: i32 = 0x3056;
const NATIVE_VISUAL_ID: i32 = 0x302E;
const OPENGL_API: u32 = 0x30A2;
const OPENGL_ES_API: u32 = 0x30A0;
const CONTEXT_MAJOR_VERSION: i32 = 0x3098;
const CONTEXT_MINOR_VERSION: i32 = 0x30FB;
const CONTEXT_OPENGL_PROFILE_MASK: i32 = 0x30FD;
const CORE_PROFILE_BIT: i32 = 1;
const COMPATIBILITY_PROFILE_BIT: i32 = 2;
const PLATFORM_SURFACELESS: u32 = 0x31DD;
const PLATFORM_DEVICE: u32 = 0x313F;
const PLATFORM_X11: u32 = 0x31D5;

library! {
    Egl, "libEGL.so.1", "cannot load libEGL.so.1; install a GL driver (Debian: libegl1)";
    get_proc_address = "eglGetProcAddress"(*const c_char) -> *const c_void;
    get_display = "eglGetDisplay"(*mut c_void) -> Handle;
    get_platform_display = "eglGetPlatformDisplay"(u32, *mut c_void, *const isize) -> Handle;
    initialize = "eglInitialize"(Handle, *mut i32, *mut i32) -> u32;
    terminate = "eglTerminate"(Handle) -> u32;
    bind_api = "eglBindAPI"(u32) -> u32;
    choose_config = "eglChooseConfig"(Handle, *const i32, *mut Handle, i32, *mut i32) -> u32;
    get_config_attrib = "eglGetConfigAttrib"(Handle, Handle, i32, *mut i32) -> u32;
    create_context = "eglCreateContext"(Handle, Handle, Handle, *const i32) -> Handle;
    create_pbuffer = "eglCreatePbufferSurface"(Handle, Handle, *const i32) -> Handle;
    create_window = "eglCreateWindowSurface"(Handle, Handle, usize, *const i32) -> Handle;
    make_current = "eglMakeCurrent"(Handle, Handle, Handle, Handle) -> u32;
    swap_buffers = "eglSwapBuffers"(Handle, Handle) -> u32;
    destroy_context = "eglDestroyContext"(Handle, Handle) -> u32;
    destroy_surface = "eglDestroySurface"(Handle, Handle) -> u32;
    get_error = "eglGetError"() -> i32;
}

/// An initialised display, and a config for one kind of context.
#[derive(Clone, Copy)]
pub struct Display {
    /// The EGLDisplay.
    pub handle: Handle,
    config: Handle,
    kind: ContextKind,
}

// SAFETY: EGL displays and configs belong to the process, not to a thread (EGL 1.5, 2.6).
unsafe impl Send for Display {}

impl Egl {
    /// Returns the process's EGL.
    pub fn get() -> anyhow::Result<&'static Egl> {
        static EGL: OnceLock<Egl> = OnceLock::new();
        if let Some(egl) = EGL.get() {
            return Ok(egl);
        }
        let egl = Egl::load()?;
        Ok(EGL.get_or_init(|| egl))
    }

    /// Returns the address of a function; null when the driver does not have it.
    pub fn address(&self, name: &CStr) -> *const c_void {
        // SAFETY: `name` is a NUL-terminated string that outlives the call.
        unsafe { (self.get_proc_address)(name.as_ptr()) }
    }

    /// Opens a display without a screen: the one selected by EGL_PLATFORM, or else one that needs no server.
    pub fn headless(&self, kind: ContextKind) -> anyhow::Result<Display> {
        let mut tried = Vec::new();
        if std::env::var_os("EGL_PLATFORM").is_none() {
            tried.push(self.platform_display(PLATFORM_SURFACELESS, std::ptr::null_mut()));
            tried.push(self.platform_display(PLATFORM_DEVICE, std::ptr::null_mut()));
        }
        // SAFETY: EGL_DEFAULT_DISPLAY is a null pointer.
        tried.push(unsafe { (self.get_display)(std::ptr::null_mut()) });
        let found = tried.into_iter().find_map(|handle| self.open(handle, kind, PBUFFER_BIT));
        found.with_context(|| format!("no EGL display supports {kind} without a screen; install a GL driver"))
    }

    /// Opens the display of an X server; `server` is Xlib's `Display *`.
    ///
    /// # Safety
    /// `server` must be an open connection that stays open as long as the display is used.
    pub unsafe fn on_x11(&self, server: *mut c_void, kind: ContextKind) -> anyhow::Result<Display> {
        let handle = self.platform_display(PLATFORM_X11, server);
        self.open(handle, kind, WINDOW_BIT).with_context(|| format!("EGL does not support {kind} on this X server"))
    }

    fn platform_display(&self, platform: u32, native: *mut c_void) -> Handle {
        // SAFETY: `native` is null (default) or what the platform requires; there are no attributes.
        unsafe { (self.get_platform_display)(platform, native, std::ptr::null()) }
    }

    fn open(&self, handle: Handle, kind: ContextKind, surface: i32) -> Option<Display> {
        if handle.is_null() {
            return None;
        }
        let (mut major, mut minor) = (0, 0);
        // SAFETY: `handle` came from EGL and is not null; both pointers are to live integers.
        let ok = unsafe { (self.initialize)(handle, &raw mut major, &raw mut minor) };
        if ok == 0 {
            return None;
        }
        let (api, renderable) = if kind.es() { (OPENGL_ES_API, OPENGL_ES2_BIT) } else { (OPENGL_API, OPENGL_BIT) };
        // SAFETY: eglBindAPI takes a value and accesses only thread-local state.
        unsafe { (self.bind_api)(api) };
        let pairs = [
            [SURFACE_TYPE, surface],
            [RENDERABLE_TYPE, renderable],
            [RED_SIZE, 8],
            [GREEN_SIZE, 8],
            [BLUE_SIZE, 8],
            [DEPTH_SIZE, 24],
            [STENCIL_SIZE, 8],
        ];
        let mut wanted = pairs.concat();
        wanted.push(NONE);
        let mut configs = [std::ptr::null_mut(); 64];
        let mut found = 0;
        // SAFETY: `wanted` ends with EGL_NONE; there is room for the 64 configs announced; `found` is live.
        unsafe { (self.choose_config)(handle, wanted.as_ptr(), configs.as_mut_ptr(), 64, &raw mut found) };
        let configs = &configs[..usize::try_from(found).unwrap_or(0).min(64)];
        // EGL sorts deeper colours first (EGL 1.5, 3.4.1.2), but every screen has eight bits.
        let usual = configs.iter().find(|&&config| self.attribute(handle, config, RED_SIZE) == 8);
        usual.or(configs.first()).map(|&config| Display { handle, config, kind })
    }

    /// Returns the X visual that a window for this display's config must have.
    pub fn visual(&self, display: Display) -> i32 {
        self.attribute(display.handle, display.config, NATIVE_VISUAL_ID)
    }

    fn attribute(&self, display: Handle, config: Handle, what: i32) -> i32 {
        let mut value = 0;
        // SAFETY: display and config came from EGL; `value` is a live integer.
        unsafe { (self.get_config_attrib)(display, config, what, &raw mut value) };
        value
    }

    /// Creates a context, which shares objects with another unless that is null.
    pub fn context(&self, display: Display, share: Handle) -> anyhow::Result<Handle> {
        let (major, minor) = display.kind.version();
        let mut attributes = vec![CONTEXT_MAJOR_VERSION, major, CONTEXT_MINOR_VERSION, minor];
        match display.kind {
            ContextKind::Core(..) => attributes.extend([CONTEXT_OPENGL_PROFILE_MASK, CORE_PROFILE_BIT]),
            // Profiles exist from GL 3.2 on; a context of an older version has all features (GL 3.2, appendix E).
            ContextKind::Compatibility(3.., 2..) => {
                attributes.extend([CONTEXT_OPENGL_PROFILE_MASK, COMPATIBILITY_PROFILE_BIT])
            }
            ContextKind::Compatibility(..) | ContextKind::Es(..) => {}
        }
        attributes.push(NONE);
        // SAFETY: eglBindAPI takes a value and accesses only thread-local state.
        unsafe { (self.bind_api)(if display.kind.es() { OPENGL_ES_API } else { OPENGL_API }) };
        // SAFETY: display, config and `share` came from this EGL; the list ends with EGL_NONE.
        let context = unsafe { (self.create_context)(display.handle, display.config, share, attributes.as_ptr()) };
        if context.is_null() {
            bail!("the driver cannot create a context for {} (EGL error 0x{:04x})", display.kind, self.error());
        }
        Ok(context)
    }

    /// Creates an off-screen surface.
    pub fn pbuffer(&self, display: Display, size: Size) -> anyhow::Result<Handle> {
        let attributes = [WIDTH, size.width, HEIGHT, size.height, NONE];
        // SAFETY: display and config came from this EGL; the list ends with EGL_NONE.
        let surface = unsafe { (self.create_pbuffer)(display.handle, display.config, attributes.as_ptr()) };
        ensure!(!surface.is_null(), "the driver cannot create a pbuffer (EGL error 0x{:04x})", self.error());
        Ok(surface)
    }

    /// Creates the surface of an X window.
    ///
    /// # Safety
    /// `window` must be a window of the display's server, and outlive the surface.
    pub unsafe fn window(&self, display: Display, window: usize) -> anyhow::Result<Handle> {
        // SAFETY: display and config came from this EGL; the caller guarantees the window; no attributes.
        let surface = unsafe { (self.create_window)(display.handle, display.config, window, std::ptr::null()) };
        ensure!(!surface.is_null(), "the driver cannot draw in a window (EGL error 0x{:04x})", self.error());
        Ok(surface)
    }

    /// Makes a context current on this thread; null handles release the current one.
    pub fn make_current(&self, display: Display, surface: Handle, context: Handle) -> anyhow::Result<()> {
        // SAFETY: all handles came from this EGL or are null.
        let ok = unsafe { (self.make_current)(display.handle, surface, surface, context) };
        ensure!(ok != 0, "cannot make the context current (EGL error 0x{:04x})", self.error());
        Ok(())
    }

    /// Presents a frame.
    pub fn swap(&self, display: Display, surface: Handle) -> anyhow::Result<()> {
        // SAFETY: both handles came from this EGL.
        let ok = unsafe { (self.swap_buffers)(display.handle, surface) };
        ensure!(ok != 0, "cannot present the frame (EGL error 0x{:04x})", self.error());
        Ok(())
    }

    /// Destroys a context that is not current.
    pub fn destroy_context(&self, display: Display, context: Handle) {
        // SAFETY: both handles came from this EGL; the owner calls this once.
        unsafe { (self.destroy_context)(display.handle, context) };
    }

    /// Destroys a surface that is not current.
    pub fn destroy_surface(&self, display: Display, surface: Handle) {
        // SAFETY: both handles came from this EGL; the owner calls this once.
        unsafe { (self.destroy_surface)(display.handle, surface) };
    }

    /// Releases the display's resources.
    pub fn terminate(&self, display: Display) {
        // SAFETY: the handle came from this EGL; nothing of the display is used afterwards.
        unsafe { (self.terminate)(display.handle) };
    }

    fn error(&self) -> i32 {
        // SAFETY: eglGetError takes no arguments and accesses only thread-local state.
        unsafe { (self.get_error)() }
    }
}
