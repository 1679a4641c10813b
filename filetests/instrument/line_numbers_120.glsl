// run: emulate, instrument
// stage: fragment
// Lines have the numbers that the author gave them.
// set: x = 1
#version 120
uniform float x;
#line 40
void main() {
    float n = float(__LINE__) + x;   // expect: n = 42
#line 9 3
    n += float(__LINE__);            // expect: n = 51
    gl_FragColor = vec4(n);
}
// output: gl_FragColor = (51, 51, 51, 51)
