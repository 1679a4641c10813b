// run: emulate, instrument
// stage: fragment
// set: on = true
#version 450
layout(location = 0) out vec4 c;
struct Pair { float a; float b; };
uniform bool on;
void main() {
    Pair p = Pair(1.0, 2.0), q = Pair(3.0, 4.0);
    Pair r = on ? q : p;   // expect: r.a = 3 // expect: r.b = 4
    c = vec4(r.a, r.b, 0.0, 1.0);
}
// output: c = (3, 4, 0, 1)
