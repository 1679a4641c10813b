//! Which invocations run side by side.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use shader::version::Stage;

use crate::Inputs;

/// Four lanes of a wave: for fragments the pixels of a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quad {
    /// Whose inputs a lane is given.
    pub sources: [usize; 4],
    /// The lanes that are these invocations themselves; others only help.
    pub own: [bool; 4],
}

impl Quad {
    /// An invocation by itself, with neighbours as they follow from its inputs.
    #[must_use]
    pub fn alone(inputs: &Inputs, index: usize) -> Quad {
        let lane = inputs.lane();
        Quad { sources: [index; 4], own: std::array::from_fn(|other| other == lane) }
    }
}

/// Each invocation by itself.
pub fn singles<I: Borrow<Inputs>>(inputs: &[I]) -> Vec<Quad> {
    inputs.iter().enumerate().map(|(index, inputs)| Quad::alone(inputs.borrow(), index)).collect()
}

/// As many as possible in the same quads. Fragments share one if they are neighbours and each has for all lanes what the
/// others have, to the bit, of the inputs that are used: then it makes no difference that they do. Whether they are of one
/// primitive is not always known; such that are not have other inputs.
pub fn shared<I: Borrow<Inputs>>(stage: Stage, inputs: &[I], used: &[&str]) -> Vec<Quad> {
    if stage != Stage::Fragment {
        let of = |first: usize| {
            let place = |lane: usize| Some(first + lane).filter(|&index| index < inputs.len());
            Quad {
                sources: std::array::from_fn(|lane| place(lane).unwrap_or(first)),
                own: std::array::from_fn(|lane| place(lane).is_some()),
            }
        };
        return (0..inputs.len()).step_by(4).map(of).collect();
    }
    let mut squares: BTreeMap<[i32; 4], Vec<usize>> = BTreeMap::new();
    for (index, one) in inputs.iter().enumerate() {
        let (one, [row, column]) = (one.borrow().who, one.borrow().quad());
        squares.entry([row, column, one[2], one[3]]).or_default().push(index);
    }
    let mut all = Vec::with_capacity(inputs.len());
    for members in squares.into_values() {
        match square(inputs, &members, used) {
            Some(quad) => all.push(quad),
            None => all.extend(members.iter().map(|&index| Quad::alone(inputs[index].borrow(), index))),
        }
    }
    all
}

/// Neighbours as one quad, if they agree about each other, and about those that are missing.
fn square<I: Borrow<Inputs>>(inputs: &[I], members: &[usize], used: &[&str]) -> Option<Quad> {
    let (mut sources, mut own) = ([*members.first()?; 4], [false; 4]);
    for &index in members {
        let lane = inputs[index].borrow().lane();
        // Two fragments of a pixel are no neighbours.
        if std::mem::replace(&mut own[lane], true) {
            return None;
        }
        sources[lane] = index;
    }
    let agree = |one: usize, lane: usize| inputs[one].borrow().agrees(inputs[sources[lane]].borrow(), lane, used);
    let all = members.iter().all(|&one| (0..4).all(|lane| agree(one, lane)));
    all.then_some(Quad { sources, own })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::tests::fragment;

    /// The fragments of a square; the input of the last is so much off.
    fn four(off: f32) -> Vec<Inputs> {
        let at = |x: u8, y: u8| f32::from(x) + f32::from(y) * 0.5;
        let one = |x: u8, y: u8, off: f32| fragment([x.into(), y.into(), 0, 0], at(x, y) + off, [1.0, 0.5]);
        vec![one(2, 4, 0.0), one(3, 4, 0.0), one(2, 5, 0.0), one(3, 5, off)]
    }

    #[test]
    fn fragments_share_a_quad_if_they_agree_about_each_other() {
        let shared = |inputs: &[Inputs], used: &[&str]| shared(Stage::Fragment, inputs, used);
        let agreed = Quad { sources: [0, 1, 2, 3], own: [true; 4] };
        assert_eq!(shared(&four(0.0), &["value"]), [agreed]);
        // As if the last were of another primitive.
        assert_eq!(shared(&four(0.25), &["value"]), singles(&four(0.25)));
        assert_eq!(shared(&four(0.25), &[]), [agreed], "no invocation looks");
        let three = Quad { sources: [0, 1, 2, 0], own: [true, true, true, false] };
        assert_eq!(shared(&four(0.0)[..3], &["value"]), [three], "one is not there");
        let twice = [four(0.0), four(0.0)].concat();
        assert_eq!(shared(&twice, &["value"]), singles(&twice), "two of each pixel");
    }

    #[test]
    fn others_fill_quads_as_they_come() {
        let inputs = [four(0.0), four(0.0)[..1].to_vec()].concat();
        let quads = shared(Stage::Vertex, &inputs, &["value"]);
        assert_eq!(quads[0].sources, [0, 1, 2, 3]);
        assert_eq!(quads[1], Quad { sources: [4; 4], own: [true, false, false, false] });
        assert_eq!(quads.len(), 2);
    }
}
