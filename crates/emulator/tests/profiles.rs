//! Numeric profiles that change the program.

use emulator::Wave;
use emulator::glsl::{LowerOptions, lower_with};
use lanes::{Mask, Numerics};
use shader::version::{Options, Stage};

/// Runs a shader and returns the `float` or `int` called `result`; `x` is given.
#[track_caller]
fn run(text: &str, options: LowerOptions, x: u32) -> u32 {
    let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    let program = lower_with(&shader, options).expect("nothing unsupported");
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    wave.initialize(Mask::ALL).expect("an end");
    let (_, home) = program.locate("x").expect("an input");
    wave.set(home.start, [x; 4]);
    wave.main(Mask::ALL, 1000, &mut (), &mut ()).expect("an end");
    let (_, home) = program.locate("result").expect("a result");
    wave.register(home.start)[0]
}

const CONTRACT: LowerOptions = LowerOptions { contract: true, least_precision: false, half_precision: false };
const LEAST: LowerOptions = LowerOptions { contract: false, least_precision: true, half_precision: false };
const HALF: LowerOptions = LowerOptions { contract: false, least_precision: false, half_precision: true };

/// One and a bit: its square has bits that rounding loses and a fused operation keeps.
const X: f32 = 1.0 + 1.0 / 4096.0;

#[track_caller]
fn check_contracted(main: &str, expected: f32) {
    let text = format!("#version 450\nuniform float x;\nfloat result;\n{main}");
    let got = f32::from_bits(run(&text, CONTRACT, X.to_bits()));
    assert_eq!(got, expected, "{main}");
}

#[test]
fn sums_of_products_are_rounded_once() {
    let lost = 1.0 / 4096.0 / 4096.0;
    let square = X * X;
    let rounded = f64::from(X) * f64::from(X) - f64::from(square);
    assert_ne!(rounded, 0.0, "the test needs an operand whose square is rounded");
    let left = rounded as f32;
    assert!(left.abs() <= lost);
    let minus = format!("{square:?}");
    check_contracted(&format!("void main() {{ result = x * x - {minus}; }}"), left);
    check_contracted(&format!("void main() {{ result = -{minus} + x * x; }}"), left);
    check_contracted(&format!("void main() {{ result = {minus} - x * x; }}"), -left);
    check_contracted(&format!("void main() {{ result = -{minus}; result += x * x; }}"), left);
    // Not across statements, not where a side effect comes between, not where it must be precise.
    check_contracted(&format!("void main() {{ float s = x * x; result = s - {minus}; }}"), 0.0);
    check_contracted(&format!("float n; void main() {{ n = x; result = n * n + (n = -{minus}); }}"), 0.0);
    check_contracted(&format!("void main() {{ precise float s = x * x - {minus}; result = s; }}"), 0.0);
    let helper = format!("float f() {{ precise float s = x * x - {minus}; return s; }}");
    check_contracted(&format!("{helper} void main() {{ result = f() + (x * x - {minus}); }}"), left);
}

#[test]
fn doubles_are_contracted_too() {
    let text = "#version 450\nuniform float x;\nfloat result;
        void main() { double d = double(x) + 1e-9LF; double s = d * d; result = float(d * d - s); }";
    let contracted = f32::from_bits(run(text, CONTRACT, X.to_bits()));
    assert!(contracted != 0.0 && contracted.abs() < 1e-15, "{contracted}");
    assert_eq!(run(text, LowerOptions::default(), X.to_bits()), 0);
}

/// What Mesa's llvmpipe computes of `mediump` numbers on a processor with half floats, as measured.
#[track_caller]
fn check_half(expression: &str, x: f32, expected: f32) {
    let text = format!(
        "#version 310 es\nprecision mediump float;\nin mediump float x;\nhighp float result;\n\
         void main() {{ result = {expression}; }}"
    );
    assert_eq!(f32::from_bits(run(&text, HALF, x.to_bits())), expected, "{expression}");
}

#[test]
fn arithmetic_of_mediump_is_done_in_half_precision() {
    check_half("normalize(vec3(x, 0.5058594, 0.3955078)).x", -0.015_380_859, -0.023_956_299);
    check_half("normalize(vec3(x, 0.5058594, 0.3955078)).y", -0.015_380_859, 0.788_085_94);
    check_half("normalize(vec3(x, 614.8, 937.2)).y", -1.0, 0.0);
    let dot = "dot(vec3(x, 0.87939453, -0.19250488), vec3(-0.0016434268, 0.5480725, -0.8364293))";
    check_half(dot, -0.435_791_02, 0.643_066_4);
    check_half("mix(0.34887695, 0.5917969, 1.0 - x)", 0.933_105_5, 0.365_234_38);
    check_half("0.4272461 * pow(x, 30.0)", 0.643_066_4, 7.748_604e-7);
    // What is only moved keeps all of its digits.
    check_half("vec2(x).y", 0.1, 0.1);
}

#[track_caller]
fn check_least(main: &str, x: f32, expected: f32) {
    let text = format!("#version 310 es\nprecision highp float;\nin float x;\nhighp float result;\n{main}");
    assert_eq!(f32::from_bits(run(&text, LEAST, x.to_bits())), expected, "{main}");
    let whole = f32::from_bits(run(&text, LowerOptions::default(), x.to_bits()));
    assert_ne!(whole, expected, "{main}: the profile makes no difference");
}

#[test]
fn values_have_no_more_than_the_promised_precision() {
    let half = 0.099_975_586;
    check_least("void main() { mediump float m = x; result = m; }", 0.1, half);
    check_least("void main() { mediump float m; m = x; result = m; }", 0.1, half);
    check_least("mediump float f(float v) { return v; } void main() { result = f(x); }", 0.1, half);
    check_least("float f(mediump float v) { return v; } void main() { result = f(x); }", 0.1, half);
    check_least("void main() { mediump float m = 2048.0; result = x; m += 1.0; result = m; }", 0.1, 2048.0);
    check_least("void main() { mediump float m = 2048.0; result = x; m++; result = m; }", 0.1, 2048.0);
    // An operation has the greatest precision of its operands.
    check_least("void main() { mediump float m = 60000.0; result = x; result = m * m; }", 0.1, f32::INFINITY);
    check_least("void main() { lowp float l = x; result = l; }", 3.0, 2.0);
    check_least("void main() { mediump vec2 v = vec2(x); result = v.y; }", 0.1, half);
    check_least("struct S { mediump float m; }; void main() { S s; s.m = x; result = s.m; }", 0.1, half);
}

#[test]
fn integers_wrap() {
    let text = "#version 310 es\nflat in highp int x;\nhighp int result;
        void main() { mediump int m = x; result = m; }";
    assert_eq!(run(text, LEAST, 70000) as i32, 70000 - 65536);
    // The bits of a number are not cut, and what is high stays so beside what is not.
    let text = "#version 310 es\nflat in highp int x;\nhighp int result;
        void main() { mediump int m = 1; result = x + m; }";
    assert_eq!(run(text, LEAST, 70000), 70001);
}
