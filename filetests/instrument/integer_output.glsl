// run: emulate, instrument
// stage: fragment
// versions: 330, 450, 300es
// set: n = 16777217
precision highp float;   // only: 300es
precision highp int;     // only: 300es
uniform int n;
layout(location = 0) out ivec4 a;
void main() {
    a = ivec4(n, -n, 0, 1);    // expect: a = (16777217, -16777217, 0, 1)
}
// output: a = (16777217, -16777217, 0, 1)
