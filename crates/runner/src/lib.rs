//! Running `.shader_test` files without a driver: commands in, verdict out.
//!
//! [`run`] compiles and links the shaders of a file, executes its commands on the emulator in the order in which piglit's
//! `shader_runner` would give them to GL, and looks at pixels and buffers where the file says so. A test passes only if
//! everything in it was executed and every probe agrees; what cannot be executed is named.
//!
//! The crate is pure: no I/O, no clock, no threads, the same answer every time.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod blocks;
mod compile;
mod context;
mod draw;
mod execute;
mod image;
mod probe;
mod query;
mod target;
mod uniform;

use shader_test::ShaderTest;

/// How to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// After so many blocks of instructions an invocation counts as endless.
    pub budget: u64,
    /// Shade every pixel of every draw, not only those that are looked at: for a picture of the result.
    pub whole_image: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { budget: 2_000_000, whole_image: false }
    }
}

/// What came of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The verdict.
    pub outcome: Outcome,
    /// What was wrong, in the order of the file.
    pub failures: Vec<Failure>,
    /// How many probes there were.
    pub probes: u32,
    /// What is in the framebuffer that is drawn to, in the end.
    pub picture: Option<Picture>,
}

/// A verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Everything was executed and agrees.
    Pass,
    /// Something does not agree.
    Fail,
    /// Something could not be executed: its name.
    Unsupported(String),
    /// The test is not one for us: why.
    Skip(String),
}

impl Outcome {
    /// One word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Unsupported(_) => "unsupported",
            Outcome::Skip(_) => "skip",
        }
    }
}

/// Something that does not agree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The line of the file, counted from one; zero if no line is to blame.
    pub line: u32,
    /// What was looked at.
    pub what: String,
    /// What it should be.
    pub expected: String,
    /// What it is.
    pub found: String,
}

/// Pixels: red, green, blue, alpha as bytes, rows from the top.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Four bytes each.
    pub pixels: Vec<u8>,
}

/// Why a run does not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// This cannot be executed.
    Unsupported(String),
    /// This must not be.
    Fail(Failure),
}

impl Stop {
    pub(crate) fn unsupported(what: impl Into<String>) -> Stop {
        Stop::Unsupported(what.into())
    }

    /// The line is filled in by who knows it.
    pub(crate) fn fail(what: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> Stop {
        Stop::Fail(Failure { line: 0, what: what.into(), expected: expected.into(), found: found.into() })
    }
}

/// Runs a test.
#[must_use]
pub fn run(text: &str, options: &Options) -> Report {
    execute::run(&shader_test::parse(text), options)
}

/// Why a test is not one for us; `None` if it is.
#[must_use]
pub fn not_for_us(test: &ShaderTest) -> Option<&'static str> {
    if test.other_languages || test.require.spirv_only {
        return Some("SPIR-V or ARB assembly");
    }
    None
}
