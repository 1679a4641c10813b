//! Threads: the invocations that made the pixel, in the order in which they ran.

use serde_json::{Value, json};
use session::{Choice, History, HistoryRequest, Position, Session, SessionError, Stop};

use super::Adapter;
use crate::protocol::arguments::Cancel;
use crate::protocol::bodies::Thread;
use crate::protocol::{Attention, Incoming, Request};
use crate::refusal::Refusal;
use crate::wire::WireError;

/// How many threads are listed; those nearest to the pixel are kept.
const MOST: usize = 500;

/// All that can be looked at.
#[derive(Default)]
pub struct Invocations {
    all: Vec<Entry>,
    current: i64,
    last: i64,
    search: Search,
    history: Option<Box<History>>,
}

struct Entry {
    id: i64,
    name: String,
    choice: Choice,
    /// Where it was left; nothing before it is looked at.
    position: Option<Position>,
}

/// How far the search for the history is.
#[derive(Default)]
enum Search {
    #[default]
    NotBegun,
    /// Its number, and what its progress is called.
    Running(u64, String),
    Over,
}

impl Invocations {
    /// The one that is walked through.
    pub fn current(&self) -> i64 {
        self.current
    }

    /// Nothing is debugged any more. Numbers are not used again, so that clients mix nothing up.
    pub fn clear(&mut self) {
        *self = Invocations { last: self.last, ..Invocations::default() };
    }

    /// One was entered, the first of its history.
    pub fn entered(&mut self, asked: &Choice, stop: &Stop, session: &Session) -> Result<(), SessionError> {
        // The session knows what was left open.
        let position = session.position()?;
        let choice = position.passes.first().map_or_else(|| asked.clone(), |pass| pass.choice.clone());
        self.last += 1;
        self.current = self.last;
        self.all.push(Entry { id: self.last, name: stop.invocation.name.clone(), choice, position: None });
        Ok(())
    }

    /// The history is there: its invocations, in the order of the trace. Gives those that are new.
    fn learn(&mut self, history: &History, session: Option<&Session>) -> (Vec<i64>, usize) {
        let nodes: Vec<_> = history.nodes.iter().filter_map(|node| Some((node, node.choice()?))).collect();
        let mut new = Vec::new();
        for (node, choice) in nodes.iter().take(MOST) {
            if self.all.iter().any(|known| is_same(&known.choice, choice)) {
                continue;
            }
            self.last += 1;
            new.push(self.last);
            let call = session.map_or_else(String::new, |session| session.call_title(node.command));
            let name = format!("{} of {call} (command {})", describe(choice), node.command);
            self.all.push(Entry { id: self.last, name, choice: choice.clone(), position: None });
        }
        self.all.sort_by_key(|entry| order(&entry.choice));
        (new, nodes.len().saturating_sub(MOST))
    }
}

impl Adapter {
    /// Turns to a thread, and so to its invocation; without one stays.
    pub(super) fn focus(&mut self, thread: Option<i64>) -> Result<(), Refusal> {
        if self.chosen.is_none() {
            return Err(if self.session.is_none() { Refusal::NoTrace } else { Refusal::NoInvocation });
        }
        let wanted = thread.unwrap_or(self.invocations.current);
        if wanted == self.invocations.current {
            return Ok(());
        }
        let session = self.session.as_mut().ok_or(Refusal::NoTrace)?;
        let all = &mut self.invocations.all;
        let there = all.iter().position(|entry| entry.id == wanted);
        let there = there.ok_or_else(|| Refusal::NotThere(format!("there is no thread {wanted}")))?;
        let left = session.position()?;
        match &all[there].position {
            Some(position) => session.go_to(position)?,
            None => session.enter(&all[there].choice)?,
        };
        let current = self.invocations.current;
        if let Some(entry) = all.iter_mut().find(|entry| entry.id == current) {
            entry.position = Some(left);
        }
        self.invocations.current = wanted;
        self.meet_sources()
    }

    pub(super) fn threads(&mut self) -> Result<Value, Refusal> {
        if self.chosen.is_none() {
            let name = match (&self.program, &self.session) {
                (Some(_), _) => "recording the program",
                (None, Some(_)) => "no invocation is chosen",
                (None, None) => return Ok(json!({"threads": []})),
            };
            return Ok(json!({"threads": [Thread { id: 1, name: name.to_owned() }]}));
        }
        self.search();
        let thread = |entry: &Entry| Thread { id: entry.id, name: entry.name.clone() };
        let all: Vec<Thread> = self.invocations.all.iter().map(thread).collect();
        Ok(json!({"threads": all}))
    }

    /// Begins to look for the history, beside everything else: with a session of its own.
    fn search(&mut self) {
        let pixel = matches!(self.chosen, Some(Choice::Pixel { .. } | Choice::Fragment { .. }));
        if !matches!(self.invocations.search, Search::NotBegun)
            || !self.configuration().history.unwrap_or(true)
            || !pixel
        {
            return;
        }
        let (Some(choice), Some(trace)) = (self.chosen.clone(), self.trace()) else { return };
        // A client that cannot be sent progress goes without.
        let progress =
            self.begin_progress("looking for the invocations that made this pixel", None, true).unwrap_or_default();
        let number = self.progress;
        let options = self.options.opening(trace, self.launch.device.as_deref());
        let sender = self.sender.clone();
        let mut session = match self.options.host.session(&options) {
            Ok(session) => session,
            Err(error) => {
                self.invocations.search = Search::Over;
                // A client that is gone does not need to know.
                let _ = self.end_progress(&progress, Some(&error.to_string()));
                return;
            }
        };
        Attention::of(&self.attention).search(Some((progress.clone(), session.control())));
        self.invocations.search = Search::Running(number, progress);
        std::thread::spawn(move || {
            let history = HistoryRequest::of(&choice).and_then(|request| session.history(&request));
            // Likewise.
            let _ = sender.send(Incoming::History(number, Box::new(history)));
        });
    }

    /// The history was found, or cannot be.
    pub(super) fn history_known(
        &mut self,
        number: u64,
        history: Result<History, SessionError>,
    ) -> Result<(), WireError> {
        let Search::Running(current, progress) = &self.invocations.search else { return Ok(()) };
        if *current != number {
            return Ok(());
        }
        let progress = progress.clone();
        self.invocations.search = Search::Over;
        match history {
            // Another invocation was chosen, or the client leaves.
            Err(error) if error.is_interruption() => self.end_progress(&progress, Some("cancelled")),
            Ok(history) => {
                let (new, left_out) = self.invocations.learn(&history, self.session.as_ref());
                let text = format!("{} invocations made this pixel", self.invocations.all.len() + left_out);
                self.end_progress(&progress, Some(&text))?;
                let mut notes: Vec<String> = history.picture.sentence().into_iter().collect();
                notes.extend(history.left_out.sentences());
                notes.extend(history.notes.iter().cloned());
                let notes = notes.join("\n");
                self.invocations.history = Some(Box::new(history));
                if left_out > 0 {
                    let text = format!("{text}; {left_out} of them, the farthest from it, are not listed as threads\n");
                    self.output.event("output", json!({"category": "console", "output": text}))?;
                }
                if !notes.is_empty() {
                    self.output.event("output", json!({"category": "console", "output": format!("{notes}\n")}))?;
                }
                for id in new {
                    self.output.event("thread", json!({"reason": "started", "threadId": id}))?;
                }
                if self.client.supports_invalidated_event {
                    self.output.event("invalidated", json!({"areas": ["threads"]}))?;
                }
                self.output.event("afterimage/historyReady", Value::Null)
            }
            Err(error) => {
                self.end_progress(&progress, Some("the history cannot be found"))?;
                let text = format!("the other invocations that made this pixel cannot be listed: {error}\n");
                self.output.event("output", json!({"category": "console", "output": text}))
            }
        }
    }

    pub(super) fn cancel(&mut self, request: &Request) -> Result<Value, Refusal> {
        let wanted: Cancel = request.arguments()?;
        // Whatever could be ended was when this request was read; what was found meanwhile is not wanted.
        if let Search::Running(_, progress) = &self.invocations.search
            && wanted.progress_id.as_ref() == Some(progress)
        {
            let progress = progress.clone();
            self.invocations.search = Search::Over;
            let _ = self.end_progress(&progress, Some("cancelled"));
        }
        if let Some(id) = wanted.request_id {
            Attention::of(&self.attention).too_late(id);
        }
        Ok(Value::Null)
    }

    /// Serves `afterimage/history`: the graph, and the invocation of each node.
    pub(super) fn history(&mut self) -> Result<Value, Refusal> {
        match &self.invocations.history {
            Some(history) => {
                let choices: Vec<_> = history.nodes.iter().map(session::HistoryNode::choice).collect();
                Ok(json!({"history": history, "choices": choices}))
            }
            None => {
                let text = match self.invocations.search {
                    Search::Running(..) => "the history is still being looked for",
                    Search::NotBegun | Search::Over => "there is no history of what is debugged",
                };
                Err(Refusal::NotThere(text.to_owned()))
            }
        }
    }
}

/// Where an invocation stands in the order of the trace.
fn order(choice: &Choice) -> (u64, u8) {
    match choice {
        Choice::Pixel { .. } => (u64::MAX, 0),
        Choice::Vertex { command, .. } => (*command, 0),
        Choice::Primitive { command, .. } => (*command, 1),
        Choice::Fragment { command, .. } => (*command, 2),
        Choice::Thread { command, .. } => (*command, 0),
    }
}

/// Whether two choices mean one invocation; what is left open in one is no difference.
fn is_same(one: &Choice, other: &Choice) -> bool {
    let alike = |one: &Option<u32>, other: &Option<u32>| one.is_none() || other.is_none() || one == other;
    match (one, other) {
        (
            Choice::Fragment { command: c, x, y, primitive: p, sample: s, layer: l },
            Choice::Fragment { command, x: ox, y: oy, primitive, sample, layer },
        ) => c == command && x == ox && y == oy && alike(p, primitive) && alike(s, sample) && alike(l, layer),
        (Choice::Vertex { command: c, vertex: v, instance: i }, Choice::Vertex { command, vertex, instance }) => {
            c == command && v == vertex && alike(i, instance)
        }
        _ => one == other,
    }
}

/// Returns an invocation as text.
fn describe(choice: &Choice) -> String {
    match choice {
        Choice::Pixel { x, y, .. } => format!("pixel {x},{y}"),
        Choice::Fragment { x, y, .. } => format!("fragment {x},{y}"),
        Choice::Vertex { vertex, .. } => format!("vertex {vertex}"),
        Choice::Primitive { stage, primitive, .. } => format!("{stage} of primitive {primitive}"),
        Choice::Thread { id: [x, y, z], .. } => format!("thread {x},{y},{z}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_open_is_no_difference() {
        let open = Choice::fragment(7, 1, 2);
        let settled = Choice::Fragment { command: 7, x: 1, y: 2, primitive: Some(3), sample: None, layer: None };
        let other = Choice::Fragment { command: 7, x: 1, y: 2, primitive: Some(4), sample: None, layer: None };
        assert!(is_same(&open, &settled) && is_same(&settled, &open));
        assert!(!is_same(&settled, &other));
        assert!(!is_same(&open, &Choice::fragment(8, 1, 2)));
    }
}
