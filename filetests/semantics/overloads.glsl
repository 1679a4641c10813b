// run: emulate, instrument
// stage: fragment
// set: x = 1
#version 330
uniform int x;
out vec4 c;
int kind(int v) { return 1; }
int kind(float v) { return 2; }
int kind(vec2 v) { return 3; }
int kind(ivec2 v) { return 4; }
void main() {
    int a = kind(x);               // expect: a = 1
    int b = kind(float(x));        // expect: b = 2
    int d = kind(vec2(x));         // expect: d = 3
    int e = kind(ivec2(x) + 1);    // expect: e = 4
    c = vec4(a, b, d, e);
}
// output: c = (1, 2, 3, 4)
