//! Memory that GL accesses after the call that was given its address: vertex arrays, feedback and selection.
//!
//! GL says nowhere that it will not use such memory any more: an array stays specified until it is specified again, and a
//! refused call leaves the old one. So memory that was handed to GL once stays where it is as long as there is a context
//! that may use it. It may be overwritten with what other arrays hold, which is wrong vertices at worst.
//!
//! A trace says where the vertices of an array begin and which of them are drawn, and neither need be true. So each
//! array has [`REACH`] bytes of the address space to itself, in which everything that was not kept reads as zeros, and
//! `draws` lets no draw reach further.

use api::call::KeptMemory;

use crate::memory::{REACH, Region};

/// Zeros behind what is kept: vertices are fetched in vectors, the last one too.
const SLACK: usize = 64;

/// The most slots. Each takes up to four of the mappings that the kernel allows a process, of which there are 65,530.
const MOST_SLOTS: usize = 1 << 12;

/// Memory in slots that stay where they are.
#[derive(Default)]
pub struct Arena {
    slots: Vec<Slot>,
}

struct Slot {
    region: Region,
    /// Bytes from its start to the end of what is kept.
    size: usize,
}

impl Arena {
    /// Copies bytes to a slot, or to a new one if there is none, `skipped` bytes behind its start. Returns the slot;
    /// `None` if there is no memory or no address for it.
    pub fn keep(&mut self, slot: Option<KeptMemory>, bytes: &[u8], skipped: u64) -> Option<KeptMemory> {
        let skipped = usize::try_from(skipped).ok()?;
        let end = skipped.checked_add(bytes.len())?;
        let writable = end.checked_add(SLACK).filter(|end| *end <= REACH)?;
        let place = match slot.map(|slot| slot.0 as usize).filter(|place| *place < self.slots.len()) {
            Some(place) => place,
            None if self.slots.len() == MOST_SLOTS => return None,
            None => {
                self.slots.push(Slot { region: Region::new(REACH, libc::PROT_READ)?, size: 0 });
                self.slots.len() - 1
            }
        };
        let Slot { region, size } = &mut self.slots[place];
        region.make_writable(skipped, writable)?;
        // SAFETY: the region has that many bytes.
        let start = unsafe { region.address().cast::<u8>().add(skipped) };
        // SAFETY: the range is writable; it belongs to the arena, so the caller's slice cannot overlap it, and GL reads it
        // during calls only, which need the screen that this is part of.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
        // SAFETY: the region has that many bytes.
        let slack = unsafe { start.add(bytes.len()) };
        // SAFETY: the slack is writable as well.
        unsafe { std::ptr::write_bytes(slack, 0, SLACK) };
        *size = end;
        Some(KeptMemory(u32::try_from(place).ok()?))
    }

    /// Returns where kept memory is.
    pub fn address(&self, memory: KeptMemory) -> Option<u64> {
        self.slots.get(memory.0 as usize).map(|slot| slot.region.address() as u64)
    }

    /// Returns how many bytes are kept, including those that were skipped; 0 if there is no such memory.
    pub fn size(&self, memory: KeptMemory) -> usize {
        self.slots.get(memory.0 as usize).map_or(0, |slot| slot.size)
    }

    /// Returns a copy of the first bytes of kept memory.
    pub fn read(&self, memory: KeptMemory, size: usize) -> Option<Vec<u8>> {
        let slot = self.slots.get(memory.0 as usize).filter(|slot| size <= slot.size)?;
        let mut bytes = vec![0; size];
        // SAFETY: the region is readable and at least as long as what is kept in it, and the vector is as long as what is
        // copied.
        unsafe { std::ptr::copy_nonoverlapping(slot.region.address().cast(), bytes.as_mut_ptr(), size) };
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_bytes_stay_where_they_are() {
        let mut arena = Arena::default();
        let first = arena.keep(None, b"one", 0).unwrap();
        let second = arena.keep(None, &[7; 1000], 0).unwrap();
        let address = arena.address(first);
        assert_eq!(arena.keep(Some(first), b"other", 0), Some(first));
        assert_eq!(arena.read(first, 5).as_deref(), Some(&b"other"[..]));
        assert_eq!(arena.read(first, 6), None);
        assert_eq!(arena.read(second, 1000), Some(vec![7; 1000]));
        arena.keep(Some(first), &[1; 500_000], 0).unwrap();
        assert_eq!(arena.address(first), address);
        assert_eq!(arena.address(KeptMemory(9)), None);
    }

    #[test]
    fn what_is_skipped_reads_as_zeros() {
        let mut arena = Arena::default();
        let kept = arena.keep(None, b"far", 1_000_000).unwrap();
        let bytes = arena.read(kept, 1_000_003).unwrap();
        assert!(bytes[..1_000_000].iter().all(|byte| *byte == 0));
        assert_eq!(&bytes[1_000_000..], b"far");
        // Nothing can be kept outside of the slot.
        assert_eq!(arena.keep(Some(kept), b"x", REACH as u64), None);
        assert_eq!(arena.keep(Some(kept), b"x", u64::MAX), None);
    }

    #[test]
    fn slots_that_do_not_exist_are_made() {
        let mut arena = Arena::default();
        assert_eq!(arena.keep(Some(KeptMemory(7)), b"x", 0), Some(KeptMemory(0)));
    }

    #[test]
    fn the_number_of_slots_has_a_limit() {
        let mut arena = Arena::default();
        let kept = (0..=MOST_SLOTS).filter(|_| arena.keep(None, b"x", 5000).is_some()).count();
        assert_eq!(kept, MOST_SLOTS);
    }
}
