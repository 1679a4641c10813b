//! Functions with several results, and functions chosen at run time.

use emulator::Wave;
use emulator::glsl::lower;
use lanes::{Mask, Numerics};
use shader::version::{Options, Stage};

/// Runs `main` on four lanes whose `lane` input is 0 to 3 and returns `result` lane by lane. Some variables are given
/// one word a lane.
#[track_caller]
fn run(text: &str, given: &[(&str, [u32; 4])]) -> [i32; 4] {
    let text =
        format!("#version 450\n#extension GL_ARB_gpu_shader_int64 : enable\nflat in int lane;\nint result;\n{text}");
    let shader = shader::analyze(&[text], &Options::new(Stage::Fragment));
    assert!(!shader.has_errors(), "{:?}", shader.diagnostics);
    let program = lower(&shader).expect("nothing unsupported");
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    let all = Mask::from_bits(0b1111);
    wave.initialize(all).expect("an end");
    for (name, values) in given.iter().chain([&("lane", [0, 1, 2, 3])]) {
        if let Some((_, home)) = program.locate(name) {
            wave.set(home.start, *values);
        }
    }
    wave.main(all, 10_000, &mut (), &mut ()).expect("an end");
    let (_, home) = program.locate("result").expect("a result");
    wave.register(home.start).map(|word| word as i32)
}

#[track_caller]
fn check(main: &str, expected: [i32; 4]) {
    assert_eq!(run(&format!("void main() {{ {main} }}"), &[]), expected);
}

#[test]
fn fractions_and_exponents_come_in_two_parts() {
    let modf = "float whole; float part = modf(float(lane) * 1.25 - 2.0, whole); \
        result = int(whole) * 100 + int(part * 100.0);";
    check(modf, [-200, -75, 50, 175]);
    check(
        "double whole; double part = modf(2.5LF * lane, whole); result = int(whole * 100 + part * 10);",
        [0, 205, 500, 705],
    );
    check("int e; float m = frexp(float(lane) * 3.0, e); result = int(m * 1000.0) + e;", [0, 752, 753, 566]);
    check("ivec2 e; dvec2 m = frexp(dvec2(lane, 1024), e); result = e.x * 100 + e.y;", [11, 111, 211, 211]);
    check("result = int(ldexp(1.5LF, lane) * 2.0LF);", [3, 6, 12, 24]);
    check("result = floatBitsToInt(ldexp(-0.5, -125 - lane));", [1 << 23, 1 << 22, 0, 0].map(|x| x | i32::MIN));
}

#[test]
fn carries_and_high_halves() {
    check("uint c; uint s = uaddCarry(0xffffffffu, uint(lane), c); result = int(s) * 10 + int(c);", [-10, 1, 11, 21]);
    check("uvec2 b; uvec2 d = usubBorrow(uvec2(1, 2), uvec2(lane), b); result = int(b.x * 10u + b.y);", [0, 0, 10, 11]);
    check("int h, l; imulExtended(-2, lane, h, l); result = h * 100 + l;", [0, -102, -104, -106]);
    check(
        "uint h, l; umulExtended(0x80000000u, uint(lane), h, l); result = int(h) * 10 + int(l >> 31);",
        [0, 1, 10, 11],
    );
}

#[test]
fn out_places_are_settled_before_and_written_after() {
    check("int i = lane; float a[5]; float f = modf(2.5, a[i++]); result = int(a[lane]) * 10 + i;", [21, 22, 23, 24]);
    check(
        "vec3 v = vec3(0.0); v.zx = modf(vec2(1.25, 2.5), v.xz); result = int(v.x * 100.0) + int(v.z * 10000.0);",
        [2550; 4],
    );
    check("float x = 3.75; x = modf(x, x); result = int(x * 100.0);", [75; 4]);
    // What is written may have another type than the parameter.
    check("float e; float m = frexp(6.0, e); result = int(e * 10.5);", [31; 4]);
}

#[test]
fn wide_integers() {
    check("int64_t x = -int64_t(lane) << 40; result = int(abs(x) >> 40) * 10 + int(sign(x));", [0, 9, 19, 29]);
    check(
        "uint64_t x = packUint2x32(uvec2(lane, 7)); uvec2 h = unpackUint2x32(x); result = int(h.x * 10u + h.y);",
        [7, 17, 27, 37],
    );
    check(
        "dvec2 d = int64BitsToDouble(doubleBitsToInt64(dvec2(lane, 2.5LF))); result = int(d.x * 10 + d.y * 2);",
        [5, 15, 25, 35],
    );
    check(
        "bvec2 b = lessThan(i64vec2(lane, -1L << 60), i64vec2(2L)); result = int(b.x) * 10 + int(b.y);",
        [11, 11, 1, 1],
    );
}

const SHAPES: &str = "
    subroutine int Shape(int x, inout int y);
    subroutine(Shape) int twice(int x, inout int y) { y += 1; return x * 2; }
    layout(index = 0) subroutine(Shape) int plus(int a, inout int b) { b += 2; if (a > 2) return 99; return a + 10; }
    subroutine(Shape) int minus(int p, inout int q) { q *= 10; return p - 10; }
    subroutine uniform Shape shape;
    subroutine uniform Shape shapes[2];
";

#[test]
fn subroutine_uniforms_choose_functions() {
    let main = format!("{SHAPES} void main() {{ int y = lane; result = shape(lane, y) * 100 + y; }}");
    // `plus` has asked for 0, so the others are 1 and 2.
    assert_eq!(run(&main, &[("shape", [1, 0, 2, 0])]), [1, 1103, -780, 9905]);
    assert_eq!(run(&main, &[("shape", [2; 4])]), [-1000, -890, -780, -670]);
    let element = format!("{SHAPES} void main() {{ int y = 1; result = shapes[lane % 2](5, y) + y * 1000; }}");
    assert_eq!(run(&element, &[("shapes[0]", [2; 4]), ("shapes[1]", [1; 4])]), [9995, 2010, 9995, 2010]);
}

#[test]
fn lengths_of_values_that_have_to_be_computed() {
    let text = "int n; vec3 f() { n++; return vec3(1.0); } mat2x4 g() { n++; return mat2x4(1.0); }
        void main() { result = f().length() * 100 + g().length() * 10 + n; }";
    assert_eq!(run(text, &[]), [322; 4]);
}

#[test]
fn members_of_storage_blocks_are_sized_by_their_use() {
    let text = "buffer B { int a[]; int b[]; }; buffer C { vec4 s[]; vec4 t[]; } c;
        void main() { result = a.length() * 100 + a[2] + b.length() + c.s.length() * 10 + int(c.s[4].x); }";
    assert_eq!(run(text, &[]), [350; 4]);
}
