// run: emulate, instrument
// stage: fragment
// set: x = -1.75
#version 330
uniform float x;
out vec4 c;
void main() {
    int i = int(x);        // expect: i = -1
    uint u = uint(int(x)); // expect: u = 4294967295
    bool b = bool(x);      // expect: b = true
    float f = float(i) + float(b);   // expect: f = 0
    ivec2 v = ivec2(vec2(2.9, -2.9));   // expect: v = (2, -2)
    float mixed = i + 0.5; // expect: mixed = -0.5
    c = vec4(i, f, v);
}
// output: c = (-1, 0, 2, -2)
