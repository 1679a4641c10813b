// run: emulate, instrument
// stage: fragment
// set: a = 7
#version 330
uniform int a;
out ivec4 c;
void main() {
    int q = a / 2;         // expect: q = 3
    int n = -a / 2;        // expect: n = -3
    int r = a % 4;         // expect: r = 3
    ivec2 v = ivec2(a, 9) / ivec2(2, 4);   // expect: v = (3, 2)
    c = ivec4(q, n, r, v.y);
}
// output: c = (3, -3, 3, 2)
