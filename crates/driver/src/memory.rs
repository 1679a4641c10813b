//! Memory behind pointers that are passed to or returned by a driver.

use std::ffi::{CStr, c_char, c_void};
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

    /// Returns the number of mapped bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
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

/// Size in bytes of [`zeros`].
const ZEROS: usize = 64 << 20;

/// Size in bytes of [`scratch`].
const SCRATCH: usize = 1 << 30;

/// Returns the address of 64 MiB of read-only zeros, followed by an inaccessible page: for pointers whose memory was
/// not recorded. Null if the system has no memory for it.
#[must_use]
pub fn zeros() -> *const c_void {
    static REGION: OnceLock<usize> = OnceLock::new();
    *REGION.get_or_init(|| region(ZEROS, libc::PROT_READ)) as *const c_void
}

/// Returns the address of 1 GiB that a driver may write to, followed by an inaccessible page: for pointers whose
/// written size was not recorded. Null if the system has no memory for it.
#[must_use]
pub fn scratch() -> *mut c_void {
    static REGION: OnceLock<usize> = OnceLock::new();
    *REGION.get_or_init(|| region(SCRATCH, libc::PROT_READ | libc::PROT_WRITE)) as *mut c_void
}

/// Reserves memory that is allocated on first use, and an inaccessible page after it.
fn region(size: usize, protection: i32) -> usize {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address chosen by the kernel overlaps nothing.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), size + 4096, libc::PROT_NONE, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return 0;
    }
    // SAFETY: the range is the one just mapped, without its last page.
    let changed = unsafe { libc::mprotect(address, size, protection) };
    if changed == 0 { address as usize } else { 0 }
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
    fn zeros_are_zero() {
        let zeros = zeros().cast::<u8>();
        // SAFETY: the region is readable for its whole length.
        let last = unsafe { zeros.add(ZEROS - 1) };
        // SAFETY: as above.
        assert_eq!(unsafe { last.read() }, 0);
    }
}
