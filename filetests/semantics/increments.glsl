// run: emulate, instrument
// stage: fragment
// set: x = 1.5
#version 330
uniform float x;
out vec4 c;
void main() {
    float f = x;
    float a = f++;         // expect: a = 1.5 // expect: f = 2.5
    float b = ++f;         // expect: b = 3.5 // expect: f = 3.5
    ivec2 v = ivec2(1, 2);
    ivec2 w = v-- * 10;    // expect: w = (10, 20) // expect: v = (0, 1)
    v.y++;                 // expect: v = (0, 2)
    c = vec4(a, b, w);
}
// output: c = (1.5, 3.5, 10, 20)
