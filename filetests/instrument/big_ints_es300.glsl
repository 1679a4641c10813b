// run: emulate, instrument
// stage: fragment
// Integers beyond 2^24 do not go through floats.
// set: n = 16777217
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform int n;
void main() {
    int a = n + 1;         // expect: a = 16777218
    int b = -a * 3;        // expect: b = -50331654
    uint d = uint(a) << 7u;     // expect: d = 2147483904
    c = vec4(float(b == -50331654), float(d == 2147483904u), 0.0, 1.0);
}
// output: c = (1, 1, 0, 1)
