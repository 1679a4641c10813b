//! A context with a surface, and the loop over frames.

use std::ffi::CString;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;

use crate::egl::{Display, Egl, Handle};
use crate::gl;
use crate::options::Size;
use crate::x11::Window;
use crate::{Gl, Options};

/// The kind of context, with the minimum version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextKind {
    /// Desktop GL, core profile.
    Core(i32, i32),
    /// Desktop GL, compatibility profile.
    Compatibility(i32, i32),
    /// OpenGL ES.
    Es(i32, i32),
}

impl ContextKind {
    /// Returns whether this is OpenGL ES.
    pub fn es(self) -> bool {
        matches!(self, ContextKind::Es(..))
    }

    /// Returns the major and minor version.
    pub fn version(self) -> (i32, i32) {
        let (ContextKind::Core(major, minor)
        | ContextKind::Compatibility(major, minor)
        | ContextKind::Es(major, minor)) = self;
        (major, minor)
    }
}

impl fmt::Display for ContextKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.version();
        match self {
            ContextKind::Core(..) => write!(f, "OpenGL {major}.{minor} (core profile)"),
            ContextKind::Compatibility(..) => write!(f, "OpenGL {major}.{minor} (compatibility profile)"),
            ContextKind::Es(..) => write!(f, "OpenGL ES {major}.{minor}"),
        }
    }
}

/// An open context, current on the thread that opened it.
pub struct Stage {
    /// The functions of the context.
    pub gl: Gl,
    /// The size of its surface.
    pub size: Size,
    display: Display,
    context: Handle,
    surface: Handle,
    /// The X window, if there is one; closed last.
    window: Option<Window>,
}

impl Stage {
    /// Opens a context with a surface, in a window if the options request one.
    pub fn open(title: &str, kind: ContextKind, options: &Options) -> anyhow::Result<Stage> {
        let egl = Egl::get()?;
        let (display, surface, window) = if options.window {
            let mut window = Window::connect()?;
            // SAFETY: the connection is closed when `window` is dropped, which the stage does last.
            let display = unsafe { egl.on_x11(window.server, kind) }?;
            window.open(&CString::new(title).unwrap_or_default(), options.size, egl.visual(display))?;
            // SAFETY: the window belongs to this display's server and is closed after the surface.
            let surface = unsafe { egl.window(display, window.id) }?;
            (display, surface, Some(window))
        } else {
            let display = egl.headless(kind)?;
            (display, egl.pbuffer(display, options.size)?, None)
        };
        let context = egl.context(display, std::ptr::null_mut())?;
        egl.make_current(display, surface, context)?;
        Ok(Stage { gl: Gl::load(egl), size: options.size, display, context, surface, window })
    }

    /// Creates a second context that shares objects with this one, for another thread.
    pub fn share(&self) -> anyhow::Result<Shared> {
        let egl = Egl::get()?;
        let context = egl.context(self.display, self.context)?;
        // A context without a surface needs an extension; a pbuffer of one pixel works everywhere. A display that
        // supports only windows has no pbuffers: there the extension is needed.
        let surface = egl.pbuffer(self.display, Size { width: 1, height: 1 }).unwrap_or(std::ptr::null_mut());
        Ok(Shared { display: self.display, context, surface })
    }

    /// Returns the window, if the surface is one. If it is resized, [`Stage::size`] stays.
    pub fn window(&self) -> Option<&Window> {
        self.window.as_ref()
    }

    /// Presents a frame.
    pub fn present(&self) -> anyhow::Result<()> {
        Egl::get()?.swap(self.display, self.surface)
    }

    /// Writes the image to a PNG file; must be called before the frame is presented.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        let Size { width, height } = self.size;
        let pixels = self.gl.read_pixels(width, height);
        let row = pixels.len() / self.size.height.unsigned_abs().max(1) as usize;
        // GL's first row is the lowest, a file's is the highest. The alpha of a surface has no meaning for a viewer.
        let upright: Vec<u8> = pixels.chunks(row).rev().flatten().copied().collect();
        let opaque: Vec<u8> = upright.chunks(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        let file = std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let mut encoder = png::Encoder::new(file, width.unsigned_abs(), height.unsigned_abs());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&opaque)?;
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Ok(egl) = Egl::get() {
            // A failure here cannot be handled: the program is done.
            let _ = egl.make_current(self.display, std::ptr::null_mut(), std::ptr::null_mut());
            egl.destroy_context(self.display, self.context);
            egl.destroy_surface(self.display, self.surface);
            egl.terminate(self.display);
        }
    }
}

/// A context for another thread.
pub struct Shared {
    display: Display,
    context: Handle,
    surface: Handle,
}

// SAFETY: the context is current on no thread until `enter`, and EGL's handles belong to the process (EGL 1.5, 2.6).
unsafe impl Send for Shared {}

impl Shared {
    /// Makes the context current on the calling thread.
    pub fn enter(&self) -> anyhow::Result<Gl> {
        let egl = Egl::get()?;
        egl.make_current(self.display, self.surface, self.context)?;
        Ok(Gl::load(egl))
    }

    /// Releases the context.
    pub fn leave(&self) -> anyhow::Result<()> {
        Egl::get()?.make_current(self.display, std::ptr::null_mut(), std::ptr::null_mut())
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Ok(egl) = Egl::get() {
            egl.destroy_context(self.display, self.context);
            if !self.surface.is_null() {
                egl.destroy_surface(self.display, self.surface);
            }
        }
    }
}

/// Runs a demo: `setup` once, then the function that it returns for every frame; reports errors as one sentence.
pub fn play<S, F>(name: &str, kind: ContextKind, options: &Options, setup: S) -> ExitCode
where
    S: FnOnce(&Stage) -> anyhow::Result<F>,
    F: FnMut(&Stage, u32) -> anyhow::Result<()>,
{
    match frames(name, kind, options, setup) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn frames<S, F>(name: &str, kind: ContextKind, options: &Options, setup: S) -> anyhow::Result<()>
where
    S: FnOnce(&Stage) -> anyhow::Result<F>,
    F: FnMut(&Stage, u32) -> anyhow::Result<()>,
{
    let stage = Stage::open(name, kind, options)?;
    let mut draw = setup(&stage)?;
    for frame in 0..options.frames {
        draw(&stage, frame)?;
        if let Some(folder) = options.png.as_ref().filter(|_| frame + 1 == options.frames) {
            stage.save(&folder.join(format!("{name}.png")))?;
        }
        if !options.no_present {
            stage.present()?;
        }
    }
    let error = stage.gl.GetError();
    anyhow::ensure!(
        error == gl::NO_ERROR,
        "GL reported error 0x{error:04x}, which is a bug of the demo or of the driver; please report it"
    );
    Ok(())
}
