// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 330
struct S { int a; int b[2]; };
uniform int x;
out vec4 c;
int by_value(S s) {
    s.a += 100;            // expect: s.a = 101
    return s.a;
}
void by_place(inout S s) {
    s.b[1] = s.a + 1;      // expect: s.b = (0, 2)
}
void main() {
    S s = S(x, int[2](0, 0));
    int r = by_value(s);   // expect: r = 101 // expect: s.a = 1
    by_place(s);           // expect: s.b = (0, 2)
    c = vec4(r, s.a, s.b[0], s.b[1]);
}
// output: c = (101, 1, 0, 2)
