//! `afterimage break --json`.

use serde::Serialize;
use session::{BreakpointHits, BreakpointSearch, Counted, DrawHits, InvocationHit};

/// Where a condition held.
#[derive(Serialize)]
pub struct Document<'a> {
    pub site: Site<'a>,
    pub condition: Option<&'a str>,
    pub asked: usize,
    pub draws: Vec<Draw<'a>>,
    pub invocations: u64,
    pub first: Vec<Hit<'a>>,
    pub counted: Option<Counted>,
    pub missed: u64,
    pub problems: &'a [String],
}

/// The line.
#[derive(Serialize)]
pub struct Site<'a> {
    pub shader: &'a str,
    pub line: u32,
    pub text: &'a str,
}

/// A draw in which the condition held.
#[derive(Serialize)]
pub struct Draw<'a> {
    pub command: u64,
    pub frame: usize,
    pub name: &'a str,
    pub invocations: u64,
    pub times: u64,
}

/// An invocation in which the condition held.
#[derive(Serialize)]
pub struct Hit<'a> {
    pub command: u64,
    pub stage: &'a str,
    pub id: [i32; 4],
    pub times: u32,
    pub moment: Option<&'a str>,
    pub line: u32,
}

impl<'a> Document<'a> {
    /// Makes the document of a search; `shader` is as the user named it.
    pub fn new(shader: &'a str, search: &'a BreakpointSearch, found: &'a BreakpointHits) -> Document<'a> {
        let draw = |draw: &'a DrawHits| Draw {
            command: draw.command,
            frame: draw.frame,
            name: &draw.call,
            invocations: draw.invocations,
            times: draw.times,
        };
        let hit = |hit: &'a InvocationHit| Hit {
            command: hit.command(),
            stage: &hit.stage,
            id: hit.id,
            times: hit.times,
            moment: hit.moment.as_deref(),
            line: search.line,
        };
        Document {
            site: Site { shader, line: search.line, text: &found.line_text },
            condition: search.condition.as_deref(),
            asked: found.asked,
            draws: found.draws.iter().map(draw).collect(),
            invocations: found.invocations(),
            first: found.first.iter().map(hit).collect(),
            counted: found.counted,
            missed: found.missed,
            problems: &found.problems,
        }
    }
}
