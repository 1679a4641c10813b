// run: emulate, instrument
// stage: fragment
// set: x = 0.5
#version 120
uniform float x;
void main() {
    gl_FragData[0] = vec4(x);            // expect: gl_FragData[0] = (0.5, 0.5, 0.5, 0.5)
    gl_FragData[1] = gl_FragData[0].xxxx * 2.0;   // expect: gl_FragData[1] = (1, 1, 1, 1)
}
// output: gl_FragData[0] = (0.5, 0.5, 0.5, 0.5)
// output: gl_FragData[1] = (1, 1, 1, 1)
