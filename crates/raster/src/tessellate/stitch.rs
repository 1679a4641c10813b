//! Triangulation between neighbouring rows of points.

/// Triangles, counter-clockwise.
#[derive(Default)]
pub(super) struct Triangles(Vec<[u32; 3]>);

impl Triangles {
    pub(super) fn push(&mut self, triangle: [u32; 3]) {
        self.0.push(triangle);
    }

    /// All triangles in the requested winding order; the first vertex stays first.
    pub(super) fn indices(&self, clockwise: bool) -> Vec<u32> {
        let order = |&[a, b, c]: &[u32; 3]| if clockwise { [a, c, b] } else { [a, b, c] };
        self.0.iter().flat_map(order).collect()
    }

    /// Fills the space between a ring and the one inside it; the outermost ring may have any number of points.
    pub(super) fn between<const SIDES: usize>(
        &mut self,
        outer: &[Vec<u32>; SIDES],
        inner: &[Vec<u32>; SIDES],
        outermost: bool,
    ) {
        for (outer, inner) in outer.iter().zip(inner) {
            if outermost {
                self.transition(outer, inner);
            } else {
                self.trapezoid(outer, inner);
            }
        }
    }

    /// Rows with the same number of points. Each quad is split from a point of the second row to the next point of the
    /// first, except for the quad `mirrored`, which is split the other way.
    pub(super) fn strip(&mut self, outer: &[u32], inner: &[u32], mirrored: Option<usize>) {
        for (i, (o, n)) in outer.windows(2).zip(inner.windows(2)).enumerate() {
            match mirrored {
                None => self.0.extend([[n[0], o[0], o[1]], [n[0], o[1], n[1]]]),
                Some(middle) if i == middle => self.0.extend([[o[0], n[1], n[0]], [o[0], o[1], n[1]]]),
                Some(_) => self.0.extend([[o[0], o[1], n[0]], [n[0], o[1], n[1]]]),
            }
        }
    }

    /// A row and an inner one with two points fewer: a triangle at both ends, and quads in between whose diagonals are
    /// mirrored about the middle.
    fn trapezoid(&mut self, outer: &[u32], inner: &[u32]) {
        let (&[first, second, ..], &[.., before, last]) = (outer, outer) else { return };
        let (Some(&start), Some(&end)) = (inner.first(), inner.last()) else { return };
        self.0.push([first, second, start]);
        for (i, (o, n)) in outer[1..].windows(2).zip(inner.windows(2)).enumerate() {
            if i < inner.len() / 2 {
                self.0.extend([[o[0], n[1], n[0]], [o[0], o[1], n[1]]]);
            } else {
                self.0.extend([[n[0], o[0], o[1]], [n[0], o[1], n[1]]]);
            }
        }
        self.0.push([before, last, end]);
    }

    /// Rows with any number of points. Both are considered as subsets of a row of the highest level, of which they have
    /// the points that appear first; while stepping along that row, each advances whenever it has the point.
    fn transition(&mut self, outer: &[u32], inner: &[u32]) {
        // Segments of half a row; the inner one would have one more if it extended as far as the outer one.
        let halves = [inner.len().div_ceil(2), outer.len().saturating_sub(1) / 2];
        let odd = [inner, outer].map(|row| row.len().is_multiple_of(2));
        let mut walk = Walk { outer, inner, triangles: &mut self.0 };
        let has = |row: usize, slot: u32| appearance(slot) < halves[row];
        if halves[1] > 0 {
            walk.outer();
        }
        for slot in 1..HALF_SLOTS {
            if has(0, slot) {
                walk.inner();
            }
            if has(1, slot) {
                walk.outer();
            }
        }
        match odd {
            [false, false] => {}
            [true, true] => walk.middle_quad(),
            [false, true] => walk.middle_triangle(),
            [true, false] => walk.inner(),
        }
        for slot in (1..HALF_SLOTS).rev() {
            if has(1, slot) {
                walk.outer();
            }
            if has(0, slot) {
                walk.inner();
            }
        }
        if halves[1] > 0 {
            walk.outer();
        }
    }
}

/// The number of segments of half a row at the highest level.
const HALF_SLOTS: u32 = super::MAX_LEVEL / 2;

/// The order in which a point of half a row appears as the level increases: first the middle of the half, then those at
/// one and three quarters, and so on.
fn appearance(slot: u32) -> usize {
    let (level, odd_part) = (slot.trailing_zeros(), slot >> slot.trailing_zeros());
    ((HALF_SLOTS / 2) >> level) as usize + (odd_part / 2) as usize
}

/// Two rows, with the current point of each.
struct Walk<'a> {
    outer: &'a [u32],
    inner: &'a [u32],
    triangles: &'a mut Vec<[u32; 3]>,
}

impl Walk<'_> {
    fn outer(&mut self) {
        if let (&[o, next, ..], &[n, ..]) = (self.outer, self.inner) {
            self.triangles.push([o, next, n]);
            self.outer = &self.outer[1..];
        }
    }

    fn inner(&mut self) {
        if let (&[o, ..], &[n, next, ..]) = (self.outer, self.inner) {
            self.triangles.push([n, o, next]);
            self.inner = &self.inner[1..];
        }
    }

    /// Like [`Walk::outer`], but starting at the inner point.
    fn middle_triangle(&mut self) {
        if let (&[o, next, ..], &[n, ..]) = (self.outer, self.inner) {
            self.triangles.push([n, o, next]);
            self.outer = &self.outer[1..];
        }
    }

    fn middle_quad(&mut self) {
        self.inner();
        self.middle_triangle();
    }
}
