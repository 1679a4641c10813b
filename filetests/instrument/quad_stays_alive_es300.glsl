// run: emulate, instrument
// stage: fragment
// The neighbours that derivatives need take part, though one pixel is asked about.
// pixel: 3, 4
// set: x = 3
#version 300 es
precision highp float;
precision highp int;
out vec4 c;
uniform float x;
void main() {
    float f = gl_FragCoord.x * x;
    float d = dFdx(f);     // expect: d = 3
    c = vec4(d, f, 0.0, 1.0);
}
// output: c = (3, 10.5, 0, 1)
