//! Traces that tests write call by call.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use api::CommandId;
use trace::{Content, Origin, Writer};

/// A command by its name or by its number.
pub trait Named {
    /// Returns the command's number.
    ///
    /// # Panics
    /// When no command has the name.
    fn id(self) -> CommandId;
}

impl Named for CommandId {
    fn id(self) -> CommandId {
        self
    }
}

impl Named for &str {
    #[track_caller]
    fn id(self) -> CommandId {
        api::find(self).unwrap_or_else(|| panic!("there is no command {self}"))
    }
}

/// Memory behind parameters of a call.
pub type Memory<'a> = &'a [(u8, &'a [u8])];

/// A trace being written.
pub struct TraceBuilder {
    writer: Writer<Vec<u8>>,
}

/// Writing to memory cannot fail, and calls of tests are well-formed.
const WRITTEN: &str = "the call can be written";

impl TraceBuilder {
    /// Returns a trace without calls.
    ///
    /// # Panics
    /// Never: memory can be written to.
    #[must_use]
    pub fn empty() -> TraceBuilder {
        TraceBuilder { writer: Writer::new(Vec::new(), api::COMMANDS, &Origin::here()).expect(WRITTEN) }
    }

    /// Returns a trace with a context of GL 3.2 of the compatibility profile and a double-buffered surface of this width
    /// and height, both with the number 1 and current.
    #[must_use]
    pub fn new(size: u64) -> TraceBuilder {
        let mut trace = TraceBuilder::empty();
        trace.context(1, 0, api::constant::GL_CONTEXT_COMPATIBILITY_PROFILE_BIT);
        trace.surface(1, size, size);
        trace.call("afiCurrent", &[1, 1, 1]);
        trace
    }

    /// Adds a context of GL 3.2 with this profile mask, which shares objects with another if `share` is not 0.
    pub fn context(&mut self, number: u64, share: u64, profile: u32) {
        let api = api::constant::EGL_OPENGL_API.into();
        self.call("afiContext", &[number, share, 0x7F00_0000_1000, api, 3, 2, profile.into(), 0]);
    }

    /// Adds a double-buffered surface, or changes the size of one.
    pub fn surface(&mut self, number: u64, width: u64, height: u64) {
        self.call("afiSurface", &[number, 0x7F00_0000_2000, 0, width, height, 8, 8, 8, 8, 24, 8, 0, 1, 0]);
    }

    /// Adds a call. Returns its number.
    #[track_caller]
    pub fn call(&mut self, command: impl Named, args: &[u64]) -> u64 {
        self.record(0, command, args, &[], 0, &[])
    }

    /// Adds a call that reads memory. Returns its number.
    #[track_caller]
    pub fn reading(&mut self, command: impl Named, args: &[u64], inputs: Memory<'_>) -> u64 {
        self.record(0, command, args, inputs, 0, &[])
    }

    /// Adds a call that returns something, or writes memory. Returns its number.
    #[track_caller]
    pub fn returning(&mut self, command: impl Named, args: &[u64], result: u64, outputs: Memory<'_>) -> u64 {
        self.record(0, command, args, &[], result, outputs)
    }

    /// Adds a call with everything there is to a call. Returns its number.
    ///
    /// # Panics
    /// When there is no such command, or when it has another number of parameters.
    #[track_caller]
    pub fn record(
        &mut self,
        thread: u32,
        command: impl Named,
        args: &[u64],
        inputs: Memory<'_>,
        result: u64,
        outputs: Memory<'_>,
    ) -> u64 {
        let number = self.writer.enter(thread, command.id(), false, args, &contents(inputs)).expect(WRITTEN);
        self.writer.leave(thread, result, &contents(outputs), number + 1).expect(WRITTEN);
        number
    }

    /// Adds a call that does not return.
    ///
    /// # Panics
    /// When there is no such command, or when it has another number of parameters.
    #[track_caller]
    pub fn enter(&mut self, command: impl Named, args: &[u64]) -> u64 {
        self.writer.enter(0, command.id(), false, args, &[]).expect(WRITTEN)
    }

    /// Adds a shader of this kind with its source, compiled.
    pub fn shader(&mut self, name: u64, kind: u32, text: &str) {
        self.returning("glCreateShader", &[kind.into()], name, &[]);
        self.reading("glShaderSource", &[name, 1, 0x7F00_0000_3000, 0], &[(2, &source(text))]);
        self.call("glCompileShader", &[name]);
    }

    /// Returns how many calls there are.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.writer.calls()
    }

    /// Ends the trace and returns its bytes.
    ///
    /// # Panics
    /// Never: memory can be written to.
    #[must_use]
    pub fn bytes(self) -> Vec<u8> {
        self.writer.finish().expect(WRITTEN).1
    }

    /// Ends the trace and writes it to a file whose name has `name` in it.
    ///
    /// # Panics
    /// When the file cannot be written.
    #[must_use]
    #[track_caller]
    pub fn save(self, name: &str) -> TraceFile {
        let path = std::env::temp_dir().join(format!("afterimage-{name}-{}.aftr", std::process::id()));
        self.save_as(&path);
        TraceFile(path)
    }

    /// Ends the trace and writes it to this file, which stays.
    ///
    /// # Panics
    /// When the file cannot be written.
    #[track_caller]
    pub fn save_as(self, path: &Path) {
        std::fs::write(path, self.bytes()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

fn contents<'a>(list: Memory<'a>) -> Vec<Content<'a>> {
    list.iter().map(|&(param, bytes)| Content { param, bytes, digest_only: false }).collect()
}

/// A trace's file, which is removed when the test is over.
#[derive(Debug)]
pub struct TraceFile(PathBuf);

impl Deref for TraceFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for TraceFile {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        // A file that cannot be removed stays in the folder for temporary files.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns the argument for a `GLfloat`.
#[must_use]
pub fn float(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// Returns the memory behind a list of names of objects.
#[must_use]
pub fn names(names: &[u32]) -> Vec<u8> {
    names.iter().flat_map(|name| name.to_ne_bytes()).collect()
}

/// Returns the memory that `glShaderSource` is recorded with for one string.
#[must_use]
pub fn source(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}
