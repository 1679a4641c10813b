// run: emulate, instrument
// stage: fragment
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
#define TWICE(v) ((v) + (v))
#define ADD(to, v) to += TWICE(v)
uniform float x;
void main() {
    float sum = 0.0;
    ADD(sum, x);           // expect: sum = 4
    ADD(sum, x * 2.0);     // expect: sum = 12
    c = vec4(sum);
}
// output: c = (12, 12, 12, 12)
