//! Accesses to memory.

use lanes::Mask;

use super::super::{Fault, Observer, WaveState};
use super::step::on;
use crate::host::Host;
use crate::ir::{Access, Address, AtomicOp, Base, Pointer, Register, Space, Width};

impl<const W: usize> WaveState<W> {
    pub(super) fn read(
        &mut self,
        access: Access,
        to: Register,
        address: &Address,
        mask: &Mask<W>,
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
    ) {
        if !is_word_of_buffer(access.width, address) {
            return self.read_any(access, to, address, mask, host, observer);
        }
        let mut value = [0; W];
        for lane in on(mask) {
            match self.word_at(address, lane, host) {
                Some(bytes) => value[lane] = u32::from_le_bytes(*bytes),
                None => self.missing(address, lane, host, observer),
            }
        }
        self.assign(to, &value, mask);
    }

    /// Reads any width from any space.
    #[inline(never)]
    fn read_any(
        &mut self,
        access: Access,
        to: Register,
        address: &Address,
        mask: &Mask<W>,
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
    ) {
        let mut value = [0; W];
        for lane in on(mask) {
            match self.load(access.width, address, lane, host) {
                Some(bits) => value[lane] = extended(access, bits),
                None => self.missing(address, lane, host, observer),
            }
        }
        if access.width == Width::W64 {
            self.assign_wide(to, &value, mask);
        } else {
            self.assign(to, &value.map(|bits| bits as u32), mask);
        }
    }

    pub(super) fn write(
        &mut self,
        width: Width,
        address: &Address,
        from: Register,
        mask: &Mask<W>,
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
    ) {
        let is_word = is_word_of_buffer(width, address) && address.space != Space::Uniform;
        for lane in on(mask) {
            let done = if is_word {
                let word = self.registers[from.0 as usize][lane];
                self.word_at(address, lane, host).map(|bytes| *bytes = word.to_le_bytes())
            } else {
                let bits = self.long(from, lane, width);
                self.save(width, address, lane, bits, host)
            };
            if done.is_none() {
                self.missing(address, lane, host, observer);
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
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
    ) {
        let mut before = [0; W];
        let is_word = is_word_of_buffer(Width::W32, address) && address.space != Space::Uniform;
        for lane in on(mask) {
            let [value, compare] = operands.map(|r| self.registers[r.0 as usize][lane]);
            let old = if is_word {
                self.word_at(address, lane, host).map(|bytes| {
                    let old = u32::from_le_bytes(*bytes);
                    *bytes = op.apply(old, value, compare).to_le_bytes();
                    old
                })
            } else {
                self.load(Width::W32, address, lane, host).and_then(|bits| {
                    let after = op.apply(bits as u32, value, compare);
                    self.save(Width::W32, address, lane, u64::from(after), host)?;
                    Some(bits as u32)
                })
            };
            match old {
                Some(word) => before[lane] = word,
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
        host: &mut dyn Host,
        observer: &mut dyn Observer<W>,
    ) {
        let mut before = [0; W];
        for lane in on(mask) {
            let [value, compare] = operands.map(|register| self.long(register, lane, Width::W64));
            let old = self.load(Width::W64, address, lane, host).and_then(|bits| {
                self.save(Width::W64, address, lane, op.apply_wide(bits, value, compare), host)?;
                Some(bits)
            });
            match old {
                Some(bits) => before[lane] = bits,
                None => self.missing(address, lane, host, observer),
            }
        }
        self.assign_wide(to, &before, mask);
    }

    pub(super) fn bytes(&mut self, to: Register, address: &Address, mask: &Mask<W>, host: &mut dyn Host) {
        let mut value = [0; W];
        for lane in on(mask) {
            let bytes = match self.resolve(address, lane) {
                Some(at) => self.size(at.space, at.slot, host),
                None => 0,
            };
            value[lane] = u32::try_from(bytes).unwrap_or(u32::MAX);
        }
        self.assign(to, &value, mask);
    }

    pub(super) fn pointer_to(&mut self, to: Register, address: &Address, mask: &Mask<W>) {
        let pointer = |lane: usize| {
            let at = self.resolve(address, lane)?;
            Some(Pointer { space: at.space, slot: at.slot, offset: at.offset? }.to_bits())
        };
        // An address that cannot be expressed points to nothing, like zero.
        let value = std::array::from_fn(|lane| pointer(lane).unwrap_or(0));
        self.assign_wide(to, &value, mask);
    }

    /// Returns the word of a buffer that an address leads to; see [`is_word_of_buffer`].
    #[inline]
    fn word_at<'h>(&self, address: &Address, lane: usize, host: &'h mut dyn Host) -> Option<&'h mut [u8; 4]> {
        let at = self.resolve(address, lane)?;
        host.buffer(at.space, at.slot).get_mut(at.offset? as usize..)?.first_chunk_mut()
    }

    /// Returns the bits that memory holds, extended by zeros; `None` outside of it.
    fn load(&self, width: Width, address: &Address, lane: usize, host: &mut dyn Host) -> Option<u64> {
        let at = self.resolve(address, lane)?;
        let (start, len) = (at.offset? as usize, width.bytes() as usize);
        if at.space == Space::Private {
            self.private_end(start, len)?;
            let byte = |at: usize| u64::from(self.private[at / 4][lane] >> (8 * (at % 4)) & 0xff);
            return Some((0..len).fold(0, |bits, i| bits | byte(start + i) << (8 * i)));
        }
        let mut bytes = [0; 8];
        bytes[..len].copy_from_slice(host.buffer(at.space, at.slot).get(start..)?.get(..len)?);
        Some(u64::from_le_bytes(bytes))
    }

    /// Writes the low bits of a value to memory; `None` if there is none, or it is only read.
    fn save(&mut self, width: Width, address: &Address, lane: usize, bits: u64, host: &mut dyn Host) -> Option<()> {
        let at = self.resolve(address, lane)?;
        let (start, len) = (at.offset? as usize, width.bytes() as usize);
        match at.space {
            Space::Uniform => return None,
            Space::Private => {
                self.private_end(start, len)?;
                for i in 0..len {
                    let (word, shift) = (&mut self.private[(start + i) / 4][lane], 8 * ((start + i) % 4));
                    *word = *word & !(0xff << shift) | ((bits >> (8 * i) & 0xff) as u32) << shift;
                }
            }
            _ => {
                let to = host.buffer(at.space, at.slot).get_mut(start..)?.get_mut(..len)?;
                to.copy_from_slice(&bits.to_le_bytes()[..len]);
            }
        }
        Some(())
    }

    /// Returns the end of a range of private memory; `None` if there is less.
    fn private_end(&self, start: usize, len: usize) -> Option<usize> {
        start.checked_add(len).filter(|end| *end <= self.program.private_bytes as usize)
    }

    /// Returns the size of a buffer.
    fn size(&self, space: Space, slot: u32, host: &mut dyn Host) -> usize {
        match space {
            Space::Private => self.program.private_bytes as usize,
            _ => host.buffer(space, slot).len(),
        }
    }

    /// Returns the value of one or two registers.
    fn long(&self, register: Register, lane: usize, width: Width) -> u64 {
        let half = |i: u32| u64::from(self.registers[(register.0 + i) as usize][lane]);
        if width == Width::W64 { half(0) | half(1) << 32 } else { half(0) }
    }

    #[cold]
    fn missing(&self, address: &Address, lane: usize, host: &mut dyn Host, observer: &mut dyn Observer<W>) {
        let fault = match self.resolve(address, lane) {
            Some(at) => Fault::Memory {
                space: at.space,
                slot: at.slot,
                offset: at.offset.map(|offset| offset as usize),
                bytes: self.size(at.space, at.slot, host),
            },
            None => Fault::Pointer,
        };
        observer.fault(self, lane, fault);
    }
}

/// Returns whether an access is to 32 bits of a buffer known by its slot, which is the most common one by far.
#[inline(always)]
fn is_word_of_buffer(width: Width, address: &Address) -> bool {
    width == Width::W32 && address.space != Space::Private && matches!(address.base, Base::Slot(..))
}

/// Returns what a register holds after bits were read.
fn extended(access: Access, bits: u64) -> u64 {
    match (access.width, access.signed) {
        (Width::W8, true) => u64::from(i32::from(bits as i8) as u32),
        (Width::W16, true) => u64::from(i32::from(bits as i16) as u32),
        _ => bits,
    }
}
