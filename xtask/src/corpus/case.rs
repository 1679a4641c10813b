//! One thing to judge: shaders, how to link them, and what somebody expects.

use driver::{Api, Includes, Stage};

/// Shaders with an expectation.
#[derive(Clone, Debug)]
pub struct Case {
    /// Path inside the corpus, or a dotted case name.
    pub name: String,
    /// The row of the table it is counted in.
    pub group: String,
    /// What to compile.
    pub shaders: Vec<Source>,
    /// Whether and how to link.
    pub linking: Linking,
    /// What the corpus says.
    pub expect: Expect,
    /// The kind of context the text is for.
    pub api: Api,
    /// The GLSL version a driver must offer, as in `#version`.
    pub glsl: u16,
    /// Extensions a driver must offer for the expectation to hold.
    pub requires: Vec<String>,
    /// Extensions a driver must not offer for the expectation to hold.
    pub absent: Vec<String>,
    /// Implementation limits the expectation rests on.
    pub limits: Vec<(String, i32)>,
    /// Input primitive of a geometry shader that cannot say it itself, in GLSL's spelling.
    pub geometry_input: Option<String>,
    /// Named strings for `#include`.
    pub includes: Includes,
}

/// The text of one shader.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its stage.
    pub stage: Stage,
    /// The strings handed to `glShaderSource`.
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
}

/// What a corpus says about a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expect {
    /// Everything compiles and links.
    Pass,
    /// It is refused, at compile or at link time.
    Fail,
    /// A shader does not compile.
    CompileFail,
    /// All compile; the program does not link.
    LinkFail,
}

impl Expect {
    /// True when the corpus wants acceptance.
    pub fn passes(self) -> bool {
        self == Expect::Pass
    }

    /// True when the answer is what the corpus wants.
    pub fn holds(self, answer: Answer) -> bool {
        match self {
            Expect::Pass => answer == Answer::Accepted,
            Expect::Fail => matches!(answer, Answer::CompileError | Answer::LinkError),
            Expect::CompileFail => answer == Answer::CompileError,
            Expect::LinkFail => answer == Answer::LinkError,
        }
    }
}

/// What a compiler said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Compiled and, where the case links, linked.
    Accepted,
    /// A shader did not compile.
    CompileError,
    /// The program did not link.
    LinkError,
    /// The compiler crashed, panicked or did not come back in time: wrong whatever was expected.
    Broke,
}

impl Answer {
    /// A word for tables and the cache.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Accepted => "accepted",
            Answer::CompileError => "compile-error",
            Answer::LinkError => "link-error",
            Answer::Broke => "broke",
        }
    }

    /// The answer of that name.
    pub fn from_name(name: &str) -> Option<Answer> {
        [Answer::Accepted, Answer::CompileError, Answer::LinkError, Answer::Broke]
            .into_iter()
            .find(|a| a.name() == name)
    }

    /// True when both accept or both refuse; a compiler that broke agrees with nobody.
    pub fn agrees(self, other: Answer) -> bool {
        self != Answer::Broke && other != Answer::Broke && (self == Answer::Accepted) == (other == Answer::Accepted)
    }
}

/// An answer and its most telling line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Accepted or not.
    pub answer: Answer,
    /// The first error, or empty.
    pub log: String,
}
