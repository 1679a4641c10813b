//! A real GL driver, loaded at run time through EGL: headless contexts, compiling, linking, drawing, reading back.
//!
//! Nothing is linked at build time, so a machine without a driver gets a [`DriverError`] with one sentence that says
//! what is missing. A driver may still crash the process on an unusual shader; callers pass untrusted text to it only
//! in a worker process.
#![allow(
    unsafe_code,
    reason = "a driver is C code behind function pointers; other crates stay safe by calling it through this one"
)]
#![deny(clippy::undocumented_unsafe_blocks, clippy::multiple_unsafe_ops_per_block, unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

mod call;
mod context;
mod descriptors;
mod egl;
#[rustfmt::skip]
mod generated;
mod gl;
mod image;
mod invoke;
mod limits;
mod memory;
mod out_of_memory;
mod process;
mod quad;
mod render;
mod sandbox;
mod screen;
mod shared;
mod trial;

pub use api::request::{Client, ContextRequest, SurfaceRequest};
pub use context::{Compiled, Context, Includes, LinkOptions, Linked};
pub use descriptors::{receive_descriptors, send_descriptors};
pub use image::{Image, ImageFormat, ImageSampling, ImageTarget, ImageWrap};
pub use invoke::invoke;
pub use out_of_memory::{limit_memory, machine_memory, memory_limit};
pub use process::{be_a_worker, cpu_time};
pub use quad::Pixels;
pub use render::{Channel, Output, Render, Shape, Tile, Uniform};
pub use sandbox::{Part, Sandbox, SandboxError, close_inherited, confine, missing as missing_parts};
pub use screen::{DeviceChoice, DeviceInfo, Screen, devices};
pub use shared::Page;
pub use trial::{Assembly, Attribute, Interface, Operation, Target, Trial, TrialOutput, TrialProgram};

/// The kind of context to create.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Api {
    /// Desktop GL, compatibility profile.
    DesktopCompatibility,
    /// Desktop GL, core profile, highest supported version.
    DesktopCore,
    /// OpenGL ES, highest supported version.
    Es,
}

impl Api {
    /// All kinds.
    pub const ALL: [Api; 3] = [Api::DesktopCompatibility, Api::DesktopCore, Api::Es];

    /// Returns a short name: `compat`, `core` or `es`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Api::DesktopCompatibility => "compat",
            Api::DesktopCore => "core",
            Api::Es => "es",
        }
    }

    /// Returns the kind with this short name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Api> {
        Api::ALL.into_iter().find(|api| api.name() == name)
    }
}

/// Why a context could not be created or used.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The EGL library could not be loaded.
    #[error(
        "no EGL library ({library}) could be loaded; on Debian install libegl1, libegl-mesa0 and libgl1-mesa-dri, or run `cargo xtask setup`"
    )]
    NoLibrary {
        /// The name of the library.
        library: &'static str,
        /// The loader's error.
        #[source]
        source: libloading::Error,
    },
    /// A function that every EGL or GL of this kind has is missing.
    #[error("the driver has no function {function}; its EGL or GL is too old or broken")]
    NoFunction {
        /// Its name.
        function: &'static str,
    },
    /// Neither the surfaceless nor the device platform has a display.
    #[error("EGL is installed but offers no headless display; on Debian install libgl1-mesa-dri and libegl-mesa0")]
    NoDisplay,
    /// The display does not support contexts of this kind.
    #[error("EGL cannot create a context of kind `{api}` (EGL error {code:#06x})", api = api.name())]
    NoContext {
        /// The requested kind.
        api: Api,
        /// The last EGL error.
        code: i32,
    },
    /// The requested device does not exist or does not work.
    #[error("there is no usable device {device}; list the available ones with `afterimage replay --device list`")]
    NoDevice {
        /// The requested device.
        device: String,
    },
    /// The display does not support contexts of the requested kind.
    #[error("EGL cannot create an {wanted} context (EGL error {code:#06x})")]
    NoSuchContext {
        /// The requested kind.
        wanted: String,
        /// The last EGL error.
        code: i32,
    },
    /// The display does not support such a pbuffer.
    #[error("EGL cannot create a pbuffer of {wanted} (EGL error {code:#06x})")]
    NoSurface {
        /// The requested properties.
        wanted: String,
        /// The last EGL error.
        code: i32,
    },
    /// EGL could not create an image from an object.
    #[error("EGL cannot create an image from an object (EGL error {code:#06x})")]
    NoImage {
        /// The last EGL error.
        code: i32,
    },
    /// The context could not be made current.
    #[error("EGL cannot make the context current (EGL error {code:#06x})")]
    NotCurrent {
        /// The last EGL error.
        code: i32,
    },
    /// A source string is longer than GL accepts.
    #[error("a shader source string is longer than GL accepts ({bytes} bytes)")]
    SourceTooLong {
        /// Its length.
        bytes: usize,
    },
    /// The program to draw with does not link.
    #[error("the program does not link: {log}")]
    NotLinked {
        /// The driver's log.
        log: String,
    },
    /// GL reported an error while drawing.
    #[error("GL reported error {code:#06x} while {doing}")]
    Gl {
        /// The GL error.
        code: u32,
        /// What was being done.
        doing: &'static str,
    },
}
