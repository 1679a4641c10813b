// run: emulate, instrument
// stage: fragment
// set: x = 4
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    mat2 m = mat2(1.0, 2.0, 3.0, x);     // expect: m = ((1, 2), (3, 4))
    m[1].x *= 2.0;                       // expect: m = ((1, 2), (6, 4))
    vec2 v = m * vec2(1.0, -1.0);        // expect: v = (-5, -2)
    c = vec4(v, m[1]);
}
// output: c = (-5, -2, 6, 4)
