//! The plan of a recording: the slot of each record, and how the slots are divided into parts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use shader::ast::{ExprId, StmtId};
use shader::typed::FunctionId;

use super::Position;

/// A recording with more slots is not made in parts: its calls are too many to be expanded.
const MOST_SLOTS: u32 = 1 << 16;

/// The usual weight of the records of one part. A shader of three.js with 5,749 words of slots and a loop takes llvmpipe's
/// compiler 41 s in 33 parts of 240, 31 s in 17 parts of 480, each a second or less outside of loops, and 36 s in 10 of 960.
pub const PART: u32 = 480;

/// The same for other compilers. NVIDIA's takes 14 to 22 s for the largest shaders of three.js in 14 to 25 parts of 120, of
/// which one takes 7 s, and in 55 to 103 parts of 30, of which one takes 4 s; with parts of 480, one takes more than a minute.
pub const SMALL_PART: u32 = 60;

/// The weight of a word of a record in a loop, compared with that of a slot.
const LOOPED: u32 = 2;

/// What the first pass collects.
#[derive(Default)]
pub struct Survey {
    /// By function, in the order of weaving.
    items: BTreeMap<FunctionId, Vec<(Position, Item)>>,
}

#[derive(Clone, Debug)]
enum Item {
    /// A record of this many words.
    Record { site: u32, words: u32 },
    /// A call, and the functions it may lead to.
    Call { call: ExprId, callees: Vec<FunctionId> },
    /// An outermost loop, with the site of its slot.
    Loop { id: StmtId, site: u32 },
}

impl Survey {
    pub fn record(&mut self, at: Position, site: u32, words: u32) {
        self.add(at, Item::Record { site, words });
    }

    pub fn call(&mut self, at: Position, call: ExprId, callees: Vec<FunctionId>) {
        self.add(at, Item::Call { call, callees });
    }

    pub fn begin_loop(&mut self, at: Position, id: StmtId, site: u32) {
        self.add(at, Item::Loop { id, site });
    }

    fn add(&mut self, at: Position, item: Item) {
        if let Some(function) = at.function {
            self.items.entry(function).or_default().push((at, item));
        }
    }
}

/// The slots of a recording.
#[derive(Debug, Default)]
pub struct Plan {
    /// By function: its frame.
    pub(super) frames: BTreeMap<FunctionId, Frame>,
    /// By site: its function, and its slot in the frame or the outermost loop around it.
    pub(super) sites: BTreeMap<u32, (FunctionId, Place)>,
    /// By call outside of loops: the first slot of the callee in the frame of the caller.
    pub(super) calls: BTreeMap<ExprId, u32>,
    /// What parts consist of, in order, and the end of all slots.
    pieces: Vec<Piece>,
    end: u32,
}

/// A record outside of loops, or an outermost loop.
#[derive(Clone, Copy, Debug)]
struct Piece {
    slot: u32,
    weight: u32,
    looped: Option<(FunctionId, StmtId)>,
}

/// A part of a recording: a range of slots and, if that is one loop, of sites.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub slots: Range<u32>,
    pub sites: Option<Range<u32>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Slot(u32),
    Loop(StmtId),
}

#[derive(Debug, Default)]
pub(super) struct Frame {
    /// The number of slots, those of callees included.
    size: u32,
    /// The slot of each outermost loop.
    pub(super) loops: BTreeMap<StmtId, u32>,
    /// What it calls, and the loop around the call.
    pub(super) calls: Vec<(Vec<FunctionId>, Option<StmtId>)>,
    /// The site of each record, its words, and where it is.
    records: Vec<(u32, u32, Place)>,
    /// The first slots of its runs outside of loops.
    pub(super) bases: BTreeSet<u32>,
    /// The slots of the loops in which it runs.
    pub(super) looped: BTreeSet<u32>,
}

impl Plan {
    /// Makes the plan; `None` if the calls of the shader cannot be expanded.
    pub fn new(survey: Survey, main: FunctionId) -> Option<Plan> {
        let mut plan = Plan::default();
        let mut items = survey.items;
        for list in items.values_mut() {
            // Stable: in one place, the order of weaving counts.
            list.sort_by_key(|(at, _)| at.spot);
        }
        plan.end = plan.lay_out(main, &items, &mut Vec::new())?;
        let mut pieces = Vec::new();
        plan.expand(main, 0, &items, &mut pieces)?;
        plan.pieces = pieces;
        Some(plan)
    }

    /// Gives a function and its callees their slots; returns the size of its frame.
    fn lay_out(
        &mut self,
        function: FunctionId,
        items: &BTreeMap<FunctionId, Vec<(Position, Item)>>,
        open: &mut Vec<FunctionId>,
    ) -> Option<u32> {
        if let Some(frame) = self.frames.get(&function) {
            return Some(frame.size);
        }
        if open.contains(&function) {
            return None;
        }
        open.push(function);
        let mut frame = Frame::default();
        for (at, item) in items.get(&function).into_iter().flatten() {
            match item {
                Item::Record { site, words } => {
                    let place = at.outermost.map_or(Place::Slot(frame.size), Place::Loop);
                    self.sites.insert(*site, (function, place));
                    frame.records.push((*site, *words, place));
                    frame.size += if at.outermost.is_some() { 0 } else { *words };
                }
                Item::Call { call, callees } => {
                    let size = match callees[..] {
                        [] => 0,
                        [callee] => self.lay_out(callee, items, open)?,
                        // Which subroutine is called is known at run time only.
                        _ => return None,
                    };
                    frame.calls.push((callees.clone(), at.outermost));
                    if at.outermost.is_none() {
                        self.calls.insert(*call, frame.size);
                        frame.size += size;
                    }
                }
                Item::Loop { id, site } => {
                    self.sites.insert(*site, (function, Place::Slot(frame.size)));
                    frame.loops.insert(*id, frame.size);
                    frame.size += 2;
                }
            }
            if frame.size > MOST_SLOTS {
                return None;
            }
        }
        open.pop();
        let size = frame.size;
        self.frames.insert(function, frame);
        Some(size)
    }

    /// Notes every run of a function, from a slot on; lists all slots where a part may begin, with the weight up to the next.
    fn expand(
        &mut self,
        function: FunctionId,
        base: u32,
        items: &BTreeMap<FunctionId, Vec<(Position, Item)>>,
        pieces: &mut Vec<Piece>,
    ) -> Option<()> {
        if pieces.len() > MOST_SLOTS as usize {
            return None;
        }
        self.frames.get_mut(&function)?.bases.insert(base);
        for (at, item) in items.get(&function).into_iter().flatten() {
            match item {
                Item::Record { site, words } => {
                    if let Some((_, Place::Slot(slot))) = self.sites.get(site) {
                        pieces.push(Piece { slot: base + slot, weight: *words, looped: None });
                    }
                }
                Item::Call { call, callees } => match (at.outermost, self.calls.get(call).copied()) {
                    (None, Some(slot)) => {
                        for &callee in callees {
                            self.expand(callee, base + slot, items, pieces)?;
                        }
                    }
                    (Some(id), _) => {
                        let slot = base + self.frames.get(&function)?.loops.get(&id)?;
                        callees.iter().for_each(|&callee| self.loop_through(callee, slot));
                    }
                    (None, None) => return None,
                },
                Item::Loop { id, .. } => {
                    let slot = base + self.frames.get(&function)?.loops.get(id)?;
                    let words: u32 =
                        self.words_in(function, *id).values().fold(0, |sum, words| sum.saturating_add(*words));
                    let weight = words.saturating_mul(LOOPED).saturating_add(2);
                    pieces.push(Piece { slot, weight, looped: Some((function, *id)) });
                }
            }
        }
        Some(())
    }

    /// Notes that a function and its callees run in a loop.
    fn loop_through(&mut self, function: FunctionId, slot: u32) {
        let Some(frame) = self.frames.get_mut(&function) else { return };
        if frame.looped.insert(slot) {
            let callees: Vec<FunctionId> = frame.calls.iter().flat_map(|(callees, _)| callees).copied().collect();
            callees.into_iter().for_each(|callee| self.loop_through(callee, slot));
        }
    }

    /// The words of the records in a loop, by site: as often as a compiler expands them.
    fn words_in(&self, function: FunctionId, id: StmtId) -> BTreeMap<u32, u32> {
        let mut found = BTreeMap::new();
        let mut steps = MOST_SLOTS;
        self.add_words(function, Some(id), &mut found, &mut steps);
        found
    }

    fn add_words(&self, function: FunctionId, id: Option<StmtId>, found: &mut BTreeMap<u32, u32>, steps: &mut u32) {
        let Some(frame) = self.frames.get(&function) else { return };
        let is_inside = |around: Option<StmtId>| id.is_none() || around == id;
        for &(site, words, place) in &frame.records {
            let around = match place {
                Place::Slot(_) => None,
                Place::Loop(around) => Some(around),
            };
            if is_inside(around) {
                let sum = found.entry(site).or_insert(0);
                *sum = sum.saturating_add(words);
            }
        }
        for (callees, around) in &frame.calls {
            for &callee in callees.iter().filter(|_| is_inside(*around)) {
                // An estimate suffices where there are very many calls.
                *steps = steps.saturating_sub(1);
                if *steps > 0 {
                    self.add_words(callee, None, found, steps);
                }
            }
        }
    }

    /// Divides the recording into parts of about a weight.
    pub fn parts(&self, most: u32) -> Vec<Part> {
        let mut parts = Vec::new();
        let (mut begin, mut weight) = (0, 0u32);
        let mut pieces = self.pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            if weight > 0 && weight.saturating_add(piece.weight) > most && piece.slot > begin {
                parts.push(Part { slots: begin..piece.slot, sites: None });
                (begin, weight) = (piece.slot, 0);
            }
            weight = weight.saturating_add(piece.weight);
            if let Some((function, id)) = piece.looped.filter(|_| weight > most) {
                let end = pieces.peek().map_or(self.end, |next| next.slot);
                let divided = divided(&self.words_in(function, id), most / LOOPED);
                parts.extend(divided.into_iter().map(|sites| Part { slots: begin..end, sites: Some(sites) }));
                (begin, weight) = (end, 0);
            }
        }
        if self.end > begin {
            parts.push(Part { slots: begin..self.end, sites: None });
        }
        parts
    }

    /// Whether a range begins and ends between records.
    pub fn is_part(&self, range: &Range<u32>) -> bool {
        let between =
            |slot: u32| slot == self.end || self.pieces.binary_search_by_key(&slot, |piece| piece.slot).is_ok();
        range.start < range.end && between(range.start) && between(range.end)
    }
}

/// Ranges of sites with about so many words each, which cover all numbers.
fn divided(words: &BTreeMap<u32, u32>, most: u32) -> Vec<Range<u32>> {
    let (mut ranges, mut begin, mut sum) = (Vec::new(), 0, 0u32);
    for (&site, &more) in words {
        if sum > 0 && sum.saturating_add(more) > most {
            ranges.push(begin..site);
            (begin, sum) = (site, 0);
        }
        sum = sum.saturating_add(more);
    }
    ranges.push(begin..i32::MAX.cast_unsigned());
    ranges
}
