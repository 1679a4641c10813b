// run: emulate, instrument
// stage: fragment
// set: x = 3
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
float add(inout float a, float b) {
    a += 1.0;              // expect: a = 4
    return a + b;          // expect: b = 3
}
void main() {
    float v = x;
    float r = add(v, v);   // expect: r = 7 // expect: v = 4
    c = vec4(v, r, 0.0, 1.0);
}
// output: c = (4, 7, 0, 1)
