//! The history of matrices.
//!
//! A driver's state of a matrix is more than its numbers. Mesa tracks which kinds of calls made it, derives from that
//! how to compute its inverse, and so normals, and keeps it beyond `glLoadIdentity`. For a matrix that was loaded or
//! multiplied by an arbitrary one it analyses the numbers when the matrix is pushed or drawn with. To get the same
//! pixels again, a matrix must be built by the same calls.

use std::sync::Arc;

use super::matrix::{Matrix, ONE};

/// An operation on the top matrix of a stack.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum MatrixOp {
    /// Replaces it by the identity.
    Identity,
    /// Replaces it.
    Load([f32; 16]),
    /// Multiplies it by another.
    Times([f32; 16]),
    /// Rotates it by degrees around an axis.
    Rotate([f32; 4]),
    /// Translates it.
    Translate([f32; 3]),
    /// Scales it.
    Scale([f32; 3]),
    /// Multiplies it by a parallel projection.
    Ortho([f32; 6]),
    /// Multiplies it by a perspective projection.
    Frustum([f32; 6]),
    /// Uses it, so that the driver analyses its numbers.
    Use,
    /// More operations than are remembered.
    Unknown,
}

/// Kinds of calls that Mesa tracks, one bit each.
const ANY: u8 = 1;
const ROTATION: u8 = 1 << 1;
const TRANSLATION: u8 = 1 << 2;
const EVEN_SCALE: u8 = 1 << 3;
const SCALE: u8 = 1 << 4;
const PERSPECTIVE: u8 = 1 << 5;

/// Maximum number of calls remembered.
const MAX_OPS: u32 = 1024;

/// Mesa treats scales that differ by less than this as equal.
const CLOSE: f32 = 1.0e-8;

impl MatrixOp {
    /// Returns the result of the operation.
    #[must_use]
    pub fn of(&self, top: &Matrix) -> Matrix {
        match *self {
            MatrixOp::Identity => Matrix::IDENTITY,
            MatrixOp::Load(m) if bits(&m) == bits(&top.m) => *top,
            MatrixOp::Load(m) => Matrix::new(m),
            MatrixOp::Times(m) => top.times(&Matrix::new(m)),
            MatrixOp::Rotate([0.0, ..]) | MatrixOp::Use | MatrixOp::Unknown => *top,
            MatrixOp::Rotate([angle, x, y, z]) => top.rotated(angle, [x, y, z]),
            MatrixOp::Translate(by) => top.translated(by),
            MatrixOp::Scale(by) => top.scaled(by),
            MatrixOp::Ortho(planes) => top.with_ortho(planes),
            MatrixOp::Frustum(planes) => top.with_frustum(planes),
        }
    }

    fn kind(&self) -> u8 {
        match *self {
            MatrixOp::Load(_) | MatrixOp::Times(_) => ANY,
            MatrixOp::Rotate([0.0, ..]) | MatrixOp::Identity | MatrixOp::Use | MatrixOp::Unknown => 0,
            MatrixOp::Rotate(_) => ROTATION,
            MatrixOp::Translate(_) => TRANSLATION,
            MatrixOp::Scale([x, y, z]) if (x - y).abs() < CLOSE && (x - z).abs() < CLOSE => EVEN_SCALE,
            MatrixOp::Scale(_) => SCALE,
            MatrixOp::Ortho(_) => SCALE | TRANSLATION,
            MatrixOp::Frustum(_) => PERSPECTIVE,
        }
    }
}

/// What a driver knows about a matrix besides its numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DriverKnowledge {
    /// The numbers that it analysed last, unless they were the identity.
    analysed: Option<Arc<[f32; 16]>>,
    /// The kinds of calls since then.
    kinds: u8,
}

impl DriverKnowledge {
    /// Returns operations that put any driver into this state, before a `glLoadIdentity`.
    #[must_use]
    pub fn ops(&self) -> Vec<MatrixOp> {
        let analysed = self.analysed.as_ref().map_or(ONE, |analysed| **analysed);
        let examples = [
            (ROTATION, MatrixOp::Rotate([30.0, 1.0, 2.0, 3.0])),
            (TRANSLATION, MatrixOp::Translate([1.0, 2.0, 3.0])),
            (EVEN_SCALE, MatrixOp::Scale([2.0; 3])),
            (SCALE, MatrixOp::Scale([1.0, 2.0, 3.0])),
            (PERSPECTIVE, MatrixOp::Frustum([-1.0, 1.0, -1.0, 1.0, 1.0, 2.0])),
            (ANY, MatrixOp::Times(another(&analysed))),
        ];
        let kinds = examples.into_iter().filter(|(kind, _)| self.kinds & kind != 0).map(|(_, op)| op);
        // Loading the matrix that is already there has no effect.
        [MatrixOp::Load(another(&analysed)), MatrixOp::Load(analysed), MatrixOp::Use].into_iter().chain(kinds).collect()
    }
}

/// Returns a matrix that differs from this one.
fn another(m: &[f32; 16]) -> [f32; 16] {
    let double = ONE.map(|number| number * 2.0);
    if bits(m) == bits(&double) { ONE } else { double }
}

fn bits(m: &[f32; 16]) -> [u32; 16] {
    m.map(f32::to_bits)
}

/// The calls that made a matrix, since it last was the identity or was loaded.
#[derive(Clone, Debug, Default)]
pub struct MatrixHistory {
    /// The driver's knowledge at that time.
    before: DriverKnowledge,
    last: Option<Arc<Link>>,
}

#[derive(Debug)]
struct Link {
    op: MatrixOp,
    before: Option<Arc<Link>>,
    /// The number of operations, including this one.
    length: u32,
    /// The driver's knowledge after it.
    knowledge: DriverKnowledge,
    /// Whether the driver has not yet analysed numbers that were loaded.
    unanalysed: bool,
}

impl MatrixHistory {
    /// Returns the driver's knowledge about the matrix.
    #[must_use]
    pub fn knowledge(&self) -> &DriverKnowledge {
        self.last.as_ref().map_or(&self.before, |last| &last.knowledge)
    }

    /// Returns the driver's knowledge when it last was the identity; `None` if it has been loaded since.
    #[must_use]
    pub fn knowledge_before(&self) -> Option<&DriverKnowledge> {
        let loaded = self.links().last().is_some_and(|first| matches!(first.op, MatrixOp::Load(_)));
        (!loaded).then_some(&self.before)
    }

    /// Returns whether the driver has not yet analysed numbers that were loaded.
    #[must_use]
    pub fn is_unanalysed(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.unanalysed)
    }

    /// Returns the operations that made it, in order.
    #[must_use]
    pub fn ops(&self) -> Vec<MatrixOp> {
        let mut list: Vec<MatrixOp> = self.links().map(|link| link.op).collect();
        list.reverse();
        list
    }

    /// Returns the operations that make it from another; `None` if it does not descend from that.
    #[must_use]
    pub fn since(&self, other: &MatrixHistory) -> Option<Vec<MatrixOp>> {
        let length = other.length();
        let mut list: Vec<MatrixOp> =
            self.links().take_while(|link| link.length > length).map(|link| link.op).collect();
        let there = self.links().find(|link| link.length <= length);
        let loaded = list.last().is_some_and(|first| length == 0 && matches!(first, MatrixOp::Load(_)));
        let same = !loaded && self.before == other.before && same_links(there, other.last.as_ref());
        list.reverse();
        same.then_some(list)
    }

    /// Returns the history after an operation on the matrix.
    pub(super) fn then(&self, op: MatrixOp, top: &Matrix) -> MatrixHistory {
        match op {
            MatrixOp::Identity => return MatrixHistory { before: self.knowledge().clone(), last: None },
            MatrixOp::Load(m) if bits(&m) == bits(&top.m) => return self.clone(),
            MatrixOp::Rotate([0.0, ..]) => return self.clone(),
            MatrixOp::Use if !self.is_unanalysed() => return self.clone(),
            _ => {}
        }
        let mut knowledge = self.knowledge().clone();
        let (mut before, mut link, mut kept) = (self.last.clone(), op, self.before.clone());
        match op {
            MatrixOp::Load(_) => {
                (knowledge, before, kept) =
                    (DriverKnowledge { analysed: None, kinds: ANY }, None, DriverKnowledge::default())
            }
            MatrixOp::Use => {
                let analysed = (bits(&top.m) != bits(&ONE)).then(|| Arc::new(top.m));
                knowledge = DriverKnowledge { analysed, kinds: 0 };
            }
            _ => knowledge.kinds |= op.kind(),
        }
        if before.as_ref().is_some_and(|link| link.length >= MAX_OPS) {
            (before, link) = (None, MatrixOp::Unknown);
        }
        let unanalysed = match op {
            MatrixOp::Load(_) | MatrixOp::Times(_) => true,
            MatrixOp::Use => false,
            _ => self.is_unanalysed(),
        };
        let length = before.as_ref().map_or(0, |link| link.length) + 1;
        MatrixHistory { before: kept, last: Some(Arc::new(Link { op: link, before, length, knowledge, unanalysed })) }
    }

    fn length(&self) -> u32 {
        self.last.as_ref().map_or(0, |last| last.length)
    }

    fn links(&self) -> impl Iterator<Item = &Arc<Link>> {
        std::iter::successors(self.last.as_ref(), |link| link.before.as_ref())
    }
}

impl PartialEq for MatrixHistory {
    fn eq(&self, other: &MatrixHistory) -> bool {
        self.before == other.before && same_links(self.last.as_ref(), other.last.as_ref())
    }
}

fn same_links(mut mine: Option<&Arc<Link>>, mut other: Option<&Arc<Link>>) -> bool {
    loop {
        match (mine, other) {
            (None, None) => return true,
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => return true,
            // Two histories that were dropped need not be the same.
            (Some(a), Some(b)) if a.length == b.length && a.op == b.op && a.op != MatrixOp::Unknown => {
                (mine, other) = (a.before.as_ref(), b.before.as_ref());
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::MatrixStack;
    use super::*;

    fn made(ops: &[MatrixOp]) -> MatrixStack {
        let mut stack = MatrixStack::new(4);
        ops.iter().for_each(|op| stack.apply(*op));
        stack
    }

    #[test]
    fn driver_knowledge_can_be_reproduced() {
        let moved = MatrixOp::Translate([1.0, 0.0, 0.0]);
        let loaded = MatrixOp::Load([3.0; 16]);
        let ways: [&[MatrixOp]; 5] = [
            &[],
            &[MatrixOp::Scale([2.0, 3.0, 4.0]), MatrixOp::Identity, moved],
            &[loaded, MatrixOp::Use, moved, MatrixOp::Identity],
            &[loaded, MatrixOp::Identity, moved],
            &[MatrixOp::Times([2.0; 16]), MatrixOp::Use, MatrixOp::Rotate([1.0, 0.0, 1.0, 0.0])],
        ];
        for way in ways {
            let wanted = made(way);
            let mut stack = made(&[MatrixOp::Load([7.0; 16]), MatrixOp::Frustum([-1.0, 1.0, -1.0, 1.0, 1.0, 2.0])]);
            let knowledge = wanted.top_history().knowledge_before().unwrap().ops();
            knowledge.into_iter().chain([MatrixOp::Identity]).for_each(|op| stack.apply(op));
            wanted.top_history().ops().into_iter().for_each(|op| stack.apply(op));
            assert_eq!(stack, wanted, "{way:?}");
        }
    }

    #[test]
    fn only_descendants_can_be_derived() {
        let turned = MatrixOp::Rotate([1.0, 0.0, 1.0, 0.0]);
        let (one, two) = (made(&[turned]), made(&[turned, turned]));
        assert_eq!(two.top_history().since(one.top_history()), Some(vec![turned]));
        assert_eq!(one.top_history().since(two.top_history()), None);
        let other = made(&[MatrixOp::Scale([2.0; 3])]);
        assert_eq!(two.top_history().since(other.top_history()), None);
        let loaded = made(&[MatrixOp::Load([3.0; 16])]);
        assert_eq!(loaded.top_history().since(made(&[]).top_history()), None);
    }

    #[test]
    fn long_histories_are_dropped() {
        let stack = made(&vec![MatrixOp::Scale([1.0; 3]); 2000]);
        assert!(stack.top_history().ops().contains(&MatrixOp::Unknown));
        assert_eq!(stack, stack.clone());
    }
}
