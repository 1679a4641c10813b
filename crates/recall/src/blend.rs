//! How inputs of a fragment come from the corners of its primitive.

use std::cmp::Ordering;

use api::constant as c;
use inquiry::DrawSnapshot;
use raster::assemble::PrimitiveKind;
use shader::qualifier::Interpolation;
use shader::types::Scalar;
use state::variable as var;

use crate::history::Verdict;
use crate::ports::{Output, Taken};

/// How inputs of a fragment come from the corners of its primitive.
pub struct Blend {
    /// The share of each corner, where the perspective counts; together 1.
    pub weights: Vec<f64>,
    /// Whether the fragment was given what that makes of the corners' outputs.
    pub verdict: Verdict,
    /// By how much it was not, and how far the fragment is from the primitive: below 1 it may be of it.
    pub distance: f64,
    /// How far apart in depth the fragment and the primitive are.
    apart: f64,
}

/// A fragment whose primitive is looked for.
pub struct Shard<'f> {
    /// Its pixel.
    pub at: [i32; 2],
    /// What it was given.
    pub taken: &'f [Taken],
    /// Its pixel has several samples.
    pub loose: bool,
    /// Its depth, if that was measured.
    pub depth: Option<f64>,
}

/// Samples lie in a pixel, and corners are moved to a grid before they are drawn; this far, in pixels, what is compared
/// may be from where it should be.
const GRID: f64 = 1.0 / 128.0;

impl Blend {
    /// That of a fragment of a primitive, whose corners give this on; nothing when a corner has no place, or the primitive
    /// covers nothing.
    pub fn new(
        work: &DrawSnapshot,
        kind: PrimitiveKind,
        (corners, provoking): (&[&[Output]], &[Output]),
        fragment: &Shard<'_>,
    ) -> Option<Blend> {
        let places: Option<Vec<[f64; 4]>> = corners.iter().map(|corner| position(corner)).collect();
        let places = places?;
        let view = work.view().ok()?;
        let number = word(provoking, "gl_ViewportIndex").unwrap_or(0);
        let port: [f64; 4] = std::array::from_fn(|at| view.context.vars.value(var::VIEWPORT, number as usize)[at]);
        let slack = if fragment.loose { 0.75 } else { GRID };
        let at = fragment.at.map(|place| f64::from(place) + 0.5);
        let [here, right, above] = [[0.0, 0.0], [slack, 0.0], [0.0, slack]]
            .map(|by| weights(kind, &places, port, [at[0] + by[0], at[1] + by[1]]));
        if kind == PrimitiveKind::Triangle && here.0.iter().any(|share| !share.is_finite()) {
            return None;
        }
        let (mut worst, mut units, mut distance, mut compared) = (0, 0, 0.0f64, false);
        for taken in fragment.taken.iter().filter(|taken| !taken.name.starts_with("gl_")) {
            let outputs: Option<Vec<&[u32]>> = corners.iter().map(|corner| taken.source(corner)).collect();
            let (Some(outputs), Some(fixed)) = (outputs, taken.source(provoking)) else { continue };
            let float = taken.scalar == Scalar::Float;
            for (place, bits) in taken.words.iter().enumerate() {
                compared = true;
                let measured = f32::from_bits(*bits);
                if !float || taken.manner == Some(Interpolation::Flat) {
                    let both = |word: &u32| float && measured.is_nan() && f32::from_bits(*word).is_nan();
                    if !fixed.get(place).is_some_and(|word| word == bits || both(word)) {
                        (worst, units, distance) = (2, u64::MAX, f64::INFINITY);
                    }
                    continue;
                }
                let number = |words: &[u32]| words.get(place).map_or(0.0, |word| f64::from(f32::from_bits(*word)));
                let sum = |(perspective, linear): &(Vec<f64>, Vec<f64>)| {
                    let shares = if taken.manner == Some(Interpolation::NoPerspective) { linear } else { perspective };
                    shares.iter().zip(&outputs).map(|(share, words)| share * number(words)).sum::<f64>()
                };
                let expected = sum(&here);
                let most = outputs.iter().map(|words| number(words).abs()).fold(0.0, f64::max);
                let slope = (sum(&right) - expected).abs() + (sum(&above) - expected).abs();
                let apart = (expected - f64::from(measured)).abs();
                if expected.is_nan() || measured.is_nan() {
                    if expected.is_nan() != measured.is_nan() {
                        (worst, units, distance) = (2, u64::MAX, f64::INFINITY);
                    }
                    continue;
                }
                let steps = ulps(expected as f32, measured);
                let own = match () {
                    () if steps == 0 => 0,
                    () if apart <= slope + 1e-5 * most + 1e-6 => 1,
                    () => 2,
                };
                worst = worst.max(own);
                units = units.max(steps);
                distance = distance.max(apart / (1e-5 * most + slope + 1e-6));
            }
        }
        let verdict = match (compared, worst) {
            (false, _) => Verdict::Unchecked("the fragment shader takes nothing that vertices give".to_owned()),
            (true, 0) => Verdict::Equal,
            (true, 1) => Verdict::Within(units),
            (true, _) => Verdict::Differs(units),
        };
        // Among several, the primitive that the fragment lies in is chosen.
        let outside = here.0.iter().map(|share| (-share).max(0.0)).fold(0.0, f64::max);
        let depth: f64 = here.1.iter().zip(&places).map(|(share, place)| share * place[2] / place[3]).sum();
        let range: [f64; 2] = std::array::from_fn(|at| view.context.vars.value(var::DEPTH_RANGE, number as usize)[at]);
        let depth = match view.context.vars.name(var::CLIP_DEPTH_MODE) {
            c::GL_ZERO_TO_ONE => depth,
            _ => (depth + 1.0) / 2.0,
        };
        let apart = fragment.depth.map_or(0.0, |own| (own - (range[0] + depth * (range[1] - range[0]))).abs());
        Some(Blend { weights: here.0, verdict, distance: distance + 100.0 * outside, apart })
    }

    /// Which of two primitives is the better one. Where the fragment may be of both, it is of the nearer one in depth:
    /// polygon offsets move it less than surfaces are apart.
    pub fn compare(&self, other: &Blend) -> Ordering {
        let order = |one: f64, other: f64| one.total_cmp(&other);
        let fit = order(self.distance.max(1.0), other.distance.max(1.0));
        fit.then(order(self.apart, other.apart)).then(order(self.distance, other.distance))
    }
}

/// Steps between two floats.
pub fn ulps(one: f32, other: f32) -> u64 {
    let order = |value: f32| {
        let bits = i64::from(value.to_bits().cast_signed());
        if bits < 0 { i64::from(i32::MIN) - bits } else { bits }
    };
    order(one).abs_diff(order(other))
}

/// Where a corner is, in clip coordinates.
fn position(corner: &[Output]) -> Option<[f64; 4]> {
    let words = &corner.iter().find(|output| output.name == "gl_Position")?.words;
    (words.len() == 4).then(|| std::array::from_fn(|at| f64::from(f32::from_bits(words[at]))))
}

fn word(corner: &[Output], name: &str) -> Option<u32> {
    corner.iter().find(|output| output.name == name)?.words.first().copied()
}

/// Shares of corners at a place in the window: with perspective, and without (GL 4.6, 14.6.1).
fn weights(
    kind: PrimitiveKind,
    places: &[[f64; 4]],
    [x, y, width, height]: [f64; 4],
    at: [f64; 2],
) -> (Vec<f64>, Vec<f64>) {
    // In normalised device coordinates.
    let goal = [(at[0] - x) / width * 2.0 - 1.0, (at[1] - y) / height * 2.0 - 1.0];
    let (perspective, linear) = match kind {
        PrimitiveKind::Point => (vec![1.0], vec![1.0]),
        PrimitiveKind::Line => {
            let screen = |place: &[f64; 4]| [place[0] / place[3] * width, place[1] / place[3] * height];
            let (from, to) = (screen(&places[0]), screen(&places[1]));
            let way = [to[0] - from[0], to[1] - from[1]];
            let own = [goal[0] * width - from[0], goal[1] * height - from[1]];
            let length = way[0] * way[0] + way[1] * way[1];
            let along = if length > 0.0 { (own[0] * way[0] + own[1] * way[1]) / length } else { 0.0 };
            let linear = vec![1.0 - along, along];
            let divided = linear.iter().zip(places).map(|(share, place)| share / place[3]).collect();
            (divided, linear)
        }
        PrimitiveKind::Triangle => {
            // The point of the plane through the corners that is seen at the goal: nothing is left of x - goal w.
            let row =
                |axis: usize| -> [f64; 3] { std::array::from_fn(|at| places[at][axis] - goal[axis] * places[at][3]) };
            let (a, b) = (row(0), row(1));
            let cross = vec![a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            let linear = cross.iter().zip(places).map(|(share, place)| share * place[3]).collect();
            (cross, linear)
        }
    };
    (whole(&perspective), whole(&linear))
}

/// Shares that are 1 together; not finite where the corners of a triangle lie on a line.
fn whole(shares: &[f64]) -> Vec<f64> {
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|share| share / sum).collect()
}
