//! Two pictures side by side.

use driver::{Channel, Render};

use super::emulate::Picture;
use super::scene::Scene;

/// Relative distance at which floats still count as equal.
pub const RELATIVE: f64 = 1e-5;
/// Absolute distance at which floats still count as equal.
pub const ABSOLUTE: f64 = 1e-6;

/// How many components are so many units in the last place apart: 0, 1, 2, 3-4, 5-8, …; the last row is all the rest.
pub type Histogram = [u64; 20];

/// How two pictures compare.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Pixels.
    pub pixels: u64,
    /// Pixels equal in every bit (any NaN equals any other).
    pub exact: u64,
    /// Pixels within one unit in the last place.
    pub one_ulp: u64,
    /// Pixels within the tolerance.
    pub within: u64,
    /// Components that the shader left unwritten, which are not compared.
    pub unwritten: u64,
    /// Distances of components.
    pub histogram: Histogram,
    /// Pixels outside the tolerance.
    pub outside: Vec<usize>,
}

/// Compares our picture with the driver's.
pub fn compare(scene: &Scene, ours: &Picture, theirs: &[Option<Vec<[u32; 4]>>]) -> Comparison {
    let mut comparison = Comparison::default();
    for at in 0..ours.discarded.len() {
        let (mut most, mut within) = (0, true);
        for (index, output) in scene.outputs.iter().enumerate() {
            let Some(Some(picture)) = theirs.get(index) else { continue };
            let pixel = ours.outputs[index][at];
            for i in 0..scene.results[index].len.min(4) as usize {
                let clear = Render::clear_words(output.channel)[i];
                let word = if ours.discarded[at] { clear } else { pixel.words[i] };
                if !ours.discarded[at] && pixel.written >> i & 1 == 0 {
                    comparison.unwritten += 1;
                    continue;
                }
                let other = picture[at][i];
                let distance = distance(output.channel, word, other);
                comparison.histogram[row(distance)] += 1;
                most = distance.max(most);
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

/// How many different pixels a driver's picture has.
pub fn distinct(theirs: &[Option<Vec<[u32; 4]>>]) -> usize {
    let pictures: Vec<&Vec<[u32; 4]>> = theirs.iter().flatten().collect();
    let count = pictures.first().map_or(0, |p| p.len());
    let pixel = |at: usize| pictures.iter().map(|p| p[at]).collect::<Vec<_>>();
    (0..count).map(pixel).collect::<std::collections::BTreeSet<_>>().len()
}

/// Whether two words are the same within the tolerance; integers must be equal.
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

/// Units in the last place between two words; the largest number if only one is a NaN.
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

/// What a row of the histogram counts.
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
    fn distances_are_counted_in_units_of_the_last_place() {
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
