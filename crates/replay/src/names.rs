//! Maps recorded object names to those of this driver.

use std::collections::HashMap;

/// Recorded names below this are looked up in an array.
const DENSE: u32 = 1 << 16;

/// The first name for objects whose name was never generated, when another object has their recorded name here. No driver
/// generates names this large.
const FRESH: u32 = 0x4000_0000;

const UNMAPPED: u32 = u32::MAX;

/// Names of one namespace, in one context or in one share group.
#[derive(Default)]
pub struct NameMap {
    dense: Vec<u32>,
    sparse: HashMap<u32, u32>,
    /// Recorded names by the driver's.
    owners: HashMap<u32, u32>,
    fresh: u32,
}

impl NameMap {
    /// Returns the driver's name for a recorded one; `None` if it has not been used yet.
    pub fn get(&self, recorded: u32) -> Option<u32> {
        if recorded < DENSE {
            self.dense.get(recorded as usize).copied().filter(|&real| real != UNMAPPED)
        } else {
            self.sparse.get(&recorded).copied()
        }
    }

    /// Returns the driver's name for a recorded one. A name that was never generated is used unchanged (compatibility contexts
    /// create objects by binding any number), unless another object has that name here.
    #[inline]
    pub fn real(&mut self, recorded: u32) -> u32 {
        match self.dense.get(recorded as usize) {
            Some(&real) if real != UNMAPPED => real,
            _ if recorded == 0 => 0,
            _ => self.get(recorded).unwrap_or_else(|| self.adopt(recorded)),
        }
    }

    /// Returns the driver's name for a recorded one; for a new one, a number that no other object has here.
    pub fn known(&self, recorded: u32) -> u32 {
        self.get(recorded).unwrap_or(if self.owners.contains_key(&recorded) { FRESH } else { recorded })
    }

    /// Records that the driver's name `real` belongs to the recorded name `recorded`.
    pub fn insert(&mut self, recorded: u32, real: u32) {
        if recorded == 0 || real == 0 {
            return;
        }
        if let Some(before) = self.get(recorded).filter(|&before| before != real)
            && self.owners.get(&before) == Some(&recorded)
        {
            self.owners.remove(&before);
        }
        if let Some(previous) = self.owners.insert(real, recorded).filter(|&previous| previous != recorded) {
            self.forget(previous);
        }
        if recorded < DENSE {
            let place = recorded as usize;
            if self.dense.len() <= place {
                self.dense.resize(place + 1, UNMAPPED);
            }
            self.dense[place] = real;
        } else {
            self.sparse.insert(recorded, real);
        }
    }

    /// Records that an object was deleted.
    pub fn remove(&mut self, recorded: u32) {
        if let Some(real) = self.get(recorded) {
            if self.owners.get(&real) == Some(&recorded) {
                self.owners.remove(&real);
            }
            self.forget(recorded);
        }
    }

    fn forget(&mut self, recorded: u32) {
        if recorded < DENSE {
            if let Some(place) = self.dense.get_mut(recorded as usize) {
                *place = UNMAPPED;
            }
        } else {
            self.sparse.remove(&recorded);
        }
    }

    fn adopt(&mut self, recorded: u32) -> u32 {
        let mut real = recorded;
        if self.owners.contains_key(&recorded) {
            self.fresh = self.fresh.max(FRESH) + 1;
            real = self.fresh;
        }
        self.insert(recorded, real);
        real
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_are_mapped_and_others_taken_as_they_are() {
        let mut map = NameMap::default();
        map.insert(1, 7);
        assert_eq!((map.real(0), map.real(1), map.real(5), map.real(70_000)), (0, 7, 5, 70_000));
    }

    #[test]
    fn a_number_that_is_taken_is_not_taken_again() {
        let mut map = NameMap::default();
        map.insert(1, 7);
        assert_eq!(map.real(7), FRESH + 1);
        assert_eq!(map.real(7), FRESH + 1);
    }

    #[test]
    fn the_driver_may_give_out_a_number_again() {
        let mut map = NameMap::default();
        map.insert(1, 7);
        map.remove(1);
        map.insert(2, 7);
        assert_eq!((map.get(1), map.get(2)), (None, Some(7)));
        assert_eq!((map.known(2), map.known(5), map.known(7)), (7, 5, FRESH));
        // An invalid name was used unchanged, and then the driver generated it for another object.
        assert_eq!(map.real(9), 9);
        map.insert(3, 9);
        assert_eq!((map.get(9), map.get(3)), (None, Some(9)));
        // A name is generated again without having been deleted, as after a lost call.
        map.insert(3, 12);
        assert_eq!(map.real(9), 9);
    }
}
