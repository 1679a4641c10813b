// run: emulate, instrument
// stage: fragment
// set: x = 2
#version 120
uniform float x;
void main() {
    gl_FragColor = vec4(x);          // expect: gl_FragColor = (2, 2, 2, 2)
    if (x > 1.0)
        discard;
    gl_FragColor = vec4(0.0);        // never:
}
// discarded:
