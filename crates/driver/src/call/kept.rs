//! Memory that GL accesses after the call that was given its address: vertex arrays, feedback and selection.
//!
//! GL says nowhere that it will not use such memory any more: an array stays specified until it is specified again, and a
//! refused call leaves the old one. So memory that was handed to GL once is not given back to the system as long as there
//! is a context that may use it. It may be overwritten with what other arrays hold, which is wrong vertices at worst.

use api::call::KeptMemory;

use crate::memory::Region;

/// Bytes that the system is asked for at once. They take no room until they are used.
const CHUNK: usize = 64 << 20;

/// Zeros behind what is kept: vertices are fetched in vectors, the last one too.
const SLACK: usize = 64;

/// Sizes of blocks are powers of two from this on, which is more than any alignment that drivers assume.
const SMALLEST: usize = 128;

/// Memory in blocks that stay where they are.
#[derive(Default)]
pub struct Arena {
    chunks: Vec<Region>,
    /// Bytes used of the last chunk.
    used: usize,
    slots: Vec<Slot>,
    /// Blocks that no slot has any more, with their sizes.
    free: Vec<(*mut u8, usize)>,
}

struct Slot {
    block: *mut u8,
    /// Bytes of the block.
    room: usize,
    /// Bytes that are kept in it.
    size: usize,
}

impl Arena {
    /// Copies bytes to the block of a slot, or to a new one if there is none or it is too small.
    pub fn keep(&mut self, slot: Option<KeptMemory>, bytes: &[u8]) -> Option<KeptMemory> {
        let room = (bytes.len().checked_add(SLACK)?).checked_next_power_of_two()?.max(SMALLEST);
        let place = slot.map(|slot| slot.0 as usize).filter(|place| *place < self.slots.len());
        let fits = place.is_some_and(|place| self.slots[place].room >= room);
        if !fits {
            let block = self.block(room)?;
            if let Some(place) = place {
                let old = std::mem::replace(&mut self.slots[place], Slot { block, room, size: 0 });
                self.free.push((old.block, old.room));
            } else {
                self.slots.push(Slot { block, room, size: 0 });
            }
        }
        let place = place.unwrap_or(self.slots.len() - 1);
        let Slot { block, size, .. } = &mut self.slots[place];
        *size = bytes.len();
        // SAFETY: the block has room for the bytes and for the slack; it belongs to the arena, so the caller's slice cannot
        // overlap it, and GL reads it during calls only, which need the screen that this is part of.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), *block, bytes.len()) };
        // SAFETY: the room behind the bytes is at least as long as the slack.
        let slack = unsafe { block.add(bytes.len()) };
        // SAFETY: as above.
        unsafe { std::ptr::write_bytes(slack, 0, SLACK) };
        Some(KeptMemory(u32::try_from(place).ok()?))
    }

    /// Returns where kept memory is.
    pub fn address(&self, memory: KeptMemory) -> Option<u64> {
        self.slots.get(memory.0 as usize).map(|slot| slot.block as u64)
    }

    /// Returns how many bytes are kept; 0 if there is no such memory.
    pub fn size(&self, memory: KeptMemory) -> usize {
        self.slots.get(memory.0 as usize).map_or(0, |slot| slot.size)
    }

    /// Returns a copy of the first bytes of kept memory.
    pub fn read(&self, memory: KeptMemory, size: usize) -> Option<Vec<u8>> {
        let slot = self.slots.get(memory.0 as usize).filter(|slot| size <= slot.size)?;
        let mut bytes = vec![0; size];
        // SAFETY: the block is at least as long as what is kept in it, and the vector is as long as what is copied.
        unsafe { std::ptr::copy_nonoverlapping(slot.block, bytes.as_mut_ptr(), size) };
        Some(bytes)
    }

    /// A block of a size that is a power of two.
    fn block(&mut self, size: usize) -> Option<*mut u8> {
        if let Some(at) = self.free.iter().position(|(_, room)| *room == size) {
            return Some(self.free.swap_remove(at).0);
        }
        let left = self.chunks.last().map_or(0, |chunk| chunk.size() - self.used);
        if left < size {
            self.chunks.push(Region::new(size.max(CHUNK), libc::PROT_READ | libc::PROT_WRITE)?);
            self.used = 0;
        }
        let chunk = self.chunks.last()?;
        // SAFETY: the chunk has that many bytes left.
        let block = unsafe { chunk.address().cast::<u8>().add(self.used) };
        self.used += size;
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_bytes_stay_where_they_are_until_they_grow() {
        let mut arena = Arena::default();
        let first = arena.keep(None, b"one").unwrap();
        let second = arena.keep(None, &[7; 1000]).unwrap();
        let address = arena.address(first);
        assert_eq!(arena.keep(Some(first), b"other"), Some(first));
        assert_eq!(arena.address(first), address);
        assert_eq!(arena.read(first, 5).as_deref(), Some(&b"other"[..]));
        assert_eq!(arena.read(first, 6), None);
        assert_eq!(arena.read(second, 1000), Some(vec![7; 1000]));
        arena.keep(Some(first), &[1; 5000]).unwrap();
        assert_ne!(arena.address(first), address);
        // The old block serves the next slot.
        let third = arena.keep(None, b"three").unwrap();
        assert_eq!(arena.address(third), address);
        assert_eq!(arena.address(KeptMemory(9)), None);
    }

    #[test]
    fn slots_that_do_not_exist_are_made() {
        let mut arena = Arena::default();
        assert_eq!(arena.keep(Some(KeptMemory(7)), b"x"), Some(KeptMemory(0)));
    }
}
