// run: emulate, instrument
// stage: fragment
// set: b = true
#version 330
struct S { int a; float b[2]; };
uniform bool b;
out vec4 c;
void main() {
    vec2 v = b ? vec2(1, 2) : vec2(3, 4);          // expect: v = (1, 2)
    float f = b ? 1 : 2.5;                         // expect: f = 1
    S one = S(1, float[2](1.0, 2.0)), two = S(2, float[2](3.0, 4.0));
    S s = !b ? one : two;                          // expect: s.a = 2 // expect: s.b = (3, 4)
    c = vec4(v, f, s.b[1]);
}
// output: c = (1, 2, 1, 4)
