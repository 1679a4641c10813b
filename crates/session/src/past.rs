//! Across passes: who made what a look-up reads, and what a pixel was made of.

use chronicle::graph::Cell;
use inquiry::InquiryError;
use recall::{
    Bounds, History, Kind, Node, Place, ProducingFragment, Recall, RecallError, Spot, Subject, Value, Verdict, Why,
};
use reenact::fragment_ops::Role;
use state::{Model, Thing};

use crate::control::Activity;
use crate::data::choice::Choice;
use crate::data::read::{HistoryEdge, HistoryGraph, HistoryNode, Read, TexelRead};
use crate::data::stop::{Reason, Stop};
use crate::open::{Pass, Session, SessionError};
use crate::run::LookedUp;

/// Nodes that are looked at to find who is behind copies.
const MOST_COPIES: usize = 256;

impl Session {
    /// The texture reads of the statement that is about to run, calls that it makes included.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn reads(&self) -> Result<Vec<Read>, SessionError> {
        let top = self.top()?;
        let all = top.held.ask(|run| run.reads())?;
        described(top, &all)
    }

    /// The texture reads of the statement before: what was just read.
    ///
    /// # Errors
    /// When no invocation was chosen.
    pub fn last_reads(&self) -> Result<Vec<Read>, SessionError> {
        let top = self.top()?;
        let all = top.held.ask(|run| run.last_reads())?;
        described(top, &all)
    }

    /// Enters the invocation that wrote a texel which the statement at hand is about to read: `read` and `texel` are
    /// places in what [`Session::reads`] lists. Stepping out of its `main`, either way, comes back to the read.
    ///
    /// # Errors
    /// When there is no such read, or no shader wrote the texel.
    pub fn step_into_read(&mut self, read: usize, texel: usize) -> Result<Stop, SessionError> {
        let top = self.top()?;
        let all = top.held.ask(|run| run.reads())?;
        let missing = || SessionError::NotThere("the statement at hand makes no such texture read".to_owned());
        let looked = all.get(read).ok_or_else(missing)?;
        let (read_texel, _) = looked.texels.get(texel).ok_or_else(missing)?;
        let work = std::sync::Arc::clone(&top.bench.work);
        let view = work.view()?;
        let place = Place::sampled(&view, looked.handle, read_texel).ok_or_else(missing)?;
        let line = looked.site.map(|site| top.bench.location(site));
        let name = place.name(view.model);
        let [x, y] = place.at;
        let text = line.map_or_else(String::new, |line| format!(" by `{}` in line {}", line.text, line.line));
        let entered_by = format!("texel {x},{y} of {name}, read{text}");
        let producer = self.producer(place, *work.calls.range.start())?;
        let pass = self.begin_with(producer, &Default::default(), Some(entered_by))?;
        self.passes.push(pass);
        self.stop(Reason::Pass)
    }

    /// What a pixel was made of, through all passes, or so many of them. The choice must be a [`Choice::Pixel`], or a
    /// fragment, which stands for its pixel after its draw.
    ///
    /// # Errors
    /// When there is no such pixel, or the device gives no answer.
    pub fn history(&mut self, choice: &Choice, passes: Option<u32>) -> Result<HistoryGraph, SessionError> {
        let (model, place, until) = match choice {
            Choice::Pixel { frame, x, y } => self.shown_pixel(*frame, [*x, *y])?,
            Choice::Fragment { command, x, y, .. } => self.drawn_pixel(command + 1, [*x, *y])?,
            Choice::Vertex { .. } | Choice::Primitive { .. } | Choice::Thread { .. } => {
                let text = "a history is one of a pixel: choose a pixel or a fragment";
                return Err(SessionError::NotThere(text.to_owned()));
            }
        };
        let bounds = Bounds { depth: passes.unwrap_or(u32::MAX), ..Bounds::default() };
        let control = self.control.clone();
        control.tell(Activity::Remembering, 0, None);
        let mut progress = |events: usize, _| control.tell(Activity::Remembering, events as u64, None);
        let history = self.recalled(|recall| recall.history(place, until, bounds, &mut progress));
        self.control.tell(Activity::None, 0, None);
        let history = history?;
        let names = |command: u64| {
            let reader = self.inquiry.reader();
            reader.call_at(command).map_or(String::new(), |held| held.call().name().to_owned())
        };
        Ok(graph(&history, &model, &names))
    }

    /// Returns the invocation that made what a texel held before a command, looking through copies.
    pub(crate) fn producer(&mut self, place: Place, mut until: u64) -> Result<Producer, SessionError> {
        loop {
            match self.last_writer(place, until)? {
                Writer::Invocation(producer) => return Ok(*producer),
                // A draw counts as writing to all of its target, so that one elsewhere in it may be none of ours.
                Writer::Unknown { call, .. } if self.is_untouched(place, call)? => until = call,
                Writer::Unknown { call, why } => {
                    let text = format!("the draw that made this texel (command {call}) cannot be asked: {why}");
                    return Err(SessionError::NotThere(text));
                }
            }
        }
    }

    /// Whether a texel holds the same after a call as before it, bit for bit.
    fn is_untouched(&mut self, place: Place, call: u64) -> Result<bool, SessionError> {
        let model = self.inquiry.state_after(call)?;
        let Some(sight) = device::ImageRef::of(&model, place.cell) else { return Ok(false) };
        let [x, y] = place.at;
        let mut seen = Vec::new();
        for command in [call, call + 1] {
            match self.inquiry.look(command, vec![(sight, [x, y, 1, 1])]) {
                Ok(all) => seen.extend(all.into_iter().flatten()),
                Err(error) if error.is_interruption() => return Err(error.into()),
                // A driver that dies of the draw is one more reason not to know.
                Err(_) => return Ok(false),
            }
        }
        Ok(matches!(&seen[..], [before, after] if before == after))
    }

    /// Who wrote a texel last before a command.
    fn last_writer(&mut self, place: Place, until: u64) -> Result<Writer, SessionError> {
        // Whoever wrote last is enough: what that was blended with is another question.
        let direct = Bounds { depth: 0, vertices: false, max_nodes: 1, verify: false, ..Bounds::default() };
        let (mut history, measured) = self.recalled(|recall| recall.last_writer(place, until, direct))?;
        let first = history.nodes.first().map(|node| node.kind);
        match first {
            Some(Kind::Store) => {
                let bounds = Bounds { max_nodes: MOST_COPIES, depth: 0, ..Bounds::default() };
                history = self.recalled(|recall| recall.history(place, until, bounds, &mut |_, _| {}))?;
            }
            Some(Kind::Copy | Kind::Blit | Kind::Resolve | Kind::Present | Kind::Mipmap) => {
                let bounds = Bounds { vertices: false, max_nodes: MOST_COPIES, ..Bounds::default() };
                history = self.recalled(|recall| recall.history(place, until, bounds, &mut |_, _| {}))?;
            }
            _ => {}
        }
        let mut node = history.nodes.first();
        while let Some(at) = node.filter(|node| choice_of(node).is_none()) {
            let sources = history.edges.iter().filter(|edge| edge.from == at.id);
            let next = sources.max_by(|a, b| a.weight.total_cmp(&b.weight));
            node = next.and_then(|edge| history.nodes.get(edge.to.0 as usize));
            if node.is_none() {
                if let (Kind::Draw, Verdict::Unchecked(why)) = (at.kind, &at.verdict) {
                    return Ok(Writer::Unknown { call: at.call, why: why.clone() });
                }
                let call =
                    self.inquiry.reader().call_at(at.call).map_or(String::new(), |held| held.call().name().to_owned());
                let text = format!(
                    "no shader made this texel: {} (command {}) did, by {}",
                    if call.is_empty() { "an unknown call" } else { &call },
                    at.call,
                    at.kind.word()
                );
                return Err(SessionError::NotThere(text));
            }
        }
        let choice = node.and_then(choice_of);
        let choice = choice.ok_or_else(|| SessionError::NotThere("no call wrote this texel".to_owned()))?;
        // Behind a copy it is another draw's fragment, of which nothing was kept.
        let measured = measured.filter(|_| first == Some(Kind::Draw));
        Ok(Writer::Invocation(Box::new(Producer { choice, measured })))
    }

    /// A pixel of a frame as it is shown: the state there, the place, and the command before which it is looked at.
    pub(crate) fn shown_pixel(
        &mut self,
        frame: Option<usize>,
        at: [u32; 2],
    ) -> Result<(Model, Place, u64), SessionError> {
        let until = self.inquiry.trace().shown_before(frame).map_err(InquiryError::from)?;
        self.drawn_pixel(until, at)
    }

    /// A pixel of what is drawn to before a command.
    fn drawn_pixel(&mut self, until: u64, at: [u32; 2]) -> Result<(Model, Place, u64), SessionError> {
        let last = until.saturating_sub(1);
        let model = self.inquiry.state_after(last)?;
        let thread = self.inquiry.reader().call_at(last)?.call().thread;
        let none = || SessionError::NotThere(format!("there is no context at command {last}"));
        let view = model.view(thread).ok_or_else(none)?;
        let place = Place::drawn(&view, Role::Colour(0), at, 0)?;
        Ok((model, place, until))
    }

    /// Asks who wrote what. What is known of the trace is kept.
    fn recalled<R>(&mut self, ask: impl FnOnce(&mut Recall<'_>) -> Result<R, RecallError>) -> Result<R, SessionError> {
        let mut recall = match self.known.take() {
            Some(known) => Recall::resume(&mut self.inquiry, known),
            None => Recall::new(&mut self.inquiry, &mut |_| {})?,
        };
        let answer = ask(&mut recall);
        // What could not be had because of an interruption is not to be remembered as something that cannot be had.
        let known = recall.into_known();
        self.control.heed()?;
        self.known = Some(known);
        Ok(answer?)
    }
}

/// The invocation that made a texel.
pub(crate) struct Producer {
    /// Which one it is.
    pub choice: Choice,
    /// What was measured of it on the way to finding it: entering it asks the device for none of that again.
    pub measured: Option<Box<ProducingFragment>>,
}

impl From<Choice> for Producer {
    /// An invocation of which nothing was measured yet.
    fn from(choice: Choice) -> Producer {
        Producer { choice, measured: None }
    }
}

/// Who wrote a texel.
enum Writer {
    Invocation(Box<Producer>),
    /// A draw of which nobody can tell, and why.
    Unknown {
        call: u64,
        why: String,
    },
}

/// Reads for people.
fn described(pass: &Pass, all: &[LookedUp]) -> Result<Vec<Read>, SessionError> {
    let view = pass.bench.work.view()?;
    let read = |(number, looked): (usize, &LookedUp)| {
        let first = looked.texels.first().and_then(|(texel, _)| Place::sampled(&view, looked.handle, texel));
        let texels = looked.texels.iter().map(|(texel, value)| TexelRead {
            at: [texel.x, texel.y],
            level: texel.level,
            layer: texel.layer.max(texel.z),
            sample: texel.sample,
            weight: texel.weight,
            value: *value,
        });
        Read {
            number,
            location: looked.site.map(|site| pass.bench.location(site)),
            unit: looked.handle & 0xffff,
            texture: first.map_or("nothing".to_owned(), |place| place.name(view.model)),
            texels: texels.collect(),
        }
    };
    Ok(all.iter().enumerate().map(read).collect())
}

/// The texture that a sampler's value stands for, as people call it.
pub(crate) fn sampled(view: &state::View<'_>, handle: u32) -> Option<String> {
    let (texture, _) = reenact::sampled(view, handle)?;
    let cell = Cell::of(view.context.group, texture.image(0, 0));
    Some(Place { cell, spot: Spot::Colour, at: [0, 0], sample: 0 }.name(view.model))
}

/// The invocation that a node is, if it is one.
fn choice_of(node: &Node) -> Option<Choice> {
    let command = node.call;
    match (&node.subject, &node.fragment) {
        (Subject::Vertex(vertex), _) => Some(Choice::Vertex {
            command,
            vertex: vertex.number.max(0).cast_unsigned(),
            instance: Some(vertex.instance.max(0).cast_unsigned()),
        }),
        (Subject::Invocation(id), _) => Some(Choice::Thread { command, id: *id }),
        (Subject::Texel, Some(fragment)) => {
            let layer = match node.place.cell.thing {
                Thing::Image { layer, .. } if layer > 0 => Some(layer),
                _ => None,
            };
            let [x, y] = node.place.at;
            Some(Choice::Fragment { command, x, y, primitive: fragment.primitive, sample: None, layer })
        }
        _ => None,
    }
}

fn graph(history: &History, model: &Model, names: &dyn Fn(u64) -> String) -> HistoryGraph {
    let node = |node: &Node| HistoryNode {
        id: node.id.0,
        kind: node.kind.word().to_owned(),
        command: node.call,
        call: names(node.call),
        frame: node.frame,
        name: subject(node, model),
        passes: node.depth,
        value: node.after.as_ref().map(text),
        verdict: match &node.verdict {
            Verdict::Equal => "equal",
            Verdict::Within(_) => "within",
            Verdict::Differs(_) => "differs",
            Verdict::Unchecked(_) => "unchecked",
        }
        .to_owned(),
        weight: node.weight,
        choice: choice_of(node),
    };
    let edge = |edge: &recall::Edge| HistoryEdge {
        from: edge.from.0,
        to: edge.to.0,
        why: why(&edge.why),
        weight: edge.weight,
    };
    let cut = history.cut;
    let left = [(cut.light, "too little influence"), (cut.deep, "lie too many passes back"), (cut.many, "no room")];
    let left = left.into_iter().filter(|(count, _)| *count > 0);
    let mut notes: Vec<String> = left.map(|(count, why)| format!("{count} texels were not followed: {why}")).collect();
    notes.extend(history.notes.iter().cloned());
    HistoryGraph {
        target: history.place.name(model),
        at: history.place.at,
        until: history.until,
        value: history.value.as_ref().map(text),
        nodes: history.nodes.iter().map(node).collect(),
        edges: history.edges.iter().map(edge).collect(),
        notes,
    }
}

/// What a node is about, in a few words.
fn subject(node: &Node, model: &Model) -> String {
    match &node.subject {
        Subject::Texel => {
            let [x, y] = node.place.at;
            format!("{x},{y} of {}", node.place.name(model))
        }
        Subject::Vertex(vertex) => format!("vertex {} of instance {}", vertex.number, vertex.instance),
        Subject::Run(run) => format!("{} shader of primitive {}", run.stage.name(), run.primitive),
        Subject::Bytes(range) => {
            let name = Place { cell: range.cell, spot: Spot::Colour, at: [0, 0], sample: 0 }.name(model);
            format!("bytes {}..{} of {name}", range.from, range.to)
        }
        Subject::Uniform { program, name } => format!("uniform {name} of program {program}"),
        Subject::Attribute { name } => format!("attribute {name}"),
        Subject::Invocation([x, y, z]) => format!("invocation {x},{y},{z}"),
    }
}

fn why(why: &Why) -> String {
    match why {
        Why::Texel { sampler, line } => {
            format!("texel of {sampler}{}", line.map_or(String::new(), |line| format!(" in line {line}")))
        }
        Why::Blended => "blended".to_owned(),
        Why::Copied => "copied".to_owned(),
        Why::Filtered => "filtered".to_owned(),
        Why::Interpolated { vertex } => format!("interpolated from vertex {vertex}"),
        Why::Assembled { vertex } => format!("vertex {vertex} of the primitive"),
        Why::Attribute { name } => format!("attribute {name}"),
        Why::Uniform { name } => format!("uniform {name}"),
        Why::Bytes { block } => format!("bytes of {block}"),
    }
}

/// What a texel holds.
fn text(value: &Value) -> String {
    match value {
        Value::Colour(colour) => colour.floats().map(|channel| format!("{channel:.4}")).join(", "),
        Value::Depth(depth) => format!("depth {depth}"),
        Value::Stencil(stencil) => format!("stencil {stencil}"),
    }
}
