//! What a screen remembers that is no fact about the trace.

use ratatui::layout::Rect;

use super::prompt::Prompt;

/// A part of the screen that keys can be for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pane {
    Source,
    Variables,
    Stack,
    History,
    Picture,
}

impl Pane {
    /// The next one, in the order of Tab.
    pub fn next(self) -> Pane {
        match self {
            Pane::Source => Pane::Variables,
            Pane::Variables => Pane::Stack,
            Pane::Stack => Pane::History,
            Pane::History => Pane::Picture,
            Pane::Picture => Pane::Source,
        }
    }
}

/// A line of the console.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    Command(String),
    Said(String),
    Wrong(String),
}

/// Where things are on the screen, for the mouse.
#[derive(Clone, Copy, Default, Debug)]
pub struct Areas {
    pub source: Rect,
    pub variables: Rect,
    pub stack: Rect,
    pub history: Rect,
    pub picture: Rect,
    pub console: Rect,
}

/// What a screen remembers.
pub struct State {
    pub focus: Pane,
    pub prompt: Prompt,
    pub console: Vec<Line>,
    /// How many lines of the console are below its lower edge.
    pub console_back: usize,
    /// The first line of the source on the screen; where one stands decides without one.
    pub source_top: Option<u32>,
    /// What was on top when it was drawn last.
    pub shown_top: u32,
    /// What is chosen in lists, and what is on top of them.
    pub variable: usize,
    pub level: usize,
    pub event: usize,
    pub tops: [usize; 3],
    /// Where the arrow keys are in the picture.
    pub cursor: Option<[u32; 2]>,
    pub help: bool,
    /// What is being done that takes a while.
    pub working: Option<String>,
    pub areas: Areas,
}

impl State {
    pub fn new(history: Vec<String>) -> State {
        State {
            focus: Pane::Source,
            prompt: Prompt::new(history),
            console: Vec::new(),
            console_back: 0,
            source_top: None,
            shown_top: 1,
            variable: 0,
            level: 0,
            event: 0,
            tops: [0; 3],
            cursor: None,
            help: false,
            working: None,
            areas: Areas::default(),
        }
    }

    /// Adds what a command said.
    pub fn say(&mut self, text: &str) {
        self.console.extend(text.lines().map(|line| Line::Said(line.to_owned())));
        self.console_back = 0;
    }

    /// Adds why one could not be served.
    pub fn complain(&mut self, sentence: &str) {
        self.console.push(Line::Wrong(sentence.to_owned()));
        self.console_back = 0;
    }
}

/// Moves the top of a list so that what is chosen in it can be seen.
pub fn follow(top: &mut usize, chosen: usize, height: usize) {
    if chosen < *top {
        *top = chosen;
    } else if height > 0 && chosen >= *top + height {
        *top = chosen + 1 - height;
    }
}
