// run: emulate, instrument
// stage: fragment
// set: x = 0.5
#version 110
uniform float x;
void main() {
    gl_FragColor = vec4(x);          // expect: gl_FragColor = (0.5, 0.5, 0.5, 0.5)
    gl_FragColor.a = 1.0;            // expect: gl_FragColor = (0.5, 0.5, 0.5, 1)
}
// output: gl_FragColor = (0.5, 0.5, 0.5, 1)
