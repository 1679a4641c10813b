//! Coverage of convex polygons.

use crate::setup::SUBPIXELS;
use crate::state::EdgeRule;

/// Half-open ranges of pixels in x and y.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub x: (u32, u32),
    pub y: (u32, u32),
}

impl Bounds {
    pub fn contains(&self, x: u32, y: u32) -> bool {
        (self.x.0..self.x.1).contains(&x) && (self.y.0..self.y.1).contains(&y)
    }
}

/// The quads of interest: all, or those in a list.
pub(crate) enum QuadFilter {
    /// Every quad.
    All,
    /// Sorted by (y / 2, x / 2).
    Quads(Vec<(u32, u32)>),
}

impl QuadFilter {
    /// The quads that contain these pixels.
    pub fn around(pixels: Option<&[(u32, u32)]>) -> QuadFilter {
        let Some(pixels) = pixels else { return QuadFilter::All };
        let mut quads: Vec<(u32, u32)> = pixels.iter().map(|(x, y)| (y / 2, x / 2)).collect();
        quads.sort_unstable();
        quads.dedup();
        QuadFilter::Quads(quads)
    }

    /// Whether it includes the quad at (2 x, 2 y).
    pub fn has(&self, x: u32, y: u32) -> bool {
        match self {
            QuadFilter::All => true,
            QuadFilter::Quads(quads) => quads.binary_search(&(y, x)).is_ok(),
        }
    }

    /// Calls `each` for every included quad of a row, in order.
    fn row(&self, y: u32, x: std::ops::RangeInclusive<u32>, each: &mut dyn FnMut(u32, u32)) {
        match self {
            QuadFilter::All => x.for_each(|x| each(x, y)),
            QuadFilter::Quads(quads) => {
                let from = quads.partition_point(|quad| *quad < (y, *x.start()));
                quads[from..].iter().take_while(|quad| **quad <= (y, *x.end())).for_each(|quad| each(quad.1, y));
            }
        }
    }

    /// The first row from `y` on that contains an included quad.
    fn next_row(&self, y: u32) -> Option<u32> {
        match self {
            QuadFilter::All => Some(y),
            QuadFilter::Quads(quads) => quads.get(quads.partition_point(|quad| quad.0 < y)).map(|quad| quad.0),
        }
    }
}

/// A quad of pixels at (x, y), both even, with the covered samples of each pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Coverage {
    pub x: u32,
    pub y: u32,
    pub masks: [u32; 4],
}

/// The half plane left of an edge: inside where `a * x + b * y + c` is not negative.
struct Edge {
    a: i64,
    b: i64,
    c: i64,
}

impl Edge {
    fn new(from: (i64, i64), to: (i64, i64), rule: EdgeRule) -> Edge {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        // In counter-clockwise order, left edges go down and lower edges go right.
        let owned = dy < 0
            || dy == 0
                && match rule {
                    EdgeRule::LowerLeft => dx > 0,
                    EdgeRule::UpperLeft => dx < 0,
                };
        Edge { a: -dy, b: dx, c: dy * from.0 - dx * from.1 - i64::from(!owned) }
    }

    fn inside(&self, x: i64, y: i64) -> bool {
        self.a * x + self.b * y + self.c >= 0
    }

    /// Narrows the range of x that may be inside for any y in the given range.
    fn narrow(&self, y: (i64, i64), x: &mut (i64, i64)) {
        let most = (self.b * y.0).max(self.b * y.1) + self.c;
        match self.a.signum() {
            1 => x.0 = x.0.max(-most.div_euclid(self.a)),
            -1 => x.1 = x.1.min(most.div_euclid(-self.a)),
            _ if most < 0 => x.1 = x.0 - 1,
            _ => {}
        }
    }
}

/// Calls `each` for every quad with a sample that the polygon covers. The corners are in counter-clockwise order, in
/// 1/256 of a pixel; sample positions are in 1/16.
pub(crate) fn cover(
    corners: &[(i64, i64)],
    rule: EdgeRule,
    samples: &[(u8, u8)],
    bounds: Bounds,
    wanted: &QuadFilter,
    each: &mut dyn FnMut(Coverage),
) {
    let edges: Vec<Edge> =
        (0..corners.len()).map(|i| Edge::new(corners[i], corners[(i + 1) % corners.len()], rule)).collect();
    let range = |of: fn(&(i64, i64)) -> i64, bounds: (u32, u32)| {
        let (low, high) = (corners.iter().map(of).min()?, corners.iter().map(of).max()?);
        let low = low.div_euclid(SUBPIXELS).max(i64::from(bounds.0));
        let high = high.div_euclid(SUBPIXELS).min(i64::from(bounds.1) - 1);
        (low <= high).then_some((low, high))
    };
    let (Some(xs), Some(ys)) = (range(|c| c.0, bounds.x), range(|c| c.1, bounds.y)) else { return };
    let offsets: Vec<(i64, i64)> =
        samples.iter().map(|(x, y)| (i64::from(*x) * SUBPIXELS / 16, i64::from(*y) * SUBPIXELS / 16)).collect();
    let mut row = u32::try_from(ys.0 / 2).unwrap_or(0);
    while let Some(y) = wanted.next_row(row).filter(|y| i64::from(*y) <= ys.1 / 2) {
        row = y + 1;
        let mut span = (xs.0 * SUBPIXELS, (xs.1 + 1) * SUBPIXELS);
        let band = (i64::from(y) * 2 * SUBPIXELS, (i64::from(y) * 2 + 2) * SUBPIXELS);
        edges.iter().for_each(|edge| edge.narrow(band, &mut span));
        if span.0 > span.1 {
            continue;
        }
        let quad = |x: i64| u32::try_from(x.div_euclid(2 * SUBPIXELS).clamp(xs.0 / 2, xs.1 / 2)).unwrap_or(0);
        wanted.row(y, quad(span.0)..=quad(span.1), &mut |x, y| {
            let (x, y) = (x * 2, y * 2);
            let masks = std::array::from_fn(|lane| {
                let (px, py) = (x + (lane as u32 & 1), y + (lane as u32 >> 1));
                if !bounds.contains(px, py) {
                    return 0;
                }
                let (px, py) = (i64::from(px) * SUBPIXELS, i64::from(py) * SUBPIXELS);
                let covered = |at: &(i64, i64)| edges.iter().all(|edge| edge.inside(px + at.0, py + at.1));
                offsets.iter().enumerate().fold(0, |mask, (i, at)| mask | u32::from(covered(at)) << i)
            });
            if masks != [0; 4] {
                each(Coverage { x, y, masks });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const BOUNDS: Bounds = Bounds { x: (0, 16), y: (0, 16) };

    fn pixels(corners: &[(i64, i64)], rule: EdgeRule, samples: u32, wanted: &QuadFilter) -> BTreeMap<(u32, u32), u32> {
        let mut made = BTreeMap::new();
        cover(corners, rule, crate::sample_positions(samples), BOUNDS, wanted, &mut |quad| {
            for lane in 0..4_u32 {
                if quad.masks[lane as usize] != 0 {
                    made.insert((quad.x + (lane & 1), quad.y + (lane >> 1)), quad.masks[lane as usize]);
                }
            }
        });
        made
    }

    /// A rectangle given by two corners, in quarters of a pixel.
    fn rectangle(x0: i64, y0: i64, x1: i64, y1: i64) -> Vec<(i64, i64)> {
        [(x0, y0), (x1, y0), (x1, y1), (x0, y1)].map(|(x, y)| (x * 64, y * 64)).to_vec()
    }

    #[track_caller]
    fn check(corners: &[(i64, i64)], rule: EdgeRule, expected: &[(u32, u32)]) {
        let made: Vec<(u32, u32)> = pixels(corners, rule, 1, &QuadFilter::All).into_keys().collect();
        assert_eq!(made, expected);
    }

    #[test]
    fn centres_on_an_edge_belong_to_one_side() {
        // From centre to centre: left is inside, right is outside.
        check(&rectangle(2, 2, 6, 6), EdgeRule::LowerLeft, &[(0, 0)]);
        check(&rectangle(2, 2, 6, 6), EdgeRule::UpperLeft, &[(0, 1)]);
        check(&rectangle(3, 3, 5, 5), EdgeRule::LowerLeft, &[]);
        check(&rectangle(-40, -40, 2, 3), EdgeRule::LowerLeft, &[]);
        check(&rectangle(-40, -40, 3, 3), EdgeRule::LowerLeft, &[(0, 0)]);
    }

    #[test]
    fn a_fan_covers_every_pixel_once() {
        let centre = (1000, 1111);
        let rim = [(10, 20), (2000, 5), (4000, 900), (4090, 4090), (1003, 3000), (-300, 2500)];
        let mut count: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for i in 0..rim.len() {
            let triangle = [centre, rim[i], rim[(i + 1) % rim.len()]];
            for at in pixels(&triangle, EdgeRule::LowerLeft, 1, &QuadFilter::All).into_keys() {
                *count.entry(at).or_default() += 1;
            }
        }
        assert!(count.values().all(|n| *n == 1));
        // All pixels in the middle are covered: there are no gaps along the spokes.
        assert!((2..12).all(|x| (2..10).all(|y| count.contains_key(&(x, y)))));
    }

    #[test]
    fn spans_are_complete() {
        let triangle = [(7, 13), (4000, 1500), (600, 4001)];
        let edges: Vec<Edge> =
            (0..3).map(|i| Edge::new(triangle[i], triangle[(i + 1) % 3], EdgeRule::LowerLeft)).collect();
        let all = pixels(&triangle, EdgeRule::LowerLeft, 1, &QuadFilter::All);
        for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
            let inside = edges.iter().all(|e| e.inside(i64::from(x) * 256 + 128, i64::from(y) * 256 + 128));
            assert_eq!(all.contains_key(&(x, y)), inside, "{x} {y}");
        }
    }

    #[test]
    fn samples_are_covered_separately() {
        let made = pixels(&rectangle(0, 0, 2, 4), EdgeRule::LowerLeft, 4, &QuadFilter::All);
        assert_eq!(made.into_iter().collect::<Vec<_>>(), [((0, 0), 0b0101)]);
        assert_eq!(pixels(&rectangle(0, 0, 4, 4), EdgeRule::LowerLeft, 8, &QuadFilter::All)[&(0, 0)], 0xff);
    }

    #[test]
    fn only_included_quads_are_visited() {
        let wanted = QuadFilter::around(Some(&[(9, 2), (3, 3), (2, 3), (15, 15)]));
        let made: Vec<_> = pixels(&rectangle(0, 0, 40, 40), EdgeRule::LowerLeft, 1, &wanted).into_keys().collect();
        assert_eq!(made, [(2, 2), (2, 3), (3, 2), (3, 3), (8, 2), (8, 3), (9, 2), (9, 3)]);
    }
}
