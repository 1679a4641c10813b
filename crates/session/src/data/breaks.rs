//! Where and when to stop.

use serde::{Deserialize, Serialize};

use super::place::Location;

/// A breakpoint at a line of a shader's text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LineBreak {
    /// The line, from 1. Where no statement begins, the next one that does is taken.
    pub line: u32,
    /// Stop only where this expression of the language, of type `bool`, is true just before the statement.
    pub condition: Option<String>,
    /// Stop only some times that it is reached with its condition true, counted from the start of the invocation: `5`
    /// or `== 5`, `> 5`, `>= 5`, `< 5`, `<= 5`, or `% 5` for each fifth.
    pub hit_count: Option<String>,
    /// Do not stop, but note this text, with the values of expressions in braces: `light is {light.x}`.
    pub log: Option<String>,
}

/// A breakpoint where a variable is written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DataBreak {
    /// The variable, or a part of it, as it is called where the session stands: [`crate::Variable::path`].
    pub path: String,
    /// Stop only where this expression is true after the write.
    pub condition: Option<String>,
}

/// What became of a breakpoint that was set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BreakStatus {
    /// What [`crate::Reason`] calls it.
    pub id: u64,
    /// Whether anything can stop there.
    pub verified: bool,
    /// The line it is at.
    pub line: Option<u32>,
    /// Why nothing can, or what is special about it.
    pub message: Option<String>,
}

/// Something undefined that a shader may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ExceptionKind {
    /// A short stable name: `not-finite`.
    pub code: &'static str,
    /// What it is, for people.
    pub name: &'static str,
}

/// Something undefined that the invocation does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// [`ExceptionKind::code`].
    pub kind: String,
    /// One sentence with the operands in it.
    pub message: String,
    /// The expression; nothing for what holds of the run as a whole.
    pub location: Option<Location>,
    /// When it happens first, as text.
    pub moment: Option<String>,
    /// How often it happens.
    pub count: u64,
}

/// A write to a variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Write {
    /// When the statement that wrote began: [`crate::Session::go_to_time`] goes there.
    pub time: u64,
    /// What wrote.
    pub location: Option<Location>,
    /// What it held before.
    pub old: String,
    /// What it held after.
    pub new: String,
}
