//! A page of memory shared by two processes: a worker reports its progress there, which its parent can read even after
//! the worker has crashed.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Size in bytes of a page; it holds [`WORDS`] words.
const SIZE: usize = 4096;

/// Number of words of a [`Page`].
const WORDS: usize = SIZE / 8;

/// Words that two processes share. Each is stored and loaded atomically, without any ordering.
pub struct Page {
    words: NonNull<[AtomicU64; WORDS]>,
    file: File,
}

// SAFETY: the page owns the mapping until it is dropped, on whichever thread that is, and it holds only atomics.
unsafe impl Send for Page {}
// SAFETY: all access through a shared reference is to atomics, or to the descriptor by single system calls.
unsafe impl Sync for Page {}

impl Page {
    /// Creates a page of zeros.
    ///
    /// # Errors
    /// When the system has no memory to share.
    pub fn create() -> io::Result<Page> {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: the name is a NUL-terminated literal.
        let fd = unsafe { libc::memfd_create(c"afterimage-progress".as_ptr(), flags) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and has no other owner.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let file = File::from(fd);
        file.set_len(SIZE as u64)?;
        // A process that made it shorter would kill the other, which reads it.
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: the descriptor is ours and open, and F_ADD_SEALS takes a number.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Page::map(file)
    }

    /// Opens a page that another process has created.
    ///
    /// # Errors
    /// When the file is not a page.
    pub fn open(file: File) -> io::Result<Page> {
        if file.metadata()?.len() < SIZE as u64 {
            return Err(io::Error::other("the descriptor does not refer to a progress page"));
        }
        Page::map(file)
    }

    /// Stores a word; indices beyond the page are ignored.
    pub fn store(&self, index: usize, value: u64) {
        if let Some(word) = self.words().get(index) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Loads a word; indices beyond the page read as 0.
    #[must_use]
    pub fn load(&self, index: usize) -> u64 {
        self.words().get(index).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    /// Returns all words.
    #[must_use]
    pub fn words(&self) -> &[AtomicU64; WORDS] {
        // SAFETY: the mapping is as long as the array and lives as long as `self`; atomics may change concurrently.
        unsafe { self.words.as_ref() }
    }

    fn map(file: File) -> io::Result<Page> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address chosen by the kernel overlaps nothing.
        let address =
            unsafe { libc::mmap(std::ptr::null_mut(), SIZE, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let words = NonNull::new(address.cast()).ok_or_else(|| io::Error::other("mapped at address 0"))?;
        Ok(Page { words, file })
    }
}

impl AsFd for Page {
    /// Returns the descriptor by which another process can open the page.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map` with this size, and no reference into it outlives `self`.
        unsafe { libc::munmap(self.words.as_ptr().cast(), SIZE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_see_the_same_words() {
        let page = Page::create().unwrap();
        let other = Page::open(page.file.try_clone().unwrap()).unwrap();
        page.store(3, 77);
        assert_eq!(other.load(3), 77);
        assert_eq!(other.load(WORDS), 0);
    }

    #[test]
    fn the_other_end_cannot_take_the_page_away() {
        let page = Page::create().unwrap();
        assert!(page.file.set_len(0).is_err());
        assert_eq!(page.load(0), 0);
    }

    #[test]
    fn another_file_is_rejected() {
        assert!(Page::open(File::open("/dev/null").unwrap()).is_err());
    }
}
