// run: emulate, instrument
// stage: fragment
// set: x = 7
#version 450
layout(location = 0) out vec4 c;
uniform float x;
void main() {
    float a[2][3] = float[2][3](float[3](1, 2, 3), float[3](4, 5, x));   // expect: a[1][2] = 7
    a[0][1] += a[1][2];    // expect: a[0] = (1, 9, 3)
    c = vec4(a[0][1], a[1][2], 0, 1);
}
// output: c = (9, 7, 0, 1)
