//! `afterimage dump --json`: the elements of `commands`, which are written one after the other.

use serde::Serialize;

/// A command.
#[derive(Serialize)]
pub struct Command<'a> {
    pub command: u64,
    pub frame: usize,
    pub thread: u32,
    pub context: u32,
    pub name: &'a str,
    pub by_capture: bool,
    pub returned: bool,
    pub text: &'a str,
    pub memory: Vec<Memory<'a>>,
}

/// Memory behind a parameter.
#[derive(Serialize)]
pub struct Memory<'a> {
    pub parameter: Option<&'a str>,
    pub direction: &'static str,
    pub bytes: u64,
    pub blob: Option<u32>,
    pub digest: Option<String>,
}

/// Commands that are lost.
#[derive(Serialize)]
pub struct Lost<'a> {
    pub lost: LostCommands<'a>,
}

/// Which commands, and why.
#[derive(Serialize)]
pub struct LostCommands<'a> {
    pub first: u64,
    pub last: u64,
    pub reason: &'a str,
}
