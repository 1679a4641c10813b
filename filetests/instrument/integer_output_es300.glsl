// run: emulate, instrument
// stage: fragment
// set: n = 16777217
#version 300 es
precision highp float;
precision highp int;
uniform int n;
layout(location = 0) out ivec4 a;
void main() {
    a = ivec4(n, -n, 0, 1);    // expect: a = (16777217, -16777217, 0, 1)
}
// output: a = (16777217, -16777217, 0, 1)
