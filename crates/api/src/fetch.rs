//! The vertices and instances that a draw call makes GL fetch from its arrays.
//!
//! Capture records the arrays of a program as far as a draw call fetches them, and replay makes no draw call that would
//! fetch more than there is: both ask here.

mod indices;
mod indirect;

use crate::{CommandId, id};
pub use indices::{Span, fixed_restart, size, span};
pub use indirect::{Indirect, indirect};

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
#[must_use]
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
    /// Whether there are vertices outside of the span as well: those that a base vertex makes negative, or moves beyond
    /// 32 bits (GL 4.6, 10.4). A program cannot mean them.
    pub wraps: bool,
}

impl Fetched {
    /// Returns the elements of an array that are fetched, given its divisor (0: it advances per vertex). See GL 4.6,
    /// 10.3.4.
    #[must_use]
    pub fn of_array(&self, divisor: u32) -> Span {
        match divisor {
            0 => self.vertices,
            _ => {
                let (first, count) = self.instances;
                Span { least: first, most: first.saturating_add(count.saturating_sub(1) / divisor) }
            }
        }
    }

    /// Returns the union of both.
    fn join(self, other: Fetched) -> Fetched {
        let end = |(first, count): (u32, u32)| first.saturating_add(count);
        let first = self.instances.0.min(other.instances.0);
        Fetched {
            vertices: self.vertices.join(other.vertices),
            instances: (first, end(self.instances).max(end(other.instances)) - first),
            wraps: self.wraps || other.wraps,
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
    /// Its place among the lists of the call.
    pub draw: usize,
}

/// The memory behind the arguments of a draw call.
pub trait DrawMemory {
    /// Returns an element of the array of integers behind a parameter; 0 when there is no such array.
    fn integer(&self, param: u8, index: usize) -> i32;

    /// Returns an element of the array of pointers behind a parameter; 0 when there is no such array.
    fn pointer(&self, param: u8, index: usize) -> u64;

    /// Returns the span of a list of indices; `None` when it has no vertices, or GL would not read it.
    fn span(&mut self, list: List) -> Option<Span>;
}

impl Layout {
    /// Returns what a call fetches, or `None` when it draws nothing or GL would reject it.
    pub fn fetched(&self, args: &[u64], memory: &mut impl DrawMemory) -> Option<Fetched> {
        let word = |index: u8| args.get(usize::from(index)).copied();
        let instances = match self.instances {
            Some(index) => u32::try_from(word(index)? as i32).ok().filter(|count| *count > 0)?,
            None => 1,
        };
        let base_instance = self.base_instance.and_then(word).unwrap_or(0) as u32;
        let draws = match self.draws {
            Some(draws) => usize::try_from(word(draws)? as i32).ok()?,
            None => 1,
        };
        let many = self.draws.is_some();
        let mut all: Option<Fetched> = None;
        for draw in 0..draws {
            let number = |param: Option<u8>, memory: &dyn Fn(u8) -> i32| match param {
                None => 0,
                Some(param) if many => memory(param),
                Some(param) => word(param).unwrap_or(0) as i32,
            };
            let one = One {
                first: number(self.first, &|param| memory.integer(param, draw)),
                count: number(Some(self.count), &|param| memory.integer(param, draw)),
                base: number(self.base_vertex, &|param| memory.integer(param, draw)),
                indices: match self.indices {
                    Some((kind, param)) if many => Some((word(kind)? as u32, memory.pointer(param, draw))),
                    Some((kind, param)) => Some((word(kind)? as u32, word(param)?)),
                    None => None,
                },
            };
            if let Some((vertices, wraps)) = one.span(draw, memory) {
                let found = Fetched { vertices, instances: (base_instance, instances), wraps };
                all = Some(all.map_or(found, |known| known.join(found)));
            }
        }
        all
    }
}

/// One draw of a call.
struct One {
    first: i32,
    count: i32,
    indices: Option<(u32, u64)>,
    base: i32,
}

impl One {
    /// Returns its vertices, and whether there are others ([`Fetched::wraps`]).
    fn span(&self, draw: usize, memory: &mut impl DrawMemory) -> Option<(Span, bool)> {
        let count = u32::try_from(self.count).ok().filter(|count| *count > 0)?;
        let Some((kind, address)) = self.indices else {
            let least = u32::try_from(self.first).ok()?;
            return Some((Span { least, most: least.checked_add(count - 1)? }, false));
        };
        size(kind)?;
        let span = memory.span(List { kind, address, count: count as usize, draw })?;
        let [least, most] = [span.least, span.most].map(|index| i64::from(index) + i64::from(self.base));
        let clamped = |index: i64| u32::try_from(index.clamp(0, i64::from(u32::MAX))).unwrap_or(u32::MAX);
        Some((Span { least: clamped(least), most: clamped(most) }, least < 0 || most > i64::from(u32::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constant as c;

    /// Memory as lists: of integers by parameter, and of indices by draw.
    #[derive(Default)]
    struct Lists {
        integers: Vec<(u8, Vec<i32>)>,
        indices: Vec<Vec<u8>>,
    }

    impl DrawMemory for Lists {
        fn integer(&self, param: u8, index: usize) -> i32 {
            self.integers.iter().find(|(known, _)| *known == param).map_or(0, |(_, list)| list[index])
        }

        fn pointer(&self, _: u8, index: usize) -> u64 {
            index as u64
        }

        fn span(&mut self, list: List) -> Option<Span> {
            span(list.kind, &self.indices[list.draw][..list.count * size(list.kind)?], None)
        }
    }

    fn fetched(command: CommandId, args: &[u64], mut memory: Lists) -> Option<Fetched> {
        layout(command).expect("a draw").fetched(args, &mut memory)
    }

    #[test]
    fn arrays() {
        let of = |args: &[u64]| fetched(id::glDrawArrays, args, Lists::default());
        let vertices = Span { least: 10, most: 12 };
        assert_eq!(of(&[4, 10, 3]), Some(Fetched { vertices, instances: (0, 1), wraps: false }));
        assert_eq!(of(&[4, 10, 0]), None);
        assert_eq!(of(&[4, 10, -1_i64 as u64]), None);
        assert_eq!(of(&[4, -1_i64 as u64, 3]), None);
    }

    #[test]
    fn instances_and_divisors() {
        let of = |args: &[u64]| fetched(id::glDrawArraysInstancedBaseInstance, args, Lists::default());
        let all = of(&[4, 0, 3, 7, 100]).expect("vertices");
        assert_eq!(all.of_array(0), Span { least: 0, most: 2 });
        assert_eq!(all.of_array(1), Span { least: 100, most: 106 });
        assert_eq!(all.of_array(3), Span { least: 100, most: 102 });
        assert_eq!(all.of_array(8), Span { least: 100, most: 100 });
        assert_eq!(of(&[4, 0, 3, 0, 0]), None);
    }

    #[test]
    fn base_vertex_moves_the_span() {
        let of = |base: i64| {
            let memory = Lists { indices: vec![vec![3, 9, 5]], ..Lists::default() };
            let args = [4, 3, u64::from(c::GL_UNSIGNED_BYTE), 0, base.cast_unsigned()];
            fetched(id::glDrawElementsBaseVertex, &args, memory).expect("vertices")
        };
        assert_eq!((of(-2).vertices, of(-2).wraps), (Span { least: 1, most: 7 }, false));
        assert_eq!((of(-4).vertices, of(-4).wraps), (Span { least: 0, most: 5 }, true));
    }

    #[test]
    fn many_draws_are_one_span() {
        let integers = vec![(1, vec![10, 2, 50]), (2, vec![3, 4, 0])];
        let all = fetched(id::glMultiDrawArrays, &[4, 0, 0, 3], Lists { integers, ..Lists::default() });
        assert_eq!(all.expect("vertices").vertices, Span { least: 2, most: 12 });
        let integers = vec![(1, vec![2, 3]), (5, vec![100, 0])];
        let memory = Lists { integers, indices: vec![vec![1, 2], vec![40, 41, 7]] };
        let args = [4, 0, u64::from(c::GL_UNSIGNED_BYTE), 0, 2, 0];
        let all = fetched(id::glMultiDrawElementsBaseVertex, &args, memory);
        assert_eq!(all.expect("vertices").vertices, Span { least: 7, most: 102 });
    }
}
