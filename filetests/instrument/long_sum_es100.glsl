// run: emulate, instrument
// stage: fragment webgl
// Long expressions get no deeper than compilers take.
// set: x = 1
precision highp float;
precision highp int;
uniform float x;
void main() {
    float n = x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x;   // expect: n = 60
    gl_FragColor = vec4(n);
}
// output: gl_FragColor = (60, 60, 60, 60)
