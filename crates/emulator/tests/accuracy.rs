//! Functions that are spelled out in several operations, against references in `f64`.
//!
//! The bounds are those that follow from the expressions the Vulkan specification says each function may inherit its
//! error from, with every single operation rounded correctly as ours are: one half unit in the last place for each
//! rounding on the way, at the magnitude of what is rounded. `--nocapture` shows the worst errors.

use emulator::Wave;
use emulator::glsl::lower;
use lanes::{Mask, Numerics};
use shader::version::{Options, Stage};
use testing::random::Random;

const LANES: usize = 16;
const RUNS: usize = 400;

/// A number of either sign and of a magnitude around one.
fn any(random: &mut Random) -> f32 {
    let mantissa = 1.0 + random.unit();
    let scale = f32::from_bits((random.word() % 16 + 119) << 23);
    if random.one_in(2) { mantissa * scale } else { -mantissa * scale }
}

/// Runs an expression of uniforms `p[0]`, `p[1]`, … and compares it with a reference, which gives the exact value and
/// the magnitude that one unit of the error is measured at.
#[track_caller]
fn check(
    expression: &str,
    units: f64,
    mut input: impl FnMut(&mut Random) -> Vec<f32>,
    reference: impl Fn(&[f64]) -> (f64, f64),
) {
    let text = format!("#version 450\nuniform float p[8];\nfloat result;\nvoid main() {{ result = {expression}; }}\n");
    let shader = shader::analyze(&[text], &Options::new(Stage::Compute));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    let program = lower(&shader).expect("nothing unsupported");
    let mut random = Random::new(1);
    let mut worst = 0.0f64;
    for _ in 0..RUNS {
        let inputs: [Vec<f32>; LANES] = std::array::from_fn(|_| input(&mut random));
        let mut wave: Wave<LANES> = Wave::new(&program, Numerics::IEEE);
        wave.initialize(Mask::ALL).expect("an end");
        let (_, home) = program.locate("p").expect("a uniform");
        for (i, register) in home.iter().enumerate().take(inputs[0].len()) {
            wave.set(register, std::array::from_fn(|lane| inputs[lane][i].to_bits()));
        }
        wave.main(Mask::ALL, 1000, &mut (), &mut ()).expect("an end");
        let (_, home) = program.locate("result").expect("a result");
        for (lane, &word) in wave.register(home.start).iter().enumerate() {
            let operands: Vec<f64> = inputs[lane].iter().map(|&x| f64::from(x)).collect();
            let (exact, magnitude) = reference(&operands);
            let unit =
                2f64.powi((magnitude.abs().max(f64::from(f32::MIN_POSITIVE)).to_bits() >> 52) as i32 - 1023 - 23);
            let error = (f64::from(f32::from_bits(word)) - exact).abs() / unit;
            assert!(error <= units, "{expression} of {:?}: {error} units from {exact}", inputs[lane]);
            worst = worst.max(error);
        }
    }
    eprintln!("{expression}: {worst:.3} of {units} units");
}

fn many(count: usize) -> impl FnMut(&mut Random) -> Vec<f32> {
    move |random| (0..count).map(|_| any(random)).collect()
}

/// The exact value is also the magnitude.
fn own(value: f64) -> (f64, f64) {
    (value, value)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Sum of the magnitudes of products.
fn spread(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x * y).abs()).sum()
}

const V: &str = "vec3(p[0], p[1], p[2])";
const W: &str = "vec3(p[3], p[4], p[5])";

#[test]
fn lengths_and_directions() {
    // Three roundings of products and two of sums, all at most that of the whole; the root halves them.
    check(&format!("length({V})"), 2.5, many(3), |p| own(length(p)));
    check("length(vec4(p[0], p[1], p[2], p[3]))", 3.0, many(4), |p| own(length(p)));
    check("length(p[0])", 0.0, many(1), |p| own(p[0].abs()));
    check(&format!("distance({V}, {W})"), 3.5, many(6), |p| own(length(&[p[0] - p[3], p[1] - p[4], p[2] - p[5]])));
    check(&format!("normalize({V}).x"), 3.5, many(3), |p| own(p[0] / length(p)));
    check(&format!("dot({V}, {W})"), 2.5, many(6), |p| (dot(&p[..3], &p[3..]), spread(&p[..3], &p[3..])));
    check(&format!("cross({V}, {W}).x"), 2.0, many(6), |p| {
        (p[1] * p[5] - p[4] * p[2], (p[1] * p[5]).abs() + (p[4] * p[2]).abs())
    });
}

#[test]
fn reflection_and_refraction() {
    check(&format!("reflect({V}, {W}).y"), 7.0, many(6), |p| {
        let along = dot(&p[3..], &p[..3]);
        let magnitude = p[1].abs() + 2.0 * spread(&p[3..], &p[..3]) * p[4].abs();
        (p[1] - 2.0 * along * p[4], magnitude)
    });
    let directions = |random: &mut Random| {
        let mut all: Vec<f32> = (0..6).map(|_| any(random)).collect();
        for v in all.chunks_mut(3) {
            let size = v.iter().map(|x| x * x).sum::<f32>().sqrt();
            v.iter_mut().for_each(|x| *x /= size);
        }
        all.push(random.unit());
        all
    };
    check(&format!("refract({V}, {W}, p[6]).z"), 16.0, directions, |p| {
        let along = dot(&p[3..6], &p[..3]);
        let k = 1.0 - p[6] * p[6] * (1.0 - along * along);
        (p[6] * p[2] - (p[6] * along + k.sqrt()) * p[5], 1.0 / k.sqrt())
    });
    check(&format!("faceforward({V}, {W}, vec3(p[5], p[6], p[7])).x"), 0.0, many(8), |p| {
        // The sign of a sum that is nearly zero may be either: those operands tell nothing.
        let along = dot(&p[3..6], &p[5..8]);
        own(if along < 0.0 { p[0] } else { -p[0] })
    });
}

#[test]
fn interpolation() {
    let three = |random: &mut Random| vec![any(random), any(random), random.unit()];
    check("mix(p[0], p[1], p[2])", 2.5, three, |p| {
        let (a, b) = (p[0] * (1.0 - p[2]), p[1] * p[2]);
        (a + b, a.abs() + b.abs())
    });
    let edges = |random: &mut Random| {
        let low = random.unit();
        vec![low, low + 0.5 + random.unit(), random.unit() * 3.0 - 0.5]
    };
    check("smoothstep(p[0], p[1], p[2])", 8.0, edges, |p| {
        let t = ((p[2] - p[0]) / (p[1] - p[0])).clamp(0.0, 1.0);
        // What the subtractions lose is lost at the magnitude of the edges.
        (t * t * (3.0 - 2.0 * t), 1.0)
    });
    check("step(p[0], p[1])", 0.0, many(2), |p| own(if p[1] < p[0] { 0.0 } else { 1.0 }));
}

#[test]
fn angles_powers_and_remainders() {
    check("radians(p[0])", 1.5, many(1), |p| own(p[0].to_radians()));
    check("degrees(p[0])", 1.5, many(1), |p| own(p[0].to_degrees()));
    check("atan(p[0], p[1])", 0.51, many(2), |p| own(p[0].atan2(p[1])));
    let positive = |random: &mut Random| vec![any(random).abs(), any(random) / 32.0];
    check("pow(p[0], p[1])", 0.51, positive, |p| own(p[0].powf(p[1])));
    check("mod(p[0], p[1])", 1.5, many(2), |p| {
        let quotient = (p[0] as f32 / p[1] as f32).floor();
        (p[0] - p[1] * f64::from(quotient), p[0].abs().max(p[1].abs()))
    });
    check("fract(p[0])", 0.5, many(1), |p| (p[0] - p[0].floor(), 1.0));
    check("ldexp(p[0], int(p[1] / 4.0))", 0.5, many(2), |p| own(p[0] * 2f64.powi((p[1] / 4.0) as i32)));
    check("fma(p[0], p[1], p[2])", 0.5, many(3), |p| {
        let exact = p[0] * p[1] + p[2];
        (exact, exact)
    });
}

#[test]
fn matrices() {
    let m = "mat2(p[0], p[1], p[2], p[3])";
    let determinant = |p: &[f64]| (p[0] * p[3] - p[1] * p[2], (p[0] * p[3]).abs() + (p[1] * p[2]).abs());
    check(&format!("determinant({m})"), 2.0, many(4), determinant);
    check(&format!("inverse({m})[0].y"), 4.0, many(4), |p| {
        let (exact, magnitude) = determinant(p);
        // The quotient feels an error of the determinant as many times as much as that is smaller than its terms.
        (-p[1] / exact, p[1] / exact * (magnitude / exact))
    });
    check(&format!("({m} * vec2(p[4], p[5])).x"), 2.0, many(6), |p| {
        (p[0] * p[4] + p[2] * p[5], (p[0] * p[4]).abs() + (p[2] * p[5]).abs())
    });
}
