//! Coverage of lines, by the diamond-exit rule (GL 4.6, 14.5.1).

use crate::polygon::{Bounds, Coverage, QuadFilter};
use crate::setup::SUBPIXELS;
use crate::state::EdgeRule;

const HALF: i64 = SUBPIXELS / 2;

/// Calls `each` for every quad in which the line between two snapped positions produces a fragment. Under
/// [`EdgeRule::UpperLeft`], positions exactly between two rows belong to the upper one.
///
/// A line produces the pixels whose diamond - the points nearer than half a pixel to the centre, as |dx| + |dy| - it
/// leaves. A line that is more horizontal than vertical leaves the diamonds of the columns whose centres it crosses,
/// and that of the pixel in whose diamond it starts; it does not leave the one it ends in.
pub(crate) fn cover(
    from: (i64, i64),
    to: (i64, i64),
    width: u32,
    rule: EdgeRule,
    bounds: Bounds,
    wanted: &QuadFilter,
    each: &mut dyn FnMut(Coverage),
) {
    // After mirroring, the upper row is the lower one.
    let mirrored = rule == EdgeRule::UpperLeft;
    let mirror = |p: (i64, i64)| if mirrored { (p.0, -p.1) } else { p };
    let (from, to) = (mirror(from), mirror(to));
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let steep = dy.abs() > dx.abs();
    let swap = |p: (i64, i64)| if steep { (p.1, p.0) } else { p };
    let whole = |range: (u32, u32)| (i64::from(range.0), i64::from(range.1));
    let limits = match (steep, mirrored) {
        (false, _) => whole(bounds.x),
        (true, false) => whole(bounds.y),
        (true, true) => (-whole(bounds.y).1, -whole(bounds.y).0),
    };
    let mut pixels = Vec::new();
    walk(swap(from), swap(to), width, limits, &mut |major, minor| {
        let (x, y) = swap((major, minor));
        let y = if mirrored { -1 - y } else { y };
        if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
            && bounds.contains(x, y)
            && wanted.has(x / 2, y / 2)
        {
            pixels.push((y / 2, x / 2, (x & 1) | (y & 1) << 1));
        }
    });
    pixels.sort_unstable();
    for quad in pixels.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let mut masks = [0; 4];
        quad.iter().for_each(|(_, _, lane)| masks[*lane as usize] = 1);
        each(Coverage { x: quad[0].1 * 2, y: quad[0].0 * 2, masks });
    }
}

/// Steps along the major axis, which is the first coordinate of each pair, and calls `pixel` for every pixel.
fn walk(from: (i64, i64), to: (i64, i64), width: u32, limits: (i64, i64), pixel: &mut dyn FnMut(i64, i64)) {
    let (length, rise) = (to.0 - from.0, to.1 - from.1);
    if length == 0 {
        return;
    }
    let begin = diamond(from);
    let end = diamond(to);
    // Columns whose centres lie between the ends; the specification moves both ends slightly to the left, so that a
    // centre at the left end is crossed and one at the right end is not.
    let (low, high) = (from.0.min(to.0), from.0.max(to.0));
    let first = -(HALF - low).div_euclid(SUBPIXELS);
    let last = -(HALF - high).div_euclid(SUBPIXELS) - 1;
    let first = begin.map_or(first, |d| first.min(d.0));
    let last = begin.map_or(last, |d| last.max(d.0));
    let sign = length.signum();
    for column in first.max(limits.0)..=last.min(limits.1 - 1) {
        if end.is_some_and(|d| d.0 == column) {
            continue;
        }
        let centre = column * SUBPIXELS + HALF;
        // The row in which the line, or its extension, crosses the centre of the column.
        let numerator =
            (from.1 * length + rise * (centre - from.0)) * sign - i64::from(width - 1) * HALF * length.abs();
        // A crossing exactly between two pixels belongs to the lower one, by the same shift.
        let row = (numerator - 1).div_euclid(SUBPIXELS * length.abs());
        (0..i64::from(width)).for_each(|i| pixel(column, row + i));
    }
}

/// The pixel whose diamond contains a position, if any.
fn diamond(at: (i64, i64)) -> Option<(i64, i64)> {
    let pixel = (at.0.div_euclid(SUBPIXELS), at.1.div_euclid(SUBPIXELS));
    let away = |p: i64, pixel: i64| (p - pixel * SUBPIXELS - HALF).abs();
    (away(at.0, pixel.0) + away(at.1, pixel.1) < HALF).then_some(pixel)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a line whose ends are given in eighths of a pixel.
    #[track_caller]
    fn check(from: (i64, i64), to: (i64, i64), width: u32, expected: &[(u32, u32)]) {
        check_rule(EdgeRule::LowerLeft, from, to, width, expected);
    }

    #[track_caller]
    fn check_rule(rule: EdgeRule, from: (i64, i64), to: (i64, i64), width: u32, expected: &[(u32, u32)]) {
        let mut made = Vec::new();
        let scale = |p: (i64, i64)| (p.0 * 32, p.1 * 32);
        let bounds = Bounds { x: (0, 16), y: (0, 16) };
        cover(scale(from), scale(to), width, rule, bounds, &QuadFilter::All, &mut |quad| {
            let lanes = (0..4_u32).filter(|lane| quad.masks[*lane as usize] != 0);
            made.extend(lanes.map(|lane| (quad.x + (lane & 1), quad.y + (lane >> 1))));
        });
        made.sort_unstable();
        assert_eq!(made, expected);
    }

    #[test]
    fn the_edge_rule_decides_between_two_rows() {
        check_rule(EdgeRule::LowerLeft, (4, 8), (20, 8), 1, &[(0, 0), (1, 0)]);
        check_rule(EdgeRule::UpperLeft, (4, 8), (20, 8), 1, &[(0, 1), (1, 1)]);
        // Steep lines have no ties in y except at their ends.
        check_rule(EdgeRule::LowerLeft, (4, 4), (5, 20), 1, &[(0, 0), (0, 1)]);
        check_rule(EdgeRule::UpperLeft, (4, 4), (5, 20), 1, &[(0, 0), (0, 1)]);
    }

    #[test]
    fn the_last_pixel_belongs_to_the_next_line() {
        // From centre to centre, in both directions.
        check((4, 4), (28, 4), 1, &[(0, 0), (1, 0), (2, 0)]);
        check((28, 4), (4, 4), 1, &[(1, 0), (2, 0), (3, 0)]);
        check((4, 4), (4, 28), 1, &[(0, 0), (0, 1), (0, 2)]);
        check((4, 28), (4, 4), 1, &[(0, 1), (0, 2), (0, 3)]);
    }

    #[test]
    fn diamonds_must_be_left() {
        check((4, 4), (6, 4), 1, &[]);
        check((6, 4), (9, 4), 1, &[(0, 0)]);
        check((2, 4), (5, 4), 1, &[]);
        // Ends outside of the diamond but inside the pixel.
        check((3, 1), (7, 1), 1, &[(0, 0)]);
        // A complete chain covers each pixel once.
        check((4, 4), (14, 5), 1, &[(0, 0)]);
        check((14, 5), (28, 5), 1, &[(1, 0), (2, 0)]);
    }

    #[test]
    fn diagonals() {
        check((4, 4), (28, 28), 1, &[(0, 0), (1, 1), (2, 2)]);
        check((4, 28), (28, 4), 1, &[(0, 3), (1, 2), (2, 1)]);
    }

    #[test]
    fn wide_lines() {
        check((4, 12), (20, 12), 3, &[(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        check((12, 4), (12, 12), 3, &[(0, 0), (1, 0), (2, 0)]);
    }

    #[test]
    fn lines_without_length_draw_nothing() {
        check((4, 4), (4, 4), 1, &[]);
    }
}
