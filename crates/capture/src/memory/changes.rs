//! Finds the bytes that differ from an earlier copy of memory.
//!
//! Memory that is mapped for the program may change while it is compared: all accesses go through raw pointers, and a
//! byte that changes concurrently counts as changed or not, as it would for the driver.

/// Bytes compared by one `memcmp`: large enough for its vector loop, small enough that a change leaves few words to
/// compare individually.
const BLOCK: usize = 1024;

/// Bytes compared at a time when ranges need not be exact.
const CHUNK: usize = 64;

/// Calls `found(offset, size)` for every range of `new` that differs from `old`, in ascending order. Ranges are exact
/// to the byte.
///
/// # Safety
/// Both pointers are valid for reads of `size` bytes.
pub unsafe fn changed(old: *const u8, new: *const u8, size: usize, mut found: impl FnMut(usize, usize)) {
    let mut pending: Option<(usize, usize)> = None;
    let mut note = |start: usize, end: usize, pending: &mut Option<(usize, usize)>| match pending {
        Some((_, last)) if start == *last => *last = end,
        _ => {
            if let Some((from, to)) = pending.replace((start, end)) {
                found(from, to - from);
            }
        }
    };
    let mut at = 0;
    while at < size {
        let block = BLOCK.min(size - at);
        // SAFETY: `at + block <= size`, and the caller guarantees that both are readable up to there.
        if unsafe { differs(old, new, at, block) } {
            let (left, right) = (old.wrapping_add(at), new.wrapping_add(at));
            // SAFETY: both are readable for `block` bytes.
            unsafe { inside(left, right, block, |start, end| note(at + start, at + end, &mut pending)) };
        }
        at += block;
    }
    if let Some((from, to)) = pending {
        found(from, to - from);
    }
}

/// Like [`changed`], but ranges with a small gap between them are reported as one: start and end are exact, and no
/// range has many more than `gap` equal bytes in a row.
///
/// # Safety
/// Both pointers are valid for reads of `size` bytes.
pub unsafe fn roughly_changed(
    old: *const u8,
    new: *const u8,
    size: usize,
    gap: usize,
    mut found: impl FnMut(usize, usize),
) {
    let mut report = |from: usize, to: usize| {
        let (mut from, mut to) = (from, to);
        // SAFETY: all of this lies within `size`; both end chunks contain a difference.
        while from < to && unsafe { !differs(old, new, from, 1) } {
            from += 1;
        }
        // SAFETY: as above.
        while from < to && unsafe { !differs(old, new, to - 1, 1) } {
            to -= 1;
        }
        if from < to {
            found(from, to - from);
        }
    };
    let mut pending: Option<(usize, usize)> = None;
    let mut at = 0;
    while at < size {
        if pending.is_none_or(|(_, end)| at - end > gap) {
            if let Some((from, to)) = pending.take() {
                report(from, to);
            }
            // No range is open: continue in large steps.
            let block = BLOCK.min(size - at);
            // SAFETY: `at + block <= size`.
            if unsafe { !differs(old, new, at, block) } {
                at += block;
                continue;
            }
        }
        let end = size.min(at + BLOCK);
        while at < end {
            let chunk = CHUNK.min(size - at);
            // SAFETY: `at + chunk <= size`.
            if unsafe { chunk_differs(old, new, at, chunk) } {
                pending = Some((pending.map_or(at, |(from, _)| from), at + chunk));
            } else if pending.is_some_and(|(_, end)| at - end > gap) {
                break;
            }
            at += chunk;
        }
    }
    if let Some((from, to)) = pending {
        report(from, to);
    }
}

/// Returns whether a range differs.
///
/// # Safety
/// Both pointers are valid for reads of `at + size` bytes.
unsafe fn differs(old: *const u8, new: *const u8, at: usize, size: usize) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { libc::memcmp(old.wrapping_add(at).cast(), new.wrapping_add(at).cast(), size) != 0 }
}

/// Returns whether a chunk differs; full chunks are compared inline.
///
/// # Safety
/// Both pointers are valid for reads of `at + size` bytes.
#[inline]
unsafe fn chunk_differs(old: *const u8, new: *const u8, at: usize, size: usize) -> bool {
    if size < CHUNK {
        // SAFETY: guaranteed by the caller.
        return unsafe { differs(old, new, at, size) };
    }
    // SAFETY: guaranteed by the caller; no alignment is needed.
    let left = unsafe { old.wrapping_add(at).cast::<[u64; CHUNK / 8]>().read_unaligned() };
    // SAFETY: as above.
    let right = unsafe { new.wrapping_add(at).cast::<[u64; CHUNK / 8]>().read_unaligned() };
    left.iter().zip(right).fold(0, |all, (left, right)| all | (left ^ right)) != 0
}

/// Finds the differing runs of a block, exact to the byte.
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
    // SAFETY: guaranteed by the caller.
    let place = unsafe { pointer.add(at) };
    // SAFETY: guaranteed by the caller; no alignment is needed.
    u64::from_le(unsafe { place.cast::<u64>().read_unaligned() })
}

/// # Safety
/// `pointer` is valid for reads of `at + 1` bytes.
unsafe fn byte(pointer: *const u8, at: usize) -> u8 {
    // SAFETY: guaranteed by the caller.
    let place = unsafe { pointer.add(at) };
    // SAFETY: guaranteed by the caller.
    unsafe { place.read_volatile() }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, changed, roughly_changed};

    fn ranges(old: &[u8], new: &[u8]) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        // SAFETY: both slices have this length.
        unsafe { changed(old.as_ptr(), new.as_ptr(), old.len().min(new.len()), |at, size| all.push((at, size))) };
        all
    }

    fn rough_ranges(old: &[u8], new: &[u8], gap: usize) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        let size = old.len().min(new.len());
        // SAFETY: both slices have this length.
        unsafe { roughly_changed(old.as_ptr(), new.as_ptr(), size, gap, |at, size| all.push((at, size))) };
        all
    }

    #[test]
    fn nothing_changed() {
        assert_eq!(ranges(&[7; 5000], &[7; 5000]), []);
        assert_eq!(ranges(&[], &[]), []);
        assert_eq!(rough_ranges(&[7; 5000], &[7; 5000], 96), []);
        assert_eq!(rough_ranges(&[], &[], 96), []);
    }

    #[test]
    fn single_bytes_at_every_position() {
        let old = vec![0_u8; 2100];
        for at in 0..old.len() {
            let mut new = old.clone();
            new[at] = 1;
            assert_eq!(ranges(&old, &new), [(at, 1)], "byte {at}");
            assert_eq!(rough_ranges(&old, &new, 96), [(at, 1)], "byte {at}");
        }
    }

    #[test]
    fn runs_cross_words_and_blocks() {
        let old = vec![0_u8; 4096];
        let mut new = old.clone();
        new[1000..1100].fill(3);
        new[3..21].fill(9);
        assert_eq!(ranges(&old, &new), [(3, 18), (1000, 100)]);
        assert_eq!(rough_ranges(&old, &new, 96), [(3, 18), (1000, 100)]);
    }

    #[test]
    fn small_gaps_are_bridged() {
        let old = vec![0_u8; 4096];
        let mut new = old.clone();
        new[10] = 1;
        new[20] = 1;
        new[2000] = 1;
        assert_eq!(ranges(&old, &new), [(10, 1), (20, 1), (2000, 1)]);
        assert_eq!(rough_ranges(&old, &new, 96), [(10, 11), (2000, 1)]);
        assert_eq!(rough_ranges(&old, &new, 4096), [(10, 1991)]);
    }

    #[test]
    fn agrees_with_a_bytewise_comparison() {
        let mut random = testing::random::Random::new(1);
        let mut random = || random.word() as usize;
        for _ in 0..400 {
            let size = random() % 9000;
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
            assert_eq!(ranges(&old, &new), expected);

            let gap = 96;
            let rough = rough_ranges(&old, &new, gap);
            let mut patched = old.clone();
            for &(at, size) in &rough {
                patched[at..at + size].copy_from_slice(&new[at..at + size]);
                assert!(old[at] != new[at] && old[at + size - 1] != new[at + size - 1], "ends are exact");
                let equal = (at..at + size).collect::<Vec<_>>();
                let longest = equal.split(|at| old[*at] != new[*at]).map(<[usize]>::len).max().unwrap_or(0);
                assert!(longest < gap + 3 * CHUNK, "{longest} equal bytes in a range");
            }
            assert_eq!(patched, new);
            assert!(rough.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0));
        }
    }
}
