//! Findings of whole shaders.

use lanes::{Mask, Numerics};
use shader::version::{Options, Stage};

use super::{Sanitizer, diagnostic};
use crate::Wave;
use crate::glsl::lower;

/// Runs a fragment shader on a quad whose `lane` is 0 to 3; findings as `line code: message`.
fn findings(text: &str) -> Vec<String> {
    let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    let program = lower(&shader).expect("nothing unsupported");
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    let all = Mask::from_bits(0b1111);
    wave.initialize(all).expect("an end");
    if let Some((_, home)) = program.locate("lane") {
        wave.set(home.start, [0, 1, 2, 3]);
    }
    let mut sanitizer = Sanitizer::new(&shader, &program);
    wave.main(all, 10_000, &mut (), &mut sanitizer).expect("an end");
    sanitizer.finish(&wave);
    let told = sanitizer.findings().iter().map(|finding| {
        let diagnostic = diagnostic(finding, &shader);
        let line = shader.sources.locate(diagnostic.labels[0].span.start).line;
        let count = if finding.count > 1 { format!(" x{}", finding.count) } else { String::new() };
        format!("{line} {}: {}{count}", diagnostic.code, diagnostic.message)
    });
    told.collect()
}

/// Statements of `main`, from line 2 on; `f` and `i` are zero, which the front end does not know.
#[track_caller]
fn check(main: &str, expected: &[&str]) {
    let head = "#version 450
uniform float f; uniform int i; flat in int lane; out vec4 c; void main() { c = vec4(0);";
    let text = format!("{head} {main} }}");
    assert_eq!(
        findings(&text).iter().map(|told| told.strip_prefix("2 ").unwrap_or(told)).collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn what_was_never_written_is_found_where_it_is_read() {
    check("float x; c.x = x;", &["uninitialized: `x` is read, but was never written x4"]);
    check("float x; float y = x; c.x = y * 2.0;", &["uninitialized: `x` is read, but was never written x4"]);
    check(
        "float x; if (lane == 1) x = 1.0; if (lane > 0) c.x = x;",
        &["uninitialized: `x` is read, but was never written x2"],
    );
    check(
        "vec3 v; v.y = 1.0; c.xyz = v;",
        &["uninitialized: `v` is read, but components x and z were never written x4"],
    );
    check("vec3 v; v.y = 1.0; c.x = v.y;", &[]);
    check("bool b; if (b) c.x = 1.0;", &["uninitialized: `b` is read, but was never written x4"]);
    check("int n; n++;", &["uninitialized: `n` is read, but was never written x4"]);
    check("float n; n += 1.0; c.x = n;", &["uninitialized: `n` is read, but was never written x4"]);
    check(
        "float a[3]; a[i] = 1.0; c.x = a[i]; c.y = a[i + 1];",
        &["uninitialized: `a[i + 1]` is read, but was never written x4"],
    );
    check(
        "for (int k = 0; k < 2; k++) { float x; if (k == 0) x = 1.0; else c.x = x; }",
        &["uninitialized: `x` is read, but was never written x4"],
    );
    check("double d; c.x = float(d);", &["uninitialized: `d` is read, but was never written x4"]);
}

#[test]
fn outputs_and_globals_hold_nothing_at_first() {
    let told = findings("#version 450\nout vec4 c; float g;\nvoid main() {\n  c.x = g;\n  c.y = c.z;\n}");
    assert_eq!(
        told,
        [
            "4 uninitialized: `g` is read, but was never written x4",
            "5 uninitialized: `c.z` is read, but was never written x4",
            "2 unwritten-output: output `c` is not written by this invocation x4",
        ]
    );
}

#[test]
fn functions_that_give_nothing_back() {
    let told = findings(
        "#version 450\nflat in int lane; out vec4 c;\nfloat f(int x) { if (x > 1) return 1.0; }
void g(out float x) {}\nvoid main() {\n  c = vec4(f(lane));\n  float a;\n  g(a);\n  c.x = a;\n}",
    );
    assert_eq!(
        told,
        [
            "6 missing-return: `f` ended without returning a value x2",
            "9 uninitialized: `a` is read, but was never written x4",
        ]
    );
}

#[test]
fn indices() {
    check(
        "float a[4] = float[4](1, 2, 3, 4); c.x = a[i + 7];",
        &["out-of-bounds: index out of bounds: `a[7]` of 4 elements x4"],
    );
    check(
        "float a[4] = float[4](1, 2, 3, 4); a[lane - 1] = 0.0;",
        &["out-of-bounds: index out of bounds: `a[-1]` of 4 elements"],
    );
    check("c[lane + 1] = 1.0;", &["out-of-bounds: index out of bounds: `c[4]` of 4 elements"]);
    check(
        "mat3 m = mat3(1); c.x = m[i + 1][i + 3];",
        &["out-of-bounds: index out of bounds: `m[i + 1][3]` of 3 elements x4"],
    );
    check(
        "int a[2] = int[2](1, 2); c.x = float(a[(i + 65536) * 65536 & 1]);",
        &["index-overflow: an index is computed that does not fit its type: 65536 * 65536 x4"],
    );
}

#[test]
fn numbers_that_are_none() {
    check("c.x = 1.0 / f;", &["division-by-zero: division by zero: 1.0 / 0.0 x4"]);
    check("c.x = float(7 / i);", &["division-by-zero: division by zero: 7 / 0 x4"]);
    check(
        "ivec2 v = ivec2(3, 4) % ivec2(i + 1, i);",
        &["division-by-zero: remainder of a division by zero: ivec2(3, 4) % ivec2(1, 0) x4"],
    );
    check("c.x = (f + 3e38) * 2.0;", &["not-finite: an infinity is made: 3e38 * 2.0 = inf x4"]);
    check("c.x = exp(f + 100.0);", &["not-finite: an infinity is made: exp(100.0) = inf x4"]);
    check("float x = log(f); c.x = x - x;", &["domain: `log` of a number that is not positive: log(0.0) x4"]);
    check("c.x = sqrt(f - 0.25);", &["domain: `sqrt` of a negative number: sqrt(-0.25) x4"]);
    check(
        "c.xyz = normalize(vec3(f));",
        &["domain: `normalize` of a vector without length: normalize(vec3(0.0, 0.0, 0.0)) x4"],
    );
    check(
        "c.x = smoothstep(f, f, 1.0);",
        &["domain: `smoothstep` whose first edge is not below the second: smoothstep(0.0, 0.0, 1.0) x4"],
    );
    check("c.x = pow(f - 2.0, 2.0);", &["domain: `pow` of a negative number: pow(-2.0, 2.0) x4"]);
    check("c.x = pow(f + 2.0, 0.5) + sqrt(2.0 + f) + length(vec2(f));", &[]);
    check("c.x = float(i - 1 % 3);", &[]);
    check("c.x = float((i - 1) % 3);", &["domain: `%` of a negative number, which has no defined result: -1 % 3 x4"]);
}

#[test]
fn bits() {
    check("int x = 1 << (i + 32);", &["shift: shift by an amount outside of 0 to 31: 1 << 32 x4"]);
    check("uint x = 1u >> (lane - 1);", &["shift: shift by an amount outside of 0 to 31: 1u >> -1"]);
    check(
        "int x = bitfieldExtract(7, i + 30, 4);",
        &["bitfield: `bitfieldExtract` of bits that the word does not have: bitfieldExtract(7, 30, 4) x4"],
    );
}

#[test]
fn conversions() {
    check("int x = int(f + 1e10);", &["conversion: 10000000000.0 does not fit `int` x4"]);
    check("uint x = uint(f - 2.0);", &["conversion: -2.0 does not fit `uint` x4"]);
    check("int x = int(f - 2147483648.0);", &[]);
}

#[test]
fn divergence() {
    check(
        "float x = float(lane); if (lane > 0) c.x = dFdx(x);",
        &[
            "divergent-derivative: the derivative is taken in divergent control flow: 1 of the quad's 4 invocations took another way x3",
        ],
    );
    check("if (lane > 0) discard; float x = float(lane); c.x = dFdx(x);", &[]);
}

#[test]
fn a_finding_knows_its_moment() {
    let text = "#version 450\nuniform float f; out vec4 c;\nfloat g(float x) { return sqrt(x); }
void main() { c = vec4(0); for (int k = 0; k < 3; k++) c.x += g(f + 1.0 - float(k)); }";
    let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
    let program = lower(&shader).expect("nothing unsupported");
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    let mut sanitizer = Sanitizer::new(&shader, &program).only(1);
    wave.main(Mask::from_bits(0b1111), 1000, &mut (), &mut sanitizer).expect("an end");
    let notes = &diagnostic(&sanitizer.findings()[0], &shader).notes;
    assert_eq!(notes[..], ["called from line 4", "in iteration 3 of the loop of line 4"]);
}
