//! What events wrote that are no draws: copies, resolves, levels, clears, uploads.
//!
//! Each texel has what was really there before and after, and a value that was computed from what the event read - or, of
//! clears and uploads, from the call itself - which is compared with it.

mod pixels;
mod set;
mod transfer;

use std::collections::BTreeMap;

use api::id;
use chronicle::graph::Cell;
use chronicle::ledger::Entry;
use device::{ImageRef, Rectangle};
use raster::Color;
use raster::format::{Numeric, linear_to_srgb, srgb_to_linear};
use reenact::fragment_ops::PlaneFormat;
use state::records::Texels;
use state::{ContentsRef, Model, Region};

use self::set::Setting;
use self::transfer::Transfer;
use super::{PendingTexel, Reader, Walk, around, copy_kind};
use crate::event::Job;
use crate::glimpse::{self, Glimpses, judge, rounded, value_at};
use crate::history::{Edge, EventKind, NodeId, Value, Verdict, Why};
use crate::{RecallError, TexelAspect, TexelRef};

/// A texel that an event wrote, and its readers.
pub struct Item {
    pub entry: Entry,
    pub place: TexelRef,
    pub wanted: PendingTexel,
}

/// What is around an event.
pub struct Moment {
    pub call: u64,
    /// The state before it.
    pub before: Model,
    /// The state after it.
    pub after: Model,
    /// The share group of its context.
    pub group: usize,
    /// What the places that are wanted held before it, and after it.
    pub held: Glimpses,
    pub holds: Glimpses,
}

impl Moment {
    /// The cell of what the event copied to a place. Surfaces are in no share group, so the place does not tell it.
    pub fn source(&self, place: &TexelRef, of: ContentsRef) -> Cell {
        let is_surface = matches!(place.cell.thing, ContentsRef::Surface { .. });
        Cell::of(if is_surface { self.group } else { place.cell.group }, of)
    }
}

impl Walk<'_, '_> {
    /// All that a call wrote of what is wanted, in other ways than by drawing.
    pub(super) fn copied(&mut self, call: u64, items: Vec<Item>) -> Result<(), RecallError> {
        let inquiry = &mut *self.recall.inquiry;
        let before = inquiry.state_after(call.saturating_sub(1))?;
        let after = inquiry.state_after(call)?;
        let wanted = rectangles(items.iter().map(|item| item.place));
        let mut missing = Vec::new();
        let upload = |item: &Item| Job::of(&item.entry.write.texels) == Job::Leaf(EventKind::Upload);
        let (held, holds) = if items.iter().all(upload) {
            // Uploads are often as old as the program. What they replaced does not matter, and what they left can be seen
            // until the next write to it.
            let seen = self.settled(call, &wanted)?;
            let inquiry = &mut *self.recall.inquiry;
            let model = inquiry.state_after(seen - 1)?;
            (Glimpses::new(), glimpse::look(inquiry, &model, seen, &wanted, &mut missing)?)
        } else {
            let held = glimpse::look(inquiry, &before, call, &wanted, &mut missing)?;
            (held, glimpse::look(inquiry, &after, call + 1, &wanted, &mut missing)?)
        };
        let thread = self.recall.inquiry.reader().call_at(call).map(|held| held.call().thread);
        let group = thread.ok().and_then(|thread| Some(before.view(thread)?.context.group)).unwrap_or(0);
        let moment = Moment { call, before, after, group, held, holds };
        let transfer = Transfer::of_call(self.recall.inquiry.reader(), &moment);
        let setting = Setting::of_call(self.recall.inquiry, &moment, &items)?;
        let (mut copies, mut levels) = (Vec::new(), Vec::new());
        for item in items {
            match Job::of(&item.entry.write.texels) {
                Job::Copy => copies.push(item),
                Job::Leaf(EventKind::Mipmap) => levels.push(item),
                Job::Leaf(kind) => self.set(&moment, &setting, kind, item)?,
                Job::Draw if matches!(item.entry.command, id::glDrawPixels | id::glBitmap) => {
                    self.pixels(&moment, item)?;
                }
                Job::Draw => {
                    let name = api::command(item.entry.command).name;
                    self.named(&moment, item, &format!("{name} is not emulated"))?;
                }
            }
        }
        self.transferred(&moment, &transfer, copies, &mut missing)?;
        self.transferred(&moment, &Transfer::Levels, levels, &mut missing)?;
        for why in missing {
            self.note(format!("command {call}: {why}"));
        }
        Ok(())
    }

    /// The latest moment, up to where the walk is, at which all places are as a call left them: the call that comes next
    /// there.
    fn settled(&mut self, call: u64, wanted: &BTreeMap<(Cell, TexelAspect), Rectangle>) -> Result<u64, RecallError> {
        let next = |(&(cell, aspect), &[left, bottom, width, height]): (&(Cell, TexelAspect), &Rectangle)| {
            let region = Region { at: [left, bottom], end: [left + width, bottom + height] };
            self.recall.ledger.next_in(&cell, region, aspect.aspect(), call)
        };
        let written = wanted.iter().filter_map(next).map(|entry| entry.call).min().unwrap_or(u64::MAX);
        let latest = written.min(self.later).max(call + 1);
        let model = self.recall.inquiry.state_after(latest - 1)?;
        let there = wanted.keys().all(|(cell, _)| ImageRef::of(&model, *cell).is_some());
        Ok(if there { latest } else { call + 1 })
    }

    /// Texels that were made of others.
    fn transferred(
        &mut self,
        moment: &Moment,
        transfer: &Transfer,
        items: Vec<Item>,
        missing: &mut Vec<String>,
    ) -> Result<(), RecallError> {
        let read: Vec<_> =
            items.into_iter().map(|item| (transfer.sources(moment, &item.entry, &item.place), item)).collect();
        let all = read.iter().filter_map(|(sources, _)| sources.as_ref()).flatten().map(|(place, _)| *place);
        let wanted = rectangles(all);
        // Levels are made of levels that the same call makes; everything else is read before it writes.
        let (model, command) = match transfer {
            Transfer::Levels => (&moment.after, moment.call + 1),
            _ => (&moment.before, moment.call),
        };
        let glimpses = glimpse::look(self.recall.inquiry, model, command, &wanted, missing)?;
        for (sources, item) in read {
            let Some(sources) = sources else {
                // It lies outside of what was written.
                self.pass_on(moment.call, item.place, item.wanted)?;
                continue;
            };
            let (sources, resolved) = resolved(sources, &glimpses, &item.place, &moment.holds);
            let kind = match item.entry.write.texels {
                Texels::Gpu(_) => EventKind::Mipmap,
                _ if resolved => EventKind::Resolve,
                _ => copy_kind(&item.entry, !transfer.scales()),
            };
            let id = self.node(moment.call, item.place, kind, &item.wanted);
            self.compare(
                moment,
                (id, &item.place),
                combined(&sources, &glimpses, transfer, &moment.holds, &item.place),
            );
            let why = if kind == EventKind::Mipmap { Why::Filtered } else { Why::Copied };
            let depth = self.history.nodes[id.0 as usize].depth + u32::from(kind == EventKind::Mipmap);
            for (place, weight) in sources {
                self.ask(place, command, depth, Some(Reader { node: id, why: why.clone(), weight }));
            }
        }
        Ok(())
    }

    /// Something that is named, but not emulated: if it changed nothing here, the writer before it matters.
    fn named(&mut self, moment: &Moment, item: Item, why: &str) -> Result<(), RecallError> {
        let (before, after) = (value_at(&moment.held, &item.place), value_at(&moment.holds, &item.place));
        if before.is_some() && before == after {
            return self.pass_on(moment.call, item.place, item.wanted);
        }
        let id = self.node(moment.call, item.place, EventKind::Other, &item.wanted);
        let node = &mut self.history.nodes[id.0 as usize];
        (node.before, node.after) = (before, after);
        node.verdict = Verdict::Unchecked(why.to_owned());
        self.pass_on(
            moment.call,
            item.place,
            PendingTexel {
                readers: vec![Reader { node: id, why: Why::Blended, weight: 0.0 }],
                depth: item.wanted.depth,
            },
        )
    }

    /// Gives a node what was there, what is there and what was computed.
    fn compare(&mut self, moment: &Moment, (id, place): (NodeId, &TexelRef), made: Result<Value, String>) {
        let real = value_at(&moment.holds, place);
        let format = glimpse::stored(&moment.after, place.cell, place.aspect);
        let verdict = match (&made, format) {
            (Ok(made), Some(format)) => judge(format, Some(*made), real),
            (Err(why), _) => Verdict::Unchecked(why.clone()),
            (Ok(_), None) => Verdict::Unchecked("what is there cannot be seen".to_owned()),
        };
        let shown = real.or(if format.is_none() { made.as_ref().ok().copied() } else { None });
        // Its edges were just made.
        let own = |edge: &&mut Edge| edge.to == id && edge.at == place.at && edge.sample == place.sample;
        self.history.edges.iter_mut().rev().take_while(own).for_each(|edge| edge.value = shown);
        let node = &mut self.history.nodes[id.0 as usize];
        if node.texels > 1 {
            // One node stands for many texels; it is as good as the worst of them.
            node.verdict = worse(std::mem::replace(&mut node.verdict, Verdict::Equal), verdict);
            return;
        }
        node.before = value_at(&moment.held, place);
        node.after = shown;
        node.emulated = made.ok();
        node.verdict = verdict;
    }
}

/// The smallest rectangles that have all of these places.
fn rectangles(places: impl Iterator<Item = TexelRef>) -> BTreeMap<(Cell, TexelAspect), Rectangle> {
    let mut lists: BTreeMap<(Cell, TexelAspect), Vec<TexelRef>> = BTreeMap::new();
    for place in places {
        lists.entry((place.cell, place.aspect)).or_default().push(place);
    }
    lists.into_iter().map(|(key, list)| (key, around(list.iter()))).collect()
}

/// Sources with all their samples where pixels with several become pixels with one. Of integers, depths and stencil
/// values one sample is taken (GL 4.6, 18.3.1).
fn resolved(
    sources: Vec<(TexelRef, f64)>,
    glimpses: &Glimpses,
    to: &TexelRef,
    holds: &Glimpses,
) -> (Vec<(TexelRef, f64)>, bool) {
    let several = holds.get(&(to.cell, to.aspect)).map_or(1, |there| there.samples());
    let (mut all, mut any) = (Vec::new(), false);
    for (place, weight) in sources {
        let seen = glimpses.get(&(place.cell, place.aspect));
        let samples = seen.map_or(1, |there| there.samples());
        if samples < 2 || several > 1 {
            all.push((TexelRef { sample: if samples > 1 { to.sample } else { 0 }, ..place }, weight));
            continue;
        }
        any = true;
        let whole = place.aspect != TexelAspect::Colour
            || seen.is_some_and(|there| matches!(there.format, PlaneFormat::Colour(format) if format.is_integer()));
        let taken = if whole { 1 } else { samples };
        all.extend((0..taken).map(|sample| (TexelRef { sample, ..place }, weight / f64::from(taken))));
    }
    (all, any)
}

/// What comes of sources with these weights, as the image stores it that they go to.
fn combined(
    sources: &[(TexelRef, f64)],
    glimpses: &Glimpses,
    transfer: &Transfer,
    holds: &Glimpses,
    to: &TexelRef,
) -> Result<Value, String> {
    let into = holds.get(&(to.cell, to.aspect)).map(|there| there.format);
    let mut sum = [0.0f64; 4];
    for (place, weight) in sources {
        let seen = glimpses.get(&(place.cell, place.aspect)).ok_or("what was read cannot be seen")?;
        let value = seen.value(place.at, place.sample).ok_or("what was read cannot be seen")?;
        let value = match value {
            Value::Colour(Color::Float(channels)) if transfer.decodes() && is_srgb(seen.format) => {
                let [red, green, blue, alpha] = channels;
                Value::Colour(Color::Float([srgb_to_linear(red), srgb_to_linear(green), srgb_to_linear(blue), alpha]))
            }
            value => value,
        };
        match value {
            Value::Colour(Color::Float(channels)) if sources.len() > 1 || transfer.decodes() => {
                sum.iter_mut().zip(channels).for_each(|(sum, channel)| *sum += weight * f64::from(channel));
            }
            value => return Ok(into.map_or(value, |into| rounded(into, value))),
        }
    }
    let mut channels = sum.map(|channel| channel as f32);
    if transfer.decodes() && into.is_some_and(is_srgb) {
        channels[..3].iter_mut().for_each(|channel| *channel = linear_to_srgb(*channel));
    }
    let value = Value::Colour(Color::Float(channels));
    Ok(into.map_or(value, |into| rounded(into, value)))
}

fn is_srgb(format: PlaneFormat) -> bool {
    matches!(format, PlaneFormat::Colour(format) if format.numeric == Numeric::Srgb)
}

/// The verdict that says less good things.
fn worse(one: Verdict, other: Verdict) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Equal => (0, 0),
        Verdict::Within(units) => (1, *units),
        Verdict::Unchecked(_) => (2, 0),
        Verdict::Differs(units) => (3, *units),
    };
    if rank(&other) > rank(&one) { other } else { one }
}
