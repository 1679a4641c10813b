//! A plain X window, through libX11 loaded on demand.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

use anyhow::{Context, ensure};

use crate::library::library;
use crate::options::Size;

/// An open window and its connection; both are closed when dropped.
pub struct Window {
    x: Xlib,
    /// Xlib's `Display *`.
    pub server: *mut c_void,
    /// The window's id.
    pub id: usize,
}

library! {
    Xlib, "libX11.so.6", "--window needs libX11.so.6 (Debian: libx11-6)";
    open_display = "XOpenDisplay"(*const c_char) -> *mut c_void;
    close_display = "XCloseDisplay"(*mut c_void) -> c_int;
    default_root = "XDefaultRootWindow"(*mut c_void) -> c_ulong;
    create_colormap = "XCreateColormap"(*mut c_void, c_ulong, *mut c_void, c_int) -> c_ulong;
    get_visual_info = "XGetVisualInfo"(*mut c_void, c_long, *mut VisualInfo, *mut c_int) -> *mut VisualInfo;
    create_window =
        "XCreateWindow"(*mut c_void, c_ulong, c_int, c_int, c_uint, c_uint, c_uint, c_int, c_uint, *mut c_void, c_ulong, *mut Attributes)
        -> c_ulong;
    store_name = "XStoreName"(*mut c_void, c_ulong, *const c_char) -> c_int;
    map_window = "XMapWindow"(*mut c_void, c_ulong) -> c_int;
    sync = "XSync"(*mut c_void, c_int) -> c_int;
    resize_window = "XResizeWindow"(*mut c_void, c_ulong, c_uint, c_uint) -> c_int;
    destroy_window = "XDestroyWindow"(*mut c_void, c_ulong) -> c_int;
    free = "XFree"(*mut c_void) -> c_int;
}

/// Xlib's `XVisualInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
struct VisualInfo {
    visual: *mut c_void,
    visual_id: c_ulong,
    screen: c_int,
    depth: c_int,
    class: c_int,
    masks: [c_ulong; 3],
    colormap_size: c_int,
    bits_per_rgb: c_int,
}

/// Xlib's `XSetWindowAttributes`.
#[repr(C)]
struct Attributes {
    background_pixmap: c_ulong,
    background_pixel: c_ulong,
    border_pixmap: c_ulong,
    border_pixel: c_ulong,
    gravity: [c_int; 3],
    backing: [c_ulong; 2],
    save_under: c_int,
    event_mask: c_long,
    do_not_propagate: c_long,
    override_redirect: c_int,
    colormap: c_ulong,
    cursor: c_ulong,
}

const VISUAL_ID_MASK: c_long = 1;
const BORDER_PIXEL: c_ulong = 1 << 3;
const COLORMAP: c_ulong = 1 << 13;
const INPUT_OUTPUT: c_uint = 1;

impl Window {
    /// Connects to the server named by DISPLAY; does not open a window yet.
    pub fn connect() -> anyhow::Result<Window> {
        let x = Xlib::load()?;
        // SAFETY: a null name means the one in DISPLAY.
        let server = unsafe { (x.open_display)(std::ptr::null()) };
        ensure!(!server.is_null(), "--window needs an X server, but cannot connect to the one in DISPLAY");
        Ok(Window { x, server, id: 0 })
    }

    /// Opens the window, with the visual of this id.
    pub fn open(&mut self, title: &std::ffi::CStr, size: Size, visual: i32) -> anyhow::Result<()> {
        let wanted = c_ulong::try_from(visual).context("EGL has no X visual for its config")?;
        // SAFETY: the struct has only numbers and pointers, for which zeros are valid.
        let mut template: VisualInfo = unsafe { std::mem::zeroed() };
        template.visual_id = wanted;
        let mut count = 0;
        // SAFETY: the connection is open; template and count are live; the mask selects the field.
        let list = unsafe { (self.x.get_visual_info)(self.server, VISUAL_ID_MASK, &raw mut template, &raw mut count) };
        ensure!(!list.is_null() && count > 0, "the X server has no visual {visual}");
        // SAFETY: the list has `count` entries, at least one.
        let info = unsafe { *list };
        // SAFETY: the list of XGetVisualInfo is freed once, and not used again.
        unsafe { (self.x.free)(list.cast()) };
        // SAFETY: the connection is open.
        let root = unsafe { (self.x.default_root)(self.server) };
        // SAFETY: root and visual belong to this connection; 0 is AllocNone.
        let colormap = unsafe { (self.x.create_colormap)(self.server, root, info.visual, 0) };
        // SAFETY: the struct has only numbers, for which zeros are valid.
        let mut attributes: Attributes = unsafe { std::mem::zeroed() };
        attributes.colormap = colormap;
        let (width, height) = (size.width.unsigned_abs(), size.height.unsigned_abs());
        let mask = BORDER_PIXEL | COLORMAP;
        // SAFETY: root, visual and colormap belong to this connection; the mask selects the fields that are set.
        let id = unsafe {
            (self.x.create_window)(
                self.server,
                root,
                0,
                0,
                width,
                height,
                0,
                info.depth,
                INPUT_OUTPUT,
                info.visual,
                mask,
                &raw mut attributes,
            )
        };
        // SAFETY: the window has just been created; the title is NUL-terminated.
        unsafe { (self.x.store_name)(self.server, id, title.as_ptr()) };
        // SAFETY: the window has just been created.
        unsafe { (self.x.map_window)(self.server, id) };
        // SAFETY: the connection is open; events are kept.
        unsafe { (self.x.sync)(self.server, 0) };
        self.id = usize::try_from(id).context("the window's id is too large")?;
        Ok(())
    }

    /// Gives the open window another size, and waits until it has it.
    pub fn resize(&self, size: Size) {
        let (width, height) = (size.width.unsigned_abs(), size.height.unsigned_abs());
        // SAFETY: the connection is open, and so is the window if its id is not 0, which the server checks.
        unsafe { (self.x.resize_window)(self.server, self.id as c_ulong, width, height) };
        // SAFETY: the connection is open; events are kept.
        unsafe { (self.x.sync)(self.server, 0) };
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if self.id != 0 {
            // SAFETY: the window is ours and is destroyed once.
            unsafe { (self.x.destroy_window)(self.server, self.id as c_ulong) };
        }
        // SAFETY: the connection is ours and is closed once; the owner drops the window after its EGL objects.
        unsafe { (self.x.close_display)(self.server) };
    }
}
