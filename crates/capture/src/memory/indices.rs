//! Finds the vertices that a list of indices refers to.

use api::constant as c;

/// The smallest and the largest index of a list that is not empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The smallest.
    pub least: u32,
    /// The largest.
    pub most: u32,
}

impl Span {
    /// Returns the union of both.
    pub fn join(self, other: Span) -> Span {
        Span { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// Returns the size in bytes of an index, or `None` when this is not an index type.
pub fn size(kind: u32) -> Option<usize> {
    match kind {
        c::GL_UNSIGNED_BYTE => Some(1),
        c::GL_UNSIGNED_SHORT => Some(2),
        c::GL_UNSIGNED_INT => Some(4),
        _ => None,
    }
}

/// Returns the span of `count` indices of a type that [`size`] accepts. Indices equal to `restart` start a new
/// primitive and are not vertices.
///
/// # Safety
/// `count` indices must be readable at `indices`. No alignment is required.
pub unsafe fn span(kind: u32, indices: *const u8, count: usize, restart: Option<u32>) -> Option<Span> {
    match kind {
        // SAFETY: guaranteed by the caller.
        c::GL_UNSIGNED_BYTE => unsafe { scan::<u8>(indices, count, restart) },
        // SAFETY: guaranteed by the caller.
        c::GL_UNSIGNED_SHORT => unsafe { scan::<u16>(indices, count, restart) },
        // SAFETY: guaranteed by the caller.
        c::GL_UNSIGNED_INT => unsafe { scan::<u32>(indices, count, restart) },
        _ => None,
    }
}

/// # Safety
/// `count` values must be readable at `indices`.
unsafe fn scan<T: Copy + Ord + Into<u32>>(indices: *const u8, count: usize, restart: Option<u32>) -> Option<Span> {
    let indices = indices.cast::<T>();
    let mut least = u32::MAX;
    let mut most = 0;
    let mut any = false;
    // Two loops, so that the usual one, without restarts, is branch-free and vectorised.
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
/// `at + 1` values must be readable at `indices`.
#[inline(always)]
unsafe fn value<T: Copy + Into<u32>>(indices: *const T, at: usize) -> u32 {
    // SAFETY: guaranteed by the caller.
    let place = unsafe { indices.add(at) };
    // SAFETY: guaranteed by the caller.
    unsafe { place.read_unaligned() }.into()
}

#[cfg(test)]
mod tests {
    use super::{Span, c, span};

    fn check<T>(kind: u32, list: &[T], restart: Option<u32>, expected: Option<(u32, u32)>) {
        let expected = expected.map(|(least, most)| Span { least, most });
        // SAFETY: the count is the length of the list.
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
