//! Runs `.shader_test` files without a driver: commands in, verdict out.
//!
//! [`run`] compiles and links the shaders of a file, executes its commands on the emulator in the order in which
//! piglit's `shader_runner` would issue them to GL, and checks pixels and buffers where the file says so. A test passes
//! only if everything in it was executed and every probe agrees; unsupported features are named.
//!
//! The crate is pure: no I/O, no clock, no threads; the result is deterministic.
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

/// How to run a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The number of basic blocks after which an invocation is considered endless.
    pub budget: u64,
    /// Shade every pixel of every draw, not only those that are probed, to get a picture of the result.
    pub whole_image: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { budget: 2_000_000, whole_image: false }
    }
}

/// The result of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The verdict.
    pub outcome: Outcome,
    /// What disagreed, in the order of the file.
    pub failures: Vec<Failure>,
    /// The number of probes.
    pub probes: u32,
    /// The final contents of the framebuffer.
    pub picture: Option<Picture>,
}

/// A verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Everything was executed and agrees.
    Pass,
    /// A probe or expectation disagrees.
    Fail,
    /// A feature could not be executed: its name.
    Unsupported(String),
    /// The test does not apply: the reason.
    Skip(String),
}

impl Outcome {
    /// The verdict as one word.
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

/// An expectation that was not met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The line of the file, counted from one; zero if it concerns no particular line.
    pub line: u32,
    /// What was checked.
    pub what: String,
    /// The expected value.
    pub expected: String,
    /// The actual value.
    pub found: String,
}

/// Pixels as RGBA bytes, top row first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Four bytes per pixel.
    pub pixels: Vec<u8>,
}

/// Why a run ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// A feature that is not supported.
    Unsupported(String),
    /// An expectation that was not met.
    Fail(Failure),
}

impl Stop {
    pub(crate) fn unsupported(what: impl Into<String>) -> Stop {
        Stop::Unsupported(what.into())
    }

    /// The caller fills in the line.
    pub(crate) fn fail(what: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> Stop {
        Stop::Fail(Failure { line: 0, what: what.into(), expected: expected.into(), found: found.into() })
    }
}

/// Runs a test.
#[must_use]
pub fn run(text: &str, options: &Options) -> Report {
    execute::run(&shader_test::parse(text), options)
}

/// Why a test does not apply here; `None` if it does.
#[must_use]
pub fn not_for_us(test: &ShaderTest) -> Option<&'static str> {
    if test.other_languages || test.require.spirv_only {
        return Some("SPIR-V or ARB assembly");
    }
    None
}
