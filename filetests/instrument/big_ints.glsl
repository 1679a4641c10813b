// run: emulate, instrument
// stage: fragment
// versions: 330, 450, 300es
// Integers beyond 2^24 do not go through floats.
// set: n = 16777217
precision highp float;             // only: 300es
precision highp int;               // only: 300es
out vec4 c;                        // only: 330, 300es
layout(location = 0) out vec4 c;   // only: 450
uniform int n;
void main() {
    int a = n + 1;         // expect: a = 16777218
    int b = -a * 3;        // expect: b = -50331654
    uint d = uint(a) << 7u;     // expect: d = 2147483904
    c = vec4(float(b == -50331654), float(d == 2147483904u), 0.0, 1.0);
}
// output: c = (1, 1, 0, 1)
