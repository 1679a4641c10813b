// run: emulate, instrument
// stage: fragment
// versions: 120, 330, 450, webgl, 300es
// word: c = gl_FragColor          // only: 120, webgl
// set: x = 3
precision highp float;             // only: webgl, 300es
precision highp int;               // only: webgl, 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
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
