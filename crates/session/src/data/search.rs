//! Breakpoints for every invocation of some draws.

use std::fmt;

use serde::{Deserialize, Serialize};
use shader::version::Stage;
use state::annotation::path_text;

use super::choice::Choice;
use super::measure::{Counted, MeasureOptions};

/// A breakpoint, and the draws that are searched for invocations which hit it.
#[derive(Clone, PartialEq, Debug)]
pub struct BreakpointSearch {
    /// The shader.
    pub shader: ShaderSelection,
    /// The line, from 1.
    pub line: u32,
    /// Whether a statement must begin in the line; otherwise the next one that begins after it will do.
    pub exact_line: bool,
    /// Only where this expression is true just before the statement.
    pub condition: Option<String>,
    /// The draws.
    pub draws: DrawSelection,
    /// How many invocations to name.
    pub most: usize,
    /// How the device is asked.
    pub options: MeasureOptions,
}

impl BreakpointSearch {
    /// Searches draws for invocations that reach a line of a text ([`crate::Source::id`]), or the next line with a
    /// statement, and names the first ten.
    #[must_use]
    pub fn new(source: String, line: u32, draws: DrawSelection) -> BreakpointSearch {
        BreakpointSearch {
            shader: ShaderSelection::Source(source),
            line,
            exact_line: false,
            condition: None,
            draws,
            most: 10,
            options: MeasureOptions::default(),
        }
    }
}

/// A shader of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShaderSelection {
    /// By its text: [`crate::Source::id`].
    Source(String),
    /// A stage of any of these programs.
    Programs {
        /// The recorded names of the programs.
        programs: Vec<u32>,
        /// The stage.
        stage: Stage,
    },
}

/// Draws of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DrawSelection {
    /// All of them.
    All,
    /// Those of a frame, from 0.
    Frame(usize),
    /// Those of the frame that a command is in, or after the last frame if it is there.
    Beside(u64),
    /// Those of these commands.
    Commands(Vec<u64>),
}

/// Where a breakpoint is hit.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BreakpointHits {
    /// How many draws were asked.
    pub asked: usize,
    /// Draws in which it is hit.
    pub draws: Vec<DrawHits>,
    /// Some of the invocations that hit it, in the order of draws: those of one draw leave room for those of the next. In a
    /// draw with more hits than there is room to read, they are the first of those that were read.
    pub first: Vec<InvocationHit>,
    /// Which fragments are counted; `None` for other stages.
    pub counted: Option<Counted>,
    /// How many invocations ran without room for their answer, and are not counted.
    pub missed: u64,
    /// What could not be asked, as sentences.
    pub problems: Vec<String>,
    /// The line of the statement: the one that was asked for, or the next that has one.
    pub line: u32,
    /// The text of that line.
    pub line_text: String,
}

impl BreakpointHits {
    /// Returns how many invocations hit it.
    #[must_use]
    pub fn invocations(&self) -> u64 {
        self.draws.iter().map(|draw| draw.invocations).sum()
    }

    /// Returns what the counts leave out, as sentences.
    #[must_use]
    pub fn limits(&self) -> Vec<String> {
        let staying = "counted is the fragment that stays at each pixel, not those it replaced";
        let missed = || format!("{} more invocations ran than there is room for answers", self.missed);
        let mut all = Vec::new();
        all.extend((self.counted == Some(Counted::Staying)).then(|| staying.to_owned()));
        all.extend((self.missed > 0).then(missed));
        all
    }
}

/// A draw in which a breakpoint is hit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DrawHits {
    /// The draw.
    pub command: u64,
    /// The function that it calls.
    pub call: String,
    /// The frame, from 0; nothing where it is in none.
    pub frame: Option<usize>,
    /// The debug groups that are open there, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// In how many invocations.
    pub invocations: u64,
    /// How often in all.
    pub times: u64,
}

fn plural(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

impl fmt::Display for DrawHits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DrawHits { command, call, groups, invocations, times, .. } = self;
        let groups = if groups.is_empty() { String::new() } else { format!(" in {}", path_text(groups)) };
        let (invocations, times) = (plural(*invocations, "invocation"), plural(*times, "time"));
        write!(f, "command {command} {call}{groups}: {invocations}, {times}")
    }
}

/// An invocation in which a breakpoint is hit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InvocationHit {
    /// The invocation: [`crate::Session::enter`] goes there.
    pub choice: Choice,
    /// Its stage.
    pub stage: String,
    /// As in [`crate::InspectedInvocation::id`].
    pub id: [i32; 4],
    /// How often.
    pub times: u32,
    /// The first time, if it is known.
    pub moment: Option<String>,
    /// The calls and iterations around it, the outermost first.
    #[serde(skip)]
    pub path: Vec<super::inspect::PathStep>,
}

impl InvocationHit {
    /// Returns its draw or dispatch.
    #[must_use]
    pub fn command(&self) -> u64 {
        // The invocations of a search are those of draws, never pixels of frames.
        self.choice.command().unwrap_or(0)
    }
}
