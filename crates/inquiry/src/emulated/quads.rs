//! Which invocations run side by side.

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
pub fn singles(inputs: &[Inputs]) -> Vec<Quad> {
    inputs.iter().enumerate().map(|(index, inputs)| Quad::alone(inputs, index)).collect()
}

/// As many as possible in the same quads. Fragments share one if they are neighbours and each has for the others what
/// those have themselves, to the bit: then it makes no difference that they do. Whether they are of one primitive is not
/// always known; such that are not have other inputs.
pub fn shared(stage: Stage, inputs: &[Inputs]) -> Vec<Quad> {
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
        let [x, y, primitive, sample] = one.who;
        squares.entry([y >> 1, x >> 1, primitive, sample]).or_default().push(index);
    }
    let mut all = Vec::with_capacity(inputs.len());
    for members in squares.into_values() {
        match square(inputs, &members) {
            Some(quad) => all.push(quad),
            None => all.extend(members.iter().map(|&index| Quad::alone(&inputs[index], index))),
        }
    }
    all
}

/// Four neighbours as one quad, if they agree about each other.
fn square(inputs: &[Inputs], members: &[usize]) -> Option<Quad> {
    let mut sources = [None; 4];
    members.iter().for_each(|&index| sources[inputs[index].lane()] = Some(index));
    let [Some(a), Some(b), Some(c), Some(d)] = sources else { return None };
    let sources = [a, b, c, d];
    let agree = members.len() == 4
        && sources.iter().all(|&one| (0..4).all(|lane| inputs[one].agrees(&inputs[sources[lane]], lane)));
    agree.then_some(Quad { sources, own: [true; 4] })
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
        let agreed = shared(Stage::Fragment, &four(0.0));
        assert_eq!(agreed, [Quad { sources: [0, 1, 2, 3], own: [true; 4] }]);
        // As if the last were of another primitive.
        assert_eq!(shared(Stage::Fragment, &four(0.25)), singles(&four(0.25)));
        let three = &four(0.0)[..3];
        assert_eq!(shared(Stage::Fragment, three), singles(three), "one is not there");
    }

    #[test]
    fn others_fill_quads_as_they_come() {
        let inputs = [four(0.0), four(0.0)[..1].to_vec()].concat();
        let quads = shared(Stage::Vertex, &inputs);
        assert_eq!(quads[0].sources, [0, 1, 2, 3]);
        assert_eq!(quads[1], Quad { sources: [4; 4], own: [true, false, false, false] });
        assert_eq!(quads.len(), 2);
    }
}
