//! What compute shaders stored.

use std::collections::{BTreeMap, BTreeSet};

use chronicle::graph::Cell;
use inquiry::{DispatchSize, DrawSnapshot};
use pipeline::{Counted, dispatch_watched};
use reenact::fragment_ops::{PlaneFormat, Role};
use shader::version::Stage;
use state::objects::framebuffer::Storage;

use super::buffer::{WantedBytes, block, image, words, worse};
use super::{PendingTexel, Reader, Walk, around};
use crate::accesses::{Access, Accesses, Touched};
use crate::glimpse;
use crate::history::{ByteRange, EventKind, Subject, Value, Verdict};
use crate::{RecallError, TexelAspect, TexelRef};

/// Instructions of a block, roughly.
const INSTRUCTIONS: u64 = 16;

/// An invocation that stored something that is wanted.
pub struct Storing {
    pub place: TexelRef,
    pub wanted: PendingTexel,
    pub verdict: Verdict,
    /// Of a texel: what it should hold then, and what it does.
    pub values: (Option<Value>, Option<Value>),
}

/// Binding points of the blocks of the stage that an access is of.
pub type Bindings<'b> = dyn Fn(&Access) -> &'b Vec<(emulator::host::Space, u32)> + 'b;

impl Walk<'_, '_> {
    /// Bytes and texels that a dispatch wrote: the invocations that did, and what they read.
    pub(super) fn stored(
        &mut self,
        call: u64,
        bytes: BTreeMap<ByteRange, WantedBytes>,
        texels: BTreeMap<TexelRef, PendingTexel>,
    ) -> Result<(), RecallError> {
        let recall = &mut *self.recall;
        let work = recall.inquiry.work(call)?;
        let scene = recall.memo.scene_of(recall.inquiry, &work, &recall.ledger, Stage::Compute);
        let made = scene.map_err(|error| error.to_string()).and_then(|scene| {
            let recall = &mut *self.recall;
            let size = work.dispatch_size(recall.inquiry, |inquiry, buffer| {
                recall.memo.buffer(inquiry, &work, &recall.ledger, buffer)
            });
            let DispatchSize { groups, group_size } = size.map_err(|error| error.to_string())?;
            let bindings = scene.program.bindings(Stage::Compute);
            let view = work.view().map_err(|error| error.to_string())?;
            let wanted = |access: &Access| {
                access.store
                    && match block(&view, &bindings, &access.aspect) {
                        Some((.., range)) => {
                            bytes.keys().any(|own| own.cell == range.cell && own.from < range.to && range.from < own.to)
                        }
                        None => image(&view, &access.aspect).is_some_and(|place| texels.contains_key(&place)),
                    }
            };
            let effort = &*self.effort;
            let run = |accesses: &mut Accesses<'_>| {
                let mut state = scene.state.clone();
                // A workgroup that does not end is noticed when it should have ended.
                state.budget = state.budget.min(effort.left() / INSTRUCTIONS);
                let mut counted = Counted::new(accesses, effort);
                let ended = dispatch_watched(&mut state, &scene.program, groups, group_size, &mut counted);
                effort.spend(counted.units());
                ended.map_err(|why| why.to_string())
            };
            let mut stores = Accesses::new(&wanted);
            run(&mut stores)?;
            let stores = stores.list;
            let who: BTreeSet<[u32; 3]> = stores.iter().map(|access| access.who).collect();
            let mine = |access: &Access| !access.store && who.contains(&access.who);
            let mut loads = Accesses::new(&mine);
            run(&mut loads)?;
            Ok((scene.missing, bindings, stores, loads.list, loads.texels))
        });
        let (missing, bindings, stores, loads, looked_up) = match made {
            Ok(made) => made,
            Err(why) => {
                self.note(format!("command {call}: {why}"));
                return self.unfollowed(call, bytes, texels, &why);
            }
        };
        missing.into_iter().for_each(|missing| self.note(format!("command {call}: {missing}")));
        let mut storing: BTreeMap<[u32; 3], Storing> = BTreeMap::new();
        self.storing_bytes(&work, &|_| &bindings, &stores, bytes, &mut storing)?;
        self.storing_texels(&work, &stores, texels, &mut storing)?;
        for (who, Storing { place, wanted, verdict, values }) in storing {
            let id = self.node(call, place, EventKind::Store, &wanted);
            let node = &mut self.history.nodes[id.0 as usize];
            (node.subject, node.verdict) = (Subject::Invocation(who), verdict);
            (node.emulated, node.after) = values;
            let own: BTreeSet<Touched> =
                loads.iter().filter(|access| access.who == who).map(|access| access.aspect).collect();
            let own: Vec<Touched> = own.into_iter().collect();
            let seen: Vec<_> =
                looked_up.iter().filter(|(by, ..)| *by == who).map(|(_, handle, texel)| (*handle, *texel)).collect();
            let weight = 1.0 / (own.len() + usize::from(!seen.is_empty())).max(1) as f64;
            self.loaded(&work, &bindings, id, &own, weight)?;
            self.looked_up(&work, id, &seen, weight)?;
            self.uniforms(&work, Stage::Compute, id)?;
        }
        Ok(())
    }

    /// Finds the invocations that stored bytes; bytes that none stored were there before.
    pub(super) fn storing_bytes(
        &mut self,
        work: &DrawSnapshot,
        bindings: &Bindings<'_>,
        stores: &[Access],
        bytes: BTreeMap<ByteRange, WantedBytes>,
        storing: &mut BTreeMap<[u32; 3], Storing>,
    ) -> Result<(), RecallError> {
        let view = work.view()?;
        let located: Vec<(ByteRange, &Access)> = stores
            .iter()
            .filter_map(|access| Some((block(&view, bindings(access), &access.aspect)?.2, access)))
            .collect();
        for (range, asked) in bytes {
            let all = (range.to - range.from) as f64;
            // By the first byte of a word; the last store stays.
            let mut last: BTreeMap<u64, (ByteRange, &Access)> = BTreeMap::new();
            for (own, access) in &located {
                if own.cell == range.cell && own.from < range.to && range.from < own.to {
                    last.insert(own.from, (*own, access));
                }
            }
            let mut next = range.from;
            for (own, access) in last.into_values() {
                let (from, to) = (own.from.max(next), own.to.min(range.to));
                self.before_store(&asked, ByteRange { from: next, to: from.max(next), ..range }, range, work);
                next = to.max(next);
                let place = TexelRef { cell: range.cell, aspect: TexelAspect::Colour, at: [0, 0], sample: 0 };
                let at = own.from.checked_sub(range.from).map(|at| at as usize);
                let real = at.and_then(|at| asked.held.get(at..at + 4));
                let verdict = match (access.word, real) {
                    (Some(made), Some(real)) => {
                        words(true, made, u32::from_le_bytes([real[0], real[1], real[2], real[3]]))
                    }
                    (None, _) => Verdict::Unchecked("atomic operations are not compared".to_owned()),
                    (_, None) => Verdict::Unchecked("what is there is not known".to_owned()),
                };
                let share = to.saturating_sub(from) as f64 / all;
                let readers = asked
                    .wanted
                    .readers
                    .iter()
                    .map(|reader| Reader { weight: reader.weight * share, ..reader.clone() });
                let one = storing.entry(access.who).or_insert_with(|| Storing {
                    place,
                    wanted: PendingTexel { readers: Vec::new(), depth: asked.wanted.depth },
                    verdict: Verdict::Unchecked("nothing was compared".to_owned()),
                    values: (None, None),
                });
                one.verdict = worse(one.verdict.clone(), verdict);
                one.wanted.depth = one.wanted.depth.max(asked.wanted.depth);
                for reader in readers {
                    let known = one
                        .wanted
                        .readers
                        .iter_mut()
                        .find(|known| known.node == reader.node && known.why == reader.why);
                    match known {
                        Some(known) => known.weight += reader.weight,
                        None => one.wanted.readers.push(reader),
                    }
                }
            }
            self.before_store(&asked, ByteRange { from: next, ..range }, range, work);
        }
        Ok(())
    }

    /// Bytes that a call might have written and did not.
    pub(super) fn before_store(&mut self, asked: &WantedBytes, part: ByteRange, range: ByteRange, work: &DrawSnapshot) {
        if part.from >= part.to {
            return;
        }
        let share = (part.to - part.from) as f64 / (range.to - range.from) as f64;
        let within = |at: u64| ((at - range.from) as usize).min(asked.held.len());
        let held = asked.held[within(part.from)..within(part.to)].to_vec();
        for reader in &asked.wanted.readers {
            let reader = Reader { weight: reader.weight * share, ..reader.clone() };
            self.ask_bytes(
                (part, held.clone()),
                *work.calls.range.start(),
                asked.wanted.depth.saturating_sub(1),
                &reader,
            );
        }
    }

    /// Finds the invocations that stored texels, and compares the texels afterwards; those that none stored were there before.
    pub(super) fn storing_texels(
        &mut self,
        work: &DrawSnapshot,
        stores: &[Access],
        texels: BTreeMap<TexelRef, PendingTexel>,
        storing: &mut BTreeMap<[u32; 3], Storing>,
    ) -> Result<(), RecallError> {
        let view = work.view()?;
        let mut regions: BTreeMap<(Cell, TexelAspect), Vec<TexelRef>> = BTreeMap::new();
        texels.keys().for_each(|place| regions.entry((place.cell, place.aspect)).or_default().push(*place));
        let regions = regions.into_iter().map(|(key, places)| (key, around(places.iter()))).collect();
        let mut missing = Vec::new();
        let after = *work.calls.range.end() + 1;
        let glimpses = glimpse::look(self.recall.inquiry, &work.model, after, &regions, &mut missing)?;
        missing.into_iter().for_each(|missing| self.note(format!("command {}: {missing}", work.command)));
        for (place, wanted) in texels {
            let own: Vec<&Access> =
                stores.iter().filter(|access| image(&view, &access.aspect) == Some(place)).collect();
            let real = glimpse::value_at(&glimpses, &place);
            let format = glimpses.get(&(place.cell, place.aspect)).map(|glimpse| glimpse.format);
            let made = |access: &Access| {
                let colour = raster::Color::Uint(access.texel?);
                as_stored(work, &access.aspect, &place)
                    .then_some(format)
                    .flatten()
                    .map(|format| glimpse::rounded(format, Value::Colour(colour)))
            };
            // Who writes the same texel is not ordered: the one that fits is taken.
            let fits = |access: &&&Access| made(access).is_some() && made(access) == real;
            let Some(by) = own.iter().rev().find(fits).or_else(|| own.last()) else {
                if wanted.readers.is_empty() {
                    self.ask(place, *work.calls.range.start(), wanted.depth, None);
                }
                for reader in wanted.readers {
                    self.ask(place, *work.calls.range.start(), wanted.depth, Some(reader));
                }
                continue;
            };
            let verdict = match format {
                _ if by.texel.is_none() => Verdict::Unchecked("atomic operations are not compared".to_owned()),
                Some(format) => glimpse::judge(format, made(by), real),
                None => Verdict::Unchecked("what is there cannot be seen".to_owned()),
            };
            let one = storing.entry(by.who).or_insert_with(|| Storing {
                place,
                wanted: PendingTexel { readers: Vec::new(), depth: wanted.depth },
                verdict: verdict.clone(),
                values: (made(by), real),
            });
            one.verdict = worse(one.verdict.clone(), verdict);
            one.wanted.depth = one.wanted.depth.max(wanted.depth);
            one.wanted.readers.extend(wanted.readers);
        }
        Ok(())
    }
}

/// Whether a texel is stored in the format that its image has.
fn as_stored(work: &DrawSnapshot, touched: &Touched, place: &TexelRef) -> bool {
    let (Touched::Image(unit, ..), Ok(view)) = (touched, work.view()) else { return false };
    let Some(unit) = view.context.units.images.get(*unit as usize) else { return false };
    let bound = state::objects::format::Format::named(unit.format);
    let bound = bound.and_then(|format| PlaneFormat::of(Role::Colour(0), &Storage::Format(format)).ok());
    bound.is_some() && bound == glimpse::stored(&work.model, place.cell, place.aspect)
}
