// run: emulate, instrument
// stage: fragment
// The index of a loop is passed on as a value, never as a place.
// set: x = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
float twice(int n) {
    float t = float(n) * 2.0;   // expect: t = 0 | 2
    return t;
}
void main() {
    float sum = 0.0;
    for (int i = 0; i < 2; i++) {
        sum += twice(i) + x;    // expect: sum = 1 | 4
    }
    c = vec4(sum);
}
// output: c = (4, 4, 4, 4)
