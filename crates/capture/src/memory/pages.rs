//! Shadow memory that tracks which of its pages were written.
//!
//! Where the kernel supports it (Linux 6.7 and later), pages are write-protected through `userfaultfd` in its
//! asynchronous mode: the kernel itself lifts the protection at the first write and remembers it, and one `ioctl` on
//! `/proc/self/pagemap` reports those pages and protects them again. No signal is involved, and the kernel may write
//! there too (`read(2)`). Elsewhere every page counts as written, and a comparison finds the changes.

use std::ptr::NonNull;
use std::sync::OnceLock;

/// Size of a page on every supported machine.
pub const PAGE: usize = 4096;

/// Written ranges reported by one request to the kernel.
const REGIONS: usize = 64;

/// Anonymous memory of a whole number of pages.
#[derive(Debug)]
pub struct Pages {
    start: NonNull<u8>,
    size: usize,
    tracked: bool,
}

// SAFETY: the memory has a single owner, which synchronises every access to it.
unsafe impl Send for Pages {}

impl Pages {
    /// Allocates at least `size` zeroed bytes, not yet tracked.
    pub fn new(size: usize) -> Option<Pages> {
        let size = size.max(1).checked_next_multiple_of(PAGE)?;
        // SAFETY: an anonymous mapping at an address chosen by the kernel overlaps nothing.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        // A huge page would be reported as written as a whole.
        // SAFETY: the range is the mapping made above; the advice changes no contents.
        unsafe { libc::madvise(start, size, libc::MADV_NOHUGEPAGE) };
        Some(Pages { start: NonNull::new(start.cast())?, size, tracked: false })
    }

    /// Returns the address of the memory.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Starts tracking. Earlier writes are not reported. Returns whether the kernel supports it; otherwise
    /// [`Pages::written`] always reports everything.
    pub fn track(&mut self) -> bool {
        let Some(kernel) = Kernel::get() else { return false };
        self.tracked = kernel.register(self.start() as u64, self.size as u64);
        self.tracked
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns whether the kernel tracks writes.
    pub fn is_tracked(&self) -> bool {
        self.tracked
    }

    /// Calls `found(offset, size)` for ranges of pages that were written since the last call.
    pub fn written(&mut self, mut found: impl FnMut(usize, usize)) {
        if self.tracked {
            let base = self.start() as u64;
            let scanned = Kernel::get().is_some_and(|kernel| {
                kernel.scan(base, base + self.size as u64, |start, end| {
                    found((start - base) as usize, (end - start) as usize);
                })
            });
            if scanned {
                return;
            }
            // The program has closed capture's descriptors, or the kernel stopped supporting it.
            self.tracked = false;
        }
        found(0, self.size);
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // Unmapping ends the registration as well.
        // SAFETY: the mapping was made by `new` with this size, and is not used after its owner.
        unsafe { libc::munmap(self.start().cast(), self.size) };
    }
}

/// The two descriptors that tracking needs.
struct Kernel {
    fault: i32,
    pagemap: i32,
    /// Device and inode of both, to detect a descriptor that the program closed and whose number was reused.
    identity: [(u64, u64); 2],
}

static KERNEL: OnceLock<Option<Kernel>> = OnceLock::new();

const UFFDIO_API: libc::c_ulong = 0xc018_aa3f;
const UFFDIO_REGISTER: libc::c_ulong = 0xc020_aa00;
const UFFDIO_WRITEPROTECT: libc::c_ulong = 0xc018_aa06;
const PAGEMAP_SCAN: libc::c_ulong = 0xc060_6610;
const UFFD_USER_MODE_ONLY: libc::c_int = 1;
const FEATURE_WP_UNPOPULATED: u64 = 1 << 13;
const FEATURE_WP_ASYNC: u64 = 1 << 15;
const REGISTER_MODE_WP: u64 = 1 << 1;
const WRITEPROTECT_MODE_WP: u64 = 1;
const SCAN_WP_MATCHING: u64 = 1;
const SCAN_CHECK_WPASYNC: u64 = 2;
const PAGE_IS_WRITTEN: u64 = 1 << 1;

/// `struct pm_scan_arg` of `linux/fs.h`.
#[repr(C)]
#[derive(Default)]
struct ScanArg {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// `struct page_region` of `linux/fs.h`.
#[repr(C)]
#[derive(Default, Clone, Copy)]
struct PageRegion {
    start: u64,
    end: u64,
    categories: u64,
}

impl Kernel {
    fn get() -> Option<&'static Kernel> {
        KERNEL.get_or_init(Kernel::open).as_ref()
    }

    fn open() -> Option<Kernel> {
        let flags = libc::O_CLOEXEC | libc::O_NONBLOCK;
        // SAFETY: the system call takes flags and returns a descriptor.
        let mut fault = unsafe { libc::syscall(libc::SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY) } as i32;
        if fault < 0 {
            // SAFETY: as above.
            fault = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) } as i32;
        }
        if fault < 0 {
            return None;
        }
        // SAFETY: the path is a terminated string.
        let pagemap = unsafe { libc::open(c"/proc/self/pagemap".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        let mut api = [0xaa_u64, FEATURE_WP_UNPOPULATED | FEATURE_WP_ASYNC, 0];
        // SAFETY: the request takes a structure of three 64-bit words.
        let agreed = pagemap >= 0 && unsafe { libc::ioctl(fault, UFFDIO_API, api.as_mut_ptr()) } == 0;
        let identity = [identity(fault), identity(pagemap)];
        match (agreed, identity) {
            (true, [Some(first), Some(second)]) => Some(Kernel { fault, pagemap, identity: [first, second] }),
            _ => {
                for descriptor in [fault, pagemap] {
                    if descriptor >= 0 {
                        // SAFETY: it was opened above and has no other owner.
                        unsafe { libc::close(descriptor) };
                    }
                }
                None
            }
        }
    }

    fn ours(&self) -> bool {
        identity(self.fault) == Some(self.identity[0]) && identity(self.pagemap) == Some(self.identity[1])
    }

    fn register(&self, start: u64, size: u64) -> bool {
        if !self.ours() {
            return false;
        }
        let mut register = [start, size, REGISTER_MODE_WP, 0];
        // SAFETY: the request takes a structure of four 64-bit words, and the range is the caller's own mapping.
        if unsafe { libc::ioctl(self.fault, UFFDIO_REGISTER, register.as_mut_ptr()) } != 0 {
            return false;
        }
        let mut protect = [start, size, WRITEPROTECT_MODE_WP];
        // SAFETY: the request takes a structure of three 64-bit words; the kernel lifts this protection itself.
        unsafe { libc::ioctl(self.fault, UFFDIO_WRITEPROTECT, protect.as_mut_ptr()) == 0 }
    }

    /// Reports the written pages of a range and protects them again; returns false when the kernel cannot do it. It
    /// cannot when the program has closed one of the descriptors: another file does not support the request, and memory
    /// without a `userfaultfd` is rejected.
    fn scan(&self, start: u64, end: u64, mut found: impl FnMut(u64, u64)) -> bool {
        let mut regions = [PageRegion::default(); REGIONS];
        let mut from = start;
        while from < end {
            let mut arg = ScanArg {
                size: size_of::<ScanArg>() as u64,
                flags: SCAN_WP_MATCHING | SCAN_CHECK_WPASYNC,
                start: from,
                end,
                vec: regions.as_mut_ptr() as u64,
                vec_len: REGIONS as u64,
                category_mask: PAGE_IS_WRITTEN,
                return_mask: PAGE_IS_WRITTEN,
                ..ScanArg::default()
            };
            // SAFETY: the structure is the kernel's, and `vec` has room for as many regions as it states.
            let count = unsafe { libc::ioctl(self.pagemap, PAGEMAP_SCAN, &raw mut arg) };
            let Ok(count) = usize::try_from(count) else { return false };
            for region in regions.iter().take(count) {
                found(region.start, region.end);
            }
            if arg.walk_end <= from {
                return false;
            }
            from = arg.walk_end;
        }
        true
    }
}

/// Returns the number of page faults of the process that needed no disk access. The first write to a tracked page is
/// one, so as long as the number does not change, nothing was written.
pub fn faults() -> i64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the structure is large enough for what the call writes.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    // SAFETY: all bytes were zero before, and the call may have written them.
    unsafe { usage.assume_init() }.ru_minflt
}

/// Returns device and inode of a descriptor.
fn identity(descriptor: i32) -> Option<(u64, u64)> {
    let mut status = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: the structure is large enough for what the call writes.
    let result = unsafe { libc::fstat(descriptor, status.as_mut_ptr()) };
    if result != 0 {
        return None;
    }
    // SAFETY: the call succeeded, and all bytes were zero before.
    let status = unsafe { status.assume_init() };
    Some((status.st_dev, status.st_ino))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails may panic")]
mod tests {
    use super::{PAGE, Pages};
    use std::io::Read;

    fn written(pages: &mut Pages) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        pages.written(|at, size| all.push((at / PAGE, size / PAGE)));
        all
    }

    fn write(pages: &Pages, at: usize) {
        // SAFETY: the tests stay within the size that they allocated.
        let place = unsafe { pages.start().add(at) };
        // SAFETY: as above.
        unsafe { place.write_volatile(1) };
    }

    #[test]
    fn written_pages_are_reported_once() {
        let mut pages = Pages::new(1 << 20).unwrap();
        write(&pages, 5);
        if !pages.track() {
            assert_eq!(written(&mut pages), [(0, 256)], "without kernel support everything counts as written");
            return;
        }
        assert_eq!(written(&mut pages), []);
        write(&pages, 3 * PAGE + 7);
        write(&pages, 4 * PAGE);
        write(&pages, 200 * PAGE + 9);
        assert_eq!(written(&mut pages), [(3, 2), (200, 1)]);
        assert_eq!(written(&mut pages), []);
        write(&pages, 3 * PAGE);
        assert_eq!(written(&mut pages), [(3, 1)]);
    }

    #[test]
    fn more_regions_than_one_request_returns() {
        let mut pages = Pages::new(512 * PAGE).unwrap();
        let tracked = pages.track();
        for page in (0..512).step_by(2) {
            write(&pages, page * PAGE);
        }
        let found = written(&mut pages);
        if tracked {
            assert_eq!(found, (0..512).step_by(2).map(|page| (page, 1)).collect::<Vec<_>>());
        } else {
            assert_eq!(found, [(0, 512)]);
        }
    }

    #[test]
    fn writes_to_tracked_pages_are_faults() {
        let mut pages = Pages::new(8 * PAGE).unwrap();
        write(&pages, 0);
        if pages.track() {
            let before = super::faults();
            write(&pages, 0);
            assert!(super::faults() > before);
        }
    }

    #[test]
    fn the_kernel_may_write_there() {
        let mut pages = Pages::new(8 * PAGE).unwrap();
        let tracked = pages.track();
        let mut source = std::fs::File::open("/dev/zero").unwrap();
        // SAFETY: two bytes on either side of a page's end lie within the mapping.
        let place = unsafe { pages.start().add(2 * PAGE - 2) };
        // SAFETY: as above, and nothing else accesses this memory.
        let slice = unsafe { std::slice::from_raw_parts_mut(place, 4) };
        source.read_exact(slice).unwrap();
        let found = written(&mut pages);
        assert_eq!(found, if tracked { vec![(1, 2)] } else { vec![(0, 8)] });
    }
}
