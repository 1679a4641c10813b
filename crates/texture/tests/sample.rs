//! Filtered look-ups: each rule on textures small enough to compute the result by hand.

use texture::{Compare, Dim, Filter, Filtering, Format, Level, Lod, Lookup, MipFilter, Sampler, Swizzle, Texel};
use texture::{TexelSink, Texture, Unit, Value, Wrap};

fn level(width: u32, height: u32, depth: u32, texels: &[f32]) -> Level {
    Level { width, height, depth, data: texels.iter().flat_map(|t| t.to_le_bytes()).collect::<Vec<u8>>().into() }
}

/// A red float texture.
fn texture(dim: Dim, levels: Vec<Level>) -> Texture {
    Texture::new(dim, Format::R32F, levels)
}

fn sampler(filter: Filter, mip_filter: MipFilter, wrap: Wrap) -> Sampler {
    Sampler { min_filter: filter, mag_filter: filter, mip_filter, wrap: [wrap; 3], ..Sampler::default() }
}

fn at(coords: [f32; 4]) -> Lookup {
    Lookup { coords, ..Lookup::default() }
}

/// Checks the red component, and that the reported texels account for it.
#[track_caller]
fn check(texture: &Texture, sampler: &Sampler, look: &Lookup, expected: f32) {
    let mut log = Log::default();
    let value = Unit::new(texture, sampler).sample(look, &mut log).float();
    assert_eq!(value[0], expected);
    let weights: f32 = log.texels.iter().map(|t| t.weight).sum::<f32>() + log.border;
    assert!((weights - 1.0).abs() < 1e-6, "weights sum to {weights}");
    if look.reference.is_none() && texture.format == Format::R32F {
        let border = texture.format.border(sampler.border, false).float()[0];
        let sum: f32 = log.texels.iter().map(|t| t.weight * stored(texture, t)).sum::<f32>() + log.border * border;
        assert!((sum - value[0]).abs() < 1e-5, "the reported texels give {sum}, the look-up {}", value[0]);
    }
}

#[derive(Default)]
struct Log {
    texels: Vec<Texel>,
    border: f32,
}

impl TexelSink for Log {
    fn texel(&mut self, texel: Texel) {
        self.texels.push(texel);
    }

    fn border(&mut self, _: u32, weight: f32) {
        self.border += weight;
    }
}

fn stored(texture: &Texture, texel: &Texel) -> f32 {
    let level = &texture.levels[texel.level as usize];
    let slice = texel.layer * level.depth + texel.z;
    let index = ((slice * level.height + texel.y) * level.width + texel.x) as usize * 4;
    f32::from_le_bytes([0, 1, 2, 3].map(|i| level.data[index + i]))
}

#[test]
fn one_axis_with_every_wrap() {
    let texture = texture(Dim::D1, vec![level(4, 1, 1, &[1.0, 2.0, 3.0, 4.0])]);
    let linear = |wrap| Sampler { border: Value::Float([9.0; 4]), ..sampler(Filter::Linear, MipFilter::None, wrap) };
    let nearest = |wrap| Sampler { border: Value::Float([9.0; 4]), ..sampler(Filter::Nearest, MipFilter::None, wrap) };
    let s = |s: f32| at([s, 0.0, 0.0, 0.0]);
    check(&texture, &linear(Wrap::Repeat), &s(0.5), 2.5);
    check(&texture, &linear(Wrap::Repeat), &s(1.0), 2.5);
    check(&texture, &linear(Wrap::MirroredRepeat), &s(1.0), 4.0);
    check(&texture, &linear(Wrap::MirroredRepeat), &s(1.25), 3.5);
    check(&texture, &linear(Wrap::MirrorClampToEdge), &s(-0.25), 1.5);
    check(&texture, &linear(Wrap::ClampToEdge), &s(1.5), 4.0);
    check(&texture, &linear(Wrap::ClampToBorder), &s(0.0), 5.0);
    check(&texture, &linear(Wrap::ClampToBorder), &s(-1.0), 9.0);
    check(&texture, &linear(Wrap::Clamp), &s(-1.0), 5.0);
    check(&texture, &nearest(Wrap::Clamp), &s(1.5), 4.0);
    check(&texture, &nearest(Wrap::Repeat), &s(-0.1), 4.0);
    check(&texture, &nearest(Wrap::ClampToBorder), &s(1.1), 9.0);
    let offset = Lookup { offset: [3, 0, 0], ..s(0.3) };
    check(&texture, &nearest(Wrap::Repeat), &offset, 1.0);
}

#[test]
fn two_and_three_axes() {
    let square = texture(Dim::D2, vec![level(2, 2, 1, &[0.0, 1.0, 2.0, 3.0])]);
    let linear = sampler(Filter::Linear, MipFilter::None, Wrap::ClampToEdge);
    check(&square, &linear, &at([0.5, 0.5, 0.0, 0.0]), 1.5);
    check(&square, &linear, &at([0.375, 0.625, 0.0, 0.0]), 1.75);
    let cube = texture(Dim::D3, vec![level(2, 2, 2, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])]);
    check(&cube, &linear, &at([0.5, 0.5, 0.5, 0.0]), 3.5);
    check(&cube, &linear, &at([0.25, 0.25, 0.375, 0.0]), 1.0);
}

#[test]
fn rectangle_coordinates_are_in_texels() {
    let texture = texture(Dim::Rect, vec![level(3, 1, 1, &[1.0, 2.0, 3.0])]);
    let linear = sampler(Filter::Linear, MipFilter::None, Wrap::ClampToEdge);
    check(&texture, &linear, &at([2.0, 0.5, 0.0, 0.0]), 2.5);
    check(&texture, &linear, &at([7.0, 0.5, 0.0, 0.0]), 3.0);
}

#[test]
fn layers_are_rounded_and_clamped() {
    let mut texture = texture(Dim::D2, vec![level(1, 1, 1, &[10.0, 20.0, 30.0])]);
    texture.layers = Some(3);
    let nearest = sampler(Filter::Nearest, MipFilter::None, Wrap::Repeat);
    for (layer, expected) in [(-5.0, 10.0), (0.4, 10.0), (0.5, 20.0), (1.6, 30.0), (9.0, 30.0), (f32::NAN, 10.0)] {
        check(&texture, &nearest, &at([0.0, 0.0, layer, 0.0]), expected);
    }
}

#[test]
fn levels_are_chosen_and_mixed() {
    let levels = vec![level(4, 1, 1, &[0.0; 4]), level(2, 1, 1, &[10.0; 2]), level(1, 1, 1, &[20.0])];
    let mut texture = texture(Dim::D1, levels);
    let lod = |lod: f32| Lookup { lod: Lod::Explicit(lod), ..at([0.5, 0.0, 0.0, 0.0]) };
    let linear = sampler(Filter::Linear, MipFilter::Linear, Wrap::Repeat);
    for (given, expected) in [(-1.0, 0.0), (0.25, 2.5), (1.0, 10.0), (1.5, 15.0), (7.0, 20.0)] {
        check(&texture, &linear, &lod(given), expected);
    }
    let nearest = sampler(Filter::Linear, MipFilter::Nearest, Wrap::Repeat);
    for (given, expected) in [(0.5, 0.0), (0.6, 10.0), (1.5, 10.0), (1.6, 20.0), (9.0, 20.0)] {
        check(&texture, &nearest, &lod(given), expected);
    }
    let clamped = Sampler { min_lod: 0.5, max_lod: 1.25, lod_bias: 0.25, ..linear };
    check(&texture, &clamped, &lod(0.0), 5.0);
    check(&texture, &clamped, &lod(0.75), 10.0);
    check(&texture, &clamped, &lod(2.0), 12.5);
    let gradient = Lod::Derivatives { dx: [0.5, 0.0, 0.0], dy: [0.0; 3], bias: Some(0.5) };
    check(&texture, &linear, &Lookup { lod: gradient, ..lod(0.0) }, 15.0);
    texture.base_level = 1;
    check(&texture, &linear, &lod(0.5), 15.0);
    texture.max_level = 1;
    check(&texture, &linear, &lod(0.5), 10.0);
}

#[test]
fn comparisons_come_before_filtering() {
    let mut depth = texture(Dim::D1, vec![level(2, 1, 1, &[0.25, 0.75])]);
    depth.format = Format::Depth32F;
    let linear = sampler(Filter::Linear, MipFilter::None, Wrap::ClampToEdge);
    let shadow = Sampler { compare: Some(Compare::LessEqual), ..linear };
    let look = Lookup { reference: Some(0.5), ..at([0.625, 0.0, 0.0, 0.0]) };
    check(&depth, &shadow, &look, 0.75);
    check(&depth, &linear, &look, 0.625);
    // A floating-point depth is compared with the reference itself, a fixed-point one with the clamped reference.
    check(&depth, &shadow, &Lookup { reference: Some(-1.0), ..look }, 1.0);
    let one = Level { width: 1, height: 1, depth: 1, data: vec![0xff, 0xff].into() };
    let fixed = Texture::new(Dim::D2, Format::Depth16, vec![one]);
    check(&fixed, &shadow, &Lookup { reference: Some(7.0), ..look }, 1.0);
    depth.swizzle = [Swizzle::One; 4];
    check(&depth, &shadow, &look, 1.0);
}

#[test]
fn cubes_filter_across_edges_and_corners() {
    let faces: Vec<f32> = (0..6).flat_map(|face| [face as f32; 4]).collect();
    let texture = texture(Dim::Cube, vec![level(2, 2, 1, &faces)]);
    let linear = sampler(Filter::Linear, MipFilter::None, Wrap::Repeat);
    let direction = |x: f32, y: f32, z: f32| at([x, y, z, 0.0]);
    check(&texture, &linear, &direction(1.0, 0.0, 0.0), 0.0);
    check(&texture, &linear, &direction(0.0, 0.0, -1.0), 5.0);
    // Half way between +Z and +X.
    check(&texture, &linear, &direction(1.0, 0.0, 1.0), 2.0);
    // The corner of +X, +Y and +Z: a quarter each, and a quarter of their average.
    check(&texture, &linear, &direction(1.0, 1.0, 1.0), 2.0);
    let apart = Sampler { seamless_cube: false, wrap: [Wrap::ClampToEdge; 3], ..linear };
    check(&texture, &apart, &direction(1.0, 0.0, 1.0), 4.0);
    let nearest = sampler(Filter::Nearest, MipFilter::None, Wrap::Repeat);
    check(&texture, &nearest, &direction(-1.0, 0.9, 0.9), 1.0);
}

#[test]
fn cube_arrays_have_six_layers_per_cube() {
    let faces: Vec<f32> = (0..12).map(|face| face as f32).collect();
    let mut texture = texture(Dim::Cube, vec![level(1, 1, 1, &faces)]);
    texture.layers = Some(2);
    let nearest = sampler(Filter::Nearest, MipFilter::None, Wrap::Repeat);
    check(&texture, &nearest, &at([0.0, -1.0, 0.0, 1.0]), 9.0);
    let linear = sampler(Filter::Linear, MipFilter::None, Wrap::Repeat);
    check(&texture, &linear, &at([0.0, -1.0, 0.0, 1.0]), 9.0);
}

#[test]
fn anisotropic_probes_follow_the_longer_side() {
    let texture = texture(Dim::D2, vec![level(8, 1, 1, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])]);
    let isotropic = sampler(Filter::Linear, MipFilter::None, Wrap::ClampToEdge);
    let sampler = Sampler { max_anisotropy: 4.0, ..isotropic };
    let lod = Lod::Derivatives { dx: [0.5, 0.0, 0.0], dy: [0.0; 3], bias: None };
    let look = Lookup { lod, ..at([0.5, 0.5, 0.0, 0.0]) };
    let mut log = Log::default();
    let value = Unit::new(&texture, &sampler).sample(&look, &mut log).float();
    assert!((value[0] - 3.5).abs() < 1e-6, "{value:?}");
    assert!((log.texels.iter().map(|t| t.weight).sum::<f32>() - 1.0).abs() < 1e-6);
    assert_eq!(log.texels.len(), 16);
    let columns = log.texels.iter().filter(|t| t.weight > 0.0).map(|t| t.x);
    assert_eq!((columns.clone().min(), columns.max()), (Some(2), Some(5)));
}

#[test]
fn integers_pass_through_unchanged() {
    let data: Vec<u8> = [i32::MIN, -1, 16_777_217, i32::MAX].iter().flat_map(|t| t.to_le_bytes()).collect();
    let texture = Texture::new(Dim::D1, Format::R32I, vec![Level { width: 4, height: 1, depth: 1, data: data.into() }]);
    let nearest =
        Sampler { border: Value::Int([-7; 4]), ..sampler(Filter::Nearest, MipFilter::None, Wrap::ClampToBorder) };
    let unit = Unit::new(&texture, &nearest);
    let found = [-0.1, 0.1, 0.3, 0.6, 0.9].map(|s| unit.sample(&at([s, 0.0, 0.0, 0.0]), &mut ()).int()[0]);
    assert_eq!(found, [-7, i32::MIN, -1, 16_777_217, i32::MAX]);
    assert_eq!(unit.sample(&at([0.1, 0.0, 0.0, 0.0]), &mut ()), Value::Int([i32::MIN, 0, 0, 1]));
}

#[test]
fn any_coordinate_is_in_range() {
    let strange = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, -0.0, 1e-40];
    let wraps = [Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToEdge, Wrap::ClampToBorder, Wrap::MirrorClampToEdge];
    for dim in [Dim::D1, Dim::D2, Dim::D3, Dim::Cube, Dim::Rect] {
        let size = |on: bool| if on { 2 } else { 1 };
        let (height, depth) = (size(dim != Dim::D1), size(dim == Dim::D3));
        let texture = texture(dim, vec![level(2, height, depth, &[0.5; 24])]);
        for wrap in wraps {
            for (filter, x, y) in strange.iter().flat_map(|x| strange.map(|y| (Filter::Linear, *x, y))) {
                let sampler = Sampler { max_anisotropy: 16.0, ..sampler(filter, MipFilter::None, wrap) };
                let mut log = Log::default();
                let lod = Lod::Derivatives { dx: [x, y, x], dy: [y, x, y], bias: Some(x) };
                let look = Lookup { lod, offset: [i32::MAX; 3], ..at([x, y, x, y]) };
                let unit = Unit::new(&texture, &sampler);
                let _ = unit.sample(&look, &mut log);
                let _ = unit.gather(&look, 0, &mut log);
                let _ = unit.query_lod(&look);
                assert!(log.texels.iter().all(|t| t.x < 2 && t.y < height && t.z < depth && t.layer < 6));
            }
        }
    }
}

#[test]
fn reduced_precision_of_weights() {
    let data: Vec<u8> = [0.0f32, 256.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let texture = Texture::new(Dim::D1, Format::R32F, vec![Level { width: 2, height: 1, depth: 1, data: data.into() }]);
    let at = |x: f32, filtering| {
        let sampler = Sampler { filtering, ..sampler(Filter::Linear, MipFilter::None, Wrap::ClampToEdge) };
        let look = Lookup { coords: [x, 0.0, 0.0, 0.0], ..Lookup::default() };
        Unit::new(&texture, &sampler).sample(&look, &mut ()).float()[0]
    };
    // A third of the way from the first texel's centre to the second's.
    let x = 0.25 + 0.5 / 3.0;
    assert!((at(x, Filtering::Exact) - 256.0 / 3.0).abs() < 1e-3);
    assert_eq!(at(x, Filtering::WeightBits(8)), 85.0);
}
