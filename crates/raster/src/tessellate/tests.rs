//! Properties of the tessellator for many levels, and some results known from the specification.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

const SPACINGS: [Spacing; 3] = [Spacing::Equal, Spacing::FractionalEven, Spacing::FractionalOdd];

fn tessellator(domain: Domain, spacing: Spacing) -> Tessellator {
    Tessellator { domain, spacing, clockwise: false, point_mode: false }
}

/// Small and large, integral and fractional levels, also below the minimum and above the maximum.
fn levels(seed: u32) -> ([f32; 4], [f32; 2]) {
    let mut random = testing::random::Random::new(seed.into());
    let mut next = || {
        let random = random.word() >> 8;
        match seed % 4 {
            0 => (1 + random % 6) as f32,
            1 => (random % 1000) as f32 / 100.0 + 0.01,
            2 => (random % 6600) as f32 / 100.0 + 0.01,
            _ => [1.0, 1.0, 1.000_01, 2.0, 3.0, 64.0, 63.0, f32::INFINITY][random as usize % 8],
        }
    };
    (std::array::from_fn(|_| next()), std::array::from_fn(|_| next()))
}

/// Twice the signed area of a triangle in the plane of u and v; exact, because coordinates have sixteen bits.
fn doubled_area(corners: [[f32; 3]; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn triangles(made: &Tessellation) -> Vec<[u32; 3]> {
    assert_eq!(made.topology, Topology::Triangles);
    made.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect()
}

#[test]
fn triangles_tile_the_domain() {
    for (domain, whole) in [(Domain::Triangles, 1.0), (Domain::Quads, 2.0)] {
        for spacing in SPACINGS {
            for seed in 0..160 {
                let (outer, inner) = levels(seed);
                let made = tessellator(domain, spacing).run(outer, inner);
                let mut sum = 0.0;
                for triangle in triangles(&made) {
                    let area = doubled_area(triangle.map(|i| made.coords[i as usize]));
                    assert!(area >= 0.0, "{domain:?} {spacing:?} {outer:?} {inner:?}: {triangle:?} is clockwise");
                    sum += area;
                }
                assert_eq!(sum, whole, "{domain:?} {spacing:?} {outer:?} {inner:?}");
            }
        }
    }
}

/// The edges of triangles without a neighbour. No two triangles may have the same edge in the same direction.
fn border(made: &Tessellation) -> Vec<(u32, u32)> {
    let mut edges = BTreeSet::new();
    for [a, b, c] in triangles(made) {
        for edge in [(a, b), (b, c), (c, a)] {
            assert!(edges.insert(edge), "{edge:?} twice");
        }
    }
    edges.iter().copied().filter(|&(a, b)| !edges.contains(&(b, a))).collect()
}

/// Every edge between vertices has a triangle on both sides, except at the border of the domain.
#[test]
fn the_mesh_has_no_cracks() {
    for domain in [Domain::Triangles, Domain::Quads] {
        for spacing in SPACINGS {
            for seed in 0..160 {
                let (outer, inner) = levels(seed);
                let made = tessellator(domain, spacing).run(outer, inner);
                for (a, b) in border(&made) {
                    let [p, q] = [a, b].map(|i| made.coords[i as usize]);
                    let sides = |[u, v, w]: [f32; 3]| match domain {
                        Domain::Triangles => [u == 0.0, v == 0.0, w == 0.0, false],
                        Domain::Quads | Domain::Isolines => [u == 0.0, v == 0.0, u == 1.0, v == 1.0],
                    };
                    let shared = sides(p).into_iter().zip(sides(q)).any(|(a, b)| a && b);
                    assert!(shared, "{domain:?} {spacing:?} {outer:?} {inner:?}: {p:?} to {q:?} is a crack");
                }
            }
        }
    }
}

/// The coordinates along each side, in order. Inner points that lie on a side are excluded.
fn sides(domain: Domain, made: &Tessellation) -> Vec<Vec<f32>> {
    let outermost: Vec<[f32; 3]> = border(made).into_iter().map(|(a, _)| made.coords[a as usize]).collect();
    let along = |side: &dyn Fn([f32; 3]) -> Option<f32>| {
        let mut found: Vec<f32> = outermost.iter().filter_map(|&coord| side(coord)).collect();
        found.sort_by(f32::total_cmp);
        found.dedup();
        found
    };
    let on = |here: bool, at: f32| here.then_some(at);
    match domain {
        Domain::Triangles => vec![
            along(&|[u, v, _]| on(u == 0.0, v)),
            along(&|[u, v, _]| on(v == 0.0, u)),
            along(&|[u, _, w]| on(w == 0.0, u)),
        ],
        Domain::Quads | Domain::Isolines => vec![
            along(&|[u, v, _]| on(u == 0.0, v)),
            along(&|[u, v, _]| on(v == 0.0, u)),
            along(&|[u, v, _]| on(u == 1.0, v)),
            along(&|[u, v, _]| on(v == 1.0, u)),
        ],
    }
}

#[test]
fn sides_depend_on_their_own_level_only() {
    for spacing in SPACINGS {
        let mut seen: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
        for seed in 0..400 {
            let (outer, inner) = levels(seed);
            for domain in [Domain::Triangles, Domain::Quads] {
                let made = tessellator(domain, spacing).run(outer, inner);
                for (level, side) in outer.into_iter().zip(sides(domain, &made)) {
                    let mirrored: Vec<f32> = side.iter().rev().map(|t| 1.0 - t).collect();
                    assert_eq!(side, mirrored, "{spacing:?} {level}");
                    let before = seen.entry(level.to_bits()).or_insert_with(|| side.clone());
                    assert_eq!(*before, side, "{spacing:?} {level}");
                }
            }
        }
        assert!(seen.len() > 100);
    }
}

/// Checks the segments of one edge.
#[track_caller]
fn check_edge(spacing: Spacing, level: f32, expected: &[f32]) {
    let made = tessellator(Domain::Isolines, spacing).run([1.0, level, 0.0, 0.0], [0.0; 2]);
    let at: Vec<f32> = made.coords.iter().map(|c| c[0]).collect();
    assert_eq!(at.len(), expected.len(), "{spacing:?} {level}: {at:?}");
    for (a, b) in at.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-4, "{spacing:?} {level}: {at:?} is not {expected:?}");
    }
}

#[test]
fn edges_of_each_spacing() {
    check_edge(Spacing::Equal, 0.1, &[0.0, 1.0]);
    check_edge(Spacing::Equal, 2.5, &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
    check_edge(Spacing::FractionalEven, 1.0, &[0.0, 0.5, 1.0]);
    check_edge(Spacing::FractionalEven, 4.0, &[0.0, 0.25, 0.5, 0.75, 1.0]);
    // Half way between two and four segments: the new points are half way between their origin and a quarter.
    check_edge(Spacing::FractionalEven, 3.0, &[0.0, 0.375, 0.5, 0.625, 1.0]);
    check_edge(Spacing::FractionalOdd, 1.0, &[0.0, 1.0]);
    check_edge(Spacing::FractionalOdd, 3.0, &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]);
    check_edge(Spacing::FractionalOdd, 2.0, &[0.0, 1.0 / 6.0, 5.0 / 6.0, 1.0]);
    for spacing in SPACINGS {
        let made = tessellator(Domain::Isolines, spacing).run([1.0, f32::INFINITY, 0.0, 0.0], [0.0; 2]);
        let segments = if spacing == Spacing::FractionalOdd { 63 } else { 64 };
        assert_eq!(made.indices.len(), 2 * segments);
    }
}

/// Checks the number of vertices and primitives.
#[track_caller]
fn check_counts(domain: Domain, outer: [f32; 4], inner: [f32; 2], vertices: usize, primitives: usize) {
    let mut equal = tessellator(domain, Spacing::Equal);
    let made = equal.run(outer, inner);
    let per_primitive = if domain == Domain::Isolines { 2 } else { 3 };
    assert_eq!((made.coords.len(), made.indices.len()), (vertices, primitives * per_primitive));
    equal.point_mode = true;
    let points = equal.run(outer, inner);
    assert_eq!(points.topology, Topology::Points);
    assert_eq!(points.indices, (0..vertices as u32).collect::<Vec<_>>());
}

#[test]
fn counts() {
    check_counts(Domain::Triangles, [1.0; 4], [1.0; 2], 3, 1);
    // A level slightly above one becomes two (GL 4.6, 11.2.2.1).
    check_counts(Domain::Triangles, [2.0, 1.0, 1.0, 0.0], [1.0; 2], 5, 4);
    check_counts(Domain::Triangles, [2.0; 4], [2.0; 2], 7, 6);
    check_counts(Domain::Triangles, [3.0; 4], [3.0; 2], 12, 13);
    check_counts(Domain::Triangles, [4.0; 4], [4.0; 2], 19, 24);
    check_counts(Domain::Quads, [1.0; 4], [1.0; 2], 4, 2);
    check_counts(Domain::Quads, [1.0, 1.0, 1.0, 3.0], [1.0; 2], 7, 6);
    check_counts(Domain::Quads, [4.0; 4], [4.0; 2], 25, 32);
    check_counts(Domain::Quads, [3.0, 5.0, 3.0, 5.0], [5.0, 3.0], 24, 30);
    check_counts(Domain::Isolines, [3.0, 4.0, 0.0, 0.0], [0.0; 2], 15, 12);
    for (domain, side, culled) in
        [(Domain::Triangles, 2, true), (Domain::Triangles, 3, false), (Domain::Quads, 3, true)]
    {
        for level in [0.0, -1.0, f32::NAN] {
            let mut outer = [4.0; 4];
            outer[side] = level;
            let made = tessellator(domain, Spacing::Equal).run(outer, [4.0; 2]);
            assert_eq!(made.coords.is_empty(), culled, "{domain:?} {outer:?}");
        }
    }
}

#[test]
fn clockwise_reverses_every_triangle() {
    for domain in [Domain::Triangles, Domain::Quads] {
        for seed in 0..40 {
            let (outer, inner) = levels(seed);
            let front = tessellator(domain, Spacing::FractionalOdd);
            let back = Tessellator { clockwise: true, ..front };
            let (front, back) = (front.run(outer, inner), back.run(outer, inner));
            assert_eq!(front.coords, back.coords);
            let turned: Vec<u32> = triangles(&front).into_iter().flat_map(|[a, b, c]| [a, c, b]).collect();
            assert_eq!(turned, back.indices);
        }
    }
}

#[test]
fn coordinates_add_up() {
    for seed in 0..100 {
        let (outer, inner) = levels(seed);
        for spacing in SPACINGS {
            let made = tessellator(Domain::Triangles, spacing).run(outer, inner);
            assert!(made.coords.iter().all(|[u, v, w]| u + v + w == 1.0 && [u, v, w].iter().all(|c| **c >= 0.0)));
            let made = tessellator(Domain::Quads, spacing).run(outer, inner);
            assert!(
                made.coords.iter().all(|[u, v, w]| *w == 0.0 && (0.0..=1.0).contains(u) && (0.0..=1.0).contains(v))
            );
        }
    }
}
