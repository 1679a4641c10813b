//! Code patterns that the filetests do not cover.

use shader::version::{Options, Stage};

use crate::compare::{Outcome, compare, compare_values, compare_watches};
use instrument::Detail;

/// Records a fragment shader, queries many of its moments, and compares everything with the emulator.
#[track_caller]
fn check(text: &str) {
    let head = "#version 430\nuniform int n; uniform float x; in vec2 uv; out vec4 c;\n";
    check_text(format!("{head}{text}"), Stage::Fragment);
}

#[track_caller]
fn check_text(text: String, stage: Stage) {
    let (strings, options) = ([text], Options::new(stage));
    let outcomes = [
        compare(&strings, &options, Detail::Statements),
        compare(&strings, &options, Detail::Expressions),
        compare_values(&strings, &options, 30),
        compare_watches(&strings, &options, 30),
    ];
    for outcome in outcomes {
        let Outcome::Compared(counts) = outcome else { panic!("{outcome:?}") };
        assert!(counts.differences.is_empty(), "{}", counts.differences.join("\n"));
        let named =
            counts.refusals.iter().all(|why| why.contains("functions cannot return a") && why.contains("in GLSL 1.10"));
        assert!(named, "{:?}", counts.refusals);
        assert!(counts.values > 0, "nothing was compared");
    }
}

#[test]
fn loops_of_all_shapes() {
    check("void main() { int s = 0; for (;;) { if (++s > n + 3) break; } c = vec4(s); }");
    check("void main() { int s = 0; for (int i = 0; i < 3; s += i++) ; c = vec4(s); }");
    check("void main() { int s = 0; while (s < 4) s++; c = vec4(s); }");
    check(
        "void main() { int s = 0; for (int i = 0, j = 5; i < j; i++, j--) for (int k = 0; k < 2; k++) s += k; c = vec4(s); }",
    );
    check("void main() { int s = 0; do s += 2; while (s < 5); c = vec4(s); }");
    check("void main() { int s = 0; while (true) { if (s++ > 2) break; if (s == 2) continue; s += 0; } c = vec4(s); }");
    check(
        "void main() { int s = 0; if (n > 0) for (int i = 0; i < 2; i++) if (i > 0) s = i; else s = -i; c = vec4(s); }",
    );
    check(
        "int f(int a) { return a - 1; }\nvoid main() { int s = 3; while (bool more = f(s) > 0) s--; for (; bool b = s < 3; ) s++; c = vec4(s); }",
    );
    check(
        "int f(int a) { for (int i = 0; i < 9; i++) { if (i > a) return i; } return -1; }\nvoid main() { int s = 0; for (int i = f(0); f(i) < 4; i += f(-1) + 1) s += f(i); c = vec4(s); }",
    );
}

#[test]
fn paths_through_calls() {
    check(
        "float g(float a); float f(float a) { return g(a) + g(a + 1.0); }\nfloat g(float a) { float s = a; for (int i = 0; i < 2; i++) s *= 2.0; return s; }\nvoid main() { float s = f(x); for (int i = 0; i < 2; i++) s += f(g(s)); c = vec4(s); }",
    );
    check(
        "float f(float a) { return a; } float f(int a) { return float(a) * 2.0; } float f(vec2 a) { return f(a.x) + f(int(a.y)); }\nvoid main() { c = vec4(f(x) + f(n) + f(uv)); }",
    );
    check(
        "uniform sampler2D s; uniform sampler2D t[2];\nvec4 look(sampler2D s, vec2 at) { return texture(s, at); }\nvoid main() { c = look(s, uv) + look(t[1], uv * 2.0); }",
    );
    check(
        "void f(out float a, inout vec2 b, const in float d) { a = d; b += a; }\nvoid main() { vec4 v = vec4(1); f(v.w, v.yx, v.z); f(v[n % 2], v.zw, x); c = v; }",
    );
    check(
        "void f() { if (x > 9.0) return; c.x += 1.0; }\nvoid main() { c = vec4(0); f(); if (n > 100) { f(); return; } f(); }",
    );
    check(
        "struct S { int a[2]; vec2 b; }; S f(S s) { s.a[1]++; return s; }\nvoid main() { S s = S(int[2](n, 2), uv); S t = n > 0 ? f(s) : s; s = f(f(t)); c = vec4(s.a[1], t.b, 0); }",
    );
}

#[test]
fn operands_that_are_not_evaluated() {
    check(
        "int k = 0; bool f(bool b) { k++; return b; }\nvoid main() { bool a = f(x > 9.0) && f(true) || f(n == n) && !f(false); bool b = f(true) || f(false); c = vec4(k, a, b, 1); }",
    );
    check(
        "int k = 0; int f(int a) { return k += a; }\nvoid main() { int s = n > 1 ? f(1) : f(2); s += (n > 100 ? f(3) : (f(4), f(5))); c = vec4(s, k, 0, 0); }",
    );
    check(
        "void main() { int a[3] = int[](1, 2, 3); int i = 0; a[i++] += a[i++]; a[i] = i++ + ++i; i = (a[0]++, a[1]--, i); c = vec4(a[0], a[1], a[2], i); }",
    );
    check(
        "void main() { bool p = n > 0; bool q = p ^^ (x > 0.0); if (p && (q || n > 1) && x < 100.0) c = vec4(1); else if (q && p) c = vec4(2); else c = vec4(3); }",
    );
}

#[test]
fn names_and_macros() {
    check(
        "#define TWICE(a) ((a) + (a))\n#define LOOP(i, k) for (int i = 0; i < k; i++)\n#define SET c = vec4(v)\nvoid main() { float v = 0.0; LOOP(i, 3) { LOOP(j, 2) v += TWICE(float(i * j)); } SET; }",
    );
    check(
        "#define BEGIN void main() {\n#define END }\nBEGIN float v = x; { float v = v + 1.0; c = vec4(v); } for (int v = 0; v < 2; v++) { int w = v; c += float(w); } c.x += v; END",
    );
    check(
        "float v = 1.0;\nvoid main() { float w = v; float v = v * 2.0; if (v > 0.0) { float v = v + 1.0; w += v; } c = vec4(v, w, float(__LINE__), 0); }",
    );
    check(
        "void main() { int s = 0; switch (n) { case 0: s = 1; case 1: case 2: s += 2; break; default: { int t = 7; s = t; } case 9: s++; } switch (s) { case 77: break; } c = vec4(s); }",
    );
}

#[test]
fn subroutines() {
    let head = "subroutine float Shape(float v); subroutine(Shape) float square(float v) { return v * v; } subroutine(Shape) float half_of(float v) { return v * 0.5; }\n";
    check(&format!("{head}subroutine uniform Shape shape; void main() {{ c = vec4(shape(x) + shape(2.0)); }}"));
    check(&format!(
        "{head}subroutine uniform Shape shapes[2]; void main() {{ float s = 0.0; for (int i = 0; i < 2; i++) s += shapes[1](x); c = vec4(s); }}"
    ));
}

#[test]
fn types_of_all_kinds() {
    check(
        "void main() { dmat2 m = dmat2(1.0, x, uv); dvec2 d = m * dvec2(uv); uvec3 u = uvec3(n, 7u, 16777217u); u.xz <<= 1u; mat3x2 k = mat3x2(1); k[1] = uv; bvec2 b = greaterThan(uv, vec2(0)); c = vec4(d, k[1].x, u.z) + vec4(b, b); }",
    );
    check(
        "void main() { float a[2][3]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = float(i * j) + x; float b[3] = a[1]; a[0] = b; c = vec4(a[0][2], b[1], a.length(), b.length()); }",
    );
    check(
        "void main() { struct L { float a; int b; }; L l = L(x, n); l.b++; l = L(l.a + 1.0, l.b); c = vec4(l.a, l.b, 0, 0); }",
    );
    check(
        "void main() { float a[] = { x, 1.0 }; const int k = 3; const float f = x * 2.0; int whole; float part = frexp(a[0] + 3.0, whole); c = vec4(part, whole, k, f); }",
    );
    check(
        "layout(std430) buffer B { float total; uint hits; float rows[]; }; uniform U { vec4 tint; } u;\nvoid main() { rows[n] = total; rows[0] += u.tint.x; float r = rows[n]; c = vec4(r, rows.length(), u.tint.zw); }",
    );
}

#[test]
fn old_versions() {
    let text = "uniform mat2 m[2]; uniform int n; varying vec2 uv;
float f(float a[2]) { return a[0] + a[1]; }
void main() { float a[2]; a[0] = uv.x; a[1] = 2.0; for (int i = 0; i < 2; i++) a[0] *= m[i][0].x; gl_FragColor = vec4(f(a), uv, n); }";
    for version in ["", "#version 110\n", "#version 120\n", "#version 130\n", "#version 150 compatibility\n"] {
        check_text(format!("{version}{text}"), Stage::Fragment);
    }
    let vertex = "attribute vec4 at; varying vec4 v; void main() { v = at * 2.0; for (int i = 0; i < 3; ++i) { if (v[i] > 1.0) break; v[i] += 1.0; } gl_Position = v; }";
    check_text(vertex.to_owned(), Stage::Vertex);
}
