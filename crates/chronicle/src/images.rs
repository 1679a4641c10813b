//! Who wrote the texels of images.
//!
//! The model keeps write records of buffers, because only few calls write to them. Every draw writes to images, so their
//! records are kept beside the model and only for those who ask: made of what the handlers note, and persistent like
//! everything else.

use std::collections::BTreeSet;
use std::sync::Arc;

use api::id;
use imbl::OrdMap;
use state::{Call, CallObserver, ContentsRef, ImageRecords, ImageWrite, Model};

use crate::graph::Cell;

/// Who wrote what is in the images of a program, at one moment of a trace. Copies share what did not change.
#[derive(Clone, Debug, Default)]
pub struct Images {
    records: OrdMap<Cell, Arc<ImageRecords>>,
    /// Writes that calls have repeated, and whose last call is not in the records yet.
    repeated: Vec<Repeated>,
    /// What following the calls has cost so far.
    work: u64,
}

/// A write that draws repeat again and again: all of them are one entry of the records, with the first call and the last.
#[derive(Clone, Copy, Debug)]
struct Repeated {
    cell: Cell,
    write: ImageWrite,
    last: u64,
    /// What each of them costs.
    work: u64,
}

/// Repeated writes that are followed at a time: a draw writes to few images.
const MOST_REPEATED: usize = 8;

/// What a change to an image costs, besides a look at each write that is visible in it. In units of about three
/// nanoseconds.
const EVENT: u64 = 128;

impl Images {
    /// The records of an image of a share group: a layer of a level, a renderbuffer, a plane of a surface. Nothing when
    /// there is none, or it never had storage.
    #[must_use]
    pub fn records(&self, group: usize, image: ContentsRef) -> Option<&ImageRecords> {
        self.records.get(&Cell::of(group, image)).map(Arc::as_ref)
    }

    /// Returns what following the calls has cost so far.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Returns how many images there are.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// All images and who wrote them.
    pub fn iter(&self) -> impl Iterator<Item = (&Cell, &ImageRecords)> {
        self.records.iter().map(|(cell, records)| (cell, records.as_ref()))
    }

    /// Returns about how many bytes of memory it holds that an earlier copy does not share.
    pub(crate) fn added_bytes(&self, before: Option<&Images>) -> u64 {
        if before.is_some_and(|before| self.records.ptr_eq(&before.records)) {
            return 0;
        }
        let entry = size_of::<Cell>() + size_of::<Arc<ImageRecords>>();
        let is_shared = |cell: &Cell, records: &Arc<ImageRecords>| {
            before.and_then(|before| before.records.get(cell)).is_some_and(|old| Arc::ptr_eq(records, old))
        };
        let changed = self.records.iter().filter(|(cell, records)| !is_shared(cell, records));
        let own: usize = changed.map(|(_, records)| size_of::<ImageRecords>() + records.heap_bytes()).sum();
        (2 * self.records.len() * entry + own) as u64
    }

    /// Takes up what a call did that has been applied to the model.
    pub(crate) fn follow(&mut self, model: &Model, call: &Call<'_>, told: &mut ImageEvents) {
        if told.events.is_empty() {
            return;
        }
        // What is given back to a trimmed trace says by itself where it belongs.
        let context = match call.command {
            id::afiContents => call.args.first().copied().unwrap_or(0) as u32,
            _ => model.seat(call.thread).context,
        };
        let group = model.context(context).map_or(0, |context| context.group);
        for (image, event) in told.events.drain(..) {
            let cell = Cell::of(group, image);
            if let Some(place) = self.repeated.iter().position(|repeated| repeated.cell == cell) {
                let repeated = &mut self.repeated[place];
                if matches!(&event, Event::Written(write) if *write == repeated.write) {
                    repeated.last = call.number;
                    self.work = self.work.saturating_add(repeated.work);
                    continue;
                }
                let repeated = self.repeated.swap_remove(place);
                self.count(&repeated);
            }
            let visible = self.records.get(&cell).map_or(0, |records| records.writes().len());
            self.work = self.work.saturating_add(EVENT + 2 * visible as u64);
            match event {
                Event::Made(size, combined) => {
                    self.records.insert(cell, Arc::new(ImageRecords::made(call.number, size, combined)));
                }
                Event::Written(write) => {
                    let records = Arc::make_mut(self.records.entry(cell).or_default());
                    records.write(call.number, write);
                    if records.would_repeat(&write) {
                        let work = EVENT + 2 * records.writes().len() as u64;
                        if self.repeated.len() >= MOST_REPEATED {
                            self.settle();
                        }
                        self.repeated.push(Repeated { cell, write, last: call.number, work });
                    }
                }
            }
        }
    }

    /// Enters repeated writes into the records. Until then, these lack the last calls.
    pub(crate) fn settle(&mut self) {
        for repeated in std::mem::take(&mut self.repeated) {
            self.count(&repeated);
        }
    }

    fn count(&mut self, repeated: &Repeated) {
        let counted =
            |records: &Arc<ImageRecords>| records.writes().next_back().is_some_and(|entry| entry.last == repeated.last);
        if !self.records.get(&repeated.cell).is_some_and(counted)
            && let Some(records) = self.records.get_mut(&repeated.cell)
        {
            Arc::make_mut(records).repeat(repeated.last);
        }
    }

    /// Forgets images of objects that are no more.
    pub(crate) fn forget_dead(&mut self, model: &Model) {
        let mut living = BTreeSet::new();
        for (place, group) in model.groups.iter().enumerate() {
            let textures = group.textures.values().chain(group.lingering_textures.values());
            living.extend(textures.chain(&group.default_textures).map(|texture| (place, texture.storage)));
            let renderbuffers = group.renderbuffers.values().chain(group.lingering_renderbuffers.values());
            living.extend(renderbuffers.map(|renderbuffer| (place, renderbuffer.object)));
        }
        let dead: Vec<Cell> = self
            .records
            .keys()
            .filter(|cell| match cell.thing {
                ContentsRef::Image { object, .. } | ContentsRef::Renderbuffer { object } => {
                    !living.contains(&(cell.group, object))
                }
                _ => false,
            })
            .copied()
            .collect();
        for cell in dead {
            self.records.remove(&cell);
        }
    }
}

/// What a call did to images.
#[derive(Default)]
pub(crate) struct ImageEvents {
    events: Vec<(ContentsRef, Event)>,
}

enum Event {
    Made([u32; 2], bool),
    Written(ImageWrite),
}

impl CallObserver for ImageEvents {
    fn wants_accesses(&self) -> bool {
        false
    }

    fn image_made(&mut self, image: ContentsRef, size: [u32; 2], combined: bool) {
        self.events.push((image, Event::Made(size, combined)));
    }

    fn image_written(&mut self, image: ContentsRef, write: ImageWrite) {
        self.events.push((image, Event::Written(write)));
    }
}

#[cfg(test)]
mod tests {
    use state::records::{Aspect, ClearValue, Job, RecordedWrite, Region, Texels};
    use testing::model::CallMemory;

    use super::*;

    /// One of more images than are followed at a time, and what happens to it.
    fn event(noise: u64) -> (ContentsRef, Event) {
        let image = ContentsRef::Renderbuffer { object: noise % (MOST_REPEATED as u64 + 2) };
        let event = match noise >> 8 & 15 {
            0 => Event::Made([8, 8], noise & 1 << 20 != 0),
            1 => Event::Written(ImageWrite::whole(Aspect::All, Texels::Clear(ClearValue::Zero))),
            2 => {
                let region = Region { at: [0; 2], end: [4, 8] };
                Event::Written(ImageWrite { region, aspect: Aspect::All, texels: Texels::Clear(ClearValue::Zero) })
            }
            3 => Event::Written(ImageWrite::whole(Aspect::Depth, Texels::Gpu(Job::Draw))),
            4 => Event::Written(ImageWrite::whole(Aspect::All, Texels::Gpu(Job::Dispatch))),
            _ => Event::Written(ImageWrite::whole(Aspect::All, Texels::Gpu(Job::Draw))),
        };
        (image, event)
    }

    #[test]
    fn repeated_writes_are_in_the_records_whenever_somebody_looks() {
        let (model, memory) = (Model::default(), CallMemory::default());
        let (mut images, mut told, mut plain) = (Images::default(), ImageEvents::default(), OrdMap::new());
        let mut seed = 1_u64;
        for number in 0..20_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Draws come one after the other.
            let noise = if seed >> 60 < 12 { 5 << 8 | seed >> 40 & 1 } else { seed >> 33 };
            let (image, one) = event(noise);
            let records = plain.entry(image).or_insert_with(ImageRecords::default);
            match &one {
                Event::Made(size, combined) => *records = ImageRecords::made(number, *size, *combined),
                Event::Written(write) => records.write(number, *write),
            }
            told.events.push((image, one));
            let (args, result) = (&[][..], Some(0));
            let call =
                Call { number, command: id::glDrawArrays, thread: 0, by_capture: false, args, result, memory: &memory };
            images.follow(&model, &call, &mut told);
            if seed >> 50 & 31 == 0 {
                images.settle();
                let all = |records: &ImageRecords| records.writes().copied().collect::<Vec<RecordedWrite>>();
                let expected: Vec<_> = plain.iter().map(|(image, records)| (*image, all(records))).collect();
                let found: Vec<_> = images.iter().map(|(cell, records)| (cell.thing, all(records))).collect();
                assert_eq!(found, expected, "after call {number}");
            }
        }
    }
}
