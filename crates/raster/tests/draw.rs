//! Complete draw calls and the resulting framebuffer.

use raster::format::{Color, DepthFormat, PixelFormat};
use raster::state::{
    Blend, BlendFactor, ClipSwizzle, Compare, DepthTest, EvaluatedAt, Interpolation, LogicOp, PolygonMode,
    PolygonOffset, Rectangle, StencilFace, StencilOp, StencilTest, Varying, Viewport,
};
use raster::{
    Draw, FragmentOutput, Framebuffer, Pipeline, Quad, QuadOutput, Stats, Topology, Verdict, Vertex, draw, draw_watched,
};

const SIZE: u32 = 8;

/// A rectangle that covers the window at a depth in clip space.
fn screen(z: f32) -> Vec<Vertex> {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Vertex::new([x, y, z, 1.0], vec![x, y])).to_vec()
}

fn target() -> Framebuffer {
    Framebuffer::new(SIZE, SIZE).with_color(PixelFormat::RGBA32F)
}

fn paint(pipeline: &Pipeline, topology: Topology, vertices: &[Vertex], fb: &mut Framebuffer, color: [f32; 4]) -> Stats {
    let call = Draw { pipeline, topology, vertices, indices: None, only: None };
    draw(&call, &mut |_| [FragmentOutput::color(color); 4], fb)
}

fn red(fb: &Framebuffer, x: u32, y: u32) -> f32 {
    fb.color(0, x, y).map_or(f32::NAN, |color| color.floats()[0])
}

/// The picture from the top, `#` where red is not 0.
fn picture(fb: &Framebuffer) -> Vec<String> {
    let row = |y| (0..fb.width).map(|x| if red(fb, x, y) == 0.0 { '.' } else { '#' }).collect();
    (0..fb.height).rev().map(row).collect()
}

#[track_caller]
fn check_picture(pipeline: &Pipeline, topology: Topology, vertices: &[Vertex], expected: &[&str]) {
    let mut fb = target();
    paint(pipeline, topology, vertices, &mut fb, [1.0; 4]);
    let made = picture(&fb);
    let made: Vec<&str> = made.iter().map(String::as_str).filter(|row| row.contains('#')).collect();
    assert_eq!(made, expected);
}

fn at(points: &[(f32, f32)]) -> Vec<Vertex> {
    let clip = |v: f32| v / SIZE as f32 * 2.0 - 1.0;
    points.iter().map(|(x, y)| Vertex::new([clip(*x), clip(*y), 0.0, 1.0], Vec::new())).collect()
}

#[test]
fn two_triangles_shade_each_pixel_once() {
    let mut fb = target();
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.targets[0].blend = Some(Blend::add(BlendFactor::One, BlendFactor::One));
    let stats = paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0; 4]);
    assert_eq!((stats.primitives, stats.dropped, stats.fragments, stats.samples_passed), (2, 0, 64, 64));
    assert!((0..SIZE).all(|x| (0..SIZE).all(|y| red(&fb, x, y) == 1.0)));
}

#[test]
fn interpolation_of_varyings() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    let how = |interpolation| Varying { interpolation, evaluated_at: EvaluatedAt::Center };
    pipeline.varyings = [Interpolation::Smooth, Interpolation::NoPerspective, Interpolation::Flat].map(how).to_vec();
    // Twice as far on the right side.
    let corner = |x: f32, y: f32, w: f32, v: f32| Vertex::new([x * w, y * w, 0.0, w], vec![v; 3]);
    let vertices = [corner(-1.0, -1.0, 1.0, 0.0), corner(3.0, -1.0, 3.0, 4.0), corner(-1.0, 3.0, 1.0, 0.0)];
    let mut seen = Vec::new();
    let mut shade = |quad: &Quad<'_>| -> QuadOutput {
        if quad.fragments[0].x == 2 && quad.fragments[0].y == 0 {
            seen = quad.varyings.iter().map(|word| word[0]).collect();
            seen.push(quad.varying_at(1, 0, [0.5, 0.0]));
            seen.push(quad.fragments[0].coord[3]);
        }
        QuadOutput::default()
    };
    let call =
        Draw { pipeline: &pipeline, topology: Topology::Triangles, vertices: &vertices, indices: None, only: None };
    draw(&call, &mut shade, &mut target());
    // At x = 2.5 of 16: the linear weight of the far corner is s, its perspective weight s/3 / ((1-s) + s/3).
    let s = 2.5 / 16.0;
    let perspective = (s / 3.0) / (1.0 - s + s / 3.0);
    assert_eq!(seen, [4.0 * perspective as f32, 4.0 * s as f32, 0.0, 0.75, (1.0 - s + s / 3.0) as f32]);
}

#[test]
fn only_requested_quads_are_shaded() {
    let pipeline = Pipeline::new(SIZE, SIZE);
    let mut fb = target();
    let (vertices, only) = (screen(0.0), [(3, 5), (2, 4), (7, 0)]);
    let call = Draw {
        pipeline: &pipeline,
        topology: Topology::TriangleFan,
        vertices: &vertices,
        indices: None,
        only: Some(&only),
    };
    let stats = draw(&call, &mut |_| [FragmentOutput::color([1.0; 4]); 4], &mut fb);
    assert_eq!((stats.fragments, red(&fb, 3, 5), red(&fb, 7, 0), red(&fb, 0, 0)), (8, 1.0, 1.0, 0.0));
}

#[test]
fn faces_modes_and_scissors() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    let triangle = at(&[(1.5, 1.5), (5.5, 1.5), (1.5, 5.5)]);
    check_picture(&pipeline, Topology::Triangles, &triangle, &[".#......", ".##.....", ".###....", ".####..."]);
    pipeline.scissors = vec![Some(Rectangle { x: 2, y: 0, width: 2, height: 3 })];
    check_picture(&pipeline, Topology::Triangles, &triangle, &["..##....", "..##...."]);
    pipeline.scissors.clear();
    pipeline.cull_front = true;
    check_picture(&pipeline, Topology::Triangles, &triangle, &[]);
    pipeline.clockwise_front = true;
    pipeline.front_mode = PolygonMode::Fill;
    pipeline.back_mode = PolygonMode::Point;
    check_picture(&pipeline, Topology::Triangles, &triangle, &[".#......", ".#...#.."]);
}

#[test]
fn wireframes_omit_inner_edges() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.front_mode = PolygonMode::Line;
    let quad = at(&[(1.5, 1.5), (4.5, 1.5), (4.5, 4.5), (1.5, 4.5)]);
    check_picture(&pipeline, Topology::Quads, &quad, &[".####...", ".#..#...", ".#..#...", ".####..."]);
}

#[test]
fn fill_rectangle_covers_the_bounding_box() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.front_mode = PolygonMode::Rectangle;
    let triangle = at(&[(1.0, 1.0), (5.0, 1.0), (3.0, 3.0)]);
    check_picture(&pipeline, Topology::Triangles, &triangle, &[".####...", ".####..."]);
}

#[test]
fn clip_distances() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.clip_distances = 1;
    let mut vertices = screen(0.0);
    for vertex in &mut vertices {
        vertex.clip_distances[0] = vertex.position[0] - 0.5;
    }
    check_picture(&pipeline, Topology::Quads, &vertices, &["......##"; 8]);
}

#[test]
fn point_sizes_and_coordinates() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.point_size = 2.0;
    let point = at(&[(3.0, 3.0)]);
    check_picture(&pipeline, Topology::Points, &point, &["..##....", "..##...."]);
    let mut coords = Vec::new();
    let call = Draw { pipeline: &pipeline, topology: Topology::Points, vertices: &point, indices: None, only: None };
    draw(
        &call,
        &mut |quad| {
            coords = quad.fragments.map(|f| f.point_coord).to_vec();
            QuadOutput::default()
        },
        &mut target(),
    );
    assert_eq!(coords, [[0.25, 0.75], [0.75, 0.75], [0.25, 0.25], [0.75, 0.25]]);
}

#[test]
fn depth_test() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.depth = Some(DepthTest { compare: Compare::Less, write: true });
    let mut fb = target().with_depth(DepthFormat::Unorm24);
    paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0; 4]);
    paint(&pipeline, Topology::Quads, &screen(0.5), &mut fb, [2.0; 4]);
    assert_eq!(red(&fb, 4, 4), 1.0);
    pipeline.offset = PolygonOffset { units: -1.0, fill: true, ..PolygonOffset::default() };
    let stats = paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [3.0; 4]);
    assert_eq!((red(&fb, 4, 4), stats.samples_passed), (3.0, 64));
    // Depths written by the shader replace interpolated ones.
    let vertices = screen(0.9);
    let call = Draw { pipeline: &pipeline, topology: Topology::Quads, vertices: &vertices, indices: None, only: None };
    draw(&call, &mut |_| [FragmentOutput { depth: Some(0.0), ..FragmentOutput::color([4.0; 4]) }; 4], &mut fb);
    assert_eq!(red(&fb, 4, 4), 4.0);
}

#[test]
fn depth_clamp() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.viewports = vec![Viewport { near: 0.25, far: 0.75, ..Viewport::new(SIZE, SIZE) }];
    pipeline.depth = Some(DepthTest { compare: Compare::Always, write: true });
    let mut fb = target().with_depth(DepthFormat::Float32);
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(2.0), &mut fb, [1.0; 4]).fragments, 0);
    pipeline.depth_clamp = true;
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(2.0), &mut fb, [1.0; 4]).fragments, 64);
    assert_eq!(fb.depth.map(|(_, depths)| depths[0]), Some(0.75));
}

#[test]
fn stencil_operations_by_face() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    let face = |pass| StencilFace { pass, write_mask: 0x0f, ..StencilFace::default() };
    pipeline.stencil =
        Some(StencilTest { front: face(StencilOp::IncrementWrap), back: face(StencilOp::DecrementWrap) });
    let mut fb = target().with_stencil();
    paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0; 4]);
    paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0; 4]);
    assert_eq!(fb.stencil.as_ref().map(|s| s[9]), Some(2));
    let mut back = screen(0.0);
    back.reverse();
    for _ in 0..3 {
        paint(&pipeline, Topology::Quads, &back, &mut fb, [1.0; 4]);
    }
    assert_eq!(fb.stencil.as_ref().map(|s| s[9]), Some(0x0f));
    let equal = StencilFace { compare: Compare::Equal, reference: 3, fail: StencilOp::Zero, ..StencilFace::default() };
    pipeline.stencil = Some(StencilTest { front: equal, back: equal });
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [5.0; 4]).samples_passed, 0);
    assert_eq!((fb.stencil.as_ref().map(|s| s[9]), red(&fb, 1, 1)), (Some(0), 1.0));
}

#[test]
fn masks_logic_operations_and_several_targets() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.logic_op = Some(LogicOp::Xor);
    pipeline.targets[1].mask = [true, false, true, true];
    let mut fb = Framebuffer::new(SIZE, SIZE).with_color(PixelFormat::RGBA8).with_color(PixelFormat::RGBA32UI);
    let vertices = screen(0.0);
    let call = Draw { pipeline: &pipeline, topology: Topology::Quads, vertices: &vertices, indices: None, only: None };
    let mut output = FragmentOutput::color([1.0, 0.0, 15.0 / 255.0, 1.0]);
    output.colors[1] = Color::Uint([5, 6, 7, 8]);
    draw(&call, &mut |_| [output; 4], &mut fb);
    output.colors[1] = Color::Uint([1, 1, 1, 1]);
    output.colors[0] = Color::Float([15.0 / 255.0, 0.0, 15.0 / 255.0, 0.0]);
    draw(&call, &mut |_| [output; 4], &mut fb);
    assert_eq!(fb.color(0, 3, 3), Some(Color::Float([240.0 / 255.0, 0.0, 0.0, 1.0])));
    assert_eq!(fb.color(1, 3, 3), Some(Color::Uint([4, 0, 6, 9])));
}

#[test]
fn discards_and_the_alpha_test() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.alpha_test = Some((Compare::Greater, 0.5));
    let mut fb = target();
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0, 0.0, 0.0, 0.5]).samples_passed, 0);
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0, 0.0, 0.0, 0.6]).samples_passed, 64);
    let vertices = screen(0.0);
    let call = Draw { pipeline: &pipeline, topology: Topology::Quads, vertices: &vertices, indices: None, only: None };
    let stats = draw(&call, &mut |_| [FragmentOutput { discard: true, ..FragmentOutput::color([1.0; 4]) }; 4], &mut fb);
    assert_eq!((stats.fragments, stats.samples_passed), (64, 0));
}

#[test]
fn events_report_the_outcome_of_each_fragment() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.depth = Some(DepthTest { compare: Compare::Less, write: true });
    pipeline.alpha_test = Some((Compare::Greater, 0.0));
    let mut fb = target().with_depth(DepthFormat::Float32);
    let vertices: Vec<Vertex> = [0.0, 0.5, -0.5, -0.6, -0.7].into_iter().flat_map(screen).collect();
    let only = [(5, 5)];
    let call =
        Draw { pipeline: &pipeline, topology: Topology::Quads, vertices: &vertices, indices: None, only: Some(&only) };
    let mut heard = Vec::new();
    let mut shade = |quad: &Quad<'_>| {
        let id = quad.primitive.id;
        let alpha = if id == 2 { 0.0 } else { 1.0 };
        [FragmentOutput { discard: id == 3, ..FragmentOutput::color([id as f32, 0.0, 0.0, alpha]) }; 4]
    };
    let mut watch = |event: &raster::SampleEvent, after: &Framebuffer| {
        if (event.x, event.y) == (5, 5) {
            heard.push((event.primitive_id, event.depth, event.verdict, red(after, 5, 5)));
        }
    };
    draw_watched(&call, &mut shade, &mut watch, &mut fb);
    let expected = [
        (0, 0.5, Verdict::Written, 0.0),
        (1, 0.75, Verdict::DepthTest, 0.0),
        (2, 0.25, Verdict::AlphaTest, 0.0),
        (3, 0.2, Verdict::Discarded, 0.0),
        (4, 0.15, Verdict::Written, 4.0),
    ];
    assert_eq!(heard.len(), expected.len());
    for (heard, expected) in heard.iter().zip(expected) {
        assert_eq!((heard.0, heard.2, heard.3), (expected.0, expected.2, expected.3));
        assert!((heard.1 - expected.1).abs() < 1e-6);
    }
}

#[test]
fn early_tests_run_before_shading() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.depth = Some(DepthTest { compare: Compare::Less, write: true });
    pipeline.early_fragment_tests = true;
    let mut fb = target().with_depth(DepthFormat::Float32);
    paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0; 4]);
    let stats = paint(&pipeline, Topology::Quads, &screen(0.5), &mut fb, [2.0; 4]);
    assert_eq!((stats.fragments, stats.samples_passed), (0, 0));
}

#[test]
fn early_tests_are_per_sample() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.depth = Some(DepthTest { compare: Compare::Less, write: true });
    let mut fb = Framebuffer::new(SIZE, SIZE).with_samples(4).with_color(PixelFormat::RGBA32F);
    fb = fb.with_depth(DepthFormat::Float32);
    pipeline.sample_mask = 0b0001;
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0; 4]).samples_passed, 64);
    pipeline.early_fragment_tests = true;
    pipeline.multisample = false;
    let stats = paint(&pipeline, Topology::Quads, &screen(0.5), &mut fb, [2.0; 4]);
    assert_eq!((stats.fragments, stats.samples_passed, red(&fb, 0, 0)), (64, 192, 1.0));
}

#[test]
fn samples_are_stored_separately() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    let mut fb = Framebuffer::new(SIZE, SIZE).with_samples(4).with_color(PixelFormat::RGBA32F);
    let left = at(&[(0.0, 0.0), (2.5, 0.0), (2.5, 8.0), (0.0, 8.0)]);
    let stats = paint(&pipeline, Topology::Quads, &left, &mut fb, [1.0; 4]);
    assert_eq!(stats.samples_passed, 8 * (2 * 4 + 2));
    pipeline.sample_mask = 0b0110;
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0; 4]).samples_passed, 128);
    pipeline.sample_mask = u32::MAX;
    pipeline.alpha_to_coverage = true;
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0, 1.0, 1.0, 0.25]).samples_passed, 64);
    pipeline.alpha_to_coverage = false;
    pipeline.sample_shading = true;
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0; 4]).fragments, 256);
    pipeline.multisample = false;
    assert_eq!(paint(&pipeline, Topology::Quads, &screen(0.0), &mut fb, [1.0; 4]).samples_passed, 256);
}

#[test]
fn layers_and_viewports_come_from_the_provoking_vertex() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    pipeline.viewports.push(Viewport { x: 4.0, ..Viewport::new(4, 4) });
    let mut fb = Framebuffer::new(SIZE, SIZE).with_layers(2).with_color(PixelFormat::RGBA32F);
    let mut vertices = screen(0.0);
    (vertices[3].layer, vertices[3].viewport) = (1, 1);
    assert_eq!(paint(&pipeline, Topology::Quads, &vertices, &mut fb, [1.0; 4]).fragments, 16);
    let texels = fb.colors.first().and_then(|c| c.as_ref()).map(|c| &c.texels);
    assert_eq!(texels.map(|t| (t[64].floats()[0], t[68].floats()[0], t[4].floats()[0])), Some((0.0, 1.0, 0.0)));
}

#[test]
fn layer_is_ignored_without_layers() {
    let mut fb = target();
    let mut vertices = screen(0.0);
    vertices.iter_mut().for_each(|v| v.layer = 7);
    let stats = paint(&Pipeline::new(SIZE, SIZE), Topology::Quads, &vertices, &mut fb, [1.0; 4]);
    assert_eq!(stats.samples_passed, 64);
}

#[test]
fn viewports_swizzle_and_mirror() {
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    let from = |coordinate, negative| ClipSwizzle { coordinate, negative };
    pipeline.swizzles = vec![[from(1, false), from(0, true), from(2, false), from(3, false)]];
    // What was on the right is now at the bottom.
    let right = at(&[(6.0, 0.0), (8.0, 0.0), (8.0, 8.0), (6.0, 8.0)]);
    check_picture(&pipeline, Topology::Quads, &right, &["########", "########"]);
    let mut fb = target();
    paint(&pipeline, Topology::Quads, &right, &mut fb, [1.0; 4]);
    assert_eq!((red(&fb, 0, 0), red(&fb, 0, 7)), (1.0, 0.0));
}

#[test]
fn degenerate_input_draws_nothing() {
    let pipeline = Pipeline::new(SIZE, SIZE);
    let mut fb = target();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -1.0] {
        let vertices: Vec<Vertex> =
            screen(0.0).into_iter().map(|v| Vertex { position: [bad, bad, bad, bad.min(0.0)], ..v }).collect();
        for topology in [Topology::Points, Topology::LineLoop, Topology::Triangles, Topology::Polygon] {
            assert_eq!(paint(&pipeline, topology, &vertices, &mut fb, [1.0; 4]).fragments, 0, "{bad} {topology:?}");
        }
    }
    let vertices = screen(0.0);
    let call = Draw {
        pipeline: &pipeline,
        topology: Topology::Triangles,
        vertices: &vertices,
        indices: Some(&[0, 1, 99]),
        only: None,
    };
    assert_eq!(draw(&call, &mut |_| QuadOutput::default(), &mut fb).dropped, 1);
}

#[test]
fn clipping_does_not_distort_varyings() {
    // All corners lie in front of the eye and far outside: the visible part must still lie in the plane through them.
    let mut pipeline = Pipeline::new(SIZE, SIZE);
    let how = |interpolation| Varying { interpolation, evaluated_at: EvaluatedAt::Center };
    pipeline.varyings = [Interpolation::Smooth, Interpolation::NoPerspective].map(how).to_vec();
    let corner = |x: f32, y: f32, z: f32, w: f32, v: f32| Vertex::new([x * w, y * w, z * w, w], vec![v; 2]);
    let vertices =
        [corner(-9.0, -7.0, 0.5, 2.0, 1.0), corner(12.0, -8.0, -2.0, 0.5, -3.0), corner(1.0, 15.0, 0.0, 4.0, 2.0)];
    let plane = |x: f64, y: f64| {
        let p = |i: usize| {
            let [x, y, _, w] = vertices[i].position.map(f64::from);
            ((x / w + 1.0) * 4.0, (y / w + 1.0) * 4.0, w)
        };
        let (a, b, c) = (p(0), p(1), p(2));
        let area =
            |a: (f64, f64, f64), b: (f64, f64, f64), x: f64, y: f64| (b.0 - a.0) * (y - a.1) - (b.1 - a.1) * (x - a.0);
        let weights = [area(b, c, x, y), area(c, a, x, y), area(a, b, x, y)].map(|v| v / area(a, b, c.0, c.1));
        let values = [1.0, -3.0, 2.0];
        let linear: f64 = (0..3).map(|i| weights[i] * values[i]).sum();
        let scaled = [weights[0] / a.2, weights[1] / b.2, weights[2] / c.2];
        let smooth: f64 = (0..3).map(|i| scaled[i] * values[i]).sum::<f64>() / scaled.iter().sum::<f64>();
        [smooth, linear]
    };
    let mut seen = 0;
    let call =
        Draw { pipeline: &pipeline, topology: Topology::Triangles, vertices: &vertices, indices: None, only: None };
    let mut shade = |quad: &Quad<'_>| {
        for (lane, fragment) in quad.fragments.iter().enumerate().filter(|(_, f)| !f.is_helper()) {
            let expected = plane(f64::from(fragment.x) + 0.5, f64::from(fragment.y) + 0.5);
            for (word, expected) in expected.iter().enumerate() {
                let made = f64::from(quad.varyings[word][lane]);
                assert!((made - expected).abs() < 1e-5, "{word}: {made} instead of {expected}");
            }
            seen += 1;
        }
        QuadOutput::default()
    };
    draw(&call, &mut shade, &mut target());
    assert!(seen > 20, "{seen}");
}
