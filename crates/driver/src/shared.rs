//! A page of memory that two processes see: where a worker says what it is doing, so that whoever waits for it knows
//! even when it has crashed.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a page; it holds [`WORDS`] words.
const SIZE: usize = 4096;

/// How many words a [`Page`] has.
const WORDS: usize = SIZE / 8;

/// Words that two processes share. They are stored and loaded whole and in no particular order.
pub struct Page {
    words: NonNull<[AtomicU64; WORDS]>,
    file: File,
}

// SAFETY: the mapping belongs to the page alone until it is dropped, on whichever thread that is, and holds atomics only.
unsafe impl Send for Page {}
// SAFETY: all access through a shared reference is to atomics, or to the descriptor by single system calls.
unsafe impl Sync for Page {}

impl Page {
    /// A new page, all zero.
    ///
    /// # Errors
    /// When the system has no memory to share.
    pub fn create() -> io::Result<Page> {
        // SAFETY: the name is a zero-terminated literal.
        let fd = unsafe { libc::memfd_create(c"afterimage-progress".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made and nobody else owns it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        let file = File::from(fd);
        file.set_len(SIZE as u64)?;
        Page::map(file)
    }

    /// The page behind a descriptor that the process inherited; it is owned by the page from now on.
    ///
    /// # Errors
    /// When the descriptor is none, or not of a page.
    pub fn inherited(descriptor: RawFd) -> io::Result<Page> {
        // SAFETY: fcntl with F_GETFD only looks.
        if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is open, as was just seen, and by contract of the command line that names it nobody
        // else in this process uses it.
        let fd = unsafe { OwnedFd::from_raw_fd(descriptor) };
        let file = File::from(fd);
        if file.metadata()?.len() < SIZE as u64 {
            return Err(io::Error::other("the descriptor is not that of a progress page"));
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

    /// Stores a word; places beyond the page are ignored.
    pub fn store(&self, place: usize, value: u64) {
        if let Some(word) = self.words().get(place) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Loads a word; places beyond the page read as 0.
    #[must_use]
    pub fn load(&self, place: usize) -> u64 {
        self.words().get(place).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    /// All words.
    #[must_use]
    pub fn words(&self) -> &[AtomicU64; WORDS] {
        // SAFETY: the mapping is as long as the array, lives as long as `self`, and atomics may change under us.
        unsafe { self.words.as_ref() }
    }

    fn map(file: File) -> io::Result<Page> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing that exists.
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
    fn a_descriptor_of_something_else_is_refused() {
        let file = File::open("/dev/null").unwrap();
        assert!(Page::inherited(file.into_raw_fd()).is_err());
        assert!(Page::inherited(-1).is_err());
    }
}
