// run: emulate, instrument
// stage: fragment
// set: x = 4.0
#version 330
struct Inner { float a; vec2 b; };
struct Outer { int n; Inner inner[2]; };
uniform float x;
out vec4 c;
Outer make(float v) {
    Outer o = Outer(1, Inner[2](Inner(v, vec2(v + 1.0)), Inner(0.0, vec2(0))));
    return o;
}
void main() {
    Outer o = make(x);               // expect: o.inner[0].b = (5, 5)
    Outer copy = o;
    copy.inner[1].b.y = 9.0;         // expect: copy.inner[1].b = (0, 9) // expect: o.inner[1].b = (0, 0)
    o.inner[1] = copy.inner[0];      // expect: o.inner[1].a = 4
    bool same = o.inner[0] == o.inner[1];   // expect: same = true
    float direct = make(7.0).inner[0].a;    // expect: direct = 7
    c = vec4(o.inner[1].b, copy.inner[1].b);
}
// output: c = (5, 5, 0, 9)
