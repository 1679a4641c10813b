//! `afterimage break --json`.

use serde::Serialize;
use session::{BreakpointHits, BreakpointSearch, Counted, DrawHits, InvocationHit};

/// Where a condition held.
#[derive(Serialize)]
pub struct Document<'a> {
    /// The line that was searched.
    pub site: Site<'a>,
    /// The condition; null if reaching the line is enough.
    pub condition: Option<&'a str>,
    /// How many draws run the shader and were asked.
    pub asked: usize,
    /// The draws in which the condition held.
    pub draws: Vec<Draw<'a>>,
    /// In how many invocations it held.
    pub invocations: u64,
    /// The first of these invocations, as many as `--first` asks for.
    pub first: Vec<Hit<'a>>,
    /// Which fragments are counted; `None` for other stages.
    pub counted: Option<Counted>,
    /// How many invocations ran without room for their answer.
    pub missed: u64,
    /// The draws that could not be asked, and why.
    pub problems: &'a [String],
}

/// The line.
#[derive(Serialize)]
pub struct Site<'a> {
    /// The shader, as `--site` has it.
    pub shader: &'a str,
    /// The line of the statement.
    pub line: u32,
    /// The line that was asked for; if no statement begins there, the next one is taken.
    pub asked_line: u32,
    /// The text of the line.
    pub text: &'a str,
}

/// A draw in which the condition held.
#[derive(Serialize)]
pub struct Draw<'a> {
    /// The draw.
    pub command: u64,
    /// Its frame; null where it is in none.
    pub frame: Option<usize>,
    /// The debug groups that are open there, the outermost first.
    pub groups: Vec<String>,
    /// The function that it calls.
    pub name: &'a str,
    /// In how many of its invocations the condition held.
    pub invocations: u64,
    /// How often it held in all of them together.
    pub times: u64,
}

/// An invocation in which the condition held.
#[derive(Serialize)]
pub struct Hit<'a> {
    /// The draw.
    pub command: u64,
    /// The stage.
    pub stage: &'a str,
    /// The invocation, as in `inspect --json`.
    pub id: [i32; 4],
    /// How often the condition held.
    pub times: u32,
    /// When it held first, as `inspect --moment` takes it; null if that is unknown.
    pub moment: Option<&'a str>,
    /// The line.
    pub line: u32,
}

impl<'a> Document<'a> {
    /// Makes the document of a search; `shader` is as the user named it.
    pub fn new(shader: &'a str, search: &'a BreakpointSearch, found: &'a BreakpointHits) -> Document<'a> {
        let draw = |draw: &'a DrawHits| Draw {
            command: draw.command,
            frame: draw.frame,
            groups: draw.groups.clone(),
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
            line: found.line,
        };
        Document {
            site: Site { shader, line: found.line, asked_line: search.line, text: &found.line_text },
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
