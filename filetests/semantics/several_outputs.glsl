// run: emulate, instrument
// stage: fragment
// set: x = 1.5
#version 330
uniform float x;
layout(location = 0) out vec4 first;
layout(location = 2) out vec2 third;
layout(location = 1) out float second;
void main() {
    second = x;            // expect: second = 1.5
    first = vec4(x * 2.0); // expect: first = (3, 3, 3, 3)
    third = first.xy + second;   // expect: third = (4.5, 4.5)
    first.w = 0.0;         // expect: first = (3, 3, 3, 0)
}
// output: first = (3, 3, 3, 0)
// output: second = 1.5
// output: third = (4.5, 4.5)
