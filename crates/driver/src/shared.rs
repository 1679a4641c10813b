//! A page of memory shared by two processes: a worker reports its progress there, which its parent can read even after
//! the worker has crashed.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
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
        // SAFETY: the name is a NUL-terminated literal.
        let fd = unsafe { libc::memfd_create(c"afterimage-progress".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and has no other owner.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let file = File::from(fd);
        file.set_len(SIZE as u64)?;
        Page::map(file)
    }

    /// Opens the page behind a descriptor that the process inherited, and takes ownership of the descriptor.
    ///
    /// # Errors
    /// When the descriptor is not open, or not of a page.
    pub fn inherited(descriptor: RawFd) -> io::Result<Page> {
        // SAFETY: fcntl with F_GETFD has no side effects.
        if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is open, as checked above, and by contract of the command line that names it it has no
        // other user in this process.
        let fd = unsafe { OwnedFd::from_raw_fd(descriptor) };
        let file = File::from(fd);
        if file.metadata()?.len() < SIZE as u64 {
            return Err(io::Error::other("the descriptor does not refer to a progress page"));
        }
        Page::map(file)
    }

    /// Returns the descriptor by which a child process finds the page, if it may inherit it.
    #[must_use]
    pub fn descriptor(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// Sets whether processes that are started from now on inherit the page.
    ///
    /// # Errors
    /// When the descriptor cannot be changed.
    pub fn set_inherited(&self, inherited: bool) -> io::Result<()> {
        let flags = if inherited { 0 } else { libc::FD_CLOEXEC };
        // SAFETY: the descriptor is ours and open, and F_SETFD takes a number.
        let done = unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_SETFD, flags) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
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

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map` with this size, and no reference into it outlives `self`.
        unsafe { libc::munmap(self.words.as_ptr().cast(), SIZE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::IntoRawFd;

    #[test]
    fn both_ends_see_the_same_words() {
        let page = Page::create().unwrap();
        let other = Page::inherited(page.file.try_clone().unwrap().into_raw_fd()).unwrap();
        page.store(3, 77);
        assert_eq!(other.load(3), 77);
        assert_eq!(other.load(WORDS), 0);
    }

    #[test]
    fn a_descriptor_of_another_file_is_rejected() {
        let file = File::open("/dev/null").unwrap();
        assert!(Page::inherited(file.into_raw_fd()).is_err());
        assert!(Page::inherited(-1).is_err());
    }
}
