// run: emulate, instrument
// stage: fragment
// set: x = 3
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
struct Part { float a; vec2 b; };
struct Whole { Part part; float n; };
uniform float x;
Whole make(float v) {
    Whole w = Whole(Part(v, vec2(v + 1.0)), v * 2.0);   // expect: w.part.b = (4, 4)
    return w;
}
void main() {
    Whole w = make(x);     // expect: w.part.a = 3 // expect: w.n = 6
    w.part.b.y = 9.0;      // expect: w.part.b = (4, 9)
    Part p = w.part;       // expect: p.b = (4, 9)
    c = vec4(p.a, p.b, w.n);
}
// output: c = (3, 4, 9, 6)
