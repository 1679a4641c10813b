// run: emulate, instrument
// stage: fragment
// set: x = -2.5
#version 330
uniform float x;
out vec4 c;
void main() {
    float f = floor(x);        // expect: f = -3
    float t = trunc(x);        // expect: t = -2
    float u = ceil(x);         // expect: u = -2
    float e = roundEven(x);    // expect: e = -2
    float r = fract(x);        // expect: r = 0.5
    float m = mod(x, 2.0);     // expect: m = 1.5
    float s = sign(x);         // expect: s = -1
    c = vec4(f, t, r, m);
}
// output: c = (-3, -2, 0.5, 1.5)
