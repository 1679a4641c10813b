//! What a screen remembers that is no fact about the trace.

use ratatui::layout::Rect;

use super::image::Lens;
use super::prompt::Prompt;
use super::search::Search;

/// Lines of the console that are kept.
const MOST_LINES: usize = 2000;

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

    /// The one before.
    pub fn previous(self) -> Pane {
        self.next().next().next().next()
    }

    /// The panes other than the source that can be shown in the place of this one.
    pub fn others(self) -> impl Iterator<Item = Pane> {
        [Pane::Variables, Pane::Stack, Pane::History, Pane::Picture].into_iter().filter(move |pane| *pane != self)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Pane::Source => "source",
            Pane::Variables => "variables",
            Pane::Stack => "calls and passes",
            Pane::History => "history",
            Pane::Picture => "picture",
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

/// A mouse button is held down on the picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drag {
    /// The cell in which the pointer is.
    pub at: (u16, u16),
    /// It was in another.
    pub moved: bool,
}

/// What a screen remembers.
pub struct State {
    pub focus: Pane,
    pub prompt: Prompt,
    pub console: Vec<Line>,
    /// How many lines of the console are below its lower edge.
    pub console_back: usize,
    /// How many lines at the end of the console were added since it was drawn; the first of them is to be seen.
    pub console_new: usize,
    /// How many lines the last command said.
    pub console_answer: usize,
    /// What is looked for in the source.
    pub search: Option<Search>,
    /// The first row of the source on the screen, of all its rows; where one stands decides without one.
    pub source_top: Option<usize>,
    /// What was on top when it was drawn last.
    pub shown_top: usize,
    /// The line in each row of the screen.
    pub source_lines: Vec<u32>,
    /// What is chosen in lists, and what is on top of them.
    pub variable: usize,
    pub level: usize,
    pub event: usize,
    pub tops: [usize; 3],
    /// What is in each row of these lists.
    pub list_rows: [Vec<usize>; 3],
    /// The list that is shown where there is room for one.
    pub lower: Pane,
    /// Where the arrow keys are in the picture.
    pub cursor: Option<[u32; 2]>,
    /// The part of the picture that is shown.
    pub lens: Lens,
    /// Where the mouse was pressed on the picture, where it is, and whether it was moved in between.
    pub drag: Option<Drag>,
    /// The picture has the place of the source.
    pub large: bool,
    /// Keys are listed, from this row on.
    pub help: Option<usize>,
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
            console_new: 0,
            console_answer: 0,
            search: None,
            source_top: None,
            shown_top: 0,
            source_lines: Vec::new(),
            variable: 0,
            level: 0,
            event: 0,
            tops: [0; 3],
            list_rows: Default::default(),
            lower: Pane::Variables,
            cursor: None,
            lens: Lens::default(),
            drag: None,
            large: false,
            help: None,
            working: None,
            areas: Areas::default(),
        }
    }

    /// Adds what a command said.
    pub fn say(&mut self, text: &str) {
        self.console.extend(text.lines().map(|line| Line::Said(line.to_owned())));
        self.console.drain(..self.console.len().saturating_sub(MOST_LINES));
        let lines = text.lines().count().min(MOST_LINES);
        (self.console_back, self.console_new, self.console_answer) = (0, lines, lines);
    }

    /// Adds why one could not be served.
    pub fn complain(&mut self, sentence: &str) {
        self.console.push(Line::Wrong(sentence.to_owned()));
        (self.console_back, self.console_answer) = (0, 1);
    }
}
