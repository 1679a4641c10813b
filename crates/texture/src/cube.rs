//! Cube maps: face selection, coordinates on a face, and filtering across edges (GL 4.6, 8.13 and 8.14.1).

/// A direction projected onto the face it hits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Projection {
    /// +X, -X, +Y, -Y, +Z, -Z.
    pub(crate) face: u32,
    /// Coordinates on the face, from zero to one.
    pub(crate) coords: [f32; 2],
    /// Their derivatives in the two given directions.
    pub(crate) derivatives: [[f32; 2]; 2],
}

/// The axes of a face with their signs: s, t and the major one, as (component, negative) of GL 4.6, table 8.19.
pub(crate) const AXES: [[(usize, bool); 3]; 6] = [
    [(2, true), (1, true), (0, false)],
    [(2, false), (1, true), (0, true)],
    [(0, false), (2, false), (1, false)],
    [(0, false), (2, true), (1, true)],
    [(0, false), (1, true), (2, false)],
    [(0, true), (1, true), (2, true)],
];

/// The face that a direction hits. For equal components the specification leaves the choice open; here z takes
/// precedence over x and x over y.
fn face(direction: [f32; 3]) -> u32 {
    let [x, y, z] = direction.map(f32::abs);
    let axis = if z >= x && z >= y {
        2
    } else if x >= y {
        0
    } else {
        1
    };
    2 * axis + u32::from(direction[axis as usize].is_sign_negative())
}

/// Projects a direction and its derivatives.
pub(crate) fn project(direction: [f32; 3], derivatives: [[f32; 3]; 2]) -> Projection {
    let face = face(direction);
    let axes = AXES[face as usize];
    let pick = |v: [f32; 3], (axis, negative): (usize, bool)| if negative { -v[axis] } else { v[axis] };
    let major = pick(direction, axes[2]);
    let on_face = [pick(direction, axes[0]), pick(direction, axes[1])];
    let coords = on_face.map(|c| 0.5 * (c / major + 1.0));
    let derivatives = derivatives.map(|d| {
        // The quotient rule on c / major.
        let d_major = pick(d, axes[2]);
        [0, 1].map(|i| 0.5 * (pick(d, axes[i]) - on_face[i] / major * d_major) / major)
    });
    Projection { face, coords, derivatives }
}

/// A texel near an edge, on the face to which it belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FaceTexel {
    pub(crate) face: u32,
    pub(crate) x: u32,
    pub(crate) y: u32,
}

/// What lies at a position on a face, at most one texel outside of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seamless {
    One(FaceTexel),
    /// There is no texel beyond a corner of the cube; the average of the three around it is used.
    Corner([FaceTexel; 3]),
}

/// Finds the texel for linear filtering across edges.
pub(crate) fn seamless(face: u32, x: i64, y: i64, size: u32) -> Seamless {
    let n = i64::from(size);
    // Apart from NaN coordinates, nothing is further out than one texel.
    let (x, y) = (x.clamp(-1, n), y.clamp(-1, n));
    let inside = |c: i64| (0..n).contains(&c);
    match (inside(x), inside(y)) {
        (true, true) => Seamless::One(FaceTexel { face, x: x as u32, y: y as u32 }),
        (false, true) | (true, false) => Seamless::One(fold(face, x, y, n)),
        (false, false) => {
            let (cx, cy) = (x.clamp(0, n - 1), y.clamp(0, n - 1));
            let own = FaceTexel { face, x: cx as u32, y: cy as u32 };
            Seamless::Corner([own, fold(face, x, cy, n), fold(face, cx, y, n)])
        }
    }
}

/// Follows the surface across the edge that the texel lies beyond. If the cube is scaled to twice the number of texels,
/// centres have integer coordinates: crossing the edge puts the axis of the step at its end and the old major axis half
/// a texel, which is one unit, short of its end.
fn fold(face: u32, x: i64, y: i64, n: i64) -> FaceTexel {
    let axes = AXES[face as usize];
    let signed = |(_, negative): (usize, bool), value: i64| if negative { -value } else { value };
    let mut point = [0i64; 3];
    let along = [2 * x + 1 - n, 2 * y + 1 - n];
    let beyond = usize::from((0..n).contains(&x));
    point[axes[0].0] = signed(axes[0], along[0].clamp(-n, n));
    point[axes[1].0] = signed(axes[1], along[1].clamp(-n, n));
    point[axes[2].0] = signed(axes[2], n - 1);
    let new_axis = axes[beyond].0;
    let new_face = 2 * new_axis + usize::from(point[new_axis] < 0);
    let texel = |axis: (usize, bool)| ((signed(axis, point[axis.0]) + n - 1) / 2).clamp(0, n - 1) as u32;
    FaceTexel { face: new_face as u32, x: texel(AXES[new_face][0]), y: texel(AXES[new_face][1]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STILL: [[f32; 3]; 2] = [[0.0; 3]; 2];

    #[track_caller]
    fn check(direction: [f32; 3], face: u32, coords: [f32; 2]) {
        let found = project(direction, STILL);
        assert_eq!((found.face, found.coords), (face, coords), "{direction:?}");
    }

    #[test]
    fn faces_and_coordinates() {
        check([2.0, 1.0, -1.0], 0, [0.75, 0.25]);
        check([-2.0, 1.0, -1.0], 1, [0.25, 0.25]);
        check([1.0, 2.0, -1.0], 2, [0.75, 0.25]);
        check([1.0, -2.0, -1.0], 3, [0.75, 0.75]);
        check([1.0, 1.0, 2.0], 4, [0.75, 0.25]);
        check([1.0, 1.0, -2.0], 5, [0.25, 0.25]);
    }

    #[test]
    fn derivatives_follow_the_quotient_rule() {
        let at = |t: f32| project([2.0 + t, 1.0 - t, 0.5 * t], STILL).coords;
        let found = project([2.0, 1.0, 0.0], [[1.0, -1.0, 0.5], [0.0; 3]]).derivatives;
        for i in 0..2 {
            let measured = (at(1e-3)[i] - at(-1e-3)[i]) / 2e-3;
            assert!((measured - found[0][i]).abs() < 1e-3, "{measured} {found:?}");
        }
        assert_eq!(found[1], [0.0; 2]);
    }

    /// The centre of a texel as a direction with integer coordinates.
    fn centre(texel: FaceTexel, n: i64) -> [i64; 3] {
        let axes = AXES[texel.face as usize];
        let mut point = [0; 3];
        for (axis, value) in
            [(axes[0], 2 * i64::from(texel.x) + 1 - n), (axes[1], 2 * i64::from(texel.y) + 1 - n), (axes[2], n)]
        {
            point[axis.0] = if axis.1 { -value } else { value };
        }
        point
    }

    #[test]
    fn texels_across_an_edge_are_adjacent() {
        let n = 4i64;
        for face in 0..6 {
            for k in 0..n {
                for (x, y) in [(-1, k), (n, k), (k, -1), (k, n)] {
                    let Seamless::One(texel) = seamless(face, x, y, 4) else {
                        panic!("a texel across an edge is not at a corner")
                    };
                    assert_ne!(texel.face, face);
                    let own = FaceTexel { face, x: x.clamp(0, n - 1) as u32, y: y.clamp(0, n - 1) as u32 };
                    let (a, b) = (centre(own, n), centre(texel, n));
                    let distance: i64 = (0..3).map(|i| (a[i] - b[i]).pow(2)).sum();
                    assert_eq!(distance, 2, "face {face} ({x}, {y}): {texel:?}");
                }
            }
        }
    }

    #[test]
    fn corners_are_three_texels_of_three_faces() {
        for face in 0..6 {
            for (x, y) in [(-1, -1), (4, -1), (-1, 4), (4, 4)] {
                let Seamless::Corner(texels) = seamless(face, x, y, 4) else { panic!("a corner") };
                let corner = texels.map(|t| centre(t, 4).map(i64::signum));
                assert_eq!((corner[0], corner[1]), (corner[1], corner[2]));
                assert!(texels[0].face != texels[1].face && texels[1].face != texels[2].face);
            }
        }
    }
}
