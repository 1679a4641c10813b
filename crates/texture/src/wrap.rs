//! Wrap modes (GL 4.6, 8.14.2 and table 8.20).

/// How coordinates outside of the texture are handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// The texture repeats.
    Repeat,
    /// The texture repeats, mirrored every other time.
    MirroredRepeat,
    /// The texels at the edge extend outwards.
    ClampToEdge,
    /// The border colour extends outwards.
    ClampToBorder,
    /// Mirrored once, then like [`Wrap::ClampToEdge`].
    MirrorClampToEdge,
    /// The compatibility profile's `CLAMP`: the coordinate itself is clamped, so that linear filtering at the edge
    /// includes half of the border colour.
    Clamp,
}

impl Wrap {
    /// A texel's index along one axis, or `None` for the border colour.
    #[must_use]
    pub fn texel(self, coordinate: i64, size: u32) -> Option<u32> {
        let n = i64::from(size);
        if n == 0 {
            return None;
        }
        let wrapped = match self {
            Wrap::Repeat => coordinate.rem_euclid(n),
            Wrap::MirroredRepeat => (n - 1) - mirror(coordinate.rem_euclid(2 * n) - n),
            Wrap::ClampToEdge => coordinate.clamp(0, n - 1),
            Wrap::MirrorClampToEdge => mirror(coordinate).clamp(0, n - 1),
            Wrap::ClampToBorder | Wrap::Clamp => coordinate,
        };
        u32::try_from(wrapped).ok().filter(|&i| i < size)
    }

    /// Converts a normalised coordinate to texels. Whole repetitions are subtracted before the multiplication, where
    /// that costs no precision.
    #[must_use]
    pub(crate) fn scale(self, coordinate: f32, size: u32) -> f32 {
        let reduced = match self {
            Wrap::Repeat => coordinate - coordinate.floor(),
            Wrap::MirroredRepeat => coordinate - 2.0 * (coordinate * 0.5).floor(),
            Wrap::Clamp => coordinate.clamp(0.0, 1.0),
            Wrap::ClampToEdge | Wrap::ClampToBorder | Wrap::MirrorClampToEdge => coordinate,
        };
        reduced * size as f32
    }
}

fn mirror(a: i64) -> i64 {
    if a >= 0 { a } else { -(1 + a) }
}

/// A position between texels along one axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Span {
    /// The texel, or the first of two, before wrapping.
    pub(crate) first: i64,
    /// The weight of the second texel.
    pub(crate) fraction: f32,
    /// Whether there is a second texel.
    pub(crate) linear: bool,
}

impl Span {
    /// For missing axes.
    pub(crate) const NONE: Span = Span { first: 0, fraction: 0.0, linear: false };

    pub(crate) fn nearest(u: f32, offset: i32) -> Span {
        Span { first: whole(u.floor(), offset), fraction: 0.0, linear: false }
    }

    pub(crate) fn linear(u: f32, offset: i32) -> Span {
        Span::shifted(u - 0.5, offset)
    }

    /// Half a texel to the left of the position.
    pub(crate) fn shifted(shifted: f32, offset: i32) -> Span {
        let floor = shifted.floor();
        let fraction = shifted - floor;
        // Infinite coordinates have no fraction.
        Span { first: whole(floor, offset), fraction: if fraction.is_nan() { 0.0 } else { fraction }, linear: true }
    }

    /// The weight of the first or second texel.
    pub(crate) fn weight(self, second: bool) -> f32 {
        if second { self.fraction } else { 1.0 - self.fraction }
    }
}

/// Saturates; NaN becomes zero.
fn whole(floor: f32, offset: i32) -> i64 {
    // Far outside the texture, single texels are below the precision of floats; the bound keeps sums from overflowing.
    (floor.clamp(-1e15, 1e15) as i64) + i64::from(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wrap: Wrap, expected: [Option<u32>; 12]) {
        let found: Vec<_> = (-6..6).map(|i| wrap.texel(i, 3)).collect();
        assert_eq!(found, expected, "{wrap:?}");
    }

    #[test]
    fn every_mode_for_three_texels() {
        let all = |list: [u32; 12]| list.map(Some);
        check(Wrap::Repeat, all([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]));
        check(Wrap::MirroredRepeat, all([0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0]));
        check(Wrap::ClampToEdge, all([0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2]));
        check(Wrap::MirrorClampToEdge, all([2, 2, 2, 2, 1, 0, 0, 1, 2, 2, 2, 2]));
        let n = None;
        check(Wrap::ClampToBorder, [n, n, n, n, n, n, Some(0), Some(1), Some(2), n, n, n]);
    }

    #[test]
    fn linear_spans_lie_between_centres() {
        assert_eq!(Span::linear(1.0, 0), Span { first: 0, fraction: 0.5, linear: true });
        assert_eq!(Span::linear(1.5, 2), Span { first: 3, fraction: 0.0, linear: true });
        assert_eq!(Span::linear(0.25, 0), Span { first: -1, fraction: 0.75, linear: true });
        assert_eq!(Span::nearest(-0.25, 0).first, -1);
    }

    #[test]
    fn special_coordinates_stay_in_range() {
        for u in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
            for wrap in [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge, Wrap::MirrorClampToEdge, Wrap::Clamp] {
                let span = Span::linear(wrap.scale(u, 7), i32::MAX);
                assert!(wrap.texel(span.first + 1, 7).is_none_or(|i| i < 7));
                assert!(span.fraction >= 0.0 && span.fraction <= 1.0);
            }
        }
    }

    #[test]
    fn clamp_keeps_the_coordinate_inside() {
        assert_eq!(Wrap::Clamp.scale(1.5, 4), 4.0);
        assert_eq!(Wrap::Clamp.scale(-1.5, 4), 0.0);
        assert_eq!(Wrap::Repeat.scale(-0.25, 4), 3.0);
    }
}
