//! Compares two images.

use std::sync::Arc;

use driver::{Channel, Render};

use lanes::Numerics;
use texture::Filter;

use super::disturb::{self, Allowance};
use super::emulate::{self, Picture};
use super::scene::Scene;

/// Relative tolerance for floats.
pub const RELATIVE: f64 = 1e-5;
/// Absolute tolerance for floats.
pub const ABSOLUTE: f64 = 1e-6;

/// Number of components by distance in ulps: 0, 1, 2, 3-4, 5-8, …; the last row is the rest.
pub type Histogram = [u64; 20];

/// The comparison of two images.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Pixels.
    pub pixels: u64,
    /// Pixels that are bitwise equal (any NaN equals any other).
    pub exact: u64,
    /// Pixels within one ulp.
    pub one_ulp: u64,
    /// Pixels within the tolerance.
    pub within: u64,
    /// Components that the shader did not write, which are not compared.
    pub unwritten: u64,
    /// The largest distance of a component, except to a NaN.
    pub worst: u32,
    /// Distances of components.
    pub histogram: Histogram,
    /// Pixels outside the tolerance.
    pub outside: Vec<usize>,
    /// The hash of our image.
    pub picture: String,
    /// Pixels outside the tolerance by explanation, in the order of [`Reason`].
    pub reasons: [u64; 5],
}

/// Why a pixel may differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It differs no more than it would if sums and products had an error of one ulp.
    Conditioning,
    /// It differs no more than it would if functions had their maximum permitted error.
    Functions,
    /// It depends on something undefined, so that a driver may return anything; or it is a NaN or infinite.
    Undefined,
    /// It is the result of texture filtering with eight bits for the weights, as in hardware.
    Filters,
    /// None of these.
    Unexplained,
}

impl Reason {
    /// All, in the order of [`Comparison::reasons`].
    pub const ALL: [Reason; 5] =
        [Reason::Conditioning, Reason::Functions, Reason::Undefined, Reason::Filters, Reason::Unexplained];

    /// Returns the name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Conditioning => "badly conditioned",
            Reason::Functions => "functions within their bounds",
            Reason::Undefined => "undefined by the language",
            Reason::Filters => "filter weights of eight bits",
            Reason::Unexplained => "unexplained",
        }
    }
}

/// Shaders whose difference cannot be shown to be permitted by our own runs, each with the rule that permits it.
const KNOWN_DIFFERENCES: &[(&str, &str)] = &[
    ("missing_returns", "a function that reaches its end without `return` has an undefined value (GLSL ES 1.00, 6.1)"),
    ("glsl2/pragma-08", "`#pragma optionNV(fastprecision on)` asks NVIDIA's driver for half precision"),
];

/// Maximum relative distance of a filtered result from the driver's, once both use eight bits.
const FILTERED: f64 = 1e-4;
/// Seeds tried for each allowance.
const SEEDS: u32 = 5;
/// A driver's error may be larger than that of our five attempts by this factor.
const SLACK: f64 = 4.0;

/// Finds a reason for each pixel outside the tolerance.
///
/// # Errors
/// When the shader did not terminate.
pub fn explain(
    name: &str,
    scene: &Scene,
    ours: &Picture,
    theirs: &[Option<Vec<[u32; 4]>>],
    comparison: &mut Comparison,
) -> Result<(), String> {
    let mut open = comparison.outside.clone();
    if open.is_empty() {
        return Ok(());
    }
    let known = KNOWN_DIFFERENCES.iter().any(|(part, _)| name.contains(part));
    let touched = emulate::undefined(scene, &open)?;
    open.retain(|at| {
        let undefined = known
            || touched[*at]
            || pixel_words(scene, ours, theirs, *at).any(|(a, b)| !a.is_finite() || !b.is_finite());
        comparison.reasons[2] += u64::from(undefined);
        !undefined
    });
    for (index, allowance) in [Allowance::Rounding, Allowance::Functions].into_iter().enumerate() {
        if open.is_empty() {
            break;
        }
        let device = disturb::device(allowance);
        let numerics = Numerics { device: Some(Arc::new(device)), ..Numerics::IEEE };
        let mut tries = Vec::new();
        for seed in 1..=SEEDS {
            disturb::reseed(seed);
            tries.push(emulate::disturbed(scene, numerics.clone(), u64::from(seed), &open)?);
        }
        let before = open.len();
        open.retain(|at| !explained(scene, ours, theirs, &tries, *at));
        comparison.reasons[index] += (before - open.len()) as u64;
    }
    if !open.is_empty() && scene.textures.iter().any(|(_, sampler)| sampler.min_filter == Filter::Linear) {
        let coarse = emulate::coarsely_filtered(scene, &open)?;
        let before = open.len();
        open.retain(|at| !nearly(scene, &coarse, theirs, *at));
        comparison.reasons[3] += (before - open.len()) as u64;
    }
    comparison.reasons[4] += open.len() as u64;
    Ok(())
}

/// Returns whether the driver's result is as close as our own attempts are to each other, or discarding depends on the
/// last digit.
fn explained(scene: &Scene, ours: &Picture, theirs: &[Option<Vec<[u32; 4]>>], tries: &[Picture], at: usize) -> bool {
    if tries.iter().any(|t| t.discarded[at] != ours.discarded[at]) {
        return true;
    }
    let mut spreads = vec![0f64; pixel_words(scene, ours, theirs, at).count()];
    for other in tries {
        let moved = pixel_words(scene, other, theirs, at);
        for ((spread, (ours, _)), (other, _)) in spreads.iter_mut().zip(pixel_words(scene, ours, theirs, at)).zip(moved)
        {
            let distance = (ours - other).abs();
            *spread = if distance.is_nan() { f64::INFINITY } else { spread.max(distance) };
        }
    }
    pixel_words(scene, ours, theirs, at)
        .zip(spreads)
        .all(|((a, b), spread)| (a - b).abs() <= SLACK * spread + ABSOLUTE.max(RELATIVE * a.abs().min(b.abs())))
}

/// Returns whether an image with hardware filtering equals the driver's, up to half a step of the weights: rounding of
/// ties depends on the device.
fn nearly(scene: &Scene, coarse: &Picture, theirs: &[Option<Vec<[u32; 4]>>], at: usize) -> bool {
    pixel_words(scene, coarse, theirs, at).all(|(a, b)| (a - b).abs() <= ABSOLUTE.max(FILTERED * a.abs().min(b.abs())))
}

/// Returns our words and the driver's for a pixel, as numbers.
fn pixel_words<'a>(
    scene: &'a Scene,
    ours: &'a Picture,
    theirs: &'a [Option<Vec<[u32; 4]>>],
    at: usize,
) -> impl Iterator<Item = (f64, f64)> + 'a {
    scene.outputs.iter().enumerate().flat_map(move |(index, output)| {
        let picture = theirs.get(index).and_then(Option::as_ref);
        let count = if picture.is_some() { scene.results[index].len.min(4) as usize } else { 0 };
        (0..count).filter_map(move |i| {
            let pixel = ours.outputs[index][at];
            let clear = Render::clear_words(output.channel)[i];
            let word = if ours.discarded[at] { clear } else { pixel.words[i] };
            let compared = ours.discarded[at] || pixel.written >> i & 1 == 1;
            let number = |word: u32| match output.channel {
                Channel::Float => f64::from(f32::from_bits(word)),
                Channel::Int => f64::from(word as i32),
                Channel::Uint => f64::from(word),
            };
            compared.then(|| (number(word), picture.map_or(0.0, |p| number(p[at][i]))))
        })
    })
}

/// Compares our image with the driver's.
pub fn compare(scene: &Scene, ours: &Picture, theirs: &[Option<Vec<[u32; 4]>>]) -> Comparison {
    let mut comparison = Comparison::default();
    for at in 0..ours.discarded.len() {
        let (mut most, mut within) = (0, true);
        for (index, output) in scene.outputs.iter().enumerate() {
            let Some(Some(picture)) = theirs.get(index) else { continue };
            let pixel = ours.outputs[index][at];
            for (i, &other) in picture[at].iter().enumerate().take(scene.results[index].len as usize) {
                let clear = Render::clear_words(output.channel)[i];
                let word = if ours.discarded[at] { clear } else { pixel.words[i] };
                if !ours.discarded[at] && pixel.written >> i & 1 == 0 {
                    comparison.unwritten += 1;
                    continue;
                }
                let distance = distance(output.channel, word, other);
                comparison.histogram[row(distance)] += 1;
                most = distance.max(most);
                if distance < u32::MAX {
                    comparison.worst = distance.max(comparison.worst);
                }
                within &= close(output.channel, word, other);
            }
        }
        comparison.pixels += 1;
        comparison.exact += u64::from(most == 0);
        comparison.one_ulp += u64::from(most <= 1);
        comparison.within += u64::from(within);
        if !within {
            comparison.outside.push(at);
        }
    }
    comparison
}

/// Returns the number of distinct pixels of a driver's image.
pub fn distinct(theirs: &[Option<Vec<[u32; 4]>>]) -> usize {
    let pictures: Vec<&Vec<[u32; 4]>> = theirs.iter().flatten().collect();
    let count = pictures.first().map_or(0, |p| p.len());
    let pixel = |at: usize| pictures.iter().map(|p| p[at]).collect::<Vec<_>>();
    (0..count).map(pixel).collect::<std::collections::BTreeSet<_>>().len()
}

/// Returns whether two words are equal within the tolerance; integers must be equal.
pub fn close(channel: Channel, a: u32, b: u32) -> bool {
    if channel != Channel::Float {
        return a == b;
    }
    if distance(channel, a, b) == 0 {
        return true;
    }
    let (x, y) = (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(b)));
    // A NaN is close to nothing, and an infinity only to itself.
    (x - y).abs() <= ABSOLUTE.max(RELATIVE * x.abs().min(y.abs()))
}

/// Returns the ulps between two words; the largest number if only one is a NaN.
pub fn distance(channel: Channel, a: u32, b: u32) -> u32 {
    if channel != Channel::Float {
        return a.abs_diff(b);
    }
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => 0,
        (true, false) | (false, true) => u32::MAX,
        (false, false) => {
            let ordered = |word: u32| if word >> 31 == 1 { -i64::from(word & 0x7fff_ffff) } else { i64::from(word) };
            u32::try_from((ordered(a) - ordered(b)).unsigned_abs()).unwrap_or(u32::MAX)
        }
    }
}

fn row(distance: u32) -> usize {
    let rows = Histogram::default().len();
    let row = match distance {
        0 => 0,
        d => 33 - (d - 1).leading_zeros() as usize,
    };
    row.min(rows - 1)
}

/// Returns the label of a row of the histogram.
pub fn row_name(row: usize) -> String {
    match row {
        0..=2 => row.to_string(),
        _ if row + 1 == Histogram::default().len() => format!("> {}", 1u64 << (row - 2)),
        _ => format!("{}-{}", (1u64 << (row - 2)) + 1, 1u64 << (row - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_ulps() {
        let d = |a: f32, b: f32| distance(Channel::Float, a.to_bits(), b.to_bits());
        assert_eq!((d(1.0, 1.0), d(1.0, 1.0 + f32::EPSILON), d(0.0, -0.0)), (0, 1, 0));
        assert_eq!((d(f32::NAN, -f32::NAN), d(f32::NAN, 1.0)), (0, u32::MAX));
        assert_eq!(d(f32::from_bits(1), -f32::from_bits(1)), 2);
    }

    #[test]
    fn rows_double() {
        let rows: Vec<usize> = [0, 1, 2, 3, 4, 5, 8, 9, u32::MAX].into_iter().map(row).collect();
        assert_eq!(rows, [0, 1, 2, 3, 3, 4, 4, 5, 19]);
        assert_eq!(
            (row_name(2), row_name(3), row_name(4), row_name(19)),
            ("2".into(), "3-4".into(), "5-8".into(), "> 131072".into())
        );
    }
}
