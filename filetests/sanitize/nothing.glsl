// run: emulate
// stage: fragment
// set: x = 2.0
#version 450
uniform float x;
out vec4 c;
struct S { float a; float b; };
float only(S s) { return s.a; }
void half_of(out vec2 v) { v.x = 1.0; }
void main() {
    S s;
    s.a = x;
    vec2 v;
    half_of(v);
    float unused;
    vec4 w;
    w.x = only(s) + v.x;
    w.yzw = vec3(sqrt(x), pow(x, -0.5), 1.0 / x);
    c = w;
}
// output: c = (3, 1.4142135, 0.70710677, 0.5) ±2ulp
