//! Comparison of types from different shaders.

use std::collections::BTreeSet;

use super::linker::Linker;
use crate::measure::MAX_DEPTH;
use crate::types::{StructId, Type};

/// A type in the tables of its shader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) shader: usize,
    pub(super) ty: Type,
    /// The number of elements of the outermost dimension determined by use, if the brackets are empty.
    pub(super) implied: Option<u32>,
}

/// What must agree for two structures to be the same.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strictness {
    /// Their names (GLSL 4.60, 4.2), which inputs and outputs need not share (GL 4.6, 7.4.1).
    pub(super) names: bool,
    /// Precisions of their members.
    pub(super) precision: bool,
}

impl Linker<'_> {
    /// `None` if the types are the same, otherwise the difference: empty if the types' names show it.
    pub(super) fn type_difference(&self, a: Shape, b: Shape, strict: Strictness) -> Option<String> {
        Comparison { linker: self, a: a.shader, b: b.shader, strict, seen: BTreeSet::new() }.outer(a, b)
    }
}

struct Comparison<'l, 'a> {
    linker: &'l Linker<'a>,
    a: usize,
    b: usize,
    strict: Strictness,
    /// Pairs found to be the same or being compared, so that nested structures are not traversed once per path.
    seen: BTreeSet<(StructId, StructId)>,
}

impl Comparison<'_, '_> {
    fn outer(&mut self, a: Shape, b: Shape) -> Option<String> {
        let (x, y) = (self.linker.types(self.a).as_array(a.ty), self.linker.types(self.b).as_array(b.ty));
        match (x, y) {
            (Some(x), Some(y)) => {
                let (m, n) = (x.size.or(a.implied), y.size.or(b.implied));
                if m.is_some() && n.is_some() && m != n {
                    return Some(String::new());
                }
                self.same(x.element, y.element, 0)
            }
            _ => self.same(a.ty, b.ty, 0),
        }
    }

    fn same(&mut self, a: Type, b: Type, depth: u32) -> Option<String> {
        if depth > MAX_DEPTH || a == Type::Error || b == Type::Error {
            return None;
        }
        match (a, b) {
            (Type::Array(_), Type::Array(_)) => {
                let x = self.linker.types(self.a).as_array(a)?;
                let y = self.linker.types(self.b).as_array(b)?;
                if x.size.is_some() && y.size.is_some() && x.size != y.size {
                    return Some(String::new());
                }
                self.same(x.element, y.element, depth + 1)
            }
            (Type::Struct(x), Type::Struct(y)) => self.structures(x, y, depth),
            // Subroutine types are numbered by shader; their functions are compared elsewhere.
            (Type::Subroutine(_), Type::Subroutine(_)) => None,
            _ => (a != b).then(String::new),
        }
    }

    fn structures(&mut self, a: StructId, b: StructId, depth: u32) -> Option<String> {
        if !self.seen.insert((a, b)) {
            return None;
        }
        let linker = self.linker;
        let (x, y) = (&linker.types(self.a).structs[a.0 as usize], &linker.types(self.b).structs[b.0 as usize]);
        if self.strict.names && linker.name(self.a, x.name) != linker.name(self.b, y.name) {
            return Some("the structures have different names".to_owned());
        }
        if x.fields.len() != y.fields.len() {
            return Some(format!("one structure has {} members, the other {}", x.fields.len(), y.fields.len()));
        }
        for (f, g) in x.fields.iter().zip(&y.fields) {
            let (p, q) = (linker.name(self.a, f.name), linker.name(self.b, g.name));
            if p != q {
                return Some(format!("member `{p}` of one structure is at the position of `{q}` in the other"));
            }
            if let Some(inner) = self.same(f.ty, g.ty, depth + 1) {
                if !inner.is_empty() {
                    return Some(inner);
                }
                let (s, t) = (linker.type_name(self.a, f.ty, None), linker.type_name(self.b, g.ty, None));
                return Some(format!("member `{p}` is `{s}` in one and `{t}` in the other"));
            }
            if self.strict.precision && f.qualifiers.precision != g.qualifiers.precision {
                return Some(format!("member `{p}` has another precision"));
            }
        }
        None
    }
}
