// run: emulate, instrument
// stage: fragment
// set: x = 0.1
#version 400
uniform double x;
out vec4 c;
void main() {
    double s = x + 0.2lf;      // expect: s = 0.30000000000000004
    dvec2 v = dvec2(s, 1.0lf) * 2.0lf;   // expect: v.y = 2
    float f = float(x) * 10.0; // expect: f = 1
    v.x = 3.0lf;               // expect: v = (3, 2)
    int i = int(v.x * v.y);    // expect: i = 6
    c = vec4(v, i, f);
}
// output: c = (3, 2, 6, 1)
