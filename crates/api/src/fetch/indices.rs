//! The vertices that a list of indices refers to.

use crate::constant as c;

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
    #[must_use]
    pub fn join(self, other: Span) -> Span {
        Span { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// Returns the size in bytes of an index, or `None` when this is not an index type.
#[must_use]
pub fn size(kind: u32) -> Option<usize> {
    match kind {
        c::GL_UNSIGNED_BYTE => Some(1),
        c::GL_UNSIGNED_SHORT => Some(2),
        c::GL_UNSIGNED_INT => Some(4),
        _ => None,
    }
}

/// Returns the index that starts a new primitive where `GL_PRIMITIVE_RESTART_FIXED_INDEX` is enabled (GL 4.6, 10.3.6).
#[must_use]
pub fn fixed_restart(kind: u32) -> u32 {
    match kind {
        c::GL_UNSIGNED_BYTE => 0xff,
        c::GL_UNSIGNED_SHORT => 0xffff,
        _ => u32::MAX,
    }
}

/// Returns the span of a list of indices of a type that [`size`] accepts; `None` if it has no vertices. Indices equal to
/// `restart` start a new primitive and are not vertices.
#[must_use]
pub fn span(kind: u32, indices: &[u8], restart: Option<u32>) -> Option<Span> {
    match kind {
        c::GL_UNSIGNED_BYTE => scan(indices.iter().copied().map(u32::from), restart),
        c::GL_UNSIGNED_SHORT => {
            scan(indices.as_chunks().0.iter().map(|bytes| u32::from(u16::from_ne_bytes(*bytes))), restart)
        }
        c::GL_UNSIGNED_INT => scan(indices.as_chunks().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)), restart),
        _ => None,
    }
}

fn scan(indices: impl ExactSizeIterator<Item = u32>, restart: Option<u32>) -> Option<Span> {
    let mut span = Span { least: u32::MAX, most: 0 };
    let mut any = indices.len() > 0;
    // Two loops, so that the usual one, without restarts, is branch-free and vectorised.
    match restart {
        None => indices.for_each(|index| span = span.join(Span { least: index, most: index })),
        Some(restart) => {
            any = false;
            for index in indices.filter(|index| *index != restart) {
                span = span.join(Span { least: index, most: index });
                any = true;
            }
        }
    }
    any.then_some(span)
}

#[cfg(test)]
mod tests {
    use super::{Span, c, span};

    #[track_caller]
    fn check(kind: u32, list: &[u8], restart: Option<u32>, expected: Option<(u32, u32)>) {
        assert_eq!(span(kind, list, restart), expected.map(|(least, most)| Span { least, most }));
    }

    #[test]
    fn spans_of_all_types() {
        check(c::GL_UNSIGNED_BYTE, &[9, 200, 3, 255], None, Some((3, 255)));
        check(c::GL_UNSIGNED_BYTE, &[9, 200, 3, 255], Some(255), Some((3, 200)));
        let shorts: Vec<u8> = [500u16, 7, 65535].iter().flat_map(|index| index.to_ne_bytes()).collect();
        check(c::GL_UNSIGNED_SHORT, &shorts, Some(65535), Some((7, 500)));
        let words: Vec<u8> = [70_000u32, 80_000].iter().flat_map(|index| index.to_ne_bytes()).collect();
        check(c::GL_UNSIGNED_INT, &words, None, Some((70_000, 80_000)));
    }

    #[test]
    fn lists_without_vertices() {
        check(c::GL_UNSIGNED_INT, &[], None, None);
        check(c::GL_UNSIGNED_SHORT, &[255; 4], Some(65535), None);
        check(c::GL_FLOAT, &[1, 2, 3, 4], None, None);
    }
}
