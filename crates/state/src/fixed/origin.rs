//! How matrices came to be what they are.
//!
//! Drivers know more of a matrix than its numbers. Mesa notes which kinds of calls made it, takes the notes for the way
//! to its inverse, and so to normals, and keeps them beyond `glLoadIdentity`; of a matrix that was loaded or multiplied
//! with any other it finds them out by its numbers, when it is pushed or drawn with. Whoever wants the same pixels again
//! must make a matrix by the same calls.

use std::sync::Arc;

use super::matrix::{Matrix, ONE};

/// What a call does to the matrix on top of a stack.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Making {
    /// It becomes the one that changes nothing.
    Identity,
    /// It is replaced.
    Load([f32; 16]),
    /// It is multiplied with another.
    Times([f32; 16]),
    /// It is turned by degrees around an axis.
    Rotate([f32; 4]),
    /// It is moved.
    Translate([f32; 3]),
    /// It is scaled.
    Scale([f32; 3]),
    /// A parallel projection is put behind it.
    Ortho([f32; 6]),
    /// A perspective projection is put behind it.
    Frustum([f32; 6]),
    /// It is used, so that the driver looks at its numbers.
    Use,
    /// More was done than is remembered.
    Much,
}

/// Kinds of calls that are noted, a bit each.
const ANY: u8 = 1;
const ROTATION: u8 = 1 << 1;
const TRANSLATION: u8 = 1 << 2;
const EVEN_SCALE: u8 = 1 << 3;
const SCALE: u8 = 1 << 4;
const PERSPECTIVE: u8 = 1 << 5;

/// So many calls are remembered.
const MOST: u32 = 1024;

/// Scales that are closer than this are the same to Mesa.
const CLOSE: f32 = 1.0e-8;

impl Making {
    /// What it makes of a matrix.
    #[must_use]
    pub fn of(&self, top: &Matrix) -> Matrix {
        match *self {
            Making::Identity => Matrix::IDENTITY,
            Making::Load(m) if bits(&m) == bits(&top.m) => *top,
            Making::Load(m) => Matrix::new(m),
            Making::Times(m) => top.times(&Matrix::new(m)),
            Making::Rotate([0.0, ..]) | Making::Use | Making::Much => *top,
            Making::Rotate([angle, x, y, z]) => top.rotated(angle, [x, y, z]),
            Making::Translate(by) => top.translated(by),
            Making::Scale(by) => top.scaled(by),
            Making::Ortho(planes) => top.with_ortho(planes),
            Making::Frustum(planes) => top.with_frustum(planes),
        }
    }

    fn kind(&self) -> u8 {
        match *self {
            Making::Load(_) | Making::Times(_) => ANY,
            Making::Rotate([0.0, ..]) | Making::Identity | Making::Use | Making::Much => 0,
            Making::Rotate(_) => ROTATION,
            Making::Translate(_) => TRANSLATION,
            Making::Scale([x, y, z]) if (x - y).abs() < CLOSE && (x - z).abs() < CLOSE => EVEN_SCALE,
            Making::Scale(_) => SCALE,
            Making::Ortho(_) => SCALE | TRANSLATION,
            Making::Frustum(_) => PERSPECTIVE,
        }
    }
}

/// What a driver knows of a matrix besides its numbers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Notes {
    /// The numbers it looked at last, unless those changed nothing.
    seen: Option<Arc<[f32; 16]>>,
    /// Kinds of calls since.
    kinds: u8,
}

impl Notes {
    /// What makes a driver that knows anything know this, before a `glLoadIdentity`.
    #[must_use]
    pub fn makings(&self) -> Vec<Making> {
        let seen = self.seen.as_ref().map_or(ONE, |seen| **seen);
        let examples = [
            (ROTATION, Making::Rotate([30.0, 1.0, 2.0, 3.0])),
            (TRANSLATION, Making::Translate([1.0, 2.0, 3.0])),
            (EVEN_SCALE, Making::Scale([2.0; 3])),
            (SCALE, Making::Scale([1.0, 2.0, 3.0])),
            (PERSPECTIVE, Making::Frustum([-1.0, 1.0, -1.0, 1.0, 1.0, 2.0])),
            (ANY, Making::Times(another(&seen))),
        ];
        let kinds = examples.into_iter().filter(|(kind, _)| self.kinds & kind != 0).map(|(_, making)| making);
        // To load what is there already does nothing.
        [Making::Load(another(&seen)), Making::Load(seen), Making::Use].into_iter().chain(kinds).collect()
    }
}

/// A matrix that is not this one.
fn another(m: &[f32; 16]) -> [f32; 16] {
    let double = ONE.map(|number| number * 2.0);
    if bits(m) == bits(&double) { ONE } else { double }
}

fn bits(m: &[f32; 16]) -> [u32; 16] {
    m.map(f32::to_bits)
}

/// The calls that made a matrix, since it last was what changes nothing or was loaded.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// What was known of it then.
    before: Notes,
    last: Option<Arc<Link>>,
}

#[derive(Debug)]
struct Link {
    making: Making,
    before: Option<Arc<Link>>,
    /// How many there are, with this one.
    length: u32,
    /// What is known with it.
    notes: Notes,
    /// Whether the driver has not yet looked at numbers that were loaded.
    unseen: bool,
}

impl Origin {
    /// What is known of the matrix.
    #[must_use]
    pub fn notes(&self) -> &Notes {
        self.last.as_ref().map_or(&self.before, |last| &last.notes)
    }

    /// What was known when it last was what changes nothing; nothing if it has been loaded since.
    #[must_use]
    pub fn notes_before(&self) -> Option<&Notes> {
        let loaded = self.links().last().is_some_and(|first| matches!(first.making, Making::Load(_)));
        (!loaded).then_some(&self.before)
    }

    /// Whether the driver has not yet looked at numbers that were loaded.
    #[must_use]
    pub fn is_unseen(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.unseen)
    }

    /// The calls that made it, the first first.
    #[must_use]
    pub fn makings(&self) -> Vec<Making> {
        let mut list: Vec<Making> = self.links().map(|link| link.making).collect();
        list.reverse();
        list
    }

    /// The calls that make it of another; nothing if that is not one that it came from.
    #[must_use]
    pub fn since(&self, other: &Origin) -> Option<Vec<Making>> {
        let length = other.length();
        let mut list: Vec<Making> =
            self.links().take_while(|link| link.length > length).map(|link| link.making).collect();
        let there = self.links().find(|link| link.length <= length);
        let loaded = list.last().is_some_and(|first| length == 0 && matches!(first, Making::Load(_)));
        let same = !loaded && self.before == other.before && same_links(there, other.last.as_ref());
        list.reverse();
        same.then_some(list)
    }

    /// The origin of what a call makes of the matrix.
    pub(super) fn then(&self, making: Making, top: &Matrix) -> Origin {
        match making {
            Making::Identity => return Origin { before: self.notes().clone(), last: None },
            Making::Load(m) if bits(&m) == bits(&top.m) => return self.clone(),
            Making::Rotate([0.0, ..]) => return self.clone(),
            Making::Use if !self.is_unseen() => return self.clone(),
            _ => {}
        }
        let mut notes = self.notes().clone();
        let (mut before, mut link, mut kept) = (self.last.clone(), making, self.before.clone());
        match making {
            Making::Load(_) => (notes, before, kept) = (Notes { seen: None, kinds: ANY }, None, Notes::default()),
            Making::Use => {
                let seen = (bits(&top.m) != bits(&ONE)).then(|| Arc::new(top.m));
                notes = Notes { seen, kinds: 0 };
            }
            _ => notes.kinds |= making.kind(),
        }
        if before.as_ref().is_some_and(|link| link.length >= MOST) {
            (before, link) = (None, Making::Much);
        }
        let unseen = match making {
            Making::Load(_) | Making::Times(_) => true,
            Making::Use => false,
            _ => self.is_unseen(),
        };
        let length = before.as_ref().map_or(0, |link| link.length) + 1;
        Origin { before: kept, last: Some(Arc::new(Link { making: link, before, length, notes, unseen })) }
    }

    fn length(&self) -> u32 {
        self.last.as_ref().map_or(0, |last| last.length)
    }

    fn links(&self) -> impl Iterator<Item = &Arc<Link>> {
        std::iter::successors(self.last.as_ref(), |link| link.before.as_ref())
    }
}

impl PartialEq for Origin {
    fn eq(&self, other: &Origin) -> bool {
        self.before == other.before && same_links(self.last.as_ref(), other.last.as_ref())
    }
}

fn same_links(mut mine: Option<&Arc<Link>>, mut other: Option<&Arc<Link>>) -> bool {
    loop {
        match (mine, other) {
            (None, None) => return true,
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => return true,
            // Two that were forgotten need not be the same.
            (Some(a), Some(b)) if a.length == b.length && a.making == b.making && a.making != Making::Much => {
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

    fn made(makings: &[Making]) -> MatrixStack {
        let mut stack = MatrixStack::new(4);
        makings.iter().for_each(|making| stack.make(*making));
        stack
    }

    #[test]
    fn what_is_known_comes_back() {
        let moved = Making::Translate([1.0, 0.0, 0.0]);
        let loaded = Making::Load([3.0; 16]);
        let ways: [&[Making]; 5] = [
            &[],
            &[Making::Scale([2.0, 3.0, 4.0]), Making::Identity, moved],
            &[loaded, Making::Use, moved, Making::Identity],
            &[loaded, Making::Identity, moved],
            &[Making::Times([2.0; 16]), Making::Use, Making::Rotate([1.0, 0.0, 1.0, 0.0])],
        ];
        for way in ways {
            let wanted = made(way);
            let mut stack = made(&[Making::Load([7.0; 16]), Making::Frustum([-1.0, 1.0, -1.0, 1.0, 1.0, 2.0])]);
            let notes = wanted.top_origin().notes_before().unwrap().makings();
            notes.into_iter().chain([Making::Identity]).for_each(|making| stack.make(making));
            wanted.top_origin().makings().into_iter().for_each(|making| stack.make(making));
            assert_eq!(stack, wanted, "{way:?}");
        }
    }

    #[test]
    fn only_what_came_of_it_comes_of_it() {
        let turned = Making::Rotate([1.0, 0.0, 1.0, 0.0]);
        let (one, two) = (made(&[turned]), made(&[turned, turned]));
        assert_eq!(two.top_origin().since(one.top_origin()), Some(vec![turned]));
        assert_eq!(one.top_origin().since(two.top_origin()), None);
        let other = made(&[Making::Scale([2.0; 3])]);
        assert_eq!(two.top_origin().since(other.top_origin()), None);
        let loaded = made(&[Making::Load([3.0; 16])]);
        assert_eq!(loaded.top_origin().since(made(&[]).top_origin()), None);
    }

    #[test]
    fn not_everything_is_remembered() {
        let stack = made(&vec![Making::Scale([1.0; 3]); 2000]);
        assert!(stack.top_origin().makings().contains(&Making::Much));
        assert_eq!(stack, stack.clone());
    }
}
