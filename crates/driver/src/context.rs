//! A headless context: compiling, linking, and queries about the driver.

use std::cell::Cell;
use std::ffi::{CString, c_char};
use std::marker::PhantomData;

use shader::version::Stage;

use crate::egl::{Egl, RawContext};
use crate::gl::{self, Gl};
use crate::{Api, DriverError};

/// The result of compiling one shader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// `GL_COMPILE_STATUS`.
    pub ok: bool,
    /// The driver's info log, unchanged.
    pub log: String,
}

/// The result of linking one program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linked {
    /// True when every shader compiled and the program linked.
    pub ok: bool,
    /// The results of its shaders, in the order given.
    pub compiled: Vec<Compiled>,
    /// `GL_LINK_STATUS`; `None` when a shader did not compile, because then linking was not tried.
    pub linked: Option<bool>,
    /// The program's info log; empty when linking was not tried.
    pub log: String,
}

/// Options for linking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LinkOptions {
    /// Set `GL_PROGRAM_SEPARABLE` first.
    pub separable: bool,
}

/// Named strings for `GL_ARB_shading_language_include`, and the paths to search for relative names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Includes {
    /// Name (an absolute path) and text.
    pub strings: Vec<(String, String)>,
    /// Search paths passed to `glCompileShaderIncludeARB`.
    pub paths: Vec<String>,
}

/// A headless context with nothing bound. It stays on the thread that created it.
pub struct Context {
    pub(crate) gl: Gl,
    api: Api,
    raw: RawContext,
    egl: &'static Egl,
    /// A context is current on one thread at a time; this keeps it from moving to another.
    not_send: PhantomData<*const ()>,
}

thread_local! {
    /// The handle of the context that is current on this thread, to save EGL calls.
    static CURRENT: Cell<*const std::ffi::c_void> = const { Cell::new(std::ptr::null()) };
}

/// Notes that another context has been made current on this thread.
pub(crate) fn note_other_context() {
    CURRENT.set(std::ptr::null());
}

impl Context {
    /// Creates a context of this kind, at the highest version that the driver supports.
    ///
    /// # Errors
    /// When there is no EGL, no headless display, or no such context on it.
    pub fn new(api: Api) -> Result<Context, DriverError> {
        let egl = Egl::get()?;
        let raw = egl.create(api)?;
        if let Err(error) = egl.make_current(&raw) {
            egl.destroy(&raw);
            return Err(error);
        }
        CURRENT.set(raw.handle);
        match Gl::load(egl) {
            Ok(gl) => Ok(Context { gl, api, raw, egl, not_send: PhantomData }),
            Err(error) => {
                egl.destroy(&raw);
                Err(error)
            }
        }
    }

    /// Returns the kind of the context.
    #[must_use]
    pub fn api(&self) -> Api {
        self.api
    }

    /// Returns the driver's `GL_VERSION`.
    ///
    /// # Errors
    /// When the context cannot be made current.
    pub fn version(&self) -> Result<String, DriverError> {
        self.enter()?;
        Ok(self.gl.string(gl::VERSION))
    }

    /// Returns the driver's `GL_RENDERER`.
    ///
    /// # Errors
    /// When the context cannot be made current.
    pub fn renderer(&self) -> Result<String, DriverError> {
        self.enter()?;
        Ok(self.gl.string(gl::RENDERER))
    }

    /// Returns the highest GLSL (or GLSL ES) version, as in a `#version` line: 450, 320.
    ///
    /// # Errors
    /// When the context cannot be made current.
    pub fn glsl_version(&self) -> Result<u16, DriverError> {
        self.enter()?;
        let text = self.gl.string(gl::SHADING_LANGUAGE_VERSION);
        Ok(first_version(&text).unwrap_or(if self.api == Api::Es { 100 } else { 110 }))
    }

    /// Returns the names of all extensions, sorted.
    ///
    /// # Errors
    /// When the context cannot be made current.
    pub fn extensions(&self) -> Result<Vec<String>, DriverError> {
        self.enter()?;
        let count = u32::try_from(self.gl.integer(gl::NUM_EXTENSIONS)).unwrap_or(0);
        let mut names: Vec<String> = (0..count).map(|i| self.gl.string_at(gl::EXTENSIONS, i)).collect();
        if self.gl.get_error() != 0 || names.is_empty() {
            // Before GL 3.0 and ES 3.0 there is only one long string.
            names = self.gl.string(gl::EXTENSIONS).split_whitespace().map(str::to_owned).collect();
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Returns an implementation limit by its GL enumerant, such as `GL_MAX_DRAW_BUFFERS`; `None` if the context has no
    /// such limit.
    ///
    /// # Errors
    /// When the context cannot be made current.
    pub fn limit(&self, name: u32) -> Result<Option<i32>, DriverError> {
        self.enter()?;
        self.drain_errors();
        let value = self.gl.integer(name);
        Ok((self.gl.get_error() == 0).then_some(value))
    }

    /// Compiles one shader from the strings given to `glShaderSource`.
    ///
    /// # Errors
    /// When the context cannot be used; a shader that does not compile is not an error.
    pub fn compile(&self, stage: Stage, strings: &[&str]) -> Result<Compiled, DriverError> {
        self.compile_with(stage, strings, &Includes::default())
    }

    /// Compiles one shader that may `#include` named strings.
    ///
    /// # Errors
    /// When the context cannot be used; a shader that does not compile is not an error.
    pub fn compile_with(&self, stage: Stage, strings: &[&str], includes: &Includes) -> Result<Compiled, DriverError> {
        self.enter()?;
        self.name_strings(includes)?;
        let (shader, compiled) = self.compile_object(stage, strings, includes)?;
        self.gl.delete_shader(shader);
        self.forget_strings(includes)?;
        Ok(compiled)
    }

    /// Loads an assembly program for a target (`GL_VERTEX_PROGRAM_ARB`); returns the driver's message if it rejects the
    /// text.
    ///
    /// # Errors
    /// When the context cannot be used, or has no assembly programs.
    pub fn program_string(&self, target: u32, text: &str) -> Result<Option<String>, DriverError> {
        self.enter()?;
        let missing = DriverError::NoFunction { function: "glProgramStringARB" };
        let give = self.gl.program_string.ok_or(missing)?;
        self.drain_errors();
        let length = i32::try_from(text.len()).unwrap_or(i32::MAX);
        // SAFETY: the text has that many bytes, and the driver copies them before it returns.
        unsafe { give(target, gl::PROGRAM_FORMAT_ASCII, length, text.as_ptr().cast()) };
        let refused = self.gl.get_error() != 0;
        Ok(refused.then(|| self.gl.string(gl::PROGRAM_ERROR_STRING)))
    }

    /// Compiles all shaders and, if all compile, links them as one program.
    ///
    /// # Errors
    /// When the context cannot be used; a program that does not link is not an error.
    pub fn link(&self, shaders: &[(Stage, &[&str])]) -> Result<Linked, DriverError> {
        self.link_with(shaders, LinkOptions::default(), &Includes::default())
    }

    /// [`Context::link`] with options and named strings.
    ///
    /// # Errors
    /// When the context cannot be used; a program that does not link is not an error.
    pub fn link_with(
        &self,
        shaders: &[(Stage, &[&str])],
        options: LinkOptions,
        includes: &Includes,
    ) -> Result<Linked, DriverError> {
        self.enter()?;
        self.name_strings(includes)?;
        let built = self.build(shaders, options, includes);
        self.forget_strings(includes)?;
        let (program, linked) = built?;
        self.gl.delete_program(program);
        Ok(linked)
    }

    /// Makes this context current on its thread.
    pub(crate) fn enter(&self) -> Result<(), DriverError> {
        if CURRENT.get() != self.raw.handle.cast_const() {
            self.egl.make_current(&self.raw)?;
            CURRENT.set(self.raw.handle);
        }
        Ok(())
    }

    /// Compiles and links; the caller deletes the program.
    pub(crate) fn build(
        &self,
        shaders: &[(Stage, &[&str])],
        options: LinkOptions,
        includes: &Includes,
    ) -> Result<(u32, Linked), DriverError> {
        let program = self.gl.create_program();
        let mut compiled = Vec::with_capacity(shaders.len());
        for (stage, strings) in shaders {
            let (shader, answer) = self.compile_object(*stage, strings, includes)?;
            compiled.push(answer);
            self.gl.attach_shader(program, shader);
            // The shader is deleted together with the program.
            self.gl.delete_shader(shader);
        }
        if compiled.iter().any(|c| !c.ok) {
            return Ok((program, Linked { ok: false, compiled, linked: None, log: String::new() }));
        }
        if options.separable {
            self.gl.program_parameter(program, gl::PROGRAM_SEPARABLE, 1);
        }
        let (ok, log) = self.link_object(program);
        Ok((program, Linked { ok, compiled, linked: Some(ok), log }))
    }

    /// Links a program whose shaders are attached; returns whether it succeeded, and the log.
    pub(crate) fn link_object(&self, program: u32) -> (bool, String) {
        self.gl.link_program(program);
        let ok = self.program_integer(program, gl::LINK_STATUS) != 0;
        let log = self.info_log(self.program_integer(program, gl::INFO_LOG_LENGTH), |size, length, log| {
            // SAFETY: `log` has room for `size` bytes and `length` is a live integer.
            unsafe { (self.gl.get_program_info_log)(program, size, length, log) };
        });
        (ok, log)
    }

    pub(crate) fn program_integer(&self, program: u32, name: u32) -> i32 {
        // The longest result of glGetProgramiv is a compute work group size, three integers.
        let mut values = [0; 4];
        // SAFETY: there is room for the longest result.
        unsafe { (self.gl.get_program_iv)(program, name, values.as_mut_ptr()) };
        values[0]
    }

    /// Drops pending errors, so that the next error belongs to the next call.
    pub(crate) fn drain_errors(&self) {
        // A lost context reports errors for ever, hence the bound.
        for _ in 0..16 {
            if self.gl.get_error() == 0 {
                break;
            }
        }
    }

    pub(crate) fn compile_object(
        &self,
        stage: Stage,
        strings: &[&str],
        includes: &Includes,
    ) -> Result<(u32, Compiled), DriverError> {
        let mut pointers = Vec::with_capacity(strings.len());
        let mut lengths = Vec::with_capacity(strings.len());
        for text in strings {
            lengths.push(length(text)?);
            pointers.push(text.as_ptr().cast::<c_char>());
        }
        let count = i32::try_from(strings.len()).unwrap_or(i32::MAX);
        let shader = self.gl.create_shader(kind(stage));
        if shader == 0 {
            self.drain_errors();
            let log = format!("this context has no {} shaders", stage.extension());
            return Ok((0, Compiled { ok: false, log }));
        }
        // SAFETY: `count` pointers and lengths follow, each pair describing a live string.
        unsafe { (self.gl.shader_source)(shader, count, pointers.as_ptr(), lengths.as_ptr()) };
        self.compile_source(shader, includes)?;
        let mut ok = 0;
        // SAFETY: GL_COMPILE_STATUS is one integer, and `ok` is one.
        unsafe { (self.gl.get_shader_iv)(shader, gl::COMPILE_STATUS, &raw mut ok) };
        let mut size = 0;
        // SAFETY: GL_INFO_LOG_LENGTH is one integer, and `size` is one.
        unsafe { (self.gl.get_shader_iv)(shader, gl::INFO_LOG_LENGTH, &raw mut size) };
        let log = self.info_log(size, |size, length, log| {
            // SAFETY: `log` has room for `size` bytes and `length` is a live integer.
            unsafe { (self.gl.get_shader_info_log)(shader, size, length, log) };
        });
        Ok((shader, Compiled { ok: ok != 0, log }))
    }

    fn compile_source(&self, shader: u32, includes: &Includes) -> Result<(), DriverError> {
        let Some(compile) = self.gl.compile_shader_include.filter(|_| !includes.paths.is_empty()) else {
            self.gl.compile_shader(shader);
            return Ok(());
        };
        let mut pointers = Vec::with_capacity(includes.paths.len());
        let mut lengths = Vec::with_capacity(includes.paths.len());
        for path in &includes.paths {
            lengths.push(length(path)?);
            pointers.push(path.as_ptr().cast::<c_char>());
        }
        let count = i32::try_from(pointers.len()).unwrap_or(i32::MAX);
        // SAFETY: `count` pointers and lengths follow, each pair describing a live string.
        unsafe { compile(shader, count, pointers.as_ptr(), lengths.as_ptr()) };
        Ok(())
    }

    fn name_strings(&self, includes: &Includes) -> Result<(), DriverError> {
        let Some(define) = self.gl.named_string else { return Ok(()) };
        for (name, text) in &includes.strings {
            let (name_length, text_length) = (length(name)?, length(text)?);
            let (name, text) = (name.as_ptr().cast(), text.as_ptr().cast());
            // SAFETY: both pointers are to live strings of the lengths given.
            unsafe { define(gl::SHADER_INCLUDE, name_length, name, text_length, text) };
        }
        Ok(())
    }

    fn forget_strings(&self, includes: &Includes) -> Result<(), DriverError> {
        let Some(delete) = self.gl.delete_named_string else { return Ok(()) };
        for (name, _) in &includes.strings {
            let size = length(name)?;
            // SAFETY: the pointer is to a live string of the length given.
            unsafe { delete(size, name.as_ptr().cast()) };
        }
        self.drain_errors();
        Ok(())
    }

    fn info_log(&self, size: i32, fill: impl Fn(i32, *mut i32, *mut c_char)) -> String {
        let mut bytes = vec![0u8; usize::try_from(size).unwrap_or(0)];
        if bytes.is_empty() {
            return String::new();
        }
        let mut written = 0;
        fill(size, &raw mut written, bytes.as_mut_ptr().cast());
        bytes.truncate(usize::try_from(written).unwrap_or(0));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if CURRENT.get() == self.raw.handle.cast_const() {
            CURRENT.set(std::ptr::null());
        }
        self.egl.destroy(&self.raw);
    }
}

/// Returns a NUL-terminated copy; text after a NUL byte is dropped, as in C.
pub(crate) fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text.as_bytes()[..end]).unwrap_or_default()
}

fn length(text: &str) -> Result<i32, DriverError> {
    i32::try_from(text.len()).map_err(|_| DriverError::SourceTooLong { bytes: text.len() })
}

fn kind(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 0x8B31,
        Stage::TessControl => 0x8E88,
        Stage::TessEvaluation => 0x8E87,
        Stage::Geometry => 0x8DD9,
        Stage::Fragment => 0x8B30,
        Stage::Compute => 0x91B9,
    }
}

/// Parses the first `4.50` in `4.50` or `OpenGL ES GLSL ES 3.20`, as 450 or 320.
fn first_version(text: &str) -> Option<u16> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let mut parts = text[start..].split(|c: char| !c.is_ascii_digit());
    let major: u16 = parts.next()?.parse().ok()?;
    let minor: u16 = parts.next()?.parse().ok()?;
    major.checked_mul(100)?.checked_add(minor)
}

#[cfg(test)]
mod tests {
    use super::first_version;

    #[track_caller]
    fn check(text: &str, expected: Option<u16>) {
        assert_eq!(first_version(text), expected, "{text:?}");
    }

    #[test]
    fn versions_are_parsed_from_driver_strings() {
        check("4.50", Some(450));
        check("OpenGL ES GLSL ES 3.20", Some(320));
        check("4.60 NVIDIA", Some(460));
        check("none", None);
    }
}
