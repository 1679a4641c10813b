//! EGL: the library, a headless display, and contexts on it.

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use libloading::Library;

use crate::{Api, DriverError};

pub(crate) type Display = *mut c_void;
pub(crate) type ContextHandle = *mut c_void;
pub(crate) type Config = *mut c_void;
pub(crate) type Device = *mut c_void;

const LIBRARY: &str = "libEGL.so.1";

pub(crate) const NONE: i32 = 0x3038;
pub(crate) const PBUFFER_BIT: i32 = 0x0001;
pub(crate) const SURFACE_TYPE: i32 = 0x3033;
pub(crate) const RENDERABLE_TYPE: i32 = 0x3040;
pub(crate) const OPENGL_BIT: i32 = 0x0008;
pub(crate) const OPENGL_ES2_BIT: i32 = 0x0004;
pub(crate) const OPENGL_API: u32 = 0x30A2;
pub(crate) const OPENGL_ES_API: u32 = 0x30A0;
pub(crate) const CONTEXT_MAJOR_VERSION: i32 = 0x3098;
pub(crate) const CONTEXT_MINOR_VERSION: i32 = 0x30FB;
pub(crate) const CONTEXT_OPENGL_PROFILE_MASK: i32 = 0x30FD;
const CONTEXT_OPENGL_CORE_PROFILE_BIT: i32 = 1;
const CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT: i32 = 2;
pub(crate) const PLATFORM_SURFACELESS_MESA: u32 = 0x31DD;
pub(crate) const PLATFORM_DEVICE_EXT: u32 = 0x313F;

type GetProcAddress = unsafe extern "C" fn(*const c_char) -> *const c_void;
type GetPlatformDisplay = unsafe extern "C" fn(u32, *mut c_void, *const isize) -> Display;
type QueryDevices = unsafe extern "C" fn(i32, *mut Device, *mut i32) -> u32;
type Initialize = unsafe extern "C" fn(Display, *mut i32, *mut i32) -> u32;
type BindApi = unsafe extern "C" fn(u32) -> u32;
type ChooseConfig = unsafe extern "C" fn(Display, *const i32, *mut Config, i32, *mut i32) -> u32;
type CreateContext = unsafe extern "C" fn(Display, Config, ContextHandle, *const i32) -> ContextHandle;
type MakeCurrent = unsafe extern "C" fn(Display, *mut c_void, *mut c_void, ContextHandle) -> u32;
type DestroyContext = unsafe extern "C" fn(Display, ContextHandle) -> u32;
type GetError = unsafe extern "C" fn() -> i32;

/// The loaded library and its entry points; loaded once and never unloaded, so the pointers stay valid.
pub(crate) struct Egl {
    get_proc_address: GetProcAddress,
    get_platform_display: GetPlatformDisplay,
    initialize: Initialize,
    bind_api: BindApi,
    choose_config: ChooseConfig,
    create_context: CreateContext,
    make_current: MakeCurrent,
    destroy_context: DestroyContext,
    get_error: GetError,
    _library: Library,
}

/// A context and its display.
pub(crate) struct RawContext {
    pub(crate) display: Display,
    pub(crate) handle: ContextHandle,
}

macro_rules! symbol {
    ($library:expr, $name:literal as $type:ty) => {{
        // SAFETY: EGL 1.5 declares the function with this C signature, and the library is libEGL.
        let found = unsafe { $library.get::<$type>(concat!($name, "\0").as_bytes()) };
        *found.map_err(|_| DriverError::NoFunction { function: $name })?
    }};
}

impl Egl {
    /// Returns the process's EGL.
    pub(crate) fn get() -> Result<&'static Egl, DriverError> {
        static EGL: OnceLock<Egl> = OnceLock::new();
        if let Some(egl) = EGL.get() {
            return Ok(egl);
        }
        let egl = Egl::load()?;
        Ok(EGL.get_or_init(|| egl))
    }

    fn load() -> Result<Egl, DriverError> {
        // SAFETY: loading libEGL runs only its constructors, which have no preconditions.
        let library = unsafe { Library::new(LIBRARY) };
        let library = library.map_err(|source| DriverError::NoLibrary { library: LIBRARY, source })?;
        Ok(Egl {
            get_proc_address: symbol!(library, "eglGetProcAddress" as GetProcAddress),
            get_platform_display: symbol!(library, "eglGetPlatformDisplay" as GetPlatformDisplay),
            initialize: symbol!(library, "eglInitialize" as Initialize),
            bind_api: symbol!(library, "eglBindAPI" as BindApi),
            choose_config: symbol!(library, "eglChooseConfig" as ChooseConfig),
            create_context: symbol!(library, "eglCreateContext" as CreateContext),
            make_current: symbol!(library, "eglMakeCurrent" as MakeCurrent),
            destroy_context: symbol!(library, "eglDestroyContext" as DestroyContext),
            get_error: symbol!(library, "eglGetError" as GetError),
            _library: library,
        })
    }

    /// Returns the address of a GL or EGL extension function; null when the driver does not have it.
    pub(crate) fn address(&self, name: &CStr) -> *const c_void {
        // SAFETY: `name` is a NUL-terminated string that outlives the call.
        unsafe { (self.get_proc_address)(name.as_ptr()) }
    }

    /// Returns the last EGL error of this thread.
    pub(crate) fn error(&self) -> i32 {
        // SAFETY: eglGetError takes no arguments and accesses only thread-local state.
        unsafe { (self.get_error)() }
    }

    /// Creates a context of this kind, at the highest version that the display supports.
    pub(crate) fn create(&self, api: Api) -> Result<RawContext, DriverError> {
        let mut last = DriverError::NoDisplay;
        for display in self.displays() {
            match self.create_on(display, api) {
                Ok(handle) => return Ok(RawContext { display, handle }),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Makes the context current on this thread, without a surface.
    pub(crate) fn make_current(&self, context: &RawContext) -> Result<(), DriverError> {
        // SAFETY: display and handle came from `create` on this EGL and are destroyed only with `context`.
        let ok =
            unsafe { (self.make_current)(context.display, std::ptr::null_mut(), std::ptr::null_mut(), context.handle) };
        if ok == 0 { Err(DriverError::NotCurrent { code: self.error() }) } else { Ok(()) }
    }

    /// Destroys a context; if it is current, EGL keeps it until it is released.
    pub(crate) fn destroy(&self, context: &RawContext) {
        // SAFETY: display and handle came from `create` on this EGL; the owner calls this once, when dropped.
        unsafe { (self.destroy_context)(context.display, context.handle) };
    }

    /// Iterates over initialised displays to try: surfaceless first, then each device.
    fn displays(&self) -> impl Iterator<Item = Display> + '_ {
        let surfaceless = self.display(PLATFORM_SURFACELESS_MESA, std::ptr::null_mut());
        let devices = self.devices().into_iter().map(|device| self.display(PLATFORM_DEVICE_EXT, device));
        std::iter::once(surfaceless).chain(devices).flatten()
    }

    /// Returns an initialised display of a platform, or `None` when it does not exist or work.
    pub(crate) fn display(&self, platform: u32, native: *mut c_void) -> Option<Display> {
        // SAFETY: `native` is null (default) or a device from eglQueryDevicesEXT, as the platform requires; no
        // attributes.
        let display = unsafe { (self.get_platform_display)(platform, native, std::ptr::null()) };
        if display.is_null() {
            return None;
        }
        let (mut major, mut minor) = (0, 0);
        // SAFETY: `display` has just come from EGL; both pointers are to live integers.
        let ok = unsafe { (self.initialize)(display, &raw mut major, &raw mut minor) };
        (ok != 0).then_some(display)
    }

    /// Returns EGL's devices, in its order.
    pub(crate) fn devices(&self) -> Vec<Device> {
        let address = self.address(c"eglQueryDevicesEXT");
        if address.is_null() {
            return Vec::new();
        }
        // SAFETY: EGL_EXT_device_enumeration declares eglQueryDevicesEXT with this signature.
        let query = unsafe { std::mem::transmute::<*const c_void, QueryDevices>(address) };
        let mut devices = [std::ptr::null_mut(); 16];
        let mut count = 0;
        // SAFETY: `devices` has room for the 16 entries announced; `count` is a live integer.
        let ok = unsafe { query(16, devices.as_mut_ptr(), &raw mut count) };
        let count = if ok == 0 { 0 } else { usize::try_from(count).unwrap_or(0).min(16) };
        devices[..count].to_vec()
    }

    fn create_on(&self, display: Display, api: Api) -> Result<ContextHandle, DriverError> {
        let (client, renderable) = match api {
            Api::DesktopCompatibility | Api::DesktopCore => (OPENGL_API, OPENGL_BIT),
            Api::Es => (OPENGL_ES_API, OPENGL_ES2_BIT),
        };
        // SAFETY: eglBindAPI takes a value and accesses only thread-local state.
        unsafe { (self.bind_api)(client) };
        let wanted = [SURFACE_TYPE, PBUFFER_BIT, RENDERABLE_TYPE, renderable, NONE];
        let mut config = std::ptr::null_mut();
        let mut found = 0;
        // SAFETY: `wanted` ends with EGL_NONE; there is room for the one config announced; `found` is live.
        unsafe { (self.choose_config)(display, wanted.as_ptr(), &raw mut config, 1, &raw mut found) };
        if found < 1 {
            return Err(DriverError::NoContext { api, code: self.error() });
        }
        for attributes in attempts(api) {
            // SAFETY: display and config came from EGL, there is no shared context, the list ends with EGL_NONE.
            let handle = unsafe { (self.create_context)(display, config, std::ptr::null_mut(), attributes.as_ptr()) };
            if !handle.is_null() {
                return Ok(handle);
            }
        }
        Err(DriverError::NoContext { api, code: self.error() })
    }
}

/// Attribute lists to try, best first.
fn attempts(api: Api) -> Vec<Vec<i32>> {
    let desktop = [(4, 6), (4, 5), (4, 4), (4, 3), (4, 2), (4, 1), (4, 0), (3, 3), (3, 2)];
    let versioned = |(major, minor): (i32, i32), profile: Option<i32>| {
        let mut list = vec![CONTEXT_MAJOR_VERSION, major, CONTEXT_MINOR_VERSION, minor];
        list.extend(profile.into_iter().flat_map(|bit| [CONTEXT_OPENGL_PROFILE_MASK, bit]));
        list.push(NONE);
        list
    };
    match api {
        Api::DesktopCore => desktop.into_iter().map(|v| versioned(v, Some(CONTEXT_OPENGL_CORE_PROFILE_BIT))).collect(),
        Api::DesktopCompatibility => desktop
            .into_iter()
            .map(|v| versioned(v, Some(CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT)))
            .chain([vec![NONE]])
            .collect(),
        Api::Es => [(3, 2), (3, 1), (3, 0), (2, 0)].into_iter().map(|v| versioned(v, None)).collect(),
    }
}
