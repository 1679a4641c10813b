//! Which vertices a list of indices refers to.

use api::constant as c;

/// The smallest and the largest index of a list, if it has any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The smallest.
    pub least: u32,
    /// The largest.
    pub most: u32,
}

impl Span {
    /// What covers both.
    pub fn join(self, other: Span) -> Span {
        Span { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// Bytes of an index, or nothing when this is no type of indices.
pub fn size(kind: u32) -> Option<usize> {
    match kind {
        c::GL_UNSIGNED_BYTE => Some(1),
        c::GL_UNSIGNED_SHORT => Some(2),
        c::GL_UNSIGNED_INT => Some(4),
        _ => None,
    }
}

/// The span of `count` indices of a type that [`size`] knows; those equal to `restart` begin a new primitive and are
/// no vertices.
///
/// # Safety
/// `count` indices can be read at `indices`. No alignment is needed.
pub unsafe fn span(kind: u32, indices: *const u8, count: usize, restart: Option<u32>) -> Option<Span> {
    match kind {
        // SAFETY: the caller's promise.
        c::GL_UNSIGNED_BYTE => unsafe { scan::<u8>(indices, count, restart) },
        // SAFETY: the caller's promise.
        c::GL_UNSIGNED_SHORT => unsafe { scan::<u16>(indices, count, restart) },
        // SAFETY: the caller's promise.
        c::GL_UNSIGNED_INT => unsafe { scan::<u32>(indices, count, restart) },
        _ => None,
    }
}

/// # Safety
/// `count` values can be read at `indices`.
unsafe fn scan<T: Copy + Ord + Into<u32>>(indices: *const u8, count: usize, restart: Option<u32>) -> Option<Span> {
    let indices = indices.cast::<T>();
    let mut least = u32::MAX;
    let mut most = 0;
    let mut any = false;
    // Two loops, so that the usual one, without restarts, is free of branches and becomes vector code.
    match restart {
        None => {
            for at in 0..count {
                // SAFETY: `at < count`.
                let index: u32 = unsafe { value(indices, at) };
                least = least.min(index);
                most = most.max(index);
            }
            any = count > 0;
        }
        Some(restart) => {
            for at in 0..count {
                // SAFETY: `at < count`.
                let index: u32 = unsafe { value(indices, at) };
                if index != restart {
                    least = least.min(index);
                    most = most.max(index);
                    any = true;
                }
            }
        }
    }
    any.then_some(Span { least, most })
}

/// # Safety
/// `at + 1` values can be read at `indices`.
#[inline(always)]
unsafe fn value<T: Copy + Into<u32>>(indices: *const T, at: usize) -> u32 {
    // SAFETY: the caller's promise.
    let place = unsafe { indices.add(at) };
    // SAFETY: the caller's promise.
    unsafe { place.read_unaligned() }.into()
}

#[cfg(test)]
mod tests {
    use super::{Span, c, span};

    fn check<T>(kind: u32, list: &[T], restart: Option<u32>, expected: Option<(u32, u32)>) {
        let expected = expected.map(|(least, most)| Span { least, most });
        // SAFETY: the count is that of the list.
        assert_eq!(unsafe { span(kind, list.as_ptr().cast(), list.len(), restart) }, expected);
    }

    #[test]
    fn spans_of_all_types() {
        check(c::GL_UNSIGNED_BYTE, &[9_u8, 200, 3, 255], None, Some((3, 255)));
        check(c::GL_UNSIGNED_BYTE, &[9_u8, 200, 3, 255], Some(255), Some((3, 200)));
        check(c::GL_UNSIGNED_SHORT, &[500_u16, 7, 65535], Some(65535), Some((7, 500)));
        check(c::GL_UNSIGNED_INT, &[70000_u32, 80000], None, Some((70000, 80000)));
    }

    #[test]
    fn lists_without_vertices() {
        check(c::GL_UNSIGNED_INT, &[0_u32; 0], None, None);
        check(c::GL_UNSIGNED_SHORT, &[65535_u16; 2], Some(65535), None);
        check(c::GL_FLOAT, &[1_u32, 2], None, None);
    }
}
