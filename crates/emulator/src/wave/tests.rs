//! Results of whole shaders.

use lanes::{Mask, Numerics};

use crate::glsl::testing::Source;
use crate::ir::Marker;
use crate::wave::{Flow, Observer, Trap, Wave, WaveState};

/// Runs `main` on four lanes whose `lane` input is 0 to 3 and returns `result` lane by lane.
fn run(body: &str) -> Result<[i32; 4], Trap> {
    let text = format!("#version 450\nflat in int lane;\nout vec4 colour;\nint result;\n{body}");
    let program = Source::fragment(&text).program;
    let mut wave: Wave<4> = Wave::new(&program, Numerics::IEEE);
    let all = Mask::from_bits(0b1111);
    wave.initialize(all)?;
    if let Some((_, home)) = program.locate("lane") {
        wave.set(home.start, [0, 1, 2, 3]);
    }
    wave.main(all, 10_000, &mut (), &mut ())?;
    let (_, home) = program.locate("result").expect("a result");
    Ok(wave.register(home.start).map(|word| word as i32))
}

#[track_caller]
fn check(main: &str, expected: [i32; 4]) {
    assert_eq!(run(&format!("void main() {{ {main} }}")), Ok(expected));
}

#[track_caller]
fn check_with(globals: &str, main: &str, expected: [i32; 4]) {
    assert_eq!(run(&format!("{globals}\nvoid main() {{ {main} }}")), Ok(expected));
}

#[test]
fn lanes_diverge_and_reconverge() {
    check("if (lane < 2) result = 1; else result = 2; result += 10;", [11, 11, 12, 12]);
    check("result = lane == 1 ? 5 : lane * 2;", [0, 5, 4, 6]);
}

#[test]
fn loops_run_as_often_as_each_lane_needs() {
    check("for (int i = 0; i < lane; i++) result += 10;", [0, 10, 20, 30]);
    check("int i = 0; do { result++; i++; } while (i < lane);", [1, 1, 2, 3]);
    let odd = "for (int i = 0; i < 9; i++) { if (i == lane) continue; if (i > 4) break; result += i; }";
    check(odd, [10, 9, 8, 7]);
    check("while (true) { if (result == lane) return; result++; }", [0, 1, 2, 3]);
}

#[test]
fn switches_fall_through() {
    let switch = "switch (lane) { case 1: result += 1; case 2: result += 10; break; default: result = 100; }";
    check(switch, [100, 11, 10, 100]);
}

#[test]
fn calls_return_early_and_write_out_arguments() {
    check_with("int f(int x) { if (x > 1) return x * 100; return x; }", "result = f(lane);", [0, 1, 200, 300]);
    let swap = "void f(out int x, inout int y) { x = y; y += 1; }";
    check_with(swap, "int a, b = lane; f(a, b); result = a * 10 + b;", [1, 12, 23, 34]);
    check_with("int n; int f() { return ++n; }", "result = f() * 100 + f() * 10 + n;", [122; 4]);
}

#[test]
fn only_what_is_needed_is_evaluated() {
    let f = "bool f() { result++; return true; }";
    check_with(f, "bool b = lane > 1 && f() || lane == 0; result += b ? 10 : 0;", [10, 0, 11, 11]);
}

#[test]
fn places_and_swizzles() {
    let digits = "result = v.x * 1000 + v.y * 100 + v.z * 10 + v.w;";
    check(&format!("ivec4 v = ivec4(1, 2, 3, 4); v.zx = v.xy; {digits}"), [2214; 4]);
    let array = "int a[4] = int[4](5, 6, 7, 8); a[lane] += 10; result = a[lane] * 10 + a[(lane + 1) % 4];";
    check(array, [156, 167, 178, 185]);
    let copy = "S s[2]; s[1].a[1] = lane; s[1].b.y = 7; S t = s[1]; result = t.a[1] * 10 + t.b.y;";
    check_with("struct S { int a[2]; ivec2 b; };", copy, [7, 17, 27, 37]);
    let matrix = "vec2 v = mat2(1.0, 2.0, 3.0, 4.0) * vec2(1.0, float(lane)); result = int(v.x) * 100 + int(v.y);";
    check(matrix, [102, 406, 710, 1014]);
}

#[test]
fn operands_are_read_when_their_turn_comes() {
    check("int a = lane; result = a + (a = 10) + a;", [20, 21, 22, 23]);
    check("int a = lane; result = a++ * 10 + a;", [1, 12, 23, 34]);
}

#[test]
fn derivatives_are_differences_in_the_quad() {
    check("float x = float(lane * lane); result = int(dFdx(x)) * 100 + int(dFdy(x));", [104, 108, 504, 508]);
}

#[test]
fn discarded_lanes_do_nothing_more() {
    check("result = 1; if (lane % 2 == 0) discard; result = 2;", [1, 2, 1, 2]);
}

#[test]
fn an_endless_loop_is_a_trap() {
    assert_eq!(run("void main() { while (true) result++; }"), Err(Trap::Endless(10_000)));
}

#[test]
fn doubles_are_two_registers() {
    check("double d = 1.0LF / 3.0LF; d += double(lane); result = int(d * 3.0LF + 0.5LF);", [1, 4, 7, 10]);
    check("dvec3 v = dvec3(lane, 2, 3); v.zx = v.xz; result = int(v[lane % 3]);", [3, 2, 2, 3]);
}

#[test]
fn elements_of_swizzles_are_picked() {
    check("ivec4 v = ivec4(1, 2, 3, 4); result = v.wzyx[lane];", [4, 3, 2, 1]);
    check("ivec4 v = ivec4(0); v.wzyx[lane] = 7; result = v.x + 10 * v.y;", [0, 0, 70, 7]);
}

/// The markers passed, each with the lanes that were on.
struct Trail(Vec<String>);

impl Observer<4> for Trail {
    fn marker(&mut self, _: &WaveState<4>, marker: Marker, mask: &Mask<4>) -> Flow {
        let what = match marker {
            Marker::Statement(_) => "s",
            Marker::Enter(_) => "(",
            Marker::Leave => ")",
            Marker::Loop(_) => "[",
            Marker::Iterate => "+",
            Marker::Done => "]",
        };
        self.0.push(format!("{what}{:x}", mask.bits()));
        Flow::Continue
    }
}

#[test]
fn markers_tell_where_the_run_is() {
    let text = "#version 450\nint n; void f() { n++; } void main() { for (int i = 0; i < 2; i++) f(); }";
    let mut wave: Wave<4> = Wave::new(&Source::fragment(text).program, Numerics::IEEE);
    let mut trail = Trail(Vec::new());
    wave.main(Mask::from_bits(0b0011), 1000, &mut (), &mut trail).expect("an end");
    assert_eq!(trail.0.join(" "), "s3 s3 [3 +3 s3 (3 s3 )3 +3 s3 (3 s3 )3 +3 ]3");
}
