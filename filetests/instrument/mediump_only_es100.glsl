// run: emulate, instrument
// stage: fragment webgl
// Copies have the precision of what is copied, and there may be no default to lean on.
// set: x = 0.5
precision mediump float;
uniform float x;
void main() {
    mediump float a = x * 4.0;     // expect: a = 2
    lowp vec2 b = vec2(0.5, a - 1.0);   // expect: b = (0.5, 1)
    gl_FragColor = vec4(b, a, 1.0);
}
// output: gl_FragColor = (0.5, 1, 2, 1)
