// run: emulate, instrument
// stage: fragment webgl
// Long expressions get no deeper than compilers take.
// set: x = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    float n = x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x;   // expect: n = 120
    c = vec4(n);
}
// output: c = (120, 120, 120, 120)
