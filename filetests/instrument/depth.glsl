// run: emulate, instrument
// stage: fragment
// versions: 330, 450, 300es
// set: x = 0.25
precision highp float;   // only: 300es
precision highp int;     // only: 300es
uniform float x;
layout(location = 0) out vec4 c;
void main() {
    c = vec4(x);
    gl_FragDepth = x * 2.0;    // expect: gl_FragDepth = 0.5
    c.y = gl_FragDepth;        // expect: c = (0.25, 0.5, 0.25, 0.25)
}
// output: c = (0.25, 0.5, 0.25, 0.25)
