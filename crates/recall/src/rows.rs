//! Everything that wrote to a pixel or tried to, in the order of the trace.

use std::collections::BTreeMap;

use chronicle::graph::Cell;
use chronicle::ledger::Entry;
use reenact::fragment_ops::{FragmentOps, Pixel, Role};
use state::Region;
use state::records::Texels;

use crate::bounds::{self, MOST_ROWS};
use crate::event::Job;
use crate::history::{EventKind, Node, NodeId, Subject, Value, Verdict};
use crate::steps::{Step, UNITS, fragment, slack, steps, value_of, verdict};
use crate::visit::{FramebufferContents, Visit};
use crate::walk::{Recall, copy_kind};
use crate::{Bounds, RecallError, TexelAspect, TexelRef};

/// What fragments made of a pixel, in which operations, and by how many units that may be off.
type Made = (FragmentOps, Pixel, u32);

/// Everything that wrote to a texel or tried to, in the order of the trace.
#[derive(Clone, Default, Debug)]
pub struct Rows {
    /// The events.
    pub list: Vec<Node>,
    /// How many more there are, for which there was no room.
    pub left_out: u64,
}

/// How a place is seen: the plane that it is of the framebuffer that some call drew to.
struct Lens {
    tail: FragmentOps,
    role: Role,
}

impl Recall<'_> {
    /// Returns everything that wrote to a texel or tried to, from the last write that replaced all of it - or from the call
    /// `from` on, whichever is later - up to the call `until`, in one pass forwards.
    ///
    /// Fragments have the colours that the device's shaders gave out. The last one of a draw is compared with what is
    /// really there then; the ones before follow from the fixed functions alone.
    ///
    /// With `walk`, a walk over the same texel follows, which needs vertices or not: what it needs of blended fragments is
    /// measured on the way, because the walk would have to go back to each of their draws.
    ///
    /// # Errors
    /// When the trace cannot be read, or the worker is lost.
    pub fn rows(
        &mut self,
        place: TexelRef,
        (from, until): (u64, u64),
        walk: Option<Bounds>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Rows, RecallError> {
        let region = Region { at: place.at, end: place.at.map(|at| at + 1) };
        let mut entries = self.ledger.writers(&place.cell, region, place.aspect.aspect(), until);
        entries.retain(|entry| entry.call >= from);
        entries.reverse();
        // All draws of a display list are one call, and its fragments are listed together.
        let draws = |entry: &Entry| Job::of(&entry.write.texels) == Job::Draw;
        entries.dedup_by(|later, entry| later.call == entry.call && draws(later) && draws(entry));
        let lens = self.lens(&place, &entries)?;
        self.visits.clear();
        self.memo.effort = bounds::effort();
        let (mut rows, mut left_out): (Vec<Node>, u64) = (Vec::new(), 0);
        // Rows whose last value is what is found before the next event.
        let mut open: Option<(usize, Option<Made>)> = None;
        for (done, entry) in entries.iter().enumerate() {
            progress(done, entries.len());
            let draws = Job::of(&entry.write.texels) == Job::Draw;
            if draws && !self.may_touch(entry.call, &place) {
                continue;
            }
            let visited = match Job::of(&entry.write.texels) {
                Job::Draw => {
                    let [x, y] = place.at;
                    Some(Visit::new(self.inquiry, None, false, (entry.call, [x, y, 1, 1])))
                }
                _ => None,
            };
            let before = match (&visited, &lens) {
                (Some(Ok(visit)), Some(lens)) => Some(visit.before.pixel(&lens.tail, place.at, place.sample)),
                (_, Some(lens)) => Some(self.seen(lens, &place, entry.call)?),
                _ => None,
            };
            close(&mut rows, &mut open, before.as_ref(), lens.as_ref());
            let value =
                |pixel: &Option<Pixel>| pixel.as_ref().zip(lens.as_ref()).and_then(|(p, l)| value_of(p, l.role));
            let first = rows.len();
            match visited {
                Some(Ok(mut visit)) => {
                    let role = self.role(&visit.tail, &place);
                    let all = BTreeMap::new();
                    let real = visit.before.pixel(&visit.tail, place.at, place.sample);
                    let list = steps(&visit, &all, (place, &real));
                    for (order, step) in list.iter().enumerate() {
                        let Some(role) = role else { continue };
                        let mut row = self.row(rows.len(), entry, &place, EventKind::Draw);
                        row.before = value_of(&step.before, role);
                        row.after = value_of(&step.after, role);
                        row.fragment = Some(fragment(order, step, &visit.tail, role));
                        rows.push(row);
                    }
                    let slack = role.map_or(UNITS, |role| slack(&visit.tail, role, &list));
                    let last = list
                        .last()
                        .filter(|_| visit.missed == 0)
                        .map(|step| (visit.tail.clone(), step.after.clone(), slack));
                    open = (rows.len() > first).then(|| (rows.len() - 1, last));
                    left_out += u64::from(visit.missed);
                    let blends = |step: &Step<'_>, role| {
                        step.writes(&visit.tail, role) && !step.kept(&visit.tail, role).is_nothing()
                    };
                    let blends = role.is_some_and(|role| list.iter().any(|step| blends(step, role)));
                    if let Some(bounds) = walk.filter(|_| blends) {
                        // The walk says why it cannot be had when it gets there.
                        let _ = visit.prepare(self.inquiry, &self.ledger, &mut self.memo, bounds.vertices);
                    }
                    self.visits.keep(entry.call, visit, &self.ledger);
                }
                Some(Err(error)) => {
                    let mut row = self.row(rows.len(), entry, &place, EventKind::Draw);
                    row.before = value(&before);
                    row.verdict = Verdict::Unchecked(error.to_string());
                    rows.push(row);
                    open = Some((rows.len() - 1, None));
                }
                None => {
                    let kind = match Job::of(&entry.write.texels) {
                        Job::Leaf(kind) => kind,
                        _ => copy_kind(entry, !matches!(entry.write.texels, Texels::Image { exact: false, .. })),
                    };
                    let mut row = self.row(rows.len(), entry, &place, kind);
                    row.before = value(&before);
                    rows.push(row);
                    open = Some((rows.len() - 1, None));
                }
            }
            // The first are the ones that matter least.
            let many = rows.len().saturating_sub(MOST_ROWS);
            if many > 0 && !state::are_limits_lifted() {
                rows.drain(..many);
                left_out += many as u64;
                open = open.and_then(|(row, made)| Some((row.checked_sub(many)?, made)));
            }
        }
        if let Some(lens) = &lens {
            let last = self.seen(lens, &place, until)?;
            close(&mut rows, &mut open, Some(&last), Some(lens));
        }
        for (number, row) in rows.iter_mut().enumerate() {
            row.id = NodeId(number as u32);
        }
        Ok(Rows { list: rows, left_out })
    }

    fn row(&self, number: usize, entry: &Entry, place: &TexelRef, kind: EventKind) -> Node {
        let unchecked = match kind {
            EventKind::Draw => "only the last fragment of a draw is compared",
            _ => "of what wrote to the pixel, only draws are compared",
        };
        Node {
            id: NodeId(number as u32),
            kind,
            call: entry.call,
            frame: self.inquiry.reader().frame_of(entry.call).map(|frame| frame as u64),
            place: *place,
            depth: 0,
            subject: Subject::Texel,
            fragment: None,
            before: None,
            after: None,
            emulated: None,
            verdict: Verdict::Unchecked(unchecked.to_owned()),
            weight: 0.0,
            texels: 1,
        }
    }

    /// A framebuffer through which a place can be seen.
    fn lens(&mut self, place: &TexelRef, entries: &[Entry]) -> Result<Option<Lens>, RecallError> {
        for entry in entries.iter().rev() {
            let model = self.inquiry.state_after(entry.call)?;
            let thread = match self.inquiry.reader().call_at(entry.call) {
                Ok(held) => held.call().thread,
                Err(_) => continue,
            };
            let Some(tail) = model.view(thread).and_then(|view| FragmentOps::new(&view).ok()) else { continue };
            if let Some(role) = self.role(&tail, place) {
                return Ok(Some(Lens { tail, role }));
            }
        }
        Ok(None)
    }

    fn role(&self, tail: &FragmentOps, place: &TexelRef) -> Option<Role> {
        let is = |thing| Cell::of(place.cell.group, thing) == place.cell;
        let plane = tail.planes().iter().find(|plane| TexelAspect::of(plane.role) == place.aspect && is(plane.thing));
        plane.map(|plane| plane.role)
    }

    /// What a place holds before a call.
    fn seen(&mut self, lens: &Lens, place: &TexelRef, call: u64) -> Result<Pixel, RecallError> {
        let model = self.inquiry.state_after(call.saturating_sub(1))?;
        let [x, y] = place.at;
        let held =
            FramebufferContents::look(self.inquiry, &model, (place.cell.group, &lens.tail), (call, [x, y, 1, 1]))?;
        Ok(held.pixel(&lens.tail, place.at, place.sample))
    }
}

/// The last row of an event holds what is found before the next.
fn close(rows: &mut [Node], open: &mut Option<(usize, Option<Made>)>, found: Option<&Pixel>, lens: Option<&Lens>) {
    let Some((place, made)) = open.take() else { return };
    let (Some(row), Some(found), Some(lens)) = (rows.get_mut(place), found, lens) else { return };
    if let Some((tail, made, slack)) = made {
        row.verdict = verdict(&tail, lens.role, (&made, found), slack);
    }
    let value: Option<Value> = value_of(found, lens.role);
    row.after = value;
}
