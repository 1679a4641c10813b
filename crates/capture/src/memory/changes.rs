//! Which bytes of a piece of memory differ from a copy made earlier.
//!
//! Memory that a map of a buffer gave to the program may change while it is looked at: everything here goes through
//! raw pointers, and a byte that changes under our eyes counts as changed or not, as it would for the driver.

/// Bytes that `memcmp` is asked about at once: large enough for its vector loop, small enough that a change does not
/// make much to look at word by word.
const BLOCK: usize = 1024;

/// Calls `found(offset, size)` for every range of `new` that differs from `old`, in ascending order. Ranges with at
/// most `gap` equal bytes between them are reported as one; with a gap of 0 they are exact to the byte.
///
/// # Safety
/// Both pointers are valid for reads of `size` bytes.
pub unsafe fn changed(old: *const u8, new: *const u8, size: usize, gap: usize, mut found: impl FnMut(usize, usize)) {
    let mut pending: Option<(usize, usize)> = None;
    let mut note = |start: usize, end: usize, pending: &mut Option<(usize, usize)>| match pending {
        Some((_, last)) if start - *last <= gap => *last = end,
        _ => {
            if let Some((from, to)) = pending.replace((start, end)) {
                found(from, to - from);
            }
        }
    };
    let mut at = 0;
    while at < size {
        let block = BLOCK.min(size - at);
        // SAFETY: `at + block <= size`, and the caller says that `old` is readable to there.
        let left = unsafe { old.add(at) };
        // SAFETY: as above, for `new`.
        let right = unsafe { new.add(at) };
        // SAFETY: both are readable for `block` bytes.
        if unsafe { libc::memcmp(left.cast(), right.cast(), block) } != 0 {
            // SAFETY: both are readable for `block` bytes.
            unsafe { inside(left, right, block, |start, end| note(at + start, at + end, &mut pending)) };
        }
        at += block;
    }
    if let Some((from, to)) = pending {
        found(from, to - from);
    }
}

/// The differing runs of a block, exact to the byte.
///
/// # Safety
/// Both pointers are valid for reads of `size` bytes.
unsafe fn inside(left: *const u8, right: *const u8, size: usize, mut run: impl FnMut(usize, usize)) {
    let mut at = 0;
    let mut open: Option<usize> = None;
    while at < size {
        if size - at >= 8 {
            // SAFETY: eight bytes from `at` on lie within `size`.
            let old = unsafe { word(left, at) };
            // SAFETY: as above.
            let new = unsafe { word(right, at) };
            let difference = old ^ new;
            if difference == 0 {
                if let Some(start) = open.take() {
                    run(start, at);
                }
                at += 8;
                continue;
            }
            if open.is_some() && difference.to_le_bytes().iter().all(|byte| *byte != 0) {
                at += 8;
                continue;
            }
        }
        for index in at..size.min(at + 8) {
            // SAFETY: `index < size`.
            let old = unsafe { byte(left, index) };
            // SAFETY: as above.
            let new = unsafe { byte(right, index) };
            match (old != new, open) {
                (true, None) => open = Some(index),
                (false, Some(start)) => {
                    run(start, index);
                    open = None;
                }
                _ => {}
            }
        }
        at += 8;
    }
    if let Some(start) = open {
        run(start, size);
    }
}

/// # Safety
/// `pointer` is valid for reads of `at + 8` bytes.
unsafe fn word(pointer: *const u8, at: usize) -> u64 {
    // SAFETY: the caller's promise.
    let place = unsafe { pointer.add(at) };
    // SAFETY: the caller's promise; no alignment is needed.
    u64::from_le(unsafe { place.cast::<u64>().read_unaligned() })
}

/// # Safety
/// `pointer` is valid for reads of `at + 1` bytes.
unsafe fn byte(pointer: *const u8, at: usize) -> u8 {
    // SAFETY: the caller's promise.
    let place = unsafe { pointer.add(at) };
    // SAFETY: the caller's promise.
    unsafe { place.read_volatile() }
}

#[cfg(test)]
mod tests {
    use super::changed;

    fn ranges(old: &[u8], new: &[u8], gap: usize) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        // SAFETY: both slices have as many bytes as said.
        unsafe { changed(old.as_ptr(), new.as_ptr(), old.len().min(new.len()), gap, |at, size| all.push((at, size))) };
        all
    }

    #[test]
    fn nothing_changed() {
        assert_eq!(ranges(&[7; 5000], &[7; 5000], 0), []);
        assert_eq!(ranges(&[], &[], 0), []);
    }

    #[test]
    fn single_bytes_at_every_place() {
        let old = vec![0_u8; 2100];
        for at in 0..old.len() {
            let mut new = old.clone();
            new[at] = 1;
            assert_eq!(ranges(&old, &new, 0), [(at, 1)], "byte {at}");
        }
    }

    #[test]
    fn runs_cross_words_and_blocks() {
        let old = vec![0_u8; 4096];
        let mut new = old.clone();
        new[1000..1100].fill(3);
        new[3..21].fill(9);
        assert_eq!(ranges(&old, &new, 0), [(3, 18), (1000, 100)]);
    }

    #[test]
    fn gaps_are_merged_as_asked() {
        let old = vec![0_u8; 4096];
        let mut new = old.clone();
        new[10] = 1;
        new[20] = 1;
        new[2000] = 1;
        assert_eq!(ranges(&old, &new, 8), [(10, 1), (20, 1), (2000, 1)]);
        assert_eq!(ranges(&old, &new, 9), [(10, 11), (2000, 1)]);
        assert_eq!(ranges(&old, &new, 4096), [(10, 1991)]);
    }

    #[test]
    fn agrees_with_looking_at_every_byte() {
        let mut seed = 12345_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize
        };
        for _ in 0..200 {
            let size = random() % 3000;
            let old: Vec<u8> = (0..size).map(|_| (random() % 2) as u8).collect();
            let mut new = old.clone();
            for _ in 0..random() % 20 {
                if size > 0 {
                    let at = random() % size;
                    let end = (at + random() % 40).min(size);
                    new[at..end].fill((random() % 2) as u8);
                }
            }
            let mut expected = Vec::new();
            let mut at = 0;
            while at < size {
                if old[at] == new[at] {
                    at += 1;
                    continue;
                }
                let start = at;
                while at < size && old[at] != new[at] {
                    at += 1;
                }
                expected.push((start, at - start));
            }
            assert_eq!(ranges(&old, &new, 0), expected);
        }
    }
}
