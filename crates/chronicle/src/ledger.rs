//! Every write to every image and buffer of a trace, none forgotten: what a history is looked up in.
//!
//! [`crate::Images`] keeps of an image what can still be seen, for one moment. A history asks the other way round: who
//! wrote to this texel, or tried to, before that call. For this all writes are kept, image by image, in the order of the
//! trace; a write is a few dozen bytes, and a trace has about as many as it has draws.

use std::collections::BTreeMap;

use api::CommandId;
use state::records::{Aspect, Texels};
use state::{CallObserver, ContentsRef, ImageWrite, Model, Region, Source};
use trace::{Call, ReadError, Reader};

use crate::ChronicleError;
use crate::call::{each_call, with_call};
use crate::graph::Cell;

/// Calls between two looks at whether the caller still wants a ledger.
const PART: u64 = 10_000;

/// Writes that a trace may have.
const MAX_WRITES: usize = 1 << 22;

/// A write to an image.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// The call.
    pub call: u64,
    /// The command.
    pub command: CommandId,
    /// What it writes.
    pub write: ImageWrite,
}

/// A write to bytes of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes {
    /// The call.
    pub call: u64,
    /// The command.
    pub command: CommandId,
    /// The first byte.
    pub from: u64,
    /// The first byte after them.
    pub to: u64,
    /// Where they come from.
    pub source: Source,
}

/// All writes of a trace to images and buffers.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    images: BTreeMap<Cell, Vec<Entry>>,
    buffers: BTreeMap<Cell, Vec<Bytes>>,
    /// How many writes there are.
    count: usize,
}

impl Ledger {
    /// Walks through a trace, up to but not including the call `end`. Calls `proceed` now and then with the number of a
    /// call; returns `None` when that returned false.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn build(
        reader: &Reader,
        end: u64,
        proceed: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<Ledger>, ChronicleError> {
        let (mut ledger, mut model) = (Ledger::default(), Model::default());
        let mut asked = 0;
        let walked = each_call(&mut reader.calls(), end, |call| {
            if call.number >= asked {
                if !proceed(call.number) {
                    return Err(Ended::Stopped);
                }
                asked = call.number.saturating_add(PART);
            }
            Ok(ledger.add(reader, call, &mut model)?)
        });
        match walked {
            Ok(()) => Ok(Some(ledger)),
            Err(Ended::Stopped) => Ok(None),
            Err(Ended::Failed(error)) => Err(error),
        }
    }

    /// Adds the writes of a call.
    fn add(&mut self, reader: &Reader, call: &Call<'_>, model: &mut Model) -> Result<(), ChronicleError> {
        with_call(reader, call, |call| {
            let mut told = CallWrites::default();
            model.apply(call, Some(&mut told));
            if told.images.is_empty() && told.buffers.is_empty() {
                return;
            }
            let group = model.context(model.seat(call.thread).context).map_or(0, |context| context.group);
            self.count += told.images.len() + told.buffers.len();
            for (image, write) in told.images {
                let entry = Entry { call: call.number, command: call.command, write };
                self.images.entry(Cell::of(group, image)).or_default().push(entry);
            }
            for (buffer, from, to, source) in told.buffers {
                let bytes = Bytes { call: call.number, command: call.command, from, to, source };
                self.buffers.entry(Cell::of(group, buffer)).or_default().push(bytes);
            }
        });
        ChronicleError::check(model)?;
        ChronicleError::limit("writes to images and buffers", self.count, MAX_WRITES, call.number)
    }

    /// Returns the calls that wrote to a rectangle of an image, or tried to, before the call `end`: newest first, up to and
    /// with the first that leaves nothing of what was there.
    #[must_use]
    pub fn writers(&self, image: &Cell, region: Region, aspect: Aspect, end: u64) -> Vec<Entry> {
        let entries = self.images.get(image).map_or(&[][..], Vec::as_slice);
        let before = entries.partition_point(|entry| entry.call < end);
        let mut found = Vec::new();
        for entry in entries[..before].iter().rev() {
            if entry.write.region.meet(&region).is_none() || !entry.write.aspect.meets(aspect) {
                continue;
            }
            found.push(*entry);
            if entry.write.hides(&region, aspect) {
                break;
            }
        }
        found
    }

    /// The last who wrote to a texel of an image, or tried to, before the call `end`.
    #[must_use]
    pub fn last_writer(&self, image: &Cell, at: [u32; 2], aspect: Aspect, end: u64) -> Option<Entry> {
        self.last_in(image, Region { at, end: at.map(|place| place.saturating_add(1)) }, aspect, end)
    }

    /// The last who wrote to a rectangle of an image, or tried to, before the call `end`.
    #[must_use]
    pub fn last_in(&self, image: &Cell, region: Region, aspect: Aspect, end: u64) -> Option<Entry> {
        let entries = self.images.get(image)?;
        let before = entries.partition_point(|entry| entry.call < end);
        let meets = |entry: &&Entry| entry.write.region.meet(&region).is_some() && entry.write.aspect.meets(aspect);
        entries[..before].iter().rev().find(meets).copied()
    }

    /// The first who wrote to a rectangle of an image after a call, or tried to.
    #[must_use]
    pub fn next_in(&self, image: &Cell, region: Region, aspect: Aspect, call: u64) -> Option<Entry> {
        let entries = self.images.get(image)?;
        let after = entries.partition_point(|entry| entry.call <= call);
        let meets = |entry: &&Entry| entry.write.region.meet(&region).is_some() && entry.write.aspect.meets(aspect);
        entries[after..].iter().find(meets).copied()
    }

    /// Returns the last call before `end` that wrote to any of these images: their contents are unchanged since.
    #[must_use]
    pub fn version(&self, object: u64, group: usize, end: u64) -> u64 {
        let first = Cell { group, thing: ContentsRef::Image { object, level: 0, layer: 0 } };
        let last = Cell { group, thing: ContentsRef::Image { object, level: u32::MAX, layer: u32::MAX } };
        let newest = |entries: &Vec<Entry>| {
            let before = entries.partition_point(|entry| entry.call < end);
            entries[..before].last().map_or(0, |entry| entry.call)
        };
        self.images.range(first..=last).map(|(_, entries)| newest(entries)).max().unwrap_or(0)
    }

    /// Returns the calls that wrote to bytes of a buffer before the call `end`: newest first, up to and with the first that
    /// leaves nothing of what was there.
    #[must_use]
    pub fn byte_writers(&self, buffer: &Cell, from: u64, to: u64, end: u64) -> Vec<Bytes> {
        let entries = self.buffers.get(buffer).map_or(&[][..], Vec::as_slice);
        let before = entries.partition_point(|entry| entry.call < end);
        let mut found = Vec::new();
        for entry in entries[..before].iter().rev().filter(|entry| entry.from < to && from < entry.to) {
            found.push(*entry);
            if entry.from <= from && to <= entry.to && entry.source != Source::Gpu {
                break;
            }
        }
        found
    }
}

/// Why a walk through a trace ended before its end.
enum Ended {
    /// It was told to.
    Stopped,
    Failed(ChronicleError),
}

impl From<ChronicleError> for Ended {
    fn from(error: ChronicleError) -> Ended {
        Ended::Failed(error)
    }
}

impl From<ReadError> for Ended {
    fn from(error: ReadError) -> Ended {
        Ended::Failed(error.into())
    }
}

/// What one call writes.
#[derive(Default)]
struct CallWrites {
    images: Vec<(ContentsRef, ImageWrite)>,
    buffers: Vec<(ContentsRef, u64, u64, Source)>,
}

impl CallObserver for CallWrites {
    fn image_made(&mut self, image: ContentsRef, size: [u32; 2], _: bool) {
        let write = ImageWrite { region: Region::whole(size), aspect: Aspect::All, texels: Texels::Undefined };
        self.images.push((image, write));
    }

    fn image_written(&mut self, image: ContentsRef, write: ImageWrite) {
        self.images.push((image, write));
    }

    fn writes(&mut self, thing: ContentsRef, source: Source) {
        if let ContentsRef::Buffer { from, to, .. } = thing {
            self.buffers.push((thing, from, to, source));
        }
    }
}
