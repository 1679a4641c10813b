// run: emulate, instrument
// stage: fragment
// set: x = -5
#version 330
uniform int x;
layout(location = 0) out ivec2 a;
layout(location = 1) out uint b;
void main() {
    a = ivec2(x, x * 16777216);   // expect: a = (-5, -83886080)
    b = uint(x);                  // expect: b = 4294967291
}
// output: a = (-5, -83886080)
// output: b = 4294967291
