// run: emulate, instrument
// stage: fragment
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void fill(out vec2 v) {
    v = vec2(x, x + 1.0);  // expect: v = (2, 3)
}
void main() {
    vec4 v = vec4(0.0);
    fill(v.wy);            // expect: v = (0, 3, 0, 2)
    c = v;
}
// output: c = (0, 3, 0, 2)
