//! A headless display for replay: contexts as the recorded program requested them, and pbuffers in place of its
//! windows.
//!
//! Contexts, surfaces and images live as long as the screen. A timeline that starts over opens a new screen, so what a
//! screen left behind would add up.

mod request;

use std::ffi::{CStr, CString, c_char, c_void};

use api::call::{ContextHandle, ImageHandle, SurfaceHandle};
use api::constant as c;
use api::request::{Client, ContextRequest, SurfaceRequest};

use crate::DriverError;
use crate::call::{Calls, ContextFacts};
use crate::context;
use crate::egl::{self, Config, Device, Display, Egl};

/// A device that EGL offers.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its index in EGL's list; `--device` accepts it.
    pub index: usize,
    /// Its renderer string if EGL has one, else its device file or its kind.
    pub name: String,
    /// Whether it is a software renderer.
    pub software: bool,
}

/// The device to use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum DeviceChoice {
    /// The first one that works.
    #[default]
    First,
    /// By its index in the list of devices.
    Index(usize),
    /// The first whose name contains this, ignoring case.
    Named(String),
}

impl DeviceChoice {
    /// Parses user input: a number, or part of a name.
    #[must_use]
    pub fn parse(text: &str) -> DeviceChoice {
        text.parse().map_or_else(|_| DeviceChoice::Named(text.to_owned()), DeviceChoice::Index)
    }
}

/// A display, its contexts, and what their calls need. It stays on the thread that opened it.
pub struct Screen {
    egl: &'static Egl,
    display: Display,
    functions: Functions,
    configs: Vec<ListedConfig>,
    configless: bool,
    contexts: Vec<EglContext>,
    surfaces: Vec<*mut c_void>,
    images: Vec<*mut c_void>,
    /// What this screen made current last.
    current: Option<Current>,
    pub(crate) calls: Calls,
}

/// A context.
#[derive(Clone, Copy)]
struct EglContext {
    handle: *mut c_void,
    client: Client,
    /// The number of the first context of those that share objects with it.
    group: u32,
    /// Its version and profile; known once it has been current.
    facts: Option<ContextFacts>,
}

/// A context and surfaces that were made current.
#[derive(Clone, Copy)]
struct Current {
    context: ContextHandle,
    handle: *mut c_void,
    draw: Option<SurfaceHandle>,
    read: Option<SurfaceHandle>,
}

/// A config and its attributes, in the order of [`ATTRIBUTES`].
struct ListedConfig {
    config: Config,
    values: [i32; ATTRIBUTES.len()],
}

/// The attributes by which configs are compared.
const ATTRIBUTES: [i32; 10] = [
    c::EGL_RED_SIZE.cast_signed(),
    c::EGL_GREEN_SIZE.cast_signed(),
    c::EGL_BLUE_SIZE.cast_signed(),
    c::EGL_ALPHA_SIZE.cast_signed(),
    c::EGL_DEPTH_SIZE.cast_signed(),
    c::EGL_STENCIL_SIZE.cast_signed(),
    c::EGL_SAMPLES.cast_signed(),
    c::EGL_SURFACE_TYPE.cast_signed(),
    c::EGL_RENDERABLE_TYPE.cast_signed(),
    c::EGL_COLOR_COMPONENT_TYPE_EXT.cast_signed(),
];

/// `EGL_RENDERER_EXT` of EGL_EXT_device_query_name, which the registry used here does not have.
const RENDERER_EXT: u32 = 0x335F;

macro_rules! functions {
    ($($name:ident = $c:literal ($($arg:ty),*) -> $ret:ty;)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) -> $ret,)*
        }

        impl Functions {
            fn load(egl: &Egl) -> Result<Functions, DriverError> {
                Ok(Functions {
                    $($name: {
                        let name = CString::new($c).map_err(|_| DriverError::NoFunction { function: $c })?;
                        let address = egl.address(&name);
                        if address.is_null() {
                            return Err(DriverError::NoFunction { function: $c });
                        }
                        // SAFETY: EGL 1.5 declares the function with this C signature; the address is not null.
                        unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn($($arg),*) -> $ret>(address) }
                    },)*
                })
            }
        }
    };
}

functions! {
    bind_api = "eglBindAPI"(u32) -> u32;
    get_configs = "eglGetConfigs"(Display, *mut Config, i32, *mut i32) -> u32;
    get_config_attribute = "eglGetConfigAttrib"(Display, Config, i32, *mut i32) -> u32;
    create_context = "eglCreateContext"(Display, Config, *mut c_void, *const i32) -> *mut c_void;
    destroy_context = "eglDestroyContext"(Display, *mut c_void) -> u32;
    create_pbuffer = "eglCreatePbufferSurface"(Display, Config, *const i32) -> *mut c_void;
    destroy_surface = "eglDestroySurface"(Display, *mut c_void) -> u32;
    make_current = "eglMakeCurrent"(Display, *mut c_void, *mut c_void, *mut c_void) -> u32;
    query_string = "eglQueryString"(Display, i32) -> *const c_char;
    create_image = "eglCreateImageKHR"(Display, *mut c_void, u32, *mut c_void, *const i32) -> *mut c_void;
    destroy_image = "eglDestroyImageKHR"(Display, *mut c_void) -> u32;
}

/// Returns the devices of this machine.
///
/// # Errors
/// When there is no EGL.
pub fn devices() -> Result<Vec<DeviceInfo>, DriverError> {
    let egl = Egl::get()?;
    Ok(egl.devices().into_iter().enumerate().map(|(index, device)| describe(egl, index, device)).collect())
}

fn describe(egl: &Egl, index: usize, device: Device) -> DeviceInfo {
    type QueryDeviceString = unsafe extern "C" fn(Device, i32) -> *const c_char;
    let address = egl.address(c"eglQueryDeviceStringEXT");
    if address.is_null() {
        return DeviceInfo { index, name: format!("device {index}"), software: false };
    }
    // SAFETY: EGL_EXT_device_query declares eglQueryDeviceStringEXT with this signature; the address is not null.
    let query = unsafe { std::mem::transmute::<*const c_void, QueryDeviceString>(address) };
    let ask = |what: u32| {
        // SAFETY: `device` came from eglQueryDevicesEXT.
        let text = unsafe { query(device, what.cast_signed()) };
        copy(text)
    };
    let extensions = ask(c::EGL_EXTENSIONS).unwrap_or_default();
    let software = extensions.split(' ').any(|name| name == "EGL_MESA_device_software");
    let renderer = if extensions.contains("EGL_EXT_device_query_name") { ask(RENDERER_EXT) } else { None };
    let file = if extensions.contains("EGL_EXT_device_drm") { ask(c::EGL_DRM_DEVICE_FILE_EXT) } else { None };
    let kind = if software { "software" } else { "unnamed" };
    DeviceInfo { index, name: renderer.or(file).unwrap_or_else(|| kind.to_owned()), software }
}

fn copy(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: EGL returns null or a NUL-terminated string that lives as long as the display or device.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

impl Screen {
    /// Opens a display: the surfaceless platform or the first device that works, unless a device is chosen.
    ///
    /// # Errors
    /// When there is no EGL, or no such device.
    pub fn open(choice: &DeviceChoice) -> Result<Screen, DriverError> {
        let egl = Egl::get()?;
        let device_display = |device: Device| egl.display(egl::PLATFORM_DEVICE_EXT, device);
        let display = match choice {
            DeviceChoice::First => egl
                .display(egl::PLATFORM_SURFACELESS_MESA, std::ptr::null_mut())
                .or_else(|| egl.devices().into_iter().find_map(device_display)),
            DeviceChoice::Index(index) => egl.devices().into_iter().nth(*index).and_then(device_display),
            DeviceChoice::Named(name) => {
                let wanted = name.to_lowercase();
                let named = devices()?.into_iter().find(|info| info.name.to_lowercase().contains(&wanted));
                named.and_then(|info| egl.devices().into_iter().nth(info.index)).and_then(device_display)
            }
        };
        let display = display.ok_or_else(|| match choice {
            DeviceChoice::First => DriverError::NoDisplay,
            DeviceChoice::Index(index) => DriverError::NoDevice { device: index.to_string() },
            DeviceChoice::Named(name) => DriverError::NoDevice { device: name.clone() },
        })?;
        let functions = Functions::load(egl)?;
        let mut screen = Screen {
            egl,
            display,
            functions,
            configs: Vec::new(),
            configless: false,
            contexts: Vec::new(),
            surfaces: Vec::new(),
            images: Vec::new(),
            current: None,
            calls: Calls::new(egl),
        };
        screen.configs = screen.list_configs();
        // SAFETY: the display is initialised.
        let extensions = unsafe { (screen.functions.query_string)(display, c::EGL_EXTENSIONS.cast_signed()) };
        let extensions = copy(extensions).unwrap_or_default();
        screen.configless = extensions
            .split(' ')
            .any(|name| name == "EGL_KHR_no_config_context" || name == "EGL_MESA_configless_context");
        Ok(screen)
    }

    /// Creates a context that shares objects with `share`.
    ///
    /// # Errors
    /// When the driver does not support such a context.
    pub fn context(
        &mut self,
        request: &ContextRequest,
        share: Option<ContextHandle>,
    ) -> Result<ContextHandle, DriverError> {
        self.bind(request.client);
        let config = if self.configless {
            std::ptr::null_mut()
        } else {
            let any =
                SurfaceRequest { red: 8, green: 8, blue: 8, alpha: 8, depth: 24, stencil: 8, ..Default::default() };
            self.config(&any, request.client)?
        };
        let shared = self.egl_context(share);
        let group = shared.map_or(u32::try_from(self.contexts.len()).unwrap_or(u32::MAX), |context| context.group);
        let shared = shared.map_or(std::ptr::null_mut(), |context| context.handle);
        for attributes in request::context_attributes(request) {
            // SAFETY: display, config and shared context came from this EGL; the list ends with EGL_NONE.
            let handle = unsafe { (self.functions.create_context)(self.display, config, shared, attributes.as_ptr()) };
            if !handle.is_null() {
                self.contexts.push(EglContext { handle, client: request.client, group, facts: None });
                return Ok(ContextHandle(last(&self.contexts)));
            }
        }
        Err(DriverError::NoSuchContext { wanted: request.to_string(), code: self.egl.error() })
    }

    /// Creates a pbuffer that matches the requested surface as closely as the driver can.
    ///
    /// # Errors
    /// When the driver has no suitable pbuffers.
    pub fn pbuffer(&mut self, request: &SurfaceRequest, client: Client) -> Result<SurfaceHandle, DriverError> {
        let config = self.config(request, client)?;
        let [width, height] = [c::EGL_WIDTH, c::EGL_HEIGHT].map(u32::cast_signed);
        let mut attributes = vec![width, request.width.max(1), height, request.height.max(1)];
        if request.srgb {
            attributes.extend([c::EGL_GL_COLORSPACE, c::EGL_GL_COLORSPACE_SRGB].map(u32::cast_signed));
        }
        attributes.push(egl::NONE);
        // SAFETY: display and config came from this EGL; the list ends with EGL_NONE.
        let handle = unsafe { (self.functions.create_pbuffer)(self.display, config, attributes.as_ptr()) };
        if handle.is_null() {
            return Err(DriverError::NoSurface { wanted: request.to_string(), code: self.egl.error() });
        }
        self.surfaces.push(handle);
        Ok(SurfaceHandle(last(&self.surfaces)))
    }

    /// Destroys a pbuffer; if it is current, EGL keeps it until it is released.
    pub fn destroy_pbuffer(&mut self, surface: SurfaceHandle) {
        let handle = self.egl_surface(Some(surface));
        if let Some(listed) = self.surfaces.get_mut(surface.0 as usize) {
            *listed = std::ptr::null_mut();
        }
        if !handle.is_null() {
            // SAFETY: the handle came from `pbuffer` on this display and was not destroyed before.
            unsafe { (self.functions.destroy_surface)(self.display, handle) };
        }
    }

    /// Makes a context current on this thread, or none. Several screens can be used in turn: a call on one makes its context
    /// current again.
    ///
    /// # Errors
    /// When EGL fails.
    pub fn make_current(
        &mut self,
        context: Option<ContextHandle>,
        draw: Option<SurfaceHandle>,
        read: Option<SurfaceHandle>,
    ) -> Result<(), DriverError> {
        let found = self.egl_context(context);
        if let Some(found) = found {
            self.bind(found.client);
        }
        let handle = found.map_or(std::ptr::null_mut(), |found| found.handle);
        let surfaces = [draw, read].map(|surface| self.egl_surface(surface));
        context::set_current(std::ptr::null());
        self.current = None;
        self.calls.context_changed();
        // SAFETY: all handles came from this display, or are null; EGL checks that they are compatible.
        let ok = unsafe { (self.functions.make_current)(self.display, surfaces[0], surfaces[1], handle) };
        if ok == 0 {
            return Err(DriverError::NotCurrent { code: self.egl.error() });
        }
        if let (Some(context), Some(found)) = (context, found) {
            context::set_current(handle);
            self.current = Some(Current { context, handle, draw, read });
            if found.facts.is_none() {
                let mut facts = ContextFacts::parse(&self.string(c::GL_VERSION, None));
                facts.has_fixed_functions |= self.calls.is_compatible(facts);
                self.contexts[context.0 as usize].facts = Some(facts);
            }
        }
        Ok(())
    }

    /// Creates an image from an object of a context; `attributes` are pairs without the terminator.
    ///
    /// # Errors
    /// When EGL fails.
    pub fn image(
        &mut self,
        context: ContextHandle,
        target: u32,
        object: u32,
        attributes: &[i32],
    ) -> Result<ImageHandle, DriverError> {
        let mut list = attributes.to_vec();
        list.push(egl::NONE);
        let object = object as usize as *mut c_void;
        let context = self.egl_context(Some(context)).map_or(std::ptr::null_mut(), |context| context.handle);
        // SAFETY: display and context came from this EGL, the object is a GL name as EGL_KHR_gl_image passes them, and
        // the list ends with EGL_NONE.
        let handle = unsafe { (self.functions.create_image)(self.display, context, target, object, list.as_ptr()) };
        if handle.is_null() {
            return Err(DriverError::NoImage { code: self.egl.error() });
        }
        self.images.push(handle);
        Ok(ImageHandle(last(&self.images)))
    }

    /// Destroys an image; objects created from it stay.
    pub fn destroy_image(&mut self, image: ImageHandle) {
        let Some(listed) = self.images.get_mut(image.0 as usize) else { return };
        let handle = std::mem::replace(listed, std::ptr::null_mut());
        if !handle.is_null() {
            // SAFETY: the handle came from `image` on this display and was not destroyed before.
            unsafe { (self.functions.destroy_image)(self.display, handle) };
        }
    }

    /// Returns whether a context of this screen is current on this thread.
    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        self.current.is_some_and(|current| current.handle.cast_const() == context::current())
    }

    /// Makes the context current again that this screen made current last, if another screen or a [`crate::Context`] has
    /// made its own current since. Returns false when this screen has none.
    #[inline]
    pub(crate) fn enter(&mut self) -> bool {
        self.is_current() || self.reenter()
    }

    #[cold]
    fn reenter(&mut self) -> bool {
        let Some(Current { context, draw, read, .. }) = self.current else { return false };
        self.make_current(Some(context), draw, read).is_ok()
    }

    /// Returns the version and profile of the current context.
    pub(crate) fn current_facts(&self) -> ContextFacts {
        let context = self.egl_context(self.current.map(|current| current.context));
        context.and_then(|context| context.facts).unwrap_or_default()
    }

    /// Returns the group of contexts that share objects with the current one.
    pub(crate) fn share_group(&self) -> u32 {
        self.egl_context(self.current.map(|current| current.context)).map_or(u32::MAX, |context| context.group)
    }

    /// Returns an image as GL takes it; null for one that was destroyed.
    pub(crate) fn image_address(&self, image: ImageHandle) -> u64 {
        self.images.get(image.0 as usize).map_or(0, |handle| *handle as u64)
    }

    #[inline]
    fn egl_context(&self, context: Option<ContextHandle>) -> Option<EglContext> {
        context.and_then(|context| self.contexts.get(context.0 as usize)).copied()
    }

    fn egl_surface(&self, surface: Option<SurfaceHandle>) -> *mut c_void {
        let found = surface.and_then(|surface| self.surfaces.get(surface.0 as usize));
        found.copied().unwrap_or(std::ptr::null_mut())
    }

    /// Returns the address of a GL function by name; null when the driver does not have it.
    #[must_use]
    pub fn address(&self, name: &CStr) -> *const c_void {
        self.egl.address(name)
    }

    fn bind(&self, client: Client) {
        let api = if client == Client::Desktop { egl::OPENGL_API } else { egl::OPENGL_ES_API };
        // SAFETY: eglBindAPI takes a value and accesses only thread-local state.
        unsafe { (self.functions.bind_api)(api) };
    }

    fn list_configs(&self) -> Vec<ListedConfig> {
        let mut count = 0;
        // SAFETY: without an array, EGL only counts; `count` is live.
        unsafe { (self.functions.get_configs)(self.display, std::ptr::null_mut(), 0, &raw mut count) };
        let mut configs = vec![std::ptr::null_mut(); usize::try_from(count).unwrap_or(0)];
        // SAFETY: the array has room for as many configs as announced; `count` is live.
        unsafe { (self.functions.get_configs)(self.display, configs.as_mut_ptr(), count, &raw mut count) };
        configs.truncate(usize::try_from(count).unwrap_or(0));
        let ask = |config: Config, attribute: i32| {
            let mut value = 0;
            // SAFETY: display and config came from this EGL; `value` is live.
            unsafe { (self.functions.get_config_attribute)(self.display, config, attribute, &raw mut value) };
            value
        };
        configs
            .into_iter()
            .map(|config| ListedConfig { config, values: ATTRIBUTES.map(|name| ask(config, name)) })
            .collect()
    }

    /// Returns the config closest to a request: equal sizes first, then the smallest that is sufficient.
    fn config(&self, request: &SurfaceRequest, client: Client) -> Result<Config, DriverError> {
        let renderable = match client {
            Client::Desktop => egl::OPENGL_BIT,
            Client::Es1 => c::EGL_OPENGL_ES_BIT.cast_signed(),
            Client::Es => egl::OPENGL_ES2_BIT,
        };
        let wanted = request::sizes(request);
        let distance = |listed: &&ListedConfig| -> i64 {
            let pairs = listed.values.iter().zip(&wanted);
            // Too few bits change images more than too many.
            pairs
                .map(|(&has, &wants)| if has < wants { i64::from(wants - has) << 16 } else { i64::from(has - wants) })
                .sum()
        };
        // Float configs never replace others.
        let floats = c::EGL_COLOR_COMPONENT_TYPE_FLOAT_EXT;
        let fits = |listed: &&ListedConfig| {
            let [.., surfaces, renderables, components] = listed.values;
            surfaces & egl::PBUFFER_BIT != 0 && renderables & renderable != 0 && components.cast_unsigned() != floats
        };
        let best = self.configs.iter().filter(fits).min_by_key(distance);
        best.map(|listed| listed.config)
            .ok_or_else(|| DriverError::NoSurface { wanted: request.to_string(), code: self.egl.error() })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.is_current() {
            // Memory that GL was given goes with this screen, so no context that knows of it may stay current. If EGL
            // refuses, no call reaches the context all the same.
            let _ = self.make_current(None, None, None);
        }
        for image in 0..self.images.len() {
            self.destroy_image(ImageHandle(image as u32));
        }
        for surface in 0..self.surfaces.len() {
            self.destroy_pbuffer(SurfaceHandle(surface as u32));
        }
        for context in std::mem::take(&mut self.contexts) {
            // SAFETY: the handle came from `context` on this display, is not current on any thread, and no other value
            // holds it.
            unsafe { (self.functions.destroy_context)(self.display, context.handle) };
        }
    }
}

/// The number of the last element.
fn last<T>(list: &[T]) -> u32 {
    u32::try_from(list.len().saturating_sub(1)).unwrap_or(u32::MAX)
}
