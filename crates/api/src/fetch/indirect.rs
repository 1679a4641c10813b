//! Draw calls whose counts are in a buffer, or in the program's memory when no buffer is bound (GL 4.6, 10.4).

use super::indices::{self, Span};
use super::{Fetched, List};
use crate::{CommandId, id};

/// Where the counts of a draw call are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Indirect {
    /// The type of the indices, if it has some.
    pub kind: Option<u32>,
    /// The address, or the offset in the bound buffer, of the first structure.
    pub place: u64,
    /// The number of structures.
    draws: usize,
    /// Bytes from one structure to the next.
    stride: usize,
    /// Bytes of all of them.
    pub size: usize,
}

/// Returns where the counts of a call are; `None` if the command has them elsewhere, or draws nothing.
#[must_use]
pub fn indirect(command: CommandId, args: &[u64]) -> Option<Indirect> {
    let word = |index: usize| args.get(index).copied().unwrap_or(0);
    let (kind, place, draws, stride) = match command {
        id::glDrawArraysIndirect => (None, word(1), 1, 0),
        id::glMultiDrawArraysIndirect | id::glMultiDrawArraysIndirectAMD | id::glMultiDrawArraysIndirectEXT => {
            (None, word(1), word(2) as i32, word(3) as u32)
        }
        id::glDrawElementsIndirect => (Some(word(1) as u32), word(2), 1, 0),
        id::glMultiDrawElementsIndirect | id::glMultiDrawElementsIndirectAMD | id::glMultiDrawElementsIndirectEXT => {
            (Some(word(1) as u32), word(2), word(3) as i32, word(4) as u32)
        }
        _ => return None,
    };
    let draws = usize::try_from(draws).ok()?;
    let words = if kind.is_some() { 5 } else { 4 };
    let stride = if stride == 0 { words * 4 } else { stride as usize };
    let size = stride.checked_mul(draws.checked_sub(1)?)?.checked_add(words * 4)?;
    Some(Indirect { kind, place, draws, stride, size })
}

impl Indirect {
    /// Returns what the call fetches, given the bytes of its structures; `None` if it draws nothing. `look` returns the
    /// span of a list of indices.
    pub fn fetched(&self, bytes: &[u8], mut look: impl FnMut(List) -> Option<Span>) -> Option<Fetched> {
        let mut all: Option<Fetched> = None;
        for draw in 0..self.draws {
            let field = |index: usize| {
                let at = draw * self.stride + index * 4;
                let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk());
                bytes.map_or(0, |bytes| u32::from_ne_bytes(*bytes))
            };
            let (count, instances) = (field(0), field(1));
            if count == 0 || instances == 0 {
                continue;
            }
            let (vertices, base, wraps) = match self.kind {
                None => {
                    let most = field(2).checked_add(count - 1);
                    (Span { least: field(2), most: most.unwrap_or(u32::MAX) }, field(3), most.is_none())
                }
                Some(kind) => {
                    let address = u64::from(field(2)) * indices::size(kind)? as u64;
                    let Some(span) = look(List { kind, address, count: count as usize, draw }) else { continue };
                    let least = span.least.wrapping_add(field(3));
                    let most = span.most.wrapping_add(field(3));
                    (Span { least, most }, field(4), least > most)
                }
            };
            let one = Fetched { vertices, instances: (base, instances), wraps };
            all = Some(all.map_or(one, |known| known.join(one)));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constant as c;

    #[test]
    fn counts_are_read_from_structures() {
        let found = indirect(id::glMultiDrawArraysIndirect, &[4, 64, 2, 20]).expect("an indirect draw");
        assert_eq!((found.place, found.size, found.kind), (64, 36, None));
        let words: [u32; 9] = [3, 1, 10, 0, 99, 5, 4, 2, 7];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let fetched = found.fetched(&bytes, |_| None).expect("vertices");
        assert_eq!(fetched.vertices, Span { least: 2, most: 12 });
        assert_eq!((fetched.instances, fetched.wraps), ((0, 11), false));
        assert_eq!(indirect(id::glMultiDrawArraysIndirect, &[4, 64, 0, 20]), None);
        assert_eq!(indirect(id::glDrawArrays, &[4, 64, 0]), None);
    }

    #[test]
    fn a_base_vertex_may_wrap_around() {
        let found = indirect(id::glDrawElementsIndirect, &[4, u64::from(c::GL_UNSIGNED_INT), 0]).expect("indirect");
        let words: [u32; 5] = [3, 1, 0, u32::MAX, 0];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let span = |least, most| move |_| Some(Span { least, most });
        assert!(found.fetched(&bytes, span(0, 9)).is_some_and(|fetched| fetched.wraps));
        assert!(found.fetched(&bytes, span(1, 9)).is_some_and(|fetched| !fetched.wraps));
    }
}
