//! One edge, subdivided.

use super::Spacing;

/// One, in fixed point.
pub(super) const ONE: i32 = 1 << 16;

/// One half, in fixed point.
pub(super) const HALF: i32 = ONE / 2;

/// The points of a subdivided edge, symmetric about its middle.
pub(super) struct Edge {
    /// From 0 to [`ONE`], in fixed point. Fractional spacing may put neighbours in one place.
    pub(super) at: Vec<i32>,
}

impl Edge {
    /// An outer edge of a level that was clamped.
    pub(super) fn outer(spacing: Spacing, level: i32) -> Edge {
        let odd = match spacing {
            Spacing::Equal => level & ONE != 0,
            Spacing::FractionalEven => false,
            Spacing::FractionalOdd => true,
        };
        Edge::new(level, odd)
    }

    /// An inner level that was clamped. As GL 4.6, 11.2.2.1 has it, a level of one is taken to be a little more wherever
    /// the whole patch is not just its corners.
    pub(super) fn inner(spacing: Spacing, level: i32) -> Edge {
        match spacing {
            Spacing::Equal if level == ONE => Edge::new(2 * ONE, false),
            Spacing::FractionalOdd => Edge::new(level.max(ONE + 1), true),
            Spacing::Equal | Spacing::FractionalEven => Edge::outer(spacing, level),
        }
    }

    /// Whether the number of segments is odd, so that there is no point in the middle.
    pub(super) fn odd(&self) -> bool {
        self.at.len().is_multiple_of(2)
    }

    /// The points that are at least so many steps from both ends.
    pub(super) fn within(&self, depth: usize) -> &[i32] {
        self.at.get(depth..self.at.len() - depth).unwrap_or(&[])
    }

    /// Between two levels of the wanted parity, each point moves in a straight line from where it is in the lower one
    /// to where it is in the higher one, but for the one of each half that splits off its neighbour.
    fn new(level: i32, odd: bool) -> Edge {
        // Half the level, such that it is whole where all segments are equal.
        let half = (level + 1) / 2 + if odd { HALF } else { 0 };
        let (low, fraction) = (half >> 16, half & 0xffff);
        let high = low + i32::from(fraction > 0);
        let segments = |half: i32| 2 * half - i32::from(odd);
        // The reciprocals are rounded, as they would come from a table.
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

/// After which point of its half the next one appears: the ruler function's order, so that points appear between
/// others evenly, and one after the other.
fn split(low: i32, odd: bool) -> i32 {
    let there = low - i32::from(odd);
    if there <= 0 {
        return 0;
    }
    let highest_bit = 1 << (31 - there.leading_zeros());
    2 * (there - highest_bit) + 1
}
