//! Memory behind pointers that are passed to or returned by a driver.

use std::ffi::{CStr, c_char, c_void};
use std::ops::Range;
use std::sync::OnceLock;

/// Memory that a driver has mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapped {
    address: *mut u8,
    size: usize,
}

impl Mapped {
    /// Wraps `size` bytes at `address` that a driver has mapped.
    ///
    /// # Safety
    /// The bytes must be valid until the buffer is unmapped, and the value must not be used after that.
    #[must_use]
    pub unsafe fn new(address: *mut c_void, size: usize) -> Mapped {
        Mapped { address: address.cast(), size }
    }

    /// Returns their address.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address as u64
    }

    /// Writes bytes; returns false, and writes nothing, if they are not all within the mapping.
    #[must_use]
    pub fn write(&self, offset: usize, bytes: &[u8]) -> bool {
        if offset.checked_add(bytes.len()).is_none_or(|end| end > self.size) {
            return false;
        }
        // SAFETY: the offset is within the mapping.
        let to = unsafe { self.address.add(offset) };
        // SAFETY: the range is within the mapping, which is valid by the contract of `new`, and the bytes do not
        // overlap it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        true
    }

    /// Returns a copy of bytes, or `None` when they are not all within the mapping.
    #[must_use]
    pub fn read(&self, offset: usize, size: usize) -> Option<Vec<u8>> {
        if offset.checked_add(size).is_none_or(|end| end > self.size) {
            return None;
        }
        let mut bytes = vec![0; size];
        // SAFETY: the offset is within the mapping.
        let from = unsafe { self.address.add(offset) };
        // SAFETY: the range is within the mapping, which is valid by the contract of `new`; the vector is as long.
        unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), size) };
        Some(bytes)
    }
}

/// How many bytes from its start a draw may read of a vertex array, and the size of [`zeros`]. They are addresses; memory
/// is taken only where something is written.
pub const REACH: usize = 4 << 30;

/// Size in bytes of [`scratch`].
pub const SCRATCH: usize = 1 << 30;

/// Size in bytes of a page.
const PAGE: usize = 4096;

/// Memory that is allocated on first use, followed by an inaccessible page; unmapped when dropped.
pub struct Region {
    address: *mut c_void,
    size: usize,
    /// Bytes that [`Region::make_writable`] made writable last.
    writable: Range<usize>,
}

impl Region {
    /// Returns a new region; `None` if the system has no memory for it.
    pub fn new(size: usize, protection: i32) -> Option<Region> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let total = size.checked_add(PAGE)?;
        // SAFETY: a new mapping at an address chosen by the kernel overlaps nothing.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), total, libc::PROT_NONE, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return None;
        }
        let region = Region { address, size, writable: 0..0 };
        // SAFETY: the range is the one just mapped, without its last page.
        let changed = unsafe { libc::mprotect(address, size, protection) };
        (changed == 0).then_some(region)
    }

    /// Returns its address.
    pub fn address(&self) -> *mut c_void {
        self.address
    }

    /// Makes the pages of a range of bytes writable; `None` if the range is not within the region, or the system refuses.
    pub fn make_writable(&mut self, from: usize, to: usize) -> Option<()> {
        let from = from / PAGE * PAGE;
        let to = to.checked_next_multiple_of(PAGE).filter(|to| from < *to && *to <= self.size)?;
        if self.writable.contains(&from) && to <= self.writable.end {
            return Some(());
        }
        // SAFETY: the region is that long.
        let start = unsafe { self.address.cast::<u8>().add(from) };
        // SAFETY: the range lies in the region.
        let changed = unsafe { libc::mprotect(start.cast(), to - from, libc::PROT_READ | libc::PROT_WRITE) };
        if changed != 0 {
            return None;
        }
        let touches = from <= self.writable.end && self.writable.start <= to;
        self.writable = if touches && !self.writable.is_empty() {
            self.writable.start.min(from)..self.writable.end.max(to)
        } else {
            from..to
        };
        Some(())
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `new`, and its owner gives out no address that is used after it is dropped.
        unsafe { libc::munmap(self.address, self.size + PAGE) };
    }
}

/// A copy of bytes that ends where an inaccessible page begins, so that whatever accesses more is caught.
pub struct Guarded {
    region: Region,
    size: usize,
}

impl Guarded {
    /// Returns a copy of this size, shortened or filled with zeros; `None` if the system has no memory for it.
    pub fn copy(bytes: &[u8], size: usize) -> Option<Guarded> {
        let room = size.max(1).checked_next_multiple_of(PAGE)?;
        let guarded = Guarded { region: Region::new(room, libc::PROT_READ | libc::PROT_WRITE)?, size };
        // SAFETY: the region is at least as long as the copy, and the caller's slice cannot overlap it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), guarded.address(), bytes.len().min(size)) };
        Some(guarded)
    }

    /// Returns its address.
    pub fn address(&self) -> *mut u8 {
        // SAFETY: the region is at least as long as the copy, which ends with it.
        unsafe { self.region.address().cast::<u8>().add(self.region.size - self.size) }
    }

    /// Copies its bytes to a slice that is not longer.
    pub fn copy_to(&self, bytes: &mut [u8]) {
        let size = bytes.len().min(self.size);
        // SAFETY: the copy has this many bytes, and the slice cannot overlap it.
        unsafe { std::ptr::copy_nonoverlapping(self.address(), bytes.as_mut_ptr(), size) };
    }
}

/// Returns the address of [`REACH`] read-only zeros, followed by an inaccessible page: for pointers whose memory was not
/// recorded. Null if the system has no memory for it.
#[must_use]
pub fn zeros() -> *const c_void {
    static REGION: OnceLock<usize> = OnceLock::new();
    *REGION.get_or_init(|| region(REACH, libc::PROT_READ)) as *const c_void
}

/// Returns the address of 1 GiB that a driver may write to, followed by an inaccessible page: for pointers whose
/// written size was not recorded. Null if the system has no memory for it.
#[must_use]
pub fn scratch() -> *mut c_void {
    static REGION: OnceLock<usize> = OnceLock::new();
    *REGION.get_or_init(|| region(SCRATCH, libc::PROT_READ | libc::PROT_WRITE)) as *mut c_void
}

/// Returns the address of a region that is never unmapped; 0 if the system has no memory for it.
fn region(size: usize, protection: i32) -> usize {
    Region::new(size, protection).map_or(0, |region| std::mem::ManuallyDrop::new(region).address() as usize)
}

/// Returns the string that `glGetString` returned as a word; empty when it returned null.
///
/// # Safety
/// The word must come from `glGetString`, `glGetStringi` or another function that returns null or a NUL-terminated
/// string, and the string must still be valid.
#[must_use]
pub unsafe fn text(word: u64) -> String {
    let address = word as usize as *const c_char;
    if address.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees a NUL-terminated string.
    unsafe { CStr::from_ptr(address) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_memory_has_bounds() {
        let mut bytes = [0u8; 8];
        // SAFETY: the array outlives every use of the value.
        let mapped = unsafe { Mapped::new(bytes.as_mut_ptr().cast(), 8) };
        assert!(mapped.write(4, &[1, 2, 3, 4]));
        assert!(!mapped.write(5, &[1, 2, 3, 4]));
        assert!(!mapped.write(usize::MAX, &[1, 2]));
        assert_eq!(mapped.read(3, 3).as_deref(), Some(&[0, 1, 2][..]));
        assert_eq!(mapped.read(8, 1), None);
    }

    #[test]
    fn guarded_bytes_end_at_a_page() {
        let guarded = Guarded::copy(b"12345", 7).unwrap();
        assert_eq!((guarded.address() as usize + 7) % PAGE, 0);
        let mut back = [9; 7];
        guarded.copy_to(&mut back);
        assert_eq!(&back, b"12345\0\0");
        let empty = Guarded::copy(b"12345", 0).unwrap();
        assert_eq!(empty.address() as usize % PAGE, 0);
    }

    #[test]
    fn zeros_are_zero() {
        let zeros = zeros().cast::<u8>();
        // SAFETY: the region is readable for its whole length.
        let last = unsafe { zeros.add(REACH - 1) };
        // SAFETY: as above.
        assert_eq!(unsafe { last.read() }, 0);
    }
}
