//! Fragments on their way through the fixed functions.

use std::collections::BTreeMap;

use raster::Color;
use raster::format::Numeric;
use reenact::fragment_ops::{Fate, FragmentOps, Pixel, PlaneFormat, Role, ShadedFragment, TargetPlane};
use shader::types::Scalar;

use crate::TexelRef;
use crate::emulate::Emulated;
use crate::history::{Fragment, Value, Verdict};
use crate::visit::{MeasuredFragment, Visit};

/// By how many units of their format pixels may differ, because drivers round differently.
pub const UNITS: u32 = 1;

/// A fragment on its way through the fixed functions.
pub struct Step<'v> {
    pub seen: &'v MeasuredFragment,
    pub shaded: ShadedFragment,
    pub emulated: Option<&'v Emulated>,
    pub before: Pixel,
    pub after: Pixel,
    pub fate: Fate,
}

/// All fragments of a draw at a pixel, through the fixed functions one after the other.
pub fn steps<'v>(
    visit: &'v Visit,
    emulated: &'v BTreeMap<usize, Emulated>,
    (place, real): (TexelRef, &Pixel),
) -> Vec<Step<'v>> {
    let mut pixel = real.clone();
    let list = visit.pixels.get(&place.at).map_or(&[][..], Vec::as_slice);
    let step = |number: &usize| {
        let (seen, own) = (&visit.fragments[*number], emulated.get(number));
        let mut shaded = ShadedFragment { sample: place.sample, ..seen.shaded.clone() };
        if let Some(own) = own {
            shaded.colours.clone_from(&own.colours.first);
            shaded.second = own.colours.second;
            shaded.discarded = own.output.discard;
            shaded.depth = own.output.depth.unwrap_or(shaded.depth);
        }
        let before = pixel.clone();
        let fate = visit.tail.apply(&mut pixel, &shaded);
        Step { seen, shaded, emulated: own, before, after: pixel.clone(), fate }
    };
    let covers = |number: &&usize| !visit.uncovered.contains(&(**number, place.sample));
    list.iter().filter(covers).map(step).collect()
}

/// What a node says of a fragment.
pub fn fragment(order: usize, step: &Step<'_>, tail: &FragmentOps, role: Role) -> Fragment {
    let colour = |shaded: &ShadedFragment| match role {
        Role::Colour(buffer) => shaded.colours.get(buffer).copied().flatten(),
        _ => None,
    };
    Fragment {
        order: order as u32,
        primitive: step.seen.primitive,
        depth: step.shaded.depth,
        front: step.shaded.front,
        fate: step.fate(tail, role),
        measured: colour(&step.seen.shaded),
        emulated: step.emulated.and_then(|_| colour(&step.shaded)),
        stand_in: step.seen.stand_in,
    }
}

/// By how many units of its format a plane may differ from what fragments made of it one after the other: each may be
/// rounded in another way, and what it found there is as far off as much of it is kept.
pub fn slack(tail: &FragmentOps, role: Role, steps: &[Step<'_>]) -> u32 {
    let writing: Vec<&Step<'_>> = steps.iter().filter(|step| step.writes(tail, role)).collect();
    let Some((_, others)) = writing.split_first() else { return UNITS };
    let unit = f64::from(UNITS);
    others.iter().fold(unit, |slack, step| unit + step.kept(tail, role).most() * slack) as u32
}

/// Whether a plane holds what was computed for it, within a number of units of its format.
pub fn verdict(tail: &FragmentOps, role: Role, (made, real): (&Pixel, &Pixel), slack: u32) -> Verdict {
    if value_of(real, role).is_none() {
        return Verdict::Unchecked("what is there cannot be seen".to_owned());
    }
    let only = |pixel: &Pixel| {
        let mut one = Pixel::default();
        match role {
            Role::Colour(buffer) => {
                one.colours = vec![None; buffer + 1];
                one.colours[buffer] = pixel.colours.get(buffer).copied().flatten();
            }
            Role::Depth => one.depth = pixel.depth,
            Role::Stencil => one.stencil = pixel.stencil,
        }
        one
    };
    let (made, real) = (only(made), only(real));
    match (tail.differs(&made, &real, 0), tail.differs(&made, &real, slack)) {
        (None, _) => Verdict::Equal,
        (Some(difference), None) => Verdict::Within(difference.units),
        (Some(_), Some(difference)) if in_budget(tail, role, (&made, &real)) => Verdict::Within(difference.units),
        (Some(_), Some(_)) if role == Role::Depth && tail.samples() > 1 => {
            Verdict::Unchecked("a sample has the depth of its own place in the pixel, which is not measured".to_owned())
        }
        (Some(_), Some(difference)) => Verdict::Differs(difference.units),
    }
}

/// Whether floats of 32 bits differ by no more than values of shaders may: nothing of those was rounded away.
fn in_budget(tail: &FragmentOps, role: Role, (made, real): (&Pixel, &Pixel)) -> bool {
    let Role::Colour(buffer) = role else { return false };
    let wide = |plane: &TargetPlane| match plane.format {
        PlaneFormat::Colour(format) => format.numeric == Numeric::Float && format.bits.contains(&32),
        _ => false,
    };
    let floats = |pixel: &Pixel| match pixel.colours.get(buffer) {
        Some(Some(Color::Float(channels))) => Some(*channels),
        _ => None,
    };
    let (Some(made), Some(real)) = (floats(made), floats(real)) else { return false };
    let near = |(one, other): (f32, f32)| {
        let compared = verdict::numbers(Scalar::Float, one.to_bits().into(), other.to_bits().into());
        !matches!(compared, verdict::Verdict::Divergent(_))
    };
    tail.planes().iter().any(|plane| plane.role == role && wide(plane)) && made.into_iter().zip(real).all(near)
}

/// What a plane holds of a pixel.
pub fn value_of(pixel: &Pixel, role: Role) -> Option<Value> {
    match role {
        Role::Colour(buffer) => pixel.colours.get(buffer).copied().flatten().map(Value::Colour),
        Role::Depth => pixel.depth.map(Value::Depth),
        Role::Stencil => pixel.stencil.map(Value::Stencil),
    }
}

/// How much of what was there before a fragment is still there after it: how the result changes with it, at most 1.
///
/// Alpha has a share of its own: programs often blend it otherwise than colours, and what people see are the colours.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Kept {
    /// Of red, green and blue, the one of which most is left.
    pub colour: f64,
    /// Of alpha.
    pub alpha: f64,
}

impl Kept {
    /// Of the channel of which most is left.
    pub fn most(self) -> f64 {
        self.colour.max(self.alpha)
    }

    /// Whether nothing of it is there.
    pub fn is_nothing(self) -> bool {
        self.most() <= 0.0
    }
}

impl Step<'_> {
    /// Whether it wrote to a plane.
    pub fn writes(&self, tail: &FragmentOps, role: Role) -> bool {
        match (self.fate(tail, role), role) {
            (Fate::Written { .. }, Role::Colour(buffer)) => {
                self.shaded.colours.get(buffer).is_some_and(Option::is_some)
            }
            (Fate::Written { .. }, _) => true,
            _ => false,
        }
    }

    /// How much of what was there before a fragment is still there after it.
    pub fn kept(&self, tail: &FragmentOps, role: Role) -> Kept {
        let Role::Colour(buffer) = role else { return Kept::default() };
        if tail.replaces(buffer) {
            return Kept::default();
        }
        let with = |level: f32| {
            let mut pixel = self.before.clone();
            let held = pixel.colours.get_mut(buffer)?;
            let Some(Color::Float(_)) = held else { return None };
            *held = Some(Color::Float([level; 4]));
            tail.apply(&mut pixel, &self.shaded);
            pixel.colours[buffer].map(Color::floats)
        };
        let (Some(none), Some(full)) = (with(0.0), with(1.0)) else { return Kept::default() };
        let change = |channel: usize| f64::from((full[channel] - none[channel]).abs());
        // Steps of the format are no influence.
        let share = |change: f64| if change < 1.0 / 512.0 { 0.0 } else { change.min(1.0) };
        Kept { colour: share((0..3).map(change).fold(0.0, f64::max)), alpha: share(change(3)) }
    }

    /// What became of it as far as a plane is concerned.
    fn fate(&self, tail: &FragmentOps, role: Role) -> Fate {
        match self.fate {
            Fate::Written { .. } if !tail.lets(role) => Fate::Masked,
            fate => fate,
        }
    }
}
