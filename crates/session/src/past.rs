//! Across passes: who made what a look-up reads, and what a pixel was made of.

use chronicle::graph::Cell;
use recall::{Bounds, EventKind, Node, ProducingFragment, TexelRef, Verdict};

use crate::data::choice::Choice;
use crate::data::history::NodeKind;
use crate::data::read::{Read, TexelRead};
use crate::data::stop::{Reason, Stop};
use crate::error::SessionError;
use crate::history::{Names, cell_name, node};
use crate::open::{Pass, Session};
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
        let missing = || SessionError::NoSuchRead { read, texel };
        let looked = all.get(read).ok_or_else(missing)?;
        let (read_texel, _) = looked.texels.get(texel).ok_or_else(missing)?;
        let work = std::sync::Arc::clone(&top.bench.work);
        let view = work.view()?;
        let place = TexelRef::sampled(&view, looked.handle, read_texel).ok_or_else(missing)?;
        let line = looked.site.map(|site| top.bench.location(site));
        let name = place.name(view.model);
        let [x, y] = place.at;
        let text = line.map_or_else(String::new, |line| format!(" by `{}` in line {}", line.text, line.line));
        let entered_by = format!("texel {x},{y} of {name}, read{text}");
        let producer = self.producer(place, *work.calls.range.start())?;
        let through = producer
            .through
            .map_or_else(String::new, |command| format!(", through {} (command {command})", self.call_title(command)));
        let pass = self.begin_with(producer, &Default::default(), Some(entered_by + &through))?;
        self.passes.push(pass);
        self.stop(Reason::Pass)
    }

    /// Returns the invocation that made what a texel held before a command, looking through copies.
    pub(crate) fn producer(&mut self, mut place: TexelRef, mut until: u64) -> Result<Producer, SessionError> {
        let (mut through, mut copies) = (None, 0);
        loop {
            match self.last_writer(place, until)? {
                Writer::Invocation(mut producer) => {
                    producer.through = through.or(producer.through);
                    return Ok(*producer);
                }
                Writer::Copied { call, from, before } => {
                    through.get_or_insert(call);
                    copies += 1;
                    if copies > MOST_COPIES {
                        return Err(self.no_shader(call, NodeKind::Copy));
                    }
                    (place, until) = (from, before);
                }
                // A draw counts as writing to all of its target, so that one elsewhere in it may be none of ours.
                Writer::Unknown { call, .. } if self.is_untouched(place, call)? => until = call,
                Writer::Unknown { call, why } => {
                    return Err(SessionError::WriterUnknown { command: call, why });
                }
            }
        }
    }

    /// Whether a texel holds the same after a call as before it, bit for bit.
    fn is_untouched(&mut self, place: TexelRef, call: u64) -> Result<bool, SessionError> {
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

    /// Returns the last writer of a texel before a command.
    fn last_writer(&mut self, place: TexelRef, until: u64) -> Result<Writer, SessionError> {
        // The last writer is enough: what it was blended with does not matter here.
        let direct = Bounds { depth: 0, vertices: false, max_nodes: 1, verify: false, ..Bounds::default() };
        let (mut history, measured) = self.recalled(|recall| recall.last_writer(place, until, direct))?;
        let first = history.nodes.first().map(|node| node.kind);
        match first {
            Some(EventKind::Store) => {
                let bounds = Bounds { max_nodes: MOST_COPIES, depth: 0, ..Bounds::default() };
                history = self.recalled(|recall| recall.history(place, until, bounds, &mut |_, _| {}))?;
            }
            Some(kind) if is_copied(kind) => {
                let bounds = Bounds { vertices: false, max_nodes: MOST_COPIES, ..Bounds::default() };
                history = self.recalled(|recall| recall.history(place, until, bounds, &mut |_, _| {}))?;
            }
            _ => {}
        }
        let choice_of = |at: &Node| node(at, &mut Names::none()).choice();
        let mut node = history.nodes.first();
        let through = node.filter(|node| choice_of(node).is_none()).map(|node| node.call);
        while let Some(at) = node.filter(|node| choice_of(node).is_none()) {
            let sources = history.edges.iter().filter(|edge| edge.from == at.id);
            let next = sources.max_by(|a, b| a.weight.total_cmp(&b.weight));
            node = next.and_then(|edge| history.nodes.get(edge.to.0 as usize));
            if node.is_none() {
                if let (EventKind::Draw, Verdict::Unchecked(why)) = (at.kind, &at.verdict) {
                    return Ok(Writer::Unknown { call: at.call, why: why.clone() });
                }
                // A texel of a small level is made of more than were looked at.
                let is_new = history.nodes.first().is_some_and(|first| first.id != at.id);
                if let (true, true, Some(call)) = (is_new, is_copied(at.kind), through) {
                    return Ok(Writer::Copied { call, from: at.place, before: at.call + 1 });
                }
                return Err(self.no_shader(at.call, at.kind.into()));
            }
        }
        let choice = node.and_then(choice_of);
        let choice = choice.ok_or(SessionError::NotWritten)?;
        // Behind a copy it is another draw's fragment, of which nothing was kept.
        let measured = measured.filter(|_| first == Some(EventKind::Draw));
        Ok(Writer::Invocation(Box::new(Producer { choice, measured, through })))
    }

    fn no_shader(&self, command: u64, kind: NodeKind) -> SessionError {
        SessionError::NoShaderWrote { command, call: self.call_name(command), kind }
    }
}

/// The invocation that made a texel.
pub(crate) struct Producer {
    /// Which one it is.
    pub choice: Choice,
    /// What was measured of it on the way to finding it: entering it asks the device for none of that again.
    pub measured: Option<Box<ProducingFragment>>,
    /// The command that copied what it made to the texel, or made a level of it, if one did: the last of several.
    pub through: Option<u64>,
}

/// Whether an event passes on what is somewhere else.
fn is_copied(kind: EventKind) -> bool {
    matches!(kind, EventKind::Copy | EventKind::Blit | EventKind::Resolve | EventKind::Present | EventKind::Mipmap)
}

impl From<Choice> for Producer {
    /// An invocation of which nothing was measured yet.
    fn from(choice: Choice) -> Producer {
        Producer { choice, measured: None, through: None }
    }
}

/// What wrote a texel.
enum Writer {
    Invocation(Box<Producer>),
    /// A command that copied it, by way of others, from a texel that was not followed yet.
    Copied {
        call: u64,
        from: TexelRef,
        before: u64,
    },
    /// A draw that cannot be examined, and why.
    Unknown {
        call: u64,
        why: String,
    },
}

/// Reads for people.
fn described(pass: &Pass, all: &[LookedUp]) -> Result<Vec<Read>, SessionError> {
    let view = pass.bench.work.view()?;
    let read = |(number, looked): (usize, &LookedUp)| {
        let first = looked.texels.first().and_then(|(texel, _)| TexelRef::sampled(&view, looked.handle, texel));
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
    Some(cell_name(Cell::of(view.context.group, texture.image(0, 0)), view.model))
}
