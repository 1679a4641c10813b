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
