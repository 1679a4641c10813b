//! Finds the vertices and instances that a draw call makes GL fetch.

use api::{CommandId, id};

use super::indices::{self, Span};

/// Which parameters of a draw call mean what.
#[derive(Clone, Copy, Default, Debug)]
pub struct Layout {
    /// The first vertex.
    pub first: Option<u8>,
    /// The number of vertices or indices.
    pub count: u8,
    /// The type of the indices and their address.
    pub indices: Option<(u8, u8)>,
    /// The number of instances.
    pub instances: Option<u8>,
    /// The number added to each index.
    pub base_vertex: Option<u8>,
    /// The first instance.
    pub base_instance: Option<u8>,
    /// The number of draws: `first`, `count`, the indices and `base_vertex` are then arrays.
    pub draws: Option<u8>,
}

/// Returns the layout of a draw call whose counts are parameters.
pub fn layout(command: CommandId) -> Option<Layout> {
    let arrays = Layout { first: Some(1), count: 2, ..Layout::default() };
    let elements = Layout { count: 1, indices: Some((2, 3)), ..Layout::default() };
    let ranged = Layout { count: 3, indices: Some((4, 5)), ..Layout::default() };
    Some(match command {
        id::glDrawArrays | id::glDrawArraysEXT => arrays,
        id::glDrawArraysInstanced
        | id::glDrawArraysInstancedARB
        | id::glDrawArraysInstancedEXT
        | id::glDrawArraysInstancedANGLE
        | id::glDrawArraysInstancedNV => Layout { instances: Some(3), ..arrays },
        id::glDrawArraysInstancedBaseInstance | id::glDrawArraysInstancedBaseInstanceEXT => {
            Layout { instances: Some(3), base_instance: Some(4), ..arrays }
        }
        id::glDrawElements => elements,
        id::glDrawElementsInstanced
        | id::glDrawElementsInstancedARB
        | id::glDrawElementsInstancedEXT
        | id::glDrawElementsInstancedANGLE
        | id::glDrawElementsInstancedNV => Layout { instances: Some(4), ..elements },
        id::glDrawElementsBaseVertex | id::glDrawElementsBaseVertexEXT | id::glDrawElementsBaseVertexOES => {
            Layout { base_vertex: Some(4), ..elements }
        }
        id::glDrawElementsInstancedBaseVertex
        | id::glDrawElementsInstancedBaseVertexEXT
        | id::glDrawElementsInstancedBaseVertexOES => Layout { instances: Some(4), base_vertex: Some(5), ..elements },
        id::glDrawElementsInstancedBaseInstance | id::glDrawElementsInstancedBaseInstanceEXT => {
            Layout { instances: Some(4), base_instance: Some(5), ..elements }
        }
        id::glDrawElementsInstancedBaseVertexBaseInstance | id::glDrawElementsInstancedBaseVertexBaseInstanceEXT => {
            Layout { instances: Some(4), base_vertex: Some(5), base_instance: Some(6), ..elements }
        }
        // The range is only promised by the program (GL 4.6, 10.4), so the indices are scanned all the same.
        id::glDrawRangeElements | id::glDrawRangeElementsEXT => ranged,
        id::glDrawRangeElementsBaseVertex
        | id::glDrawRangeElementsBaseVertexEXT
        | id::glDrawRangeElementsBaseVertexOES => Layout { base_vertex: Some(6), ..ranged },
        id::glMultiDrawArrays | id::glMultiDrawArraysEXT | id::glMultiModeDrawArraysIBM => {
            Layout { draws: Some(3), ..arrays }
        }
        id::glMultiDrawElements | id::glMultiDrawElementsEXT | id::glMultiModeDrawElementsIBM => {
            Layout { draws: Some(4), ..elements }
        }
        id::glMultiDrawElementsBaseVertex | id::glMultiDrawElementsBaseVertexEXT => {
            Layout { draws: Some(4), base_vertex: Some(5), ..elements }
        }
        _ => return None,
    })
}

/// The vertices and instances that a draw call fetches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fetched {
    /// Vertices.
    pub vertices: Span,
    /// Instances: the first, and how many.
    pub instances: (u32, u32),
}

impl Fetched {
    /// Returns the elements of an array that are fetched, given its divisor (0: it advances per vertex). See GL 4.6,
    /// 10.3.4.
    pub fn of_array(&self, divisor: u32) -> Span {
        match divisor {
            0 => self.vertices,
            _ => {
                let (first, count) = self.instances;
                Span { least: first, most: first.saturating_add(count.saturating_sub(1) / divisor) }
            }
        }
    }
}

/// One list of indices.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// The type.
    pub kind: u32,
    /// The address, or the offset in the bound buffer.
    pub address: u64,
    /// The number of indices.
    pub count: usize,
}

impl Layout {
    /// Returns what a call fetches, or `None` when it draws nothing or GL would reject it. `look` returns the span of a
    /// list of indices.
    ///
    /// # Safety
    /// The arrays of firsts, counts and pointers behind the arguments must be readable.
    pub unsafe fn fetched(&self, args: &[u64], mut look: impl FnMut(List) -> Option<Span>) -> Option<Fetched> {
        let word = |index: u8| args.get(usize::from(index)).copied();
        let count = match self.instances {
            Some(index) => u32::try_from(word(index)? as i32).ok()?,
            None => 1,
        };
        if count == 0 {
            return None;
        }
        let base = self.base_instance.and_then(word).unwrap_or(0) as u32;
        let vertices = match self.draws {
            // SAFETY: guaranteed by the caller.
            Some(draws) => unsafe { self.many(args, word(draws)? as i32, &mut look) },
            None => {
                let one = One {
                    first: self.first.and_then(word).unwrap_or(0) as i32,
                    count: word(self.count)? as i32,
                    indices: match self.indices {
                        Some((kind, address)) => Some((word(kind)? as u32, word(address)?)),
                        None => None,
                    },
                    base: self.base_vertex.and_then(word).unwrap_or(0) as i32,
                };
                one.span(&mut look)
            }
        };
        Some(Fetched { vertices: vertices?, instances: (base, count) })
    }

    /// # Safety
    /// As for [`Layout::fetched`].
    unsafe fn many(&self, args: &[u64], draws: i32, look: &mut impl FnMut(List) -> Option<Span>) -> Option<Span> {
        let word = |index: u8| args.get(usize::from(index)).copied();
        let mut all: Option<Span> = None;
        for draw in 0..usize::try_from(draws).ok()? {
            let one = One {
                // SAFETY: the caller guarantees, here and below, that the arrays have as many elements as there are
                // draws.
                first: unsafe { int_at(self.first.and_then(word), draw) },
                // SAFETY: as above.
                count: unsafe { int_at(word(self.count), draw) },
                indices: match self.indices {
                    // SAFETY: as above.
                    Some((kind, address)) => Some((word(kind)? as u32, unsafe { pointer_at(word(address)?, draw) })),
                    None => None,
                },
                // SAFETY: as above.
                base: unsafe { int_at(self.base_vertex.and_then(word), draw) },
            };
            if let Some(span) = one.span(look) {
                all = Some(all.map_or(span, |known| known.join(span)));
            }
        }
        all
    }
}

/// One draw of a multi-draw.
struct One {
    first: i32,
    count: i32,
    indices: Option<(u32, u64)>,
    base: i32,
}

impl One {
    fn span(&self, look: &mut impl FnMut(List) -> Option<Span>) -> Option<Span> {
        let count = u32::try_from(self.count).ok().filter(|count| *count > 0)?;
        match self.indices {
            None => {
                let least = u32::try_from(self.first).ok()?;
                Some(Span { least, most: least.checked_add(count - 1)? })
            }
            Some((kind, address)) => {
                indices::size(kind)?;
                let span = look(List { kind, address, count: count as usize })?;
                // The sum is a 32-bit unsigned number (GL 4.6, 10.4); one that wraps around is not a vertex that a
                // program can mean.
                let least = i64::from(span.least) + i64::from(self.base);
                let most = i64::from(span.most) + i64::from(self.base);
                Some(Span { least: u32::try_from(least.max(0)).ok()?, most: u32::try_from(most).ok()? })
            }
        }
    }
}

/// # Safety
/// `base`, when it is not null, points to more than `index` integers.
unsafe fn int_at(base: Option<u64>, index: usize) -> i32 {
    match base {
        None | Some(0) => 0,
        Some(base) => {
            let address = (base as *const i32).wrapping_add(index);
            // SAFETY: guaranteed by the caller.
            unsafe { address.read_unaligned() }
        }
    }
}

/// # Safety
/// `base`, when it is not null, points to more than `index` pointers.
unsafe fn pointer_at(base: u64, index: usize) -> u64 {
    if base == 0 {
        return 0;
    }
    let address = (base as *const usize).wrapping_add(index);
    // SAFETY: guaranteed by the caller.
    unsafe { address.read_unaligned() as u64 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails may panic")]
mod tests {
    use super::{Fetched, List, layout};
    use crate::memory::indices::{self, Span};
    use api::{constant as c, id};

    fn fetched(command: api::CommandId, args: &[u64]) -> Option<Fetched> {
        let layout = layout(command).unwrap();
        // SAFETY: the tests pass lists of the length that they give.
        let look = |list: List| unsafe { indices::span(list.kind, list.address as *const u8, list.count, None) };
        // SAFETY: the tests pass arrays of the length that they give.
        unsafe { layout.fetched(args, look) }
    }

    #[test]
    fn arrays() {
        let span = |least, most| Some(Fetched { vertices: Span { least, most }, instances: (0, 1) });
        assert_eq!(fetched(id::glDrawArrays, &[4, 10, 3]), span(10, 12));
        assert_eq!(fetched(id::glDrawArrays, &[4, 10, 0]), None);
        assert_eq!(fetched(id::glDrawArrays, &[4, 10, -1_i64 as u64]), None);
        assert_eq!(fetched(id::glDrawArrays, &[4, -1_i64 as u64, 3]), None);
    }

    #[test]
    fn instances_and_divisors() {
        let all = fetched(id::glDrawArraysInstancedBaseInstance, &[4, 0, 3, 7, 100]).unwrap();
        assert_eq!(all.of_array(0), Span { least: 0, most: 2 });
        assert_eq!(all.of_array(1), Span { least: 100, most: 106 });
        assert_eq!(all.of_array(3), Span { least: 100, most: 102 });
        assert_eq!(all.of_array(8), Span { least: 100, most: 100 });
        assert_eq!(fetched(id::glDrawArraysInstanced, &[4, 0, 3, 0]), None);
    }

    #[test]
    fn base_vertex_moves_the_span() {
        let list = [3_u16, 9, 5];
        let at = list.as_ptr() as u64;
        let minus = -2_i64 as u64;
        let all = fetched(id::glDrawElementsBaseVertex, &[4, 3, u64::from(c::GL_UNSIGNED_SHORT), at, minus]).unwrap();
        assert_eq!(all.vertices, Span { least: 1, most: 7 });
    }

    #[test]
    fn many_draws_are_one_span() {
        let firsts = [10_i32, 2, 50];
        let counts = [3_i32, 4, 0];
        let all = fetched(id::glMultiDrawArrays, &[4, firsts.as_ptr() as u64, counts.as_ptr() as u64, 3]).unwrap();
        assert_eq!(all.vertices, Span { least: 2, most: 12 });

        let (one, two) = ([1_u8, 2], [40_u8, 41, 7]);
        let lists = [one.as_ptr(), two.as_ptr()];
        let counts = [2_i32, 3];
        let bases = [100_i32, 0];
        let args = [
            4,
            counts.as_ptr() as u64,
            u64::from(c::GL_UNSIGNED_BYTE),
            lists.as_ptr() as u64,
            2,
            bases.as_ptr() as u64,
        ];
        let all = fetched(id::glMultiDrawElementsBaseVertex, &args).unwrap();
        assert_eq!(all.vertices, Span { least: 7, most: 102 });
    }
}
