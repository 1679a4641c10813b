//! The subdivision of an edge.

use super::Spacing;

/// One, in fixed point.
pub(super) const ONE: i32 = 1 << 16;

/// One half, in fixed point.
pub(super) const HALF: i32 = ONE / 2;

/// The points of a subdivided edge, symmetric about its middle.
pub(super) struct Edge {
    /// From 0 to [`ONE`], in fixed point. With fractional spacing, neighbours may coincide.
    pub(super) at: Vec<i32>,
}

impl Edge {
    /// An outer edge with a clamped level.
    pub(super) fn outer(spacing: Spacing, level: i32) -> Edge {
        let odd = match spacing {
            Spacing::Equal => level & ONE != 0,
            Spacing::FractionalEven => false,
            Spacing::FractionalOdd => true,
        };
        Edge::new(level, odd)
    }

    /// An inner edge with a clamped level. By GL 4.6, 11.2.2.1, a level of one counts as slightly more, unless the
    /// whole patch consists only of its corners.
    pub(super) fn inner(spacing: Spacing, level: i32) -> Edge {
        match spacing {
            Spacing::Equal if level == ONE => Edge::new(2 * ONE, false),
            Spacing::FractionalOdd => Edge::new(level.max(ONE + 1), true),
            Spacing::Equal | Spacing::FractionalEven => Edge::outer(spacing, level),
        }
    }

    /// Whether the number of segments is odd, so that there is no middle point.
    pub(super) fn odd(&self) -> bool {
        self.at.len().is_multiple_of(2)
    }

    /// The points that are at least `depth` steps from both ends.
    pub(super) fn within(&self, depth: usize) -> &[i32] {
        self.at.get(depth..self.at.len() - depth).unwrap_or(&[])
    }

    /// Between two levels of the required parity, each point moves linearly from its position at the lower level to
    /// that at the higher one, except for the point of each half that splits off its neighbour.
    fn new(level: i32, odd: bool) -> Edge {
        // Half the level, scaled so that it is an integer if all segments are equal.
        let half = (level + 1) / 2 + if odd { HALF } else { 0 };
        let (low, fraction) = (half >> 16, half & 0xffff);
        let high = low + i32::from(fraction > 0);
        let segments = |half: i32| 2 * half - i32::from(odd);
        // The reciprocals are rounded, as if taken from a table.
        let step = |half: i32| (ONE + segments(half) / 2) / segments(half);
        let split = split(low, odd);
        let first_half = (0..high).map(|i| {
            let in_low = if fraction > 0 && i > split { i - 1 } else { i };
            let mixed = i64::from(in_low * step(low)) * i64::from(ONE - fraction)
                + i64::from(i * step(high)) * i64::from(fraction);
            ((mixed + i64::from(HALF)) >> 16) as i32
        });
        let mut at: Vec<i32> = first_half.collect();
        let second_half: Vec<i32> = at.iter().rev().map(|t| ONE - t).collect();
        if !odd {
            at.push(HALF);
        }
        at.extend(second_half);
        Edge { at }
    }
}

/// The point of a half after which the next one appears, in the order of the ruler function, so that points appear
/// evenly distributed and one after the other.
fn split(low: i32, odd: bool) -> i32 {
    let there = low - i32::from(odd);
    if there <= 0 {
        return 0;
    }
    let highest_bit = 1 << (31 - there.leading_zeros());
    2 * (there - highest_bit) + 1
}
