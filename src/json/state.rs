//! `afterimage state --json`.

use afterimage::Tree;
use serde::Serialize;

/// The state after a command.
#[derive(Serialize)]
pub struct Document<'a> {
    /// The command after which this is the state.
    pub at: Moment<'a>,
    /// The path that was asked for, from the root; empty for everything.
    pub path: String,
    /// The state there, by name.
    pub state: Tree<'a>,
}

/// What two states differ in.
#[derive(Serialize)]
pub struct DiffDocument<'a> {
    /// The command of the first state.
    pub at: Moment<'a>,
    /// The command of the second state.
    pub diff: Moment<'a>,
    /// Where they differ; exit status 1 says that they do not.
    pub differences: Vec<Difference<'a>>,
}

/// The command after which a state is looked at.
#[derive(Serialize)]
pub struct Moment<'a> {
    /// The command.
    pub command: u64,
    /// Its frame; null where it is in none.
    pub frame: Option<usize>,
    /// Its thread.
    pub thread: u32,
    /// The context that is current in the thread.
    pub context: u32,
    /// The command as `dump` prints it.
    pub text: &'a str,
}

/// A difference.
#[derive(Serialize)]
pub struct Difference<'a> {
    /// The path of the node.
    pub path: String,
    /// `changed`, `added` (only in the second state) or `removed` (only in the first).
    pub kind: &'static str,
    /// The node in the first state.
    pub before: Option<Tree<'a>>,
    /// The node in the second state.
    pub after: Option<Tree<'a>>,
}
