// run: emulate, instrument
// stage: fragment
// set: x = 0.25
#version 300 es
precision highp float;
precision highp int;
uniform float x;
layout(location = 0) out vec4 c;
void main() {
    c = vec4(x);
    gl_FragDepth = x * 2.0;    // expect: gl_FragDepth = 0.5
    c.y = gl_FragDepth;        // expect: c = (0.25, 0.5, 0.25, 0.25)
}
// output: c = (0.25, 0.5, 0.25, 0.25)
