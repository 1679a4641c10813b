//! The walk from a pixel backwards.

mod buffer;
mod captured;
mod copied;
mod dispatch;
mod drawn;
mod fixed_state;
mod stages;
mod storing;
mod vertex;

use std::collections::BTreeMap;
use std::sync::Arc;

use api::{CommandId, id};
use chronicle::Ledger;
use chronicle::ledger::Entry;
use device::{DeviceError, Rectangle};
use inquiry::{DrawSnapshot, Inputs, Inquiry, InquiryError};
use open_trace::LedgerError;
use pipeline::Effort;
use reenact::Scene;
use state::ContentsRef;

pub(crate) use self::buffer::{words, worse};
use self::copied::Item;
pub(crate) use self::drawn::line;
use crate::bounds::{self, ADVICE, EDGE, NODE};
use crate::event::Job;
use crate::history::{ByteRange, Edge, EventKind, History, Node, NodeId, Subject, Verdict, Why};
use crate::maps::Maps;
use crate::memo::Memo;
use crate::setters::{Setters, StateKey};
use crate::visits::Visits;
use crate::{Bounds, Cut, RecallError, TexelRef};
use buffer::WantedBytes;
use vertex::Shone;

/// A trace that can be asked who made its pixels.
pub struct Recall<'i> {
    pub(crate) inquiry: &'i mut Inquiry,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) memo: Memo,
    pub(crate) maps: Maps,
    pub(crate) visits: Visits,
    setters: Option<Setters>,
}

/// What a [`Recall`] knows of its trace: every write, and contents that were asked for.
pub struct RecallCache {
    ledger: Arc<Ledger>,
    memo: Memo,
    maps: Maps,
    setters: Option<Setters>,
}

impl<'i> Recall<'i> {
    /// Takes the trace's ledger of writes. The first time for a trace, that walks through it once: `progress` is called now
    /// and then with the number of a call.
    ///
    /// # Errors
    /// When the trace cannot be read, or the inquiry's control was interrupted.
    pub fn new(inquiry: &'i mut Inquiry, progress: &mut dyn FnMut(u64)) -> Result<Recall<'i>, RecallError> {
        let control = inquiry.control().clone();
        let ledger = inquiry.trace().ledger(&mut |call| {
            progress(call);
            !control.is_interrupted()
        });
        let ledger = ledger.map_err(|error| match error {
            LedgerError::Trace(error) => RecallError::Chronicle(error),
            LedgerError::Interrupted => InquiryError::from(DeviceError::Interrupted).into(),
        })?;
        let (memo, maps, visits) = (Memo::default(), Maps::default(), Visits::default());
        Ok(Recall { inquiry, ledger, memo, maps, visits, setters: None })
    }

    /// Goes on with what was known of the same trace.
    pub fn resume(inquiry: &'i mut Inquiry, known: RecallCache) -> Recall<'i> {
        let RecallCache { ledger, memo, maps, setters } = known;
        Recall { inquiry, ledger, memo, maps, visits: Visits::default(), setters }
    }

    /// Returns the caches, and gives the inquiry back.
    #[must_use]
    pub fn into_known(self) -> RecallCache {
        RecallCache { ledger: self.ledger, memo: self.memo, maps: self.maps, setters: self.setters }
    }

    /// Returns the inquiry.
    pub fn inquiry(&mut self) -> &mut Inquiry {
        self.inquiry
    }

    /// Returns the calls that set uniforms and attributes; they are searched for the first time.
    fn setters(&mut self) -> Result<&Setters, RecallError> {
        if self.setters.is_none() {
            let found = Setters::build(self.inquiry.reader()).map_err(InquiryError::from)?;
            self.setters = Some(found);
        }
        Ok(self.setters.get_or_insert_default())
    }

    /// The history of a texel as it is before the call `until`. `progress` is told how many nodes there are, and how many
    /// texels are still to be followed.
    ///
    /// # Errors
    /// When the trace cannot be read, or the worker is lost.
    pub fn history(
        &mut self,
        place: TexelRef,
        until: u64,
        bounds: Bounds,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<History, RecallError> {
        self.walk(place, until, bounds, progress).map(|(history, _)| history)
    }

    /// Returns the history of a texel as it is before the call `until`, and if a fragment wrote it last, everything that
    /// was measured of that fragment, so that the device need not be asked again.
    ///
    /// # Errors
    /// When the trace cannot be read, or the worker is lost.
    pub fn last_writer(
        &mut self,
        place: TexelRef,
        until: u64,
        bounds: Bounds,
    ) -> Result<(History, Option<Box<ProducingFragment>>), RecallError> {
        self.walk(place, until, bounds, &mut |_, _| {})
    }

    fn walk(
        &mut self,
        place: TexelRef,
        until: u64,
        bounds: Bounds,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(History, Option<Box<ProducingFragment>>), RecallError> {
        let effort = bounds::effort();
        self.memo.effort = Arc::clone(&effort);
        let mut walk = Walk {
            recall: self,
            bounds,
            effort,
            tired: None,
            history: History {
                place,
                until,
                value: None,
                rows: Vec::new(),
                nodes: Vec::new(),
                edges: Vec::new(),
                cut: Cut::default(),
                notes: Vec::new(),
            },
            pending: BTreeMap::new(),
            leaves: BTreeMap::new(),
            bytes: BTreeMap::new(),
            values: BTreeMap::new(),
            used: BTreeMap::new(),
            used_state: BTreeMap::new(),
            shone: Vec::new(),
            first_inputs: None,
            first_is_idle: false,
            first_others: 0,
            produced: None,
            later: until,
        };
        walk.ask(place, until, 0, None);
        while let Some(call) = walk.newest() {
            walk.recall.inquiry.heed()?;
            progress(walk.history.nodes.len(), walk.pending.values().map(BTreeMap::len).sum());
            let places = walk.pending.remove(&call).unwrap_or_default();
            let bytes = walk.bytes.remove(&call).unwrap_or_default();
            let stored = if places.is_empty() { BTreeMap::new() } else { walk.event(call, places)? };
            walk.written(call, bytes, stored)?;
            walk.later = call;
        }
        walk.explain();
        let (mut history, mut produced) = (walk.history, walk.produced);
        // The debugger, which goes on with the fragment, has limits of its own.
        if let Some(scene) = produced.as_mut().and_then(|produced| produced.scene.as_mut()) {
            scene.effort = None;
        }
        history.value = history.nodes.first().and_then(|node| node.after);
        history.notes = crate::notes::together(history.notes);
        Ok((history, produced))
    }
}

/// The fragment that wrote a texel last, with everything that was measured of it on the way.
pub struct ProducingFragment {
    /// Its draw.
    pub draw: Arc<DrawSnapshot>,
    /// What it was given.
    pub inputs: Inputs,
    /// Everything that its shader reads from; `None` if it cannot be emulated.
    pub scene: Option<Scene>,
    /// How many other fragments of the draw are known to have run at the pixel.
    pub others: u32,
    /// Whether it left in the texel what was there before.
    pub changed_nothing: bool,
}

/// Someone who read a texel.
#[derive(Clone, Debug)]
struct Reader {
    node: NodeId,
    why: Why,
    weight: f64,
}

/// A texel that is wanted, and its readers.
#[derive(Clone, Debug)]
struct PendingTexel {
    readers: Vec<Reader>,
    depth: u32,
}

/// The call that set a uniform, its program and its name.
type SetUniform = (u64, u32, Arc<str>);

struct Walk<'r, 'i> {
    recall: &'r mut Recall<'i>,
    bounds: Bounds,
    /// What is left of what the history may take.
    effort: Arc<Effort>,
    /// The call at which nothing was left.
    tired: Option<u64>,
    history: History,
    /// By the call that wrote last; the newest is visited first, so that all readers of what it wrote are known.
    pending: BTreeMap<u64, BTreeMap<TexelRef, PendingTexel>>,
    /// Events that end a way have one node, however many of their texels were read.
    leaves: BTreeMap<(u64, chronicle::graph::Cell), NodeId>,
    /// Bytes of buffers, like texels.
    bytes: BTreeMap<u64, BTreeMap<ByteRange, WantedBytes>>,
    /// Values that calls gave, by the call, the program of uniforms, and the name.
    values: BTreeMap<(u64, Option<u32>, Arc<str>), NodeId>,
    /// Uniforms that a stage of a draw uses: who set them, of which program.
    used: BTreeMap<(u64, usize), Arc<[SetUniform]>>,
    /// State of fixed functions that a stage of a draw uses.
    used_state: BTreeMap<(u64, usize), Arc<[StateKey]>>,
    /// Fragments of the draw at hand whose vertices are wanted.
    shone: Vec<Shone>,
    /// The inputs of the fragment that the first node is, while its draw is visited.
    first_inputs: Option<Inputs>,
    /// Whether that fragment left in the texel what was there before.
    first_is_idle: bool,
    /// How many other fragments of its draw ran at its pixel.
    first_others: u32,
    /// The fragment that the first node is, if it is one.
    produced: Option<Box<ProducingFragment>>,
    /// The call that was visited before, which comes later in the trace.
    later: u64,
}

impl Walk<'_, '_> {
    /// Returns the newest call that something is wanted of.
    fn newest(&self) -> Option<u64> {
        let texels = self.pending.last_key_value().map(|(call, _)| *call);
        texels.max(self.bytes.last_key_value().map(|(call, _)| *call))
    }

    /// Wants to know who made a texel as it was before the call `until`.
    fn ask(&mut self, place: TexelRef, until: u64, depth: u32, reader: Option<Reader>) {
        self.ask_for(EDGE, place, until, (depth, reader));
    }

    /// The same, at this cost.
    fn ask_for(&mut self, cost: u64, place: TexelRef, until: u64, (depth, reader): (u32, Option<Reader>)) {
        if !self.spend(cost, until) {
            self.history.cut.costly += 1;
            return;
        }
        let found = self.recall.ledger.last_writer(&place.cell, place.at, place.aspect.aspect(), until);
        let call = found.map_or(0, |entry| entry.call);
        let wanted = self.pending.entry(call).or_default().entry(place);
        // Of several ways to a texel the shortest counts: a level that is read as it is lies one pass back, also if smaller
        // levels that are read were made from it.
        let wanted = wanted.and_modify(|wanted| wanted.depth = wanted.depth.min(depth));
        wanted.or_insert_with(|| PendingTexel { readers: Vec::new(), depth }).readers.extend(reader);
    }

    /// Takes something from what the history may take, on account of a call. Returns whether there is anything left.
    fn spend(&mut self, units: u64, call: u64) -> bool {
        self.effort.spend(units);
        if self.effort.is_spent() {
            self.tired.get_or_insert(call);
        }
        self.tired.is_none()
    }

    /// Says where nothing was left of what the history may take.
    fn explain(&mut self) {
        let Some(call) = self.tired else { return };
        let name = match self.recall.inquiry.reader().call_at(call) {
            Ok(held) => held.call().command.map_or("", |command| api::command(command).name),
            Err(_) => "",
        };
        self.note(format!(
            "following all that the pixel is made of takes more work than a history may; it ends at command {call}, {name}; \
             {ADVICE}"
        ));
    }

    /// The influence that a texel has on the pixel.
    fn weight(&self, wanted: &PendingTexel) -> f64 {
        if wanted.readers.is_empty() {
            return 1.0;
        }
        let share = |reader: &Reader| self.history.nodes[reader.node.0 as usize].weight * reader.weight;
        wanted.readers.iter().map(share).sum()
    }

    /// All texels that one call wrote of what is wanted; those that shaders stored are given back.
    fn event(
        &mut self,
        call: u64,
        places: BTreeMap<TexelRef, PendingTexel>,
    ) -> Result<BTreeMap<TexelRef, PendingTexel>, RecallError> {
        let (mut drawn, mut stored, mut others) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut levels = BTreeMap::new();
        for (place, wanted) in places {
            if wanted.depth > self.bounds.depth {
                self.history.cut.deep += 1;
                self.history.cut.deep_weight += self.weight(&wanted);
                continue;
            }
            if self.weight(&wanted) < self.bounds.min_weight {
                self.history.cut.light += 1;
                continue;
            }
            // All become nodes later, at least one each.
            let queued = drawn.len() + stored.len() + levels.len() + others.len();
            if self.history.nodes.len() + queued >= self.bounds.max_nodes {
                self.history.cut.many += 1;
                continue;
            }
            if !self.spend(0, call) {
                self.history.cut.costly += 1;
                continue;
            }
            let entry = self.recall.ledger.last_writer(&place.cell, place.at, place.aspect.aspect(), call + 1);
            let Some(entry) = entry.filter(|entry| entry.call == call) else {
                let id = self.leaf(EventKind::Undefined, call, place, &wanted);
                let why = "nothing wrote it, so its contents are undefined";
                self.history.nodes[id.0 as usize].verdict = Verdict::Unchecked(why.to_owned());
                continue;
            };
            match Job::of(&entry.write.texels) {
                Job::Draw if !is_pixels(entry.command) => {
                    drawn.insert(place, wanted);
                }
                Job::Leaf(EventKind::Store) if self.bounds.vertices => {
                    stored.insert(place, wanted);
                }
                Job::Leaf(EventKind::Mipmap) => {
                    levels.insert(place, Item { entry, place, wanted });
                }
                _ => others.push(Item { entry, place, wanted }),
            }
        }
        // One call makes many levels, each of the one above: the smallest goes first, and the rest waits until all who
        // read it are known.
        let level = |place: &TexelRef| if let ContentsRef::Image { level, .. } = place.cell.thing { level } else { 0 };
        let smallest = levels.keys().map(level).max();
        for (place, item) in levels {
            if Some(level(&place)) == smallest {
                others.push(item);
            } else {
                self.pending.entry(call).or_default().insert(place, item.wanted);
            }
        }
        if !others.is_empty() {
            self.copied(call, others)?;
        }
        if !drawn.is_empty() {
            stored.extend(self.drawn(call, drawn)?);
        }
        Ok(stored)
    }

    /// Adds a node, and the edges of its readers.
    fn node(&mut self, call: u64, place: TexelRef, kind: EventKind, wanted: &PendingTexel) -> NodeId {
        let id = NodeId(self.history.nodes.len() as u32);
        self.spend(NODE, call);
        let weight = self.weight(wanted);
        self.history.nodes.push(Node {
            id,
            kind,
            call,
            frame: self.recall.inquiry.reader().frame_of(call).map(|frame| frame as u64),
            place,
            depth: wanted.depth,
            subject: Subject::Texel,
            fragment: None,
            before: None,
            after: None,
            emulated: None,
            verdict: Verdict::Unchecked("nothing was computed".to_owned()),
            weight,
            texels: 1,
        });
        self.lead(id, place, wanted);
        id
    }

    fn lead(&mut self, to: NodeId, place: TexelRef, wanted: &PendingTexel) {
        for reader in &wanted.readers {
            let TexelRef { at, sample, .. } = place;
            let edge =
                Edge { from: reader.node, to, at, sample, value: None, why: reader.why.clone(), weight: reader.weight };
            self.history.edges.push(edge);
        }
    }

    /// The end of a way.
    fn leaf(&mut self, kind: EventKind, call: u64, place: TexelRef, wanted: &PendingTexel) -> NodeId {
        if let Some(&known) = self.leaves.get(&(call, place.cell)) {
            let more = self.weight(wanted);
            let node = &mut self.history.nodes[known.0 as usize];
            node.weight += more;
            node.texels += 1;
            self.lead(known, place, wanted);
            return known;
        }
        let id = self.node(call, place, kind, wanted);
        self.leaves.insert((call, place.cell), id);
        id
    }

    fn note(&mut self, text: String) {
        if !self.history.notes.contains(&text) {
            self.history.notes.push(text);
        }
    }
}

/// Whether a command draws pixels, which have no shader of the program's.
fn is_pixels(command: CommandId) -> bool {
    matches!(command, id::glDrawPixels | id::glCopyPixels | id::glBitmap | id::glAccum)
}

/// The smallest rectangle that has all of these pixels.
pub(crate) fn around<'a>(places: impl Iterator<Item = &'a TexelRef>) -> Rectangle {
    let (mut least, mut most) = ([u32::MAX; 2], [0; 2]);
    for place in places {
        for axis in 0..2 {
            least[axis] = least[axis].min(place.at[axis]);
            most[axis] = most[axis].max(place.at[axis]);
        }
    }
    [least[0], least[1], most[0] + 1 - least[0], most[1] + 1 - least[1]]
}

/// The entry's kind of copy.
pub(crate) fn copy_kind(entry: &Entry, exact: bool) -> EventKind {
    match entry.command {
        id::afiPresent | id::afiSwap => EventKind::Present,
        _ if exact => EventKind::Copy,
        _ => EventKind::Blit,
    }
}
