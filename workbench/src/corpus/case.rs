//! A test case: shaders, how to link them, and the expected result.

use driver::{Api, Includes};
use shader::version::Stage;

/// Shaders with an expectation.
#[derive(Clone, Debug)]
pub struct Case {
    /// Path inside the corpus, or a dotted case name.
    pub name: String,
    /// The row of the table that it is counted in.
    pub group: String,
    /// The shaders to compile.
    pub shaders: Vec<Source>,
    /// Whether and how to link.
    pub linking: Linking,
    /// The expected result.
    pub expect: Expect,
    /// The kind of context.
    pub api: Api,
    /// The GLSL version that a driver must support, as in `#version`.
    pub glsl: u16,
    /// Extensions that a driver must support for the expectation to hold.
    pub requires: Vec<String>,
    /// Extensions that a driver must not support for the expectation to hold.
    pub absent: Vec<String>,
    /// Implementation limits that the expectation depends on.
    pub limits: Vec<(String, i32)>,
    /// Input primitive of a geometry shader that does not declare it, in GLSL's spelling.
    pub geometry_input: Option<String>,
    /// Named strings for `#include`.
    pub includes: Includes,
}

/// The text of one shader.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its stage.
    pub stage: Stage,
    /// The strings for `glShaderSource`.
    pub strings: Vec<String>,
}

/// Whether and how to link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linking {
    /// Compile only.
    No,
    /// As one program.
    Program,
    /// As one program with `GL_PROGRAM_SEPARABLE`.
    Separable,
    /// Each stage as a separable program of its own.
    EachStage,
    /// The same, and the programs must be valid together in a pipeline.
    Pipeline,
}

/// The expected result of a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expect {
    /// Everything compiles and links.
    Pass,
    /// It is rejected, at compile or at link time.
    Fail,
    /// A shader does not compile.
    CompileFail,
    /// All compile; the program does not link.
    LinkFail,
    /// Every program links; a pipeline of them is not valid.
    ValidationFail,
}

impl Expect {
    /// Returns whether the case is expected to be accepted.
    pub fn passes(self) -> bool {
        self == Expect::Pass
    }

    /// Returns whether an answer is as expected.
    pub fn holds(self, answer: Answer) -> bool {
        match self {
            Expect::Pass => answer == Answer::Accepted,
            Expect::Fail => matches!(answer, Answer::CompileError | Answer::LinkError),
            Expect::CompileFail => answer == Answer::CompileError,
            Expect::LinkFail => answer == Answer::LinkError,
            Expect::ValidationFail => answer == Answer::Invalid,
        }
    }
}

/// A compiler's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Compiled and, where the case links, linked.
    Accepted,
    /// A shader did not compile.
    CompileError,
    /// The program did not link.
    LinkError,
    /// The programs cannot be used together in a pipeline.
    Invalid,
    /// The compiler crashed, panicked or timed out: wrong whatever was expected.
    Broke,
}

impl Answer {
    /// Returns a word for tables and the cache.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Accepted => "accepted",
            Answer::CompileError => "compile-error",
            Answer::LinkError => "link-error",
            Answer::Invalid => "invalid",
            Answer::Broke => "broke",
        }
    }

    /// Returns the answer of that name.
    pub fn from_name(name: &str) -> Option<Answer> {
        [Answer::Accepted, Answer::CompileError, Answer::LinkError, Answer::Invalid, Answer::Broke]
            .into_iter()
            .find(|a| a.name() == name)
    }

    /// Returns whether both accept or both reject; a compiler that broke never agrees.
    pub fn agrees(self, other: Answer) -> bool {
        self != Answer::Broke && other != Answer::Broke && (self == Answer::Accepted) == (other == Answer::Accepted)
    }
}

/// An answer and its most relevant message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Accepted or not.
    pub answer: Answer,
    /// The first error, or empty.
    pub log: String,
}
