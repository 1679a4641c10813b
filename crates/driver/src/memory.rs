//! Memory behind pointers that go to a driver or come from one.

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

/// Memory that a driver has mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapped {
    address: *mut u8,
    size: usize,
}

impl Mapped {
    /// Takes a driver's word for it that there are `size` bytes at `address`.
    ///
    /// # Safety
    /// There must be, until the buffer is unmapped, and nobody may use the value after that.
    #[must_use]
    pub unsafe fn new(address: *mut c_void, size: usize) -> Mapped {
        Mapped { address: address.cast(), size }
    }

    /// Where they are.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address as u64
    }

    /// Writes bytes; says whether they are all within what is mapped.
    #[must_use]
    pub fn write(&self, offset: usize, bytes: &[u8]) -> bool {
        if offset.checked_add(bytes.len()).is_none_or(|end| end > self.size) {
            return false;
        }
        // SAFETY: the offset is within the mapping.
        let to = unsafe { self.address.add(offset) };
        // SAFETY: the range is within the mapping, as whoever made this value promised, and the bytes are not the
        // driver's.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        true
    }

    /// A copy of bytes; nothing when they are not all within what is mapped.
    #[must_use]
    pub fn read(&self, offset: usize, size: usize) -> Option<Vec<u8>> {
        if offset.checked_add(size).is_none_or(|end| end > self.size) {
            return None;
        }
        let mut bytes = vec![0; size];
        // SAFETY: the offset is within the mapping.
        let from = unsafe { self.address.add(offset) };
        // SAFETY: the range is within the mapping, as whoever made this value promised; the vector is as long.
        unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), size) };
        Some(bytes)
    }
}

/// Bytes of [`zeros`].
const ZEROS: usize = 64 << 20;

/// Bytes of [`scratch`].
const SCRATCH: usize = 1 << 30;

/// Bytes after a region that nothing can access.
const WALL: usize = 4096;

/// Memory that takes no room until it is used, with a page after it that nothing can access. It is given back to the system
/// when this is dropped.
pub struct Region {
    address: *mut c_void,
    size: usize,
}

impl Region {
    /// Returns a new region; `None` if the system has no room for it.
    pub fn new(size: usize, protection: i32) -> Option<Region> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let total = size.checked_add(WALL)?;
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing that exists.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), total, libc::PROT_NONE, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return None;
        }
        let region = Region { address, size };
        // SAFETY: the range is the one just mapped, less its last page.
        let changed = unsafe { libc::mprotect(address, size, protection) };
        (changed == 0).then_some(region)
    }

    /// Returns where it is.
    pub fn address(&self) -> *mut c_void {
        self.address
    }

    /// Returns how many bytes it has.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `new`, and its owner gives out no address that is used after it is dropped.
        unsafe { libc::munmap(self.address, self.size + WALL) };
    }
}

/// The address of 64 MiB of zeros, of which nothing can be changed, and after which nothing can be read: for pointers
/// of whose memory a recording has nothing. Null if the system has no room for it.
#[must_use]
pub fn zeros() -> *const c_void {
    static REGION: OnceLock<usize> = OnceLock::new();
    *REGION.get_or_init(|| region(ZEROS, libc::PROT_READ)) as *const c_void
}

/// The address of 1 GiB that a driver may write to, after which nothing can be written: for pointers of which a
/// recording does not say how much was written. Null if the system has no room for it.
#[must_use]
pub fn scratch() -> *mut c_void {
    static REGION: OnceLock<usize> = OnceLock::new();
    *REGION.get_or_init(|| region(SCRATCH, libc::PROT_READ | libc::PROT_WRITE)) as *mut c_void
}

/// The address of a region that is never given back; 0 if there is no room for it.
fn region(size: usize, protection: i32) -> usize {
    Region::new(size, protection).map_or(0, |region| std::mem::ManuallyDrop::new(region).address() as usize)
}

/// The text that `glGetString` returned as a word; empty when it returned null.
///
/// # Safety
/// The word must be what `glGetString`, `glGetStringi` or another function returned that answers with null or with a
/// text that ends with a zero and is still there.
#[must_use]
pub unsafe fn text(word: u64) -> String {
    let address = word as usize as *const c_char;
    if address.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises a text that ends with a zero.
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
