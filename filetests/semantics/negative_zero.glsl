// run: emulate, instrument
// stage: fragment
// set: x = 0.0
#version 330
uniform float x;
out vec4 c;
void main() {
    float n = -x;          // expect: n = -0.0
    bool same = n == x;    // expect: same = true
    float sum = n + x;     // expect: sum = 0.0
    c = vec4(same);
}
// output: c = (1, 1, 1, 1)
