// run: emulate, instrument
// stage: fragment
// Lines have the numbers that the author gave them.
// set: x = 1
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
#line 40
void main() {
    float n = float(__LINE__) + x;   // expect: n = 42
#line 9 3
    n += float(__LINE__);            // expect: n = 51
    c = vec4(n);
}
// output: c = (51, 51, 51, 51)
