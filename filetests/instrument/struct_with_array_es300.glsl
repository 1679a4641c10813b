// run: emulate, instrument
// stage: fragment
// Where structures with arrays cannot be assigned, parts of them can be asked for.
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
struct Row { float v[2]; float n; };
uniform float x;
void main() {
    Row r;
    r.n = x;               // expect: r.n = 2
    r.v[0] = r.n + 1.0;    // expect: r.v[0] = 3
    r.v[1] = r.v[0] * 2.0; // expect: r.v[1] = 6
    c = vec4(r.v[0], r.v[1], r.n, 1.0);
}
// output: c = (3, 6, 2, 1)
