// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 330
uniform int x;
out vec4 c;
void main() {
    int a, b, d;
    a = b = d = x + 1;     // expect: a = 2 // expect: b = 2 // expect: d = 2
    int e = (a += 5) * 2;  // expect: e = 14 // expect: a = 7
    vec2 v = vec2(0);
    float f = (v.y = 3.0) + v.y;   // expect: f = 6 // expect: v = (0, 3)
    c = vec4(a, b, e, f);
}
// output: c = (7, 2, 14, 6)
