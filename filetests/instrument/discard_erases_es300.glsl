// run: emulate, instrument
// stage: fragment
// set: x = 2
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    c = vec4(x);          // expect: c = (2, 2, 2, 2)
    if (x > 1.0)
        discard;
    c = vec4(0.0);        // never:
}
// discarded:
