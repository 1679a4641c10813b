//! Words of memory.

use lanes::Mask;

use super::step::on;
use super::{Fault, Observer, Wave};
use crate::host::Host;
use crate::ir::{Address, AtomicOp, Register};

impl<const W: usize> Wave<'_, W> {
    /// Slot and byte offset of an address in a lane; no offset if it wraps.
    pub(crate) fn resolve(&self, address: &Address, lane: usize) -> (u32, Option<usize>) {
        let word = |register: Option<Register>| register.map_or(0, |r| self.registers[r.0 as usize][lane]);
        let slot = address.slot.wrapping_add(word(address.slot_index));
        let offset = address.offset.checked_add(word(address.index));
        (slot, offset.map(|offset| offset as usize))
    }

    fn word_at<'h>(&self, address: &Address, lane: usize, host: &'h mut impl Host) -> Option<&'h mut [u8; 4]> {
        let (slot, offset) = self.resolve(address, lane);
        host.buffer(address.space, slot).get_mut(offset?..)?.first_chunk_mut()
    }

    fn missing(&self, address: &Address, lane: usize, host: &mut impl Host, observer: &mut impl Observer<W>) {
        let (slot, offset) = self.resolve(address, lane);
        let bytes = host.buffer(address.space, slot).len();
        observer.fault(self, lane, Fault::Memory { space: address.space, slot, offset, bytes });
    }

    pub(super) fn read(
        &mut self,
        to: Register,
        address: &Address,
        mask: &Mask<W>,
        host: &mut impl Host,
        observer: &mut impl Observer<W>,
    ) {
        let mut value = [0; W];
        for lane in on(mask) {
            match self.word_at(address, lane, host) {
                Some(bytes) => value[lane] = u32::from_le_bytes(*bytes),
                None => self.missing(address, lane, host, observer),
            }
        }
        self.assign(to, &value, mask);
    }

    pub(super) fn write(
        &mut self,
        address: &Address,
        from: Register,
        mask: &Mask<W>,
        host: &mut impl Host,
        observer: &mut impl Observer<W>,
    ) {
        for lane in on(mask) {
            let word = self.registers[from.0 as usize][lane];
            match self.word_at(address, lane, host) {
                Some(bytes) => *bytes = word.to_le_bytes(),
                None => self.missing(address, lane, host, observer),
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one instruction and the world around it")]
    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        to: Register,
        address: &Address,
        operands: [Register; 2],
        mask: &Mask<W>,
        host: &mut impl Host,
        observer: &mut impl Observer<W>,
    ) {
        let mut before = [0; W];
        for lane in on(mask) {
            let [value, compare] = operands.map(|r| self.registers[r.0 as usize][lane]);
            match self.word_at(address, lane, host) {
                Some(bytes) => {
                    before[lane] = u32::from_le_bytes(*bytes);
                    *bytes = op.apply(before[lane], value, compare).to_le_bytes();
                }
                None => self.missing(address, lane, host, observer),
            }
        }
        self.assign(to, &before, mask);
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one instruction and the world around it")]
    pub(super) fn wide_atomic(
        &mut self,
        op: AtomicOp,
        to: Register,
        address: &Address,
        operands: [Register; 2],
        mask: &Mask<W>,
        host: &mut impl Host,
        observer: &mut impl Observer<W>,
    ) {
        let upper = Address { offset: address.offset + 4, ..*address };
        let mut before = [[0; W]; 2];
        for lane in on(mask) {
            let long = |r: Register| {
                let half = |i: u32| u64::from(self.registers[(r.0 + i) as usize][lane]);
                half(0) | half(1) << 32
            };
            let [value, compare] = operands.map(long);
            let halves =
                [address, &upper].map(|at| self.word_at(at, lane, host).map(|bytes| u32::from_le_bytes(*bytes)));
            let [Some(low), Some(high)] = halves else {
                self.missing(address, lane, host, observer);
                continue;
            };
            (before[0][lane], before[1][lane]) = (low, high);
            let after = op.apply_wide(u64::from(low) | u64::from(high) << 32, value, compare);
            for (at, half) in [(address, after as u32), (&upper, (after >> 32) as u32)] {
                if let Some(bytes) = self.word_at(at, lane, host) {
                    *bytes = half.to_le_bytes();
                }
            }
        }
        self.assign(to, &before[0], mask);
        self.assign(Register(to.0 + 1), &before[1], mask);
    }

    pub(super) fn bytes(&mut self, to: Register, address: &Address, mask: &Mask<W>, host: &mut impl Host) {
        let mut value = [0; W];
        for lane in on(mask) {
            let (slot, _) = self.resolve(address, lane);
            value[lane] = u32::try_from(host.buffer(address.space, slot).len()).unwrap_or(u32::MAX);
        }
        self.assign(to, &value, mask);
    }
}
