// run: emulate, instrument
// stage: fragment
// set: x = 0.1
#version 400
uniform float x;
out vec4 c;
float pass(float v) {
    float copy = v;        // expect: copy = 0.1
    return copy;
}
void main() {
    float a = pass(x);             // expect: a = 0.1
    bool same = a == x;            // expect: same = true
    precise float big = x + 16777216.0;   // expect: big = 16777216
    precise float b = big - 16777216.0;   // expect: b = 0
    float d = 1.0 / 3.0 * 3.0;     // expect: d = 1
    c = vec4(a, same, b, d);
}
// output: c = (0.1, 1, 0, 1)
