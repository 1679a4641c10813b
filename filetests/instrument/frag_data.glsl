// run: emulate, instrument
// stage: fragment
// versions: 120, webgl
// set: x = 2
precision highp float;   // only: webgl
uniform float x;
void main() {
    gl_FragData[0] = vec4(x);      // expect: gl_FragData[0] = (2, 2, 2, 2)
    gl_FragData[0].y += 1.0;       // expect: gl_FragData[0] = (2, 3, 2, 2)
}
// output: gl_FragData[0] = (2, 3, 2, 2)
