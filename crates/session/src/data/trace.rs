//! What is in a trace.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A frame: commands up to a present.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FrameInfo {
    /// From 0.
    pub index: usize,
    /// Its first command.
    pub first_command: u64,
    /// Its last.
    pub last_command: u64,
}

/// A draw or dispatch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Draw {
    /// The number of its command.
    pub command: u64,
    /// The frame, from 0; nothing where it is in none.
    pub frame: Option<usize>,
    /// What it calls.
    pub name: Cow<'static, str>,
    /// The debug groups that are open there, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
}
