// run: emulate, instrument
// stage: fragment
// set: x = 2.0
#version 330
uniform float x;
out vec4 c;
void swap(inout float a, inout float b) {
    float t = a;
    a = b;
    b = t;
}
void pair(out vec2 p) {
    p = vec2(x, x * 10.0);
}
void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    swap(v.x, v.w);        // expect: v = (4, 2, 3, 1)
    pair(v.zy);            // expect: v = (4, 20, 2, 1)
    c = v;
}
// output: c = (4, 20, 2, 1)
