//! Everything that a screen shows at one stop, as data.

use std::collections::BTreeMap;
use std::sync::Arc;

use session::{Agreement, Choice, GroupStop, Picture, Scope, Session, Source, Stop, Variable, Why};

use super::desk::Desk;
use super::desk::group::percent;
use super::desk::past::{Leaf, here, is_broken as is_broken_node, share, title, tree};
use super::inline;

/// Scopes in the order in which people look, as far as they have anything.
const SCOPES: [Scope; 8] = [
    Scope::Locals,
    Scope::Parameters,
    Scope::Outputs,
    Scope::Inputs,
    Scope::Globals,
    Scope::Samplers,
    Scope::Uniforms,
    Scope::BuiltIns,
];

/// Lines of a history that a screen keeps.
const MOST_NODES: usize = 2000;

/// What there is to see.
#[derive(Default)]
pub struct View {
    pub trace: String,
    /// What was chosen, as it was chosen.
    pub chosen: Option<Choice>,
    /// How many frames the trace has.
    pub frames: usize,
    /// The trace has no end.
    pub truncated: bool,
    /// The frame whose picture is shown, unless an earlier pass is looked at.
    pub shown_frame: Option<usize>,
    /// The command after which the picture is taken.
    pub picture_of: Option<u64>,
    pub stop: Option<Stop>,
    /// The text of the frame that is looked at.
    pub source: Option<Source>,
    /// The function that is looked at.
    pub function: String,
    /// The line of that frame, and the columns of what is about to run.
    pub line: u32,
    pub columns: Option<(u32, u32)>,
    /// Lines with breakpoints, and whether those only log.
    pub breaks: Vec<(u32, bool)>,
    /// Values beside lines.
    pub inline: BTreeMap<u32, Vec<inline::Shown>>,
    pub variables: Vec<Row>,
    pub watches: Vec<Watch>,
    pub stack: Vec<Level>,
    /// The frame that is looked at.
    pub frame: usize,
    /// Where all fragments of a draw stand, while they are walked through together.
    pub group: Option<GroupStop>,
    /// Which of them are here, as a picture.
    pub mask: Option<Shaded>,
    pub history: Vec<Event>,
    /// What the history is of, or why there is none.
    pub history_title: String,
}

/// All fragments of a draw: who is here, as a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shaded {
    /// The draw.
    pub command: u64,
    pub picture: Arc<Picture>,
    pub title: String,
}

/// A line of the list of variables.
#[derive(Clone, PartialEq, Debug)]
pub enum Row {
    /// The name of a sort of variables.
    Scope(&'static str),
    Variable {
        /// How far inside of others.
        depth: usize,
        name: String,
        path: String,
        type_name: String,
        value: String,
        /// What the device said, if it was asked.
        agreement: Option<Agreement>,
        /// It is being asked.
        pending: bool,
        /// How far that is from the emulator's value, if it is another.
        apart: String,
        /// It is other than at the stop before.
        changed: bool,
        /// Something in it is no number.
        broken: bool,
        /// It has parts, and whether they are shown.
        open: Option<bool>,
    },
}

/// An expression that is watched.
#[derive(Clone, PartialEq, Debug)]
pub struct Watch {
    pub number: usize,
    pub expression: String,
    pub value: Result<String, String>,
    pub broken: bool,
}

/// A frame of the stack, or the title of a pass.
#[derive(Clone, PartialEq, Debug)]
pub enum Level {
    Pass(String),
    Frame { number: usize, function: String, line: u32, text: String },
}

/// A node of the history.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    pub id: u32,
    pub depth: usize,
    pub title: String,
    pub why: String,
    pub value: Option<String>,
    /// Its share in the one above, as text.
    pub share: String,
    pub broken: bool,
    /// A shader did it, so that it can be entered.
    pub enterable: bool,
    /// It is the invocation that is walked through.
    pub current: bool,
    pub again: bool,
}

/// What is kept from stop to stop.
#[derive(Default)]
pub struct Memory {
    /// The stop that is looked at, and the values there by path.
    stop: Option<Stop>,
    values: BTreeMap<String, String>,
    /// The values at the stop before.
    before: BTreeMap<String, String>,
    /// Variables whose parts are shown.
    pub open: Vec<String>,
}

impl View {
    /// Looks around.
    pub fn of(desk: &mut Desk, memory: &mut Memory) -> View {
        let mut view = View {
            trace: desk.trace.display().to_string(),
            chosen: desk.chosen.clone(),
            frames: desk.session.frames().len(),
            truncated: !desk.session.trace().reader().is_complete(),
            shown_frame: desk.shown_frame(),
            picture_of: picture_of(desk),
            frame: desk.frame,
            ..View::default()
        };
        if let Some(group) = desk.group.clone() {
            view.look_at_group(desk, &group);
            view.group = Some(group);
        }
        let Some(stop) = desk.stop.clone() else { return view };
        if view.group.is_none() {
            view.look_at_stop(desk, memory);
        }
        if let Some(graph) = &desk.history {
            let [x, y] = graph.pixel;
            view.history_title = format!("{x},{y} of {}", graph.target);
            let here = here(graph, &stop.invocation, &desk.entered);
            let event = |leaf: &Leaf<'_>| event(leaf, here, &desk.session);
            view.history = tree(graph, &stop.invocation, &desk.entered).iter().take(MOST_NODES).map(event).collect();
        }
        view.stop = Some(stop);
        view
    }

    /// Whether nothing was chosen yet, so that there is only the picture to look at.
    pub fn is_at_start(&self) -> bool {
        self.stop.is_none() && self.group.is_none()
    }

    /// What is said in the place of a picture.
    pub fn no_picture(&self) -> &'static str {
        match (self.frames, self.picture_of) {
            (0, _) if self.truncated => {
                "The trace is truncated, and none of its calls could be read. Record the program again, or leave with q."
            }
            (0, _) => "The trace has no calls. Record the program again, or leave with q.",
            (_, None) => "Nothing is drawn in this frame. `<` and `>` go to others; `:help` lists commands.",
            (_, Some(_)) => {
                "There is no picture of this yet. If none comes, what is drawn to cannot be read back: choose an \
                 invocation with `:pixel X,Y` or `:fragment COMMAND X,Y`."
            }
        }
    }

    /// Where one invocation stands: the text, the calls, the variables.
    fn look_at_stop(&mut self, desk: &mut Desk, memory: &mut Memory) {
        let view = self;
        let stack = desk.session.stack().unwrap_or_default();
        let passes = desk.session.passes();
        if let Some(frame) = stack.get(desk.frame) {
            view.source = desk.session.source(frame.pass).ok();
            view.function.clone_from(&frame.function);
            view.line = frame.location.line;
            view.columns = (frame.location.end_line == frame.location.line)
                .then_some((frame.location.column, frame.location.end_column));
            view.breaks = desk.stops.lines_of(&frame.location.source).collect();
        }
        let mut shown = None;
        for (number, frame) in stack.iter().enumerate() {
            if shown != Some(frame.pass) {
                shown = Some(frame.pass);
                if let Some(pass) = passes.get(frame.pass) {
                    view.stack.push(Level::Pass(pass.invocation.name.clone()));
                }
            }
            let (function, line, text) = (frame.function.clone(), frame.location.line, frame.location.text.clone());
            view.stack.push(Level::Frame { number, function, line, text });
        }
        view.look_at_variables(desk, memory);
        view.watches = desk.displayed().into_iter().map(watch).collect();
    }

    /// Where all fragments of a draw stand: the text, the line, and the shares in the place of variables.
    fn look_at_group(&mut self, desk: &mut Desk, group: &GroupStop) {
        let sources = desk.session.sources(group.command).unwrap_or_default();
        self.source = sources.into_iter().find(|source| source.id == group.location.source);
        let at = &group.location;
        self.line = at.line;
        self.columns = (at.end_line == at.line).then_some((at.column, at.end_column));
        self.function.clone_from(&group.function);
        self.breaks = desk.stops.lines_of(&at.source).collect();
        self.stack.push(Level::Pass(format!("all fragments of {} (command {})", group.call, group.command)));
        let (function, text) = (group.function.clone(), at.text.clone());
        self.stack.push(Level::Frame { number: self.frame, function, line: at.line, text });
        let share = |count: u64, of: u64| format!("{count}, {}", percent(count as f64 / of.max(1) as f64));
        self.variables.push(Row::Scope("All fragments together"));
        self.variables.push(plain("here", &share(group.active, group.all)));
        for (number, way) in (1..).zip(&group.ways) {
            self.variables.push(plain(&format!("{number}: {}", way.name), &share(way.count, group.active)));
        }
        self.variables.push(plain(":values EXPR", "measures an expression in all that are here"));
        let title = format!("{} of {} fragments are here", group.active, group.all);
        self.mask = desk.mask().map(|picture| Shaded { command: group.command, picture: Arc::new(picture), title });
    }

    fn look_at_variables(&mut self, desk: &mut Desk, memory: &mut Memory) {
        let values = std::mem::take(&mut memory.values);
        // What is looked at again, as when a value of the device has come, changed when the run came here.
        if memory.stop != desk.stop {
            memory.before = values;
            memory.stop.clone_from(&desk.stop);
        }
        let before = std::mem::take(&mut memory.before);
        let mut known: Vec<Variable> = Vec::new();
        for scope in SCOPES {
            let variables = desk.session.variables(desk.frame, scope).unwrap_or_default();
            if variables.is_empty() {
                continue;
            }
            self.variables.push(Row::Scope(scope.name()));
            for variable in &variables {
                self.add(desk, variable, 0, &before, memory);
            }
            if !matches!(scope, Scope::BuiltIns | Scope::Samplers) {
                known.extend(variables);
            }
        }
        memory.before = before;
        let ended = self.stop.as_ref().is_some_and(|stop| stop.ended);
        if let Some(source) = &self.source {
            self.inline = inline::values(&source.text, (self.line, ended), &known);
        }
    }

    fn add(
        &mut self,
        desk: &mut Desk,
        variable: &Variable,
        depth: usize,
        before: &BTreeMap<String, String>,
        memory: &mut Memory,
    ) {
        let value = variable.note.clone().filter(|_| variable.value.emulated.is_none());
        let value = value.unwrap_or_else(|| variable.value.text());
        let open = (variable.children > 0).then(|| memory.open.contains(&variable.path));
        self.variables.push(Row::Variable {
            depth,
            name: variable.name.clone(),
            path: variable.path.clone(),
            type_name: variable.type_name.clone(),
            changed: before.get(&variable.path).is_some_and(|old| *old != value),
            broken: is_broken(variable),
            agreement: variable.value.agreement,
            pending: variable.value.pending,
            apart: variable.value.apart().unwrap_or_default(),
            value: value.clone(),
            open,
        });
        memory.values.insert(variable.path.clone(), value);
        if open == Some(true) {
            for child in desk.session.children(desk.frame, &variable.path).unwrap_or_default() {
                self.add(desk, &child, depth + 1, before, memory);
            }
        }
    }
}

/// A line with a name and a text.
fn plain(name: &str, value: &str) -> Row {
    Row::Variable {
        depth: 0,
        name: name.to_owned(),
        path: String::new(),
        type_name: String::new(),
        value: value.to_owned(),
        agreement: None,
        pending: false,
        apart: String::new(),
        changed: false,
        broken: false,
        open: None,
    }
}

/// The command after which the picture is taken: the frame, or in an earlier pass what that draws to.
fn picture_of(desk: &Desk) -> Option<u64> {
    let stop = desk.stop.as_ref();
    match (&desk.chosen, stop) {
        (Some(Choice::Pixel { .. }), Some(stop)) if stop.pass == 0 => desk.session.frame_shown(desk.shown_frame()?),
        (_, None) => desk.session.frame_shown(desk.shown_frame()?),
        (_, Some(stop)) => Some(stop.invocation.command),
    }
}

/// Whether something in a value is no number.
pub fn is_broken(variable: &Variable) -> bool {
    variable.value.numbers.iter().any(|number| number.is_nan())
}

fn watch((number, expression, value): (usize, String, Result<Variable, String>)) -> Watch {
    let broken = value.as_ref().is_ok_and(is_broken);
    Watch { number, expression, value: value.map(|value| value.value.text()).map_err(|why| reason(&why)), broken }
}

fn event(leaf: &Leaf<'_>, here: Option<u32>, session: &Session) -> Event {
    let node = &*leaf.node;
    Event {
        id: node.id,
        depth: leaf.depth,
        title: title(leaf),
        why: match leaf.edge.map(|edge| &edge.why) {
            // The title names the uniform.
            None | Some(Why::Uniform { .. }) => session.call_title(node.command),
            Some(why) => why.to_string(),
        },
        value: node.after.map(|value| value.to_string()),
        share: share(leaf),
        broken: is_broken_node(node),
        enterable: node.choice().is_some(),
        current: here == Some(node.id),
        again: leaf.again,
    }
}

/// The last part of a sentence with a colon: the reason alone.
fn reason(sentence: &str) -> String {
    sentence.rsplit_once(": ").map_or(sentence, |(_, reason)| reason).to_owned()
}
