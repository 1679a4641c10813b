// run: emulate, instrument
// stage: fragment
// Long expressions get no deeper than compilers take.
// set: x = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    float n = x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x;   // expect: n = 60
    c = vec4(n);
}
// output: c = (60, 60, 60, 60)
